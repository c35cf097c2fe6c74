//! Limits on tool calls: rate, concurrency, sizes, and approval by a user.
//!
//! `rules` defines the file format, `usage` counts calls, and `approval` asks the user. All rules that match a
//! call apply. [`Controlled`](crate::Controlled) enforces them.

mod approval;
mod rules;
mod usage;

pub(crate) use approval::{approve, inner_input};
pub use rules::{Approval, MAX_POLICY_BYTES, MAX_RULES, Per, Policy, PolicyError, Rule};
pub use usage::MAX_COUNTED;
pub(crate) use usage::{Usage, Used};

use serde_json::{Map, json};
use toolwright_core::protocol::meta;
use toolwright_core::result::ToolResult;

/// Why a policy rejects a call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Refusal {
    /// The machine-readable name of the error.
    pub(crate) kind: &'static str,
    text: String,
    is_retryable: bool,
    retry_after_ms: Option<u64>,
}

impl Refusal {
    pub(crate) fn new(kind: &'static str, text: impl Into<String>) -> Self {
        Self { kind, text: text.into(), is_retryable: false, retry_after_ms: None }
    }

    /// The call was made, but its result has too many bytes.
    pub(crate) fn result_too_large(size: usize, most: usize) -> Self {
        let text = format!(
            "the call was made, and its result has {size} bytes where {most} are allowed: ask for less at a time"
        );
        Self::new("result_too_large", text)
    }

    /// The same call may succeed later.
    pub(crate) fn after(self, milliseconds: u64) -> Self {
        Self { is_retryable: true, retry_after_ms: Some(milliseconds), ..self }
    }

    /// Converts into a result that the model reads, with the same information for programs.
    pub(crate) fn into_result(self) -> ToolResult {
        let mut result = ToolResult::error(self.text);
        let mut fault = json!({"kind": self.kind, "retryable": self.is_retryable});
        if let Some(milliseconds) = self.retry_after_ms {
            fault["retry_after_ms"] = milliseconds.into();
        }
        result.meta = Some(Map::from_iter([(meta::FAULT.to_owned(), fault)]));
        result
    }
}
