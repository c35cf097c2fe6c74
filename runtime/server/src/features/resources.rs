//! Resources and resource templates with their code, and the lookup by URI.

use std::borrow::Cow;
use std::future::Future;
use std::sync::Arc;

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};
use toolwright_core::arguments::{StringArguments, StringArgumentsError, StringReader};
use toolwright_core::definition::scopes_in;
use toolwright_core::future::BoxFuture;
use toolwright_core::request::RequestError;
use toolwright_core::resource::{
    self, IntoResourceResult, Resource, ResourceResult, ResourceTemplate, TypedResource, UriTemplate,
    check_uri,
};
use toolwright_core::revision::Revision;
use toolwright_core::tool::ReadsArguments;

use super::Registry;
use super::request_handler::{Code, RequestHandler, RequestResult, read, result_of};
use super::watching::Watching;
use crate::auth::{Access, Offer};
use crate::context::Context;
use crate::error::BuildError;
use crate::forward;
use crate::pagination::{Listed, View};
use crate::provider::DynProvider;
use crate::subscriptions::Watch;

/// Resources and resource templates.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) fixed: Registry<ResourceEntry>,
    pub(crate) templates: Registry<TemplateEntry>,
    /// All providers. Those that have resources may know URIs that they do not list.
    pub(super) providers: Vec<DynProvider>,
    /// Tells them which resources are subscribed to.
    pub(super) watching: Arc<Watching>,
}

/// The target of a request for a resource.
pub(crate) enum FoundResource {
    /// A registered resource with this URI.
    Fixed(Arc<ResourceEntry>),
    /// A template that matches the URI, with the values of its variables.
    Template(Arc<TemplateEntry>, Map<String, Value>),
    /// Not registered here; a provider may know it.
    Elsewhere(Vec<DynProvider>),
}

/// The code that reads one resource.
pub(crate) type ReadFound = Box<dyn FnOnce(Context) -> BoxFuture<'static, RequestResult<ResourceResult>>>;

impl Resources {
    /// Finds the target of `uri`: the resource with that URI, otherwise the matching template with the most literal
    /// text.
    fn find(&self, uri: &str, access: &Access) -> Option<FoundResource> {
        if let Some(entry) = self.fixed.list_for(access).get(uri) {
            return Some(FoundResource::Fixed(Arc::clone(entry)));
        }
        let templates = self.templates.list_for(access);
        let matching = templates
            .entries()
            .iter()
            .filter_map(|entry| Some((entry, entry.template.as_ref()?.matches(uri)?)));
        // The list is sorted, so ties are always resolved the same way.
        let fixed_len = |entry: &TemplateEntry| entry.template.as_ref().map(UriTemplate::fixed_len);
        let Some((entry, values)) = matching.max_by_key(|(entry, _)| fixed_len(entry)) else {
            let having = self.providers.iter().filter(|provider| provider.capabilities().resources);
            let having: Vec<DynProvider> = having.cloned().collect();
            return (!having.is_empty()).then_some(FoundResource::Elsewhere(having));
        };
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        Some(FoundResource::Template(Arc::clone(entry), values))
    }

    /// Finds the target of `uri`, if the caller may see it. No other template takes the place of a hidden target: its
    /// author did not have this URI in mind.
    pub(crate) fn find_in(&self, uri: &str, view: View<'_>) -> Option<FoundResource> {
        self.find(uri, view.access).filter(|found| found.is_seen(uri, view))
    }

    /// Starts a subscription to `uri`, whether or not it exists yet; `None` if no provider has to know about it.
    pub(crate) fn watch(&self, uri: &str, access: &Access) -> Option<Watch> {
        match self.find(uri, access) {
            Some(FoundResource::Fixed(entry)) if entry.provider.is_none() => None,
            _ => self.watching.watch(uri),
        }
    }

    /// Whether the caller may subscribe to `uri`, whether or not it exists yet.
    pub(crate) fn may_watch(&self, uri: &str, view: View<'_>) -> bool {
        match self.find(uri, view.access) {
            Some(found) => found.is_seen(uri, view),
            None => view.admits(Offer::Resource(uri)),
        }
    }
}

impl FoundResource {
    fn is_seen(&self, uri: &str, view: View<'_>) -> bool {
        match self {
            Self::Fixed(entry) => view.sees(&**entry),
            Self::Template(entry, _) => view.sees(&**entry) && view.admits(Offer::Resource(uri)),
            Self::Elsewhere(_) => view.admits(Offer::Resource(uri)),
        }
    }

