//! Prompts, resources and templates with the code behind them.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use toolwright_core::arguments::{TextArguments, TextReader};
use toolwright_core::definition::scopes_in;
use toolwright_core::prompt::{IntoPromptResult, Prompt, PromptArgument, PromptResult};
use toolwright_core::protocol::{ErrorObject, error};
use toolwright_core::request::RequestError;
use toolwright_core::resource::{
    IntoResourceResult, Resource, ResourceResult, ResourceTemplate, UriTemplate, check_uri,
};
use toolwright_core::revision::Revision;

use super::RequestHandler;
use crate::auth::Offer;
use crate::context::Context;
use crate::error::BuildError;
use crate::future::BoxFuture;
use crate::list::Listed;
use crate::provider::{DynProvider, InputRequired, Outcome, RawResult, get_prompt, read_resource};

/// What comes of a request for a prompt, a resource or a completion.
pub(crate) type RequestResult<T> = Result<T, Failure>;

/// What there is in place of a result.
#[derive(Debug)]
pub(crate) enum Failure {
    /// What the code behind the request says.
    Request(RequestError),
    /// A protocol error of a provider.
    Error(ErrorObject),
    /// A provider asks the client first.
    Input(InputRequired),
    /// A result that a provider hands on.
    Raw(RawResult),
}

impl From<RequestError> for Failure {
    fn from(error: RequestError) -> Self {
        Self::Request(error)
    }
}

/// The outcome of a provider as what comes of a request.
pub(super) fn of_outcome<T>(outcome: Outcome<T>) -> RequestResult<T> {
    match outcome {
        Outcome::Result(result) => Ok(result),
        Outcome::Error(error) => Err(Failure::Error(error)),
        Outcome::InputRequired(input) => Err(Failure::Input(input)),
        Outcome::Raw(raw) => Err(Failure::Raw(raw)),
        Outcome::Task(_) => Err(Failure::Error(error::internal("the provider has not ended"))),
    }
}

/// Code of the user's, with a name for `Debug`.
pub(super) struct Code<F: ?Sized>(pub(super) Box<F>);

impl<F: ?Sized> fmt::Debug for Code<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Code")
    }
}

/// A prompt with its code.
#[derive(Debug)]
pub(crate) struct PromptEntry {
    pub(super) prompt: Prompt,
    scopes: Box<[String]>,
    code: Code<GetPrompt>,
    /// The number of the provider that it comes from.
    pub(super) provider: Option<usize>,
}

type GetPrompt =
    dyn Fn(Option<Box<RawValue>>, Context) -> BoxFuture<'static, RequestResult<PromptResult>> + Send + Sync;

impl PromptEntry {
    pub(super) fn new<P, H>(mut prompt: Prompt, handler: H) -> Result<Self, BuildError>
    where
        H: RequestHandler<P, Output: IntoPromptResult>,
    {
        let refuse =
            |reason: String| BuildError::Feature { what: "prompt", name: prompt.name.clone(), reason };
        let reader = TextReader::of::<H::Input>().map_err(|error| refuse(error.to_string()))?;
        let of_handler = reader.arguments();
        let is_declared = |own: &PromptArgument| {
            of_handler.iter().any(|argument| argument.name == own.name && argument.required == own.required)
        };
        let fits = prompt.arguments.len() == of_handler.len() && prompt.arguments.iter().all(is_declared);
        if !prompt.arguments.is_empty() && !fits {
            return Err(refuse(
                "its arguments are not those that its handler takes: name the type of the handler's in \
                 `Prompt::arguments`, or leave that out"
                    .to_owned(),
            ));
        }
        // What is declared of them, such as titles, stays.
        if prompt.arguments.is_empty() {
            prompt.arguments = of_handler.to_vec();
        }
        let shared = Arc::new((reader, handler));
        let code = move |arguments: Option<Box<RawValue>>, cx| -> BoxFuture<'static, _> {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (reader, handler) = &*shared;
                let arguments = read::<H::Input>(reader, arguments.as_deref())?;
                Ok(handler.answer(arguments, cx).await.into_prompt_result()?)
            })
        };
        let scopes = scopes_in(prompt.meta.as_ref()).into();
        Ok(Self { prompt, scopes, code: Code(Box::new(code)), provider: None })
    }

    /// The entry of a prompt of the provider with this number.
    pub(super) fn of_provider(number: usize, provider: &DynProvider, prompt: Prompt) -> Self {
        let (provider, name) = (provider.clone(), Arc::<str>::from(prompt.name.as_str()));
        let code = move |arguments: Option<Box<RawValue>>, cx: Context| -> BoxFuture<'static, _> {
            let (provider, name) = (provider.clone(), Arc::clone(&name));
            Box::pin(async move { of_outcome(get_prompt(&provider, &name, arguments.as_deref(), &cx).await) })
        };
        let scopes = scopes_in(prompt.meta.as_ref()).into();
        Self { prompt, scopes, code: Code(Box::new(code)), provider: Some(number) }
    }

    /// Fills the prompt in.
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

    /// Whether the prompt has an argument of this name.
    pub(super) fn takes(&self, argument: &str) -> bool {
        self.prompt.arguments.iter().any(|known| known.name == argument)
    }
}

