//! The records of calls, as scripts return them and notifications carry them.

use std::fmt;

use redis::streams::StreamId;
use serde_json::value::RawValue;

use crate::calls::{CallError, CallRecord, CallState};

/// The fields of a record that a caller needs, as they are stored.
#[derive(Debug, Clone)]
pub(super) struct Fields {
    pub(super) state: String,
    pub(super) attempt: String,
    /// As JSON; empty if there is none.
    pub(super) progress: String,
    pub(super) version: String,
    /// The result or the error as JSON; empty if there is none.
    pub(super) end: String,
}

impl Fields {
    /// Reads the fields that a notification carries, if it does.
    pub(super) fn of_notification(entry: &StreamId) -> Option<Self> {
        let field = |name: &str| entry.get::<String>(name);
        Some(Self {
            state: field("state")?,
            attempt: field("attempt")?,
            progress: field("progress")?,
            version: field("version")?,
            end: field("end")?,
        })
    }

    pub(super) fn into_record(self) -> Result<CallRecord, CallError> {
        let progress = match self.progress.as_str() {
            "" => None,
            progress => Some(serde_json::from_str(progress).map_err(unreadable)?),
        };
        let attempt = self.attempt.parse().map_err(unreadable)?;
        let version = self.version.parse().map_err(unreadable)?;
        Ok(CallRecord::new(state_of(&self.state, self.end)?, attempt, progress, version))
    }
}

/// The stored record is invalid.
pub(super) fn unreadable(why: impl fmt::Display) -> CallError {
    CallError::Unavailable(format!("what it has kept of the call cannot be read: {why}"))
}

fn state_of(state: &str, end: String) -> Result<CallState, CallError> {
    Ok(match state {
        "queued" => CallState::Queued,
        "running" => CallState::Running,
        "done" => CallState::Done { result: RawValue::from_string(end).map_err(unreadable)? },
        "failed" => CallState::Failed { error: serde_json::from_str(&end).map_err(unreadable)? },
        "unknown" => CallState::Unknown,
        "cancelled" => CallState::Cancelled,
        other => return Err(unreadable(format_args!("the state `{other}`"))),
    })
}
