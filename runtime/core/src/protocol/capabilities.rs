//! What clients and servers say that they can do (2026-07-28, basic "Capabilities").

use std::error::Error;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// What a client can be asked for (2026-07-28, schema `ClientCapabilities`). An empty object is a declaration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// It names its roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<RootsCapability>,
    /// Its model writes messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// It asks its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Which requests it answers with tasks; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Map<String, Value>>,
    /// Extensions by their identifiers, each with its settings; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Capabilities that are not part of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ClientCapabilities {
    /// Whether the client shows forms. Without a mode an elicitation is a form (2026-07-28, client/elicitation
    /// "Capabilities").
    pub fn has_form_elicitation(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
    }

    /// Whether the client opens pages.
    pub fn has_url_elicitation(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
    }

    /// The settings of an extension, if the client declares it.
    pub fn extension(&self, identifier: &str) -> Option<&Map<String, Value>> {
        self.extensions.as_ref()?.get(identifier)?.as_object()
    }
}

/// How a client names its roots.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootsCapability {
    /// Whether it says when they change; up to 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a client's model does.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingCapability {
    /// It takes the context of servers, see `includeContext`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// It uses tools; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// How a client asks its user. With neither, it shows forms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// It shows forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Map<String, Value>>,
    /// It opens pages; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// What a server offers (2026-07-28, schema `ServerCapabilities`). An empty object is a declaration.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ServerCapabilities {
    /// Tools.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ListCapability>,
    /// Prompts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub prompts: Option<ListCapability>,
    /// Resources and resource templates.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resources: Option<ResourcesCapability>,
    /// Completion of arguments; since 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<Map<String, Value>>,
    /// Log messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logging: Option<Map<String, Value>>,
    /// Which requests it answers with tasks; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Map<String, Value>>,
    /// Extensions by their identifiers, each with its settings; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Capabilities that are not part of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ServerCapabilities {
    /// The settings of an extension, if the server declares it.
    pub fn extension(&self, identifier: &str) -> Option<&Map<String, Value>> {
        self.extensions.as_ref()?.get(identifier)?.as_object()
    }
}

/// A list that a server offers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListCapability {
    /// Whether it sends list-changed notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// Resources that a server offers.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// Whether clients may subscribe to single resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// Whether it sends list-changed notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The client has not declared a capability that answering its request needs (2026-07-28, basic "_meta").
///
/// An error that has this one among its sources keeps its meaning when it becomes a
/// [`ToolError`](crate::result::ToolError) or a [`RequestError`](crate::request::RequestError).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the client has not declared the capability `{}`", required_name(required))]
pub struct MissingCapability {
    /// What the client would have to declare, as `ClientCapabilities` of the schema: `{"sampling": {}}`.
    pub required: Value,
}

impl MissingCapability {
    /// The first of an error and its sources that is one.
    pub(crate) fn among<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e Self> {
        std::iter::successors(Some(error), |error| (*error).source()).find_map(|error| error.downcast_ref())
    }
}

/// The name in the form `elicitation.url`.
fn required_name(required: &Value) -> String {
    let mut path = Vec::new();
    let mut value = required;
    while let Some((name, below)) = value.as_object().and_then(|object| object.iter().next()) {
        path.push(name.as_str());
        value = below;
    }
    path.join(".")
}
