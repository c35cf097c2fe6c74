//! What a tool returns: content, structured content, or an error that the model can act on.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::protocol::{ContentBlock, MissingCapability};
use crate::schema::{self, Profile};

pub use crate::protocol::{StructuredContent, ToolResult};

/// A failure that is reported to the model: it becomes a result with `isError`.
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
///
/// ```
/// use toolwright_core::content::ContentBlock;
/// use toolwright_core::result::{IntoToolResult, ToolResult};
///
/// /// A picture, with the text that stands for it where none can be shown.
/// struct Chart {
///     png: Vec<u8>,
///     caption: String,
/// }
///
/// impl IntoToolResult for Chart {
///     fn into_tool_result(self) -> ToolResult {
///         vec![ContentBlock::image(&self.png, "image/png"), ContentBlock::text(self.caption)].into_tool_result()
///     }
/// }
///
/// let result = Chart { png: vec![0x89, 0x50], caption: "Sales by month".to_owned() }.into_tool_result();
/// assert_eq!(result.content.len(), 2);
/// ```
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

/// Types that [`Json`] can hold. Implemented for all that serialize and have a JSON Schema.
///
/// ```
/// use toolwright_core::result::{IntoToolResult, Json};
///
/// #[derive(serde::Serialize, schemars::JsonSchema)]
/// struct Sum {
///     sum: i64,
/// }
///
/// let schema = Json::<Sum>::output_schema().expect("data has a schema");
/// assert_eq!(schema["properties"]["sum"]["type"], "integer");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be structured content",
    label = "needs `serde::Serialize` and `schemars::JsonSchema`",
    note = "add `serde::Serialize` and `schemars::JsonSchema` to the derives of `{Self}`, or return text or content blocks, which need no schema"
)]
pub trait OutputData: Serialize + JsonSchema {}

#[diagnostic::do_not_recommend]
impl<T: Serialize + JsonSchema> OutputData for T {}
