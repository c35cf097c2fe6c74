//! The official Python client at a protected server: from the challenge by the metadata to a token, and on to a token with
//! more scopes when a call needs them.

use serde_json::{Value, json};
use test_authorization::authorization_server::{AuthorizationServer, CLIENT};
use test_authorization::clock::TestClock;
use test_authorization::shop;
use tokio::process::Command;
use toolwright::auth::{JwtVerifier, Protection};
use toolwright::{Http, HttpConfig};

use crate::process::run_ok;
use crate::servers::{installed, script};

/// What the client reports: the revision, the tools that it saw before and after the call of `list_orders`, the result
/// of that, and the scopes of the tokens that it got on the way.
async fn run(mode: &str) -> Value {
    let server = AuthorizationServer::start();
    let http = Http::bind("127.0.0.1:0").expect("a free port");
    let url = format!("http://{}/mcp", http.local_addr().expect("an address"));
    let verifier = JwtVerifier::new(&server.issuer(), &url).expect("an issuer");
    let protection = Protection::new(&url, verifier.clock(TestClock::default().reader()))
        .and_then(|protection| protection.authorization_server(&server.issuer()))
        .expect("addresses")
        .scopes_supported(["profile"]);
    let serving = async move {
        let http = http.config(HttpConfig::new().protect(protection));
        shop::service().serve(http).await
    };
    // Ended with the test's runtime.
    tokio::spawn(serving);
    let plan = json!({
        "url": url, "issuer": server.issuer(), "clientId": CLIENT.0, "clientSecret": CLIENT.1, "mode": mode,
    });
    let mut command = Command::new(installed("python-v2").join("bin/python"));
    command.arg(script("python/oauth.py")).arg(plan.to_string());
    serde_json::from_str(&run_ok(&mut command).await).expect("a report")
}

fn expected(protocol: &str) -> Value {
    json!({
        "protocol": protocol,
        "before": ["whoami"],
        "result": "order 1",
        "after": ["list_orders", "whoami"],
        "scopes": ["profile", "profile orders:read"],
    })
}

#[tokio::test]
async fn python_2_gets_a_token_and_steps_up_in_the_modern_era() {
    assert_eq!(run("auto").await, expected("2026-07-28"));
}

// As reported in anthropics/claude-code#92518.
#[tokio::test]
async fn python_2_does_so_in_the_legacy_era_within_one_session() {
    assert_eq!(run("legacy").await, expected("2025-11-25"));
}
