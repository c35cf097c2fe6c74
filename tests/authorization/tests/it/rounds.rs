//! Calls that ask before they end: their state belongs to the principal whose call it is.

use serde_json::{Value, json};
use test_authorization::authorization_server::AuthorizationServer;
use test_authorization::clock::TestClock;
use test_authorization::shop::{RESOURCE, protected};
use test_http::client::Call;
use test_http::lab::{Lab, MODERN};
use test_protocol::dialog::{everything, next_round};
use test_protocol::input_requests;
use toolwright::auth::JwtVerifier;

fn call(lab: &Lab, token: &str, params: &Value) -> Call {
    let mut params = params.clone();
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": MODERN,
        "io.modelcontextprotocol/clientCapabilities": everything(),
    });
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params});
    lab.modern("tools/call", &params).body(&body).header("Authorization", &format!("Bearer {token}"))
}

#[test]
fn another_principals_state_is_refused() {
    let server = AuthorizationServer::start();
    let verifier = JwtVerifier::new(&server.issuer(), RESOURCE).expect("an issuer");
    let service = input_requests::server().build().expect("the tools are right");
    let lab = Lab::serve(service, protected(verifier.clock(TestClock::default().reader())));
    let [ada, renewed, eve] = [("ada", "a"), ("ada", "b"), ("eve", "a")]
        .map(|(subject, scope)| server.sign(server.token().claim("sub", subject).scope(scope)));
    let first = json!({"name": "folders", "arguments": {}});
    let asked = call(&lab, &ada, &first).send().json();
    assert_eq!(asked["result"]["resultType"], "input_required");
    let second = next_round(&first, &asked, |_| json!({"roots": [{"uri": "file:///a", "name": "A"}]}));
    let mut stolen = call(&lab, &eve, &second).send();
    assert_eq!((stolen.status, &stolen.json()["error"]["code"]), (400, &json!(-32602)));
    for token in [&ada, &renewed] {
        let answer = call(&lab, token, &second).send().json();
        assert_eq!(
            answer["result"]["content"][0]["text"], "A=file:///a",
            "a new token is of the same principal"
        );
    }
}
