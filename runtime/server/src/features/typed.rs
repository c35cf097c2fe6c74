//! Derived prompts and resources: what handles them, and their entries.

use std::future::Future;

use toolwright_core::prompt::{IntoPromptResult, PromptResult, TypedPrompt};
use toolwright_core::request::RequestError;
use toolwright_core::resource::{IntoResourceResult, ResourceDefinition, TypedResource};

use super::{Completer, FeatureParts, PromptEntry, ResourceEntry, TemplateEntry};
use crate::completion::{Completes, Completions, Reference};
use crate::context::Context;
use crate::error::BuildError;

/// Fills in the prompt `P`, a struct that derives `Prompt`. Implement it on the service's type, for
/// [`Server::prompts`](crate::Server::prompts).
///
/// ```
/// use toolwright_client::Client;
/// use toolwright_core::request::RequestError;
/// use toolwright_macros::Prompt;
/// use toolwright_server::{Context, PromptHandler, Server};
///
/// /// Asks for a review of code.
/// #[derive(Prompt, serde::Deserialize, schemars::JsonSchema)]
/// # #[mcp(crate = toolwright_server)]
/// struct ReviewCode {
///     /// How many remarks at most.
///     remarks: u32,
/// }
///
/// struct Reviewer {
///     language: String,
/// }
///
/// impl PromptHandler<ReviewCode> for Reviewer {
///     type Output = Result<String, RequestError>;
///
///     async fn get(&self, input: ReviewCode, _cx: &Context) -> Self::Output {
///         Ok(format!("Review this {} code with at most {} remarks.", self.language, input.remarks))
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Server::new(Reviewer { language: "Rust".to_owned() }).prompts::<ReviewCode>().build()?;
/// let prompt = Client::in_process(&service).get_prompt("review_code", serde_json::json!({"remarks": "3"})).await?;
/// assert_eq!(prompt.messages[0].content.as_text(), Some("Review this Rust code with at most 3 remarks."));
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for the prompt `{P}`",
    label = "no `PromptHandler<{P}>` for `{Self}`",
    note = "write `impl PromptHandler<{P}> for {Self} {{ type Output = Result<…, RequestError>; async fn get(&self, input: {P}, cx: &Context) -> Self::Output {{ … }} }}`"
)]
pub trait PromptHandler<P: TypedPrompt>: Send + Sync + 'static {
    /// What a prompt consists of: a string, messages, or a `PromptResult`; or a `Result` of one of these, with [`RequestError`]
    /// or any error that converts into it.
    type Output: IntoPromptResult;

    /// Fills in the prompt.
    fn get(&self, input: P, cx: &Context) -> impl Future<Output = Self::Output> + Send;
}

/// Reads the resource `R`, a struct that derives `Resource`. Implement it on the service's type, for
/// [`Server::resources`](crate::Server::resources).
///
/// ```
/// use toolwright_client::Client;
/// use toolwright_core::request::RequestError;
/// use toolwright_core::resource::ResourceData;
/// use toolwright_macros::Resource;
/// use toolwright_server::{Context, ResourceHandler, Server};
///
/// /// A ticket.
/// #[derive(Resource, serde::Deserialize, schemars::JsonSchema)]
/// #[mcp(uri = "tickets://{id}")]
/// # #[mcp(crate = toolwright_server)]
/// struct Ticket {
///     id: usize,
/// }
///
/// struct Tickets(Vec<String>);
///
/// impl ResourceHandler<Ticket> for Tickets {
///     // `None`: there is no such resource.
///     type Output = Result<Option<String>, RequestError>;
///
///     async fn read(&self, input: Ticket, _cx: &Context) -> Self::Output {
///         Ok(self.0.get(input.id).cloned())
///     }
/// }
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let service = Server::new(Tickets(vec!["Printer".to_owned()])).resources::<Ticket>().build()?;
/// let client = Client::in_process(&service);
/// let ticket = client.read_resource("tickets://0").await?;
/// assert_eq!(ticket.contents[0].data, ResourceData::Text("Printer".to_owned()));
/// assert!(client.read_resource("tickets://1").await.is_err());
/// # Ok(())
/// # }
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no handler for the resource `{R}`",
    label = "no `ResourceHandler<{R}>` for `{Self}`",
    note = "write `impl ResourceHandler<{R}> for {Self} {{ type Output = Result<…, RequestError>; async fn read(&self, input: {R}, cx: &Context) -> Self::Output {{ … }} }}`"
)]
pub trait ResourceHandler<R: TypedResource>: Send + Sync + 'static {
    /// The contents: a string, bytes, `ResourceContents`, a `ResourceResult`, or an `Option` of these, where `None` means that
    /// there is no such resource; or a `Result` of one of these, with [`RequestError`] or any error that converts into it.
    type Output: IntoResourceResult;

    /// Reads the resource.
    fn read(&self, input: R, cx: &Context) -> impl Future<Output = Self::Output> + Send;
}

/// Adds derived prompts and resources with their completions.
impl FeatureParts {
    pub(crate) fn add_prompt<P: TypedPrompt + Completes, R>(
        &mut self,
        handle: impl Fn(P, Context) -> R + Send + Sync + 'static,
    ) where
        R: Future<Output = Result<PromptResult, RequestError>> + Send + 'static,
    {
        let entry = self.keep(PromptEntry::typed(handle));
        self.prompts.get_or_insert_default().extend(entry);
        self.add_completions::<P>(&Reference::prompt(P::NAME));
    }

    pub(crate) fn add_resource<T: TypedResource + Completes, R>(
        &mut self,
        handle: impl Fn(T, Context) -> R + Send + Sync + 'static,
    ) where
        R: Future<Output: IntoResourceResult> + Send + 'static,
    {
        match T::definition() {
            ResourceDefinition::Resource(resource) => {
                let entry = self.keep(ResourceEntry::typed(resource, handle));
                self.resources.get_or_insert_default().extend(entry);
            }
            ResourceDefinition::Template(template) => {
                let entry = self.keep(TemplateEntry::typed(template, handle));
                self.resources.get_or_insert_default();
                self.templates.extend(entry);
                self.add_completions::<T>(&Reference::template(T::URI));
            }
        }
    }

    fn add_completions<T: Completes>(&mut self, reference: &Reference) {
        let mut completions = Completions::default();
        T::completions(&mut completions);
        for (argument, complete) in completions.into_functions() {
            self.complete(reference.clone(), argument, Completer::of(complete));
        }
    }

    /// Adds a completer.
    pub(crate) fn complete(&mut self, reference: Reference, argument: String, completer: Completer) {
        if !self.completers.add(reference, argument.clone(), completer) {
            self.problem.get_or_insert(BuildError::Feature {
                what: "completion",
                name: argument,
                reason: "it is set twice for the same reference".to_owned(),
            });
        }
    }
}
