//! Forwards requests to providers, and their responses to clients: rounds of input, long calls, and results of other
//! servers.

use std::fmt;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::{BoxFuture, boxed};
use toolwright_core::json::{TidyObject, each_member};
use toolwright_core::prompt::PromptResult;
use toolwright_core::protocol::{ErrorObject, Task, error};
use toolwright_core::request::RequestError;
use toolwright_core::resource::ResourceResult;
use toolwright_core::result::{ToolError, ToolResult};
use toolwright_core::revision::Revision;

use crate::completion::Completion;
use crate::context::Context;
use crate::input_requests::{InputRequest, InputRequestError, InputRequired, InputResponses};
use crate::log;
use crate::provider::{
    CompletionRequest, DynProvider, Outcome, PromptRequest, RawResult, ResourceRequest, ToolRequest,
};
use crate::result_check::ResultCheck;
use crate::tool::{Run, Started, ToolEntry};

/// Creates the entry of a tool from the provider with this index, whose definition was validated. `checks_output` is
/// whether results are validated against the output schema.
pub(crate) fn entry_of(
    number: usize,
    provider: &DynProvider,
    definition: ToolDefinition,
    checks_output: bool,
) -> ToolEntry {
    let (check, not_checked) = ResultCheck::new(&definition, checks_output);
    if let Some(not_checked) = not_checked {
        log::warn(format_args!(
            "results of the tool `{}` are not checked against its output schema: {not_checked}",
            definition.name
        ));
    }
    let run = Forwarded {
        provider: provider.clone(),
        name: definition.name.as_str().into(),
        check: Arc::new(check),
    };
    ToolEntry { provider: Some(number), ..ToolEntry::new(definition, &[], Box::new(run)) }
}

/// A provider's tool.
struct Forwarded {
    provider: DynProvider,
    name: Arc<str>,
    check: Arc<ResultCheck>,
}

impl Run for Forwarded {
    fn start(&self, arguments: Option<&RawValue>, cx: &Context) -> Started {
        let call = ToolForward {
            provider: self.provider.clone(),
            name: Arc::clone(&self.name),
            arguments: arguments.map(ToOwned::to_owned),
            cx: cx.clone(),
            check: Arc::clone(&self.check),
        };
        Started::Running(boxed(move || async move {
            match answer(&call).await {
                Outcome::Result(result) => Outcome::Result(call.check.check(result)),
                Outcome::Raw(raw) => call.check.check_raw(raw),
                other => other,
            }
        }))
    }

    #[cfg(feature = "tasks")]
    fn check_later(&self, result: RawResult) -> Outcome {
        match result.read(|raw| self.check.has_form(raw, Revision::NEWEST)) {
            Ok(Outcome::Raw(raw)) => self.check.check_raw(raw),
            Ok(other) => other,
            Err(why) => refuse(&why),
        }
    }
}

impl fmt::Debug for Forwarded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Forwarded").field(&self.name).finish()
    }
}

/// A tool call.
struct ToolForward {
    provider: DynProvider,
    name: Arc<str>,
    arguments: Option<Box<RawValue>>,
    cx: Context,
    check: Arc<ResultCheck>,
}

impl Forward for ToolForward {
    type Result = ToolResult;

    fn cx(&self) -> &Context {
        &self.cx
    }

    fn ask<'a>(&'a self, input: Option<&'a InputResponses>) -> BoxFuture<'a, Outcome> {
        let request = ToolRequest {
            name: &self.name,
            arguments: self.arguments.as_deref(),
            meta: self.cx.raw_meta(),
            context_path: self.cx.context_path(),
            input,
        };
        self.provider.0.call_tool(request, &self.cx)
    }

    fn has_form(&self, result: &RawResult) -> bool {
        self.check.has_form(result, self.cx.revision())
    }

    fn fail(error: InputRequestError, _revision: Revision) -> Outcome {
        Outcome::Result(ToolError::from(error).into())
    }
}

