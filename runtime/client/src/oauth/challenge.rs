//! The challenges of a response with status 401 or 403.

/// A `Bearer` or `DPoP` challenge in `WWW-Authenticate` (RFC 6750 §3, RFC 9449 §7.1).
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Challenge {
    pub(super) resource_metadata: Option<String>,
    pub(super) scope: Option<String>,
    pub(super) error: Option<String>,
}

impl Challenge {
    /// Parses the values of the header; of several challenges, the first value of each parameter is used.
    pub(super) fn parse(values: &[String]) -> Self {
        let mut challenge = Self::default();
        for value in values {
            let lower = value.to_ascii_lowercase();
            let Some(start) = ["bearer", "dpop"].iter().filter_map(|scheme| lower.find(scheme)).min() else {
                continue;
            };
            for (name, value) in parse_parameters(&value[start..]) {
                let field = match name.as_str() {
                    "resource_metadata" => &mut challenge.resource_metadata,
                    "scope" => &mut challenge.scope,
                    "error" => &mut challenge.error,
                    _ => continue,
                };
                field.get_or_insert(value);
            }
        }
        challenge
    }
}

/// Finds all `name=value` and `name="value"` pairs.
fn parse_parameters(text: &str) -> Vec<(String, String)> {
    let (mut parameters, mut rest) = (Vec::new(), text);
    while let Some((before, after)) = rest.split_once('=') {
        let name = before.rsplit([' ', ',', '\t']).next().unwrap_or_default().to_ascii_lowercase();
        if let Some(quoted) = after.trim_start().strip_prefix('"') {
            let (mut value, mut end, mut is_escaped) = (String::new(), quoted.len(), false);
            for (at, character) in quoted.char_indices() {
                match character {
                    '\\' if !is_escaped => is_escaped = true,
                    '"' if !is_escaped => {
                        end = at + 1;
                        break;
                    }
                    _ => {
                        value.push(character);
                        is_escaped = false;
                    }
                }
            }
            parameters.push((name, value));
            rest = &quoted[end..];
        } else {
            let end = after.find([' ', ',', '\t']).unwrap_or(after.len());
            parameters.push((name, after[..end].to_owned()));
            rest = &after[end..];
        }
    }
    parameters
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_parsed() {
        let values = [
            r#"Basic realm="x", Bearer error="insufficient_scope", scope="a b", resource_metadata="https://e/x?a=b""#,
        ];
        let challenge = Challenge::parse(&values.map(str::to_owned));
        assert_eq!(challenge.error.as_deref(), Some("insufficient_scope"));
        assert_eq!(challenge.scope.as_deref(), Some("a b"));
        assert_eq!(challenge.resource_metadata.as_deref(), Some("https://e/x?a=b"));
        assert_eq!(Challenge::parse(&["Bearer".to_owned()]), Challenge::default());
        let escaped = Challenge::parse(&[r#"Bearer scope="a\"b", error=x"#.to_owned()]);
        assert_eq!((escaped.scope.as_deref(), escaped.error.as_deref()), (Some("a\"b"), Some("x")));
    }
}
