//! Servers over HTTP, most with one fault.

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use serde_json::{Value, json};
use test_client::Events;
use test_client::http::{Fixture, Reply, Request, legacy, modern};
use toolwright_client::config::{HttpSpec, ServerSpec};
use toolwright_client::{Client, ClientError, ErrorKind, ListedTool};

use super::check;

async fn call(client: &Client) -> Result<String, ClientError> {
    client.call("echo", json!({"text": "hi"})).await.map(|result| result.as_text())
}

/// Starts a server that responds to calls with `respond`.
fn calls(is_modern: bool, respond: impl Fn(&Request, &mut Reply) + Send + Sync + 'static) -> Fixture {
    Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/call" => respond(request, reply),
        _ if is_modern => modern(request, reply),
        _ => legacy(request, reply),
    })
}

#[tokio::test]
async fn the_era_is_found_out() {
    let (new, old) = (Fixture::start(modern), Fixture::start(legacy));
    let client = Client::connect(&*new.url).await.unwrap();
    assert_eq!(call(&client).await.unwrap(), "hi");
    assert_eq!(new.methods(), ["server/discover", "tools/call"]);
    let last = new.requests().pop().unwrap();
    for (name, value) in [
        ("mcp-protocol-version", "2026-07-28"),
        ("mcp-method", "tools/call"),
        ("mcp-name", "echo"),
        ("accept", "application/json, text/event-stream"),
        ("content-type", "application/json"),
    ] {
        assert_eq!(last.header(name), Some(value), "{name}");
    }
    let client = Client::connect(&*old.url).await.unwrap();
    assert_eq!(call(&client).await.unwrap(), "hi");
    client.close().await;
    assert_eq!(
        old.methods(),
        ["server/discover", "initialize", "notifications/initialized", "tools/call", "DELETE"]
    );
    let requests = old.requests();
    assert_eq!(
        (requests[1].header("mcp-session-id"), requests[3].header("mcp-session-id")),
        (None, Some("s1"))
    );
    assert_eq!(
        (requests[3].header("mcp-method"), requests[3].header("mcp-protocol-version")),
        (None, Some("2025-11-25"))
    );
}

/// 2025-11-25, basic/transports "Session Management".
#[tokio::test]
async fn a_session_is_deleted_when_the_client_closes() {
    let is_deleted = async |spec: HttpSpec, server: &Fixture| {
        let client = Client::connect(spec).await.unwrap();
        assert_eq!(call(&client).await.unwrap(), "hi");
        client.close().await;
        let last = server.requests().pop().unwrap();
        (last.http_method == "DELETE").then(|| last.header("mcp-session-id").map(str::to_owned))
    };
    let server = Fixture::start(legacy);
    assert_eq!(is_deleted(HttpSpec::new(&*server.url), &server).await, Some(Some("s1".to_owned())));
    let mut spec = HttpSpec::new(&*server.url);
    spec.terminate_on_close = false;
    assert_eq!(is_deleted(spec, &server).await, None);
    let server = Fixture::start(modern);
    assert_eq!(is_deleted(HttpSpec::new(&*server.url), &server).await, None, "there is no session");
}

/// 2026-07-28, basic "`$ref` Resolution": a reference may lead into the network of the client.
#[tokio::test]
async fn references_in_schemas_are_not_fetched() {
    let canary = Fixture::start(modern);
    let schema = format!("{}/schema.json", canary.url);
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/list" => {
            let tool = json!({
                "name": "echo",
                "inputSchema": {"type": "object", "properties": {"text": {"$ref": schema}}},
                "outputSchema": {"type": "object", "properties": {"text": {"$ref": schema}}},
            });
            let result =
                json!({"tools": [tool], "resultType": "complete", "ttlMs": 0, "cacheScope": "private"});
            reply.json(200, &json!({"jsonrpc": "2.0", "id": request.id(), "result": result}));
        }
        "tools/call" => {
            let result =
                json!({"content": [], "structuredContent": {"text": "hi"}, "resultType": "complete"});
            reply.json(200, &json!({"jsonrpc": "2.0", "id": request.id(), "result": result}));
        }
        _ => modern(request, reply),
    });
    let client = Client::builder().strict().connect(&*server.url).await.unwrap();
    assert_eq!(client.list_tools().await.unwrap().len(), 1);
    _ = client.call("echo", json!({"text": "hi"})).await;
    client.close().await;
    assert_eq!(canary.requests().len(), 0);
}

