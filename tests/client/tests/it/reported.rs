//! Servers with faults from public issues, whose effects are limited.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use test_client::Events;
use test_client::http::{Fixture, echo, legacy, modern};
use toolwright_client::{Changes, Client, ErrorKind, ListedTool};

use super::check;

/// Progress extends the timeout of its own call, even without a handler (anomalyco/opencode#21701, anomalyco/opencode#32477).
/// Progress of other or completed calls does not.
#[tokio::test]
async fn progress_only_extends_its_own_call() {
    let server = Fixture::start(|request, reply| {
        if request.method() != "tools/call" {
            return modern(request, reply);
        }
        let params = &request.json()["params"];
        let token = &params["_meta"]["progressToken"];
        assert!(token.is_u64() || token.is_string(), "{params}");
        let is_own = params["arguments"]["text"] == "own";
        // The other call sends progress with the token of the first, which completes earlier.
        let token = if is_own { token.clone() } else { json!(1) };
        reply.events();
        for step in 1..=if is_own { 6 } else { 40 } {
            std::thread::sleep(Duration::from_millis(50));
            let params = json!({"progressToken": token, "progress": step});
            let report = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
            reply.chunk(&format!("data: {report}\n\n"));
        }
        let response = json!({"jsonrpc": "2.0", "id": request.id(), "result": echo(request)});
        reply.chunk(&format!("data: {response}\n\n"));
        reply.end();
    });
    let client = Client::connect(&*server.url).await.unwrap();
    let time_limit = Duration::from_millis(200);
    let start = Instant::now();
    let own = client.call("echo", json!({"text": "own"})).timeout(time_limit);
    let other = client.call("echo", json!({"text": "other"})).timeout(time_limit);
    let (own, other) = tokio::join!(own.into_future(), other.into_future());
    assert_eq!(own.unwrap().as_text(), "own");
    check(&other.unwrap_err(), ErrorKind::Timeout, &["tools/call"]);
    assert!(start.elapsed() < Duration::from_millis(1_900), "it was not extended");
    let tokens: Vec<Value> = server
        .requests()
        .iter()
        .filter(|request| request.method() == "tools/call")
        .map(|request| request.json()["params"]["_meta"]["progressToken"].clone())
        .collect();
    assert_eq!(tokens.len(), 2);
    assert_ne!(tokens[0], tokens[1]);
}

/// If a list cannot be fetched again, the old one remains, and the next attempt may succeed (aaif-goose/goose#10433,
/// anthropics/claude-code#79826). The server does not declare `listChanged`.
#[tokio::test]
async fn a_list_that_cannot_be_reread_stays_unchanged() {
    let lists = Arc::new(AtomicU32::new(0));
    let count = Arc::clone(&lists);
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/list" => match count.fetch_add(1, Ordering::SeqCst) {
            0 => reply.result(request, &json!({"tools": [{"name": "a", "inputSchema": {"type": "object"}}]})),
            1 => {
                let error = json!({"code": -32603, "message": "busy"});
                reply.json(200, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
            }
            _ => reply.result(request, &json!({"tools": [{"name": "b", "inputSchema": {"type": "object"}}]})),
        },
        "" if request.http_method == "GET" => {
            reply.events();
            std::thread::sleep(Duration::from_millis(200));
            let notice = json!({"jsonrpc": "2.0", "method": "notifications/tools/list_changed"});
            reply.chunk(&format!("data: {notice}\n\n"));
            reply.wait_for_end(Duration::from_secs(30));
        }
        _ => legacy(request, reply),
    });
    let client = Client::connect(&*server.url).await.unwrap();
    let mut watch = client.watch_tools().await.unwrap();
    let names = |tools: &[ListedTool]| tools.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
    check(&watch.changed().await.unwrap_err(), ErrorKind::Protocol, &["busy"]);
    assert_eq!(names(watch.items()), ["a"]);
    let call = client.call("a", json!({"text": "meanwhile"})).await.unwrap();
    assert_eq!(call.as_text(), "meanwhile");
    let change = watch.changed().await.unwrap();
    assert_eq!((names(&change.added), names(&change.removed)), (vec!["b".to_owned()], vec!["a".to_owned()]));
    assert_eq!(lists.load(Ordering::SeqCst), 3);
}

