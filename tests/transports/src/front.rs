//! A server that forwards everything to the stage, which is another server of this process. Its provider is the stage as a
//! service, or a client of it.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use toolwright::auth::Access;
use toolwright::protocol::ErrorObject;
use toolwright::{
    BoxFuture, Context, Prompt, Provider, Resource, ResourceTemplate, Revision, Server, Service,
    completion::{Completion, Reference},
    definition::ToolDefinition,
    input_requests::{InputRequest, InputRequired, InputResponses},
    prompt::PromptResult,
    protocol::LogLevel,
    provider::{
        Changes, CompletionRequest, Outcome, PromptRequest, ProviderCapabilities, RawResult, ResourceRequest,
        ToolRequest,
    },
    resource::ResourceResult,
    transport::Lines,
};

use crate::link::RUNTIME;
use crate::stage;

/// The kind of server in front of the stage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Front {
    /// Nothing.
    Stage,
    /// A server whose provider is the stage.
    Service,
    /// A server whose provider is a client of the stage in this revision.
    Client(Revision),
}

impl Front {
    /// As an argument of the program, and in failures.
    pub fn name(self) -> &'static str {
        match self {
            Self::Stage => "stage",
            Self::Service => "service",
            Self::Client(revision) => revision.as_str(),
        }
    }

    /// The front with this name; the stage itself by default.
    pub fn named(name: &str) -> Self {
        match Revision::from_name(name) {
            Some(revision) => Self::Client(revision),
            None if name == Self::Service.name() => Self::Service,
            None => Self::Stage,
        }
    }

    /// The server that clients connect to.
    ///
    /// # Panics
    /// If the stage is invalid.
    pub fn service(self) -> Service {
        let front = Server::new(()).name("stage").version("1.0.0").limits(stage::limits());
        let front = match self {
            Self::Stage => return stage::service(),
            Self::Service => front.provider(stage::service()),
            Self::Client(revision) => {
                // A runtime is not entered twice on one thread.
                let connected = std::thread::spawn(move || RUNTIME.block_on(Upstream::connect(revision)));
                front.provider(connected.join().expect("the stage answers"))
            }
        };
        front.build().expect("the definitions of the stage are right")
    }
}

/// A client of the stage.
#[derive(Clone)]
struct Upstream(Arc<Link>);

struct Link {
    revision: Revision,
    lines: UnboundedSender<String>,
    next_id: AtomicU64,
    /// The waiting requests, by id.
    waiting: Mutex<HashMap<u64, UnboundedSender<Event>>>,
    /// Calls in which the stage of the legacy era sent an input request, until they are retried with the response.
    suspended: Mutex<HashMap<String, (Value, Pending)>>,
    /// The subscriptions of the modern era to resources, by address.
    watched: Mutex<HashMap<String, u64>>,
    lists: Mutex<Lists>,
    changes: OnceLock<Changes>,
}

#[derive(Default)]
struct Lists {
    tools: Arc<[ToolDefinition]>,
    prompts: Arc<[Prompt]>,
    resources: Arc<[Resource]>,
    templates: Arc<[ResourceTemplate]>,
}

/// The events of a request.
enum Event {
    Answer(Result<Box<RawValue>, ErrorObject>),
    Notice(String, Value),
    Question(Value, InputRequest),
}

/// A request without its response. Dropping it cancels the request.
struct Pending {
    link: Arc<Link>,
    id: u64,
    events: UnboundedReceiver<Event>,
}

impl Drop for Pending {
    fn drop(&mut self) {
        if self.link.waiting().remove(&self.id).is_some() {
            self.link.notify("notifications/cancelled", &json!({"requestId": self.id}));
        }
    }
}

#[derive(Deserialize)]
struct Message {
    id: Option<Value>,
    method: Option<String>,
    #[serde(default)]
    params: Value,
    result: Option<Box<RawValue>>,
    error: Option<ErrorObject>,
}

impl Upstream {
    async fn connect(revision: Revision) -> Self {
        let (client, server) = tokio::io::duplex(64 << 10);
        let (reader, writer) = tokio::io::split(server);
        let stage = stage::service();
        RUNTIME.spawn(async move { stage.serve(Lines::new(reader, writer)).await });
        let (reader, writer) = tokio::io::split(client);
        let (lines, to_send) = unbounded_channel();
        let link = Arc::new(Link {
            revision,
            lines,
            next_id: AtomicU64::new(1),
            waiting: Mutex::default(),
            suspended: Mutex::default(),
            watched: Mutex::default(),
            lists: Mutex::default(),
            changes: OnceLock::new(),
        });
        RUNTIME.spawn(send(writer, to_send));
        RUNTIME.spawn(Arc::clone(&link).receive(reader));
        if revision.is_modern() {
            let all =
                json!({"toolsListChanged": true, "promptsListChanged": true, "resourcesListChanged": true});
            // It is never answered, nor waited for.
            std::mem::forget(link.request("subscriptions/listen", json!({"notifications": all})));
        } else {
            let params = json!({
                "protocolVersion": revision.as_str(),
                "capabilities": capabilities(),
                "clientInfo": {"name": "front", "version": "1"},
            });
            link.result("initialize", params).await;
            link.notify("notifications/initialized", &json!({}));
        }
        link.list_again().await;
        Self(link)
    }
}

