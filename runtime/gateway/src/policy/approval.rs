//! Calls that someone must allow.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolwright_server::{Context, Elicited, InputRequestError, InputResponses};

use super::Refusal;

/// The key of the input request for the approval of a call.
const APPROVAL: &str = "io.toolwright.gateway/approval";
/// The maximum number of characters of the arguments in the request.
const MAX_ARGUMENT_CHARS: usize = 1_000;

#[derive(Deserialize)]
struct Answer {
    allow: bool,
}

/// Requests the approval of a call from the client's user. `input` has the input responses so far.
pub(crate) async fn approve(
    tool: &str,
    arguments: Option<&RawValue>,
    input: Option<&InputResponses>,
    cx: &Context,
) -> Result<(), Refusal> {
    // The tool has sent an input request since, so the call was approved before.
    if cx.revision().has_server_requests() && input.is_some() {
        return Ok(());
    }
    let arguments = arguments.map_or("{}", RawValue::get);
    let shown: String = arguments.chars().take(MAX_ARGUMENT_CHARS).collect();
    let more = if shown.len() < arguments.len() { " …" } else { "" };
    let message = format!("May the agent call `{tool}` with these arguments?\n{shown}{more}");
    let allow = json!({"type": "boolean", "title": "Allow this call"});
    let form = json!({"type": "object", "properties": {"allow": allow}, "required": ["allow"]});
    let answer = cx.elicit_form(APPROVAL, &message, &form).await;
    let answer = answer.map_err(|error: InputRequestError| {
        let text = format!("`{tool}` needs the approval of a user, and the request for it failed: {error}");
        Refusal::new("approval_required", text)
    })?;
    let is_allowed = match answer {
        Elicited::Accepted(content) => serde_json::to_value(content)
            .ok()
            .and_then(|content| serde_json::from_value::<Answer>(content).ok())
            .is_some_and(|answer| answer.allow),
        Elicited::Declined | Elicited::Cancelled => false,
    };
    if is_allowed {
        return Ok(());
    }
    let text = format!(
        "`{tool}` was not called: the user did not allow it; do not call it again without being asked to"
    );
    Err(Refusal::new("declined", text))
}

/// Returns the input responses for the provider, without the approval; `None` if there are no others.
pub(crate) fn inner_input(input: Option<&InputResponses>) -> Option<InputResponses> {
    let mut input = input.cloned()?;
    input.responses.remove(APPROVAL);
    (input.state.is_some() || !input.responses.is_empty()).then_some(input)
}
