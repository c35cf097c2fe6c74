//! Validates structured content against an output schema from elsewhere.

use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::schema::Dialect;
use crate::arguments::{Checker, Findings};
use crate::schema::walk;

/// An output schema, compiled.
///
/// `format` is an annotation, as in JSON Schema 2020-12. A schema with a keyword that the checker does not
/// support is not compiled at all: ignoring the keyword would accept invalid values or, below `not` and
/// `oneOf`, reject valid ones.
#[derive(Debug)]
pub struct OutputChecker(Checker);

/// Why a schema cannot be used for validation.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// A keyword that [`Checker`] does not support, or interprets differently in the schema's dialect.
    #[error("the keyword `{0}` is not supported by this server")]
    Keyword(String),
    /// A pattern or reference that cannot be compiled.
    #[error("{0}")]
    Rule(String),
}

impl OutputChecker {
    /// Compiles a schema that [`check`](super::check) has accepted.
    ///
    /// # Errors
    /// [`CompileError`] if the checker does not support a keyword.
    pub fn compile(schema: &Value) -> Result<Self, CompileError> {
        compile(schema).map(Self)
    }

    /// Validates structured content.
    ///
    /// # Errors
    /// Describes the first problems with their locations.
    pub fn check(&self, content: &Value) -> Result<(), String> {
        Self::result_of(&self.0.check(content))
    }

    /// Like [`OutputChecker::check`], for the text of content, which must be valid JSON. Invalid text may be read as any value.
    ///
    /// # Errors
    /// The same; also if the text cannot be read as a value, or is nested too deeply.
    pub fn check_text(&self, content: &str) -> Result<(), String> {
        let findings = self.0.check_text(content).ok_or("it cannot be parsed")?;
        Self::result_of(&findings)
    }

    fn result_of(findings: &Findings) -> Result<(), String> {
        /// Maximum number of reported problems.
        const MAX_REPORTED: usize = 5;
        if findings.is_empty() {
            return Ok(());
        }
        let problems = findings.problems();
        let shown = problems.iter().take(MAX_REPORTED).map(|problem| match problem.pointer.as_str() {
            "" => problem.message.clone(),
            pointer => format!("{pointer}: {}", problem.message),
        });
        let mut text = shown.collect::<Vec<_>>().join("; ");
        let more = problems.len().saturating_sub(MAX_REPORTED) + findings.more();
        if more > 0 {
            let _ = write!(text, "; and {more} more");
        }
        Err(text)
    }
}

/// Compiles a schema that [`check`](super::check) has accepted.
pub(super) fn compile(schema: &Value) -> Result<Checker, CompileError> {
    let dialect = schema.as_object().map_or(Ok(Dialect::Modern), Dialect::of);
    let dialect = dialect.map_err(|flaw| CompileError::Rule(flaw.to_string()))?;
    let mut schema = schema.clone();
    if let Value::Object(members) = &mut schema {
        // The URI of the document itself has no effect.
        members.shift_remove("$id");
        prepare(members, dialect)?;
    }
    Checker::compile(&schema).map_err(|error| CompileError::Rule(error.fault.to_string()))
}

/// Removes annotations and finds unsupported keywords.
fn prepare(schema: &mut Map<String, Value>, dialect: Dialect) -> Result<(), CompileError> {
    if let Some(keyword) =
        schema.iter().find_map(|(keyword, value)| is_unsupported(keyword, value, dialect).then_some(keyword))
    {
        return Err(CompileError::Keyword(keyword.clone()));
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
        return Err(CompileError::Keyword("$ref".to_owned()));
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

/// Returns whether the checker ignores a keyword or interprets it differently.
fn is_unsupported(keyword: &str, value: &Value, dialect: Dialect) -> bool {
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
