//! Return types of prompt handlers (2026-07-28, server/prompts).

use crate::arguments::{StringArguments, StringReader};
use crate::request::RequestError;

pub use crate::protocol::{Prompt, PromptArgument, PromptMessage, PromptResult};

impl Prompt {
    /// Sets the arguments to the fields of `A`, for a prompt that is declared before there is a server, so that
    /// the manifest includes them. The server requires a handler with the same arguments.
    ///
    /// # Panics
    /// If a field of `A` is not a string, or the schema of `A` cannot be enforced. The message says what to change.
    pub fn arguments<A: StringArguments>(mut self) -> Self {
        match StringReader::of::<A>() {
            Ok(reader) => self.arguments = reader.arguments().to_vec(),
            Err(error) => panic!("invalid arguments of the prompt `{}`: {error}", self.name),
        }
        self
    }
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
