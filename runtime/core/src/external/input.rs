//! Whether arguments fit an input schema that others wrote.

use serde_json::value::RawValue;
use serde_json::{Map, Value};

use super::output::{NotChecked, compile};
use crate::arguments::{ArgumentErrors, Checker, example};

/// An input schema, compiled, for what stands between a caller and the code that reads the arguments.
///
/// As with [`OutputChecker`](super::OutputChecker), `format` is a hint, and a schema with a rule that the checker does not know is
/// not compiled at all.
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
    /// Compiles a schema for which [`check`](super::check) has found no flaw.
    ///
    /// # Errors
    /// [`NotChecked`] where a rule is beyond the checker.
    pub fn compile(schema: &Value) -> Result<Self, NotChecked> {
        Ok(Self { checker: compile(schema)?, example: example(schema) })
    }

    /// Checks arguments; absent ones and `null` are an empty object.
    ///
    /// # Errors
    /// Every problem, with an example of arguments that fit.
    pub fn check(&self, arguments: Option<&RawValue>) -> Result<Map<String, Value>, ArgumentErrors> {
        let arguments = arguments.map(|raw| serde_json::from_str(raw.get()));
        let arguments = match arguments {
            None | Some(Ok(Value::Null)) => Value::Object(Map::new()),
            Some(Ok(arguments)) => arguments,
            // Below as many levels as nobody reads.
            Some(Err(_)) => Value::Null,
        };
        let findings = self.checker.check(&arguments);
        match arguments {
            Value::Object(members) if findings.is_empty() => Ok(members),
            _ => Err(ArgumentErrors::of_findings(findings, &self.example)),
        }
    }
}
