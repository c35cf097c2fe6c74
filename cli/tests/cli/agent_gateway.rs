//! `cargo mcp agent tools --gateway`: our own server with tokens replaces the gateway.

use std::fs;
use std::sync::Arc;

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_server::auth::{Access, ApiKeys, Protection};
use toolwright_server::{Http, HttpConfig, Provider, Server};

use crate::common::{Run, run, scratch};

const TOKEN: &str = "session-0123456789abcdef0123456789abcdef";

struct Lookup;

impl Provider for Lookup {
    fn tools(&self, _: &Access) -> Arc<[ToolDefinition]> {
        let schema = json!({"type": "object", "properties": {"ip": {"type": "string"}}, "required": ["ip"]});
        Arc::new([ToolDefinition::new("abuseipdb", schema)])
    }
}

/// Serves until the test ends, and returns the URL.
fn gateway() -> String {
    let http = Http::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/mcp/gateway", http.local_addr().unwrap());
    let keys = ApiKeys::new().key("agent", TOKEN, ["tools"]).unwrap();
    let config = HttpConfig::new().protect(Protection::new(&url, keys).unwrap());
    let service = Server::new(()).name("stand-in").provider(Lookup).build().unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    std::thread::spawn(move || {
        runtime.block_on(async { service.serve(http.path("/mcp/gateway").config(config)).await })
    });
    url
}

fn tools(folder: &std::path::Path, url: &str, flags: &[&str]) -> Run {
    run(folder, &[&["agent", "tools", "--gateway", url], flags].concat())
}

#[test]
fn gateway_tools_are_printed_for_models() {
    let (folder, url) = (scratch(), gateway());
    fs::write(folder.path().join("session.token"), format!("{TOKEN}\n")).unwrap();
    for token in [["--token", TOKEN], ["--token-file", "session.token"]] {
        for (format, pointer) in [
            ("openai", "/0/name"),
            ("anthropic", "/0/name"),
            ("gemini", "/functionDeclarations/0/name"),
            ("mcp", "/0/name"),
        ] {
            let shown =
                tools(folder.path(), &url, &[&token[..], &["--format", format]].concat()).ok().document();
            assert_eq!(shown.pointer(pointer), Some(&Value::from("abuseipdb")), "{format}: {shown}");
        }
    }
    let waited = tools(folder.path(), &url, &["--token", TOKEN, "--node", "abuseipdb"]).ok();
    assert_eq!(waited.stdout, "abuseipdb(ip*)\n");
}

#[test]
fn a_gateway_that_fails_is_an_error_and_not_an_empty_list() {
    let (folder, url) = (scratch(), gateway());
    let run = tools(folder.path(), &url, &["--token", "wrong-0123456789abcdef0123456789abcdef"]).ended(3);
    assert!(run.stdout.is_empty() && !run.stderr.contains("wrong-0123"), "{run:?}");
    tools(folder.path(), "http://127.0.0.1:1/mcp/gateway", &[]).ended(3).says(&["cannot be used"]);
    tools(folder.path(), &url, &["--token", "${TOKEN}"]).ended(2).says(&["a placeholder such as"]);
    tools(folder.path(), &url, &["--token-file", "none"]).ended(6).says(&["none"]);
    tools(folder.path(), "http://gateway.example/mcp", &["--token", TOKEN]).ended(2).says(&["without TLS"]);
    tools(folder.path(), &url, &["--token", TOKEN, "--node", "other", "--wait", "0"])
        .ended(5)
        .says(&["tools not ready", "`other`"]);
}

#[test]
fn records_and_a_gateway_exclude_each_other() {
    let folder = scratch();
    run(folder.path(), &["agent", "tools"]).ended(2).says(&["TOOLS"]);
    run(folder.path(), &["agent", "tools", "x.jsonl", "--gateway", "http://127.0.0.1:1"]).ended(2);
    run(folder.path(), &["agent", "tools", "x.jsonl", "--token", "x"])
        .ended(2)
        .says(&["cannot be used with"]);
}