/// 2026-07-28, basic/transports/streamable-http "Backward Compatibility".
#[tokio::test]
async fn errors_of_modern_servers_are_no_reason_to_fall_back() {
    for (status, error, part) in [
        (400, json!({"code": -32022, "message": "x", "data": {"supported": ["2031-01-01"]}}), "2031-01-01"),
        (400, json!({"code": -32021, "message": "needs roots"}), "needs roots"),
        (400, json!({"code": -32020, "message": "Mcp-Method is missing"}), "Mcp-Method is missing"),
    ] {
        let server = Fixture::start(move |request, reply| {
            reply.json(status, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
        });
        check(&Client::connect(&*server.url).await.unwrap_err(), ErrorKind::Protocol, &[part]);
        assert!(!server.methods().contains(&"initialize".to_owned()));
    }
    // A server without `server/discover` may be modern too.
    let server = Fixture::start(|request, reply| match request.method().as_str() {
        "server/discover" => {
            let error = json!({"code": -32601, "message": "method not found"});
            reply.json(404, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
        }
        _ => modern(request, reply),
    });
    assert_eq!(call(&Client::connect(&*server.url).await.unwrap()).await.unwrap(), "hi");
}

#[tokio::test]
async fn the_offered_revision_is_asked_for_again() {
    let count = AtomicU32::new(0);
    let server = Fixture::start(move |request, reply| {
        if count.fetch_add(1, Ordering::SeqCst) == 0 {
            let error = json!({"code": -32022, "message": "x", "data": {"supported": ["2026-07-28"]}});
            reply.json(400, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
        } else {
            modern(request, reply);
        }
    });
    assert_eq!(call(&Client::connect(&*server.url).await.unwrap()).await.unwrap(), "hi");
}

#[tokio::test]
async fn refusals_are_explained() {
    for (status, body, kind, parts) in [
        (401, "who are you", ErrorKind::Connect, &["status 401", "who are you", "Authorization"][..]),
        (403, "not you", ErrorKind::Connect, &["status 403", "not you", "rights"]),
        (404, "nothing here", ErrorKind::Connect, &["status 404", "nothing here", "/mcp"]),
        (429, "slower", ErrorKind::Connect, &["status 429", "slower", "wait"]),
        (503, "starting", ErrorKind::Connect, &["status 503", "starting", "the server's log"]),
    ] {
        let server = Fixture::start(move |_, reply| reply.send(status, &[], body));
        let error = Client::connect(&*server.url).await.unwrap_err();
        check(&error, kind, parts);
        assert_eq!(error.status(), Some(status));
    }
    let page = Fixture::start(|_, reply| reply.send(200, &[("Content-Type", "text/html")], "<html>hello"));
    check(
        &Client::connect(&*page.url).await.unwrap_err(),
        ErrorKind::Protocol,
        &["text/html", "<html>hello"],
    );
    let closed = Client::connect("http://127.0.0.1:1/mcp").await.unwrap_err();
    check(&closed, ErrorKind::Connect, &["http://127.0.0.1:1/mcp", "refused", "runs"]);
    for (url, part) in
        [("example.com", "not a URL"), ("http://a:b@c/", "credentials"), ("https://127.0.0.1:1/", "refused")]
    {
        check(&Client::connect(url).await.unwrap_err(), ErrorKind::Connect, &[part]);
    }
}

#[tokio::test]
async fn what_is_no_http_is_explained() {
    let server = Fixture::start(|_, reply| {
        reply.raw(b"220 mail.example ESMTP\r\n");
        reply.hang_up();
    });
    check(
        &Client::connect(&*server.url).await.unwrap_err(),
        ErrorKind::Protocol,
        &["not HTTP", "MCP server"],
    );
}

/// modelcontextprotocol/rust-sdk#733, sparfenyuk/mcp-proxy#149.
#[tokio::test]
async fn a_lost_session_is_started_again_once_for_all() {
    let sessions = AtomicU32::new(0);
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "initialize" => {
            let session = format!("s{}", sessions.fetch_add(1, Ordering::SeqCst));
            let result =
                json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}}, "serverInfo": {}});
            let body = json!({"jsonrpc": "2.0", "id": request.id(), "result": result}).to_string();
            reply.send(200, &[("Content-Type", "application/json"), ("Mcp-Session-Id", &session)], &body);
        }
        "tools/call" if request.header("mcp-session-id") == Some("s0") => {
            let error = json!({"code": -32001, "message": "Session not found"});
            reply.json(404, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
        }
        _ => legacy(request, reply),
    });
    let client = Client::connect(&*server.url).await.unwrap();
    let calls: Vec<_> = (0..10)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { call(&client).await })
        })
        .collect();
    for call in calls {
        assert_eq!(call.await.unwrap().unwrap(), "hi");
    }
    let begun = server.methods().iter().filter(|method| *method == "initialize").count();
    assert_eq!(begun, 2);
}

