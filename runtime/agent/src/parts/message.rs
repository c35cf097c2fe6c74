//! The tool parts of messages and conversations, with results paired with their calls.

use std::collections::HashMap;

use serde_json::{Map, Value};

use super::formats::{Formats, empty};
use super::part::ToolPart;

/// Returns the tool parts of a message in order, with each result joined to its call.
///
/// A message is an object with `parts`, `content`, `toolInvocations` or `tool_calls`, an array of parts, or a part; any
/// other value has no parts. For several messages, whose results may belong to earlier calls, use [`Transcript`].
pub fn all(message: &Value) -> Vec<ToolPart> {
    Transcript::of([message]).into_parts()
}

/// Returns the index of the last tool part in a message; `None` if there is none.
///
/// The index counts all parts of the list that contains it, such as `parts` or `content`.
pub fn last_index(message: &Value) -> Option<usize> {
    part_lists(message).find_map(|list| list.iter().rposition(super::is_tool_part))
}

/// The tool parts of a conversation, read message by message, with results joined to their calls.
///
/// A result belongs to the last preceding call with its id that has no final result, otherwise to the first following
/// one. A result whose call never appears remains a separate part, and so does a second final result. Reading takes
/// time linear in the size of the messages.
///
/// ```
/// use serde_json::json;
/// use toolwright_agent::parts::Transcript;
///
/// let mut transcript = Transcript::new();
/// transcript.push(&json!({ "type": "function_call", "call_id": "c1", "name": "add", "arguments": "{\"a\":1}" }));
/// transcript.push(&json!({ "type": "function_call_output", "call_id": "c1", "output": "1" }));
/// assert_eq!(transcript.parts().len(), 1);
/// assert_eq!(transcript.parts()[0].result, Some(json!("1")));
/// ```
#[derive(Debug, Clone, Default)]
pub struct Transcript {
    formats: Formats,
    /// In order; the slot of a result that was joined to its call is empty.
    parts: Vec<Option<ToolPart>>,
    /// The last call without a final result, by call id.
    open: HashMap<String, usize>,
    /// The first result without a call, by call id.
    orphans: HashMap<String, usize>,
}

impl Transcript {
    /// Creates an empty conversation in the standard formats.
    pub fn new() -> Self {
        Self::default()
    }

    /// Creates an empty conversation whose parts are read in `formats`.
    pub fn with_formats(formats: Formats) -> Self {
        Self { formats, ..Self::default() }
    }

    /// Reads `messages` in order.
    pub fn of<'a>(messages: impl IntoIterator<Item = &'a Value>) -> Self {
        let mut transcript = Self::new();
        for message in messages {
            transcript.push(message);
        }
        transcript
    }

    /// Adds the parts of `message`; see [`all`] for what counts as a message.
    pub fn push(&mut self, message: &Value) {
        let read = |part: &Value| self.formats.read(part).ok();
        // Some libraries write the same calls to two lists of a message.
        let in_lists = part_lists(message).map(|list| list.iter().filter_map(read).collect::<Vec<_>>());
        let found = in_lists.into_iter().find(|parts| !parts.is_empty());
        for part in found.unwrap_or_else(|| read(message).into_iter().collect()) {
            self.add(part);
        }
    }

    /// Returns the parts read so far.
    pub fn parts(&self) -> Vec<&ToolPart> {
        self.parts.iter().flatten().collect()
    }

    /// Returns the parts.
    pub fn into_parts(self) -> Vec<ToolPart> {
        self.parts.into_iter().flatten().collect()
    }

    fn add(&mut self, mut part: ToolPart) {
        let Some(id) = part.call_id.clone() else {
            return self.parts.push(Some(part));
        };
        if part.is_result_only {
            if let Some(&place) = self.open.get(&id)
                && let Some(call) = &mut self.parts[place]
            {
                join(call, part);
                if !is_open(call) {
                    self.open.remove(&id);
                }
                return;
            }
            self.orphans.entry(id).or_insert(self.parts.len());
        } else if is_open(&part) {
            let orphan = self.orphans.remove(&id);
            if let Some(result) = orphan.and_then(|place| self.parts[place].take()) {
                join(&mut part, result);
            }
            if is_open(&part) {
                self.open.insert(id, self.parts.len());
            }
        }
        self.parts.push(Some(part));
    }
}

/// Whether a result may still be joined to the call.
fn is_open(part: &ToolPart) -> bool {
    !part.has_result() || part.preliminary
}

/// Moves the result of `result` into `call`.
fn join(call: &mut ToolPart, mut result: ToolPart) {
    if call.tool_name.is_none() {
        call.tool_name = result.tool_name.take();
    }
    if call.args.as_object().is_some_and(Map::is_empty) && call.args_text.is_none() {
        call.args = result.args.take();
        call.args_text = result.args_text.take();
    }
    // Members that the result repeats are kept only if they differ from the call's.
    let repeated = [
        (
            "toolName",
            result.tool_name.map(Value::String).filter(|name| name.as_str() != call.tool_name.as_deref()),
        ),
        ("args", Some(result.args).filter(|args| !args.is_null() && *args != call.args && *args != empty())),
        ("argsText", result.args_text.map(Value::String)),
    ];
    for (name, value) in repeated {
        result.extra.extend(value.map(|value| (name.to_owned(), value)));
    }
    call.result = result.result;
    call.state = result.state;
    call.preliminary = result.preliminary;
    call.is_error |= result.is_error;
    call.error_text = result.error_text.or(call.error_text.take());
    if !result.extra.is_empty() {
        // Members of the result, such as a cache marker, must not overwrite those of the call.
        call.extra.insert(result.original_type, Value::Object(result.extra));
    }
}

/// The lists of a message that may contain parts.
fn part_lists(message: &Value) -> impl Iterator<Item = &Vec<Value>> {
    let members = ["parts", "content", "toolInvocations", "tool_calls"];
    let is_part = message.get("type").is_some_and(Value::is_string);
    let of_object =
        members.into_iter().filter(move |_| !is_part).filter_map(|name| message.get(name)?.as_array());
    message.as_array().into_iter().chain(of_object)
}
