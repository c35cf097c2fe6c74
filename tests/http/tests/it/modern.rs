//! Revision 2026-07-28 over HTTP: headers against body, statuses, streams, cancellation, subscriptions.

use std::net::TcpStream;
use std::time::Duration;

use serde_json::{Value, json};
use test_http::lab::{Lab, MODERN, code, with_meta};
use test_http::probes::Probes;
use toolwright::{HttpConfig, Limits};

fn list(lab: &Lab) -> test_http::client::Call {
    lab.modern("tools/list", &json!({}))
}

#[test]
fn requests_are_answered_as_plain_json_without_a_session() {
    let lab = Lab::start();
    for method in ["server/discover", "tools/list"] {
        let mut response = lab.modern(method, &json!({})).send();
        assert_eq!((response.status, response.header("mcp-session-id")), (200, None));
        assert_eq!(response.json()["result"]["resultType"], "complete");
    }
    let mut sum = lab.call("add", &json!({"a": 1, "b": 2})).send();
    assert_eq!(sum.json()["result"]["structuredContent"]["sum"], 3);
    let mut slept = lab.call("sleep", &json!({"ms": 20})).send();
    assert_eq!(slept.json()["result"]["content"][0]["text"], "slept 20 ms");
}

// As reported in modelcontextprotocol/rust-sdk#1083.
#[test]
fn missing_headers_and_members_have_their_own_codes() {
    let lab = Lab::start();
    let mut response = list(&lab).without("MCP-Protocol-Version").send();
    assert_eq!(response.status, 400);
    let error = response.json();
    assert_eq!((&error["error"]["code"], &error["id"]), (&json!(-32020), &json!(1)));
    assert!(error["error"]["message"].as_str().is_some_and(|text| text.contains("MCP-Protocol-Version")));

    let body =
        |meta: Value| json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {"_meta": meta}});
    let version = json!({"io.modelcontextprotocol/protocolVersion": MODERN});
    let capabilities = json!({"io.modelcontextprotocol/clientCapabilities": {}});
    for meta in [version, capabilities, json!({}), json!({"io.modelcontextprotocol/protocolVersion": 1})] {
        assert_eq!(code(list(&lab).body(&body(meta.clone())).send()), (400, -32602), "{meta}");
    }
    let bare = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list"});
    assert_eq!(code(list(&lab).body(&bare).send()), (400, -32602));
    assert_eq!(code(lab.post().body(&bare).send()), (400, -32600), "a legacy one without a session");
}

// As reported in laravel/mcp#286.
#[test]
fn names_are_decoded_and_methods_have_statuses() {
    let lab = Lab::serve(Probes::default().service(Limits::default()), HttpConfig::new());
    let named = |prompt: &str, header: &str| {
        lab.modern("prompts/get", &json!({"name": prompt})).header("Mcp-Name", header).send()
    };
    let mut served = named("größe", "=?base64?Z3LDtsOfZQ==?=");
    assert_eq!(served.json()["result"]["messages"][0]["content"]["text"], "größe");
    assert_eq!(named("=?base64?x?=", "=?base64?PT9iYXNlNjQ/eD89?=").status, 200);
    for (prompt, header) in [
        ("größe", "=?base64?Z3LDtsOfZQ=?="),
        ("größe", "=?base64?Z3LDts!!ZQ==?="),
        ("=?base64?x?=", "=?base64?x?="),
        ("größe", "größe"),
    ] {
        assert_eq!(code(named(prompt, header)), (400, -32020), "{header}");
    }
    let other = lab.call("regional", &json!({})).replace("Mcp-Name", "Regional");
    assert_eq!(code(other.send()), (400, -32020));
    for method in ["tools/nothing", "initialize", "ping", "logging/setLevel", "resources/subscribe"] {
        let mut response = lab.modern(method, &json!({})).send();
        assert_eq!(response.status, 404, "{method}");
        let error = response.json();
        assert_eq!((&error["error"]["code"], &error["id"]), (&json!(-32601), &json!(1)), "{method}");
    }
    for header in ["Tools/List", "TOOLS/LIST", "tools/call", ""] {
        assert_eq!(code(list(&lab).replace("Mcp-Method", header).send()), (400, -32020), "{header}");
    }
    assert_eq!(code(list(&lab).without("Mcp-Method").send()), (400, -32020));
    assert_eq!(code(lab.call("regional", &json!({})).without("Mcp-Name").send()), (400, -32020));
    assert_eq!(list(&lab).replace("mcp-METHOD", "  tools/list ").send().status, 200);
    assert_eq!(code(lab.call("no_such_tool", &json!({})).send()), (400, -32602));
}

