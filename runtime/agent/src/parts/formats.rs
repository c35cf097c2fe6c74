//! The part formats of chat libraries and model providers.

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use serde_json::{Map, Value};

use super::part::{NotAToolPart, State, ToolPart, Transport};

/// A part format that [`Formats::standard`] does not know.
///
/// ```
/// use serde_json::{Map, Value, json};
/// use toolwright_agent::parts::{Formats, PartFormat, State, ToolPart, Transport};
///
/// struct Robot;
///
/// impl PartFormat for Robot {
///     fn read(&self, part: &Map<String, Value>) -> Option<ToolPart> {
///         (part.get("type")? == "robot-action").then(|| {
///             let name = part.get("verb").and_then(Value::as_str).map(str::to_owned);
///             let args = part.get("with").cloned().unwrap_or_else(|| json!({}));
///             let mut read = ToolPart::new("robot-action", name, args, State::Call);
///             read.transport = Transport::Other("robot".to_owned());
///             read
///         })
///     }
/// }
///
/// let formats = Formats::standard().clone().with(Robot);
/// let part = formats.read(&json!({ "type": "robot-action", "verb": "lift", "with": { "kg": 3 } }))?;
/// assert_eq!((part.tool_name.as_deref(), part.transport.as_str()), (Some("lift"), "robot"));
/// # Ok::<(), toolwright_agent::parts::NotAToolPart>(())
/// ```
pub trait PartFormat: Send + Sync {
    /// Reads `part`; `None` if it has another format.
    ///
    /// Must not panic, whatever `part` is.
    fn read(&self, part: &Map<String, Value>) -> Option<ToolPart>;
}

/// The formats in which parts are read.
#[derive(Clone, Default)]
pub struct Formats {
    own: Vec<Arc<dyn PartFormat>>,
    servers: BTreeMap<String, Transport>,
}

impl std::fmt::Debug for Formats {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Formats").field("own", &self.own.len()).field("servers", &self.servers).finish()
    }
}

impl Formats {
    /// Returns the formats in the [module's table](super#formats).
    pub fn standard() -> &'static Self {
        static STANDARD: LazyLock<Formats> = LazyLock::new(Formats::default);
        &STANDARD
    }

    /// Adds a format, which is tried before all others.
    #[must_use]
    pub fn with(mut self, format: impl PartFormat + 'static) -> Self {
        self.own.insert(0, Arc::new(format));
        self
    }

    /// Sets the transport over which the tools of `server` are called.
    ///
    /// It becomes the [transport](ToolPart::transport) of `tool-{server}__…` parts whose members do not identify it:
    /// those with none of `args`, `result`, `input` and `output`, and those that mix both spellings. The default is
    /// [`Transport::Stdio`].
    #[must_use]
    pub fn server(mut self, server: impl Into<String>, transport: Transport) -> Self {
        self.servers.insert(server.into(), transport);
        self
    }

    /// Reads a part.
    ///
    /// # Errors
    ///
    /// [`NotAToolPart`] if no format matches.
    pub fn read(&self, part: &Value) -> Result<ToolPart, NotAToolPart> {
        let members = part.as_object().ok_or(NotAToolPart::NotAnObject)?;
        if let Some(read) = self.own.iter().find_map(|format| format.read(members)) {
            return Ok(read);
        }
        match members.get("type") {
            None => without_type(members).ok_or(NotAToolPart::NoType),
            Some(Value::String(kind)) => {
                self.of_type(kind, members).ok_or_else(|| NotAToolPart::OtherType(kind.clone()))
            }
            Some(_) => Err(NotAToolPart::TypeNotString),
        }
    }

    fn of_type(&self, kind: &str, members: &Map<String, Value>) -> Option<ToolPart> {
        let has = |name: &str| members.contains_key(name);
        match kind {
            "tool-invocation" if members.get("toolInvocation").is_some_and(Value::is_object) => {
                ai_sdk_4(Members::of(members))
            }
            "tool-result" if has("toolName") || (has("toolCallId") && !has("state")) => {
                Some(model_result(Members::of(members)))
            }
            "tool-call" | "dynamic-tool" if has("toolName") => {
                Some(read_named_part(kind, Members::of(members)))
            }
            "tool_use" | "mcp_tool_use" | "server_tool_use" => {
                Some(anthropic_call(kind, Members::of(members)))
            }
            "function_call" | "custom_tool_call" => Some(openai_call(kind, Members::of(members))),
            "function_call_output" | "custom_tool_call_output" => {
                Some(result_only(kind, Members::of(members), "call_id", "output"))
            }
            "mcp_call" => Some(openai_mcp_call(Members::of(members))),
            "function" | "custom" if members.get(kind).is_some_and(Value::is_object) => {
                openai_chat_call(kind, Members::of(members))
            }
            result if result.ends_with("tool_result") && has("tool_use_id") => {
                Some(result_only(kind, Members::of(members), "tool_use_id", "content"))
            }
            other => {
                let name = other.strip_prefix("tool-").filter(|name| !name.is_empty())?;
                Some(self.named_by_type(kind, name, Members::of(members)))
            }
        }
    }

    /// AI SDK 5 to 7: `tool-<name>`.
    fn named_by_type(&self, kind: &str, name: &str, mut members: Members) -> ToolPart {
        let transport = match (members.has_any(["args", "result"]), members.has_any(["input", "output"])) {
            (true, false) => Transport::Stdio,
            (false, true) => Transport::Http,
            _ => {
                let server = name.split_once("__").map_or(name, |(server, _)| server);
                self.servers.get(server).cloned().unwrap_or(Transport::Stdio)
            }
        };
        let mut part = call(kind, Some(name.to_owned()), &mut members, State::Completed);
        part.transport = transport;
        finish(part, members)
    }
}

