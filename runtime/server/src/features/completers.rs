//! Completers of prompt arguments and resource template variables.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;
use toolwright_core::future::BoxFuture;
use toolwright_core::request::RequestError;

use super::Features;
use super::request_handler::{Code, RequestResult, result_of};
use crate::auth::Access;
use crate::completion::{Completion, CompletionContext, IntoCompletion, Reference};
use crate::context::Context;
use crate::error::BuildError;
use crate::forward;
use crate::message::Params;
use crate::pagination::View;
use crate::provider::CompletionRequest;

/// The completers of a server.
#[derive(Debug, Default)]
pub(crate) struct Completers(HashMap<(Reference, String), Arc<Completer>>);

/// The code that completes one argument.
#[derive(Debug)]
pub(crate) struct Completer(Code<Complete>);

type Complete =
    dyn Fn(String, CompletionContext) -> BoxFuture<'static, Result<Completion, RequestError>> + Send + Sync;

impl Completer {
    pub(crate) fn new<F, R>(complete: F) -> Self
    where
        F: Fn(String, CompletionContext) -> R + Send + Sync + 'static,
        R: Future<Output: IntoCompletion> + Send,
    {
        let complete = Arc::new(complete);
        Self::of(Box::new(move |value, context| {
            let complete = Arc::clone(&complete);
            Box::pin(async move { complete(value, context).await.into_completion() })
        }))
    }

    pub(crate) fn of(complete: Box<Complete>) -> Self {
        Self(Code(complete))
    }
}

impl Completers {
    /// Adds a completer; false if the argument already has one.
    pub(crate) fn add(&mut self, reference: Reference, argument: String, completer: Completer) -> bool {
        self.0.insert((reference, argument), Arc::new(completer)).is_none()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Iterates over the completed arguments, with their prompts or templates.
    pub(super) fn arguments(&self) -> impl Iterator<Item = (&Reference, &str)> {
        self.0.keys().map(|(reference, argument)| (reference, argument.as_str()))
    }
}

/// The parameters of `completion/complete`.
#[derive(Debug)]
pub(crate) struct CompleteParams {
    reference: Reference,
    argument: Argument,
    context: Resolved,
}

#[derive(Debug, Deserialize)]
struct Argument {
    name: String,
    value: String,
}

#[derive(Debug, Default, Deserialize)]
struct Resolved {
    #[serde(default)]
    arguments: BTreeMap<String, String>,
}

impl CompleteParams {
    /// The parameters of a request to a provider.
    pub(crate) fn of(request: &CompletionRequest<'_>) -> Self {
        Self {
            reference: request.reference.clone(),
            argument: Argument { name: request.argument.to_owned(), value: request.value.to_owned() },
            context: Resolved { arguments: request.arguments.clone() },
        }
    }

    /// Parses the parameters; the error says which one is invalid.
    pub(crate) fn read(params: &Params<'_>) -> Result<Self, &'static str> {
        // Derived code would accept an array as well.
        fn object<T: for<'de> Deserialize<'de>>(text: Option<&RawValue>) -> Option<T> {
            let text = text.filter(|text| text.get().starts_with('{'))?;
            serde_json::from_str(text.get()).ok()
        }
        Ok(Self {
            reference: object(params.reference)
                .ok_or("`ref` must be a reference such as {\"type\": \"ref/prompt\", \"name\": \"…\"}")?,
            argument: object(params.argument).ok_or("`argument` must have the strings `name` and `value`")?,
            context: match params.context {
                None => Resolved::default(),
                context => object(context).ok_or("`context.arguments` must be an object of strings")?,
            },
        })
    }
}

impl Features {
    /// If the argument does not exist for the caller, returns the reason.
    fn find_missing(&self, reference: &Reference, argument: &str, view: View<'_>) -> Option<String> {
        let is_known = match reference {
            Reference::Prompt { name } => {
                let entry =
                    self.prompts().and_then(|prompts| prompts.list_for(view.access).get(name).cloned());
                entry.filter(|entry| view.sees(&**entry)).map(|entry| entry.takes(argument))
            }
            Reference::Resource { uri } => self.resources().and_then(|resources| {
                let template = resources.templates.list_for(view.access).get(uri).cloned();
                let template = template.filter(|template| view.sees(&**template));
                let is_variable = template.map(|template| {
                    template
                        .template
                        .as_ref()
                        .is_none_or(|form| form.variables().any(|name| name == argument))
                });
                // A resource URI is a valid reference, but has no arguments.
                is_variable.or_else(|| {
                    let fixed = resources.fixed.list_for(view.access).get(uri).cloned();
                    fixed.filter(|entry| view.sees(&**entry)).map(|_| false)
                })
            }),
        };
        match is_known {
            Some(true) => None,
            Some(false) => Some(format!("`{}` has no argument `{argument}`", reference.as_str())),
            None => Some(format!("unknown prompt or resource template `{}`", reference.as_str())),
        }
    }

