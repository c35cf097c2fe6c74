//! Comparisons with running servers.

use std::fs;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::thread;

use serde_json::{Value, json};

use crate::common::{cargo, manifest, run, scratch, target};

/// The manifest equals the lists of the running server (kintone/mcp-server#568).
#[test]
fn the_manifest_is_what_the_built_server_lists() {
    let scratch = scratch();
    cargo("workflow", "build --bin workflow").ok();
    fs::write(scratch.path().join("mcp.json"), manifest("workflow", "").ok().stdout).unwrap();
    let server = target().join("debug/workflow");
    let server = server.to_str().unwrap();
    let same = run(scratch.path(), &["diff", "mcp.json", "--", server]).ok();
    assert_eq!(same.stdout, "no changes\n");
    run(scratch.path(), &["pin", "mcp.json"]).ok();
    run(scratch.path(), &["verify", "--", server]).ok();
}

fn tool(name: &str, description: &str) -> Value {
    json!({"name": name, "description": description, "inputSchema": {"type": "object"}})
}

/// The manifest of a server with these two tools, on two pages.
fn old() -> String {
    let tools = json!([tool("one", "One."), tool("sixty", "Sixty.")]);
    json!({"manifestVersion": 1, "server": {"name": "shop", "version": "1"}, "tools": tools}).to_string()
}

/// Returns the response of a server with a handshake, by method and cursor (2025-11-25).
fn legacy_answer(message: &Value) -> Option<Value> {
    let id = message.get("id")?;
    let result = match (message["method"].as_str()?, message["params"]["cursor"].as_str()) {
        ("initialize", _) => json!({
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}, "prompts": {}},
            "serverInfo": {"name": "shop", "version": "2"},
        }),
        ("tools/list", None) => json!({"tools": [tool("one", "One.")], "nextCursor": "next"}),
        ("tools/list", Some("next")) => json!({"tools": [tool("sixty", "Sixty.\u{202e}")]}),
        ("prompts/list", None) => json!({"prompts": [{"name": "greet"}]}),
        _ => return Some(json!({"jsonrpc": "2.0", "id": id, "error": {"code": -32601, "message": "no"}})),
    };
    Some(json!({"jsonrpc": "2.0", "id": id, "result": result}))
}

/// Answers this many requests, each in a different format of HTTP and the protocol.
fn serve(listener: &TcpListener, count: usize) {
    for number in 0..count {
        let (stream, _) = listener.accept().unwrap();
        answer(stream, number);
    }
}

fn answer(mut stream: TcpStream, number: usize) {
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") {
        assert!(reader.read_line(&mut head).unwrap() > 0);
    }
    let head = head.to_ascii_lowercase();
    assert!(head.starts_with("post /mcp http/1.1\r\n"), "{head}");
    let length =
        head.split("content-length: ").nth(1).unwrap().split("\r\n").next().unwrap().parse().unwrap();
    let mut body = vec![0; length];
    reader.read_exact(&mut body).unwrap();
    let message: Value = serde_json::from_slice(&body).unwrap();
    let is_after_handshake = !matches!(message["method"].as_str(), Some("server/discover" | "initialize"));
    assert_eq!(head.contains("mcp-session-id: s1\r\n"), is_after_handshake, "{head}");
    let response = match legacy_answer(&message) {
        None => "HTTP/1.1 202 Accepted\r\nContent-Length: 0\r\n\r\n".to_owned(),
        Some(answer) if number.is_multiple_of(2) => format!(
            "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nMcp-Session-Id: s1\r\nContent-Length: {}\r\n\r\n{answer}",
            answer.to_string().len()
        ),
        Some(answer) => {
            let events = format!(
                ": hello\n\ndata: {{\"jsonrpc\":\"2.0\",\"method\":\"x\"}}\n\nevent: message\ndata: {answer}\n\n"
            );
            let (one, other) = events.split_at(20);
            format!(
                "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nMcp-Session-Id: s1\r\nTransfer-Encoding: chunked\r\n\r\n\
                 {:x}\r\n{one}\r\n{:x};x=y\r\n{other}\r\n0\r\n\r\n",
                one.len(),
                other.len()
            )
        }
    };
    stream.write_all(response.as_bytes()).unwrap();
}

/// A tool on the second page, with a character that changes the direction of text (kerlenton/mcpsnoop#103).
#[test]
fn all_pages_of_a_server_over_http_are_read() {
    let scratch = scratch();
    fs::write(scratch.path().join("mcp.json"), old()).unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp", listener.local_addr().unwrap());
    // A probe, the handshake with its notification, two pages of tools, one of prompts.
    let server = thread::spawn(move || serve(&listener, 6));
    let run = run(scratch.path(), &["diff", "mcp.json", &url]).ended(100);
    server.join().unwrap();
    for part in [
        "[hidden-characters-added]",
        r#"+ "Sixty.\u{202e}""#,
        "prompt greet\n  compatible: a prompt was added [prompt-added]\n",
        "    at /server/version\n",
        "1 breaking, 1 compatible, 2 documentation",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in {}", run.stdout);
    }
}