/// Reads tool parts that have no `type`.
fn without_type(members: &Map<String, Value>) -> Option<ToolPart> {
    if members.contains_key("originalType") {
        return normalized(members);
    }
    if members.get("role").is_some_and(|role| role == "tool") && members.contains_key("tool_call_id") {
        // A complete message of OpenAI's chat format.
        return Some(result_only("tool", Members::of(members), "tool_call_id", "content"));
    }
    if ["toolName", "toolCallId", "state"].iter().all(|name| members.contains_key(*name)) {
        // An entry of `toolInvocations` in messages of AI SDK 4.
        let mut members = Members::of(members);
        let name = members.take_string("toolName");
        let part = call("tool-invocation", name, &mut members, State::Call);
        return Some(finish(part, members));
    }
    let is_mcp_result = !members.contains_key("role")
        && members.get("content").is_some_and(Value::is_array)
        && ["structuredContent", "isError", "resultType"].iter().any(|name| members.contains_key(*name));
    is_mcp_result.then(|| {
        let result = Value::Object(members.clone());
        with_result(ToolPart::new("mcp-result", None, empty(), State::Completed), Some(result))
    })
}

/// The representation of this module.
fn normalized(members: &Map<String, Value>) -> Option<ToolPart> {
    const OWN: [&str; 14] = [
        "toolName",
        "args",
        "result",
        "state",
        "originalType",
        "transport",
        "callId",
        "argsText",
        "errorText",
        "hasResult",
        "isError",
        "preliminary",
        "isResultOnly",
        "extra",
    ];
    let mut part: ToolPart = serde_json::from_value(Value::Object(members.clone())).ok()?;
    let unknown = members.iter().filter(|(name, _)| !OWN.contains(&name.as_str()));
    part.extra.extend(unknown.map(|(name, value)| (name.clone(), value.clone())));
    Some(part)
}

/// AI SDK 4: `tool-invocation`, which wraps the call.
fn ai_sdk_4(mut outer: Members) -> Option<ToolPart> {
    let Some(Value::Object(inner)) = outer.take("toolInvocation") else { return None };
    let mut inner = Members(inner);
    let name = inner.take_string("toolName");
    let mut part = call("tool-invocation", name, &mut inner, State::Call);
    if !inner.0.is_empty() {
        part.extra.insert("toolInvocation".to_owned(), Value::Object(inner.0));
    }
    Some(finish(part, outer))
}

/// `dynamic-tool` of AI SDK 5 to 7, and `tool-call` with or without a result.
fn read_named_part(kind: &str, mut members: Members) -> ToolPart {
    let name = members.take_string("toolName");
    // Model messages have ids, and their results are separate parts.
    let is_model_message = kind == "tool-call" && members.has_any(["toolCallId"]);
    let silent = if is_model_message { State::Call } else { State::Completed };
    let part = call(kind, name, &mut members, silent);
    finish(part, members)
}