#[tokio::test]
async fn a_session_that_is_lost_again_is_given_up() {
    let server = calls(false, |_, reply| reply.send(404, &[], "no such session"));
    let client = Client::connect(&*server.url).await.unwrap();
    check(&call(&client).await.unwrap_err(), ErrorKind::Connect, &["404", "no such session"]);
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 2);
}

/// modelcontextprotocol/python-sdk#1577.
#[tokio::test]
async fn a_stream_that_breaks_off_fails_its_call_alone() {
    for is_modern in [false, true] {
        for ends_cleanly in [false, true] {
            let server = calls(is_modern, move |request, reply| {
                let token = &request.json()["params"]["_meta"]["progressToken"];
                let params = json!({"progressToken": token, "progress": 1});
                let notice = json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params});
                reply.events();
                reply.chunk(&format!("data: {notice}\n\n"));
                if ends_cleanly { reply.end() } else { reply.hang_up() }
            });
            let client = Client::connect(&*server.url).await.unwrap();
            check(&call(&client).await.unwrap_err(), ErrorKind::Lost, &["did not arrive", "was executed"]);
            assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 1);
            client.list_tools().await.unwrap();
        }
    }
}

#[tokio::test]
async fn a_stream_that_stays_open_after_the_answer_is_not_waited_for() {
    let server = calls(true, |request, reply| {
        let result = test_client::http::echo(request);
        reply.events();
        reply
            .chunk(&format!("data: {}\n\n", json!({"jsonrpc": "2.0", "id": request.id(), "result": result})));
        reply.wait_for_end(Duration::from_mins(1));
    });
    let client = Client::connect(&*server.url).await.unwrap();
    for _ in 0..3 {
        assert_eq!(call(&client).await.unwrap(), "hi");
    }
}

/// 2025-11-25, basic/transports "Resumability and Redelivery".
#[tokio::test]
async fn a_broken_stream_is_resumed_where_it_ended() {
    let server = Fixture::start(|request, reply| match (request.method().as_str(), &*request.http_method) {
        ("tools/call", _) => {
            reply.events();
            reply.chunk("id: e1\nretry: 300\ndata:\n\n");
            reply.end();
        }
        ("", "GET") => {
            reply.events();
            // The ID of the call.
            let result = json!({"content": [{"type": "text", "text": "resumed"}]});
            reply.chunk(&format!(
                "id: e2\ndata: {}\n\n",
                json!({"jsonrpc": "2.0", "id": 1, "result": result})
            ));
            reply.end();
        }
        _ => legacy(request, reply),
    });
    let client = Client::connect(&*server.url).await.unwrap();
    assert_eq!(call(&client).await.unwrap(), "resumed");
    let requests = server.requests();
    let resumed = requests.last().unwrap();
    assert_eq!((resumed.http_method.as_str(), resumed.header("last-event-id")), ("GET", Some("e1")));
    assert!(resumed.at - requests[requests.len() - 2].at >= Duration::from_millis(300));
}

#[tokio::test]
async fn a_call_that_is_dropped_ends_its_connection() {
    let (sender, ended) = std::sync::mpsc::channel();
    let server = calls(true, move |_, reply| {
        reply.events();
        sender.send(reply.wait_for_end(Duration::from_secs(30))).unwrap();
    });
    let client = Client::connect(&*server.url).await.unwrap();
    assert!(tokio::time::timeout(Duration::from_millis(100), call(&client)).await.is_err());
    assert!(tokio::task::spawn_blocking(move || ended.recv().unwrap()).await.unwrap());
    assert!(!server.methods().contains(&"notifications/cancelled".to_owned()));
}

