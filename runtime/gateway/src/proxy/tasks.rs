//! Tasks of the upstream server (SEP-2663). Nothing is stored about them: the server in front seals the upstream id, with
//! the provider and the caller, into the id that the client gets.

use serde_json::value::RawValue;
use toolwright_core::json::{JsonFault, TidyObject};
use toolwright_core::protocol::meta::is_of_gateway;
use toolwright_core::protocol::{ErrorObject, Task, error, method};
use toolwright_server::{Context, Outcome, RawResult, TaskAction, TaskRequest};

use super::{ForwardedRequest, ForwardedResponse, Params, Upstream};
use crate::gateway_meta::drop_gateway_members;

/// Returns the outcome of a call: its result, or the task that it has become.
pub(super) fn created(raw: RawResult) -> Outcome {
    if raw.member("resultType") != Some("\"task\"") {
        return raw.into();
    }
    match read(&raw) {
        Ok(task) => Outcome::Created(Box::new(task)),
        Err(error) => error.into(),
    }
}

/// Reads a task, without the members that only a gateway writes.
fn read(raw: &RawResult) -> Result<Task, ErrorObject> {
    let read = raw.parse::<Task>();
    let mut task = read.map_err(|problem| {
        error::internal(&format!("the upstream server sent an invalid task: {problem}"))
    })?;
    task.result = task.result.map(without_gateway_members).transpose().map_err(|problem| {
        error::internal(&format!("the upstream server sent an invalid result of a task: it {problem}"))
    })?;
    if let Some(own) = &mut task.meta {
        own.retain(|name, _| !is_of_gateway(name));
    }
    Ok(task)
}

fn without_gateway_members(result: Box<RawValue>) -> Result<Box<RawValue>, JsonFault> {
    let result = drop_gateway_members(TidyObject::parse(Box::<str>::from(result).into())?);
    RawValue::from_string(result.into_string()).map_err(|problem| JsonFault::Unreadable(problem.to_string()))
}

impl Upstream {
    /// Forwards a request about a task.
    pub(super) async fn forward_task(
        &self,
        request: TaskRequest<'_>,
        cx: &Context,
    ) -> Result<Option<Task>, ErrorObject> {
        let mut params = Params { task_id: Some(request.id), ..Params::default() };
        let method = match request.action {
            TaskAction::Get => method::TASKS_GET,
            TaskAction::Update(responses) => {
                params.input_responses = Some(responses);
                method::TASKS_UPDATE
            }
            TaskAction::Cancel => method::TASKS_CANCEL,
            _ => return Err(error::invalid_params("there is no such request about a task")),
        };
        match self.forward(ForwardedRequest { method, params, meta: None, input: None }, cx).await? {
            ForwardedResponse::Raw(raw) if method == method::TASKS_GET => read(&raw).map(Some),
            ForwardedResponse::Raw(_) => Ok(None),
            ForwardedResponse::InputRequired(_) => {
                Err(error::internal("the upstream server requires input for a request about a task"))
            }
            ForwardedResponse::Failed(why) => Err(error::internal(&why.text).with_data(&why.fault)),
        }
    }
}
