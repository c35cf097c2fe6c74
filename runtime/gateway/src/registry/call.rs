//! Executes calls on workers.

use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep_until};
use toolwright_core::protocol::{ErrorObject, Revision, error, meta};
use toolwright_core::result::ToolResult;
use toolwright_server::{Context, Outcome, RawResult, ToolRequest};

use super::live::Shared;
use super::sessions::Agent;
use super::view::RunTool;
use crate::audit::Route;
use crate::calls::{Call, CallBus, CallError, CallRecord, CallState, IdempotencyKey, Started};
use crate::random;

/// How long to wait for an unavailable bus: 10 seconds.
const OUTAGE_TIMEOUT: Duration = Duration::from_secs(10);
/// The delay before it is retried.
const RETRY_DELAY: Duration = Duration::from_millis(100);

/// The token was revoked during the call.
pub(super) fn revoked() -> ErrorObject {
    let data = json!({"kind": "revoked", "retryable": false});
    error::internal("the token was revoked; get another one from the session endpoint").with_data(&data)
}

impl Shared {
    /// Executes a call on a worker, and waits for its outcome.
    pub(super) async fn call_worker(
        &self,
        agent: &Agent,
        tool: &RunTool,
        request: ToolRequest<'_>,
        cx: &Context,
    ) -> Outcome {
        let arguments = match checked(tool, request.arguments) {
            Ok(arguments) => arguments,
            Err(refused) => return (*refused).into(),
        };
        let Some(bus) = &self.bus else {
            let data = json!({"kind": "no_worker", "retryable": false});
            return error::internal("this gateway has no workers").with_data(&data).into();
        };
        let now = self.clock.now();
        let left = self.call_timeout.min(cx.deadline().saturating_duration_since(std::time::Instant::now()));
        let deadline = Instant::now() + left;
        let milliseconds = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        let Some(id) = random::uuid(milliseconds(now)) else {
            return error::internal("the system provides no random numbers").into();
        };
        Route::note_call(cx, &id);
        let mut call = Call::new(
            id.clone(),
            tool.node.clone(),
            tool.definition.name.clone(),
            arguments,
            milliseconds(now.saturating_add(left)),
        );
        (call.org, call.run) = (agent.claims.org.clone(), agent.claims.run.clone());
        call.meta = request.own_meta();
        call.is_repeatable = tool.is_repeatable();
        call.idempotency = match key_of(&call) {
            Ok(key) => key,
            Err(invalid) => return invalid.to_rpc(&id).into(),
        };
        let revoked = agent.revoked();
        // A call with a key goes on until its deadline, since its caller may ask for its result with the same key.
        let mut goes_on = call.idempotency.is_some();
        let mut waiting = Waiting { bus, call: &id, is_over: goes_on };
        let outcome = tokio::select! {
            outcome = execute(bus.as_ref(), &tool.pool, call, cx) => outcome,
            () = sleep_until(deadline) => {
                goes_on = false;
                Err(timeout(&id, left))
            }
            () = cx.cancellation().cancelled() => Err(ToolResult::error("the call was cancelled").into()),
            () = revoked => {
                goes_on = false;
                Err(self::revoked().into())
            }
        };
        match outcome {
            Ok(outcome) => {
                waiting.is_over = true;
                outcome
            }
            Err(outcome) => {
                if !goes_on {
                    waiting.cancel().await;
                }
                outcome
            }
        }
    }
}

/// Returns the idempotency key in the `_meta` of a call.
fn key_of(call: &Call) -> Result<Option<IdempotencyKey>, CallError> {
    match call.meta.get(meta::IDEMPOTENCY_KEY) {
        None => Ok(None),
        Some(Value::String(key)) => IdempotencyKey::new(call, key).map(Some),
        Some(_) => Err(CallError::InvalidKey),
    }
}

/// A pending call, which is cancelled when this is dropped: then in a task, since `drop` cannot wait. A caller that is
/// still there gets its response once the bus has the cancellation.
struct Waiting<'a> {
    bus: &'a Arc<dyn CallBus>,
    call: &'a str,
    is_over: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if !self.is_over {
            let (bus, call) = (Arc::clone(self.bus), self.call.to_owned());
            tokio::spawn(async move { bus.cancel(&call).await });
        }
    }
}

impl Waiting<'_> {
    async fn cancel(&mut self) {
        self.is_over = true;
        // If that fails, the call runs until its deadline, which the worker knows.
        _ = self.bus.cancel(self.call).await;
    }
}

