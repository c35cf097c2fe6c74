//! Tasks of any provider, without a server behind it.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::{ErrorObject, Task, TaskStatus};
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Context, Outcome, Provider, ProviderCapabilities, Server, TaskAction, TaskRequest, ToolRequest,
};

use crate::tasks::{ADA, Caller, TASKS, protected, read_until};

/// A provider of the user's own, whose tasks are elsewhere.
#[derive(Clone, Default)]
struct Jobs(Arc<Mutex<Vec<String>>>);

impl Provider for Jobs {
    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_tasks()
    }

    fn tools(&self, _: &Access) -> Arc<[ToolDefinition]> {
        let output = json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
        let tool = |name| {
            let mut tool = ToolDefinition::new(name, json!({"type": "object"}));
            tool.output_schema = Some(output.clone());
            tool
        };
        ["fits", "long", "misfits", "works"].map(tool).into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        assert_eq!(cx.accepts_task(), cx.client_extension(TASKS).is_some());
        let id = if request.name == "long" { "x".repeat(4_000) } else { request.name.to_owned() };
        let task = Task::new(id, TaskStatus::Working, "2026-01-01T00:00:00Z");
        Box::pin(std::future::ready(Outcome::Created(Box::new(task))))
    }

    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        _cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        self.0.lock().unwrap().push(format!("{:?} {} {}", request.action, request.id, request.tool));
        let n = if request.tool == "fits" { json!(1) } else { json!("one") };
        let result = json!({"content": [], "structuredContent": {"n": n}, "resultType": "complete"});
        Box::pin(async move {
            if request.tool == "works" {
                let mut task = Task::new(request.id, TaskStatus::Working, "2026-01-01T00:00:00Z");
                task.poll_interval_ms = Some(1);
                return Ok(Some(task));
            }
            let mut task = Task::new(request.id, TaskStatus::Completed, "2026-01-01T00:00:00Z");
            task.result = serde_json::value::to_raw_value(&result).ok();
            task.meta =
                json!({"own": 1, "io.modelcontextprotocol/serverInfo": {"name": "x"}}).as_object().cloned();
            Ok(matches!(request.action, TaskAction::Get).then_some(task))
        })
    }
}

#[tokio::test]
async fn any_provider_can_return_tasks() {
    let jobs = Jobs::default();
    let front = protected(Server::new(()).name("front").provider(jobs.clone()).build().unwrap());
    let ada = Caller::new(&front, ADA);
    let discovered = ada.request("server/discover", json!({})).await;
    assert!(discovered["result"]["capabilities"]["extensions"][TASKS].is_object(), "{discovered}");
    let fits = ada.start("fits").await;
    let task = ada.get(&fits).await;
    assert_eq!(task["result"]["result"]["structuredContent"], json!({"n": 1}), "{task}");
    let own = json!({"own": 1, "io.modelcontextprotocol/serverInfo": {"name": "front", "version": "0.0.0"}});
    assert_eq!(task["result"]["_meta"], own);
    let misfits = ada.start("misfits").await;
    let task = ada.get(&misfits).await;
    assert_eq!(
        (&task["result"]["status"], &task["result"]["result"]["isError"]),
        (&json!("completed"), &json!(true))
    );
    let told = ada.request("tasks/cancel", json!({"taskId": fits})).await;
    assert_eq!(told["result"]["resultType"], "complete", "{told}");
    assert_eq!(jobs.0.lock().unwrap().last().unwrap(), "Cancel fits fits");
    // What a client did not request, and an id that does not fit into a header.
    let call = json!({"name": "fits", "arguments": {}});
    let refused = ada.said("tools/call", call, false).await;
    assert_eq!(refused["error"]["code"], -32603, "{refused}");
    let long = ada.request("tools/call", json!({"name": "long", "arguments": {}})).await;
    assert!(long["error"]["message"].as_str().unwrap().contains("too long"), "{long}");
}

#[tokio::test]
async fn a_subscription_follows_at_most_64_tasks() {
    let front = protected(Server::new(()).name("front").provider(Jobs::default()).build().unwrap());
    let ada = Caller::new(&front, ADA);
    let mut ids = Vec::new();
    for _ in 0..65 {
        ids.push(ada.start("works").await);
    }
    let wanted = json!({"notifications": {"taskIds": ids}});
    let (mut stream, mut all) = (ada.open("subscriptions/listen", wanted, true).await, String::new());
    // The acknowledgment precedes the first notification.
    read_until(&mut stream, &mut all, r#""status":"working""#).await;
    let acknowledged = all.lines().find(|line| line.contains("subscriptions/acknowledged")).unwrap();
    assert_eq!(ids.iter().filter(|id| acknowledged.contains(*id)).count(), 64, "{acknowledged}");
}

#[tokio::test]
async fn a_followed_task_is_requested_ten_times_a_second() {
    let jobs = Jobs::default();
    let front = protected(Server::new(()).name("front").provider(jobs.clone()).build().unwrap());
    let ada = Caller::new(&front, ADA);
    let id = ada.start("works").await;
    let start = Instant::now();
    let (mut stream, mut all) = (
        ada.open("subscriptions/listen", json!({"notifications": {"taskIds": [id]}}), true).await,
        String::new(),
    );
    read_until(&mut stream, &mut all, r#""status":"working""#).await;
    tokio::time::sleep(Duration::from_millis(500)).await;
    // It asks for one millisecond; what is waited for in between is never less than 100.
    let (requested, most) = (jobs.0.lock().unwrap().len(), start.elapsed().as_millis() / 100 + 1);
    assert!(requested > 1 && requested as u128 <= most, "{requested} requests, at most {most} expected");
}
