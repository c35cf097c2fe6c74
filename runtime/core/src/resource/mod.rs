//! Resources: data that a client reads by its address (2026-07-28, server/resources).

mod segment;
mod template;

use std::borrow::Cow;
use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};

pub use crate::content::{Annotations, ResourceContents, ResourceData};
use crate::definition::{Icon, add_scopes};
use crate::protocol::Revision;
use crate::request::RequestError;
pub use segment::{PathSegment, PathSegmentError};
pub use template::{TemplateError, UriTemplate, check_uri};

/// A resource as a client sees it (2026-07-28, schema `Resource`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Resource {
    /// The address; unique on a server.
    pub uri: String,
    /// The size of the contents in bytes, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub size: Option<u64>,
    /// What resources and templates have in common.
    #[serde(flatten)]
    pub about: About,
}

/// A family of resources, by the form of their addresses (2026-07-28, schema `ResourceTemplate`).
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResourceTemplate {
    /// The form of the addresses, see [`UriTemplate`]; unique on a server.
    pub uri_template: String,
    /// What resources and templates have in common.
    #[serde(flatten)]
    pub about: About,
}

/// What resources and templates have in common.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct About {
    /// The name for programs; shown where there is no title.
    pub name: String,
    /// A name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// What it is, for the model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// The media type of the contents, if known, or of all contents behind a template.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mime_type: Option<String>,
    /// Pictures for user interfaces.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub icons: Vec<Icon>,
    /// For whom it is and how much it matters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub annotations: Option<Annotations>,
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
}

impl About {
    fn keep_what_is_in(&mut self, revision: Revision) {
        if revision < Revision::V2025_11_25 {
            self.icons.clear();
        }
        if revision < Revision::V2025_06_18 {
            self.title = None;
            self.meta = None;
        }
    }
}

impl Resource {
    /// A resource with nothing but its address and its name.
    pub fn new(uri: impl Into<String>, name: impl Into<String>) -> Self {
        Self { uri: uri.into(), size: None, about: About { name: name.into(), ..About::default() } }
    }

    /// The resource with a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// The resource with a text for the model.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.about.description = Some(description.into());
        self
    }

    /// The resource with its media type, which contents without one of their own get too.
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.about.mime_type = Some(mime_type.into());
        self
    }

    /// The resource with scopes that a caller needs over HTTP, all of them, as `#[mcp(scopes(…))]` says it of a tool: without them
    /// it is neither shown nor read. They stand in `_meta`.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add_scopes(&mut self.about.meta, scopes);
        self
    }

    /// The resource with the members that the revision has (schema `Resource` of each).
    pub fn for_revision(&self, revision: Revision) -> Cow<'_, Self> {
        if revision >= Revision::V2025_11_25 {
            return Cow::Borrowed(self);
        }
        let mut shown = self.clone();
        shown.about.keep_what_is_in(revision);
        Cow::Owned(shown)
    }
}

impl ResourceTemplate {
    /// A template with nothing but its form, such as `shop://orders/{id}`, and its name.
    pub fn new(uri_template: impl Into<String>, name: impl Into<String>) -> Self {
        let about = About { name: name.into(), ..About::default() };
        Self { uri_template: uri_template.into(), about }
    }

    /// The template with a name for people.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.about.title = Some(title.into());
        self
    }

    /// The template with a text for the model.
    pub fn description(mut self, description: impl Into<String>) -> Self {
        self.about.description = Some(description.into());
        self
    }

    /// The template with the media type of all contents behind it.
    pub fn mime_type(mut self, mime_type: impl Into<String>) -> Self {
        self.about.mime_type = Some(mime_type.into());
        self
    }

    /// The template with scopes that a caller needs over HTTP, all of them, as `#[mcp(scopes(…))]` says it of a tool: without them
    /// it is neither shown nor read. They stand in `_meta`.
    pub fn scopes(mut self, scopes: impl IntoIterator<Item = impl Into<String>>) -> Self {
        add_scopes(&mut self.about.meta, scopes);
        self
    }

    /// The template with the members that the revision has (schema `ResourceTemplate` of each).
    pub fn for_revision(&self, revision: Revision) -> Cow<'_, Self> {
        if revision >= Revision::V2025_11_25 {
            return Cow::Borrowed(self);
        }
        let mut shown = self.clone();
        shown.about.keep_what_is_in(revision);
        Cow::Owned(shown)
    }
}

/// What was read (2026-07-28, schema `ReadResourceResult`).
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ResourceResult {
    /// The contents; more than one for a resource with parts, such as a folder.
    pub contents: Vec<ResourceContents>,
    /// How long a client may keep them; not at all if not said (2026-07-28, server/utilities/caching).
    pub ttl: Duration,
    /// Who may keep them.
    pub cache_scope: CacheScope,
}

impl ResourceResult {
    /// The contents, which no client may keep.
    pub fn new(contents: impl Into<Vec<ResourceContents>>) -> Self {
        Self { contents: contents.into(), ..Self::default() }
    }

    /// The contents, which clients may keep so long.
    pub fn keep(mut self, ttl: Duration, scope: CacheScope) -> Self {
        self.ttl = ttl;
        self.cache_scope = scope;
        self
    }
}

/// Who may keep a result (2026-07-28, server/utilities/caching "Cache Scope Field").
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum CacheScope {
    /// Anybody: the result is the same for all callers.
    Public,
    /// The caller alone.
    #[default]
    Private,
}

/// What the handler of a resource may return.
#[diagnostic::on_unimplemented(
    message = "`{Self}` is no contents of a resource",
    label = "return a text, bytes, one or more `ResourceContents`, a `ResourceResult`, or an `Option` or `Result` of these"
)]
pub trait IntoResourceResult {
    /// The contents of the resource at `uri`, or why there are none. `mime_type` is for contents that have none.
    fn into_resource_result(self, uri: &str, mime_type: Option<&str>)
    -> Result<ResourceResult, RequestError>;
}

impl IntoResourceResult for ResourceResult {
    fn into_resource_result(
        mut self,
        _uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        for contents in self.contents.iter_mut().filter(|contents| contents.mime_type.is_none()) {
            contents.mime_type = mime_type.map(str::to_owned);
        }
        Ok(self)
    }
}

impl IntoResourceResult for Vec<ResourceContents> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceResult::new(self).into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for ResourceContents {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceResult::new([self]).into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for String {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceContents::text(uri, self).into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for &str {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        self.to_owned().into_resource_result(uri, mime_type)
    }
}

impl IntoResourceResult for Vec<u8> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        ResourceContents::blob(uri, self).into_resource_result(uri, mime_type)
    }
}

/// `None` is a resource that does not exist.
impl<T: IntoResourceResult> IntoResourceResult for Option<T> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        match self {
            Some(contents) => contents.into_resource_result(uri, mime_type),
            None => Err(RequestError::not_found("there is no such resource")),
        }
    }
}

impl<T: IntoResourceResult, E: Into<RequestError>> IntoResourceResult for Result<T, E> {
    fn into_resource_result(
        self,
        uri: &str,
        mime_type: Option<&str>,
    ) -> Result<ResourceResult, RequestError> {
        self.map_err(Into::into)?.into_resource_result(uri, mime_type)
    }
}

#[cfg(test)]
mod tests;