/// `tool-result` of the AI SDK's model messages, whose output may be typed: `{"type": "error-text", "value": …}`.
fn model_result(mut members: Members) -> ToolPart {
    let name = members.take_string("toolName");
    let mut part = call("tool-result", name, &mut members, State::Completed);
    part.is_result_only = true;
    let typed = part.result.as_ref().and_then(|result| result.get("type")).and_then(Value::as_str);
    match typed {
        Some("error-text" | "error-json") => fail(&mut part, State::Failed),
        Some("execution-denied") => fail(&mut part, State::OutputDenied),
        _ => {}
    }
    finish(part, members)
}

fn anthropic_call(kind: &str, mut members: Members) -> ToolPart {
    let server = members.string("server_name").map(str::to_owned);
    let name = members.take_string("name");
    let mut part = ToolPart::new(kind, qualified(server, name), empty(), State::Call);
    part.call_id = members.take_string("id");
    set_args(&mut part, members.take("input"));
    finish(part, members)
}

fn openai_call(kind: &str, mut members: Members) -> ToolPart {
    let name = members.take_string("name");
    let mut part = ToolPart::new(kind, name, empty(), State::Call);
    part.call_id = members.take_string("call_id");
    part.state = members.take_string("status").map_or(part.state, State::from);
    set_args(&mut part, members.take(if kind == "function_call" { "arguments" } else { "input" }));
    finish(part, members)
}

/// An entry of `tool_calls` in OpenAI's chat format.
fn openai_chat_call(kind: &str, mut outer: Members) -> Option<ToolPart> {
    let Some(Value::Object(inner)) = outer.take(kind) else { return None };
    let mut inner = Members(inner);
    let mut part = ToolPart::new(kind, inner.take_string("name"), empty(), State::Call);
    part.call_id = outer.take_string("id");
    set_args(&mut part, inner.take(if kind == "function" { "arguments" } else { "input" }));
    if !inner.0.is_empty() {
        part.extra.insert(kind.to_owned(), Value::Object(inner.0));
    }
    Some(finish(part, outer))
}

/// A call that OpenAI made to an MCP server, with its result; `output` and `error` are `null` until there is one.
fn openai_mcp_call(mut members: Members) -> ToolPart {
    let server = members.string("server_label").map(str::to_owned);
    let name = members.take_string("name");
    let mut part = ToolPart::new("mcp_call", qualified(server, name), empty(), State::Call);
    part.call_id = members.take_string("id");
    set_args(&mut part, members.take("arguments"));
    let output = members.take("output").filter(|output| !output.is_null());
    if output.is_some() {
        part.state = State::Completed;
    }
    part = with_result(part, output);
    part.state = members.take_string("status").map_or(part.state, State::from);
    match members.take("error").unwrap_or_default() {
        Value::Null => {}
        Value::String(text) => {
            part.error_text = Some(text);
            fail(&mut part, State::Failed);
        }
        other => {
            members.0.insert("error".to_owned(), other);
            fail(&mut part, State::Failed);
        }
    }
    finish(part, members)
}

/// A result whose call is in another part.
fn result_only(kind: &str, mut members: Members, id: &str, result: &str) -> ToolPart {
    let name = members.take_string("name");
    let mut part = ToolPart::new(kind, name, empty(), State::Completed);
    part.is_result_only = true;
    part.call_id = members.take_string(id);
    part.state = members.take_string("status").map_or(part.state, State::from);
    // A result without content is still a result.
    part = with_result(part, Some(members.take(result).unwrap_or_default()));
    if members.take_flag("is_error") {
        fail(&mut part, State::Failed);
    }
    let names_error = |result: &Value| result["type"].as_str().is_some_and(|kind| kind.ends_with("_error"));
    if part.result.as_ref().is_some_and(names_error) {
        fail(&mut part, State::Failed);
    }
    finish(part, members)
}

