//! A provider with a policy, an audit log and metrics; `tasks` applies them to the results of tasks, and `forwarded` changes
//! the `_meta` of requests.

mod forwarded;
mod tasks;

use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use std::time::{Duration, Instant};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::boxed;
use toolwright_core::json::Members;
use toolwright_core::names::split;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::{ErrorObject, Task, meta, method};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};
use toolwright_core::result::ToolResult;
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Changes, Completion, CompletionRequest, Context, Directory, DirectoryRequest, Outcome,
    PromptRequest, ProvidedSkill, Provider, ProviderCapabilities, RawResult, ResourceRequest, TaskRequest,
    ToolRequest,
};

use self::forwarded::EditMeta;
use crate::audit::{AuditRecord, AuditSink, Outcome as Came, Route};
use crate::metrics::Metrics;
use crate::policy::{Approval, Policy, Refusal, Usage, Used, approve, inner_input};
use crate::registry::Agent;
use crate::scope::Scope;
use toolwright_server::auth::Clock;

/// The policy, audit log and metrics of a [`Controlled`] provider.
///
/// Clones share the same state, also across several providers.
#[derive(Clone, Default)]
pub struct Controls(Arc<Shared>);

#[derive(Default)]
struct Shared {
    policy: RwLock<Arc<Policy>>,
    usage: Arc<Usage>,
    audit: RwLock<Option<Arc<dyn AuditSink>>>,
    configuration: RwLock<Arc<str>>,
    metrics: Metrics,
    edit_meta: OnceLock<Box<EditMeta>>,
    clock: Clock,
}

impl Controls {
    /// Creates controls without a policy or audit log; requests are counted.
    pub fn new() -> Self {
        Self::default()
    }

    /// Replaces the policy for subsequent calls. Running calls are not affected; the usage counted for a rule
    /// carries over to the new rule with the same index.
    pub fn set_policy(&self, policy: Policy) {
        *self.0.policy.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(policy);
    }

    /// Sets the audit log for subsequent requests.
    pub fn set_audit(&self, audit: Arc<dyn AuditSink>) {
        *self.0.audit.write().unwrap_or_else(PoisonError::into_inner) = Some(audit);
    }

    /// Sets the name of the current configuration for the audit log: its digest, or any other name.
    pub fn set_configuration(&self, revision: &str) {
        *self.0.configuration.write().unwrap_or_else(PoisonError::into_inner) = revision.into();
    }

