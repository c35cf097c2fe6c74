//! A tool whose calls follow the test's instructions, a client that declares tasks, and helpers that wait for
//! effects.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use test_protocol::raw::{RawClient, RawError};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::task::AbortHandle;
use toolwright::{Context, Handler, Server, Service, Tool, ToolError, Toolset, tasks::Tasks};

pub(crate) const TASKS: &str = "io.modelcontextprotocol/tasks";

/// The time limit of everything that the test waits for.
const TIMEOUT: Duration = Duration::from_secs(10);

/// Does what the test says.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task)]
pub(crate) struct Play {
    /// Which of the test's scripts.
    #[mcp(min_length = 1)]
    script: String,
}

/// Does nothing, and only as a task.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
pub(crate) struct Must {
    /// Whether to wait a moment.
    #[serde(default)]
    wait: bool,
}

/// Does nothing.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub(crate) struct Plain {}

/// Asks first, and then goes on as a task that asks again.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(task)]
pub(crate) struct AskThenWork {}

#[derive(Debug, Toolset)]
#[mcp(handler = Stage)]
enum StageTools {
    Play(Play),
    Must(Must),
    Plain(Plain),
    AskThenWork(AskThenWork),
}

/// The next step of a call of [`Play`].
#[derive(Debug)]
pub(crate) enum Do {
    /// Requests a name under this key in a spawned task, unless that is already waiting.
    Ask(&'static str),
    /// Stops waiting for the response with this key.
    Withdraw(&'static str),
    Say(&'static str),
    Return(String),
    Fail,
    Panic,
}

/// The state that the handlers and the test share.
#[derive(Debug, Clone, Default)]
pub(crate) struct Stage(Arc<Shared>);

#[derive(Debug, Default)]
struct Shared {
    scripts: Mutex<HashMap<String, UnboundedReceiver<Do>>>,
    /// The outcomes of the questions of [`Play`].
    answers: Mutex<Vec<String>>,
    running: AtomicUsize,
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Name {
    name: String,
}

/// Counts a handler while it exists.
struct Counted(Arc<Shared>);

impl Drop for Counted {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Stage {
    /// A script for one call of [`Play`].
    pub(crate) fn script(&self, name: &str) -> UnboundedSender<Do> {
        let (sender, script) = unbounded_channel();
        self.0.scripts.lock().unwrap_or_else(PoisonError::into_inner).insert(name.to_owned(), script);
        sender
    }

    /// The number of running handlers of [`Play`].
    pub(crate) fn running(&self) -> usize {
        self.0.running.load(Ordering::SeqCst)
    }

    /// The outcomes of the input requests.
    pub(crate) fn answers(&self) -> Vec<String> {
        self.0.answers.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Handler<Play> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Play, cx: &Context) -> Self::Output {
        let script = self.0.scripts.lock().unwrap_or_else(PoisonError::into_inner).remove(&input.script);
        let Some(mut script) = script else { return Ok("there is no script".to_owned()) };
        self.0.running.fetch_add(1, Ordering::SeqCst);
        let _counted = Counted(Arc::clone(&self.0));
        let mut asking: HashMap<&str, AbortHandle> = HashMap::new();
        while let Some(next) = script.recv().await {
            match next {
                Do::Ask(key) if asking.get(key).is_some_and(|asks| !asks.is_finished()) => {}
                Do::Ask(key) => {
                    let (cx, shared) = (cx.clone(), Arc::clone(&self.0));
                    let asks = async move {
                        let answer = cx.elicit::<Name>(key, &format!("What is {key}?")).await;
                        let words = match answer {
                            Ok(answer) => format!("{key}: {:?}", answer.accepted().map(|answer| answer.name)),
                            Err(error) => format!("{key}: {error}"),
                        };
                        shared.answers.lock().unwrap_or_else(PoisonError::into_inner).push(words);
                    };
                    asking.insert(key, tokio::spawn(asks).abort_handle());
                }
                Do::Withdraw(key) => {
                    if let Some(asks) = asking.remove(key) {
                        asks.abort();
                    }
                }
                Do::Say(message) => cx.progress(1.0, None, Some(message)).await,
                Do::Return(text) => return Ok(text),
                Do::Fail => return Err(ToolError::new("it failed")),
                Do::Panic => panic!("the secret reason"),
            }
        }
        Ok("the script has ended".to_owned())
    }
}

impl Handler<Must> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Must, _cx: &Context) -> Self::Output {
        if input.wait {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
        Ok("done".to_owned())
    }
}

impl Handler<Plain> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Plain, _cx: &Context) -> Self::Output {
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok("done".to_owned())
    }
}

impl Handler<AskThenWork> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: AskThenWork, cx: &Context) -> Self::Output {
        let first = cx.elicit::<Name>("first", "Who are you?").await?.accepted();
        let Some(first) = first else { return Ok("nobody".to_owned()) };
        cx.start_task().await;
        let again = cx.elicit::<Name>("first", "Who are you?").await?.accepted();
        let second = cx.elicit::<Name>("second", "And who else?").await?.accepted();
        let names = [Some(first), again, second].into_iter().flatten().map(|answer| answer.name);
        Ok(names.collect::<Vec<_>>().join(", "))
    }
}

