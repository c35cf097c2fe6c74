//! Writing JSON-RPC messages.

use std::borrow::Cow;

use jsonrpsee_types::ErrorObjectOwned;
use serde::Serialize;
use serde_json::value::RawValue;
use toolwright_core::content::{ContentBlock, TextContent};
use toolwright_core::result::ToolResult;
use toolwright_core::revision::Revision;

use crate::escape;
use crate::message::RequestId;

const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const RESULT: &[u8] = br#","result":"#;

/// Appends the answer with a result that is JSON already.
pub(crate) fn result(out: &mut Vec<u8>, id: &RequestId<'_>, result: &[u8]) {
    out.reserve(HEAD.len() + id.as_str().len() + RESULT.len() + result.len() + 2);
    head(out, id);
    out.extend_from_slice(result);
    out.push(b'}');
}

/// Appends the answer with a result to be written.
pub(crate) fn result_of(out: &mut Vec<u8>, id: &RequestId<'_>, value: &impl Serialize) {
    head(out, id);
    write(out, value);
    out.push(b'}');
}

fn head(out: &mut Vec<u8>, id: &RequestId<'_>) {
    out.extend_from_slice(HEAD);
    out.extend_from_slice(id.as_str().as_bytes());
    out.extend_from_slice(RESULT);
}

