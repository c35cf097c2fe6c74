//! Resources and resource templates with the code behind them, and which of them stands at an address.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::value::to_raw_value;
use serde_json::{Map, Value};
use toolwright_core::arguments::TextReader;
use toolwright_core::definition::scopes_in;
use toolwright_core::request::RequestError;
use toolwright_core::resource::{
    IntoResourceResult, Resource, ResourceResult, ResourceTemplate, UriTemplate, check_uri,
};
use toolwright_core::revision::Revision;

use super::Registry;
use super::request_handler::{Code, RequestHandler, RequestResult, read, result_of};
use super::watching::Watching;
use crate::auth::{Access, Offer};
use crate::context::Context;
use crate::error::BuildError;
use crate::forward;
use crate::future::BoxFuture;
use crate::pagination::{Listed, View};
use crate::provider::DynProvider;
use crate::subscriptions::Watch;

/// Resources and templates of them.
#[derive(Debug, Default)]
pub(crate) struct Resources {
    pub(crate) fixed: Registry<ResourceEntry>,
    pub(crate) templates: Registry<TemplateEntry>,
    /// All providers. Those that have resources may have what stands in no list.
    pub(super) providers: Vec<DynProvider>,
    /// What these are told of who watches.
    pub(super) watching: Arc<Watching>,
}

/// A resource that someone asks for.
pub(crate) enum FoundResource {
    /// It is registered with this address.
    Fixed(Arc<ResourceEntry>),
    /// A template stands for it, whose variables have these values.
    Template(Arc<TemplateEntry>, Map<String, Value>),
    /// Nothing here stands for it; a provider may know it.
    Elsewhere(Vec<DynProvider>),
}

/// Code that reads one resource.
pub(crate) type ReadFound = Box<dyn FnOnce(Context) -> BoxFuture<'static, RequestResult<ResourceResult>>>;

impl Resources {
    /// What stands at `uri`: the resource with that address, else the template with the most fixed text that matches it.
    fn find(&self, uri: &str, access: &Access) -> Option<FoundResource> {
        if let Some(entry) = self.fixed.list_for(access).get(uri) {
            return Some(FoundResource::Fixed(Arc::clone(entry)));
        }
        let templates = self.templates.list_for(access);
        let matching = templates
            .entries()
            .iter()
            .filter_map(|entry| Some((entry, entry.template.as_ref()?.matches(uri)?)));
        // The list is sorted, so of two with as much the same one is taken each time.
        let fixed_len = |entry: &TemplateEntry| entry.template.as_ref().map(UriTemplate::fixed_len);
        let Some((entry, values)) = matching.max_by_key(|(entry, _)| fixed_len(entry)) else {
            let having = self.providers.iter().filter(|provider| provider.capabilities().resources);
            let having: Vec<DynProvider> = having.cloned().collect();
            return (!having.is_empty()).then_some(FoundResource::Elsewhere(having));
        };
        let values = values.into_iter().map(|(name, value)| (name.to_owned(), value.into())).collect();
        Some(FoundResource::Template(Arc::clone(entry), values))
    }

    /// The same, where the caller sees it. What is kept from the caller does not let something else take its place: who
    /// wrote the other template did not have this address in mind.
    pub(crate) fn find_in(&self, uri: &str, view: View<'_>) -> Option<FoundResource> {
        self.find(uri, view.access).filter(|found| found.is_seen(uri, view))
    }

    /// Begins a watch over what stands at `uri`, or comes there later; none where no provider has to know of it.
    pub(crate) fn watch(&self, uri: &str, access: &Access) -> Option<Watch> {
        match self.find(uri, access) {
            Some(FoundResource::Fixed(entry)) if entry.provider.is_none() => None,
            _ => self.watching.watch(uri),
        }
    }

    /// Whether the caller may be notified of what happens at `uri`, where something may stand or come later.
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

    /// The provider that it comes from, by its number; none if it is the server's own, or may be any provider's.
    pub(super) fn provider(&self) -> Option<usize> {
        match self {
            Self::Fixed(entry) => entry.provider,
            Self::Template(entry, _) => entry.provider,
            Self::Elsewhere(_) => None,
        }
    }

    /// What a caller needs to read it.
    pub(crate) fn scopes(&self) -> &[String] {
        match self {
            Self::Fixed(entry) => entry.scopes(),
            Self::Template(entry, _) => entry.scopes(),
            Self::Elsewhere(_) => &[],
        }
    }

    /// What reads it.
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
    Box::pin(async move { result_of(forward::read_resource(&providers, &uri, &cx).await) })
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

type ReadTemplate =
    dyn Fn(TemplateRead, Context) -> BoxFuture<'static, RequestResult<ResourceResult>> + Send + Sync;

/// What is asked of a template.
struct TemplateRead {
    uri: String,
    values: Map<String, Value>,
    mime_type: Option<String>,
}

impl TemplateEntry {
    pub(crate) fn new<P, H>(shown: ResourceTemplate, handler: H) -> Result<Self, BuildError>
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
            return Err(refuse(format!(
                "its handler needs `{}`, which is not one of its variables",
                unbound.name
            )));
        }
        if let Some(unread) = template.variables().find(|name| fields.iter().all(|field| field.name != *name))
        {
            return Err(refuse(format!("its handler has no field `{unread}`")));
        }
        let shared = Arc::new((reader, handler));
        let code = move |asked: TemplateRead, cx| -> BoxFuture<'static, _> {
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
        let code = move |asked: TemplateRead, cx: Context| read_by(vec![provider.clone()], asked.uri, cx);
        let scopes = scopes_in(shown.meta.as_ref()).into();
        Self { shown, template: None, scopes, code: Code(Box::new(code)), provider: Some(number) }
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
