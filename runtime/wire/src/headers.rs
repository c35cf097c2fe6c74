//! Names of the protocol's HTTP headers, and the encoding of their values (2026-07-28, basic/transports/streamable-http
//! "Request Metadata").

use std::borrow::Cow;

use http::header::{ACCEPT, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use toolwright_core::content::base64;
use toolwright_core::protocol::{EnvelopeParams, ErrorObject, error, method, string};

/// The prefix of a base64 value.
const PREFIX: &str = "=?base64?";
/// The suffix of a base64 value.
const SUFFIX: &str = "?=";

/// `MCP-Protocol-Version`: the revision of a request; since 2025-06-18.
pub static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
/// `Mcp-Session-Id`: the session of a request; up to 2025-11-25.
pub static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
/// `Mcp-Method`: the method of a request; since 2026-07-28.
pub static METHOD: HeaderName = HeaderName::from_static("mcp-method");
/// `Mcp-Name`: the tool, prompt, resource or task of a request; since 2026-07-28.
pub static NAME: HeaderName = HeaderName::from_static("mcp-name");
/// `Last-Event-ID`: the event after which to resume a stream; up to 2025-11-25.
pub static LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Checks the standard headers of a modern request against its body (2026-07-28, basic/transports/streamable-http "Server
/// Validation").
///
/// # Errors
/// -32020 if a header is missing or does not match the body.
#[inline]
pub fn check_standard(
    headers: &HeaderMap,
    method: &str,
    params: &EnvelopeParams<'_>,
) -> Result<(), ErrorObject> {
    let header = single(headers, &METHOD)?
        .ok_or_else(|| error::header_mismatch("the `Mcp-Method` header is missing"))?;
    if header.as_bytes() != method.as_bytes() {
        return Err(error::header_mismatch("the `Mcp-Method` header does not match the method in the body"));
    }
    let Some(name) = name_of(method, params) else { return Ok(()) };
    match (single(headers, &NAME)?, name) {
        (Some(header), Some(name)) if decoded(header, "Mcp-Name")? == name => Ok(()),
        (Some(_), Some(_)) => {
            Err(error::header_mismatch("the `Mcp-Name` header does not match the name in the body"))
        }
        (Some(_), None) => Err(error::header_mismatch(
            "the request has an `Mcp-Name` header, but its body has no name, or one that is not a string",
        )),
        (None, Some(_)) => {
            Err(error::header_mismatch(&format!("the `Mcp-Name` header is missing for `{method}`")))
        }
        // Only the parameters are invalid, which has an error code of its own.
        (None, None) => Ok(()),
    }
}

/// Returns what `Mcp-Name` must contain for a request of `method`: the name of a tool or prompt, the URI of a resource,
/// or the id of a task. `None` if the method has no such header; `Some(None)` if the parameters lack the member, or it
/// is not a string.
#[inline]
pub fn name_of<'a>(method: &str, params: &EnvelopeParams<'a>) -> Option<Option<Cow<'a, str>>> {
    let member = match method {
        method::TOOLS_CALL | method::PROMPTS_GET => params.name,
        method::RESOURCES_READ => params.uri,
        // SEP-2663 "Streamable HTTP: Routing Headers".
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => params.task_id,
        _ => return None,
    };
    Some(member.and_then(string))
}

/// Returns the only value of a header, or `None` if it is absent.
///
/// # Errors
/// -32020 if the header is repeated.
#[inline]
pub fn single<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Result<Option<&'a HeaderValue>, ErrorObject> {
    // Usually no header is repeated, so none has to be counted.
    if headers.keys_len() < headers.len() && headers.get_all(name).iter().nth(1).is_some() {
        return Err(error::header_mismatch(&format!("the header `{name}` is repeated; send it once")));
    }
    Ok(headers.get(name))
}

