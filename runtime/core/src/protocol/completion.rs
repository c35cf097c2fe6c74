//! Completion of prompt and resource template arguments (2026-07-28, server/utilities/completion).

use std::collections::BTreeMap;

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize};
use serde_json::{Map, Value};

use super::{RequestMeta, ResultType};

/// The parameters of `completion/complete` (2026-07-28, schema `CompleteRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteParams {
    /// The prompt or resource template whose argument is completed.
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// The argument to complete, with its current value.
    pub argument: CompletionArgument,
    /// Arguments that have been resolved already; since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionArguments>,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompleteParams {
    /// Creates parameters without resolved arguments.
    pub fn new(reference: CompletionReference, argument: CompletionArgument) -> Self {
        Self { reference, argument, context: None, meta: None, other: Map::new() }
    }
}

/// The prompt or resource template whose argument is completed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt.
    #[serde(rename = "ref/prompt")]
    Prompt(PromptReference),
    /// A resource template.
    #[serde(rename = "ref/resource")]
    Resource(ResourceTemplateReference),
}

impl<'de> Deserialize<'de> for CompletionReference {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut members = Map::<String, Value>::deserialize(deserializer)?;
        let kind = members.shift_remove("type");
        let read = match kind.as_ref().and_then(Value::as_str) {
            Some("ref/prompt") => PromptReference::deserialize(Value::Object(members)).map(Self::Prompt),
            Some("ref/resource") => {
                ResourceTemplateReference::deserialize(Value::Object(members)).map(Self::Resource)
            }
            _ => {
                return Err(D::Error::custom(
                    "the `type` of a completion reference must be `ref/prompt` or `ref/resource`",
                ));
            }
        };
        read.map_err(D::Error::custom)
    }
}

/// A reference to a prompt (2026-07-28, schema `PromptReference`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptReference {
    /// The name of the prompt.
    pub name: String,
    /// Human-readable name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptReference {
    /// References the prompt `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, other: Map::new() }
    }
}

/// A reference to a resource template (2026-07-28, schema `ResourceTemplateReference`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplateReference {
    /// The URI template, or the URI of a resource, which has no arguments to complete.
    pub uri: String,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceTemplateReference {
    /// References the template `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), other: Map::new() }
    }
}

/// The argument to complete.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionArgument {
    /// The name of the argument.
    pub name: String,
    /// Its current value.
    pub value: String,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompletionArgument {
    /// Creates an argument.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), other: Map::new() }
    }
}

/// Arguments that have been resolved already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionArguments {
    /// The arguments by name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The result of `completion/complete` (2026-07-28, schema `CompleteResult`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompleteResult {
    /// The suggestions.
    pub completion: CompletionValues,
    /// Always `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompleteResult {
    /// Creates a result.
    pub fn new(completion: CompletionValues) -> Self {
        Self { completion, result_type: None, meta: None, other: Map::new() }
    }
}

/// Completion values, best match first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionValues {
    /// The values, at most 100.
    pub values: Vec<String>,
    /// The total number of matches.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more matches than `values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompletionValues {
    /// Creates completion values without a total.
    pub fn new(values: Vec<String>) -> Self {
        Self { values, total: None, has_more: None, other: Map::new() }
    }
}
