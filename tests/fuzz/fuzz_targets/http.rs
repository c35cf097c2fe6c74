//! Any method, headers and body: there is a valid response, and the server continues.

#![no_main]

use http::StatusCode;
use http::header::ORIGIN;
use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::Value;
use toolwright_fuzz::answer::messages;
use toolwright_fuzz::request::Written;
use toolwright_fuzz::server::Endpoint;

const INITIALIZE: &[u8] = b"POST
Content-Type: application/json
Accept: application/json, text/event-stream

{\"jsonrpc\":\"2.0\",\"id\":0,\"method\":\"initialize\",\"params\":{\"protocolVersion\":\"2025-03-26\",\"capabilities\":{},\"clientInfo\":{\"name\":\"f\",\"version\":\"1\"}}}";

const PING: &[u8] = b"POST
Content-Type: application/json
Accept: application/json, text/event-stream

{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}";

fuzz_target!(|input: &[u8]| -> Corpus {
    let mut endpoint = Endpoint::new();
    let opened = endpoint.send(Written::read(INITIALIZE, "").expect("a request").to_request());
    let session = opened.headers()["mcp-session-id"].to_str().expect("an id is text");
    let Some(written) = Written::read(input, session) else { return Corpus::Reject };
    let response = endpoint.send(written.to_request());
    let messages = messages(&response);
    for origin in written.values(&ORIGIN) {
        if origin.as_bytes().starts_with(b"http://evil") {
            assert_eq!(response.status(), StatusCode::FORBIDDEN);
        }
    }
    // The response belongs to the request.
    if let Ok(asked) = serde_json::from_slice::<Value>(written.body)
        && asked.is_object()
    {
        for message in messages.iter().filter(|message| message.get("method").is_none()) {
            let id = message.get("id").unwrap_or(&Value::Null);
            assert!(id.is_null() || Some(id) == asked.get("id"), "{message} answers {asked}");
        }
    }
    let alive = endpoint.send(Written::read(PING, "").expect("a request").to_request());
    assert_eq!(alive.status(), StatusCode::OK);
    Corpus::Keep
});
