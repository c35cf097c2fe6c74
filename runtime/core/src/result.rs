//! Return types of tools: content, structured content, or an error that the model can act on.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::protocol::{ContentBlock, MissingCapability};
use crate::schema::{self, Profile};

pub use crate::protocol::{StructuredContent, ToolResult};

/// A failure that is reported to the model: a result with `isError`.
///
/// Every `std::error::Error` converts into it with `?`. The model reads its message and those of its sources,
/// so keep secrets out of them.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    result: Box<ToolResult>,
}

impl ToolError {
    /// Creates an error with a message.
    pub fn new(text: impl Into<String>) -> Self {
        Self { result: Box::new(ToolResult::error(text)) }
    }

    /// An error from one without a type of its own, such as `anyhow::Error`, `eyre::Report` or
    /// `Box<dyn Error + Send + Sync>`, which `?` alone does not convert since they are not `Error`s themselves. The model
    /// reads its message and those of its sources.
    ///
    /// ```
    /// use std::error::Error;
    ///
    /// use toolwright_core::result::ToolError;
    ///
    /// fn load() -> Result<u32, Box<dyn Error + Send + Sync>> {
    ///     Err("the catalogue is being rebuilt; try again in a minute".into())
    /// }
    ///
    /// fn handle() -> Result<u32, ToolError> {
    ///     Ok(load().map_err(ToolError::from_dyn)?)
    /// }
    ///
    /// let error = handle().unwrap_err();
    /// assert_eq!(error.message(), "the catalogue is being rebuilt; try again in a minute");
    /// ```
    pub fn from_dyn(error: impl AsRef<dyn std::error::Error + Send + Sync>) -> Self {
        Self::from(DynError(error.as_ref()))
    }

    /// Adds `structuredContent`, which need not match the output schema.
    ///
    /// # Errors
    /// Returns the error of the `Serialize` implementation of `data`.
    pub fn with_data(mut self, data: &impl Serialize) -> Result<Self, serde_json::Error> {
        self.result.structured_content = Some(StructuredContent::new(data)?);
        Ok(self)
    }

    /// Returns the message for the model.
    pub fn message(&self) -> String {
        self.result.as_text()
    }
}

/// An error without a type, as an error.
#[derive(Debug)]
struct DynError<'a>(&'a (dyn std::error::Error + Send + Sync + 'static));

impl std::fmt::Display for DynError<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        std::fmt::Display::fmt(self.0, f)
    }
}

impl std::error::Error for DynError<'_> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        self.0.source()
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

/// Formats an error and its sources, without repeating a source that the message contains already.
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

/// Types that a handler may return.
///
/// Strings and numbers become one text block, content blocks are kept, [`Json`] becomes structured content with
/// an output schema, `()` an empty success, `Err` a result with `isError`.
///
/// ```
/// use toolwright_core::content::ContentBlock;
/// use toolwright_core::result::{IntoToolResult, ToolResult};
///
/// /// An image with alternative text.
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
    /// Whether results of this type may have structured content without a known schema, as [`ToolResult`] does.
    /// If the tool declares its output (`#[mcp(output = …)]`), such a result is validated before it is sent.
    /// For any other type without an [`output_schema`](IntoToolResult::output_schema), building the server
    /// fails.
    const IS_UNTYPED: bool = false;

    /// Returns the output schema, if results of this type always have structured content.
    fn output_schema() -> Option<Value> {
        None
    }

    /// Converts into the result to send.
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

/// Structured content, with the same JSON as text and an output schema in the definition.
///
/// The schema follows the `Serialize` implementation of `T`. If serialization fails, the result has `isError`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Json<T>(pub T);

impl<T: OutputData> IntoToolResult for Json<T> {
    fn output_schema() -> Option<Value> {
        Some(schema::output::<T>(Profile::Portable))
    }

    fn into_tool_result(self) -> ToolResult {
        ToolResult::structured(&self.0).unwrap_or_else(|error| {
            ToolResult::error(format!("the result could not be serialized as JSON: {error}"))
        })
    }
}

/// Types that [`Json`] can hold. Implemented for all types that implement `Serialize` and `JsonSchema`.
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
