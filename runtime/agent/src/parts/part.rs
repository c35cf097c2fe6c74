//! The common representation of tool parts.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// A call of a tool in a message, with its result if there is one, or a result without its call.
///
/// In JSON, member names are in camel case. `toolName`, `args`, `result`, `state`, `originalType` and `transport` are always
/// present, `toolName` and `result` as `null` if they are unknown; the others are omitted if they are empty.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ToolPart {
    /// The tool's full name, such as `uv-mcp__load_csv`. `None` for results that name their call's id only.
    pub tool_name: Option<String>,
    /// The arguments, normally an object; `{}` if the part has none, or `null`.
    #[serde(default = "super::formats::empty")]
    pub args: Value,
    /// The result; `Some(Value::Null)` is a result that is `null`.
    #[serde(flatten, with = "outcome")]
    pub result: Option<Value>,
    /// The progress that the part reports. The default is [`State::Completed`], or [`State::Call`] in formats in which
    /// calls and results are separate parts.
    pub state: State,
    /// The `type` of the original, such as `tool-uv-mcp__load_csv`; `mcp-result` for the result of `tools/call`, which has
    /// no type.
    pub original_type: String,
    /// How the part's members are spelled, which identifies its origin.
    pub transport: Transport,
    /// The id that pairs calls and results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call_id: Option<String>,
    /// The original string of the arguments, if [`args`](Self::args) does not represent all of it: it is not a JSON object, a
    /// name appears twice, or a number has too many digits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub args_text: Option<String>,
    /// The error message, if the part has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error_text: Option<String>,
    /// Whether the call failed, according to its state, an error text, or the result's own flag (`isError`,
    /// `is_error`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_error: bool,
    /// Whether the result may still change (`preliminary`).
    #[serde(default, skip_serializing_if = "is_false")]
    pub preliminary: bool,
    /// Whether this is a result whose call is in another part.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_result_only: bool,
    /// The original's other members.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub extra: Map<String, Value>,
}

impl ToolPart {
    /// Creates a call of `tool_name` with `args` in the state `state`, without a result.
    pub fn new(
        original_type: impl Into<String>,
        tool_name: Option<String>,
        args: Value,
        state: State,
    ) -> Self {
        Self {
            tool_name,
            args,
            result: None,
            state,
            original_type: original_type.into(),
            transport: Transport::Standard,
            call_id: None,
            args_text: None,
            error_text: None,
            is_error: false,
            preliminary: false,
            is_result_only: false,
            extra: Map::new(),
        }
    }

    /// Returns whether there is a result, including `null`.
    pub fn has_result(&self) -> bool {
        self.result.is_some()
    }

    /// Returns whether the call is finished: it has failed or was denied, or has a result that is not preliminary.
    pub fn is_done(&self) -> bool {
        match self.state.phase() {
            Phase::Failed | Phase::Denied => true,
            Phase::Requested | Phase::AwaitingApproval => self.is_error,
            Phase::Done | Phase::Unknown => !self.preliminary && (self.has_result() || self.is_error),
        }
    }
}

/// The progress that a part reports, with the spellings of all formats.
///
/// An unknown state is kept unchanged. [`State::phase`] classifies states.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum State {
    /// `completed`: also the state of UI parts that name none.
    Completed,
    /// `call`: the arguments are complete.
    Call,
    /// `partial-call`: the arguments are still arriving (AI SDK 4).
    PartialCall,
    /// `result` (AI SDK 4).
    Result,
    /// `input-streaming` (AI SDK 5 and later).
    InputStreaming,
    /// `input-available` (AI SDK 5 and later).
    InputAvailable,
    /// `approval-requested` (AI SDK 6 and later).
    ApprovalRequested,
    /// `approval-responded` (AI SDK 6 and later).
    ApprovalResponded,
    /// `output-available` (AI SDK 5 and later).
    OutputAvailable,
    /// `output-error` (AI SDK 5 and later).
    OutputError,
    /// `output-denied` (AI SDK 6 and later).
    OutputDenied,
    /// `in_progress` (OpenAI).
    InProgress,
    /// `incomplete` (OpenAI).
    Incomplete,
    /// `failed`.
    Failed,
    /// Any other.
    Other(String),
}

/// The known states and their spellings.
const STATES: [(&str, State); 14] = [
    ("completed", State::Completed),
    ("call", State::Call),
    ("partial-call", State::PartialCall),
    ("result", State::Result),
    ("input-streaming", State::InputStreaming),
    ("input-available", State::InputAvailable),
    ("approval-requested", State::ApprovalRequested),
    ("approval-responded", State::ApprovalResponded),
    ("output-available", State::OutputAvailable),
    ("output-error", State::OutputError),
    ("output-denied", State::OutputDenied),
    ("in_progress", State::InProgress),
    ("incomplete", State::Incomplete),
    ("failed", State::Failed),
];