/// The same over standard input and output, from a server that writes a stray line and sends a request.
#[cfg(unix)]
#[test]
fn all_pages_of_a_server_over_stdio_are_read() {
    let scratch = scratch();
    fs::write(scratch.path().join("mcp.json"), old()).unwrap();
    let request =
        |id: u64, method: &str, params: Value| json!({"id": id, "method": method, "params": params});
    let answers = [
        request(1, "server/discover", json!({})),
        request(2, "initialize", json!({})),
        request(3, "tools/list", json!({})),
        request(4, "tools/list", json!({"cursor": "next"})),
        request(5, "prompts/list", json!({})),
    ]
    .map(|request| legacy_answer(&request).unwrap().to_string());
    let [probe, handshake, first, second, prompts] = &answers;
    let script = format!(
        "read line; echo '{probe}'\nread line; echo 'starting'; echo '{handshake}'\nread line\nread line\n\
         echo '{{\"jsonrpc\":\"2.0\",\"id\":\"p\",\"method\":\"ping\"}}'; read pong; echo \"$pong\" >pong.json; \
         echo '{first}'\nread line; echo '{second}'\nread line; echo '{prompts}'\nread line\n"
    );
    fs::write(scratch.path().join("server.sh"), script).unwrap();
    let run = run(scratch.path(), &["diff", "mcp.json", "--", "sh", "server.sh"]).ended(100);
    assert!(run.stdout.contains(r#"+ "Sixty.\u{202e}""#), "{}", run.stdout);
    let pong: Value = serde_json::from_slice(&fs::read(scratch.path().join("pong.json")).unwrap()).unwrap();
    assert_eq!(pong, json!({"jsonrpc": "2.0", "id": "p", "result": {}}));
}

/// A later revision may give a meaning to members that this version does not know.
#[cfg(unix)]
#[test]
fn the_manifest_of_a_server_keeps_unknown_members() {
    let mut decorated = tool("one", "One.");
    decorated["annotations"] = json!({"readOnlyHint": true, "x-cost": 3});
    decorated["icons"] = json!([{"src": "https://example.com/a.png", "x-alt": "A"}]);
    let server =
        json!({"name": "shop", "version": "1", "websiteUrl": "https://example.com", "x-region": "eu"});
    let discovered = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": server},
    }});
    let tools = json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": [decorated]}});
    let script = format!("read l; echo '{discovered}'; read l; echo '{tools}'; read l");
    let scratch = scratch();
    let manifest = run(scratch.path(), &["manifest", "--", "sh", "-c", &script]).ok().document();
    assert_eq!((&manifest["tools"], &manifest["server"]), (&json!([decorated]), &server));
}

#[cfg(unix)]
#[test]
fn servers_that_end_or_repeat_a_page_are_named() {
    let scratch = scratch();
    fs::write(scratch.path().join("mcp.json"), old()).unwrap();
    let diff = |script: &str| run(scratch.path(), &["diff", "mcp.json", "--", "sh", "-c", script]);
    diff("exit 3").ended(4).says(&["cannot query the server `sh -c 'exit 3'`: it exited"]);
    let page = |id: u64| json!({"jsonrpc": "2.0", "id": id, "result": {"tools": [tool(&format!("t{id}"), "x")], "nextCursor": "same"}});
    let discovered = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "1"}},
    }});
    let script = format!(
        "read l; echo '{discovered}'; read l; echo '{}'; read l; echo '{}'; read l",
        page(2),
        page(3)
    );
    diff(&script).ended(4).says(&["the pages of `tools/list` form a cycle"]);
}

/// What a server wrote that is not a message is shown at once, and silence after a few seconds.
#[test]
fn servers_that_write_rubbish_or_nothing_are_shown_as_such() {
    let scratch = scratch();
    let script = "echo 'Welcome to the server'; echo 'no config' >&2; exec sleep 100";
    let lock = r#"{"lockVersion": 2, "kinds": ["tools"], "tools": {}}"#;
    fs::write(scratch.path().join("mcp.lock.json"), lock).unwrap();
    for (flags, code) in [(["list", "--start-timeout=5"], 5), (["verify", "--timeout=5"], 4)] {
        let run = run(scratch.path(), &[&flags[..], &["--", "bash", "-c", script]].concat()).ended(code);
        run.says(&[
            "it sent something that is not a message",
            "Welcome to the server",
            "  | no config\n",
            "note: nothing yet after 4 seconds; waiting for the server",
        ]);
    }
}
