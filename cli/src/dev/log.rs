//! Shows calls as they end.

use std::time::Duration;

use serde_json::Value;
use toolwright_core::content::ContentBlock;
use toolwright_core::manifest::visible;
use toolwright_server::Outcome;
use toolwright_server::middleware::{Ending, Invocation, InvocationResult, Middleware, Next};

use crate::shell::Shell;

/// How much of the arguments or of an error message is shown, in bytes.
const MAX_TEXT: usize = 500;

/// Prints a line for each call, prompt and resource: what, how it ended, and how long it took; with `-v` also the arguments
/// and the messages of errors, both of which may contain what a user entered.
pub(super) struct CallLog(Shell);

impl CallLog {
    pub(super) fn new(shell: Shell) -> Self {
        Self(shell)
    }
}

impl Middleware for CallLog {
    async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
        let shell = self.0;
        if shell.is_verbose()
            && let Some(arguments) = invocation.arguments()
        {
            let name = visible(shorten(invocation.name()));
            shell.note(&format!("{name}: called with {}", visible(shorten(arguments.get()))));
        }
        let report = move |invocation: &Invocation, ending: Ending, elapsed: Duration| {
            let (name, ending) = (visible(shorten(invocation.name())), ending.to_string().replace('_', " "));
            shell.note(&format!("{name}: {ending} in {} ms", elapsed.as_millis()));
        };
        let name = shell.is_verbose().then(|| invocation.name().to_owned());
        let outcome = next.observe(invocation, report).await;
        if let (Some(name), Some(text)) = (name, error_text(&outcome)) {
            shell.note(&format!("{}: {}", visible(shorten(&name)), visible(shorten(&text))));
        }
        outcome
    }
}

/// Returns the message of an error.
fn error_text(outcome: &Outcome<InvocationResult>) -> Option<String> {
    match outcome {
        Outcome::Error(error) => Some(error.message.clone()),
        Outcome::Result(InvocationResult::Tool(result)) if result.is_error => Some(result.as_text()),
        Outcome::Raw(raw) if Ending::of(outcome) == Ending::ToolError => {
            let result: Value = raw.parse().ok()?;
            let blocks = result["content"].as_array()?.iter().cloned();
            Some(blocks.map(|block| ContentBlock::from(block).to_text().into_owned()).collect())
        }
        _ => None,
    }
}

fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_TEXT)]
}
