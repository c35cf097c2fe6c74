//! One representation of the tool parts in chat messages, whatever library or model wrote them.
//!
//! Chat libraries and model providers each have their own way to write tool calls and results into messages:
//! `tool-weather` with `input` and `output`, `tool_use` with `tool_result`, `function_call` with arguments as a JSON
//! string. [`normalize`] reads one part, [`all`] those of a message, with results paired with their calls, and
//! [`Transcript`] those of a conversation. All of them are pure functions: they do no I/O, accept any JSON and never
//! panic.
//!
//! ```
//! use serde_json::json;
//! use toolwright_agent::parts;
//!
//! let part = parts::normalize(&json!({
//!     "type": "tool-railway-mcp__analyze",
//!     "input": { "dataset": "compound" },
//!     "output": 0
//! }))
//! .expect("a tool part");
//! assert_eq!(part.tool_name.as_deref(), Some("railway-mcp__analyze"));
//! assert_eq!(part.args, json!({ "dataset": "compound" }));
//! assert_eq!(part.result, Some(json!(0)));
//!
//! let message = json!({ "role": "assistant", "content": [
//!     { "type": "text", "text": "Let me look." },
//!     { "type": "tool_use", "id": "t1", "name": "weather", "input": { "city": "Bern" } },
//! ] });
//! let answer = json!({ "role": "user", "content": [
//!     { "type": "tool_result", "tool_use_id": "t1", "content": "sunny" },
//! ] });
//! let parts = parts::Transcript::of([&message, &answer]).into_parts();
//! assert_eq!((parts.len(), &parts[0].result), (1, &Some(json!("sunny"))));
//! assert!(parts[0].is_done());
//! ```
//!
//! # Formats
//!
//! | source | parts |
//! |---|---|
//! | AI SDK 4, UI messages | `tool-invocation` around one object; a message's `toolInvocations` |
//! | AI SDK 5 to 7, UI messages | `tool-<name>` and `dynamic-tool` |
//! | AI SDK, model messages | `tool-call`, `tool-result` |
//! | Anthropic | `tool_use`, `tool_result`, and the `mcp_` and `server_` variants |
//! | OpenAI, chat | a message's `tool_calls`; messages of the role `tool` |
//! | OpenAI, responses | `function_call`, `custom_tool_call`, their `…_output`, and `mcp_call` |
//! | MCP | the result of `tools/call` |
//! | this module | [`ToolPart`] itself, so that normalizing twice changes nothing |
//!
//! The source file `formats.rs` defines all of them. Add other formats with [`PartFormat`] and [`Formats::with`].
//!
//! # Rules
//!
//! - Members are chosen by presence rather than truthiness: `0`, `""`, `false` and `null` are results.
//! - `args`/`result` and `input`/`output` are both read everywhere; no library is recognized by a single member.
//! - String arguments are parsed once, as JSON. A string that is not a JSON object stays in
//!   [`args_text`](ToolPart::args_text), and the arguments are empty.
//! - Members without a counterpart are kept in [`extra`](ToolPart::extra), so nothing is lost.

mod formats;
mod message;
mod part;

pub use formats::{Formats, PartFormat};
pub use message::{Transcript, all, last_index};
pub use part::{NotAToolPart, Phase, State, ToolPart, Transport};
use serde_json::{Map, Value};

/// Returns whether `part` is a tool part in a format that [`Formats::standard`] knows.
///
/// ```
/// use serde_json::json;
/// use toolwright_agent::parts::is_tool_part;
///
/// assert!(is_tool_part(&json!({ "type": "tool-uv-mcp__load_csv" })));
/// assert!(is_tool_part(&json!({ "type": "tool-call", "toolName": "x" })));
/// assert!(!is_tool_part(&json!({ "type": "text", "text": "…" })));
/// assert!(!is_tool_part(&json!({ "type": "tool-" })));
/// ```
pub fn is_tool_part(part: &Value) -> bool {
    normalize(part).is_some()
}

/// Reads one part in the formats of [`Formats::standard`]; `None` if it is not a tool part.
///
/// [`Formats::read`] says why something is not a tool part.
pub fn normalize(part: &Value) -> Option<ToolPart> {
    Formats::standard().read(part).ok()
}

/// Returns the name of the part's tool, including its server's name if the part has one: `uv-mcp__load_csv`.
///
/// `None` if it is not a tool part, and for results that refer to their call only by id.
pub fn name(part: &Value) -> Option<String> {
    normalize(part)?.tool_name
}

/// Returns the arguments of the part's call: `{}` if it has none, or is not a tool part.
pub fn args(part: &Value) -> Value {
    normalize(part).map_or_else(|| Value::Object(Map::new()), |part| part.args)
}

/// Returns the part's result: `None` if there is none yet, or `part` is not a tool part.
///
/// A result that is `null` is `Some(Value::Null)`.
pub fn result(part: &Value) -> Option<Value> {
    normalize(part)?.result
}

#[cfg(test)]
mod tests;