impl State {
    /// Parses a state; [`State::Other`] if it is unknown.
    pub fn parse(text: &str) -> Self {
        let known = STATES.iter().find(|(written, _)| *written == text);
        known.map_or_else(|| Self::Other(text.to_owned()), |(_, state)| state.clone())
    }

    /// Returns the state as parts spell it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Other(text) => text,
            known => {
                STATES.iter().find(|(_, state)| state == known).map_or("completed", |(written, _)| *written)
            }
        }
    }

    /// Returns the phase that the state belongs to.
    pub fn phase(&self) -> Phase {
        match self {
            Self::Call
            | Self::PartialCall
            | Self::InputStreaming
            | Self::InputAvailable
            | Self::ApprovalResponded
            | Self::InProgress => Phase::Requested,
            Self::ApprovalRequested => Phase::AwaitingApproval,
            Self::Completed | Self::Result | Self::OutputAvailable => Phase::Done,
            Self::OutputError | Self::Failed | Self::Incomplete => Phase::Failed,
            Self::OutputDenied => Phase::Denied,
            Self::Other(_) => Phase::Unknown,
        }
    }
}

impl fmt::Display for State {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// The phase of a call, which several [states](State) share.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Phase {
    /// The call is being written, or runs.
    Requested,
    /// The call waits for someone to approve it.
    AwaitingApproval,
    /// There is, or should be, a result.
    Done,
    /// The call failed.
    Failed,
    /// The call was not approved.
    Denied,
    /// The state is unknown.
    Unknown,
}

/// How a part's members are spelled.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "String", into = "String")]
#[non_exhaustive]
pub enum Transport {
    /// `args` and `result` on a part named after its tool.
    Stdio,
    /// `input` and `output` on a part named after its tool.
    Http,
    /// A part with a member for the tool's name, and the formats of model providers.
    Standard,
    /// A format that the program defines.
    Other(String),
}

impl Transport {
    /// Parses the transport as [`ToolPart`] writes it.
    pub fn parse(text: &str) -> Self {
        match text {
            "stdio" => Self::Stdio,
            "http" => Self::Http,
            "standard" => Self::Standard,
            other => Self::Other(other.to_owned()),
        }
    }

    /// Returns the transport as [`ToolPart`] writes it.
    pub fn as_str(&self) -> &str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "http",
            Self::Standard => "standard",
            Self::Other(other) => other,
        }
    }
}

impl fmt::Display for Transport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl From<String> for State {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl From<State> for String {
    fn from(state: State) -> Self {
        state.as_str().to_owned()
    }
}

impl From<String> for Transport {
    fn from(text: String) -> Self {
        Self::parse(&text)
    }
}

impl From<Transport> for String {
    fn from(transport: Transport) -> Self {
        transport.as_str().to_owned()
    }
}

/// Why a value is not a tool part.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotAToolPart {
    /// It is not a JSON object.
    #[error("a part must be a JSON object")]
    NotAnObject,
    /// It has no `type`, and is not the result of `tools/call` either.
    #[error("the part has no `type`")]
    NoType,
    /// Its `type` is not a string.
    #[error("the part's `type` is not a string")]
    TypeNotString,
    /// No format has parts of this type.
    #[error("`{0}` is not the type of a tool part")]
    OtherType(String),
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde requires this signature")]
fn is_false(value: &bool) -> bool {
    !value
}

/// [`ToolPart::result`] as JSON: `null` if there is none, with a marker if the result itself is `null`.
mod outcome {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};
    use serde_json::Value;

    #[derive(Serialize, Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Outcome {
        #[serde(default)]
        result: Value,
        #[serde(default, skip_serializing_if = "super::is_false")]
        has_result: bool,
    }

    #[expect(clippy::ref_option, reason = "serde requires this signature")]
    pub(super) fn serialize<S: Serializer>(result: &Option<Value>, serializer: S) -> Result<S::Ok, S::Error> {
        let has_result = *result == Some(Value::Null);
        Outcome { result: result.clone().unwrap_or_default(), has_result }.serialize(serializer)
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<Value>, D::Error> {
        let Outcome { result, has_result } = Outcome::deserialize(deserializer)?;
        Ok((has_result || !result.is_null()).then_some(result))
    }
}
