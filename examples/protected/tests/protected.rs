//! The program against a small authorization server.

use std::io::{BufRead, BufReader, Read};
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};
use test_authorization::authorization_server::{AUTHORITY, AuthorizationServer};
use test_authorization::token::Token;
use test_http::client::Call;
use test_http::lab::{MODERN, with_meta};

const RESOURCE: &str = "http://127.0.0.1/mcp";

/// The running program; it ends with the test.
struct Program {
    process: Child,
    output: BufReader<std::process::ChildStderr>,
    address: SocketAddr,
}

impl Program {
    fn start(issuer: &str) -> Self {
        Self::start_trusting(issuer, None)
    }

    /// Starts it with this certificate file instead of the system's.
    fn start_trusting(issuer: &str, certificates: Option<&str>) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_protected"));
        if let Some(certificates) = certificates {
            command.env("SSL_CERT_FILE", certificates);
        }
        let mut process = command
            .args(["127.0.0.1:0", RESOURCE, issuer])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let mut output = BufReader::new(process.stderr.take().expect("piped"));
        let mut line = String::new();
        output.read_line(&mut line).expect("a line");
        let address = line.trim().strip_prefix("listening on ").expect("an address");
        Self { address: address.parse().expect("an address"), process, output }
    }

    fn request(&self, token: &str, method: &str, params: &Value) -> Call {
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params)});
        let call = Call::new(self.address, "POST", "/mcp")
            .header("Content-Type", "application/json")
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", method)
            .header("Authorization", &format!("Bearer {token}"))
            .validate_as(MODERN, method)
            .body(&body);
        match params["name"].as_str() {
            Some(name) => call.header("Mcp-Name", name),
            None => call,
        }
    }

    fn call(&self, token: &str, tool: &str, arguments: &Value) -> Call {
        self.request(token, "tools/call", &json!({"name": tool, "arguments": arguments}))
    }

    /// Stops the program and returns everything that it wrote to its streams.
    fn end(mut self) -> String {
        self.process.kill().expect("it ran to the end of the test");
        self.process.wait().expect("it has ended");
        let mut written = String::new();
        self.output.read_to_string(&mut written).expect("text");
        let mut stdout = self.process.stdout.take().expect("piped");
        stdout.read_to_string(&mut written).expect("text");
        written
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // It may have ended already.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A token that is good for ten minutes.
fn token(server: &AuthorizationServer, subject: &str, scope: &str) -> Token {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_secs();
    let token = server.token().claim("aud", RESOURCE).claim("sub", subject);
    token.claim("iat", now).claim("exp", now + 600).scope(scope)
}

#[test]
fn customers_see_their_own_orders_and_no_token_leaks() {
    let server = AuthorizationServer::start();
    let program = Program::start(&server.issuer());
    let ada = server.sign(token(&server, "ada", "orders:write"));
    let bob = server.sign(token(&server, "bob", "orders:read"));
    let text = |call: Call| call.send().json()["result"]["content"][0]["text"].take();
    assert_eq!(text(program.call(&ada, "place_order", &json!({"item": "apples"}))), "order 1 of yours");
    assert_eq!(text(program.call(&ada, "list_orders", &json!({}))), "apples", "writing includes reading");
    assert_eq!(text(program.call(&bob, "list_orders", &json!({}))), "");

    let expired = server.sign(token(&server, "ada", "orders:write").claim("exp", 1));
    let wrong = server.sign(token(&server, "ada", "orders:write").claim("aud", "https://other.example"));
    let broken = format!("{}x", &ada[..ada.len() - 8]);
    let mut told = String::new();
    for (token, status) in [(&bob, 403), (&expired, 401), (&wrong, 401), (&broken, 401), (&ada, 200)] {
        let mut response = program.call(token, "place_order", &json!({"item": "pears"})).send();
        assert_eq!(response.status, status);
        told += response.header("www-authenticate").unwrap_or_default();
        told += &response.text();
    }
    // The message of a panic, a body that is not a message, a URL with a token in it.
    let mut broken_body = program.request(&ada, "tools/list", &json!({})).raw_body(b"{").send();
    told += &broken_body.text();
    let mut in_query = Call::new(program.address, "POST", &format!("/mcp?access_token={ada}")).send();
    told += &in_query.text();
    let mut document = Call::new(program.address, "GET", "/.well-known/oauth-protected-resource/mcp").send();
    let document = document.text();
    assert!(document.contains(r#""scopes_supported":["orders:read","orders:write"]"#), "{document}");

    told += &program.end();
    assert!(told.contains("a token was refused: the token has expired"), "{told}");
    for token in [&ada, &bob, &expired, &wrong, &broken] {
        for part in token.split('.') {
            assert!(!told.contains(part), "punkpeye/mcp-remote#268: a part of a token was written");
        }
    }
}

#[test]
fn keys_are_fetched_over_tls_from_a_server_that_is_trusted() {
    let server = AuthorizationServer::start_with_tls();
    let token = server.sign(token(&server, "ada", "orders:read"));
    let trusting = Program::start_trusting(&server.issuer(), Some(AUTHORITY));
    assert_eq!(trusting.call(&token, "list_orders", &json!({})).send().status, 200);
    let other = Program::start(&server.issuer());
    assert_eq!(other.call(&token, "list_orders", &json!({})).send().status, 503);
    assert!(other.end().contains("a token was refused: the keys of the issuer cannot be fetched"));
}

#[test]
fn the_program_says_what_is_wrong_with_its_arguments() {
    for (arguments, expected) in [
        (&["127.0.0.1:0"][..], "ADDRESS RESOURCE ISSUER"),
        (&["127.0.0.1:0", "${RESOURCE}", "https://login.example"], "is not a valid resource identifier"),
        (
            &["127.0.0.1:0", "https://shop.example/mcp", "http://login.example"],
            "`http` is allowed for loopback hosts only",
        ),
    ] {
        let output =
            Command::new(env!("CARGO_BIN_EXE_protected")).args(arguments).output().expect("it starts");
        assert!(!output.status.success());
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(text.contains(expected), "{text}");
    }
}
