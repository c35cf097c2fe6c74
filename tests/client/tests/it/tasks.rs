//! Calls that a server continues as tasks.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream};
use toolwright::{
    Context, Handler, Revision, Server, Tool, ToolError, Toolset, input_requests::Elicited, tasks::Tasks,
    transport::Lines,
};
use toolwright_client::{Client, ClientBuilder, ElicitationResponse, ErrorKind};

/// Runs for a while, and may then request input or fail.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
struct Work {
    /// The duration in milliseconds.
    ms: u64,
    /// Whether it requests input.
    #[serde(default)]
    asks: bool,
    /// Whether it fails.
    #[serde(default)]
    fails: bool,
}

#[derive(Deserialize, JsonSchema)]
struct Name {
    name: String,
}

#[derive(Toolset)]
#[mcp(handler = Shop)]
enum Tools {
    Work(Work),
}

#[derive(Default)]
struct Shop(Arc<AtomicUsize>);

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Handler<Work> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Work, cx: &Context) -> Self::Output {
        let _dropped = Dropped(Arc::clone(&self.0));
        cx.progress(1.0, None, Some("starting")).await;
        tokio::time::sleep(Duration::from_millis(input.ms)).await;
        if input.fails {
            return Err(ToolError::new("out of paper"));
        }
        if !input.asks {
            return Ok("done".to_owned());
        }
        Ok(match cx.elicit::<Name>("name", "Your name?").await? {
            Elicited::Accepted(Name { name }) => format!("done for {name}"),
            other => format!("{:?}", other.accepted().is_some()),
        })
    }
}

async fn connect(builder: ClientBuilder, serve: impl FnOnce(DuplexStream)) -> Client {
    let (client_end, server_end) = tokio::io::duplex(1 << 16);
    serve(server_end);
    let (reader, writer) = tokio::io::split(client_end);
    builder.connect_streams("here", reader, writer).await.unwrap()
}

/// Connects to our own server; also returns the number of its ended calls.
async fn modern(builder: ClientBuilder) -> (Client, Arc<AtomicUsize>) {
    let shop = Shop::default();
    let ended = Arc::clone(&shop.0);
    let service = Server::new(shop).tools::<Tools>().tasks(Tasks::new()).build().unwrap();
    let serve = |stream| {
        let (reader, writer) = tokio::io::split(stream);
        tokio::spawn(async move { service.serve(Lines::new(reader, writer)).await });
    };
    (connect(builder, serve).await, ended)
}

fn named() -> ClientBuilder {
    Client::builder().tasks().on_elicitation(async |_| {
        ElicitationResponse::Accept(json!({"name": "Ada"}).as_object().unwrap().clone())
    })
}

#[tokio::test]
async fn a_call_waits_for_its_task_and_responds_to_its_requests() {
    let (client, _) = modern(named()).await;
    assert_eq!(client.call("work", json!({"ms": 50})).await.unwrap().as_text(), "done");
    let result = client.call("work", json!({"ms": 50, "asks": true})).await.unwrap();
    assert_eq!(result.as_text(), "done for Ada");
    let failed = client.call("work", json!({"ms": 50, "fails": true})).await.unwrap();
    assert!(failed.is_error && failed.as_text() == "out of paper", "{failed:?}");
}

#[tokio::test]
async fn the_status_messages_of_a_task_are_progress() {
    let (client, _) = modern(named()).await;
    let seen = std::sync::Mutex::new(Vec::new());
    let call = client.call("work", json!({"ms": 300}));
    call.on_progress(|progress| seen.lock().unwrap().push((progress.progress, progress.message)))
        .await
        .unwrap();
    assert_eq!(*seen.lock().unwrap(), [(1.0, Some("starting".to_owned()))]);
}

#[tokio::test]
async fn a_task_is_cancelled_when_its_call_is_dropped() {
    let (client, ended) = modern(named()).await;
    let call = client.call("work", json!({"ms": 60_000})).into_future();
    assert!(tokio::time::timeout(Duration::from_millis(200), call).await.is_err());
    for _ in 0..500 {
        if ended.load(Ordering::SeqCst) == 1 {
            return;
        }
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    panic!("the task is still running");
}

#[tokio::test(start_paused = true)]
async fn an_endless_task_times_out() {
    let (client, _) = modern(named().max_duration(Duration::from_secs(70))).await;
    let late = client.call("work", json!({"ms": 120_000})).await.unwrap_err();
    super::check(&late, ErrorKind::Timeout, &["did not finish within 70s", "timeout"]);
}

#[tokio::test]
async fn a_task_that_requires_unsupported_input_is_an_error() {
    let (client, _) = modern(Client::builder().tasks()).await;
    let outcome = client.call("work", json!({"ms": 10, "asks": true})).await;
    assert!(outcome.as_ref().map_or(true, |result| result.is_error), "{outcome:?}");
}

/// Serves 2025-11-25, with a task that is completed at the third `tasks/get`.
fn legacy(stream: DuplexStream) {
    tokio::spawn(async move {
        let (reader, mut writer) = tokio::io::split(stream);
        let mut lines = BufReader::new(reader).lines();
        let mut polls = 0;
        let task = |status: &str| {
            json!({"taskId": "t", "status": status, "createdAt": "2026-01-01T00:00:00Z",
                "lastUpdatedAt": "2026-01-01T00:00:00Z", "ttl": null, "pollInterval": 20})
        };
        while let Ok(Some(line)) = lines.next_line().await {
            let request: Value = serde_json::from_str(&line).unwrap();
            let result = match request["method"].as_str().unwrap_or_default() {
                "initialize" => {
                    json!({"protocolVersion": "2025-11-25", "serverInfo": {"name": "old", "version": "1"},
                    "capabilities": {"tools": {}, "tasks": {"requests": {"tools": {"call": {}}}}}})
                }
                "tools/list" => json!({"tools": [
                    {"name": "work", "inputSchema": {"type": "object"}, "execution": {"taskSupport": "required"}},
                    {"name": "plain", "inputSchema": {"type": "object"}}]}),
                "tools/call" if request["params"]["name"] == "plain" => {
                    assert_eq!(request["params"].get("task"), None);
                    json!({"content": [{"type": "text", "text": "plain"}]})
                }
                "tools/call" => {
                    assert_eq!(request["params"]["task"], json!({}));
                    json!({"task": task("working")})
                }
                "tasks/get" => {
                    polls += 1;
                    task(if polls < 3 { "working" } else { "completed" })
                }
                "tasks/result" => json!({"content": [{"type": "text", "text": format!("after {polls}")}]}),
                _ => continue,
            };
            let response =
                json!({"jsonrpc": "2.0", "id": request["id"], "result": result}).to_string() + "\n";
            writer.write_all(response.as_bytes()).await.unwrap();
        }
    });
}

#[tokio::test]
async fn tasks_of_2025_11_25_are_requested_and_fetched() {
    let client = connect(Client::builder().revision(Revision::V2025_11_25).tasks(), legacy).await;
    client.list_tools().await.unwrap();
    assert_eq!(client.call("work", ()).await.unwrap().as_text(), "after 3");
    assert_eq!(client.call("plain", ()).await.unwrap().as_text(), "plain");
}