/// A server on whose stage calls are played.
pub(crate) fn service(stage: &Stage, tasks: Tasks) -> Service {
    Server::new(stage.clone()).tools::<StageTools>().tasks(tasks).build().expect("a service")
}

/// The `_meta` of a client that supports tasks.
pub(crate) fn meta() -> Value {
    json!({"io.modelcontextprotocol/clientCapabilities": {"elicitation": {}, "extensions": {TASKS: {}}}})
}

/// A client that declares tasks on each request.
#[derive(Debug)]
pub(crate) struct Caller(pub(crate) RawClient);

impl Caller {
    pub(crate) fn of(service: &Service) -> Self {
        Self(RawClient::in_process(service))
    }

    pub(crate) async fn request(&self, method: &str, mut params: Value) -> Result<Value, RawError> {
        params["_meta"] = meta();
        self.0.request(method, params).await
    }

    /// The code of the error that a request is answered with.
    pub(crate) async fn refused(&self, method: &str, params: Value) -> (i32, String) {
        match self.request(method, params).await {
            Err(RawError::Rpc(error)) => (error.code, error.message),
            other => panic!("{method}: no error: {other:?}"),
        }
    }

    /// Starts a call of [`Play`] that becomes a task; returns its id.
    pub(crate) async fn play(&self, script: &str) -> String {
        let made = self.request("tools/call", json!({"name": "play", "arguments": {"script": script}})).await;
        let made = made.expect("a task");
        assert_eq!((&made["resultType"], &made["status"]), (&json!("task"), &json!("working")), "{made}");
        made["taskId"].as_str().expect("an id").to_owned()
    }

    pub(crate) async fn get(&self, id: &str) -> Value {
        self.request("tasks/get", json!({"taskId": id})).await.expect("a task")
    }

    /// Sends one answer.
    pub(crate) async fn answer(&self, id: &str, key: &str, answer: Value) {
        let params = json!({"taskId": id, "inputResponses": {key: answer}});
        let acknowledged = self.request("tasks/update", params).await.expect("an acknowledgement");
        assert_acknowledged(&acknowledged);
    }

    pub(crate) async fn cancel(&self, id: &str) {
        let acknowledged = self.request("tasks/cancel", json!({"taskId": id})).await;
        assert_acknowledged(&acknowledged.expect("an acknowledgement"));
    }

    /// The task as soon as `is_so` holds for it.
    pub(crate) async fn until(&self, id: &str, is_so: impl Fn(&Value) -> bool) -> Value {
        let end = Instant::now() + TIMEOUT;
        loop {
            let task = self.get(id).await;
            if is_so(&task) {
                return task;
            }
            assert!(Instant::now() < end, "it never comes to that: {task}");
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
    }

    pub(crate) async fn until_status(&self, id: &str, status: &str) -> Value {
        self.until(id, |task| task["status"] == status).await
    }

    /// Waits until the task asks exactly this.
    pub(crate) async fn until_asked(&self, id: &str, keys: &[&str]) -> Value {
        self.until(id, |task| asked(task) == keys).await
    }
}

/// The keys of a task's input requests.
pub(crate) fn asked(task: &Value) -> Vec<&str> {
    task["inputRequests"].as_object().into_iter().flatten().map(|(key, _)| key.as_str()).collect()
}

/// A response to the request for a name.
pub(crate) fn named(name: &str) -> Value {
    json!({"action": "accept", "content": {"name": name}})
}

fn assert_acknowledged(result: &Value) {
    let members: Vec<&str> = result.as_object().expect("an object").keys().map(String::as_str).collect();
    assert_eq!((&result["resultType"], members), (&json!("complete"), vec!["resultType", "_meta"]));
}

/// Waits until `is_so` holds.
pub(crate) async fn eventually(what: &str, is_so: impl Fn() -> bool) {
    let end = Instant::now() + TIMEOUT;
    while !is_so() {
        assert!(Instant::now() < end, "it never comes to that: {what}");
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
}
