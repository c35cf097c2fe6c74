//! Determines a request's revision and era from its headers, and checks the content type of its body.

use http::header::ACCEPT_ENCODING;
use http::{HeaderMap, HeaderValue, Response, StatusCode};
use toolwright_core::protocol::{Era, ErrorObject, Revision, meta};
use toolwright_wire::headers::{SESSION_ID, VERSION, is_json, is_plain, single};

use super::answer;
use super::body::HttpBody;
use crate::error;
use crate::message::{Envelope, string};

/// Checks that the body is declared as JSON (RFC 9110 §8.3.1), without a content encoding.
pub(super) fn check_content(headers: &HeaderMap) -> Result<(), Box<Response<HttpBody>>> {
    let refused = |why| Box::new(answer::refused(StatusCode::UNSUPPORTED_MEDIA_TYPE, why));
    if !is_json(headers) {
        return Err(refused("the body must be declared as `Content-Type: application/json`"));
    }
    if !is_plain(headers) {
        let mut refused = refused("the body must not have a `Content-Encoding`, such as gzip");
        // The accepted alternative (RFC 9110 §15.5.16).
        refused.headers_mut().insert(ACCEPT_ENCODING, HeaderValue::from_static("identity"));
        return Err(refused);
    }
    Ok(())
}

/// Returns the revision in the header; `None` without the header.
///
/// # Errors
/// The revision does not exist (2025-11-25, basic/transports "Protocol Version Header": status 400).
pub(super) fn version(headers: &HeaderMap) -> Result<Option<Revision>, ErrorObject> {
    let Some(value) = single(headers, &VERSION)? else { return Ok(None) };
    let revision = value.to_str().ok().and_then(Revision::from_name);
    revision.map(Some).ok_or_else(|| unsupported(headers, value, true))
}

/// The error for an unsupported revision. In a session, it has the form of the legacy revisions (2025-11-25,
/// basic/lifecycle "Error Handling").
fn unsupported(headers: &HeaderMap, version: &HeaderValue, has_sessions: bool) -> ErrorObject {
    let requested = String::from_utf8_lossy(version.as_bytes());
    if has_sessions && headers.contains_key(&SESSION_ID) {
        return error::unsupported_legacy_version(&requested);
    }
    error::unsupported_version(&requested, !has_sessions)
}

/// Determines the era of a message, by its header and the version in its `_meta`.
///
/// Without either, it is a legacy message: revisions before 2025-06-18 had no such header.
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
            return Err(error::invalid_params(&format!("`{}` must be a string", meta::PROTOCOL_VERSION)));
        }
        Some(Some(asked)) if asked.as_bytes() != header.as_bytes() => {
            return Err(error::header_mismatch(
                "the `MCP-Protocol-Version` header does not match the version in `_meta`",
            ));
        }
        _ => {}
    }
    match header.to_str().ok().and_then(Revision::from_name) {
        Some(revision) if revision.era() == Era::Modern => Ok(Era::Modern),
        // Only requests of the modern era name their revision.
        Some(revision) if asked.is_some() => {
            Err(error::unsupported_version(revision.as_str(), !has_sessions))
        }
        Some(_) if has_sessions => Ok(Era::Legacy),
        _ => Err(unsupported(headers, header, has_sessions)),
    }
}