// As reported in mostlygeek/llama-swap#1054.
#[test]
fn mismatch_and_unknown_versions_have_codes_of_their_own() {
    let lab = Lab::start();
    let with_version = |header: &str, body: &str| {
        let mut params = with_meta(&json!({}));
        params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(body);
        list(&lab)
            .replace("MCP-Protocol-Version", header)
            .body(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": params}))
            .send()
    };
    assert_eq!(code(with_version(MODERN, "2025-11-25")), (400, -32020));
    assert_eq!(code(with_version(MODERN, "v999.0.0")), (400, -32020));
    assert_eq!(code(with_version("2025-11-25", MODERN)), (400, -32020));
    for asked in ["1900-01-01", "v999.0.0", "2025-11-25"] {
        let mut response = with_version(asked, asked);
        assert_eq!(response.status, 400);
        let error = response.json()["error"].take();
        assert_eq!((&error["code"], &error["data"]["requested"]), (&json!(-32022), &json!(asked)));
        assert!(error["data"]["supported"].as_array().is_some_and(|all| all.contains(&json!(MODERN))));
    }
    for (name, second) in [("Mcp-Method", "tools/call"), ("MCP-Protocol-Version", "2025-11-25")] {
        assert_eq!(code(list(&lab).header(name, second).send()), (400, -32020), "{name} twice");
    }
}

#[test]
fn parameter_headers_match_the_arguments() {
    let lab = Lab::serve(Probes::default().service(Limits::default()), HttpConfig::new());
    let call = || lab.call("regional", &json!({"region": "us-west1", "page": {"size": 42}}));
    let both = || call().header("Mcp-Param-Region", "us-west1").header("mcp-param-page-size", "42");
    assert_eq!(both().send().status, 200);
    assert_eq!(both().replace("Mcp-Param-Region", "=?base64?dXMtd2VzdDE=?=").send().status, 200);
    assert_eq!(both().replace("mcp-param-page-size", "42.0").send().status, 200);
    assert_eq!(both().header("Mcp-Param-Other", "x").send().status, 200, "not of this tool");
    for wrong in [
        call(),
        both().without("Mcp-Param-Region"),
        both().replace("Mcp-Param-Region", "us-west2"),
        both().replace("Mcp-Param-Region", "=?base64?dXMtd2VzdDE?="),
        both().header("Mcp-Param-Region", "us-west1"),
        lab.call("regional", &json!({"region": null})).header("Mcp-Param-Region", "us-west1"),
    ] {
        assert_eq!(code(wrong.send()), (400, -32020));
    }
    assert_eq!(lab.call("regional", &json!({})).send().status, 200);
}

#[test]
fn a_call_that_sends_notifications_becomes_a_stream() {
    let lab = Lab::start();
    for arguments in [json!({}), json!({"slowly": true})] {
        let meta = json!({"progressToken": "p", "io.modelcontextprotocol/logLevel": "info"});
        let params = json!({"name": "count", "arguments": arguments, "_meta": meta});
        let mut response = lab.modern("tools/call", &params).send();
        assert_eq!(response.status, 200);
        assert!(response.is_events(), "{arguments}");
        assert_eq!(response.header("x-accel-buffering"), Some("no"));
        assert_eq!(response.header("cache-control"), Some("no-cache"));
        let messages = response.messages();
        let methods: Vec<_> = messages.iter().map(|message| message["method"].as_str()).collect();
        let (progress, log) = (Some("notifications/progress"), Some("notifications/message"));
        assert_eq!(methods, [progress, log, progress, log, progress, log, None]);
        assert_eq!(messages[6]["result"]["content"][0]["text"], "counted to 3");
    }
}

#[test]
fn closing_the_stream_cancels_the_call() {
    let probes = Probes::default();
    let lab = Lab::serve(probes.service(Limits::default()), HttpConfig::new());
    let params = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": 1}});
    let mut response = lab.modern("tools/call", &params).send();
    assert_eq!(response.message().expect("progress")["method"], "notifications/progress");
    assert_eq!(probes.ended(), 0);
    drop(response);
    probes.await_ended(1);
}

#[test]
fn disconnecting_before_the_response_cancels_the_call() {
    use std::io::Write as _;

    let probes = Probes::default();
    let lab = Lab::serve(probes.service(Limits::default()), HttpConfig::new());
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call",
        "params": with_meta(&json!({"name": "wait", "arguments": {}}))})
    .to_string();
    let mut stream = std::net::TcpStream::connect(list(&lab).address()).expect("the server listens");
    write!(
        stream,
        "POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nMCP-Protocol-Version: {MODERN}\r\nMcp-Method: tools/call\r\nMcp-Name: wait\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    )
    .expect("sent");
    probes.await_started(1);
    drop(stream);
    probes.await_ended(1);
}

