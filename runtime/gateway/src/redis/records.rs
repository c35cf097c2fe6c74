//! The records of calls, as scripts return them and notifications carry them.

use std::fmt;

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
    /// Reads the id of a call and its final record, the first in a notification that `finish.lua` writes. Returns the rest as well.
    pub(super) fn of_notification(text: &str) -> Option<(&str, Self, &str)> {
        let mut parts = text.splitn(7, ' ');
        let mut next = || parts.next();
        let (state, attempt, version) = (next()?.to_owned(), next()?.to_owned(), next()?.to_owned());
        let [id, progress, end] = [next()?, next()?, next()?].map(|length| length.parse().ok());
        let (id, rest) = next()?.split_at_checked(id?)?;
        let (progress, rest) = rest.split_at_checked(progress?)?;
        let (end, rest) = rest.split_at_checked(end?)?;
        Some((id, Self { state, attempt, progress: progress.to_owned(), version, end: end.to_owned() }, rest))
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

#[cfg(test)]
mod tests {
    use super::Fields;

    #[test]
    fn notifications_have_ids_and_final_records() {
        let text = "done 2 7 3 5 9 a b{\"p\"}{\"é\": 1}failed 1 2 1 0 2 c{}";
        let (id, fields, rest) = Fields::of_notification(text).unwrap();
        assert_eq!((id, &*fields.state, &*fields.attempt, &*fields.version), ("a b", "done", "2", "7"));
        assert_eq!((&*fields.progress, &*fields.end), ("{\"p\"}", "{\"é\": 1}"));
        let (id, fields, rest) = Fields::of_notification(rest).unwrap();
        assert_eq!((id, &*fields.state, &*fields.end, rest), ("c", "failed", "{}", ""));
        let broken = [
            "",
            "done 2 7 3",
            "done 2 7 3 x 0 abc",
            "done 2 7 9 0 0 abc",
            "done 2 7 1 0 0 é",
            "done 2 7 1 0 9 a{}",
        ];
        for broken in broken {
            assert!(Fields::of_notification(broken).is_none(), "{broken}");
        }
    }
}