fn read<A: TextArguments>(reader: &TextReader, arguments: Option<&RawValue>) -> RequestResult<A> {
    Ok(reader.read(arguments).map_err(|errors| RequestError::invalid(errors.to_string()))?)
}

impl Listed for PromptEntry {
    const MEMBER: &'static str = "prompts";

    type Shown = Prompt;

    fn key(&self) -> &str {
        &self.prompt.name
    }

    fn shown(&self, revision: Revision) -> Cow<'_, Prompt> {
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

/// A resource with its code.
#[derive(Debug)]
pub(crate) struct ResourceEntry {
    resource: Resource,
    scopes: Box<[String]>,
    code: Code<ReadResource>,
    /// The number of the provider that it comes from.
    pub(super) provider: Option<usize>,
}

type ReadResource =
    dyn Fn(Context, &Resource) -> BoxFuture<'static, RequestResult<ResourceResult>> + Send + Sync;

impl ResourceEntry {
    pub(crate) fn new<P, H>(resource: Resource, handler: H) -> Result<Self, BuildError>
    where
        H: RequestHandler<P, Input = (), Output: IntoResourceResult>,
    {
        check_uri(&resource.uri).map_err(|error| BuildError::Feature {
            what: "resource",
            name: resource.uri.clone(),
            reason: error.to_string(),
        })?;
        let handler = Arc::new(handler);
        let code = move |cx, resource: &Resource| -> BoxFuture<'static, _> {
            let handler = Arc::clone(&handler);
            let (uri, mime_type) = (resource.uri.clone(), resource.mime_type.clone());
            Box::pin(async move {
                Ok(handler.answer((), cx).await.into_resource_result(&uri, mime_type.as_deref())?)
            })
        };
        let scopes = scopes_in(resource.meta.as_ref()).into();
        Ok(Self { resource, scopes, code: Code(Box::new(code)), provider: None })
    }

    /// The entry of a resource of the provider with this number.
    pub(super) fn of_provider(number: usize, provider: &DynProvider, resource: Resource) -> Self {
        let provider = provider.clone();
        let code =
            move |cx: Context, resource: &Resource| read_by(vec![provider.clone()], resource.uri.clone(), cx);
        let scopes = scopes_in(resource.meta.as_ref()).into();
        Self { resource, scopes, code: Code(Box::new(code)), provider: Some(number) }
    }

    pub(super) fn read(&self, cx: Context) -> BoxFuture<'static, RequestResult<ResourceResult>> {
        (self.code.0)(cx, &self.resource)
    }
}

impl Listed for ResourceEntry {
    const MEMBER: &'static str = "resources";

    type Shown = Resource;

    fn key(&self) -> &str {
        &self.resource.uri
    }

    fn shown(&self, revision: Revision) -> Cow<'_, Resource> {
        self.resource.for_revision(revision)
    }

    fn scopes(&self) -> &[String] {
        &self.scopes
    }

    const IS_RULED: bool = true;

    fn offer(&self) -> Option<Offer<'_>> {
        Some(Offer::Resource(&self.resource.uri))
    }
}