/// A call with its result in either of the AI SDK's spellings; `silent` is the state of a part that names none.
fn call(kind: &str, name: Option<String>, members: &mut Members, silent: State) -> ToolPart {
    let mut part = ToolPart::new(kind, name, empty(), silent);
    part.call_id = members.take_string("toolCallId");
    part.state = members.take_string("state").map_or(part.state, State::from);
    set_args(&mut part, members.take_first(["args", "input"]));
    let result = members.take_first(["result", "output"]);
    part = with_result(part, result);
    part.preliminary = members.take_flag("preliminary");
    part.error_text = members.take_string("errorText");
    part.is_error |= part.error_text.is_some() || part.state == State::OutputError;
    part.is_error |= members.take_flag("isError");
    part
}

/// Sets the result, and marks the call as failed if it is a `tools/call` result with `isError`.
fn with_result(mut part: ToolPart, result: Option<Value>) -> ToolPart {
    part.is_error |= result.as_ref().is_some_and(|result| {
        result.get("content").is_some_and(Value::is_array)
            && result.get("isError") == Some(&Value::Bool(true))
    });
    part.is_result_only |= part.original_type == "mcp-result";
    part.result = result;
    part
}

fn fail(part: &mut ToolPart, state: State) {
    part.is_error = true;
    if part.state == State::Completed || part.state == State::Call {
        part.state = state;
    }
}

/// Sets the arguments; a string is parsed once.
fn set_args(part: &mut ToolPart, args: Option<Value>) {
    match args {
        None | Some(Value::Null) => {}
        Some(Value::String(text)) if text.trim().is_empty() => {}
        Some(Value::String(text)) => {
            if let Ok(args @ Value::Object(_)) = serde_json::from_str(&text) {
                let is_whole = compact(&text).as_deref() == Some(&args.to_string());
                part.args = args;
                part.args_text = (!is_whole).then_some(text);
            } else {
                part.args_text = Some(text);
            }
        }
        Some(args) => part.args = args,
    }
}

/// JSON without the whitespace between its tokens, and with strings as serde writes them.
fn compact(json: &str) -> Option<String> {
    let mut written = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(start) = rest.find('"') {
        written.extend(rest[..start].chars().filter(|character| !character.is_ascii_whitespace()));
        let string = &rest[start..];
        let mut escaped = false;
        let end = string.bytes().skip(1).position(|byte| {
            let ends = byte == b'"' && !escaped;
            escaped = byte == b'\\' && !escaped;
            ends
        })?;
        let (string, after) = string.split_at(end + 2);
        written.push_str(&Value::String(serde_json::from_str(string).ok()?).to_string());
        rest = after;
    }
    written.extend(rest.chars().filter(|character| !character.is_ascii_whitespace()));
    Some(written)
}

/// Moves the remaining members to `extra`.
fn finish(mut part: ToolPart, mut members: Members) -> ToolPart {
    members.0.remove("type");
    part.extra.append(&mut members.0);
    part
}

fn qualified(server: Option<String>, name: Option<String>) -> Option<String> {
    Some(server.map_or_else(String::new, |server| server + "__") + &name?)
}

/// Empty arguments.
pub(super) fn empty() -> Value {
    Value::Object(Map::new())
}

/// The members of a part that have not been read yet.
struct Members(Map<String, Value>);

impl Members {
    fn of(members: &Map<String, Value>) -> Self {
        Self(members.clone())
    }

    fn has_any<const N: usize>(&self, names: [&str; N]) -> bool {
        names.iter().any(|name| self.0.contains_key(*name))
    }

    fn take(&mut self, name: &str) -> Option<Value> {
        self.0.remove(name)
    }

    /// Takes the first of `names` that is present, whatever its value.
    fn take_first<const N: usize>(&mut self, names: [&str; N]) -> Option<Value> {
        names.iter().find_map(|name| self.take(name))
    }

    fn string(&self, name: &str) -> Option<&str> {
        self.0.get(name)?.as_str()
    }

    /// Takes a member if it is a string, and leaves it otherwise.
    fn take_string(&mut self, name: &str) -> Option<String> {
        self.string(name)?;
        match self.take(name)? {
            Value::String(text) => Some(text),
            _ => None,
        }
    }

    /// Takes a boolean member: true if it is present and true.
    fn take_flag(&mut self, name: &str) -> bool {
        let flag = self.0.get(name).and_then(Value::as_bool);
        if flag.is_some() {
            self.0.remove(name);
        }
        flag == Some(true)
    }
}
