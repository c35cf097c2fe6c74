//! Tests of reading while handlers block their threads.

use std::fs::File;
use std::io::{BufRead as _, BufReader, PipeReader, PipeWriter, Write as _, pipe};
use std::os::fd::OwnedFd;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::ToolResult;

use super::super::watch::tests::near_last_turn;
use crate::{BoxFuture, Context, Outcome, Provider, Server, ToolRequest};

/// Blocks the reading thread for longer than the watcher waits.
struct Blocking;

impl Provider for Blocking {
    fn tools(&self, _: &crate::auth::Access) -> std::sync::Arc<[ToolDefinition]> {
        [ToolDefinition::new("block", json!({"type": "object"}))].into()
    }

    fn call_tool<'a>(&'a self, _: ToolRequest<'a>, _: &'a Context) -> BoxFuture<'a, Outcome> {
        std::thread::sleep(Duration::from_millis(60));
        Outcome::from_future(std::future::ready(ToolResult::text("done")))
    }
}

fn ask(
    requests: &mut PipeWriter,
    answers: &mut BufReader<PipeReader>,
    id: i32,
    method: &str,
    params: &Value,
) -> Value {
    let request = json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params});
    requests.write_all(format!("{request}\n").as_bytes()).expect("written");
    let mut line = String::new();
    answers.read_line(&mut line).expect("an answer");
    serde_json::from_str(&line).expect("JSON")
}

/// A takeover for each blocking call, while the counter of turns wraps around.
#[tokio::test]
async fn reading_continues_when_turns_wrap_around() {
    let service = Server::new(()).provider(Blocking).build().expect("a service");
    let (input, mut requests) = pipe().expect("a pipe");
    let (answers, output) = pipe().expect("a pipe");
    let (input, output) = (File::from(OwnedFd::from(input)), File::from(OwnedFd::from(output)));
    let client = std::thread::spawn(move || {
        let mut answers = BufReader::new(answers);
        let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
        ask(&mut requests, &mut answers, 0, "initialize", &hello);
        for id in 1..=4 {
            let call = json!({"name": "block", "arguments": {}});
            let answer = ask(&mut requests, &mut answers, id, "tools/call", &call);
            assert_eq!(answer["id"], id);
        }
        ask(&mut requests, &mut answers, 5, "ping", &json!({}))
    });
    super::serve(&service, input, output, near_last_turn(1), std::future::pending()).await.expect("served");
    assert_eq!(client.join().expect("answered")["id"], 5);
}
