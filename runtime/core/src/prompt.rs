//! Prompts as types, and the return types of their handlers (2026-07-28, server/prompts).

use crate::arguments::{StringArguments, StringArgumentsError, StringReader};
use crate::feature;
use crate::metadata::Package;
use crate::request::RequestError;
use crate::tool::{DescribesArguments, ReadsArguments};

pub use crate::metadata::FeatureMetadata;
pub use crate::protocol::{Prompt, PromptArgument, PromptMessage, PromptResult};

impl Prompt {
    /// Sets the arguments to the fields of `A`, for a prompt that is declared before there is a server, so that
    /// the manifest includes them. The server requires a handler with the same arguments.
    ///
    /// # Panics
    /// If a string cannot stand for a field of `A`, or the schema of `A` cannot be enforced. The message says what to change.
    pub fn arguments<A: StringArguments>(mut self) -> Self {
        match StringReader::of::<A>() {
            Ok(reader) => self.arguments = reader.arguments().to_vec(),
            Err(error) => panic!("invalid arguments of the prompt `{}`: {error}", self.name),
        }
        self
    }
}

/// A prompt as a struct whose fields are its arguments.
///
/// Use `#[derive(Prompt, serde::Deserialize, schemars::JsonSchema)]`, which implements all items; a struct without fields
/// needs only `Prompt`. Clients send strings, and each field is read from its own: numbers, booleans and enums work as in
/// [`StringArguments`].
///
/// ```
/// use toolwright_core::prompt::TypedPrompt;
/// use toolwright_macros::Prompt;
///
/// /// Asks for a summary of the open tickets.
/// #[derive(Prompt, serde::Deserialize, schemars::JsonSchema)]
/// #[mcp(title = "Summarize tickets")]
/// # #[mcp(crate = toolwright_core)]
/// struct SummarizeTickets {
///     /// How many to look at; all by default.
///     count: Option<u32>,
/// }
///
/// let prompt = SummarizeTickets::definition();
/// assert_eq!(prompt.name, "summarize_tickets");
/// assert_eq!(prompt.arguments[0].name, "count");
/// assert!(!prompt.arguments[0].required);
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "this type has no prompt definition",
    note = "put `#[derive(toolwright::Prompt, serde::Deserialize, schemars::JsonSchema)]` on `{Self}`"
)]
pub trait TypedPrompt: Sized + Send + 'static {
    /// The type that the arguments are read as: the type itself, or `()` for a struct without fields.
    type Arguments: ReadsArguments + DescribesArguments + Into<Self>;

    /// The name, unique per server: 1 to 128 characters of `A-Z a-z 0-9 _ - .`, as for tools.
    const NAME: &'static str;

    /// The package of the derive.
    const PACKAGE: Package;

    /// The attributes of the struct and its fields.
    const METADATA: FeatureMetadata;

    /// Returns the definition for `prompts/list`.
    ///
    /// # Panics
    /// If a string cannot stand for a field, or the schema cannot be enforced. The message says what to change.
    fn definition() -> Prompt {
        let mut prompt: Prompt = feature::parse_definition(&Self::METADATA);
        prompt.description = feature::description_of(&Self::METADATA);
        match reader_of::<Self>() {
            Ok(reader) => prompt.arguments = reader.arguments().to_vec(),
            Err(error) => panic!("invalid arguments of the prompt `{}`: {error}", Self::NAME),
        }
        prompt
    }
}

/// Returns the reader of the arguments of `P`; see [`StringReader::read`].
///
/// # Errors
/// [`StringArgumentsError`] if a string cannot stand for a field, or the schema cannot be enforced.
pub fn reader_of<P: TypedPrompt>() -> Result<StringReader, StringArgumentsError> {
    StringReader::with_fields::<<P::Arguments as DescribesArguments>::Described>(P::METADATA.fields)
}

/// Types that a prompt handler may return.
///
/// ```
/// use toolwright_core::prompt::{IntoPromptResult, PromptResult};
/// use toolwright_core::request::RequestError;
///
/// /// A request for a review.
/// struct Review {
///     file: String,
/// }
///
/// impl IntoPromptResult for Review {
///     fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
///         if self.file.is_empty() {
///             return Err(RequestError::invalid("name the file to review"));
///         }
///         format!("Review {}.", self.file).into_prompt_result()
///     }
/// }
///
/// assert!(Review { file: "src/main.rs".to_owned() }.into_prompt_result().is_ok());
/// assert!(Review { file: String::new() }.into_prompt_result().is_err());
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a prompt",
    label = "return a string, one or more `PromptMessage`s, a `PromptResult`, or a `Result` of these"
)]
pub trait IntoPromptResult {
    /// Converts the value, or returns why there is no prompt.
    fn into_prompt_result(self) -> Result<PromptResult, RequestError>;
}

impl IntoPromptResult for PromptResult {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        Ok(self)
    }
}

impl IntoPromptResult for Vec<PromptMessage> {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        Ok(PromptResult::new(self))
    }
}

impl<const N: usize> IntoPromptResult for [PromptMessage; N] {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        Vec::from(self).into_prompt_result()
    }
}

impl IntoPromptResult for PromptMessage {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        [self].into_prompt_result()
    }
}

/// Converts into one user message.
impl IntoPromptResult for String {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        PromptMessage::user(self).into_prompt_result()
    }
}

/// Converts into one user message.
impl IntoPromptResult for &str {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        PromptMessage::user(self).into_prompt_result()
    }
}

impl<T: IntoPromptResult, E: Into<RequestError>> IntoPromptResult for Result<T, E> {
    fn into_prompt_result(self) -> Result<PromptResult, RequestError> {
        self.map_err(Into::into)?.into_prompt_result()
    }
}

#[cfg(test)]
mod tests {
    use super::{IntoPromptResult, PromptMessage};
    use crate::protocol::ContentBlock;
    use crate::request::{RequestError, RequestErrorKind};

    #[test]
    fn texts_messages_and_results_are_prompts() {
        let text = "hello".into_prompt_result().expect("a prompt");
        assert_eq!(text.messages, [PromptMessage::user(ContentBlock::text("hello"))]);
        let two = [PromptMessage::user("hello"), PromptMessage::assistant("good day")];
        assert_eq!(two.into_prompt_result().expect("a prompt").messages.len(), 2);

        let failed: Result<String, std::fmt::Error> = Err(std::fmt::Error);
        assert_eq!(failed.into_prompt_result().expect_err("failed").kind(), RequestErrorKind::Failed);
        let refused: Result<String, RequestError> = Err(RequestError::invalid("no such language"));
        assert_eq!(refused.into_prompt_result(), Err(RequestError::invalid("no such language")));
    }
}
