//! What a client learns of a call.

use serde_json::Value;
use toolwright_client::{ClientError, ErrorKind};
use toolwright_core::result::ToolResult;

/// The member of `_meta` with the error of a gateway.
const FAULT: &str = "io.toolwright.gateway/fault";

/// What one attempt of a call has led to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Attempt {
    Done,
    /// It was not accepted, or may be repeated for another reason.
    Retry(String),
    /// Nobody knows whether the tool was called. With the id of the call, if there is one.
    Unknown(String, Option<String>),
    /// What must not happen.
    Failed(String),
}

impl Attempt {
    /// Of a call with the result `expected`.
    pub(crate) fn of(response: Result<ToolResult, ClientError>, expected: &str) -> Self {
        match response {
            Ok(result) if !result.is_error && result.as_text() == expected => Self::Done,
            Ok(result) => match result.meta.as_ref().and_then(|meta| meta.get(FAULT)) {
                Some(fault) => Self::of_fault(fault),
                None => Self::Failed(format!("the result is {result:?}")),
            },
            Err(error) => Self::of_error(&error),
        }
    }

    /// The id of a call with an unknown outcome.
    pub(crate) fn id(&self) -> Option<&str> {
        match self {
            Self::Unknown(_, id) => id.as_deref(),
            _ => None,
        }
    }

    fn of_error(error: &ClientError) -> Self {
        if let Some(data) = error.rpc().and_then(|rpc| rpc.data.as_ref())
            && let Ok(fault) = serde_json::from_str::<Value>(data.get())
            && fault["kind"].is_string()
        {
            return Self::of_fault(&fault);
        }
        match (error.kind(), error.status()) {
            // Nothing was sent.
            (ErrorKind::Connect, None) => Self::Retry("gateway unreachable".to_owned()),
            (ErrorKind::Lost, _) => Self::Unknown("gateway lost".to_owned(), None),
            (ErrorKind::Timeout, _) => Self::Unknown("client timeout".to_owned(), None),
            _ => Self::Failed(error.to_string()),
        }
    }

    fn of_fault(fault: &Value) -> Self {
        let kind = fault["kind"].as_str().unwrap_or_default().to_owned();
        match fault["retryable"].as_bool() {
            Some(true) => Self::Retry(kind),
            Some(false) if matches!(kind.as_str(), "outcome_unknown" | "store_unavailable" | "timeout") => {
                Self::Unknown(kind, fault["call_id"].as_str().map(str::to_owned))
            }
            _ => Self::Failed(fault.to_string()),
        }
    }
}