/// Decodes a header value, which may be in base64 (2026-07-28, basic/transports/streamable-http "Value Encoding").
///
/// # Errors
/// -32020 if the value has characters that headers must not have, or is not the base64 of UTF-8 text.
#[inline]
pub fn decoded<'a>(value: &'a HeaderValue, name: &str) -> Result<Cow<'a, str>, ErrorObject> {
    let text = value
        .to_str()
        .map_err(|_| error::header_mismatch(&format!("the header `{name}` has characters that need base64")))?
        .trim_matches([' ', '\t']);
    match text.strip_prefix(PREFIX).and_then(|rest| rest.strip_suffix(SUFFIX)) {
        None => Ok(Cow::Borrowed(text)),
        Some(encoded) => decode(encoded).map(Cow::Owned).ok_or_else(|| {
            error::header_mismatch(&format!("the header `{name}` is not valid base64 of UTF-8 text"))
        }),
    }
}

/// Encodes a string as a header value, in base64 if plain ASCII would not round-trip (2026-07-28,
/// basic/transports/streamable-http "Value Encoding").
///
/// # Panics
/// Never: anything but plain ASCII is encoded.
pub fn encoded(text: &str) -> HeaderValue {
    let is_padded = text.starts_with(' ') || text.ends_with(' ');
    let is_sentinel = text.starts_with(PREFIX) && text.ends_with(SUFFIX);
    // Tabs are legal, but proxies have turned them into spaces.
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && !is_padded && !is_sentinel;
    let value = if is_plain {
        text.to_owned()
    } else {
        format!("{PREFIX}{}{SUFFIX}", base64::encode(text.as_bytes()))
    };
    HeaderValue::from_str(&value).expect("ASCII without control characters but the tab")
}

/// Decodes base64 strictly: only the canonical encoding of a string is accepted.
fn decode(encoded: &str) -> Option<String> {
    let bytes = base64::decode(encoded).ok()?;
    (base64::encode(&bytes) == encoded).then_some(())?;
    String::from_utf8(bytes).ok()
}

/// The response formats that a client accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct Accept {
    /// JSON.
    pub json: bool,
    /// An event stream.
    pub events: bool,
}

impl Accept {
    /// Reads the `Accept` header. An absent header accepts both (RFC 9110 §12.5.1). Clients must list both; this server
    /// requires only one, which a wildcard may cover.
    #[inline]
    pub fn of(headers: &HeaderMap) -> Self {
        let both = Self { json: true, events: true };
        match headers.get(ACCEPT) {
            None => return both,
            // The value that nearly all clients send needs no parsing.
            Some(value) if value == "application/json, text/event-stream" => return both,
            Some(_) => {}
        }
        let mut accept = Self { json: false, events: false };
        let values = headers.get_all(ACCEPT).iter().filter_map(|value| value.to_str().ok());
        for range in values.flat_map(|value| value.split(',')) {
            let (media_type, parameters) = range.split_once(';').unwrap_or((range, ""));
            if is_refused(parameters) {
                continue;
            }
            let is = |name: &str| media_type.trim().eq_ignore_ascii_case(name);
            let is_any = is("*/*");
            accept.json |= is_any || is("application/json") || is("application/*");
            accept.events |= is_any || is("text/event-stream") || is("text/*");
        }
        accept
    }
}

/// Whether a media range has weight 0, which means "not acceptable".
fn is_refused(parameters: &str) -> bool {
    parameters.split(';').filter_map(|parameter| parameter.split_once('=')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
    })
}

/// Returns whether the body is declared as JSON, with any parameters.
#[inline]
pub fn is_json(headers: &HeaderMap) -> bool {
    let value = single(headers, &CONTENT_TYPE).ok().flatten();
    // The value that nearly all clients send needs no parsing.
    if value.is_some_and(|value| value == "application/json") {
        return true;
    }
    value.and_then(|value| value.to_str().ok()).is_some_and(|value| {
        let media_type = value.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case("application/json")
    })
}

