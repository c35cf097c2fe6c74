//! A client as a provider: `lists` caches the upstream lists, `watching` keeps resources watched upstream, `tasks`
//! forwards requests about upstream tasks, `failure` describes why a request failed.

mod failure;
mod lists;
mod tasks;
mod watching;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::task::AbortHandle;
use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ClientError, ErrorKind, ServerInfo};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::boxed;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::{ErrorObject, Task, error, extension, meta, method};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};
use toolwright_core::result::ToolResult;
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Changes, Completion, CompletionRequest, Context, Directory, DirectoryRequest, InputRequired,
    InputResponses, Outcome, PromptRequest, ProvidedSkill, Provider, ProviderCapabilities, RawResult,
    Reference, ResourceRequest, TaskRequest, ToolRequest,
};

use crate::breaker::Breaker;
use crate::conversation::{Conversation, Conversations, Stop};
use crate::gateway_meta::drop_gateway_members;

use self::failure::Failure;
use self::lists::Lists;
pub use self::watching::MAX_WATCHED;
use self::watching::Watched;

/// Serves another server, of any kind and revision, as a provider of this one.
///
/// Forwards tools, prompts, resources, resource templates, skills and completion, with progress, cancellation and log
/// messages, and elicitation, sampling and roots to the client of the call, for any combination of revisions. A
/// circuit breaker observes the upstream server: if 5 of the last 10 requests were not answered, requests fail
/// immediately (`circuit_open`) for 30 seconds; then one is sent to probe the server.
///
/// Lists are cached and updated when the upstream server changes them; a resource is watched upstream while a
/// client watches it here. Unknown members are forwarded unchanged.
///
/// Tasks of a server of 2026-07-28 are forwarded to clients that declare the extension: the id that the client gets
/// leads to the upstream task. For all other clients, and with servers of 2025-11-25, the proxy waits for the result.
///
/// Not forwarded: log messages outside of calls, and cache hints of resources.
///
/// ```no_run
/// use toolwright_gateway::Proxy;
/// use toolwright_server::Server;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let proxy = Proxy::connect("https://example.com/mcp").await?;
/// let service = Server::new(()).provider(proxy).build()?;
/// # drop(service);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Proxy {
    upstream: Arc<Upstream>,
    tasks: Vec<AbortHandle>,
}

/// The upstream server.
#[derive(Debug)]
pub(crate) struct Upstream {
    pub(crate) client: Client,
    pub(crate) info: ServerInfo,
    /// Its name in a gateway.
    name: Option<String>,
    pub(crate) lists: Lists,
    pub(crate) watched: Watched,
    conversations: Arc<Conversations>,
    breaker: Breaker,
    /// The servers that are notified of changes.
    listeners: Mutex<Vec<Changes>>,
}

impl Proxy {
    /// Connects to the upstream server: a URL, or a [`ServerSpec`] of any kind.
    ///
    /// # Errors
    /// Those of [`ClientBuilder::connect`](toolwright_client::ClientBuilder::connect) and
    /// [`Client::list_tools`].
    pub async fn connect(server: impl Into<ServerSpec>) -> Result<Self, ClientError> {
        Self::new(Client::builder().relay_input_requests().connect(server).await?).await
    }

    /// Uses an existing client, which should have been built with
    /// [`relay_input_requests`](toolwright_client::ClientBuilder::relay_input_requests): otherwise, no elicitation, sampling or roots
    /// capabilities are declared to servers of 2025-11-25 and earlier. Reads all lists, and updates them until
    /// the proxy is dropped.
    ///
    /// # Errors
    /// Returns an error if the client cannot connect, or a list cannot be read.
    ///
    /// # Panics
    /// Outside of a Tokio runtime.
    pub async fn new(client: Client) -> Result<Self, ClientError> {
        Self::with_name(client, None).await
    }

