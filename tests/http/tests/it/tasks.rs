//! Tasks over HTTP: headers against body, statuses, leaving and coming back (SEP-2663).

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};
use test_http::client::{Call, Response};
use test_http::lab::{Lab, MODERN, code, with_meta};
use toolwright::auth::Access;
use toolwright::tasks::{MemoryTaskStore, Task, TaskState, TaskStore, TaskStoreError};
use toolwright::{
    BoxFuture, Context, HttpConfig, Limits, Provider, Server, Service, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
    tasks::Tasks,
};

const TASKS: &str = "io.modelcontextprotocol/tasks";

/// One tool, whose calls sleep as tasks. It is not a typed one: any provider may have such.
#[derive(Debug, Default)]
struct Sleeper {
    /// Whether a call need not become a task.
    is_optional: bool,
}

impl Provider for Sleeper {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let mut nap = ToolDefinition::new("nap", json!({"type": "object", "properties": {}}));
        let support = if self.is_optional { "optional" } else { "required" };
        nap.meta = Some(Map::from_iter([("io.toolwright/task".to_owned(), support.into())]));
        [nap].into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let arguments: Value = request.arguments.map_or(Value::Null, |text| json!(text));
        Outcome::from_future(async move {
            if arguments["start"] == true {
                cx.start_task().await;
            }
            tokio::time::sleep(Duration::from_millis(arguments["ms"].as_u64().unwrap_or_default())).await;
            ToolResult::text("slept")
        })
    }
}

fn service(tasks: Tasks) -> Service {
    Server::new(()).provider(Sleeper::default()).tasks(tasks).build().expect("a service")
}

fn lab() -> Lab {
    Lab::serve(service(Tasks::new()), HttpConfig::new())
}

/// A request of a client that declares tasks.
fn request(lab: &Lab, method: &str, params: &Value) -> Call {
    let mut params = params.clone();
    let capabilities = json!({"extensions": {TASKS: {}}});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
    let call = lab.modern(method, &params).validate_as(MODERN, "");
    match params["taskId"].as_str() {
        Some(id) => call.header("Mcp-Name", id),
        None => call,
    }
}

fn nap(lab: &Lab, ms: u64) -> Response {
    request(lab, "tools/call", &json!({"name": "nap", "arguments": {"ms": ms}})).send()
}

fn id_of(mut made: Response) -> String {
    assert_eq!(made.status, 200);
    let made = made.json();
    assert_eq!(made["result"]["resultType"], "task", "{made}");
    made["result"]["taskId"].as_str().expect("an id").to_owned()
}

fn until(lab: &Lab, id: &str, status: &str) -> Value {
    let start = Instant::now();
    loop {
        let task = request(lab, "tasks/get", &json!({"taskId": id})).send().json();
        if task["result"]["status"] == status {
            return task["result"].clone();
        }
        assert!(start.elapsed() < Duration::from_secs(10), "{task}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn the_task_id_is_in_both_the_header_and_the_body() {
    let lab = lab();
    let id = id_of(nap(&lab, 60_000));
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        let call = || request(&lab, method, &json!({"taskId": id, "inputResponses": {}}));
        for wrong in [
            call().without("Mcp-Name"),
            call().replace("Mcp-Name", "another"),
            call().replace("Mcp-Method", "tools/call"),
            call().without("Mcp-Method"),
        ] {
            assert_eq!(code(wrong.send()), (400, -32020), "{method}");
        }
        let encoded = call().replace("Mcp-Name", &format!(" {id}\t")).send();
        assert_eq!(encoded.status, 200, "{method}");
        assert_eq!(code(request(&lab, method, &json!({"inputResponses": {}})).send()), (400, -32602));
    }
    until(&lab, &id, "cancelled");
}

#[test]
fn errors_have_the_specified_status() {
    let lab = lab();
    let unknown = json!({"taskId": "nobody", "inputResponses": {}});
    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        assert_eq!(code(request(&lab, method, &unknown).send()), (400, -32602), "{method}");
        let undeclared = lab.modern(method, &unknown).header("Mcp-Name", "nobody");
        assert_eq!(code(undeclared.send()), (400, -32021), "{method}");
    }
    for method in ["tasks/list", "tasks/result"] {
        assert_eq!(code(request(&lab, method, &unknown).send()), (404, -32601), "{method}");
    }
    assert_eq!(code(lab.call("nap", &json!({})).send()), (400, -32021));
}

#[test]
fn a_task_continues_after_its_client_disconnects() {
    let lab = lab();
    let ids: Vec<String> = (0..8).map(|_| id_of(nap(&lab, 200))).collect();
    for id in &ids {
        assert_eq!(until(&lab, id, "completed")["result"]["content"][0]["text"], "slept");
    }
}