/// Appends an error answer.
///
/// Where no id could be read, revisions up to 2025-06-18 get `null`, as JSON-RPC 2.0 §5 says; later ones leave
/// the member out, as their schema has it (`JSONRPCErrorResponse`: a string, an integer, or absent).
pub(crate) fn error(
    out: &mut Vec<u8>,
    id: Option<&RequestId<'_>>,
    error: &ErrorObjectOwned,
    revision: Revision,
) {
    out.extend_from_slice(br#"{"jsonrpc":"2.0","#);
    match id {
        Some(id) => {
            out.extend_from_slice(br#""id":"#);
            out.extend_from_slice(id.as_str().as_bytes());
            out.push(b',');
        }
        None if revision <= Revision::V2025_06_18 => out.extend_from_slice(br#""id":null,"#),
        None => {}
    }
    out.extend_from_slice(br#""error":"#);
    write(out, error);
    out.push(b'}');
}

/// The code of an error answer that was written here, and whether it names the request; none for a result.
#[cfg(feature = "http")]
pub(crate) fn error_code(answer: &[u8]) -> Option<(i32, bool)> {
    const ERROR: &[u8] = br#""error":{"code":"#;
    let members = answer.strip_prefix(br#"{"jsonrpc":"2.0","#)?;
    let (rest, has_id) = match members.strip_prefix(br#""id":"#) {
        None => (members, false),
        Some(members) => {
            let mut id = serde_json::Deserializer::from_slice(members).into_iter::<&RawValue>();
            let has_id = id.next()?.ok()?.get() != "null";
            (members.get(id.byte_offset() + 1..)?, has_id)
        }
    };
    let code = rest.strip_prefix(ERROR)?;
    let end = code.iter().position(|byte| *byte == b',')?;
    Some((std::str::from_utf8(&code[..end]).ok()?.parse().ok()?, has_id))
}

/// A request to the client.
pub(crate) fn request(id: u64, method: &str, params: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::with_capacity(256);
    out.extend_from_slice(HEAD);
    out.extend_from_slice(id.to_string().as_bytes());
    out.extend_from_slice(br#","method":""#);
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(br#"","params":"#);
    write(&mut out, params);
    out.push(b'}');
    out
}

/// A notification.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Vec<u8> {
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":""#);
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(br#"","params":"#);
    write(&mut out, params);
    out.push(b'}');
    out
}

/// How a peer wants results.
pub(crate) struct Form<'a> {
    pub(crate) revision: Revision,
    /// Whether the output schema that the peer was shown is wrapped.
    pub(crate) wraps: bool,
    /// The `_meta` that every modern result carries, as JSON text.
    pub(crate) server_meta: &'a RawValue,
}

/// Appends the answer to `tools/call`.
pub(crate) fn call_result(out: &mut Vec<u8>, id: &RequestId<'_>, tool_result: &ToolResult, form: &Form<'_>) {
    let Form { revision, wraps, server_meta } = *form;
    // Revisions before 2025-06-18 have no structured content, those before 2026-07-28 objects only
    // (2025-11-25, schema `CallToolResult`). Errors are not bound by the schema, and so not wrapped for it.
    let structured = match &tool_result.structured_content {
        Some(content) if revision.is_modern() => Some(Structured::Plain(content.as_raw())),
        Some(content) if revision >= Revision::V2025_06_18 => {
            let wraps = (wraps && !tool_result.is_error) || !content.is_object();
            let raw = content.as_raw();
            Some(if wraps { Structured::Wrapped(Wrapped { result: raw }) } else { Structured::Plain(raw) })
        }
        _ => None,
    };
    let meta = match (&tool_result.meta, revision.is_modern()) {
        (None, true) => Some(Meta::Server(server_meta)),
        (None, false) => None,
        (Some(meta), false) => Some(Meta::Own(Cow::Borrowed(meta))),
        (Some(meta), true) => {
            let mut meta = meta.clone();
            if let Ok(serde_json::Value::Object(server)) = serde_json::from_str(server_meta.get()) {
                meta.extend(server);
            }
            Some(Meta::Own(Cow::Owned(meta)))
        }
    };
    head(out, id);
    out.push(b'{');
    if revision.is_modern() {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":"#);
    content(out, &tool_result.content, revision);
    // The other members are written as an object of their own, whose brace gives way to the comma between.
    let brace = out.len();
    write(out, &OtherMembers { structured_content: structured, is_error: tool_result.is_error, meta });
    out[brace] = b',';
    out.push(b'}');
}

/// Appends content blocks in the form of one revision. Texts, which may be long, are written here: `serde_json` looks at
/// them byte by byte.
fn content(out: &mut Vec<u8>, blocks: &[ContentBlock], revision: Revision) {
    out.push(b'[');
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match &*block.for_revision(revision) {
            ContentBlock::Text(TextContent { text, extras: None }) => {
                out.extend_from_slice(br#"{"type":"text","text":"#);
                escape::string(out, text);
                out.push(b'}');
            }
            block => write(out, block),
        }
    }
    out.push(b']');
}

/// What a result of a call has beside its content.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct OtherMembers<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    structured_content: Option<Structured<'a>>,
    is_error: bool,
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    meta: Option<Meta<'a>>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Structured<'a> {
    Plain(&'a RawValue),
    Wrapped(Wrapped<'a>),
}

/// A value that is no object, for a peer that takes objects only; the listed output schema is wrapped alike.
#[derive(Serialize)]
struct Wrapped<'a> {
    result: &'a RawValue,
}

#[derive(Serialize)]
#[serde(untagged)]
enum Meta<'a> {
    Server(&'a RawValue),
    Own(Cow<'a, serde_json::Map<String, serde_json::Value>>),
}

fn write(out: &mut Vec<u8>, value: &impl Serialize) {
    // Writing to memory cannot fail, and what is written here has string keys only.
    let start = out.len();
    if serde_json::to_writer(&mut *out, value).is_err() {
        out.truncate(start);
        out.extend_from_slice(b"null");
    }
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use toolwright_core::revision::Revision;

    use super::{error, error_code, result};
    use crate::error::{invalid_params, parse};
    use crate::message::RequestId;

    #[test]
    fn the_code_of_an_error_is_found_again_and_results_have_none() {
        for text in ["1", "-5", r#""a,\"error\":{\"code\":1,""#] {
            let raw: Box<serde_json::value::RawValue> = serde_json::from_str(text).expect("JSON");
            let id = RequestId::new(&raw).expect("an id");
            let mut out = Vec::new();
            error(&mut out, Some(&id), &invalid_params("why"), Revision::NEWEST);
            assert_eq!(error_code(&out), Some((-32602, true)), "{text}");
            out.clear();
            result(&mut out, &id, br#"{"error":{"code":1,"message":""}}"#);
            assert_eq!(error_code(&out), None, "{text}");
        }
        for revision in [Revision::V2025_03_26, Revision::NEWEST] {
            let mut out = Vec::new();
            error(&mut out, None, &parse("why"), revision);
            assert_eq!(error_code(&out), Some((-32700, false)), "{revision}");
        }
    }
}
