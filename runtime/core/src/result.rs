//! Return types of tools: content, structured content, or an error that the model can act on.

use std::error::Error;
use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::error_chain::{self, Kept};
use crate::protocol::{ContentBlock, MissingCapability};
use crate::schema::{self, Profile};

pub use crate::protocol::{StructuredContent, ToolResult};

/// A failure that is reported to the model: a result with `isError`.
///
/// Whatever converts into a `Box<dyn Error + Send + Sync>` converts into it with `?`: every `std::error::Error`, such as one
/// by `thiserror`, `anyhow::Error`, `eyre::Report`, boxed errors and strings. The model reads its message and those of its
/// sources, and nothing else, so keep secrets out of them.
///
/// ```
/// use std::error::Error;
///
/// use toolwright_core::result::ToolError;
///
/// fn load() -> Result<String, Box<dyn Error + Send + Sync>> {
///     Ok("3 apples".to_owned())
/// }
///
/// fn count_apples() -> Result<u32, ToolError> {
///     let text = load()?;
///     let number = text.strip_suffix(" apples").ok_or("no apples are listed; call list_fruit first")?;
///     Ok(number.parse()?)
/// }
///
/// assert_eq!(count_apples(), Ok(3));
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct ToolError {
    result: Box<ToolResult>,
}

impl ToolError {
    /// Creates an error with a message.
    pub fn new(text: impl Into<String>) -> Self {
        Self { result: Box::new(ToolResult::error(text)) }
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

    /// Converts into a `std::error::Error`, for functions that return `anyhow::Error` or a boxed error. If a handler returns
    /// that error, with or without context added, the model also gets the data of this one.
    ///
    /// `ToolError` is not an `Error` itself: every `Error` converts into it, which would then include itself.
    ///
    /// ```
    /// use std::error::Error;
    ///
    /// use toolwright_core::result::ToolError;
    ///
    /// fn find(order: u32) -> Result<u32, Box<dyn Error + Send + Sync>> {
    ///     Err(ToolError::new(format!("there is no order {order}; call list_orders first")).into_error())?
    /// }
    ///
    /// let error = ToolError::from(find(7).unwrap_err());
    /// assert_eq!(error.message(), "there is no order 7; call list_orders first");
    /// ```
    pub fn into_error(self) -> impl Error + Send + Sync + 'static {
        error_chain::AsError::new(self)
    }
}

impl fmt::Display for ToolError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message())
    }
}

/// What [`ToolError`] and [`RequestError`](crate::request::RequestError) are converted from, with `?` or as the error that a
/// handler returns: whatever converts into a `Box<dyn Error + Send + Sync>`. It is implemented by writing an `Error`:
///
/// ```
/// use std::fmt;
///
/// use toolwright_core::result::ToolError;
///
/// #[derive(Debug)]
/// struct OutOfStock {
///     item: String,
/// }
///
/// impl fmt::Display for OutOfStock {
///     fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
///         write!(f, "`{}` is out of stock; call list_items for what there is", self.item)
///     }
/// }
///
/// impl std::error::Error for OutOfStock {}
///
/// let error = ToolError::from(OutOfStock { item: "tea".to_owned() });
/// assert_eq!(error.message(), "`tea` is out of stock; call list_items for what there is");
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` cannot be the error of a handler",
    label = "not an error",
    note = "implement `std::error::Error` for `{Self}`, for instance with the crate `thiserror`, or `From<{Self}>` for `toolwright::ToolError`",
    note = "where there is no error type to keep, write `.map_err(|error| ToolError::new(…))`"
)]
pub trait HandlerError: Into<Box<dyn Error + Send + Sync>> {}

#[diagnostic::do_not_recommend]
impl<E: Into<Box<dyn Error + Send + Sync>>> HandlerError for E {}

impl<E: HandlerError> From<E> for ToolError {
    fn from(error: E) -> Self {
        let error = error.into();
        let mut this = Self::new(error_chain::message(&*error));
        if let Some(Kept(original)) = error_chain::find::<Kept<Self>>(&*error) {
            this.result.structured_content.clone_from(&original.result.structured_content);
            this.result.missing_capability.clone_from(&original.result.missing_capability);
        } else if let Some(missing) = error_chain::find::<MissingCapability>(&*error) {
            this.result.missing_capability = Some(Box::new(missing.clone()));
        }
        this
    }
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
