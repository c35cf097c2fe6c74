//! For any input, the server answers what can be answered, and continues.

use std::time::Duration;

use serde_json::{Value, json};
use test_protocol::peer::Peer;

const SERVER: &str = env!("CARGO_BIN_EXE_protocol-server");

/// The expected response to a line.
enum Answer {
    /// An error with this code and this id (none: absent).
    Error(i64, Option<Value>),
    /// A result for this id.
    Result(Value),
    /// Nothing at all.
    Nothing,
}
use Answer::{Error, Nothing, Result};

const META: &str = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#;

/// Every line is sent to a fresh server; then a call must be answered.
#[test]
fn every_odd_line_has_its_answer_and_the_server_goes_on() {
    let call = |id: &str, rest: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{{rest},{META}}}}}"#)
    };
    let odd = |method: &str, rest: &str| {
        format!(r#"{{"jsonrpc":"2.0","id":7,"method":"{method}","params":{{{rest},{META}}}}}"#).into_bytes()
    };
    let cases: Vec<(&str, Vec<u8>, Answer)> = vec![
        ("std_01 not JSON", b"not json".to_vec(), Error(-32700, None)),
        ("std_01 half a message", br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":"#.to_vec(), Error(-32700, None)),
        ("invalid UTF-8", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\xfe\"}".to_vec(), Error(-32700, Some(json!(1)))),
        ("a number", b"42".to_vec(), Error(-32600, None)),
        ("a string", b"\"ping\"".to_vec(), Error(-32600, None)),
        ("null", b"null".to_vec(), Error(-32600, None)),
        ("an empty object", b"{}".to_vec(), Error(-32600, None)),
        ("no method", br#"{"jsonrpc":"2.0","id":7}"#.to_vec(), Error(-32600, Some(json!(7)))),
        ("a method that is not a string", br#"{"jsonrpc":"2.0","id":7,"method":1}"#.to_vec(), Error(-32600, Some(json!(7)))),
        ("no version of JSON-RPC", br#"{"id":7,"method":"ping"}"#.to_vec(), Error(-32600, Some(json!(7)))),
        ("version 1.0 of JSON-RPC", br#"{"jsonrpc":"1.0","id":7,"method":"ping"}"#.to_vec(), Error(-32600, Some(json!(7)))),
        ("two ids", br#"{"jsonrpc":"2.0","id":7,"id":8,"method":"ping"}"#.to_vec(), Error(-32600, None)),
        ("params as an array", br#"{"jsonrpc":"2.0","id":7,"method":"ping","params":[1]}"#.to_vec(), Error(-32602, Some(json!(7)))),
        ("rpc_02 id as an array", br#"{"jsonrpc":"2.0","id":[],"method":"ping"}"#.to_vec(), Error(-32600, None)),
        ("rpc_02 id null", br#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#.to_vec(), Error(-32600, None)),
        ("rpc_02 id with a fraction", br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#.to_vec(), Error(-32600, None)),
        ("rpc_02 id as an object", br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#.to_vec(), Error(-32600, None)),
        ("rpc_02 id as a boolean", br#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#.to_vec(), Error(-32600, None)),
        ("rpc_06 an empty batch", b"[]".to_vec(), Error(-32600, None)),
        ("rpc_06 a batch", br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#.to_vec(), Error(-32600, None)),
        ("half a batch", b"[1,".to_vec(), Error(-32700, None)),
        ("ping before initialize", br#"{"jsonrpc":"2.0","id":"p","method":"ping"}"#.to_vec(), Result(json!("p"))),
        ("an unknown method", format!(r#"{{"jsonrpc":"2.0","id":7,"method":"no/such","params":{{{META}}}}}"#).into_bytes(), Error(-32601, Some(json!(7)))),
        ("a request of no revision", br#"{"jsonrpc":"2.0","id":7,"method":"tools/list"}"#.to_vec(), Error(-32602, Some(json!(7)))),
        ("an unknown notification", br#"{"jsonrpc":"2.0","method":"no/such"}"#.to_vec(), Nothing),
        ("a notification with bad params", br#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":{}}}"#.to_vec(), Nothing),
        ("a response to nothing", br#"{"jsonrpc":"2.0","id":424242,"result":{}}"#.to_vec(), Nothing),
        ("an error to nothing", br#"{"jsonrpc":"2.0","id":424242,"error":{"code":1,"message":"x"}}"#.to_vec(), Nothing),
        ("std_04 a blank line", b"   ".to_vec(), Nothing),
        ("std_04 CR LF", b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\r".to_vec(), Result(json!(1))),
        ("std_02 a byte order mark", b"\xEF\xBB\xBF{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}".to_vec(), Result(json!(1))),
        ("a NUL", b"\0".to_vec(), Error(-32700, None)),
        ("deep nesting", "[".repeat(100_000).into_bytes(), Error(-32700, None)),
        ("arg_05 an unknown tool", call("11", r#""name":"no_such_tool""#).into_bytes(), Error(-32602, Some(json!(11)))),
        ("a call without a name", call("11", r#""arguments":{}"#).into_bytes(), Error(-32602, Some(json!(11)))),
        ("arg_02 arguments as a string", call("5", r#""name":"echo","arguments":"{\"title\": ""#).into_bytes(), Error(-32602, Some(json!(5)))),
        ("arguments as an array", call("5", r#""name":"echo","arguments":[]"#).into_bytes(), Error(-32602, Some(json!(5)))),
        ("arg_03 no arguments", call("8", r#""name":"echo""#).into_bytes(), Result(json!(8))),
        ("deeply nested arguments", call("8", &format!(r#""name":"echo","arguments":{{"text":{}{}}}"#, "[".repeat(5000), "]".repeat(5000))).into_bytes(), Result(json!(8))),
        ("f_27 a panic at once", call("9", r#""name":"panic""#).into_bytes(), Error(-32603, Some(json!(9)))),
        ("f_27 a panic later", call("9", r#""name":"panic","arguments":{"later":true}"#).into_bytes(), Error(-32603, Some(json!(9)))),
        ("a progress token that is none", br#"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"nothing","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"progressToken":{}}}}"#.to_vec(), Error(-32602, Some(json!(7)))),
        ("a level that is none", br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{},"io.modelcontextprotocol/logLevel":"loud"}}}"#.to_vec(), Error(-32602, Some(json!(7)))),
        ("a cursor that is none", format!(r#"{{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{{"cursor":"x",{META}}}}}"#).into_bytes(), Error(-32602, Some(json!(7)))),
        ("a prompt without a name", odd("prompts/get", r#""name":[]"#), Error(-32602, Some(json!(7)))),
        ("a prompt that panics", odd("prompts/get", r#""name":"ending","arguments":{"how":"panic"}"#), Error(-32603, Some(json!(7)))),
        ("a resource without an address", odd("resources/read", r#""uri":{}"#), Error(-32602, Some(json!(7)))),
        ("a resource that panics later", odd("resources/read", r#""uri":"lab://endings/late_panic""#), Error(-32603, Some(json!(7)))),
        ("an address with half a character", odd("resources/read", r#""uri":"lab://items/%e2%82/data""#), Error(-32602, Some(json!(7)))),
        ("a completion of nothing", odd("completion/complete", r#""ref":[],"argument":null"#), Error(-32602, Some(json!(7)))),
        ("a filter that is none", odd("subscriptions/listen", r#""notifications":{"resourceSubscriptions":{}}"#), Error(-32602, Some(json!(7)))),
        ("_meta that is none", br#"{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{"_meta":1}}"#.to_vec(), Error(-32602, Some(json!(7)))),
    ];
    for (name, line, answer) in cases {
        println!("{name}");
        let mut peer = Peer::start(SERVER, &[]);
        if let Ok(line) = std::str::from_utf8(&line) {
            peer.send(line);
        } else {
            peer.send_bytes(&[line.as_slice(), b"\n"].concat());
        }
        match answer {
            Error(code, id) => {
                let message = peer.message();
                assert_eq!(message["error"]["code"], code, "{name}: {message}");
                assert_eq!(message.get("id").cloned(), id, "{name}: {message}");
                assert!(!message.to_string().contains("secret reason"), "a panic's text is not sent");
            }
            Result(id) => {
                let message = peer.message();
                assert_eq!(message["id"], id, "{name}: {message}");
                assert!(message.get("result").is_some(), "{name}: {message}");
            }
            Nothing => {}
        }
        peer.assert_alive();
    }
}

// As reported in rust-mcp-stack/rust-mcp-sdk#151, openai/codex#31805.
#[test]
fn a_line_without_an_end_is_dropped_in_bounded_memory() {
    let mut peer = Peer::start(SERVER, &[("MAX_BYTES", "1000000")]);
    peer.send(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#);
    let chunk = vec![b'a'; 1 << 20];
    for _ in 0..200 {
        peer.send_bytes(&chunk);
    }
    peer.send_bytes(b"\n");
    assert_eq!(peer.message()["id"], 1);
    assert_eq!(peer.message()["error"]["code"], -32700);
    peer.assert_alive();
    assert!(peer.peak_memory_kib() < 50 << 10, "200 MiB went through a limit of 1 MB");
}

/// No more than the maximum of a batch is stored, whether or not the revision supports batches.
#[test]
fn a_batch_of_megabytes_is_refused_in_bounded_memory() {
    let batch = format!("[{}1]", "1,".repeat(7 << 20));
    for revision in ["2025-03-26", "2025-06-18", "2026-07-28"] {
        let mut peer = Peer::start_at(SERVER, revision);
        peer.send_bytes(format!("{batch}\n").as_bytes());
        assert_eq!(peer.message()["error"]["code"], -32600, "{revision}");
        peer.assert_alive();
        let peak = peer.peak_memory_kib() >> 10;
        assert!(peak < 90, "{revision}: 14 MiB were read with {peak}");
    }
}

// As reported in TokenRhythm/opensquilla#953, ruvnet/ruflo#2426.
#[test]
fn large_but_legal_messages_pass_also_to_a_slow_reader() {
    let mut peer = Peer::start(SERVER, &[]);
    let text = "ä\"\n".repeat(1 << 20);
    peer.call(&json!(1), "echo", &json!({"text": text}));
    // The pipe holds 64 KiB: the server is writing while the peer does not read.
    std::thread::sleep(Duration::from_millis(300));
    assert_eq!(peer.message()["result"]["content"][0]["text"], text);
}

// As reported in webstudio-is/webstudio#6066.
#[test]
fn half_a_message_and_a_message_byte_by_byte() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.send_bytes(br#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"na"#);
    std::thread::sleep(Duration::from_secs(2));
    peer.send("");
    peer.send(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#);
    assert_eq!(peer.message()["error"]["code"], -32700);
    assert_eq!(peer.message()["id"], 2);
    peer.speak("2025-11-25");
    for byte in
        b"{\"jsonrpc\":\"2.0\",\"id\":3,\"method\":\"tools/call\",\"params\":{\"name\":\"nothing\"}}\n"
    {
        peer.send_bytes(&[*byte]);
    }
    assert_eq!(peer.message()["id"], 3);
}

const CALLS: usize = 10_000;

#[test]
fn ten_thousand_calls_in_a_row_are_all_answered() {
    let mut peer = Peer::start(SERVER, &[]);
    let mut lines = Vec::new();
    for id in 0..CALLS {
        let tool = if id % 10 == 0 { "sleep" } else { "add" };
        let arguments = if id % 10 == 0 { json!({"ms": 1}) } else { json!({"a": 1, "b": id}) };
        let params = peer.with_meta(json!({"name": tool, "arguments": arguments}));
        lines.push(json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string());
    }
    // All are sent before the first answer is read.
    peer.send_bytes((lines.join("\n") + "\n").as_bytes());
    let mut seen = vec![false; CALLS];
    for _ in 0..CALLS {
        let message = peer.message();
        let id = usize::try_from(message["id"].as_u64().expect("an id")).expect("small");
        assert!(!std::mem::replace(&mut seen[id], true), "two answers for {id}");
        assert!(message.get("result").is_some(), "{message}");
    }
}

#[test]
fn more_calls_than_the_limit_are_answered_at_once() {
    let mut peer = Peer::start(SERVER, &[("MAX_CALLS", "2")]);
    for id in 1..=3 {
        peer.call(&json!(id), "sleep", &json!({"ms": 300}));
    }
    let first = peer.message();
    assert_eq!((&first["id"], &first["error"]["code"]), (&json!(3), &json!(-32603)), "{first}");
    assert!(first["error"]["message"].as_str().expect("a string").contains("2 calls"), "{first}");
    let mut others = [peer.message()["id"].clone(), peer.message()["id"].clone()];
    others.sort_by_key(Value::as_u64);
    assert_eq!(others, [json!(1), json!(2)]);
    peer.assert_alive();
}

#[test]
fn a_handler_that_blocks_does_not_stop_the_others() {
    let mut peer = Peer::start(SERVER, &[]);
    peer.call(&json!("blocked"), "block", &json!({"ms": 1500}));
    peer.call(&json!("free"), "add", &json!({"a": 1, "b": 2}));
    peer.call(&json!("waits"), "sleep", &json!({"ms": 10}));
    let order: Vec<Value> = (0..3).map(|_| peer.message()["id"].clone()).collect();
    assert_eq!(order, [json!("free"), json!("waits"), json!("blocked")]);
    peer.assert_alive();
}

#[test]
fn a_handler_slower_than_its_deadline_is_a_result_with_is_error() {
    let mut peer = Peer::start(SERVER, &[("TIMEOUT_MS", "100")]);
    let result = peer.call_result("sleep", &json!({"ms": 60_000}));
    assert_eq!(result["isError"], true);
    let text = result["content"][0]["text"].as_str().expect("a string");
    assert!(text.contains("`sleep` did not finish within 0.1 s"), "{text}");
    peer.assert_alive();
}
