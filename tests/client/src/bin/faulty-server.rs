//! `faulty-server FAULT [ARGUMENT]`: a minimal server on standard input and output, with one fault.

use std::io::Write as _;
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use serde_json::{Value, json};

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let fault = arguments.next().unwrap_or_default();
    let mut server = Server { fault, argument: arguments.next().unwrap_or_default(), calls: 0, pages: 0 };
    match server.start() {
        Some(code) => code,
        None => server.run(),
    }
}

struct Server {
    fault: String,
    argument: String,
    calls: u64,
    pages: u64,
}

impl Server {
    fn is(&self, fault: &str) -> bool {
        self.fault == fault
    }

    /// Applies a fault of the start; returns an exit code if the server exits.
    fn start(&self) -> Option<ExitCode> {
        match &*self.fault {
            "exits" => {
                eprintln!("faulty-server: the licence has expired");
                Some(ExitCode::from(7))
            }
            "prints" => {
                line("Listening on port 8080");
                loop {
                    sleep(Duration::from_mins(1));
                }
            }
            "floods" => loop {
                line("y");
            },
            "banner" => {
                line("Welcome!");
                None
            }
            "bom" => {
                raw(b"\xEF\xBB\xBF");
                None
            }
            "hangs" => loop {
                sleep(Duration::from_mins(1));
            },
            "launcher" => {
                // A child process that does not notice the end of the input, as behind a shell script.
                let mut command = std::process::Command::new("sleep");
                spawn_child(command.arg(&self.argument).stdin(std::process::Stdio::null()));
                None
            }
            _ => None,
        }
    }

    fn run(&mut self) -> ExitCode {
        while let Some(message) = read_message() {
            let id = message["id"].clone();
            let method = message["method"].as_str().unwrap_or_default().to_owned();
            if let Some(code) = self.handle(&method, &id, &message["params"]) {
                return code;
            }
        }
        if self.is("stays") {
            loop {
                sleep(Duration::from_mins(1));
            }
        }
        ExitCode::SUCCESS
    }