/// sigbit/mcp-auth-proxy#115.
#[tokio::test]
async fn redirections_are_followed_where_they_are_safe() {
    for (status, location, expected) in [
        (307, "/v2/mcp", Ok(())),
        (308, "/v2/mcp", Ok(())),
        (301, "/v2/mcp", Err("changes a POST to a GET")),
        (302, "/v2/mcp", Err("changes a POST to a GET")),
        (307, "https://other.example/mcp", Err("another server")),
        (307, "http://127.0.0.1:1/mcp", Err("another server")),
        (307, "/mcp", Err("status 307")),
    ] {
        let server = calls(true, move |request, reply| {
            if request.path == "/v2/mcp" {
                modern(request, reply);
            } else {
                reply.send(status, &[("Location", location)], "");
            }
        });
        let mut spec = HttpSpec::new(&*server.url);
        spec.headers.set("Authorization", "Bearer s3cret");
        let client = Client::connect(spec).await.unwrap();
        match expected {
            Ok(()) => {
                assert_eq!(call(&client).await.unwrap(), "hi");
                assert_eq!(server.requests().last().unwrap().header("authorization"), Some("Bearer s3cret"));
            }
            Err(part) => {
                let error = call(&client).await.unwrap_err();
                check(&error, ErrorKind::Protocol, &[part]);
                assert!(!error.to_string().contains("s3cret"));
            }
        }
        assert!(server.requests().len() < 10);
    }
}

#[tokio::test]
async fn bodies_and_events_are_bounded() {
    for is_stream in [false, true] {
        let server = calls(true, move |_, reply| {
            if is_stream {
                reply.events();
                (0..512).for_each(|_| reply.chunk(&"data: x\n".repeat(4096)));
            } else {
                reply.send(200, &[("Content-Type", "application/json")], &" ".repeat(2 << 20));
            }
        });
        let client = Client::builder().max_message_bytes(1 << 20).connect(&*server.url).await.unwrap();
        check(&call(&client).await.unwrap_err(), ErrorKind::Protocol, &["larger than 1 MiB"]);
    }
}

#[tokio::test]
async fn reads_are_retried_and_calls_are_not() {
    let count = AtomicU32::new(0);
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "server/discover" => modern(request, reply),
        "tools/list" if count.fetch_add(1, Ordering::SeqCst) > 0 => modern(request, reply),
        _ => reply.hang_up(),
    });
    let client = Client::connect(&*server.url).await.unwrap();
    assert_eq!(client.list_tools().await.unwrap().len(), 1);
    check(&call(&client).await.unwrap_err(), ErrorKind::Lost, &["was executed"]);
    assert_eq!(server.methods().iter().filter(|method| *method == "tools/call").count(), 1);
}

#[tokio::test]
async fn arguments_are_mirrored_in_headers_and_bad_tools_left_out() {
    let tool = |name: &str, kind: &str, header: &str| {
        let region = json!({"type": kind, "x-mcp-header": header});
        json!({"name": name, "inputSchema": {"type": "object", "properties": {"text": region}}})
    };
    let tools = json!({"tools": [tool("echo", "string", "Text"), tool("bad", "number", "N"), tool("worse", "string", "a b")]});
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "tools/list" => reply.result(request, &tools),
        "tools/call" if request.header("mcp-param-text").is_none() => {
            let error = json!({"code": -32020, "message": "Mcp-Param-Text is missing"});
            reply.json(400, &json!({"jsonrpc": "2.0", "id": request.id(), "error": error}));
        }
        _ => modern(request, reply),
    });
    let events = Events::default();
    let client = events.builder().connect(&*server.url).await.unwrap();
    // The tools were not listed yet, so the server rejects the call without the header.
    assert_eq!(client.call("echo", json!({"text": "größe"})).await.unwrap().as_text(), "größe");
    let last = server.requests().pop().unwrap();
    assert_eq!(last.header("mcp-param-text"), Some("=?base64?Z3LDtsOfZQ==?="));
    let tools = client.list_tools().await.unwrap();
    assert_eq!(tools.iter().map(ListedTool::name).collect::<Vec<_>>(), ["echo"]);
    assert!(events.warnings().iter().any(|text| text.contains("`bad`") && text.contains("ignored")));
}

