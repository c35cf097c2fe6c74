//! Completion of arguments of prompts and resource templates (2026-07-28, server/utilities/completion).

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
    /// Whose argument is completed.
    #[serde(rename = "ref")]
    pub reference: CompletionReference,
    /// The argument, and its text so far.
    pub argument: CompletionArgument,
    /// The arguments that are known already; since 2025-06-18.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub context: Option<CompletionArguments>,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompleteParams {
    /// An argument without others.
    pub fn new(reference: CompletionReference, argument: CompletionArgument) -> Self {
        Self { reference, argument, context: None, meta: None, other: Map::new() }
    }
}

/// Whose argument is completed.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(tag = "type")]
#[non_exhaustive]
pub enum CompletionReference {
    /// A prompt's.
    #[serde(rename = "ref/prompt")]
    Prompt(PromptReference),
    /// A resource template's.
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
                    "the type of a reference must be `ref/prompt` or `ref/resource`",
                ));
            }
        };
        read.map_err(D::Error::custom)
    }
}

/// A prompt (2026-07-28, schema `PromptReference`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct PromptReference {
    /// Its name.
    pub name: String,
    /// Its name for people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl PromptReference {
    /// The prompt of this name.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, other: Map::new() }
    }
}

/// A resource template (2026-07-28, schema `ResourceTemplateReference`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceTemplateReference {
    /// The template, or the address of a resource, which has nothing to complete.
    pub uri: String,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceTemplateReference {
    /// This template.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), other: Map::new() }
    }
}

/// An argument that is completed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionArgument {
    /// Its name.
    pub name: String,
    /// Its text so far.
    pub value: String,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompletionArgument {
    /// An argument.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), other: Map::new() }
    }
}

/// Arguments that are known already.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionArguments {
    /// The arguments.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub arguments: Option<BTreeMap<String, String>>,
    /// Members that this version of Toolwright does not know; kept as they came.
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
    /// Whatever else belongs to it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<Map<String, Value>>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompleteResult {
    /// These suggestions.
    pub fn new(completion: CompletionValues) -> Self {
        Self { completion, result_type: None, meta: None, other: Map::new() }
    }
}

/// Suggestions, best first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct CompletionValues {
    /// The values, at most 100.
    pub values: Vec<String>,
    /// How many there are in all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<u64>,
    /// Whether there are more than `values`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub has_more: Option<bool>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl CompletionValues {
    /// These values.
    pub fn new(values: Vec<String>) -> Self {
        Self { values, total: None, has_more: None, other: Map::new() }
    }
}