/// The capabilities that clients of the front may have; the front detects missing ones.
fn capabilities() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {}, "roots": {}})
}

async fn send(mut writer: WriteHalf<DuplexStream>, mut lines: UnboundedReceiver<String>) {
    while let Some(line) = lines.recv().await {
        if writer.write_all(format!("{line}\n").as_bytes()).await.is_err() {
            return;
        }
    }
}

impl Link {
    fn waiting(&self) -> MutexGuard<'_, HashMap<u64, UnboundedSender<Event>>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lists(&self) -> MutexGuard<'_, Lists> {
        self.lists.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn send(&self, message: &Value) {
        // A stage that has ended answers nothing.
        let _ = self.lines.send(message.to_string());
    }

    fn notify(&self, method: &str, params: &Value) {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}));
    }

    fn request(self: &Arc<Self>, method: &str, mut params: Value) -> Pending {
        let id = self.next_id.fetch_add(1, Ordering::SeqCst);
        params["_meta"]["progressToken"] = id.into();
        if self.revision.is_modern() {
            let meta = &mut params["_meta"];
            meta["io.modelcontextprotocol/protocolVersion"] = self.revision.as_str().into();
            meta["io.modelcontextprotocol/clientCapabilities"] = capabilities();
            meta["io.modelcontextprotocol/logLevel"] = "debug".into();
        }
        let (sender, events) = unbounded_channel();
        self.waiting().insert(id, sender);
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}));
        Pending { link: Arc::clone(self), id, events }
    }

    /// The result of a request that sends no other messages.
    async fn result(self: &Arc<Self>, method: &str, params: Value) -> Value {
        let mut pending = self.request(method, params);
        loop {
            match pending.events.recv().await {
                Some(Event::Answer(Ok(result))) => return serde_json::from_str(result.get()).expect("JSON"),
                Some(Event::Answer(Err(error))) => panic!("{method}: {error:?}"),
                Some(_) => {}
                None => panic!("{method}: no answer"),
            }
        }
    }

    async fn all<T: DeserializeOwned>(self: &Arc<Self>, method: &str, member: &str) -> Arc<[T]> {
        let (mut all, mut params) = (Vec::new(), json!({}));
        loop {
            let mut page = self.result(method, params).await;
            let entries: Vec<T> = serde_json::from_value(page[member].take()).expect("a list");
            all.extend(entries);
            match page.get("nextCursor") {
                Some(cursor) => params = json!({"cursor": cursor}),
                None => return all.into(),
            }
        }
    }

    async fn list_again(self: &Arc<Self>) {
        let lists = Lists {
            tools: self.all("tools/list", "tools").await,
            prompts: self.all("prompts/list", "prompts").await,
            resources: self.all("resources/list", "resources").await,
            templates: self.all("resources/templates/list", "resourceTemplates").await,
        };
        *self.lists() = lists;
    }

    async fn receive(self: Arc<Self>, reader: ReadHalf<DuplexStream>) {
        let mut lines = BufReader::new(reader).lines();
        while let Ok(Some(line)) = lines.next_line().await {
            self.take(serde_json::from_str(&line).expect("a message"));
        }
        self.waiting().clear();
    }

    fn take(self: &Arc<Self>, message: Message) {
        let id = message.id.as_ref().and_then(Value::as_u64);
        match (message.method, message.id) {
            (None, _) => {
                let Some(waiting) = id.and_then(|id| self.waiting().remove(&id)) else { return };
                let answer = message.error.map_or(Ok(message.result), Err);
                let _ = waiting.send(Event::Answer(answer.map(Option::unwrap_or_default)));
            }
            (Some(method), Some(id)) => {
                self.tell_newest(Event::Question(id, InputRequest::new(method, message.params)));
            }
            (Some(method), None) => self.take_notice(method, message.params),
        }
    }

    fn take_notice(self: &Arc<Self>, method: String, params: Value) {
        let changes = self.changes.get();
        match method.as_str() {
            "notifications/progress" => {
                let token = params["progressToken"].as_u64();
                if let Some(waiting) = token.and_then(|token| self.waiting().get(&token).cloned()) {
                    let _ = waiting.send(Event::Notice(method, params));
                }
            }
            "notifications/message" => self.tell_newest(Event::Notice(method, params)),
            "notifications/resources/updated" => {
                if let (Some(changes), Some(uri)) = (changes, params["uri"].as_str()) {
                    changes.resource_updated(uri);
                }
            }
            "notifications/tools/list_changed" => {
                let link = Arc::clone(self);
                RUNTIME.spawn(async move {
                    link.list_again().await;
                    if let Some(changes) = link.changes.get() {
                        changes.tools();
                    }
                });
            }
            _ => {}
        }
    }

    /// A message without the id of a request belongs to the newest one: tests have one at a time that sends messages.
    fn tell_newest(&self, event: Event) {
        let waiting = self.waiting();
        if let Some((_, newest)) = waiting.iter().max_by_key(|(id, _)| **id) {
            let _ = newest.send(event);
        }
    }

    /// Forwards a request, and returns its events.
    async fn forward<T>(
        self: &Arc<Self>,
        method: &str,
        mut params: Value,
        input: Option<&InputResponses>,
        cx: &Context,
    ) -> Outcome<T> {
        let asked = input.and_then(|input| {
            let mut suspended = self.suspended.lock().unwrap_or_else(PoisonError::into_inner);
            suspended.remove(input.state.as_deref()?)
        });
        let mut pending = match (asked, input) {
            (Some((id, pending)), Some(input)) => {
                let answer = input.responses.values().next().expect("an answer");
                self.send(&json!({"jsonrpc": "2.0", "id": id, "result": answer}));
                pending
            }
            (_, input) => {
                if let Some(input) = input {
                    params["inputResponses"] = json!(input.responses);
                    params["requestState"] = json!(input.state);
                }
                self.request(method, params)
            }
        };
        loop {
            match pending.events.recv().await {
                Some(Event::Answer(Ok(result))) => return RawResult::new(self.revision, result).into(),
                Some(Event::Answer(Err(error))) => return error.into(),
                Some(Event::Notice(method, params)) => tell(cx, &method, &params).await,
                Some(Event::Question(id, question)) => {
                    let state = format!("call {}", pending.id);
                    let mut suspended = self.suspended.lock().unwrap_or_else(PoisonError::into_inner);
                    suspended.insert(state.clone(), (id, pending));
                    return InputRequired::new("question", question).with_state(state).into();
                }
                None => return ErrorObject::new(-32_603, "the stage is gone").into(),
            }
        }
    }
}