    /// The index of the provider that it comes from; `None` if it is the server's own, or may be any provider's.
    pub(super) fn provider(&self) -> Option<usize> {
        match self {
            Self::Fixed(entry) => entry.provider,
            Self::Template(entry, _) => entry.provider,
            Self::Elsewhere(_) => None,
        }
    }

    /// The scopes that reading requires.
    pub(crate) fn scopes(&self) -> &[String] {
        match self {
            Self::Fixed(entry) => entry.scopes(),
            Self::Template(entry, _) => entry.scopes(),
            Self::Elsewhere(_) => &[],
        }
    }

    /// Returns the code that reads it.
    pub(crate) fn read(self, uri: &str) -> ReadFound {
        match self {
            Self::Fixed(entry) => Box::new(move |cx| entry.read(cx)),
            Self::Template(entry, values) => {
                let uri = uri.to_owned();
                Box::new(move |cx| entry.read(uri, values, cx))
            }
            Self::Elsewhere(providers) => {
                let uri = uri.to_owned();
                Box::new(move |cx| read_by(providers, uri, cx))
            }
        }
    }
}

/// A resource with its code.
#[derive(Debug)]
pub(crate) struct ResourceEntry {
    resource: Resource,
    scopes: Box<[String]>,
    code: Code<ReadResource>,
    /// The index of the provider that it comes from.
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
        Ok(Self::with_code(resource, Box::new(code)))
    }

    /// Creates the entry of a derived resource with one address.
    pub(super) fn typed<T: TypedResource, R>(
        resource: Resource,
        handle: impl Fn(T, Context) -> R + Send + Sync + 'static,
    ) -> Result<Self, BuildError>
    where
        R: Future<Output: IntoResourceResult> + Send + 'static,
    {
        let refuse =
            |reason: String| BuildError::Feature { what: "resource", name: T::URI.to_owned(), reason };
        check_uri(&resource.uri).map_err(|error| refuse(error.to_string()))?;
        let reader = resource::reader_of::<T>().map_err(|error| refuse(error.to_string()))?;
        if let Some(unbound) = reader.arguments().iter().find(|field| field.required) {
            return Err(refuse(format!("its address has no variable `{}`", unbound.name)));
        }
        let shared = Arc::new((reader, handle));
        let code = move |cx, resource: &Resource| -> BoxFuture<'static, _> {
            let shared = Arc::clone(&shared);
            let (uri, mime_type) = (resource.uri.clone(), resource.mime_type.clone());
            Box::pin(async move {
                let (reader, handle) = &*shared;
                let contents = handle(read_typed(reader, None)?, cx).await;
                Ok(contents.into_resource_result(&uri, mime_type.as_deref())?)
            })
        };
        Ok(Self::with_code(resource, Box::new(code)))
    }

    fn with_code(resource: Resource, code: Box<ReadResource>) -> Self {
        let scopes = scopes_in(resource.meta.as_ref()).into();
        Self { resource, scopes, code: Code(code), provider: None }
    }

    /// Creates the entry of a resource from the provider with this index.
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

    type Wire = Resource;

    fn key(&self) -> &str {
        &self.resource.uri
    }

    fn to_wire(&self, revision: Revision) -> Cow<'_, Resource> {
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

/// Reads from the first of these providers that knows the URI.
pub(super) fn read_by(
    providers: Vec<DynProvider>,
    uri: String,
    cx: Context,
) -> BoxFuture<'static, RequestResult<ResourceResult>> {
    Box::pin(async move { result_of(forward::read_resource(&providers, &uri, &cx).await) })
}

/// Reads the variables of a derived resource.
fn read_typed<T: TypedResource>(reader: &StringReader, given: Option<&RawValue>) -> RequestResult<T> {
    let variables: T::Variables = read::<<T::Variables as ReadsArguments>::Read>(reader, given)?.into();
    Ok(variables.into())
}

/// A resource template with its code.
#[derive(Debug)]
pub(crate) struct TemplateEntry {
    shown: ResourceTemplate,
    /// Matches URIs; `None` for a provider's template, which the provider matches itself.
    pub(super) template: Option<UriTemplate>,
    scopes: Box<[String]>,
    code: Code<ReadTemplate>,
    /// The variables that have only certain values.
    pub(super) values: Vec<(String, Vec<String>)>,
    /// The index of the provider that it comes from.
    pub(super) provider: Option<usize>,
}