// As reported in modelcontextprotocol/typescript-sdk#2538, markmhendrickson/neotoma#1486.
#[test]
fn a_silent_call_becomes_a_stream_of_comments() {
    let config = HttpConfig::new().keep_alive(Some(Duration::from_millis(30)));
    let lab = Lab::with(Limits::default(), config);
    let mut response = lab.call("sleep", &json!({"ms": 300})).send();
    assert!(response.is_events());
    let mut comments = 0;
    loop {
        match response.event().expect("the answer comes").as_str() {
            ":" => comments += 1,
            event => {
                assert!(event.contains("slept 300 ms"), "{event}");
                break;
            }
        }
    }
    assert!(comments >= 2, "{comments}");
    assert_eq!(response.event(), None);
    let mut listen = lab.modern("subscriptions/listen", &json!({"notifications": {}})).send();
    assert!(listen.event().is_some_and(|event| event.starts_with("data: ")));
    for _ in 0..3 {
        assert_eq!(listen.event().as_deref(), Some(":"));
    }
}

#[test]
fn a_call_that_takes_too_long_and_one_that_panics_are_answered() {
    let limits = Limits { call_timeout: Duration::from_millis(30), ..Limits::default() };
    let lab = Lab::with(limits, HttpConfig::new());
    let mut late = lab.call("sleep", &json!({"ms": 60_000})).send();
    assert_eq!(late.json()["result"]["isError"], true);
    for later in [false, true] {
        assert_eq!(code(lab.call("panic", &json!({"later": later})).send()), (200, -32603));
    }
}

// As reported in modelcontextprotocol/ruby-sdk#495, langchain4j/langchain4j#6098.
#[test]
fn subscriptions_are_acknowledged_filtered_and_closed() {
    let mut lab = Lab::start();
    let listen = |id: i32, filter: Value| {
        let params = with_meta(&json!({"notifications": filter}));
        let body = json!({"jsonrpc": "2.0", "id": id, "method": "subscriptions/listen", "params": params});
        lab.modern("subscriptions/listen", &json!({})).body(&body).send()
    };
    let mut asked = listen(9, json!({"toolsListChanged": true, "unknownChanged": true}));
    let mut empty = listen(10, json!({}));
    let tag = |message: &Value| message["params"]["_meta"]["io.modelcontextprotocol/subscriptionId"].clone();
    for (stream, id, filter) in
        [(&mut asked, 9, json!({"toolsListChanged": true})), (&mut empty, 10, json!({}))]
    {
        assert!(stream.is_events());
        let message = stream.message().expect("an acknowledgment");
        assert_eq!(message["method"], "notifications/subscriptions/acknowledged");
        assert_eq!((&message["params"]["notifications"], tag(&message)), (&filter, json!(id)));
    }
    assert_eq!(lab.call("toggle", &json!({"on": true})).send().status, 200);
    let changed = asked.message().expect("a notification");
    assert_eq!((&changed["method"], tag(&changed)), (&json!("notifications/tools/list_changed"), json!(9)));
    lab.stop();
    for (stream, id) in [(&mut asked, 9), (&mut empty, 10)] {
        let last = stream.messages();
        assert_eq!(last.len(), 1, "nothing but the end: {last:?}");
        assert_eq!((&last[0]["id"], &last[0]["result"]["resultType"]), (&json!(id), &json!("complete")));
    }
    assert_eq!(code(Lab::start().modern("subscriptions/listen", &json!({})).send()), (400, -32602));
}

