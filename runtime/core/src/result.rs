//! What a tool answers: content, structured content, or an error that the model can act on.

use schemars::JsonSchema;
use serde::de::Deserializer;
use serde::ser::{Error as _, Serializer};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Map, Value};

use crate::content::ContentBlock;
use crate::json::{self, JsonFault, MAX_DEPTH, MAX_VALUE_DEPTH};
use crate::request::MissingCapability;
use crate::schema::{self, Profile};

/// The result of a call (2026-07-28, server/tools "Tool Result").
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolResult {
    /// The blocks for the model, in order; an empty list is a success with nothing to say.
    #[serde(default)]
    pub content: Vec<ContentBlock>,
    /// The result as data, any JSON value, `null` among them. Peers up to 2025-11-25 get a value that is not an object as
    /// `{"result": …}`, peers before 2025-06-18 get none.
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    pub structured_content: Option<StructuredContent>,
    /// Whether the call failed in a way that the model should hear about.
    #[serde(default)]
    pub is_error: bool,
    /// Whatever else belongs to the result.
    #[serde(default, rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// What the client has not declared, if that is why the call failed. It is no part of the JSON: a client of 2026-07-28
    /// gets the error -32021 in place of the result, and no text that comes from elsewhere can say so.
    #[serde(skip)]
    pub missing_capability: Option<Box<MissingCapability>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Keeps `null` apart from an absent member.
fn present<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Option<StructuredContent>, D::Error> {
    StructuredContent::deserialize(deserializer).map(Some)
}

impl ToolResult {
    /// A success with one text block.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// A failure that the model should hear about, as one text block.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: true, ..Self::text(text) }
    }

    /// A success with `value` as structured content and the same JSON as text, for clients that read text only.
    ///
    /// # Errors
    /// What `value`'s `Serialize` says.
    pub fn structured(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        let structured = StructuredContent::new(value)?;
        Ok(Self {
            content: vec![ContentBlock::text(structured.get())],
            structured_content: Some(structured),
            ..Self::default()
        })
    }

    /// The text of all text blocks, joined with a blank line.
    ///
    /// A result without content shows its structured content: a string as it is, anything else as JSON
    /// (as clients do that were shown nothing: nicobailon/pi-mcp-adapter#113).
    pub fn as_text(&self) -> String {
        if let (true, Some(structured)) = (self.content.is_empty(), &self.structured_content) {
            return match structured.to_value() {
                Value::String(text) => text,
                _ => structured.get().to_owned(),
            };
        }
        let blocks: Vec<&str> = self.content.iter().filter_map(ContentBlock::as_text).collect();
        blocks.join("\n\n")
    }
}

/// A JSON value kept as its text: written once by the handler, copied to the peer as it is.
///
/// The text has no line ends. One that others wrote may still not be fit to be sent: see [`StructuredContent::fault`].
#[derive(Debug, Clone)]
pub struct StructuredContent {
    text: Box<str>,
    fault: Option<Box<JsonFault>>,
}

impl StructuredContent {
    /// The JSON of `value`, of at most [`MAX_VALUE_DEPTH`] levels.
    ///
    /// # Errors
    /// What `value`'s `Serialize` says, or a [`JsonFault`] of a raw value in it.
    pub fn new(value: &(impl Serialize + ?Sized)) -> Result<Self, serde_json::Error> {
        let mut text = Vec::with_capacity(128);
        json::append(&mut text, value, MAX_DEPTH - MAX_VALUE_DEPTH).map_err(serde_json::Error::custom)?;
        let text = String::from_utf8(text).map_err(serde_json::Error::custom)?;
        Ok(Self { text: text.into(), fault: None })
    }

    /// The JSON text.
    pub fn get(&self) -> &str {
        &self.text
    }

    /// Why the text cannot be sent, if others wrote it and parsers would refuse it or not agree on it. A server answers
    /// with an error in its place.
    pub fn fault(&self) -> Option<&JsonFault> {
        self.fault.as_deref()
    }

    /// The value.
    pub fn to_value(&self) -> Value {
        serde_json::from_str(self.get()).unwrap_or_default()
    }

    /// Whether the value is an object.
    pub fn is_object(&self) -> bool {
        self.get().starts_with('{')
    }
}

/// Takes any JSON text; what is wrong with it is found out by [`StructuredContent::fault`].
impl<'de> Deserialize<'de> for StructuredContent {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = Box::<RawValue>::deserialize(deserializer)?;
        Ok(match json::tidy(raw.get(), MAX_VALUE_DEPTH) {
            Ok(text) => Self { text: text.into(), fault: None },
            Err(fault) => Self { text: raw.get().into(), fault: Some(Box::new(fault)) },
        })
    }
}

/// The value, unless it has a [`StructuredContent::fault`].
impl Serialize for StructuredContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match &self.fault {
            Some(fault) => Err(S::Error::custom(format_args!("the structured content {fault}"))),
            None => {
                serde_json::from_str::<&RawValue>(&self.text).map_err(S::Error::custom)?.serialize(serializer)
            }
        }
    }
}

impl PartialEq for StructuredContent {
    fn eq(&self, other: &Self) -> bool {
        self.to_value() == other.to_value()
    }
}