/// Hints are hints: what is none costs no list (anthropics/claude-code#88128, NousResearch/hermes-agent#94992).
#[tokio::test]
async fn lists_are_kept_while_they_are_fresh() {
    for (ttl, expected) in
        [(json!(60_000), 1), (json!(0), 2), (json!(-5), 2), (json!("60000"), 2), (Value::Null, 2)]
    {
        let page = json!({"tools": [], "ttlMs": ttl, "cacheScope": ""});
        let server = Fixture::start(move |request, reply| match request.method().as_str() {
            "tools/list" => reply.result(request, &page),
            _ => modern(request, reply),
        });
        let client = Client::connect(&*server.url).await.unwrap();
        client.list_tools().await.unwrap();
        client.list_tools().await.unwrap();
        let requests = server.methods().iter().filter(|method| *method == "tools/list").count();
        assert_eq!(requests, expected, "{ttl}");
    }
}

#[tokio::test]
async fn each_timeout_is_named() {
    let server = Fixture::start(|request, reply| match request.method().as_str() {
        "tools/list" => {
            reply.wait_for_end(Duration::from_secs(30));
        }
        _ => modern(request, reply),
    });
    let mut spec = HttpSpec::new(&*server.url);
    spec.timeout = Duration::from_millis(200);
    let client = Client::connect(spec).await.unwrap();
    check(&client.list_tools().await.unwrap_err(), ErrorKind::Timeout, &["200ms", "`timeout`", "tools/list"]);

    let server = calls(true, |_, reply| {
        reply.events();
        reply.wait_for_end(Duration::from_secs(30));
    });
    let mut spec = HttpSpec::new(&*server.url);
    spec.sse_read_timeout = Duration::from_millis(200);
    let client = Client::connect(spec).await.unwrap();
    check(&call(&client).await.unwrap_err(), ErrorKind::Lost, &["200ms", "sse_read_timeout"]);

    let mut slow = ServerSpec::from(&*server.url);
    slow.request_timeout = Duration::from_millis(200);
    let client = Client::connect(slow).await.unwrap();
    check(&call(&client).await.unwrap_err(), ErrorKind::Timeout, &["200ms", "request_timeout"]);
}

/// 2026-07-28, basic/patterns/subscriptions.
#[tokio::test]
async fn tools_that_come_change_and_go_are_told_apart() {
    let changed = Arc::new(AtomicU32::new(0));
    let state = Arc::clone(&changed);
    let server = Fixture::start(move |request, reply| match request.method().as_str() {
        "subscriptions/listen" => {
            let meta = json!({"io.modelcontextprotocol/subscriptionId": request.id()});
            reply.events();
            let mut notify = |method: &str, further: Value| {
                let mut params = json!({"_meta": meta});
                params.as_object_mut().unwrap().extend(further.as_object().unwrap().clone());
                let notice = json!({"jsonrpc": "2.0", "method": method, "params": params});
                reply.chunk(&format!("data: {notice}\n\n"));
            };
            notify(
                "notifications/subscriptions/acknowledged",
                json!({"notifications": {"toolsListChanged": true}}),
            );
            std::thread::sleep(Duration::from_millis(200));
            state.store(1, Ordering::SeqCst);
            (0..50).for_each(|_| notify("notifications/tools/list_changed", json!({})));
            reply.wait_for_end(Duration::from_secs(30));
        }
        "tools/list" => {
            let tools = if state.load(Ordering::SeqCst) == 0 {
                json!([{"name": "a", "inputSchema": {}}, {"name": "b", "inputSchema": {}}])
            } else {
                json!([{"name": "b", "inputSchema": {}, "title": "B"}, {"name": "c", "inputSchema": {}}])
            };
            reply.result(request, &json!({"tools": tools, "ttlMs": 60_000}));
        }
        _ => modern(request, reply),
    });
    let client = Client::connect(&*server.url).await.unwrap();
    let mut watch = client.watch_tools().await.unwrap();
    assert_eq!(watch.items().len(), 2);
    let change = watch.changed().await.unwrap();
    let names = |tools: &[ListedTool]| tools.iter().map(|tool| tool.name().to_owned()).collect::<Vec<_>>();
    assert_eq!(
        (names(&change.added), names(&change.changed), names(&change.removed)),
        (vec!["c".to_owned()], vec!["b".to_owned()], vec!["a".to_owned()])
    );
    let listed = server.methods().iter().filter(|method| *method == "tools/list").count();
    assert!(listed <= 3, "{listed} lists for 50 notices");
}
