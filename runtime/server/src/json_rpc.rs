//! Writes JSON-RPC messages. Everything that may contain foreign data passes through here, so that each message is a
//! single line that its reader can parse ([`toolwright_core::json`]).

use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::json::{self, JsonFault};
use toolwright_core::protocol::ErrorObject;
use toolwright_core::resource::CacheScope;
use toolwright_core::revision::Revision;

use crate::log;
use crate::message::RequestId;

const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const RESULT: &[u8] = br#","result":"#;

/// The nesting depth at which results and notification parameters are written.
pub(crate) const OUTER: usize = 1;

/// The form of results that a peer expects.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Form<'a> {
    pub(crate) revision: Revision,
    /// The `_meta` of every modern result, as JSON.
    pub(crate) server_meta: &'a RawValue,
}

/// The type of a result (2026-07-28, basic "`ResultType`"; SEP-2663).
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ResultType {
    Complete,
    InputRequired,
    #[cfg(feature = "tasks")]
    Task,
}

/// A result: its own members, and those that every result of the revision has.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ResultObject<'a, T> {
    #[serde(skip_serializing_if = "Option::is_none")]
    result_type: Option<ResultType>,
    #[serde(flatten)]
    body: T,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    cache: Option<CacheHints>,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<&'a RawValue>,
}

/// How long a result may be cached, and for whom (2026-07-28, server/utilities/caching).
#[derive(Debug, Clone, Copy, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct CacheHints {
    pub(crate) ttl_ms: u64,
    pub(crate) cache_scope: CacheScope,
}

impl<'a, T: Serialize> ResultObject<'a, T> {
    pub(crate) fn new(result_type: ResultType, body: T, form: &Form<'a>) -> Self {
        Self {
            result_type: form.revision.has_result_type().then_some(result_type),
            body,
            cache: None,
            meta: form.revision.has_result_meta().then_some(form.server_meta),
        }
    }

    /// Sets these hints, if the revision supports them.
    pub(crate) fn cached(self, hints: CacheHints, revision: Revision) -> Self {
        Self { cache: revision.has_cache_hints().then_some(hints), ..self }
    }
}

/// Appends the start of a handwritten complete result, up to its first member.
pub(crate) fn open_result(out: &mut Vec<u8>, form: &Form<'_>) {
    out.push(b'{');
    if form.revision.has_result_type() {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
}

/// Appends the end of a handwritten complete result.
pub(crate) fn close_result(out: &mut Vec<u8>, hints: CacheHints, form: &Form<'_>) {
    if form.revision.has_cache_hints() {
        out.extend_from_slice(br#","ttlMs":"#);
        // Numbers and words can always be written.
        let _ = json::append(out, &hints.ttl_ms, OUTER + 1);
        out.extend_from_slice(br#","cacheScope":"#);
        let _ = json::append(out, &hints.cache_scope, OUTER + 1);
    }
    if form.revision.has_result_meta() {
        out.extend_from_slice(br#","_meta":"#);
        out.extend_from_slice(form.server_meta.get().as_bytes());
    }
    out.push(b'}');
}

/// The length of a response without its id and result.
pub(crate) const HEAD_BYTES: usize = HEAD.len() + RESULT.len() + 2;

/// Appends the start of a response, up to its result.
#[inline]
pub(crate) fn head(out: &mut Vec<u8>, id: &RequestId<'_>) {
    out.extend_from_slice(HEAD);
    out.extend_from_slice(id.as_str().as_bytes());
    out.extend_from_slice(RESULT);
}

/// Appends a result, or a top-level part of one.
///
/// # Errors
/// The part that cannot be sent; the caller has to remove what was appended.
pub(crate) fn append_result(out: &mut Vec<u8>, result: &impl Serialize) -> Result<(), JsonFault> {
    json::append(out, result, OUTER)
}

/// Appends a response with a result, or an error if the result cannot be sent.
pub(crate) fn result(out: &mut Vec<u8>, id: &RequestId<'_>, result: &impl Serialize) {
    let start = out.len();
    head(out, id);
    match append_result(out, result) {
        Ok(()) => out.push(b'}'),
        Err(fault) => {
            out.truncate(start);
            error(out, Some(id), &unwritable(id, &fault), Revision::NEWEST);
        }
    }
}

/// The error that replaces a response that cannot be sent.
pub(crate) fn unwritable(id: &RequestId<'_>, fault: &JsonFault) -> ErrorObject {
    log::warn(format_args!("cannot send the response to request {}: it {fault}", id.as_str()));
    crate::error::internal(&format!("cannot send the response: it {fault}"))
}

/// Appends an error response.
///
/// Without a readable id, revisions up to 2025-06-18 get `null`, as in JSON-RPC 2.0 §5; for later ones it is absent,
/// as in their schema (`JSONRPCErrorResponse`: a string, an integer, or absent).
pub(crate) fn error(out: &mut Vec<u8>, id: Option<&RequestId<'_>>, error: &ErrorObject, revision: Revision) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    match id {
        Some(id) => {
            out.extend_from_slice(br#""id":"#);
            out.extend_from_slice(id.as_str().as_bytes());
            out.push(b',');
        }
        None if revision.has_null_error_ids() => out.extend_from_slice(br#""id":null,"#),
        None => {}
    }
    out.extend_from_slice(br#""error":"#);
    append_error(out, error);
    out.push(b'}');
}

/// An error object as JSON.
#[cfg(feature = "tasks")]
pub(crate) fn raw_error(error: &ErrorObject) -> Box<RawValue> {
    let mut text = Vec::new();
    append_error(&mut text, error);
    String::from_utf8(text).ok().and_then(|text| RawValue::from_string(text).ok()).unwrap_or_default()
}

/// Appends an error object.
pub(crate) fn append_error(out: &mut Vec<u8>, error: &ErrorObject) {
    if json::append(out, error, OUTER).is_err() {
        // Its data may be foreign; code and message can always be written.
        let plain = ErrorObject::new(error.code, error.message.as_str());
        let _ = json::append(out, &plain, OUTER);
    }
}

/// Writes a request to the client.
///
/// # Errors
/// The part of the parameters that cannot be sent.
pub(crate) fn request(id: u64, method: &str, params: &impl Serialize) -> Result<Vec<u8>, JsonFault> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(HEAD);
    out.extend_from_slice(id.to_string().as_bytes());
    out.extend_from_slice(br#","method":""#);
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(br#"","params":"#);
    json::append(&mut out, params, OUTER)?;
    out.push(b'}');
    Ok(out)
}

/// Writes a notification.
///
/// # Errors
/// The part of the parameters that cannot be sent.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Result<Vec<u8>, JsonFault> {
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":""#);
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(br#"","params":"#);
    json::append(&mut out, params, OUTER)?;
    out.push(b'}');
    Ok(out)
}
