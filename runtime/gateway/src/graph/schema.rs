//! JSON Schemas of the documents.

use serde_json::Value;

use super::compile::Compiled;
use super::model::Workflow;
use super::plan::Plan;

/// A document that has a schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Document {
    /// The input: [`Workflow`].
    Workflow,
    /// The output of [`compile`](super::compile): [`Compiled`].
    Compiled,
    /// The output of [`plan`](super::plan): [`Plan`].
    Plan,
}

/// The JSON Schema (2020-12) of a document.
pub fn schema(document: Document) -> Value {
    let generator = schemars::SchemaGenerator::default();
    let schema = match document {
        Document::Workflow => generator.into_root_schema_for::<Workflow>(),
        Document::Compiled => generator.into_root_schema_for::<Compiled>(),
        Document::Plan => generator.into_root_schema_for::<Plan>(),
    };
    schema.to_value()
}