/// A request for a prompt.
struct PromptForward<'a> {
    provider: &'a DynProvider,
    name: &'a str,
    arguments: Option<&'a RawValue>,
    cx: &'a Context,
}

impl Forward for PromptForward<'_> {
    type Result = PromptResult;

    fn cx(&self) -> &Context {
        self.cx
    }

    fn ask<'a>(&'a self, input: Option<&'a InputResponses>) -> BoxFuture<'a, Outcome<PromptResult>> {
        let Self { provider, name, arguments, cx } = *self;
        provider.0.get_prompt(PromptRequest { name, arguments, meta: cx.raw_meta(), input }, cx)
    }
}

/// A request for a resource.
struct ResourceForward<'a> {
    provider: &'a DynProvider,
    uri: &'a str,
    cx: &'a Context,
}

impl Forward for ResourceForward<'_> {
    type Result = ResourceResult;

    fn cx(&self) -> &Context {
        self.cx
    }

    fn ask<'a>(&'a self, input: Option<&'a InputResponses>) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let Self { provider, uri, cx } = *self;
        provider.0.read_resource(ResourceRequest { uri, meta: cx.raw_meta(), input }, cx)
    }
}

/// Requests a prompt from a provider.
pub(crate) async fn get_prompt(
    provider: &DynProvider,
    name: &str,
    arguments: Option<&RawValue>,
    cx: &Context,
) -> Outcome<PromptResult> {
    answer(&PromptForward { provider, name, arguments, cx }).await
}

/// Reads a resource from the first of these providers that knows the URI.
pub(crate) async fn read_resource(
    providers: &[DynProvider],
    uri: &str,
    cx: &Context,
) -> Outcome<ResourceResult> {
    let mut outcome = Outcome::Error(error::unknown_resource(uri, cx.revision()));
    for provider in providers {
        outcome = answer(&ResourceForward { provider, uri, cx }).await;
        let is_unknown =
            |error: &ErrorObject| matches!(error.code, error::RESOURCE_NOT_FOUND | error::INVALID_PARAMS);
        if !matches!(&outcome, Outcome::Error(error) if is_unknown(error)) {
            break;
        }
    }
    outcome
}

/// Requests completions from a provider. Completion cannot request input from the client.
pub(crate) async fn complete(
    provider: &DynProvider,
    request: CompletionRequest<'_>,
    cx: &Context,
) -> Outcome<Completion> {
    #[derive(Deserialize)]
    struct CompleteResult {
        completion: Completion,
    }
    let mut outcome = provider.0.complete(request, cx).await;
    loop {
        outcome = match outcome {
            Outcome::Task(later) => later.await,
            Outcome::Raw(raw) => match raw.parse::<CompleteResult>() {
                Ok(result) => Outcome::Result(result.completion),
                Err(error) => refuse(&error.to_string()),
            },
            Outcome::InputRequired(_) => refuse("it requires input, which completion does not support"),
            Outcome::Created(_) => refuse("it is a task, which completion does not support"),
            done => return done,
        };
    }
}

/// A request to a provider, which may take several rounds of input.
trait Forward: Send + Sync {
    /// The request's result.
    type Result: for<'de> Deserialize<'de> + Send;

    fn cx(&self) -> &Context;

    /// Sends the request to the provider once.
    fn ask<'a>(&'a self, input: Option<&'a InputResponses>) -> BoxFuture<'a, Outcome<Self::Result>>;

    /// Whether a complete result has the form of the client's revision.
    fn has_form(&self, result: &RawResult) -> bool {
        result.revision() == self.cx().revision()
    }

    /// The outcome if the client cannot provide input.
    fn fail(error: InputRequestError, revision: Revision) -> Outcome<Self::Result> {
        crate::error::of_request(&RequestError::from(error), None, revision).into()
    }
}

