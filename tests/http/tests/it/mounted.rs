//! The service without its server, as `tower` stacks call it.

use std::convert::Infallible;

use axum::Router;
use axum::routing::get;
use http::{Request, StatusCode, Version};
use serde_json::json;
use test_http::lab::{MODERN, with_meta};
use toolwright::auth::{ApiKeys, Protection};
use toolwright::{HttpConfig, HttpService, Limits, shutdown_signal};
use tower_service::Service as _;

/// A call whose body type is `String`.
fn request(uri: &str) -> Request<String> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": with_meta(&json!({}))});
    Request::post(uri)
        .version(Version::HTTP_2)
        .header("content-type", "application/json")
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", "tools/list")
        .body(body.to_string())
        .expect("a request")
}

async fn status(service: &mut HttpService, uri: &str) -> Result<StatusCode, Infallible> {
    Ok(service.call(request(uri)).await?.status())
}

// As reported in joshrotenberg/tower-mcp#796.
#[tokio::test]
async fn the_host_of_http_2_is_checked_under_any_prefix() -> Result<(), Infallible> {
    let mut service = HttpService::new(&test_protocol::tools::service(Limits::default()));
    assert_eq!(status(&mut service, "http://localhost:8080/gw/mcp").await?, StatusCode::OK);
    assert_eq!(status(&mut service, "http://attacker.example/gw/mcp").await?, StatusCode::FORBIDDEN);
    Ok(())
}

#[tokio::test]
async fn a_router_has_both_spellings_of_the_path() -> Result<(), Infallible> {
    let mcp = HttpService::new(&test_protocol::tools::service(Limits::default()));
    for (path, found, missing) in [
        ("/mcp", ["/mcp", "/mcp/"], "/other"),
        ("tools/mcp/", ["/tools/mcp", "/tools/mcp/"], "/tools"),
        ("/", ["/", "/"], "/mcp"),
    ] {
        let mut app: Router = Router::new().route("/page", get(async || "a page")).merge(mcp.router(path));
        for uri in found {
            let uri = format!("http://localhost:8080{uri}");
            assert_eq!(app.call(request(&uri)).await?.status(), StatusCode::OK, "{uri}");
        }
        let uri = format!("http://localhost:8080{missing}");
        assert_eq!(app.call(request(&uri)).await?.status(), StatusCode::NOT_FOUND, "{uri}");
    }
    Ok(())
}

#[tokio::test]
async fn a_router_has_the_metadata_of_a_protected_endpoint() -> Result<(), Infallible> {
    let service = test_protocol::tools::service(Limits::default());
    let keys = ApiKeys::new().key("ada", "key-of-ada-0123456789abcdef", ["read"]).expect("a key");
    let protection = Protection::new("https://tools.example/mcp", keys)
        .and_then(|protection| protection.authorization_server("https://login.example"))
        .expect("a protection");
    let mcp = HttpService::with_config(&service, HttpConfig::new().protect(protection));
    let mut app: Router = mcp.router("/mcp");
    let uri = "http://tools.example/.well-known/oauth-protected-resource/mcp";
    let found = app.call(Request::get(uri).body(String::new()).expect("a request")).await?;
    assert_eq!(found.status(), StatusCode::OK);
    Ok(())
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn sigterm_is_seen_from_the_call_on() {
    use std::time::Duration;

    const SIGTERM: u64 = 1 << (15 - 1);
    let is_caught = || {
        let status = std::fs::read_to_string("/proc/self/status").expect("a status");
        let caught = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).expect("the signals");
        u64::from_str_radix(caught.trim(), 16).expect("a mask") & SIGTERM != 0
    };
    assert!(!is_caught());
    let asked = shutdown_signal();
    assert!(is_caught());
    let waiting = tokio::spawn(asked);
    tokio::task::yield_now().await;
    assert!(!waiting.is_finished());
    let id = std::process::id().to_string();
    assert!(std::process::Command::new("kill").args(["-TERM", &id]).status().expect("kill").success());
    tokio::time::timeout(Duration::from_secs(20), waiting).await.expect("it is seen").expect("no panic");
}