// As reported in maximhq/bifrost#7202.
#[test]
fn a_modern_only_server_says_what_it_speaks() {
    let lab = Lab::with(Limits::default(), HttpConfig::new().modern_only());
    let mut refused = lab.initialize("2025-11-25").send();
    assert_eq!((refused.status, refused.header("mcp-session-id")), (400, None));
    let error = refused.json();
    assert!(error["error"]["message"].as_str().is_some_and(|text| text.contains(MODERN)), "{error}");
    let served = list(&lab).header("Mcp-Session-Id", "x").header("Last-Event-ID", "7").send();
    assert_eq!((served.status, served.header("mcp-session-id")), (200, None));
    let discovered = lab.modern("server/discover", &json!({})).send().json();
    assert_eq!(discovered["result"]["supportedVersions"], json!([MODERN]));
    for asked in ["1900-01-01", "2025-11-25"] {
        for method in ["tools/list", "subscriptions/listen"] {
            let mut params = with_meta(&json!({"notifications": {}}));
            params["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!(asked);
            let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
            let call = lab.modern(method, &json!({})).replace("MCP-Protocol-Version", asked).body(&body);
            let error = call.send().json()["error"].take();
            assert_eq!((&error["code"], &error["data"]["supported"]), (&json!(-32022), &json!([MODERN])));
        }
    }
    let both = Lab::start().modern("server/discover", &json!({})).send().json();
    assert_eq!(both["result"]["supportedVersions"].as_array().map(Vec::len), Some(5));
}

// As reported in dbernheisel/phantom_mcp#24, oramasearch/oramacore#335.
#[test]
fn notifications_have_no_answer() {
    let lab = Lab::start();
    for method in ["notifications/cancelled", "notifications/unknown"] {
        let body = json!({"jsonrpc": "2.0", "method": method, "params": {"requestId": 1}});
        let mut response = lab.post().header("MCP-Protocol-Version", MODERN).body(&body).send();
        assert_eq!((response.status, response.text().as_str()), (202, ""));
    }
}

#[test]
fn calls_are_bounded_and_finish_when_the_server_ends() {
    let limits = Limits { max_calls_in_flight: 1, ..Limits::default() };
    let probes = Probes::default();
    let lab = Lab::serve(probes.service(limits), HttpConfig::new());
    let params = json!({"name": "wait", "arguments": {}, "_meta": {"progressToken": 1}});
    let waiting = lab.modern("tools/call", &params).send();
    assert_eq!(code(list(&lab).send()), (503, -32603));
    drop(waiting);
    probes.await_ended(1);

    let mut lab = Lab::start();
    let call = lab.call("sleep", &json!({"ms": 300}));
    let call_thread = std::thread::spawn(move || call.send().json());
    std::thread::sleep(Duration::from_millis(100));
    lab.stop();
    assert_eq!(call_thread.join().expect("answered")["result"]["content"][0]["text"], "slept 300 ms");
}

/// It has sent everything and waits for its answer, as `nc -N` does; a client that has disconnected still cancels its call.
#[test]
fn a_client_that_ends_its_side_gets_its_answer() {
    let lab = Lab::start();
    for ms in [30, 400] {
        for revision in [MODERN, "2025-06-18", "2025-11-25"] {
            let arguments = json!({"ms": ms});
            let call = if revision == MODERN {
                lab.call("sleep", &arguments)
            } else {
                lab.session(revision).call(1, "sleep", &arguments)
            };
            let stream = TcpStream::connect(call.address()).expect("the server listens");
            let mut response = call.send_half(stream);
            let answer = if response.is_events() {
                response.messages().pop().expect("an answer")
            } else {
                response.json()
            };
            assert_eq!(answer["result"]["content"][0]["text"], format!("slept {ms} ms"), "{revision}");
        }
    }
    let probes = Probes::default();
    let lab = Lab::serve(probes.service(Limits::default()), HttpConfig::new());
    let call = lab.call("wait", &json!({}));
    let mut stream = TcpStream::connect(call.address()).expect("the server listens");
    call.write_to(&mut stream);
    probes.await_started(1);
    drop(stream);
    probes.await_ended(1);
}

/// A client that got nothing could not tell a server that ends from a connection that broke.
#[test]
fn calls_that_do_not_finish_in_time_are_answered_at_the_end() {
    for revision in [MODERN, "2025-06-18", "2025-11-25"] {
        for reports in [false, true] {
            let limits = Limits { shutdown_grace: Duration::from_millis(50), ..Limits::default() };
            let probes = Probes::default();
            let mut lab = Lab::serve(probes.service(limits), HttpConfig::new());
            let meta = if reports { json!({"progressToken": 1}) } else { json!({}) };
            let params = json!({"name": "wait", "arguments": {}, "_meta": meta});
            let call = if revision == MODERN {
                lab.modern("tools/call", &params)
            } else {
                lab.session(revision).request(1, "tools/call", &params)
            };
            // Without a report its head comes with its answer.
            let call_thread = std::thread::spawn(move || {
                let mut response = call.send();
                if response.is_events() { response.messages().pop() } else { Some(response.json()) }
            });
            probes.await_started(1);
            lab.stop();
            let answer = call_thread.join().expect("an answer").expect("a last message");
            assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(1), &json!(-32603)), "{answer}");
            probes.await_ended(1);
        }
    }
}
