//! Arguments that callers mirror in headers (2026-07-28, basic/transports/streamable-http "Custom Headers from Tool
//! Parameters").
//!
//! The check works on the raw arguments: it applies even to arguments that the tool cannot parse, and rejects those
//! that a proxy might read differently, such as a member that appears twice.

use http::{HeaderMap, HeaderName, HeaderValue};
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_core::json::{Decimal, each_member};
use toolwright_core::protocol::{ErrorObject, error, string};
use toolwright_core::tool::FieldMetadata;

use crate::headers::{decoded, single};

/// The parameters of a tool that its schema marks with `x-mcp-header`.
///
/// The derive rejects invalid marks. A provider's definition may still contain some; clients hide such a tool, and
/// this type ignores the marks.
#[derive(Debug, Default)]
pub struct HeaderParams(Box<[Param]>);

/// A marked property, or one that contains a marked one.
#[derive(Debug)]
struct Param {
    /// The property's name and aliases.
    names: Vec<String>,
    /// The path of properties that leads to it, for error messages.
    path: String,
    /// `mcp-param-…`
    header: Option<HeaderName>,
    inner: HeaderParams,
}

impl HeaderParams {
    /// Collects the parameters that can be reached through `properties` alone.
    pub fn of(schema: &Value) -> Self {
        Self::within(schema, "")
    }

    fn within(schema: &Value, path: &str) -> Self {
        let properties = schema.get("properties").and_then(Value::as_object).into_iter().flatten();
        let params = properties.filter_map(|(name, property)| {
            let path = if path.is_empty() { name.clone() } else { format!("{path}.{name}") };
            let header = property.get("x-mcp-header").and_then(Value::as_str).filter(|name| !name.is_empty());
            let header = header.and_then(|name| format!("mcp-param-{name}").parse().ok());
            let inner = Self::within(property, &path);
            let leads_to_some = header.is_some() || !inner.0.is_empty();
            leads_to_some.then(|| Param { names: vec![name.clone()], path, header, inner })
        });
        Self(params.collect())
    }

    /// Adds the aliases that serde accepts.
    pub fn add_aliases(&mut self, fields: &[FieldMetadata]) {
        for param in &mut self.0 {
            let fields = fields.iter().filter(|field| param.names.iter().any(|name| name == field.name));
            let aliases: Vec<String> =
                fields.flat_map(|field| field.aliases).map(|&alias| alias.to_owned()).collect();
            param.names.extend(aliases);
        }
    }

    /// Checks that each header matches its argument, and that no header is missing or extra.
    ///
    /// # Errors
    /// -32020, naming the header and the argument.
    #[inline]
    pub fn check(&self, headers: &HeaderMap, arguments: Option<&RawValue>) -> Result<(), ErrorObject> {
        if self.0.is_empty() {
            return Ok(());
        }
        let mut values: Vec<Option<&RawValue>> = vec![None; self.0.len()];
        if let Some(arguments) = arguments {
            let read = each_member(arguments.get(), |name, value| {
                let place = self.0.iter().position(|param| param.names.iter().any(|known| *known == name));
                let is_repeated = place.is_some_and(|place| values[place].replace(value).is_some());
                if is_repeated { Err("a parameter with a header is repeated") } else { Ok(()) }
            });
            read.map_err(|error| {
                error::header_mismatch(&format!("the arguments cannot be compared with the headers: {error}"))
            })?;
        }
        self.0.iter().zip(values).try_for_each(|(param, value)| param.check(headers, value))
    }
}

impl Param {
    fn check(&self, headers: &HeaderMap, value: Option<&RawValue>) -> Result<(), ErrorObject> {
        let value = value.filter(|value| value.get() != "null");
        let mismatch = |why: String| Err(error::header_mismatch(&why));
        if let Some(name) = &self.header {
            match (value, single(headers, name)?) {
                (None, None) => {}
                (Some(_), None) => {
                    return mismatch(format!(
                        "the header `{name}` is missing for the argument `{}`",
                        self.path
                    ));
                }
                (value, Some(header)) => {
                    if !value.map(|value| matches(name, header, value)).transpose()?.unwrap_or(false) {
                        return mismatch(format!(
                            "the header `{name}` does not match the argument `{}`",
                            self.path
                        ));
                    }
                }
            }
        }
        match value {
            // A string is parsed as an object if a tool expects an object.
            Some(value) if !self.inner.0.is_empty() && !value.get().starts_with('{') => mismatch(format!(
                "the argument `{}` has parameters with headers, so it must be an object",
                self.path
            )),
            value => self.inner.check(headers, value),
        }
    }
}

