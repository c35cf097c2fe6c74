//! The metadata document of a protected endpoint (RFC 9728).

use std::convert::Infallible;

use http::{Request, StatusCode};
use serde_json::{Value, json};
use test_authorization::shop::{self, RESOURCE, protection};
use test_http::lab::Lab;
use toolwright::auth::{ApiKeys, Protection};
use toolwright::{HttpConfig, HttpService};
use tower_service::Service as _;

const PATH: &str = "/.well-known/oauth-protected-resource";

fn named(resource: &str) -> Protection {
    Protection::new(resource, ApiKeys::new())
        .expect("a resource identifier")
        .authorization_server("https://login.example/tenant")
        .expect("an issuer")
}

fn lab(protection: Protection) -> Lab {
    Lab::serve(shop::service(), HttpConfig::new().protect(protection))
}

fn document(lab: &Lab, path: &str) -> Value {
    let mut response = lab.bare("GET", path).send();
    assert_eq!((response.status, response.header("content-type")), (200, Some("application/json")), "{path}");
    serde_json::from_str(&response.text()).expect("JSON")
}

#[test]
fn it_contains_what_clients_need_to_get_a_token() {
    let lab = lab(named(RESOURCE).documentation("https://shop.example/docs"));
    let expected = json!({
        "resource": "https://shop.example/mcp",
        "authorization_servers": ["https://login.example/tenant"],
        "scopes_supported": ["orders:cancel", "orders:read", "orders:write"],
        "bearer_methods_supported": ["header"],
        "resource_name": "The shop",
        "resource_documentation": "https://shop.example/docs",
    });
    assert_eq!(document(&lab, &format!("{PATH}/mcp")), expected);
    assert_eq!(document(&lab, &format!("{PATH}/mcp/")), expected);
    for other in [PATH, "/.well-known/oauth-protected-resource/other", "/.well-known", "/"] {
        assert_eq!(lab.bare("GET", other).send().status, 404, "{other}");
    }
}

#[test]
fn its_url_follows_from_the_resource() {
    for (resource, path) in [
        ("https://shop.example", PATH.to_owned()),
        ("https://shop.example/", PATH.to_owned()),
        ("https://shop.example/public/mcp", format!("{PATH}/public/mcp")),
        // A client removes the well-known part and compares (RFC 9728 §3.3).
        ("https://shop.example/mcp/", format!("{PATH}/mcp/")),
    ] {
        let lab = lab(named(resource));
        assert_eq!(document(&lab, &path)["resource"], resource);
        let refused = lab.modern("tools/list", &json!({})).send();
        let challenge = refused.header("www-authenticate").expect("a challenge");
        let url = format!("resource_metadata=\"https://shop.example{path}\"");
        assert!(challenge.contains(&url), "{challenge}");
    }
}

#[test]
fn any_page_may_read_it() {
    let lab = lab(named(RESOURCE));
    let page = |method: &str| {
        let call = lab.bare(method, &format!("{PATH}/mcp")).header("Origin", "https://any.example");
        call.send()
    };
    assert_eq!(page("GET").header("access-control-allow-origin"), Some("*"));
    let preflight = page("OPTIONS");
    assert_eq!((preflight.status, preflight.header("access-control-allow-headers")), (204, Some("*")));
    let post = page("POST");
    assert_eq!((post.status, post.header("allow")), (405, Some("GET, HEAD, OPTIONS")));
}

#[test]
fn the_scopes_to_start_with_can_be_chosen() {
    let lab = lab(named(RESOURCE).scopes_supported(["orders:read"]));
    assert_eq!(document(&lab, &format!("{PATH}/mcp"))["scopes_supported"], json!(["orders:read"]));
    let refused = lab.modern("tools/list", &json!({})).send();
    let challenge = refused.header("www-authenticate").expect("a challenge");
    assert!(challenge.contains(r#"scope="orders:read""#), "{challenge}");
}

#[test]
fn without_an_authorization_server_there_is_none() {
    let lab = lab(protection(ApiKeys::new()));
    assert_eq!(lab.bare("GET", &format!("{PATH}/mcp")).send().status, 404);
}

#[tokio::test]
async fn a_mounted_service_offers_it_separately() -> Result<(), Infallible> {
    let service = shop::service();
    let open = HttpService::new(&service);
    assert_eq!(open.metadata_path(), None);
    let get = || Request::get("https://shop.example/anything").body(String::new()).expect("a request");
    assert_eq!(open.metadata().call(get()).await?.status(), StatusCode::NOT_FOUND);

    let protected = HttpService::with_config(&service, HttpConfig::new().protect(named(RESOURCE)));
    assert_eq!(protected.metadata_path(), Some("/.well-known/oauth-protected-resource/mcp"));
    let response = protected.metadata().call(get()).await?;
    assert_eq!(response.status(), StatusCode::OK);
    assert_eq!(response.headers()["access-control-allow-origin"], "*");
    let refused =
        protected.clone().call(Request::get("http://localhost/mcp").body(String::new()).expect("a request"));
    assert_eq!(refused.await?.status(), StatusCode::UNAUTHORIZED);
    Ok(())
}
