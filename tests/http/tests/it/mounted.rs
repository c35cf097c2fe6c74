//! The service without its server, as `tower` stacks call it.

use std::convert::Infallible;

use http::{Request, StatusCode, Version};
use serde_json::json;
use test_http::lab::{MODERN, with_meta};
use toolwright::{HttpService, Limits};
use tower_service::Service as _;

/// Sends a call whose body type is `String`.
async fn status(service: &mut HttpService, uri: &str) -> Result<StatusCode, Infallible> {
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": with_meta(&json!({}))});
    let request = Request::post(uri)
        .version(Version::HTTP_2)
        .header("content-type", "application/json")
        .header("mcp-protocol-version", MODERN)
        .header("mcp-method", "tools/list")
        .body(body.to_string())
        .expect("a request");
    Ok(service.call(request).await?.status())
}

// As reported in joshrotenberg/tower-mcp#796.
#[tokio::test]
async fn the_host_of_http_2_is_checked_under_any_prefix() -> Result<(), Infallible> {
    let mut service = HttpService::new(&test_protocol::tools::service(Limits::default()));
    assert_eq!(status(&mut service, "http://localhost:8080/gw/mcp").await?, StatusCode::OK);
    assert_eq!(status(&mut service, "http://attacker.example/gw/mcp").await?, StatusCode::FORBIDDEN);
    Ok(())
}