    /// The same for a server that has this name in a gateway.
    pub(crate) async fn with_name(client: Client, name: Option<String>) -> Result<Self, ClientError> {
        let info = client.server().await?;
        let upstream = Arc::new(Upstream {
            client,
            info,
            name,
            lists: Lists::default(),
            watched: Watched::default(),
            conversations: Arc::default(),
            breaker: Breaker::default(),
            listeners: Mutex::default(),
        });
        // Subscribes first, so that no change is missed.
        let following = lists::follow(Arc::clone(&upstream)).await;
        upstream.request_all_logs().await;
        upstream.read_all_lists().await?;
        let watching = tokio::spawn(watching::sync_watches(Arc::clone(&upstream)));
        let tasks = following.into_iter().chain([watching]).map(|task| task.abort_handle()).collect();
        Ok(Self { upstream, tasks })
    }

    /// Returns the implementation info of the upstream server.
    pub fn server(&self) -> &ServerInfo {
        &self.upstream.info
    }

    /// Returns the instructions of the upstream server, for
    /// [`Server::instructions`](toolwright_server::Server::instructions).
    pub fn instructions(&self) -> Option<&str> {
        self.upstream.info.instructions.as_deref()
    }

    /// Returns whether the circuit breaker is open: requests fail immediately, since too few were answered.
    pub fn is_circuit_open(&self) -> bool {
        self.upstream.breaker.is_open()
    }

    /// Returns the client of the proxy.
    pub fn client(&self) -> &Client {
        &self.upstream.client
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.tasks.iter().for_each(AbortHandle::abort);
    }
}

impl Upstream {
    /// Notifies all servers that use this provider of a change.
    pub(crate) fn notify(&self, notify: impl Fn(&Changes)) {
        let listeners = self.listeners.lock().unwrap_or_else(PoisonError::into_inner).clone();
        listeners.iter().for_each(notify);
    }

    /// Forwards a request, or resumes one that waited for input responses.
    async fn forward(
        &self,
        request: ForwardedRequest<'_>,
        cx: &Context,
    ) -> Result<ForwardedResponse, ErrorObject> {
        let resumed = match request.input {
            Some(input) if self.info.revision.has_server_requests() => {
                Some(self.conversations.resume(input, cx.access())?)
            }
            _ => None,
        };
        // A resumed request has already been sent.
        let admitted = match resumed.is_none().then(|| self.breaker.admit()).transpose() {
            Ok(admitted) => admitted,
            Err(left) => return Ok(ForwardedResponse::Failed(Failure::circuit_open(left))),
        };
        let conversation = match resumed {
            Some(conversation) => conversation,
            None => Box::new(Conversation::new(self.request(&request, cx))),
        };
        let stop = conversation.advance(cx).await;
        if let Some(admitted) = admitted {
            admitted.end(has_answered(&stop));
        }
        match stop {
            Stop::InputRequired(conversation, key, question) => {
                let state = self.conversations.keep(conversation, cx.access())?;
                Ok(ForwardedResponse::InputRequired(InputRequired::new(key, question).with_state(state)))
            }
            Stop::Done(Ok((revision, object))) => {
                Ok(ForwardedResponse::Raw(RawResult::from_object(revision, drop_gateway_members(object))))
            }
            Stop::Done(Err(error)) => match error.rpc() {
                Some(rpc) => Err(rpc.clone()),
                None => Ok(ForwardedResponse::Failed(self.failure(&error, &request, cx))),
            },
        }
    }

    fn failure(&self, error: &ClientError, request: &ForwardedRequest<'_>, cx: &Context) -> Failure {
        let is_repeatable = request.method != method::TOOLS_CALL
            || request.params.name.is_some_and(|name| self.lists.is_repeatable(name));
        Failure::of(error, self.name.as_deref(), cx.access(), is_repeatable)
    }

    fn request(&self, request: &ForwardedRequest<'_>, cx: &Context) -> toolwright_client::PendingRelay {
        let mut relay = self.client.relay(request.method, &request.params);
        if let Some(meta) = request.meta {
            relay = relay.meta(meta);
        }
        if self.info.revision.has_request_meta() {
            if request.meta.is_none() || !cx.revision().has_request_meta() {
                relay = relay.capabilities(&capabilities(cx));
            }
            if request.params.task_id.is_none() && !cx.accepts_task() {
                relay = relay.without_extension(extension::TASKS);
            }
        }
        match cx.log_level().and_then(|level| serde_json::to_value(level).ok()) {
            Some(Value::String(level)) => relay.log_level(level).start(),
            _ => relay.start(),
        }
    }
}