type ReadTemplate =
    dyn Fn(TemplateRead, Context) -> BoxFuture<'static, RequestResult<ResourceResult>> + Send + Sync;

/// The parameters of a template's code.
struct TemplateRead {
    uri: String,
    values: Map<String, Value>,
    mime_type: Option<String>,
}

impl TemplateEntry {
    pub(crate) fn new<P, H>(shown: ResourceTemplate, handler: H) -> Result<Self, BuildError>
    where
        H: RequestHandler<P, Input: StringArguments, Output: IntoResourceResult>,
    {
        let handler = Arc::new(handler);
        Self::with_reader(shown, StringReader::of::<H::Input>(), read::<H::Input>, move |input, cx| {
            let handler = Arc::clone(&handler);
            async move { handler.answer(input, cx).await }
        })
    }

    /// Creates the entry of a derived resource template.
    pub(super) fn typed<T: TypedResource, R>(
        shown: ResourceTemplate,
        handle: impl Fn(T, Context) -> R + Send + Sync + 'static,
    ) -> Result<Self, BuildError>
    where
        R: Future<Output: IntoResourceResult> + Send + 'static,
    {
        Self::with_reader(shown, resource::reader_of::<T>(), read_typed::<T>, handle)
    }

    fn with_reader<A: Send + 'static, R>(
        shown: ResourceTemplate,
        reader: Result<StringReader, StringArgumentsError>,
        read: impl Fn(&StringReader, Option<&RawValue>) -> RequestResult<A> + Send + Sync + 'static,
        handle: impl Fn(A, Context) -> R + Send + Sync + 'static,
    ) -> Result<Self, BuildError>
    where
        R: Future<Output: IntoResourceResult> + Send + 'static,
    {
        let refuse = |reason: String| BuildError::Feature {
            what: "resource template",
            name: shown.uri_template.clone(),
            reason,
        };
        let template = UriTemplate::parse(&shown.uri_template).map_err(|error| refuse(error.to_string()))?;
        let reader = reader.map_err(|error| refuse(error.to_string()))?;
        let fields = reader.arguments();
        let is_variable = |name: &str| template.variables().any(|variable| variable == name);
        if let Some(unbound) = fields.iter().find(|field| field.required && !is_variable(&field.name)) {
            return Err(refuse(format!(
                "its handler requires `{}`, which is not one of its variables",
                unbound.name
            )));
        }
        if let Some(unread) = template.variables().find(|name| fields.iter().all(|field| field.name != *name))
        {
            return Err(refuse(format!("its handler has no field `{unread}`")));
        }
        let values = reader.values().to_vec();
        let shared = Arc::new((reader, read, handle));
        let code = move |asked: TemplateRead, cx| -> BoxFuture<'static, _> {
            let shared = Arc::clone(&shared);
            Box::pin(async move {
                let (reader, read, handle) = &*shared;
                let values = to_raw_value(&asked.values).map_err(RequestError::from)?;
                let variables = read(reader, Some(&values))?;
                let contents = handle(variables, cx).await;
                Ok(contents.into_resource_result(&asked.uri, asked.mime_type.as_deref())?)
            })
        };
        let scopes = scopes_in(shown.meta.as_ref()).into();
        let template = Some(template);
        Ok(Self { shown, template, scopes, code: Code(Box::new(code)), values, provider: None })
    }

    /// Creates the entry of a resource template from the provider with this index, in any syntax.
    pub(super) fn of_provider(number: usize, provider: &DynProvider, shown: ResourceTemplate) -> Self {
        let provider = provider.clone();
        let code = move |asked: TemplateRead, cx: Context| read_by(vec![provider.clone()], asked.uri, cx);
        let scopes = scopes_in(shown.meta.as_ref()).into();
        let code = Code::<ReadTemplate>(Box::new(code));
        Self { shown, template: None, scopes, code, values: Vec::new(), provider: Some(number) }
    }

    pub(super) fn read(
        &self,
        uri: String,
        values: Map<String, Value>,
        cx: Context,
    ) -> BoxFuture<'static, RequestResult<ResourceResult>> {
        (self.code.0)(TemplateRead { uri, values, mime_type: self.shown.mime_type.clone() }, cx)
    }
}

impl Listed for TemplateEntry {
    const MEMBER: &'static str = "resourceTemplates";

    type Wire = ResourceTemplate;

    fn key(&self) -> &str {
        &self.shown.uri_template
    }

    fn to_wire(&self, revision: Revision) -> Cow<'_, ResourceTemplate> {
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
