//! Parameters that callers repeat in headers (2026-07-28, basic/transports/streamable-http "Custom Headers from Tool
//! Parameters").

use http::{HeaderMap, HeaderName, HeaderValue};
use jsonrpsee_types::ErrorObjectOwned;
use serde_json::Value;
use serde_json::value::RawValue;

use super::headers::{decoded, single};
use crate::error;

/// The parameters of one tool that its schema marks with `x-mcp-header`.
///
/// The derive refuses wrong marks. An executor's definition may still have some; clients then hide the tool, and
/// here they mean nothing.
#[derive(Debug, Default)]
pub(crate) struct HeaderParams(Box<[HeaderParam]>);

#[derive(Debug)]
struct HeaderParam {
    /// `mcp-param-…`
    header: HeaderName,
    /// The names of the properties that lead to the parameter.
    path: Box<[String]>,
}

impl HeaderParams {
    /// The parameters that can be reached through `properties` alone.
    pub(crate) fn of(schema: &Value) -> Self {
        let mut found = Vec::new();
        collect(schema, &mut Vec::new(), &mut found);
        Self(found.into())
    }

    /// Checks that each header says what its parameter says, and that none is missing or extra.
    pub(super) fn check(
        &self,
        headers: &HeaderMap,
        arguments: Option<&RawValue>,
    ) -> Result<(), ErrorObjectOwned> {
        if self.0.is_empty() {
            return Ok(());
        }
        let arguments: Value =
            arguments.and_then(|arguments| serde_json::from_str(arguments.get()).ok()).unwrap_or_default();
        self.0.iter().try_for_each(|param| param.check(headers, &arguments))
    }
}

fn collect(schema: &Value, path: &mut Vec<String>, found: &mut Vec<HeaderParam>) {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else { return };
    for (name, property) in properties {
        path.push(name.clone());
        let header = property.get("x-mcp-header").and_then(Value::as_str).filter(|name| !name.is_empty());
        let header = header.and_then(|name| format!("mcp-param-{name}").parse().ok());
        if let Some(header) = header {
            found.push(HeaderParam { header, path: path.as_slice().into() });
        }
        collect(property, path, found);
        path.pop();
    }
}

impl HeaderParam {
    fn check(&self, headers: &HeaderMap, arguments: &Value) -> Result<(), ErrorObjectOwned> {
        let value = self.path.iter().try_fold(arguments, |value, name| value.get(name));
        let header = single(headers, &self.header)?;
        let mismatch = |why: &str| {
            Err(error::header_mismatch(&format!(
                "the header `{}` {why} `{}`",
                self.header,
                self.path.join("."),
            )))
        };
        match (value, header) {
            // A list or an object has no form in a header; the tool's own check says what is wrong with it.
            (None | Some(Value::Null | Value::Array(_) | Value::Object(_)), None) => Ok(()),
            (Some(_), None) => mismatch("is missing for the argument"),
            (value, Some(header)) if !self.says(header, value)? => mismatch("is not the argument"),
            _ => Ok(()),
        }
    }

    fn says(&self, header: &HeaderValue, value: Option<&Value>) -> Result<bool, ErrorObjectOwned> {
        let header = decoded(header, self.header.as_str())?;
        Ok(match value {
            Some(Value::String(text)) => *header == **text,
            Some(Value::Bool(value)) => *header == *value.to_string(),
            // By value: `42.0` and `42` are equal ("Server Validation").
            Some(Value::Number(number)) => {
                *header == *number.to_string()
                    || header.parse::<f64>().is_ok_and(|header| number.as_f64() == Some(header))
            }
            _ => false,
        })
    }
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::HeaderParams;

    fn params() -> HeaderParams {
        HeaderParams::of(&json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "page": {"type": "object", "properties": {
                "size": {"type": "integer", "x-mcp-header": "Page-Size"},
                "all": {"type": "boolean", "x-mcp-header": "All"},
            }},
            "bad": {"type": "string", "x-mcp-header": "no token"},
            "empty": {"type": "string", "x-mcp-header": ""},
            "list": {"type": "array", "items": {"properties": {"x": {"x-mcp-header": "Hidden"}}}},
        }}))
    }

    fn code(headers: &[(&'static str, &str)], arguments: &serde_json::Value) -> Option<i32> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect();
        let arguments = to_raw_value(arguments).expect("JSON");
        params().check(&headers, Some(&arguments)).err().map(|error| error.code())
    }

    #[test]
    fn only_parameters_that_can_be_reached_have_headers() {
        let names: Vec<_> = params().0.iter().map(|param| param.header.to_string()).collect();
        assert_eq!(names, ["mcp-param-region", "mcp-param-page-size", "mcp-param-all"]);
    }

    #[test]
    fn headers_say_what_the_arguments_say() {
        let full = json!({"region": "us-west1", "page": {"size": 42, "all": true}});
        let all =
            [("mcp-param-region", "us-west1"), ("mcp-param-page-size", "42"), ("mcp-param-all", "true")];
        assert_eq!(code(&all, &full), None);
        assert_eq!(code(&all[..2], &full), Some(-32020), "one is missing");
        assert_eq!(code(&[all[0], ("mcp-param-page-size", "42.0"), all[2]], &full), None);
        for wrong in ["43", "", "forty-two", "=?base64?NDI?="] {
            assert_eq!(
                code(&[all[0], ("mcp-param-page-size", wrong), all[2]], &full),
                Some(-32020),
                "{wrong}"
            );
        }
        assert_eq!(code(&[all[0], all[1], ("mcp-param-all", "True")], &full), Some(-32020));
        assert_eq!(code(&[("mcp-param-region", "=?base64?SGVsbG8=?=")], &json!({"region": "Hello"})), None);
        assert_eq!(code(&[], &json!({"region": null})), None);
        assert_eq!(code(&[("mcp-param-region", "x")], &json!({"region": null})), Some(-32020), "extra");
        assert_eq!(code(&[("mcp-param-other", "x")], &json!({})), None, "not of this tool");
    }
}
