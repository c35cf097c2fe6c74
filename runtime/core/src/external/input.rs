//! Validates arguments against an input schema from elsewhere.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::output::{CompileError, compile};
use crate::arguments::{ArgumentErrors, Checker, example};

/// A compiled input schema, for code between a caller and the reader of the arguments.
///
/// As with [`OutputChecker`](super::OutputChecker), `format` is an annotation, and a schema with a keyword that
/// the checker does not support is not compiled at all.
///
/// ```
/// use serde_json::{json, value::to_raw_value};
/// use toolwright_core::external::InputChecker;
///
/// let checker = InputChecker::compile(&json!({"type": "object", "properties": {"ip": {"type": "string"}}, "required": ["ip"]}))?;
/// assert!(checker.check(Some(&to_raw_value(&json!({"ip": "8.8.8.8"}))?)).is_ok());
/// let errors = checker.check(None).unwrap_err();
/// assert!(errors.to_string().contains("ip"), "{errors}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct InputChecker {
    checker: Checker,
    example: Value,
}

impl InputChecker {
    /// Compiles a schema that [`check`](super::check) has accepted.
    ///
    /// # Errors
    /// [`CompileError`] if the checker does not support a keyword.
    pub fn compile(schema: &Value) -> Result<Self, CompileError> {
        Ok(Self { checker: compile(schema)?, example: example(schema) })
    }

    /// Validates arguments; absent arguments and `null` count as an empty object.
    ///
    /// # Errors
    /// Returns every problem, with example arguments.
    pub fn check(&self, arguments: Option<&RawValue>) -> Result<Map<String, Value>, ArgumentErrors> {
        match arguments.map(|raw| serde_json::from_str(raw.get())) {
            None | Some(Ok(Value::Null)) => self.check_value(Value::Object(Map::new())),
            Some(Ok(arguments)) => self.check_value(arguments),
            // The limit is one level lower than that of readers.
            Some(Err(_)) => self.check_value(Value::Null),
        }
    }

    /// Validates arguments that were parsed before.
    ///
    /// # Errors
    /// Returns every problem, with example arguments.
    pub fn check_members(&self, arguments: Map<String, Value>) -> Result<Map<String, Value>, ArgumentErrors> {
        self.check_value(Value::Object(arguments))
    }

    fn check_value(&self, arguments: Value) -> Result<Map<String, Value>, ArgumentErrors> {
        let findings = self.checker.check(&arguments);
        match arguments {
            Value::Object(members) if findings.is_empty() => Ok(members),
            _ => Err(ArgumentErrors::from_findings(findings, &self.example)),
        }
    }
}