/// Submits a call, waits for its outcome, and reports its progress. An unavailable bus is retried for a while.
async fn execute(bus: &dyn CallBus, pool: &str, call: Call, cx: &Context) -> Result<Outcome, Outcome> {
    let is_repeatable = call.is_repeatable;
    let may_retry = is_repeatable || call.idempotency.is_some();
    let mut outage = Outage::default();
    // Submitting the same id again has no effect.
    let Started { id, changed, .. } = loop {
        match bus.start(pool, call.clone()).await {
            Ok(started) => break started,
            Err(CallError::Unavailable(_)) if outage.wait_before_retry().await => {}
            Err(error @ (CallError::InvalidKey | CallError::OtherArguments)) => {
                return Err(error.to_rpc(&call.id).into());
            }
            // An attempt without a response may take effect after a later one was rejected.
            Err(error) if outage.has_begun() => return Err(unavailable(&error, &call.id, may_retry)),
            Err(error @ CallError::Unavailable(_)) => return Err(unavailable(&error, &call.id, may_retry)),
            Err(error) => return Err(error.to_rpc(&call.id).into()),
        }
    };
    // The first version is that of a waiting call.
    let (mut seen, mut reported, mut first) = (1, None, Some(changed));
    loop {
        let changed = first.take().unwrap_or_else(|| bus.wait(&id, seen));
        let record = match changed.await {
            Ok(record) => record,
            Err(CallError::Unavailable(_) | CallError::Refused(_)) if outage.wait_before_retry().await => {
                continue;
            }
            Err(CallError::NoCall(_)) => return Err(lost(&id, is_repeatable)),
            Err(error) => return Err(unavailable(&error, &id, may_retry)),
        };
        outage = Outage::default();
        seen = record.version;
        if record.state.is_final() {
            return Ok(outcome(record, &id));
        }
        if record.progress != reported
            && let Some(progress) = &record.progress
        {
            cx.progress(progress.progress, progress.total, progress.message.as_deref()).await;
            reported = record.progress;
        }
    }
}

/// When the bus became unavailable.
#[derive(Default)]
struct Outage(Option<Instant>);

impl Outage {
    fn has_begun(&self) -> bool {
        self.0.is_some()
    }

    /// Waits before a retry, unless the bus has been unavailable for too long.
    async fn wait_before_retry(&mut self) -> bool {
        let since = *self.0.get_or_insert_with(Instant::now);
        if since.elapsed() >= OUTAGE_TIMEOUT {
            return false;
        }
        tokio::time::sleep(RETRY_DELAY).await;
        true
    }
}

/// The bus was unavailable for too long. A call that must not be repeated may have been executed.
fn unavailable(error: &CallError, call: &str, may_retry: bool) -> Outcome {
    let mut why = error.to_string();
    if !may_retry {
        why.push_str("; the call may have been made: look up its outcome by its id before you call again");
    }
    let data = json!({"kind": error.kind(), "retryable": may_retry, "call_id": call});
    error::internal(&why).with_data(&data).into()
}

/// The store lost a call that it had accepted.
fn lost(call: &str, is_repeatable: bool) -> Outcome {
    let text = "the store of calls was lost during this call; whether the call took effect is unknown";
    fault("outcome_unknown", is_repeatable, call, text)
}

fn outcome(record: CallRecord, call: &str) -> Outcome {
    match record.state {
        CallState::Done { result } if record.attempt > 1 => {
            RawResult::new(Revision::NEWEST, with_attempt(result, record.attempt)).into()
        }
        CallState::Done { result } => RawResult::new(Revision::NEWEST, result).into(),
        CallState::Failed { error } => error.into(),
        CallState::Unknown => fault(
            "outcome_unknown",
            false,
            call,
            "the worker was lost during this call; whether the call took effect is unknown: check before you call again",
        ),
        _ => fault("cancelled", true, call, "the call was cancelled before a worker received it"),
    }
}

fn timeout(call: &str, after: Duration) -> Outcome {
    let text = format!(
        "there was no response within {} seconds; the call was cancelled, but may have taken effect",
        after.as_secs()
    );
    fault("timeout", false, call, &text)
}

/// Returns a result that describes the error to the model, and to programs.
fn fault(kind: &str, is_retryable: bool, call: &str, text: &str) -> Outcome {
    let mut result = ToolResult::error(text);
    let fault = json!({"kind": kind, "retryable": is_retryable, "call_id": call});
    result.meta = Some(Map::from_iter([(meta::FAULT.to_owned(), fault)]));
    result.into()
}

fn with_attempt(result: Box<RawValue>, attempt: u32) -> Box<RawValue> {
    let Ok(mut members) = serde_json::from_str::<Map<String, Value>>(result.get()) else { return result };
    let own = members.entry("_meta").or_insert_with(|| json!({}));
    if let Some(own) = own.as_object_mut() {
        own.insert(meta::ATTEMPT.to_owned(), attempt.into());
    }
    serde_json::value::to_raw_value(&members).unwrap_or(result)
}

/// Returns the validated arguments of a call; bound inputs are rejected.
fn checked(tool: &RunTool, arguments: Option<&RawValue>) -> Result<Box<RawValue>, Box<ToolResult>> {
    let members: Map<String, Value> = match arguments.filter(|arguments| arguments.get() != "null") {
        None => Map::new(),
        Some(raw) => serde_json::from_str(raw.get())
            .map_err(|_| refusal("the arguments do not fit: they must be a JSON object"))?,
    };
    if let Some(bound) = tool.bound.iter().find(|name| members.contains_key(*name)) {
        return Err(refusal(&format!(
            "`{bound}` is set by the workflow and cannot be given; call again without it"
        )));
    }
    let members = match tool.checker() {
        Some(checker) => {
            checker.check_members(members).map_err(|errors| Box::new(errors.into_tool_result()))?
        }
        None => members,
    };
    // Serialized again, so that the worker reads exactly what was validated, without duplicate members.
    serde_json::value::to_raw_value(&members)
        .map_err(|error| refusal(&format!("the arguments do not fit: {error}")))
}

fn refusal(why: &str) -> Box<ToolResult> {
    ToolResult::error(why).into()
}