/// A request to the upstream server.
struct ForwardedRequest<'a> {
    method: &'static str,
    params: Params<'a>,
    meta: Option<&'a RawValue>,
    input: Option<&'a InputResponses>,
}

/// The parameters of all forwarded requests; each request uses some of them.
#[derive(Default, Serialize)]
#[serde(rename_all = "camelCase")]
struct Params<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    name: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    uri: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    task_id: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<&'a RawValue>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    argument: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    context: Option<Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_responses: Option<&'a BTreeMap<String, Box<RawValue>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request_state: Option<&'a str>,
}

impl<'a> Params<'a> {
    fn with(self, input: Option<&'a InputResponses>) -> Self {
        Self {
            input_responses: input.map(|input| &input.responses),
            request_state: input.and_then(|input| input.state.as_deref()),
            ..self
        }
    }
}

/// The response to a forwarded request.
enum ForwardedResponse {
    Raw(RawResult),
    InputRequired(InputRequired),
    /// Why the upstream server did not answer.
    Failed(Failure),
}

impl ForwardedResponse {
    /// Converts into the outcome of a request whose errors a model does not see.
    fn into_outcome<T>(self) -> Outcome<T> {
        match self {
            Self::Raw(raw) => raw.into(),
            Self::InputRequired(required) => required.into(),
            Self::Failed(why) => error::internal(&why.text).with_data(&why.fault).into(),
        }
    }
}

fn outcome_of<T>(response: Result<ForwardedResponse, ErrorObject>) -> Outcome<T> {
    response.map_or_else(Outcome::from, ForwardedResponse::into_outcome)
}

