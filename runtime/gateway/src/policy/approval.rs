//! Calls that someone must allow.

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use toolwright_server::{Context, Elicited, InputRequestError, InputResponses};

use super::Refusal;

/// The key under which a user is asked to allow a call.
const APPROVAL: &str = "io.toolwright.gateway/approval";
/// How much of the arguments a user is shown, in characters.
const SHOWN: usize = 1_000;

#[derive(Deserialize)]
struct Answer {
    allow: bool,
}

/// Asks the user of the client whether a call may be made. `input` is what the client has answered so far.
pub(crate) async fn approve(
    tool: &str,
    arguments: Option<&RawValue>,
    input: Option<&InputResponses>,
    cx: &Context,
) -> Result<(), Refusal> {
    // The server has asked in the name of the tool since, which comes after this.
    if cx.revision().has_server_requests() && input.is_some() {
        return Ok(());
    }
    let arguments = arguments.map_or("{}", RawValue::get);
    let shown: String = arguments.chars().take(SHOWN).collect();
    let more = if shown.len() < arguments.len() { " …" } else { "" };
    let message = format!("May the agent call `{tool}` with these arguments?\n{shown}{more}");
    let allow = json!({"type": "boolean", "title": "Allow this call"});
    let form = json!({"type": "object", "properties": {"allow": allow}, "required": ["allow"]});
    let answer = cx.elicit_form(APPROVAL, &message, &form).await;
    let answer = answer.map_err(|error: InputRequestError| {
        let text = format!("`{tool}` needs the approval of a user, and nobody can be asked: {error}");
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

/// What the client has answered to the provider, without what it was asked here; none where that is all.
pub(crate) fn inner_input(input: Option<&InputResponses>) -> Option<InputResponses> {
    let mut input = input.cloned()?;
    input.responses.remove(APPROVAL);
    (input.state.is_some() || !input.responses.is_empty()).then_some(input)
}