/// Runs a request to its final outcome: a result, converted to the client's revision if it is raw; an error; or input
/// requests for a client that answers by repeating its request.
async fn answer<F: Forward>(request: &F) -> Outcome<F::Result> {
    let cx = request.cx();
    let mut input = cx.input_responses().cloned();
    for round in 1_usize.. {
        let mut outcome = request.ask(input.as_ref()).await;
        let required = loop {
            outcome = match outcome {
                Outcome::Task(later) => later.await,
                Outcome::Raw(raw) => match raw.read(|raw| request.has_form(raw)) {
                    Ok(Outcome::Raw(raw)) => return Outcome::Raw(raw),
                    Ok(read) => read,
                    Err(why) => return refuse(&why),
                },
                Outcome::InputRequired(required) => break required,
                // "MUST NOT return `CreateTaskResult` to a client that did not include the extension capability on its
                // request" (SEP-2663 "Capability Negotiation").
                Outcome::Created(_) if !cx.accepts_task() => {
                    return refuse("it is a task, which was not requested");
                }
                done => return done,
            };
        };
        match cx.require(&required, round).await {
            Ok(Some(responses)) => input = Some(responses),
            Ok(None) => return Outcome::InputRequired(required),
            Err(error) => return F::fail(error, cx.revision()),
        }
    }
    refuse("it keeps requesting input")
}

fn refuse<T>(why: &str) -> Outcome<T> {
    log::warn(format_args!("cannot forward a result of another server: {why}"));
    error::internal(&format!("cannot forward the result of another server: {why}")).into()
}

impl RawResult {
    /// Parses the result, unless it is complete and `has_form` of the revision in which it will be written.
    fn read<T: for<'de> Deserialize<'de>>(
        self,
        has_form: impl FnOnce(&Self) -> bool,
    ) -> Result<Outcome<T>, String> {
        let object = self.object().map_err(|fault| format!("it {fault}"))?;
        match object.member("resultType").unwrap_or("\"complete\"") {
            "\"complete\"" => {}
            "\"input_required\"" => return input_required(object).map(Outcome::InputRequired),
            "\"task\"" => {
                let task = self.parse::<Task>().map_err(|error| format!("invalid task: {error}"))?;
                return Ok(Outcome::Created(Box::new(task)));
            }
            other => return Err(format!("its `resultType` is {}", error::shorten(other))),
        }
        if !has_form(&self) {
            let result = self.parse().map_err(|error| error.to_string())?;
            return Ok(Outcome::Result(result));
        }
        Ok(Outcome::Raw(self))
    }
}

/// Parses a result that requires input.
fn input_required(object: &TidyObject) -> Result<InputRequired, String> {
    let mut requests = Vec::new();
    let read = each_member(object.member("inputRequests").unwrap_or("{}"), |key, request| {
        let request: InputRequest =
            serde_json::from_str(request.get()).map_err(|_| "an input request has no method")?;
        requests.push((key.into_owned(), request));
        Ok(())
    });
    read.map_err(|error| format!("invalid input requests: {error}"))?;
    let state = object.member("requestState").map(serde_json::from_str).transpose();
    let state = state.map_err(|_| "its `requestState` is not a string".to_owned())?;
    Ok(InputRequired { requests, state })
}

impl ResultCheck {
    /// Whether a complete result has the form of a revision.
    fn has_form(&self, raw: &RawResult, revision: Revision) -> bool {
        raw.is_tool_result_of(revision, self.wraps)
    }

    /// Like [`ResultCheck::check`], for a raw result that was read, and is forwarded unchanged.
    fn check_raw(&self, raw: RawResult) -> Outcome {
        if raw.member("isError").is_some_and(|flag| flag != "true" && flag != "false") {
            return refuse("its `isError` is not a boolean");
        }
        match self.mismatch(raw.is_error(), raw.member("structuredContent")) {
            None => Outcome::Raw(raw),
            Some(mismatch) => Outcome::Result(self.refusal(&mismatch)),
        }
    }
}