#[test]
fn task_notifications_are_sent_on_a_stream() {
    let lab = lab();
    let id = id_of(nap(&lab, 300));
    let mut listen =
        request(&lab, "subscriptions/listen", &json!({"notifications": {"taskIds": [id, "nobody"]}})).send();
    assert!(listen.is_events());
    let acknowledged = listen.message().expect("the acknowledgement");
    assert_eq!(acknowledged["params"]["notifications"], json!({"taskIds": [id]}));
    let word = listen.message().expect("a notification");
    assert_eq!(
        (&word["method"], &word["params"]["status"]),
        (&json!("notifications/tasks"), &json!("completed"))
    );
    assert_eq!(word["params"]["result"]["content"][0]["text"], "slept");
}

/// A store that the test keeps.
#[derive(Debug, Clone, Default)]
struct Kept(Arc<MemoryTaskStore>);

impl TaskStore for Kept {
    fn create<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        self.0.create(task)
    }

    fn get<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>> {
        self.0.get(id)
    }

    fn update<'a>(&'a self, task: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        self.0.update(task)
    }

    fn remove<'a>(&'a self, id: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        self.0.remove(id)
    }
}

#[test]
fn tasks_end_with_the_last_transport() {
    let kept = Kept::default();
    let service = service(Tasks::new().store(kept.clone()));
    let first = Lab::serve(service.clone(), HttpConfig::new());
    let second = Lab::serve(service, HttpConfig::new());
    let id = id_of(nap(&second, 600_000));
    drop(first);
    assert_eq!(until(&second, &id, "working")["taskId"], json!(id), "another transport still serves");
    drop(second);
    let runtime = tokio::runtime::Builder::new_current_thread().build().expect("a runtime");
    let task = runtime.block_on(kept.get(&id)).expect("memory does not fail").expect("it is kept");
    let TaskState::Failed(error) = task.state else { panic!("{task:?}") };
    assert!(error.get().contains("the server was shut down"), "{error}");
}

#[test]
fn only_a_requests_own_metadata_counts() {
    let lab = lab();
    let id = id_of(nap(&lab, 60_000));
    let bare = lab.modern("tasks/get", &with_meta(&json!({"taskId": id}))).header("Mcp-Name", &id);
    assert_eq!(code(bare.send()), (400, -32021));
    assert_eq!(until(&lab, &id, "working")["status"], "working");
}

/// A store that keeps nothing.
#[derive(Debug)]
struct Full;

impl TaskStore for Full {
    fn create<'a>(&'a self, _: &'a Task) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(std::future::ready(Err(TaskStoreError::new("it is full"))))
    }

    fn get<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Task>, TaskStoreError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn update<'a>(&'a self, _: &'a Task) -> BoxFuture<'a, Result<bool, TaskStoreError>> {
        Box::pin(std::future::ready(Ok(false)))
    }

    fn remove<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<(), TaskStoreError>> {
        Box::pin(std::future::ready(Ok(())))
    }
}

fn limited(is_optional: bool, tasks: Tasks, limits: Limits) -> Lab {
    let server = Server::new(()).provider(Sleeper { is_optional }).tasks(tasks).limits(limits);
    let config =
        HttpConfig::new().caller_address(|head| head.headers.get("x-caller")?.to_str().ok()?.parse().ok());
    Lab::serve(server.build().expect("a service"), config)
}

#[test]
fn a_task_that_cannot_be_stored_may_run_as_a_call() {
    for arguments in [json!({"ms": 1}), json!({"ms": 1, "start": true})] {
        let call = json!({"name": "nap", "arguments": arguments});
        let optional = limited(true, Tasks::new().store(Full), Limits::default());
        let result = request(&optional, "tools/call", &call).send().json()["result"].take();
        assert_eq!(
            (&result["resultType"], &result["content"][0]["text"]),
            (&json!("complete"), &json!("slept"))
        );
        let required = limited(false, Tasks::new().store(Full), Limits::default());
        let error = request(&required, "tools/call", &call).send().json()["error"].take();
        assert_eq!(error["code"], -32603);
        assert!(error["message"].as_str().is_some_and(|text| text.contains("it is full")), "{error}");
    }
}

/// It has the time of a call then, and is cancelled as one.
#[test]
fn a_task_that_became_a_call_has_the_time_of_one() {
    let limits = Limits { call_timeout: Duration::from_millis(50), ..Limits::default() };
    let lab = limited(true, Tasks::new().store(Full), limits);
    let result = nap(&lab, 600_000).json()["result"].take();
    assert_eq!(result["isError"], true, "{result}");
}

#[test]
fn tasks_of_one_caller_leave_room_for_another() {
    for is_optional in [false, true] {
        let lab = limited(is_optional, Tasks::new().max_running_per_caller(1), Limits::default());
        let nap = |caller: &str, ms: u64| {
            let call = request(&lab, "tools/call", &json!({"name": "nap", "arguments": {"ms": ms}}));
            call.header("X-Caller", caller).send()
        };
        id_of(nap("10.0.0.1", 600_000));
        let mut second = nap("10.0.0.1", 1);
        let second = second.json();
        if is_optional {
            assert_eq!(second["result"]["content"][0]["text"], "slept", "a call like any other");
        } else {
            let text = second["error"]["message"].as_str().expect("an error");
            assert!(text.contains("too many tasks of this caller (the limit is 1)"), "{text}");
        }
        id_of(nap("10.0.0.2", 600_000));
    }
}