    /// Returns the name of the current configuration.
    pub fn configuration(&self) -> Arc<str> {
        Arc::clone(&self.0.configuration.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the current policy.
    pub fn policy(&self) -> Arc<Policy> {
        Arc::clone(&self.0.policy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Returns the metrics of requests.
    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    fn audit(&self) -> Option<Arc<dyn AuditSink>> {
        self.0.audit.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn begin(
        &self,
        cx: &Context,
        method: &'static str,
        target: &str,
        arguments: Option<&RawValue>,
    ) -> Running {
        let access = cx.access();
        self.0.metrics.begin();
        let policy = self.policy();
        let record = self.audit().map(|sink| {
            let mut record = AuditRecord::new(access, method, target, arguments);
            let run = access.principal().and_then(|principal| principal.extension::<Agent>());
            record.configuration = match run {
                Some(agent) => format!("run {}", agent.revision()),
                None => self.configuration().to_string(),
            };
            record.policy = (!policy.rules().is_empty()).then(|| policy.revision().to_owned());
            let route = run.and_then(|_| Route::attach(cx));
            Box::new(Recorded { sink, record, route })
        });
        // The public name of a run's tool may be any string.
        let is_of_run = Scope::of(access).is_some_and(|scope| scope.run.is_some());
        let server = split(target).filter(|_| !is_of_run).map_or("", |(server, _)| server).to_owned();
        let (controls, started) = (self.clone(), Instant::now());
        Running { controls, method, server, record, started, came: Came::Cancelled, used: None }
    }
}

/// The record of a running request, and who receives it.
struct Recorded {
    sink: Arc<dyn AuditSink>,
    record: AuditRecord,
    /// For requests of runs.
    route: Option<Route>,
}

impl Recorded {
    fn end(mut self: Box<Self>, came: Came, took: Duration, now: Duration) {
        self.record.outcome = came;
        if let Some((node, call)) = self.route.map(|route| route.take()) {
            self.record.node = node;
            // What the gateway knows, rather than what a result says.
            self.record.call = call;
        }
        self.record.end(took, now);
        self.sink.record(&self.record);
    }
}

/// A running request. Dropping it records the outcome.
struct Running {
    controls: Controls,
    method: &'static str,
    server: String,
    record: Option<Box<Recorded>>,
    started: Instant,
    came: Came,
    /// Held until the request has ended.
    used: Option<Used>,
}

impl Running {
    fn note<T: Ended>(&mut self, outcome: &Outcome<T>) {
        let (came, fault) = match outcome {
            Outcome::Result(result) => (result.came(), result.fault()),
            Outcome::Raw(raw) => outline(raw),
            Outcome::Error(error) => {
                let code = error.code;
                if let Some(Recorded { record, .. }) = self.record.as_deref_mut() {
                    record.code = Some(code);
                }
                (Came::Error, fault_of(error))
            }
            Outcome::InputRequired(_) => (Came::InputRequired, None),
            Outcome::Created(_) => (Came::Task, None),
            _ => (Came::Ok, None),
        };
        self.came = came;
        self.note_fault(fault);
    }

    fn note_fault(&mut self, fault: Option<Fault>) {
        if let (Some(Recorded { record, .. }), Some(fault)) = (self.record.as_deref_mut(), fault) {
            (record.kind, record.call) = (fault.kind, fault.call_id);
        }
    }

    fn refuse(&mut self, refusal: Refusal) -> Outcome {
        self.refused(refusal).into()
    }

    fn refused(&mut self, refusal: Refusal) -> ToolResult {
        self.came = Came::Refused;
        if let Some(Recorded { record, .. }) = self.record.as_deref_mut() {
            record.kind = Some(refusal.kind.to_owned());
        }
        refusal.into_result()
    }

    /// Records the outcome of a request, now or when its task has ended.
    fn end<T: Ended>(mut self, outcome: Outcome<T>) -> Outcome<T> {
        if let Outcome::Task(later) = outcome {
            return Outcome::Task(Box::pin(async move { self.end(later.await) }));
        }
        self.note(&outcome);
        outcome
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        drop(self.used.take());
        let took = self.started.elapsed();
        self.controls.0.metrics.end(self.method, &self.server, self.came, took);
        if let Some(recorded) = self.record.take() {
            recorded.end(self.came, took, self.controls.0.clock.now());
        }
    }
}

/// Returns the `kind` of an error.
#[derive(Deserialize)]
struct Fault {
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    call_id: Option<String>,
}

impl Fault {
    fn of(value: &Value) -> Option<Self> {
        Self::deserialize(value).ok()
    }
}

/// A result of a request.
trait Ended: Send + 'static {
    fn came(&self) -> Came {
        Came::Ok
    }

    fn fault(&self) -> Option<Fault> {
        None
    }
}

impl Ended for ToolResult {
    fn came(&self) -> Came {
        if self.is_error { Came::ToolError } else { Came::Ok }
    }

    fn fault(&self) -> Option<Fault> {
        Fault::of(self.meta.as_ref()?.get(meta::FAULT)?)
    }
}

impl Ended for PromptResult {}
impl Ended for ResourceResult {}
impl Ended for Completion {}

fn fault_of(error: &ErrorObject) -> Option<Fault> {
    serde_json::from_str(error.data.as_ref()?.get()).ok()
}

/// Returns the outcome of a raw result.
fn outline(raw: &RawResult) -> (Came, Option<Fault>) {
    if raw.member("resultType") == Some("\"input_required\"") {
        return (Came::InputRequired, None);
    }
    if raw.member("isError") != Some("true") {
        return (Came::Ok, None);
    }
    let members = raw.member("_meta").and_then(Members::of_text);
    let fault = members.and_then(|members| members.value_of(meta::FAULT));
    (Came::ToolError, fault.and_then(|fault| serde_json::from_str(fault).ok()))
}

/// A provider that applies a [`Policy`], an [audit log](crate::audit) and metrics to requests, as set in
/// [`Controls`].
///
/// Policies apply to tool calls. Each round of a call that requests input from its client counts as a call. A call that
/// becomes a task has ended for the concurrency; the size of the task's result is limited when it is requested.
///
/// ```
/// use toolwright_gateway::policy::Policy;
/// use toolwright_gateway::{Controlled, Controls, Gateway};
/// use toolwright_server::Server;
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let controls = Controls::new();
/// controls.set_policy(Policy::parse(r#"{"rules": [{"callsPerMinute": 600}]}"#)?);
/// let service = Server::new(()).provider(Controlled::new(Gateway::new(), &controls)).build()?;
/// # drop(service);
/// # Ok(())
/// # }
/// ```
pub struct Controlled<P> {
    provider: P,
    controls: Controls,
}

impl<P: Provider> Controlled<P> {
    /// Wraps a provider with these controls.
    pub fn new(provider: P, controls: &Controls) -> Self {
        Self { provider, controls: controls.clone() }
    }

    async fn call(&self, mut request: ToolRequest<'_>, cx: &Context) -> Outcome {
        let edited = self.controls.forwarded_meta(request.meta);
        request.meta = edited.as_deref().or(request.meta);
        let running = self.controls.begin(cx, method::TOOLS_CALL, request.name, request.arguments);
        let policy = self.controls.policy();
        let who = Caller::of(cx.access());
        if policy.rules_for(who.org, who.name, request.name).next().is_none() {
            return running.end(self.provider.call_tool(request, cx).await);
        }
        // In a future of its own, so that calls without rules need no memory for it.
        Box::pin(self.call_by_rules((&policy, &who), request, cx, running)).await
    }

    async fn call_by_rules(
        &self,
        (policy, who): (&Policy, &Caller<'_>),
        request: ToolRequest<'_>,
        cx: &Context,
        mut running: Running,
    ) -> Outcome {
        let rules = || policy.rules_for(who.org, who.name, request.name);
        let bytes = request.arguments.map_or(0, |arguments| arguments.get().len());
        let too_long = rules().filter_map(|(_, rule)| rule.max_argument_bytes).find(|most| bytes > *most);
        if let Some(most) = too_long {
            let text = format!("the arguments have {bytes} bytes, {most} are allowed: send less at a time");
            return running.refuse(Refusal::new("too_large", text));
        }
        match self.controls.0.usage.begin(rules(), who.name, request.name) {
            Ok(used) => running.used = Some(used),
            Err(refusal) => return running.refuse(refusal),
        }
        let approval = rules().map(|(_, rule)| rule.approval).max().unwrap_or_default();
        let input = match approval {
            Approval::None => request.input.cloned(),
            Approval::Refuse => {
                let text = format!(
                    "`{}` may not be called here: the policy of the gateway refuses it",
                    request.name
                );
                return running.refuse(Refusal::new("refused", text));
            }
            Approval::Ask => {
                // If the client never responds, this is the outcome.
                running.came = Came::InputRequired;
                let asked = approve(request.name, request.arguments, request.input, cx).await;
                running.came = Came::Cancelled;
                if let Err(refusal) = asked {
                    return running.refuse(refusal);
                }
                inner_input(request.input)
            }
        };
        let mut inner: ToolRequest<'_> = request;
        inner.input = input.as_ref();
        let outcome = self.provider.call_tool(inner, cx).await;
        let most = rules().filter_map(|(_, rule)| rule.max_result_bytes).min();
        match most.zip(size_of(&outcome)) {
            Some((most, size)) if size > most => running.refuse(Refusal::result_too_large(size, most)),
            _ => running.end(outcome),
        }
    }
}

/// The caller as used by policies.
struct Caller<'a> {
    org: Option<&'a str>,
    name: &'a str,
}

impl<'a> Caller<'a> {
    fn of(access: &'a Access) -> Self {
        let org = Scope::of(access).and_then(|scope| scope.org.as_deref());
        let name = access.principal().map(|principal| {
            let subject = principal.claim("sub").and_then(Value::as_str);
            subject.unwrap_or_else(|| principal.subject())
        });
        Self { org, name: name.unwrap_or_default() }
    }
}

/// Returns the size of a result as JSON; `None` if it is not final.
fn size_of(outcome: &Outcome) -> Option<usize> {
    match outcome {
        Outcome::Result(result) => serde_json::to_vec(result).ok().map(|text| text.len()),
        Outcome::Raw(raw) => raw.object().ok().map(|object| object.as_str().len()),
        _ => None,
    }
}

impl<P: Provider> Provider for Controlled<P> {
    fn attach(&self, changes: Changes) {
        self.provider.attach(changes);
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        self.provider.tools(caller)
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        boxed(move || self.call(request, cx))
    }

    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        Box::pin(self.request_task(request, cx))
    }

    fn capabilities(&self) -> ProviderCapabilities {
        self.provider.capabilities()
    }

    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        self.provider.prompts(caller)
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        Box::pin(async move {
            let mut request: PromptRequest<'_> = request;
            let edited = self.controls.forwarded_meta(request.meta);
            request.meta = edited.as_deref().or(request.meta);
            let running = self.controls.begin(cx, method::PROMPTS_GET, request.name, request.arguments);
            running.end(self.provider.get_prompt(request, cx).await)
        })
    }

    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        self.provider.resources(caller)
    }

    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        self.provider.resource_templates(caller)
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        Box::pin(async move {
            let mut request: ResourceRequest<'_> = request;
            let edited = self.controls.forwarded_meta(request.meta);
            request.meta = edited.as_deref().or(request.meta);
            let running = self.controls.begin(cx, method::RESOURCES_READ, request.uri, None);
            running.end(self.provider.read_resource(request, cx).await)
        })
    }

    fn watch_resource(&self, uri: &str) {
        self.provider.watch_resource(uri);
    }

    fn unwatch_resource(&self, uri: &str) {
        self.provider.unwatch_resource(uri);
    }

    fn skills(&self, caller: &Access) -> Arc<[ProvidedSkill]> {
        self.provider.skills(caller)
    }

    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        self.provider.read_directory(request, cx)
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        self.provider.complete(request, cx)
    }
}

impl std::fmt::Debug for Controls {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Controls").field("policy", &self.policy().revision()).finish_non_exhaustive()
    }
}

impl<P> std::fmt::Debug for Controlled<P> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Controlled").field("controls", &self.controls).finish_non_exhaustive()
    }
}
