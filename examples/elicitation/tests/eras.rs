//! The same handler with a client of each era, over stdio.

use std::io::{BufRead, BufReader, Lines, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use serde_json::{Value, json};

struct Server {
    process: Child,
    input: ChildStdin,
    output: Lines<BufReader<ChildStdout>>,
}

impl Server {
    fn start() -> Self {
        let mut process = Command::new(env!("CARGO_BIN_EXE_elicitation"))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .expect("the program starts");
        let input = process.stdin.take().expect("a pipe");
        let output = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        Self { process, input, output }
    }

    fn send(&mut self, message: &Value) {
        writeln!(self.input, "{message}").expect("the program reads");
    }

    fn next(&mut self) -> Value {
        let line = self.output.next().expect("a line").expect("text");
        serde_json::from_str(&line).expect("JSON")
    }

    /// Sends a request and returns the response.
    fn ask(&mut self, id: i32, method: &str, params: &Value) -> Value {
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        self.next()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

fn delete(title: &str) -> Value {
    json!({"name": "delete_note", "arguments": {"title": title}})
}

/// A call as a client of 2026-07-28 makes it.
fn modern(title: &str, capabilities: &Value) -> Value {
    let mut params = delete(title);
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

fn choose(choice: &str) -> Value {
    json!({"action": "accept", "content": {"choice": choice}})
}

#[test]
fn a_client_of_2025_11_25_is_asked_while_its_call_waits() {
    let mut server = Server::start();
    server.ask(
        0,
        "initialize",
        &json!({
            "protocolVersion": "2025-11-25", "capabilities": {"elicitation": {}},
            "clientInfo": {"name": "test", "version": "1"},
        }),
    );
    for (id, answer, expected) in [
        (1, choose("keep"), "The user wants to keep `tea`."),
        (2, json!({"action": "decline"}), "The user wants to keep `tea`."),
        (3, json!({"action": "cancel"}), "The user did not answer; `tea` is still there."),
        (4, choose("delete"), "`tea` is deleted."),
    ] {
        let question = server.ask(id, "tools/call", &delete("tea"));
        assert_eq!(question["method"], "elicitation/create");
        assert_eq!(question["params"]["message"], "`tea` says: water first");
        server.send(&json!({"jsonrpc": "2.0", "id": question["id"], "result": answer}));
        let answer = server.next();
        assert_eq!((&answer["id"], text(&answer)), (&json!(id), expected));
    }
    assert_eq!(text(&server.ask(5, "tools/call", &delete("tea"))), "there is no note `tea`");
}

#[test]
fn a_client_of_2026_07_28_calls_again_with_the_answer() {
    let mut server = Server::start();
    let call = modern("keys", &json!({"elicitation": {}}));
    for (id, choice, expected) in
        [(1, "keep", "The user wants to keep `keys`."), (3, "delete", "`keys` is deleted.")]
    {
        let first = server.ask(id, "tools/call", &call)["result"].clone();
        assert_eq!(first["resultType"], "input_required");
        let form = &first["inputRequests"]["consent"]["params"]["requestedSchema"];
        assert_eq!(form["properties"]["choice"]["oneOf"][1]["title"], "Delete it for good");
        let mut again = call.clone();
        again["inputResponses"] = json!({"consent": choose(choice)});
        again["requestState"] = first["requestState"].clone();
        assert_eq!(text(&server.ask(id + 1, "tools/call", &again)), expected);
    }
}

#[test]
fn nothing_is_deleted_if_the_user_cannot_be_asked() {
    let mut server = Server::start();
    let refused = server.ask(1, "tools/call", &modern("keys", &json!({})));
    assert_eq!(refused["error"]["code"], -32021);
    let asked = server.ask(2, "tools/call", &modern("keys", &json!({"elicitation": {}})));
    assert_eq!(asked["result"]["resultType"], "input_required", "it is still there");
}