impl Provider for Proxy {
    fn attach(&self, changes: Changes) {
        self.upstream.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(changes);
    }

    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        self.upstream.lists.tools()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        boxed(move || async move {
            let ToolRequest { name, arguments, meta, input, .. } = request;
            let arguments = arguments.filter(|arguments| arguments.get() != "null");
            let forward = || {
                let params = Params { name: Some(name), arguments, ..Params::default() }.with(input);
                let forwarded = ForwardedRequest { method: method::TOOLS_CALL, params, meta, input };
                self.upstream.forward(forwarded, cx)
            };
            let mut response = forward().await;
            // Once, since the call may be what ends the server.
            if matches!(&response, Ok(ForwardedResponse::Failed(why)) if why.may_be_repeated)
                && input.is_none()
            {
                response = Box::pin(forward()).await;
            }
            let outcome: Outcome = match response {
                // The model reads the error, and may try something else.
                Ok(ForwardedResponse::Failed(why)) => {
                    let mut result = ToolResult::error(why.text);
                    result.meta = Some(Map::from_iter([(meta::FAULT.to_owned(), why.fault)]));
                    result.into()
                }
                Ok(ForwardedResponse::Raw(raw)) => tasks::created(raw),
                Ok(response) => response.into_outcome(),
                Err(error) => error.into(),
            };
            outcome
        })
    }

    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        Box::pin(self.upstream.forward_task(request, cx))
    }

    fn capabilities(&self) -> ProviderCapabilities {
        let mut capabilities = ProviderCapabilities::TOOLS;
        let info = &self.upstream.info;
        capabilities.prompts = info.has("prompts");
        capabilities.resources = info.has("resources");
        capabilities.completions = info.has("completions");
        capabilities.skills = info.has_extension(extension::SKILLS);
        capabilities.tasks = info.revision.has_tasks() && info.has_extension(extension::TASKS);
        capabilities
    }

    fn prompts(&self, _caller: &Access) -> Arc<[Prompt]> {
        self.upstream.lists.prompts()
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        Box::pin(async move {
            let PromptRequest { name, arguments, meta, input, .. } = request;
            let params = Params { name: Some(name), arguments, ..Params::default() }.with(input);
            let forwarded = ForwardedRequest { method: method::PROMPTS_GET, params, meta, input };
            outcome_of(self.upstream.forward(forwarded, cx).await)
        })
    }

    fn resources(&self, _caller: &Access) -> Arc<[Resource]> {
        self.upstream.lists.resources()
    }

    fn resource_templates(&self, _caller: &Access) -> Arc<[ResourceTemplate]> {
        self.upstream.lists.templates()
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        Box::pin(async move {
            let ResourceRequest { uri, meta, input, .. } = request;
            let params = Params { uri: Some(uri), ..Params::default() }.with(input);
            let forwarded = ForwardedRequest { method: method::RESOURCES_READ, params, meta, input };
            match self.upstream.forward(forwarded, cx).await {
                // Error codes differ between revisions.
                Err(error) if matches!(error.code, error::RESOURCE_NOT_FOUND | error::INVALID_PARAMS) => {
                    outcome_of(Err(error::unknown_resource(uri, cx.revision())))
                }
                answered => outcome_of(answered),
            }
        })
    }

    fn watch_resource(&self, uri: &str) {
        self.upstream.watched.add(uri);
    }

    fn unwatch_resource(&self, uri: &str) {
        self.upstream.watched.remove(uri);
    }

    fn skills(&self, _caller: &Access) -> Arc<[ProvidedSkill]> {
        self.upstream.lists.skills()
    }

    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        Box::pin(async move {
            let DirectoryRequest { uri, cursor, .. } = request;
            let params = Params { uri: Some(uri), cursor, ..Params::default() };
            let method = method::RESOURCES_DIRECTORY_READ;
            outcome_of(
                self.upstream.forward(ForwardedRequest { method, params, meta: None, input: None }, cx).await,
            )
        })
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        Box::pin(async move {
            let CompletionRequest { reference, argument, value, arguments, .. } = request;
            let params = Params {
                r#ref: Some(match reference {
                    Reference::Prompt { name } => json!({"type": "ref/prompt", "name": name}),
                    Reference::Resource { uri } => json!({"type": "ref/resource", "uri": uri}),
                    _ => return outcome_of(Err(error::invalid_params("there is no such reference"))),
                }),
                argument: Some(json!({"name": argument, "value": value})),
                context: (!arguments.is_empty()).then(|| json!({"arguments": arguments})),
                ..Params::default()
            };
            let forwarded =
                ForwardedRequest { method: method::COMPLETION_COMPLETE, params, meta: None, input: None };
            outcome_of(self.upstream.forward(forwarded, cx).await)
        })
    }
}

/// Returns the capabilities of the caller, in the form of 2026-07-28; with the tasks extension only if `keeps_tasks`.
fn capabilities(cx: &Context) -> Map<String, Value> {
    if cx.revision().has_request_meta() {
        return match cx.meta().get_mut(meta::CLIENT_CAPABILITIES).map(Value::take) {
            Some(Value::Object(capabilities)) => capabilities,
            _ => Map::new(),
        };
    }
    let (client, mut capabilities) = (cx.client(), Map::new());
    let mut modes = Map::new();
    for (mode, is_there) in [("form", client.can_elicit_form()), ("url", client.can_elicit_url())] {
        if is_there {
            modes.insert(mode.to_owned(), json!({}));
        }
    }
    if !modes.is_empty() {
        capabilities.insert("elicitation".to_owned(), modes.into());
    }
    if client.can_sample() {
        let tools = if client.can_sample_with_tools() { json!({"tools": {}}) } else { json!({}) };
        capabilities.insert("sampling".to_owned(), tools);
    }
    if client.can_list_roots() {
        capabilities.insert("roots".to_owned(), json!({}));
    }
    capabilities
}

/// Returns whether the upstream server answered, including with an error.
fn has_answered(stop: &Stop) -> bool {
    match stop {
        Stop::Done(Err(error)) => {
            error.rpc().is_some()
                || !matches!(error.kind(), ErrorKind::Connect | ErrorKind::Timeout | ErrorKind::Lost)
        }
        _ => true,
    }
}