    /// Handles a message; returns an exit code if the server exits.
    fn handle(&mut self, method: &str, id: &Value, params: &Value) -> Option<ExitCode> {
        match method {
            "server/discover" => match &*self.fault {
                "exits on the probe" => return Some(ExitCode::from(1)),
                "ignores the probe" | "responds late to the probe" => {}
                "other revisions" => error(id, -32022, "unsupported", json!({"supported": ["2031-01-01"]})),
                "requires roots" => error(id, -32021, "roots are required", json!({})),
                fault if fault.starts_with("modern") || fault == "endless input requests" => result(
                    id,
                    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
                        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "faulty-server", "version": "1"}}}),
                ),
                _ => error(id, -32601, "method not found", Value::Null),
            },
            "initialize" => match &*self.fault {
                "responds late to the probe" => {
                    // The ID of the probe.
                    result(
                        &json!(1),
                        json!({"supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}}}),
                    );
                    error(id, -32022, "unsupported", json!({"supported": ["2026-07-28"]}));
                }
                "rejects initialize" => error(id, -32603, "the database is gone", Value::Null),
                "unknown revision" => {
                    result(id, json!({"protocolVersion": "1999-01-01", "capabilities": {}}));
                }
                "invalid handshake" => result(id, json!({"hello": "world"})),
                _ => result(
                    id,
                    json!({"protocolVersion": "2025-11-25", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "faulty-server", "version": "1"}}),
                ),
            },
            "tools/list" => self.list(id, params),
            "tools/call" => return self.call(id, params),
            "ping" => result(id, json!({})),
            _ => {}
        }
        None
    }

    fn list(&mut self, id: &Value, params: &Value) {
        let tool = |name: &str| json!({"name": name, "inputSchema": {"type": "object"}});
        self.pages += 1;
        match &*self.fault {
            "cursor cycle" => {
                let next = if params["cursor"] == "x" { "y" } else { "x" };
                result(id, json!({"tools": [tool("a")], "nextCursor": next}));
            }
            "empty cursor" => result(id, json!({"tools": [], "nextCursor": ""})),
            "endless pages" => result(id, json!({"tools": [], "nextCursor": self.pages.to_string()})),
            "three pages" => {
                let page = params["cursor"].as_str().and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
                let tools: Vec<_> =
                    (page * 100..(page * 100 + 100).min(250)).map(|n| tool(&format!("t{n}"))).collect();
                let next = if page < 2 { json!((page + 1).to_string()) } else { Value::Null };
                result(id, json!({"tools": tools, "nextCursor": next}));
            }
            "schema mismatch" => {
                let schema =
                    json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
                let tool = json!({"name": "echo", "inputSchema": {"type": "object"}, "outputSchema": schema});
                result(id, json!({"tools": [tool]}));
            }
            "long list" => {
                let page = self.pages * 1000;
                let tools: Vec<_> = (page..page + 500).map(|n| tool(&format!("{n:0>100}"))).collect();
                result(id, json!({"tools": tools, "nextCursor": self.pages.to_string()}));
            }
            "list without tools" => result(id, json!({"tool": []})),
            "invalid tools" => {
                result(id, json!({"tools": [tool("a"), {"name": 7}, 9, tool("a"), tool("b"), {}]}));
            }
            _ => result(id, json!({"tools": [tool("echo")]})),
        }
    }

    fn call(&mut self, id: &Value, params: &Value) -> Option<ExitCode> {
        self.calls += 1;
        let text = params["arguments"]["text"].as_str().unwrap_or_default();
        let echo = json!({"content": [{"type": "text", "text": text}]});
        match &*self.fault {
            "crashes" if text != "ok" => {
                eprintln!("faulty-server: out of memory");
                return Some(ExitCode::from(3));
            }
            "crashes after three" => {
                if self.calls == 3 {
                    eprintln!("faulty-server: third call");
                    return Some(ExitCode::from(1));
                }
            }
            "aborts" => std::process::abort(),
            "unknown tool" => error(id, -32602, "unknown tool", Value::Null),
            "missing method" => error(id, -32601, "method not found", Value::Null),
            "internal error" => error(id, -32603, "internal error", Value::Null),
            "silent call" | "modern, silent call" => {}
            "endless progress" => {
                let token = &params["_meta"]["progressToken"];
                for step in 0..1000 {
                    let params = json!({"progressToken": token, "progress": step});
                    message(&json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": params}));
                    sleep(Duration::from_millis(20));
                }
            }
            "string ID" => result(&json!(id.to_string()), echo),
            "response to another request" => {
                result(&json!(999_999), echo.clone());
                result(id, echo);
            }
            "error without an ID" => {
                message(&json!({"jsonrpc": "2.0", "error": {"code": -32700, "message": "parse error"}}));
            }
            "not UTF-8" => {
                let text = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"gr"#
                );
                raw(&[text.as_bytes(), b"\xFC\xDF\"}]}}\n"].concat());
            }
            "latin-1" => {
                let text = format!(
                    r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":"caf"#
                );
                raw(&[text.as_bytes(), b"\xE9\"}]}}\n"].concat());
            }
            "huge response" => {
                let text =
                    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{{"content":[{{"type":"text","text":""#);
                raw(text.as_bytes());
                (0..32).for_each(|_| raw("a".repeat(1 << 20).as_bytes()));
                raw(b"\"}]}}\n");
            }
            "large response" => {
                let text = "é".repeat(1 << 20);
                result(id, json!({"content": [{"type": "text", "text": text}]}));
            }
            "broken JSON" => raw(format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{{\n").as_bytes()),
            "no result" => message(&json!({"jsonrpc": "2.0", "id": id})),
            "null content" => result(id, json!({"content": null})),
            "unknown type" => result(id, json!({"resultType": "later", "content": []})),
            "invalid error" => message(&json!({"jsonrpc": "2.0", "id": id, "error": "nope"})),
            "rejects the call" => error(id, -32050, "no such customer", json!({"customer": 7})),
            "endless input requests" => {
                let params = json!({"resultType": "input_required", "requestState": "s"});
                result(id, params);
            }
            "log lines" => {
                line("DEBUG: calling");
                line("");
                raw(b"\r\n  \n");
                raw(format!("{}\r\n", json!({"jsonrpc": "2.0", "id": id, "result": echo})).as_bytes());
            }
            "vendor messages" => {
                message(
                    &json!({"jsonrpc": "2.0", "method": "notifications/stderr", "params": {"content": "x"}}),
                );
                message(&json!({"jsonrpc": "2.0", "method": "data", "params": {"status": "ready"}}));
                message(&json!({"jsonrpc": "2.0", "id": "s1", "method": "vendor/ask", "params": {}}));
                message(&json!({"jsonrpc": "2.0", "id": "p1", "method": "ping"}));
                let responses: Vec<Value> = (0..2).filter_map(|_| read_message()).collect();
                result(id, json!({"content": [{"type": "text", "text": json!(responses).to_string()}]}));
            }
            "ignores responses" => {
                (0..3000).for_each(|n| {
                    message(&json!({"jsonrpc": "2.0", "id": format!("{n:200}"), "method": "ping"}));
                });
                loop {
                    sleep(Duration::from_mins(1));
                }
            }
            "byte by byte" => {
                let response = format!("{}\n", json!({"jsonrpc": "2.0", "id": id, "result": echo}));
                response.as_bytes().chunks(1).for_each(raw);
            }
            _ => self.describe_process(id, echo),
        }
        None
    }

    /// Responds with the environment or the arguments of the process, for the faults that are none.
    fn describe_process(&self, id: &Value, echo: Value) {
        match &*self.fault {
            "environment" => {
                let variables: Vec<_> =
                    std::env::vars().map(|(name, value)| format!("{name}={value}")).collect();
                result(id, json!({"content": [{"type": "text", "text": variables.join("\n")}]}));
            }
            "arguments" => result(id, json!({"content": [{"type": "text", "text": self.argument}]})),
            _ => result(id, echo),
        }
    }
}

fn spawn_child(command: &mut std::process::Command) {
    // The test looks for the child by its ID.
    if let Ok(child) = command.spawn() {
        eprintln!("child {}", child.id());
    }
}

/// Reads the next message of the client.
fn read_message() -> Option<Value> {
    let mut text = String::new();
    std::io::stdin().read_line(&mut text).ok().filter(|read| *read > 0)?;
    Some(serde_json::from_str(&text).unwrap_or_default())
}

fn result(id: &Value, result: impl Into<Value>) {
    let result = result.into();
    message(&json!({"jsonrpc": "2.0", "id": id, "result": result}));
}

fn error(id: &Value, code: i64, text: &str, data: impl Into<Value>) {
    let data = data.into();
    message(&json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": text, "data": data}}));
}

fn message(message: &Value) {
    line(&message.to_string());
}

fn line(text: &str) {
    raw(format!("{text}\n").as_bytes());
}

fn raw(bytes: &[u8]) {
    let mut output = std::io::stdout();
    if output.write_all(bytes).and_then(|()| output.flush()).is_err() {
        // The client has closed the stream.
        loop {
            sleep(Duration::from_mins(1));
        }
    }
}
