//! Capabilities of clients and servers (2026-07-28, basic "Capabilities").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// The capabilities of a client (2026-07-28, schema `ClientCapabilities`). An empty object declares the capability.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ClientCapabilities {
    /// Lists its roots.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub roots: Option<RootsCapability>,
    /// Samples messages from its model.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sampling: Option<SamplingCapability>,
    /// Elicits input from its user.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub elicitation: Option<ElicitationCapability>,
    /// Requests that it may answer with tasks; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Map<String, Value>>,
    /// Extensions by identifier, with their settings; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Capabilities outside of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ClientCapabilities {
    /// Returns whether the client supports form elicitation. An elicitation capability without modes means
    /// forms (2026-07-28, client/elicitation "Capabilities").
    pub fn has_form_elicitation(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.form.is_some() || modes.url.is_none())
    }

    /// Returns whether the client supports URL elicitation.
    pub fn has_url_elicitation(&self) -> bool {
        self.elicitation.as_ref().is_some_and(|modes| modes.url.is_some())
    }

    /// Returns the settings of an extension, if the client declares it.
    pub fn extension(&self, identifier: &str) -> Option<&Map<String, Value>> {
        self.extensions.as_ref()?.get(identifier)?.as_object()
    }
}

/// The roots capability of a client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct RootsCapability {
    /// Whether the client sends roots list-changed notifications; up to 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The sampling capability of a client.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SamplingCapability {
    /// Supports context inclusion, see `includeContext`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<Map<String, Value>>,
    /// Supports tool use; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The elicitation capability of a client. If neither mode is declared, it supports forms.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ElicitationCapability {
    /// Supports forms.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub form: Option<Map<String, Value>>,
    /// Supports URLs; since 2025-11-25.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub url: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The capabilities of a server (2026-07-28, schema `ServerCapabilities`). An empty object declares the capability.
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
    /// Argument completion; since 2025-03-26.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub completions: Option<Map<String, Value>>,
    /// Log messages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logging: Option<Map<String, Value>>,
    /// Requests that it may answer with tasks; 2025-11-25 only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tasks: Option<Map<String, Value>>,
    /// Extensions by identifier, with their settings; since 2026-07-28.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub extensions: Option<Map<String, Value>>,
    /// Capabilities outside of the protocol.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub experimental: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ServerCapabilities {
    /// Returns the settings of an extension, if the server declares it.
    pub fn extension(&self, identifier: &str) -> Option<&Map<String, Value>> {
        self.extensions.as_ref()?.get(identifier)?.as_object()
    }
}

/// The capability to list tools or prompts.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListCapability {
    /// Whether it sends list-changed notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The capability to list and read resources.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourcesCapability {
    /// Whether clients may subscribe to individual resources.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub subscribe: Option<bool>,
    /// Whether it sends list-changed notifications.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub list_changed: Option<bool>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The client lacks a capability that its request needs (2026-07-28, basic "_meta").
///
/// An error with a `MissingCapability` in its source chain keeps this meaning when it is converted to a
/// [`ToolError`](crate::result::ToolError) or a [`RequestError`](crate::request::RequestError).
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the client has not declared the capability `{}`", required_name(required))]
pub struct MissingCapability {
    /// The capability that is missing, in the form of the schema `ClientCapabilities`: `{"sampling": {}}`.
    pub required: Value,
}

/// Returns the name in the form `elicitation.url`.
fn required_name(required: &Value) -> String {
    let mut path = Vec::new();
    let mut value = required;
    while let Some((name, below)) = value.as_object().and_then(|object| object.iter().next()) {
        path.push(name.as_str());
        value = below;
    }
    path.join(".")
}
