//! A WebSocket at a protected endpoint: the request that opens it has the token, and that goes for the socket.

use std::io::{Read, Write};
use std::net::TcpStream;

use serde_json::{Value, json};
use test_authorization::shop::{self, protected};
use test_http::client::Call;
use test_http::lab::with_meta;
use tokio::sync::oneshot;
use toolwright::auth::ApiKeys;
use toolwright::{HttpConfig, transport::WebSocket};

const READER: &str = "key-of-the-reader-0123456789";

/// Runs a test against a server with this configuration.
async fn with_server(config: HttpConfig, test: impl FnOnce(Call) + Send + 'static) {
    let server = WebSocket::bind("127.0.0.1:0").expect("a free port").config(config);
    let address = server.local_addr().expect("an address");
    let (ended, end) = oneshot::channel::<()>();
    let client = tokio::task::spawn_blocking(move || {
        test(
            Call::new(address, "GET", "/mcp")
                .header("Connection", "Upgrade")
                .header("Upgrade", "websocket")
                .header("Sec-WebSocket-Version", "13")
                .header("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="),
        );
        drop(ended);
    });
    let shutdown = async {
        // The test is over when the sender is gone.
        let _ = end.await;
    };
    shop::service().serve_until(server, shutdown).await.expect("served");
    client.await.expect("the test passes");
}

/// Sends a request in a frame with a mask of zeros, and reads the frame that answers it.
fn ask(stream: &mut TcpStream, method: &str, params: &Value) -> Value {
    let request =
        json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": with_meta(params)}).to_string();
    let length = u16::try_from(request.len()).expect("a short request").to_be_bytes();
    let head = [&[0x81, 0x80 | 0x7e], &length[..], &[0; 4]].concat();
    stream.write_all(&[&head, request.as_bytes()].concat()).expect("sent");
    let mut head = [0; 2];
    stream.read_exact(&mut head).expect("a frame");
    let length = match head[1] {
        126 => {
            let mut length = [0; 2];
            stream.read_exact(&mut length).expect("a length");
            usize::from(u16::from_be_bytes(length))
        }
        short => usize::from(short),
    };
    let mut text = vec![0; length];
    stream.read_exact(&mut text).expect("a string");
    serde_json::from_slice(&text).expect("JSON")
}

fn names(answer: &Value) -> Vec<&str> {
    let tools = answer["result"]["tools"].as_array().expect("a list");
    tools.iter().filter_map(|tool| tool["name"].as_str()).collect()
}

#[tokio::test]
async fn a_socket_opens_with_a_token_and_obeys_its_scopes() {
    let keys = ApiKeys::new().key("reader", READER, ["orders:read"]).expect("a good key");
    with_server(protected(keys), |open| {
        for call in [open.clone(), open.clone().header("Authorization", "Bearer made-up")] {
            let refused = call.send();
            assert_eq!(refused.status, 401);
            assert!(refused.header("www-authenticate").is_some_and(|value| value.starts_with("Bearer ")));
        }
        let opened = open.header("Authorization", &format!("Bearer {READER}")).send();
        assert_eq!(opened.status, 101);
        let mut stream = opened.into_stream();
        assert_eq!(names(&ask(&mut stream, "tools/list", &json!({}))), ["list_orders", "whoami"]);
        let call = json!({"name": "whoami", "arguments": {}});
        let who = ask(&mut stream, "tools/call", &call);
        assert_eq!(who["result"]["structuredContent"]["subject"], "reader");
        let call = json!({"name": "cancel_order", "arguments": {"region": "north"}});
        let refused = ask(&mut stream, "tools/call", &call);
        let message = refused["error"]["message"].as_str().expect("an error");
        assert!(message.contains("orders:write orders:cancel"), "{message}");
    })
    .await;
}

#[tokio::test]
async fn sockets_without_a_token_hide_tools_that_need_scopes() {
    with_server(HttpConfig::new(), |open| {
        let mut stream = open.send().into_stream();
        assert_eq!(names(&ask(&mut stream, "tools/list", &json!({}))), ["whoami"]);
        let call = json!({"name": "list_orders", "arguments": {}});
        assert_eq!(ask(&mut stream, "tools/call", &call)["error"]["message"], "unknown tool: list_orders");
    })
    .await;
}