/// Has the first of these providers read that knows the address.
pub(super) fn read_by(
    providers: Vec<DynProvider>,
    uri: String,
    cx: Context,
) -> BoxFuture<'static, RequestResult<ResourceResult>> {
    Box::pin(async move { of_outcome(read_resource(&providers, &uri, &cx).await) })
}

/// A resource template with its code.
#[derive(Debug)]
pub(crate) struct TemplateEntry {
    shown: ResourceTemplate,
    /// What addresses match it; none for one of a provider, which finds that out by itself.
    pub(super) template: Option<UriTemplate>,
    scopes: Box<[String]>,
    code: Code<ReadTemplate>,
    /// The number of the provider that it comes from.
    pub(super) provider: Option<usize>,
}

type ReadTemplate = dyn Fn(Asked, Context) -> BoxFuture<'static, RequestResult<ResourceResult>> + Send + Sync;

/// What is asked of a template.
struct Asked {
    uri: String,
    values: Map<String, Value>,
    mime_type: Option<String>,
}

impl TemplateEntry {
    pub(super) fn new<P, H>(shown: ResourceTemplate, handler: H) -> Result<Self, BuildError>
    where
        H: RequestHandler<P, Output: IntoResourceResult>,
    {
        let refuse = |reason: String| BuildError::Feature {
            what: "resource template",
            name: shown.uri_template.clone(),
            reason,
        };
        let template = UriTemplate::parse(&shown.uri_template).map_err(|error| refuse(error.to_string()))?;
        let reader = TextReader::of::<H::Input>().map_err(|error| refuse(error.to_string()))?;
        let fields = reader.arguments();
        let is_variable = |name: &str| template.variables().any(|variable| variable == name);
        if let Some(unbound) = fields.iter().find(|field| field.required && !is_variable(&field.name)) {
            return Err(refuse(format!("its handler needs `{}`, which is no variable of it", unbound.name)));
        }
        if let Some(unread) = template.variables().find(|name| fields.iter().all(|field| field.name != *name))
        {
            return Err(refuse(format!("its handler has no field `{unread}`")));
        }
        let shared = Arc::new((reader, handler));
        let code = move |asked: Asked, cx| -> BoxFuture<'static, _> {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (reader, handler) = &*shared;
                let values = to_raw_value(&asked.values).map_err(RequestError::from)?;
                let variables = read::<H::Input>(reader, Some(&values))?;
                let contents = handler.answer(variables, cx).await;
                Ok(contents.into_resource_result(&asked.uri, asked.mime_type.as_deref())?)
            })
        };
        let scopes = scopes_in(shown.meta.as_ref()).into();
        Ok(Self { shown, template: Some(template), scopes, code: Code(Box::new(code)), provider: None })
    }

    /// The entry of a resource template of the provider with this number, whatever its form.
    pub(super) fn of_provider(number: usize, provider: &DynProvider, shown: ResourceTemplate) -> Self {
        let provider = provider.clone();
        let code = move |asked: Asked, cx: Context| read_by(vec![provider.clone()], asked.uri, cx);
        let scopes = scopes_in(shown.meta.as_ref()).into();
        Self { shown, template: None, scopes, code: Code(Box::new(code)), provider: Some(number) }
    }

    pub(super) fn read(
        &self,
        uri: String,
        values: Map<String, Value>,
        cx: Context,
    ) -> BoxFuture<'static, RequestResult<ResourceResult>> {
        (self.code.0)(Asked { uri, values, mime_type: self.shown.mime_type.clone() }, cx)
    }
}

impl Listed for TemplateEntry {
    const MEMBER: &'static str = "resourceTemplates";

    type Shown = ResourceTemplate;

    fn key(&self) -> &str {
        &self.shown.uri_template
    }

    fn shown(&self, revision: Revision) -> Cow<'_, ResourceTemplate> {
        self.shown.for_revision(revision)
    }

    fn scopes(&self) -> &[String] {
        &self.scopes
    }

    const IS_RULED: bool = true;

    fn offer(&self) -> Option<Offer<'_>> {
        Some(Offer::ResourceTemplate(&self.shown.uri_template))
    }
}
