//! Whether structured content fits an output schema that others wrote.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::schema::Dialect;
use crate::arguments::Checker;
use crate::result::StructuredContent;
use crate::schema::walk;

/// An output schema, compiled.
///
/// `format` is a hint, as JSON Schema 2020-12 has it. A schema with a rule that the checker does not know is not compiled
/// at all: to pass over the rule would let values through, or, below `not` and `oneOf`, refuse values that fit.
#[derive(Debug)]
pub struct OutputChecker(Checker);

/// Why results cannot be checked against a schema.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotChecked {
    /// A keyword that [`Checker`] does not know, or reads otherwise in the schema's dialect.
    #[error("`{0}` is a rule that this server cannot check")]
    Keyword(String),
    /// A pattern or a reference that cannot be compiled.
    #[error("{0}")]
    Rule(String),
}

impl OutputChecker {
    /// Compiles a schema, which [`check`](super::check) has found to be one.
    ///
    /// # Errors
    /// [`NotChecked`] where a rule is beyond the checker.
    pub fn compile(schema: &Value) -> Result<Self, NotChecked> {
        compile(schema).map(Self)
    }

    /// Checks structured content.
    ///
    /// # Errors
    /// What does not fit, in words: the first problems with their places.
    pub fn check(&self, content: &StructuredContent) -> Result<(), String> {
        /// How many problems are named.
        const SHOWN: usize = 5;
        let findings = self.0.check(&content.to_value());
        if findings.is_empty() {
            return Ok(());
        }
        let problems = findings.problems();
        let shown = problems.iter().take(SHOWN).map(|problem| match problem.pointer.as_str() {
            "" => problem.message.clone(),
            pointer => format!("{pointer}: {}", problem.message),
        });
        let mut text = shown.collect::<Vec<_>>().join("; ");
        let more = problems.len().saturating_sub(SHOWN) + findings.more();
        if more > 0 {
            let _ = write!(text, "; and {more} more");
        }
        Err(text)
    }
}

/// Compiles a schema for which [`check`](super::check) has found no flaw.
pub(super) fn compile(schema: &Value) -> Result<Checker, NotChecked> {
    let dialect = schema.as_object().map_or(Ok(Dialect::Modern), Dialect::of);
    let dialect = dialect.map_err(|flaw| NotChecked::Rule(flaw.to_string()))?;
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        // The address of the whole document changes nothing in it.
        members.shift_remove("$id");
        prepare(members, dialect)?;
    }
    Checker::compile(&schema).map_err(|error| NotChecked::Rule(error.fault.to_string()))
}

/// Takes hints out, and finds what the checker does not know.
fn prepare(schema: &mut Map<String, Value>, dialect: Dialect) -> Result<(), NotChecked> {
    if let Some(keyword) =
        schema.iter().find_map(|(keyword, value)| is_beyond(keyword, value, dialect).then_some(keyword))
    {
        return Err(NotChecked::Keyword(keyword.clone()));
    }
    let has_rules_beside = |schema: &Map<String, Value>| {
        let is_rule = |keyword: &String| {
            !matches!(
                keyword.as_str(),
                "$ref"
                    | "$schema"
                    | "$comment"
                    | "title"
                    | "description"
                    | "default"
                    | "examples"
                    | "definitions"
            )
        };
        schema.keys().any(is_rule)
    };
    if dialect <= Dialect::Legacy && schema.contains_key("$ref") && has_rules_beside(schema) {
        return Err(NotChecked::Keyword("$ref".to_owned()));
    }
    schema.shift_remove("format");
    let mut result = Ok(());
    walk::subschemas_mut(schema, |_, below| {
        if let (Ok(()), Value::Object(below)) = (&result, below) {
            result = prepare(below, dialect);
        }
    });
    result
}

/// Whether a keyword is one that the checker passes over, or reads otherwise.
fn is_beyond(keyword: &str, value: &Value, dialect: Dialect) -> bool {
    match keyword {
        "unevaluatedProperties" | "unevaluatedItems" => !matches!(value, Value::Bool(true)),
        "$dynamicRef" | "$recursiveRef" => true,
        "$ref" => !value.as_str().is_some_and(|reference| reference == "#" || reference.starts_with("#/")),
        "$id" => value.is_string(),
        "id" => value.is_string() && dialect == Dialect::Draft4,
        "dependencies" | "additionalItems" | "prefixItems" => dialect < Dialect::Modern,
        "items" => value.is_array(),
        "exclusiveMinimum" | "exclusiveMaximum" => value.is_boolean(),
        "dependentRequired" | "dependentSchemas" | "minContains" | "maxContains" => dialect < Dialect::V2019,
        _ => false,
    }
}