/// Whether the header matches the argument. Arrays and objects cannot be mirrored in headers.
fn matches(name: &HeaderName, header: &HeaderValue, value: &RawValue) -> Result<bool, ErrorObject> {
    let header = decoded(header, name.as_str())?;
    let text = value.get();
    Ok(match text.as_bytes().first() {
        Some(b'"') => string(value).is_some_and(|text| text == header),
        Some(b't' | b'f') => header == text,
        // Numbers are compared by value: `42.0` equals `42` ("Server Validation").
        Some(b'-' | b'0'..=b'9') => {
            header == text || Decimal::parse(text).is_some_and(|value| Decimal::parse(&header) == Some(value))
        }
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;
    use serde_json::value::RawValue;
    use toolwright_core::tool::FieldMetadata;

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

    fn code(headers: &[(&'static str, &str)], arguments: &serde_json::Value) -> Option<i64> {
        code_of_text(headers, &arguments.to_string())
    }

    fn code_of_text(headers: &[(&'static str, &str)], arguments: &str) -> Option<i64> {
        let headers: HeaderMap = headers
            .iter()
            .map(|(name, value)| (name.parse().expect("a name"), value.parse().expect("a value")))
            .collect();
        let arguments: Box<RawValue> = serde_json::from_str(arguments).expect("JSON");
        params().check(&headers, Some(&arguments)).err().map(|error| error.code)
    }

    #[test]
    fn only_reachable_parameters_have_headers() {
        fn headers(params: &HeaderParams) -> Vec<String> {
            let each =
                params.0.iter().map(|param| (param.header.iter().map(ToString::to_string), &param.inner));
            each.flat_map(|(own, inner)| own.chain(headers(inner))).collect()
        }
        assert_eq!(headers(&params()), ["mcp-param-region", "mcp-param-page-size", "mcp-param-all"]);
    }

    #[test]
    fn other_arguments_do_not_affect_the_comparison() {
        let region = [("mcp-param-region", "us")];
        let other = [("mcp-param-region", "eu")];
        let deep = format!("{}{}", "[".repeat(200), "]".repeat(200));
        for more in ["1e400", r#""\ud800""#, &deep, "18446744073709551616", "-0.0"] {
            let text = format!(r#"{{"region":"us","z":{more}}}"#);
            assert_eq!(code_of_text(&region, &text), None, "{more}");
            assert_eq!(code_of_text(&other, &text), Some(-32020), "{more}");
            assert_eq!(code_of_text(&[], &text), Some(-32020), "{more}");
        }
        let escaped = r#"{"r\u0065gion":"\u0075s"}"#;
        assert_eq!(code_of_text(&region, escaped), None);
        assert_eq!(code_of_text(&[], escaped), Some(-32020));
    }

    #[test]
    fn ambiguous_arguments_are_rejected() {
        let region = [("mcp-param-region", "us")];
        let size = [("mcp-param-page-size", "42")];
        for (headers, text) in [
            (&region[..], r#"{"region":"us","region":"eu"}"#),
            (&region, r#"{"region":"eu","region":"us"}"#),
            (&region, r#"{"region":"us","region":"us"}"#),
            (&region, r#"{"region":null,"r\u0065gion":"us"}"#),
            (&[], r#"{"region":null,"region":"us"}"#),
            (&[], r#"{"region":"\ud800"}"#),
            (&region, r#"{"region":"\ud800"}"#),
            (&[], r#"{"\ud800":1}"#),
            (&[], r#"{"region":["us"]}"#),
            (&region, r#"{"region":["us"]}"#),
            (&[], r#"{"page":"{\"size\":42}"}"#),
            (&size, r#"{"page":"{\"size\":42}"}"#),
            (&size, r#"{"page":[42]}"#),
            (&size, r#"{"page":{"size":42,"size":43}}"#),
            (&size, r#"{"page":{"size":42},"page":{"size":43}}"#),
        ] {
            assert_eq!(code_of_text(headers, text), Some(-32020), "{headers:?} {text}");
        }
        assert_eq!(code_of_text(&[], r#"{"page":null}"#), None);
        assert_eq!(code_of_text(&region, r#"{"region":"us","z":1,"z":2}"#), None, "no header concerns it");
    }

    #[test]
    fn numbers_are_compared_to_the_last_digit() {
        for (header, argument, same) in [
            ("9007199254740992", "9007199254740993", false),
            ("9007199254740993", "9007199254740993", true),
            ("9007199254740993.0", "9007199254740993", true),
            ("42", "4.2e1", true),
            ("-7", "-7.0", true),
            ("0", "-0", true),
            ("1e400", "1e401", false),
            ("inf", "1e400", false),
            ("042", "42", false),
            ("+42", "42", false),
            ("NaN", "0", false),
        ] {
            let arguments = format!(r#"{{"page":{{"size":{argument}}}}}"#);
            let refused = code_of_text(&[("mcp-param-page-size", header)], &arguments);
            assert_eq!(refused.is_none(), same, "{header} {argument}");
        }
    }

    #[test]
    fn aliases_of_a_parameter_share_its_header() {
        const FIELD: FieldMetadata = FieldMetadata {
            name: "region",
            aliases: &["place"],
            schema: "{}",
            secret: false,
            credential: false,
        };
        let mut params = params();
        params.add_aliases(&[FIELD]);
        let region: HeaderMap =
            [("mcp-param-region".parse().expect("a name"), "us".parse().expect("a value"))]
                .into_iter()
                .collect();
        for (headers, arguments, good) in [
            (&region, r#"{"place":"us"}"#, true),
            (&region, r#"{"place":"eu"}"#, false),
            (&HeaderMap::new(), r#"{"place":"us"}"#, false),
            (&region, r#"{"place":"us","region":"us"}"#, false),
        ] {
            let arguments: Box<RawValue> = serde_json::from_str(arguments).expect("JSON");
            assert_eq!(params.check(headers, Some(&arguments)).is_ok(), good, "{arguments}");
        }
    }

    #[test]
    fn headers_match_the_arguments() {
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
        assert_eq!(
            code(&[("mcp-param-region", "x")], &json!({"region": null})),
            Some(-32020),
            "an extra header"
        );
        assert_eq!(code(&[("mcp-param-other", "x")], &json!({})), None, "not of this tool");
    }
}