    /// The values of an enum or boolean that begin with the text so far, ignoring the case of ASCII letters.
    fn complete_from_values(&self, reference: &Reference, argument: &Argument, view: View<'_>) -> Completion {
        let values_in = |all: &[(String, Vec<String>)]| {
            let of_argument = all.iter().filter(|(name, _)| *name == argument.name);
            let matching = of_argument.flat_map(|(_, values)| values).filter(|value| {
                let start = value.as_bytes().get(..argument.value.len());
                start.is_some_and(|start| start.eq_ignore_ascii_case(argument.value.as_bytes()))
            });
            matching.cloned().collect()
        };
        let values = match reference {
            Reference::Prompt { name } => self.prompts().and_then(|prompts| {
                prompts.list_for(view.access).get(name).map(|entry| values_in(&entry.values))
            }),
            Reference::Resource { uri } => self.resources().and_then(|resources| {
                resources.templates.list_for(view.access).get(uri).map(|entry| values_in(&entry.values))
            }),
        };
        Completion { values: values.unwrap_or_default(), ..Completion::default() }
    }

    /// Whether an argument of the server's own has only certain values.
    pub(super) fn has_listed_values(&self) -> bool {
        self.prompts.list().entries().iter().any(|entry| !entry.values.is_empty())
            || self.resources.templates.list().entries().iter().any(|entry| !entry.values.is_empty())
    }

    /// Answers `completion/complete`. An argument without a completer and without listed values has no suggestions.
    pub(crate) fn complete(
        &self,
        params: CompleteParams,
        cx: Context,
        view: View<'_>,
    ) -> BoxFuture<'static, RequestResult<Completion>> {
        let CompleteParams { reference, argument, context } = params;
        if let Some(provider) = self.completing_provider(&reference, view).cloned() {
            return Box::pin(async move {
                let Resolved { arguments } = context;
                let request = CompletionRequest::new(&reference, &argument.name, &argument.value, &arguments);
                result_of(forward::complete(&provider, request, &cx).await.map(Completion::cap))
            });
        }
        let answer = match self.find_missing(&reference, &argument.name, view) {
            Some(reason) => Err(RequestError::invalid(reason).into()),
            None => Ok(self.complete_from_values(&reference, &argument, view).cap()),
        };
        match self.completers.0.get(&(reference, argument.name)) {
            Some(completer) if answer.is_ok() => {
                let context = CompletionContext { arguments: context.arguments, request: cx };
                let running = (completer.0.0)(argument.value, context);
                Box::pin(async move { Ok(running.await.map(Completion::cap)?) })
            }
            _ => Box::pin(std::future::ready(answer)),
        }
    }
}

impl Features {
    /// An error for the first completer whose target does not exist.
    pub(super) fn check_completers(&self) -> Result<(), BuildError> {
        let view = View { context_path: None, access: &Access::Trusted, rule: &self.rule };
        for (reference, argument) in self.completers.arguments() {
            if let Some(reason) = self.find_missing(reference, argument, view) {
                return Err(BuildError::Feature { what: "completion", name: argument.to_owned(), reason });
            }
        }
        Ok(())
    }
}