/// A failure of a tool that the model should hear about: it becomes a result with `isError`.
///
/// Every `std::error::Error` turns into one with `?`; its message and the messages of its sources are what the
/// model reads, so keep secrets out of error messages.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    result: Box<ToolResult>,
}

impl ToolError {
    /// An error with this text.
    pub fn new(text: impl Into<String>) -> Self {
        Self { result: Box::new(ToolResult::error(text)) }
    }

    /// Adds data for programs, as `structuredContent`; the output schema does not bind it.
    ///
    /// # Errors
    /// What `data`'s `Serialize` says.
    pub fn with_data(mut self, data: &impl Serialize) -> Result<Self, serde_json::Error> {
        self.result.structured_content = Some(StructuredContent::new(data)?);
        Ok(self)
    }

    /// The text for the model.
    pub fn message(&self) -> String {
        self.result.as_text()
    }
}

impl<E: std::error::Error> From<E> for ToolError {
    fn from(error: E) -> Self {
        let mut this = Self::new(with_sources(&error));
        if let Some(missing) = error.source().and_then(MissingCapability::among) {
            this.result.missing_capability = Some(Box::new(missing.clone()));
        }
        this
    }
}

/// The text of an error and of its sources, without repeating what an error says of its source already.
pub(crate) fn with_sources(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(cause) = source {
        let cause_text = cause.to_string();
        if !text.contains(&cause_text) {
            text.push_str(": ");
            text.push_str(&cause_text);
        }
        source = cause.source();
    }
    text
}

impl From<ToolError> for ToolResult {
    fn from(error: ToolError) -> Self {
        *error.result
    }
}

/// What a handler may return.
///
/// Text and numbers become one text block, content blocks stay what they are, [`Json`] becomes structured
/// content with an output schema, `()` an empty success, `Err` a result with `isError`.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the result of a tool",
    label = "not a tool result",
    note = "return text (`String`), a number, `()`, `ContentBlock`s, `ToolResult`, or data as `toolwright::Json<T>`, where `T` derives `serde::Serialize` and `schemars::JsonSchema`; each of them also inside a `Result`"
)]
pub trait IntoToolResult {
    /// Whether results of this type may have structured content that the type does not say anything about, as
    /// [`ToolResult`] does. Where the tool declares its output (`#[mcp(output = …)]`), such a result is checked against
    /// that before it is sent; for any other type without an [`output_schema`](IntoToolResult::output_schema) the server
    /// is not built.
    const IS_UNTYPED: bool = false;

    /// The schema of the structured content, if results of this type always have some.
    fn output_schema() -> Option<Value> {
        None
    }

    /// The result to send.
    fn into_tool_result(self) -> ToolResult;
}

impl IntoToolResult for ToolResult {
    const IS_UNTYPED: bool = true;

    fn into_tool_result(self) -> ToolResult {
        self
    }
}

impl IntoToolResult for () {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::default()
    }
}

impl IntoToolResult for String {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::text(self)
    }
}

impl IntoToolResult for &'static str {
    fn into_tool_result(self) -> ToolResult {
        ToolResult::text(self)
    }
}

macro_rules! as_text {
    ($($type:ty)*) => {$(
        impl IntoToolResult for $type {
            fn into_tool_result(self) -> ToolResult {
                ToolResult::text(self.to_string())
            }
        }
    )*};
}
as_text!(bool char i8 i16 i32 i64 i128 isize u8 u16 u32 u64 u128 usize f32 f64);

impl IntoToolResult for ContentBlock {
    fn into_tool_result(self) -> ToolResult {
        ToolResult { content: vec![self], ..ToolResult::default() }
    }
}

impl IntoToolResult for Vec<ContentBlock> {
    fn into_tool_result(self) -> ToolResult {
        ToolResult { content: self, ..ToolResult::default() }
    }
}

impl IntoToolResult for Option<ContentBlock> {
    fn into_tool_result(self) -> ToolResult {
        self.into_iter().collect::<Vec<_>>().into_tool_result()
    }
}

impl<T: IntoToolResult, E: Into<ToolError>> IntoToolResult for Result<T, E> {
    const IS_UNTYPED: bool = T::IS_UNTYPED;

    fn output_schema() -> Option<Value> {
        T::output_schema()
    }

    fn into_tool_result(self) -> ToolResult {
        match self {
            Ok(value) => value.into_tool_result(),
            Err(error) => error.into().into(),
        }
    }
}

/// Data as a result: structured content, the same JSON as text, and an output schema in the definition.
///
/// The schema follows what `T` serializes to. A value that fails to serialize becomes a result with `isError`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: OutputData> IntoToolResult for Json<T> {
    fn output_schema() -> Option<Value> {
        Some(schema::output::<T>(Profile::Portable))
    }

    fn into_tool_result(self) -> ToolResult {
        ToolResult::structured(&self.0).unwrap_or_else(|error| {
            ToolResult::error(format!("the result could not be written as JSON: {error}"))
        })
    }
}

/// Types that can stand in [`Json`]. Implemented for all that serialize and have a JSON Schema.
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be structured content",
    label = "needs `serde::Serialize` and `schemars::JsonSchema`",
    note = "add `serde::Serialize` and `schemars::JsonSchema` to the derives of `{Self}`, or return text or content blocks, which need no schema"
)]
pub trait OutputData: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> OutputData for T {}
