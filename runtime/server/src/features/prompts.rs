//! Prompts and their code.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use serde_json::value::RawValue;
use toolwright_core::arguments::{StringArguments, StringReader};
use toolwright_core::definition::scopes_in;
use toolwright_core::future::BoxFuture;
use toolwright_core::prompt::{self, IntoPromptResult, Prompt, PromptArgument, PromptResult, TypedPrompt};
use toolwright_core::request::RequestError;
use toolwright_core::revision::Revision;
use toolwright_core::tool::ReadsArguments;

use super::request_handler::{Code, RequestHandler, RequestResult, read, result_of};
use crate::auth::Offer;
use crate::context::Context;
use crate::error::BuildError;
use crate::forward;
use crate::pagination::Listed;
use crate::provider::DynProvider;

/// A prompt with its code.
#[derive(Debug)]
pub(crate) struct PromptEntry {
    pub(super) prompt: Prompt,
    scopes: Box<[String]>,
    code: Code<GetPrompt>,
    /// The arguments that have only certain values.
    pub(super) values: Vec<(String, Vec<String>)>,
    /// The index of the provider that it comes from.
    pub(super) provider: Option<usize>,
}

type GetPrompt =
    dyn Fn(Option<Box<RawValue>>, Context) -> BoxFuture<'static, RequestResult<PromptResult>> + Send + Sync;

impl PromptEntry {
    pub(crate) fn new<P, H>(mut prompt: Prompt, handler: H) -> Result<Self, BuildError>
    where
        H: RequestHandler<P, Input: StringArguments, Output: IntoPromptResult>,
    {
        let refuse =
            |reason: String| BuildError::Feature { what: "prompt", name: prompt.name.clone(), reason };
        let reader = StringReader::of::<H::Input>().map_err(|error| refuse(error.to_string()))?;
        let of_handler = reader.arguments();
        let is_declared = |own: &PromptArgument| {
            of_handler.iter().any(|argument| argument.name == own.name && argument.required == own.required)
        };
        let fits = prompt.arguments.len() == of_handler.len() && prompt.arguments.iter().all(is_declared);
        if !prompt.arguments.is_empty() && !fits {
            return Err(refuse(
                "its arguments do not match those of its handler; pass the handler's argument type to \
                 `Prompt::arguments`, or omit the call"
                    .to_owned(),
            ));
        }
        // Declared properties, such as titles, take precedence.
        if prompt.arguments.is_empty() {
            prompt.arguments = of_handler.to_vec();
        }
        let handler = Arc::new(handler);
        Ok(Self::with_reader(prompt, reader, read::<H::Input>, move |input, cx| {
            let handler = Arc::clone(&handler);
            async move { handler.answer(input, cx).await.into_prompt_result() }
        }))
    }

    /// Creates the entry of a derived prompt.
    pub(crate) fn typed<P: TypedPrompt, R>(
        handle: impl Fn(P, Context) -> R + Send + Sync + 'static,
    ) -> Result<Self, BuildError>
    where
        R: Future<Output = Result<PromptResult, RequestError>> + Send + 'static,
    {
        let reader = prompt::reader_of::<P>().map_err(|error| BuildError::Feature {
            what: "prompt",
            name: P::NAME.to_owned(),
            reason: error.to_string(),
        })?;
        let read = |reader: &StringReader, given: Option<&RawValue>| {
            let read: P::Arguments = read::<<P::Arguments as ReadsArguments>::Read>(reader, given)?.into();
            Ok(read.into())
        };
        Ok(Self::with_reader(P::definition(), reader, read, handle))
    }

    fn with_reader<A: Send + 'static, R>(
        prompt: Prompt,
        reader: StringReader,
        read: impl Fn(&StringReader, Option<&RawValue>) -> RequestResult<A> + Send + Sync + 'static,
        handle: impl Fn(A, Context) -> R + Send + Sync + 'static,
    ) -> Self
    where
        R: Future<Output = Result<PromptResult, RequestError>> + Send + 'static,
    {
        let values = reader.values().to_vec();
        let shared = Arc::new((reader, read, handle));
        let code = move |arguments: Option<Box<RawValue>>, cx| -> BoxFuture<'static, _> {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (reader, read, handle) = &*shared;
                let arguments = read(reader, arguments.as_deref())?;
                Ok(handle(arguments, cx).await?)
            })
        };
        let scopes = scopes_in(prompt.meta.as_ref()).into();
        Self { prompt, scopes, code: Code(Box::new(code)), values, provider: None }
    }

    /// Creates the entry of a prompt from the provider with this index.
    pub(super) fn of_provider(number: usize, provider: &DynProvider, prompt: Prompt) -> Self {
        let (provider, name) = (provider.clone(), Arc::<str>::from(prompt.name.as_str()));
        let code = move |arguments: Option<Box<RawValue>>, cx: Context| -> BoxFuture<'static, _> {
            let (provider, name) = (provider.clone(), Arc::clone(&name));
            Box::pin(async move {
                result_of(forward::get_prompt(&provider, &name, arguments.as_deref(), &cx).await)
            })
        };
        let scopes = scopes_in(prompt.meta.as_ref()).into();
        Self { prompt, scopes, code: Code(Box::new(code)), values: Vec::new(), provider: Some(number) }
    }

    /// Renders the prompt.
    pub(crate) fn get(
        self: Arc<Self>,
        arguments: Option<Box<RawValue>>,
        cx: Context,
    ) -> BoxFuture<'static, RequestResult<PromptResult>> {
        let filled = (self.code.0)(arguments, cx);
        Box::pin(async move {
            let mut result = filled.await?;
            result.description = result.description.or_else(|| self.prompt.description.clone());
            Ok(result)
        })
    }

    /// Whether the prompt has an argument with this name.
    pub(super) fn takes(&self, argument: &str) -> bool {
        self.prompt.arguments.iter().any(|known| known.name == argument)
    }
}

impl Listed for PromptEntry {
    const MEMBER: &'static str = "prompts";

    type Wire = Prompt;

    fn key(&self) -> &str {
        &self.prompt.name
    }

    fn to_wire(&self, revision: Revision) -> Cow<'_, Prompt> {
        self.prompt.for_revision(revision)
    }

    fn scopes(&self) -> &[String] {
        &self.scopes
    }

    const IS_RULED: bool = true;

    fn offer(&self) -> Option<Offer<'_>> {
        Some(Offer::Prompt(&self.prompt.name))
    }
}
