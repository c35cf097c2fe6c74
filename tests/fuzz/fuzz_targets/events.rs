//! Any text on its way through an event stream: a reader that follows the WHATWG's text gets it back.

#![no_main]

use http::StatusCode;
use libfuzzer_sys::fuzz_target;
use serde_json::json;
use toolwright_fuzz::answer::messages;
use toolwright_fuzz::request::Written;
use toolwright_fuzz::server::Endpoint;

const HEAD: &str = "POST
Content-Type: application/json
Accept: application/json, text/event-stream
MCP-Protocol-Version: 2026-07-28
Mcp-Method: tools/call
Mcp-Name: say

";

fuzz_target!(|text: &str| {
    let body = json!({
        "jsonrpc": "2.0",
        "id": text,
        "method": "tools/call",
        "params": {
            "name": "say",
            "arguments": {"text": text},
            "_meta": {
                "io.modelcontextprotocol/protocolVersion": "2026-07-28",
                "io.modelcontextprotocol/clientCapabilities": {},
                "io.modelcontextprotocol/logLevel": "debug",
            },
        },
    });
    let input = format!("{HEAD}{body:#}");
    let response = Endpoint::new().send(Written::read(input.as_bytes(), "").expect("a request").to_request());
    assert_eq!(response.status(), StatusCode::OK);
    let messages = messages(&response);
    let [log, answer] = &messages[..] else { panic!("{messages:?}") };
    assert_eq!(log["params"]["data"], text);
    assert_eq!(answer["id"], text);
    assert_eq!(answer["result"]["content"][0]["text"], text);
});