/// Returns whether the body has no content encoding (RFC 9110 §8.4).
#[inline]
pub fn is_plain(headers: &HeaderMap) -> bool {
    if !headers.contains_key(CONTENT_ENCODING) {
        return true;
    }
    let mut codings = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    codings.all(|coding| {
        let coding = coding.trim_ascii();
        coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
    })
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{Accept, decoded, encoded, is_json, is_plain};

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().expect("a name"), value.parse().expect("a value"))])
    }

    // As reported in XS-MLVP/UCAgent#127, PrefectHQ/fastmcp#1664.
    #[test]
    fn media_ranges_match_in_any_order_and_case() {
        for (accept, json, events) in [
            ("*/*", true, true),
            ("text/event-stream, application/json", true, true),
            ("application/json;q=0.9, text/event-stream", true, true),
            ("Application/*, TEXT/*", true, true),
            ("application/json", true, false),
            ("text/event-stream", false, true),
            ("application/json;q=0, text/event-stream; q=1", false, true),
            ("text/html", false, false),
            ("", false, false),
        ] {
            assert_eq!(Accept::of(&headers("accept", accept)), Accept { json, events }, "{accept}");
        }
        assert_eq!(Accept::of(&HeaderMap::new()), Accept { json: true, events: true });
    }

    // As reported in grafana/mcp-grafana#215, modelcontextprotocol/java-sdk#961, LIghtJUNction/OniMods#271.
    #[test]
    fn json_is_recognized_with_any_parameters() {
        for (content_type, good) in [
            ("application/json", true),
            ("Application/JSON; charset=utf-8", true),
            ("application/json;charset=\"UTF-8\"", true),
            ("text/plain", false),
            ("application/x-www-form-urlencoded", false),
            ("application/json-patch+json", false),
            ("", false),
        ] {
            assert_eq!(is_json(&headers("content-type", content_type)), good, "{content_type}");
        }
        assert!(!is_json(&HeaderMap::new()));
    }

    #[test]
    fn bodies_with_a_content_encoding_are_not_plain() {
        for (encoding, good) in [
            ("identity", true),
            ("Identity, identity", true),
            ("", true),
            ("gzip", false),
            ("identity, br", false),
            ("x", false),
        ] {
            assert_eq!(is_plain(&headers("content-encoding", encoding)), good, "{encoding}");
        }
        assert!(is_plain(&HeaderMap::new()));
    }

    // As reported in laravel/mcp#286.
    #[test]
    fn values_are_decoded_strictly() {
        for (value, text) in [
            ("add", Some("add")),
            (" add\t", Some("add")),
            ("=?base64?SGVsbG8=?=", Some("Hello")),
            ("=?base64?Z3LDtsOfZQ==?=", Some("größe")),
            ("=?base64?IHBhZGRlZCA=?=", Some(" padded ")),
            ("=?base64??=", Some("")),
            ("SGVsbG8=?=", Some("SGVsbG8=?=")),
            ("=?base64?SGVsbG8=", Some("=?base64?SGVsbG8=")),
            ("=?BASE64?SGVsbG8=?=", Some("=?BASE64?SGVsbG8=?=")),
            ("=?base64?=", Some("=?base64?=")),
            ("=?base64?SGVsbG8?=", None),
            ("=?base64?SGVs bG8=?=", None),
            ("=?base64?SGVs!!!!?=", None),
            ("=?base64?data:,SGVsbG8=?=", None),
            ("=?base64?_w==?=", None),
            ("=?base64?/w==?=", None),
        ] {
            let header = HeaderValue::from_str(value).expect("a value");
            assert_eq!(decoded(&header, "Mcp-Name").ok().as_deref(), text, "{value}");
        }
        let raw = HeaderValue::from_bytes("größe".as_bytes()).expect("opaque bytes");
        assert!(decoded(&raw, "Mcp-Name").is_err());
    }
    /// The examples in the specification's table.
    #[test]
    fn values_are_encoded_as_the_specification_shows() {
        for (text, value) in [
            ("us-west1", "us-west1"),
            ("Hello, 世界", "=?base64?SGVsbG8sIOS4lueVjA==?="),
            (" padded ", "=?base64?IHBhZGRlZCA=?="),
            ("line1\nline2", "=?base64?bGluZTEKbGluZTI=?="),
            ("=?base64?literal?=", "=?base64?PT9iYXNlNjQ/bGl0ZXJhbD89?="),
            ("=?base64?", "=?base64?"),
            ("a\tb", "=?base64?YQli?="),
            ("", ""),
            ("\u{7f}", "=?base64?fw==?="),
        ] {
            assert_eq!(encoded(text), value, "{text:?}");
            assert_eq!(decoded(&encoded(text), "Mcp-Name").as_deref(), Ok(text), "{text:?}");
        }
    }
}