/// Forwards a notification that belongs to a call.
async fn tell(cx: &Context, method: &str, params: &Value) {
    if method == "notifications/progress" {
        let progress = params["progress"].as_f64().unwrap_or(f64::NAN);
        return cx.progress(progress, params["total"].as_f64(), params["message"].as_str()).await;
    }
    let level: LogLevel = serde_json::from_value(params["level"].clone()).expect("a level");
    cx.log(level, params["logger"].as_str(), &params["data"]).await;
}

fn read(arguments: Option<&RawValue>) -> Value {
    arguments.map_or_else(|| json!({}), |arguments| serde_json::from_str(arguments.get()).expect("JSON"))
}

impl Provider for Upstream {
    fn attach(&self, changes: Changes) {
        assert!(self.0.changes.set(changes).is_ok(), "it is attached once");
    }

    fn capabilities(&self) -> ProviderCapabilities {
        ProviderCapabilities::TOOLS.with_prompts().with_resources().with_completions()
    }

    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        Arc::clone(&self.0.lists().tools)
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let params =
            json!({"name": request.name, "arguments": read(request.arguments), "_meta": request.own_meta()});
        Box::pin(self.0.forward("tools/call", params, request.input, cx))
    }

    fn prompts(&self, _caller: &Access) -> Arc<[Prompt]> {
        Arc::clone(&self.0.lists().prompts)
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let params = json!({"name": request.name, "arguments": read(request.arguments)});
        Box::pin(self.0.forward("prompts/get", params, request.input, cx))
    }

    fn resources(&self, _caller: &Access) -> Arc<[Resource]> {
        Arc::clone(&self.0.lists().resources)
    }

    fn resource_templates(&self, _caller: &Access) -> Arc<[ResourceTemplate]> {
        Arc::clone(&self.0.lists().templates)
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        Box::pin(self.0.forward("resources/read", json!({"uri": request.uri}), request.input, cx))
    }

    fn watch_resource(&self, uri: &str) {
        if self.0.revision.is_modern() {
            let filter = json!({"notifications": {"resourceSubscriptions": [uri]}});
            let subscription = self.0.request("subscriptions/listen", filter);
            self.0.watched.lock().expect("no panic").insert(uri.to_owned(), subscription.id);
            std::mem::forget(subscription);
        } else {
            std::mem::forget(self.0.request("resources/subscribe", json!({"uri": uri})));
        }
    }

    fn unwatch_resource(&self, uri: &str) {
        if self.0.revision.is_modern() {
            if let Some(id) = self.0.watched.lock().expect("no panic").remove(uri) {
                self.0.notify("notifications/cancelled", &json!({"requestId": id}));
            }
        } else {
            std::mem::forget(self.0.request("resources/unsubscribe", json!({"uri": uri})));
        }
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        let reference = match request.reference {
            Reference::Prompt { name } => json!({"type": "ref/prompt", "name": name}),
            Reference::Resource { uri } => json!({"type": "ref/resource", "uri": uri}),
            other => panic!("{other:?}"),
        };
        let params = json!({
            "ref": reference,
            "argument": {"name": request.argument, "value": request.value},
            "context": {"arguments": request.arguments},
        });
        Box::pin(self.0.forward("completion/complete", params, None, cx))
    }
}
