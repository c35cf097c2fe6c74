//! What headers say, and whether the body says the same (2026-07-28, basic/transports/streamable-http "Request
//! Metadata").

use std::borrow::Cow;
use toolwright_core::protocol::method;

use http::header::{ACCEPT, ACCEPT_ENCODING, CONTENT_ENCODING, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode};
use toolwright_core::content::MediaContent;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::revision::Revision;

use super::answer::{self, Era};
use super::body::HttpBody;
use crate::error;
use crate::message::{Envelope, Params, string};

/// In which forms the client takes an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Accept {
    pub(super) json: bool,
    pub(super) events: bool,
}

impl Accept {
    /// Both where the header is absent (RFC 9110 §12.5.1). Clients must list both; one is enough here, and a
    /// wildcard covers them.
    pub(super) fn of(headers: &HeaderMap) -> Self {
        let both = Self { json: true, events: true };
        match headers.get(ACCEPT) {
            None => return both,
            // What nearly all clients send, which need not be taken apart.
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

/// Whether the parameters of a media range give it the weight 0: "not acceptable".
fn is_refused(parameters: &str) -> bool {
    parameters.split(';').filter_map(|parameter| parameter.split_once('=')).any(|(name, value)| {
        name.trim().eq_ignore_ascii_case("q") && value.trim().parse::<f32>().is_ok_and(|weight| weight <= 0.0)
    })
}

/// Checks that the body is declared as JSON (RFC 9110 §8.3.1), in a form that is read.
pub(super) fn check_content(headers: &HeaderMap) -> Result<(), Box<Response<HttpBody>>> {
    let refused = |why| Box::new(answer::refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    if !is_json(headers) {
        return Err(refused("the body must be declared as `Content-Type: application/json`"));
    }
    if !is_plain(headers) {
        let mut refused = refused("the body must come without a `Content-Encoding`, such as gzip");
        // What would be taken instead (RFC 9110 §15.5.16).
        refused.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        return Err(refused);
    }
    Ok(())
}

/// Whether the body is declared as JSON, whatever the parameters.
fn is_json(headers: &HeaderMap) -> bool {
    let value = single(headers, &CONTENT_TYPE).ok().flatten();
    value.and_then(|value| value.to_str().ok()).is_some_and(|value| {
        let media_type = value.split(';').next().unwrap_or_default();
        media_type.trim().eq_ignore_ascii_case("application/json")
    })
}

/// Whether the body is sent as it is (RFC 9110 §8.4).
fn is_plain(headers: &HeaderMap) -> bool {
    let mut codings = headers
        .get_all(CONTENT_ENCODING)
        .iter()
        .flat_map(|value| value.as_bytes().split(|byte| *byte == b','));
    codings.all(|coding| {
        let coding = coding.trim_ascii();
        coding.is_empty() || coding.eq_ignore_ascii_case(b"identity")
    })
}

pub(super) static VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(super) static SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
static METHOD: HeaderName = HeaderName::from_static("mcp-method");
static NAME: HeaderName = HeaderName::from_static("mcp-name");

/// The revision that the header names; none without the header.
///
/// # Errors
/// Where that is none that exists (2025-11-25, basic/transports "Protocol Version Header": status 400).
pub(super) fn version(headers: &HeaderMap) -> Result<Option<Revision>, ErrorObject> {
    let Some(value) = single(headers, &VERSION)? else { return Ok(None) };
    let revision = value.to_str().ok().and_then(Revision::from_name);
    revision.map(Some).ok_or_else(|| unsupported(headers, value, true))
}

/// The answer to a revision that is not served. In a session it has the form that its revisions give it (2025-11-25,
/// basic/lifecycle "Error Handling").
fn unsupported(headers: &HeaderMap, version: &HeaderValue, has_sessions: bool) -> ErrorObject {
    let requested = String::from_utf8_lossy(version.as_bytes());
    if has_sessions && headers.contains_key(&SESSION_ID) {
        return error::unsupported_legacy_version(&requested);
    }
    error::unsupported_version(&requested, !has_sessions)
}

/// The era of a message, by its header and by the version in its `_meta`.
///
/// Without either it is a legacy one: those before 2025-06-18 had no such header.
pub(super) fn era(
    headers: &HeaderMap,
    envelope: &Envelope<'_>,
    has_sessions: bool,
) -> Result<Era, ErrorObject> {
    let asked = envelope.meta.as_ref().and_then(|meta| meta.protocol_version);
    let Some(header) = single(headers, &VERSION)? else {
        return match asked {
            None => Ok(Era::Legacy),
            Some(_) => Err(error::header_mismatch("the `MCP-Protocol-Version` header is missing")),
        };
    };
    match asked.map(string) {
        Some(None) => {
            return Err(error::invalid_params("`io.modelcontextprotocol/protocolVersion` must be a string"));
        }
        Some(Some(asked)) if asked.as_bytes() != header.as_bytes() => {
            return Err(error::header_mismatch(
                "the `MCP-Protocol-Version` header is not the version in `_meta` of the body",
            ));
        }
        _ => {}
    }
    match header.to_str().ok().and_then(Revision::from_name) {
        Some(revision) if revision.is_modern() || asked.is_some() => Ok(Era::Modern),
        Some(_) if has_sessions => Ok(Era::Legacy),
        _ => Err(unsupported(headers, header, has_sessions)),
    }
}

/// Checks the standard headers of a modern request against its body.
pub(super) fn check_standard(
    headers: &HeaderMap,
    method: &str,
    params: &Params<'_>,
) -> Result<(), ErrorObject> {
    let header = single(headers, &METHOD)?
        .ok_or_else(|| error::header_mismatch("the `Mcp-Method` header is missing"))?;
    if header.as_bytes() != method.as_bytes() {
        return Err(error::header_mismatch("the `Mcp-Method` header is not the method of the body"));
    }
    let name = match method {
        method::TOOLS_CALL | method::PROMPTS_GET => params.name.and_then(string),
        method::RESOURCES_READ => params.uri.and_then(string),
        // SEP-2663 "Streamable HTTP: Routing Headers".
        #[cfg(feature = "tasks")]
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => params.task_id.and_then(string),
        _ => return Ok(()),
    };
    match (single(headers, &NAME)?, name) {
        (Some(header), Some(name)) if decoded(header, "Mcp-Name")? == name => Ok(()),
        (Some(_), Some(_)) => {
            Err(error::header_mismatch("the `Mcp-Name` header is not the name in the body"))
        }
        (Some(_), None) => Err(error::header_mismatch(
            "there is an `Mcp-Name` header, and the body has no name that is a string",
        )),
        (None, Some(_)) => {
            Err(error::header_mismatch(&format!("the `Mcp-Name` header is missing for `{method}`")))
        }
        // The parameters alone are at fault, which has a code of its own.
        (None, None) => Ok(()),
    }
}

/// The one value of a header; none if it is absent.
pub(super) fn single<'a>(
    headers: &'a HeaderMap,
    name: &HeaderName,
) -> Result<Option<&'a HeaderValue>, ErrorObject> {
    let mut values = headers.get_all(name).iter();
    let value = values.next();
    if values.next().is_some() {
        return Err(error::header_mismatch(&format!("the header `{name}` is there more than once")));
    }
    Ok(value)
}

/// The text of a header, out of its base64 form if it has that ("Value Encoding").
pub(super) fn decoded<'a>(value: &'a HeaderValue, name: &str) -> Result<Cow<'a, str>, ErrorObject> {
    let text = value
        .to_str()
        .map_err(|_| error::header_mismatch(&format!("the header `{name}` has characters that need base64")))?
        .trim_matches([' ', '\t']);
    match text.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        None => Ok(Cow::Borrowed(text)),
        Some(encoded) => decode(encoded)
            .map(Cow::Owned)
            .ok_or_else(|| error::header_mismatch(&format!("the header `{name}` is no base64 of a text"))),
    }
}

/// The text behind `encoded`, if that is exactly how it is written: decoding alone would be lenient.
fn decode(encoded: &str) -> Option<String> {
    let data = MediaContent { data: encoded.to_owned(), mime_type: String::new(), extras: None };
    let bytes = data.bytes().ok()?;
    (MediaContent::new(&bytes, "").data == encoded).then_some(())?;
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use http::{HeaderMap, HeaderValue};

    use super::{Accept, decoded, is_json, is_plain};

    fn headers(name: &'static str, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name.parse().expect("a name"), value.parse().expect("a value"))])
    }

    // As reported in XS-MLVP/UCAgent#127, PrefectHQ/fastmcp#1664.
    #[test]
    fn media_ranges_in_any_order_and_case() {
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
    fn only_json_is_taken_with_any_parameters() {
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
    fn only_bodies_without_an_encoding_are_plain() {
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
}