/// Only the stream is optional (modelcontextprotocol/python-sdk#3420).
#[tokio::test]
async fn a_missing_stream_is_requested_only_once() {
    for (status, media_type) in [
        (405, "text/plain"),
        (404, "text/plain"),
        (400, "application/json"),
        (501, "text/plain"),
        (200, "text/html"),
    ] {
        let server = Fixture::start(move |request, reply| {
            if request.http_method == "GET" {
                return reply.send(status, &[("Content-Type", media_type)], "<html>");
            }
            legacy(request, reply);
        });
        let events = Events::default();
        let client = events.builder().connect(&*server.url).await.unwrap();
        for _ in 0..2 {
            let _subscription = client.subscribe(Changes::new().tools()).await.unwrap();
            let call = client.call("echo", json!({"text": "hi"})).await.unwrap();
            assert_eq!(call.as_text(), "hi", "{status}");
        }
        tokio::time::sleep(Duration::from_millis(100)).await;
        let opened = server.methods().iter().filter(|method| *method == "GET").count();
        assert_eq!(opened, 1, "{status}");
        let warned = events.warnings().iter().filter(|text| text.contains("its event stream")).count();
        assert_eq!(warned, usize::from(status != 405), "{status}");
    }
}

/// A stream that always ends is opened again after a delay (modelcontextprotocol/python-sdk#3420).
#[tokio::test]
async fn a_stream_that_ends_is_always_reopened() {
    let server = Fixture::start(|request, reply| {
        if request.http_method == "GET" {
            reply.events();
            reply.chunk("retry: 50\ndata:\n\n");
            return reply.end();
        }
        legacy(request, reply);
    });
    let client = Client::connect(&*server.url).await.unwrap();
    let _subscription = client.subscribe(Changes::new().tools()).await.unwrap();
    tokio::time::sleep(Duration::from_millis(600)).await;
    let opened = server.methods().iter().filter(|method| *method == "GET").count();
    assert!((3..=13).contains(&opened), "opened {opened} times in 600 ms, with a delay of 50 ms");
    assert_eq!(client.call("echo", json!({"text": "hi"})).await.unwrap().as_text(), "hi");
}

/// A difficult schema affects at most its own tool (PrefectHQ/fastmcp#4306, openai/codex#4454,
/// anomalyco/opencode#49464).
#[tokio::test]
async fn difficult_schemas_affect_at_most_one_tool() {
    let tree = json!({"T": {"type": "object", "properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/T"}}}}});
    let valid = [
        ("rec", json!({"type": "object", "properties": {"t": {"$ref": "#/$defs/T"}}, "$defs": tree})),
        ("addl", json!({"type": "object", "additionalProperties": {"type": "string"}})),
        ("bools", json!({"type": "object", "properties": {"any": true, "never": false}})),
        ("noprops", json!({"type": "object"})),
        ("ok", json!({"type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"]})),
    ];
    let remote = json!({"x": {"$ref": "https://example.com/x.json"}});
    let unusual = [
        ("empty", json!({})),
        ("nullreq", json!({"type": "object", "properties": null, "required": null})),
        ("remote", json!({"type": "object", "properties": remote})),
    ];
    let mut tools: Vec<Value> = unusual
        .iter()
        .chain(&valid)
        .map(|(name, schema)| json!({"name": name, "inputSchema": schema}))
        .collect();
    tools.push(json!({"name": "noschema"}));
    tools[3]["outputSchema"] = json!({"$ref": "#/$defs/T", "$defs": tree});
    let page = json!({"tools": tools});
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/list" => reply.result(request, &page),
        _ => modern(request, reply),
    });
    let client = Client::connect(&*server.url).await.unwrap();
    let listed = client.list_tools().await.unwrap();
    for (name, schema) in &valid {
        let tool = listed.iter().find(|tool| tool.name() == *name).unwrap_or_else(|| panic!("no {name}"));
        let read: Value = serde_json::from_str(tool.input_schema().unwrap().get()).unwrap();
        assert_eq!(read, *schema, "{name}");
    }
    for tool in &*listed {
        // No stack overflow, and no fetched schemas.
        assert_eq!(tool.definition().name, tool.name());
        assert_eq!(client.call(tool.name(), json!({"text": "hi"})).await.unwrap().as_text(), "hi");
    }
}
