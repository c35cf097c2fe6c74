//! Writing JSON-RPC messages: the one place through which everything leaves that others may have written, so that each
//! message is one line that its reader can parse ([`toolwright_core::json`]).

use std::borrow::Cow;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::content::{ContentBlock, TextContent};
use toolwright_core::external::drop_reserved;
use toolwright_core::json::{self, JsonFault, each_member};
use toolwright_core::protocol::ErrorObject;
use toolwright_core::protocol::meta;
use toolwright_core::result::{StructuredContent, ToolResult};
use toolwright_core::revision::Revision;

use crate::message::RequestId;
use crate::{escape, log};

const HEAD: &[u8] = br#"{"jsonrpc":"2.0","id":"#;
const RESULT: &[u8] = br#","result":"#;

/// How many objects a result or the parameters of a notification stand in.
const OUTER: usize = 1;

/// Appends the answer with a result that is JSON already.
pub(crate) fn result(out: &mut Vec<u8>, id: &RequestId<'_>, result: &[u8]) {
    out.reserve(HEAD.len() + id.as_str().len() + RESULT.len() + result.len() + 2);
    head(out, id);
    out.extend_from_slice(result);
    out.push(b'}');
}

/// Appends the answer with a result to be written; an error where it holds what cannot be sent.
pub(crate) fn result_of(out: &mut Vec<u8>, id: &RequestId<'_>, value: &impl Serialize) {
    let start = out.len();
    head(out, id);
    match json::append(out, value, OUTER) {
        Ok(()) => out.push(b'}'),
        Err(fault) => {
            out.truncate(start);
            log::warn(format_args!("the answer to the request {} cannot be sent: it {fault}", id.as_str()));
            let refusal = crate::error::internal(&format!("the answer cannot be sent: it {fault}"));
            error(out, Some(id), &refusal, Revision::NEWEST);
        }
    }
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
    if json::append(out, error, OUTER).is_err() {
        // Its data comes from elsewhere; code and text can always be written.
        let plain = ErrorObject::new(error.code, error.message.as_str());
        let _ = json::append(out, &plain, OUTER);
    }
    out.push(b'}');
}

/// The code of an error answer that was written here, and whether it names the request; none for a result.
#[cfg(feature = "http")]
pub(crate) fn error_code(answer: &[u8]) -> Option<(i64, bool)> {
    const ERROR: &[u8] = br#""error":{"code":"#;
    let members = answer.strip_prefix(br#"{"jsonrpc":"2.0","#)?;
    let (rest, has_id) = match members.strip_prefix(br#""id":"#) {
        None => (members, false),
        Some(members) => {
            let id = members.get(..id_length(members)?)?;
            (members.get(id.len() + 1..)?, id != b"null")
        }
    };
    let code = rest.strip_prefix(ERROR)?;
    let end = code.iter().position(|byte| *byte == b',')?;
    Some((std::str::from_utf8(&code[..end]).ok()?.parse().ok()?, has_id))
}

/// How long the id at the start is: a string, or what is before the next comma.
#[cfg(feature = "http")]
fn id_length(members: &[u8]) -> Option<usize> {
    if members.first() != Some(&b'"') {
        return members.iter().position(|byte| *byte == b',');
    }
    let mut is_escaped = false;
    let inner = members[1..].iter().position(|byte| {
        let ends = !is_escaped && *byte == b'"';
        is_escaped = !is_escaped && *byte == b'\\';
        ends
    });
    inner.map(|length| length + 2)
}

/// A request to the client.
///
/// # Errors
/// What of the parameters cannot be sent.
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

/// A notification.
///
/// # Errors
/// What of the parameters cannot be sent.
pub(crate) fn notification(method: &str, params: &impl Serialize) -> Result<Vec<u8>, JsonFault> {
    let mut out = Vec::with_capacity(128);
    out.extend_from_slice(br#"{"jsonrpc":"2.0","method":""#);
    out.extend_from_slice(method.as_bytes());
    out.extend_from_slice(br#"","params":"#);
    json::append(&mut out, params, OUTER)?;
    out.push(b'}');
    Ok(out)
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
///
/// # Errors
/// What of the result cannot be sent; what was appended then must be removed.
pub(crate) fn call_result(
    out: &mut Vec<u8>,
    id: &RequestId<'_>,
    tool_result: &ToolResult,
    form: &Form<'_>,
) -> Result<(), JsonFault> {
    let revision = form.revision;
    head(out, id);
    out.push(b'{');
    if revision.has_result_type() {
        out.extend_from_slice(br#""resultType":"complete","#);
    }
    out.extend_from_slice(br#""content":"#);
    content(out, &tool_result.content, revision)?;
    // Revisions before 2025-06-18 have no structured content, those before 2026-07-28 objects only
    // (2025-11-25, schema `CallToolResult`). Errors are not bound by the schema, and so not wrapped for it.
    if let Some(content) = &tool_result.structured_content
        && revision.has_structured_content()
    {
        let follows_schema = form.wraps && !tool_result.is_error;
        structured(
            out,
            content,
            !revision.has_any_structured_content() && (follows_schema || !content.is_object()),
        )?;
    }
    out.extend_from_slice(if tool_result.is_error { br#","isError":true"# } else { br#","isError":false"# });
    meta(out, tool_result.meta.as_ref(), form)?;
    for (name, value) in &tool_result.other {
        // The protocol's own members are written above.
        if !matches!(name.as_str(), "resultType" | "content" | "structuredContent" | "isError" | "_meta") {
            out.push(b',');
            escape::string(out, name);
            out.push(b':');
            json::append(out, value, OUTER + 1)?;
        }
    }
    out.extend_from_slice(b"}}");
    Ok(())
}

/// Appends the answer with the result of another server in the form of the same revision: as it is, but for what this
/// server says of itself.
pub(crate) fn raw_result(
    out: &mut Vec<u8>,
    id: &RequestId<'_>,
    raw: &RawValue,
    revision: Revision,
    server_meta: &RawValue,
) {
    /// The members, in their order.
    struct Members<'a>(Vec<(Cow<'a, str>, &'a RawValue)>);

    impl Serialize for Members<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
        }
    }

    let (mut members, mut own) = (Vec::new(), None);
    let read = each_member(raw.get(), |name, value| {
        if name == "_meta" {
            own = Some(value);
        } else {
            members.push((name, value));
        }
        Ok(())
    });
    let mut own: Option<Map<String, Value>> = own.and_then(|own| serde_json::from_str(own.get()).ok());
    drop_reserved(&mut own);
    let mut meta = own.unwrap_or_default();
    let kind = RawValue::from_string("\"complete\"".to_owned());
    if revision.is_modern() {
        if let Ok(Value::Object(server)) = serde_json::from_str(server_meta.get()) {
            meta.extend(server);
        }
        if let Ok(kind) = &kind
            && !members.iter().any(|(name, _)| name == "resultType")
        {
            members.push(("resultType".into(), kind));
        }
    }
    let meta = serde_json::value::to_raw_value(&meta);
    if let Ok(meta) = meta.as_deref().map_err(drop)
        && meta.get() != "{}"
    {
        members.push(("_meta".into(), meta));
    }
    match read {
        Ok(()) => result_of(out, id, &Members(members)),
        Err(_) => error(out, Some(id), &crate::error::internal("the result is not an object"), revision),
    }
}

/// Appends content blocks in the form of one revision. Texts, which may be long, are written here: `serde_json` looks at
/// them byte by byte.
fn content(out: &mut Vec<u8>, blocks: &[ContentBlock], revision: Revision) -> Result<(), JsonFault> {
    out.push(b'[');
    for (index, block) in blocks.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        match &*block.for_revision(revision) {
            ContentBlock::Text(TextContent { text, extras: None, .. }) => {
                out.extend_from_slice(br#"{"type":"text","text":"#);
                escape::string(out, text);
                out.push(b'}');
            }
            block => json::append(out, block, OUTER + 2)?,
        }
    }
    out.push(b']');
    Ok(())
}

/// Appends structured content; a value that is no object goes into one, for a peer that takes objects only: the listed
/// output schema is wrapped alike.
fn structured(out: &mut Vec<u8>, content: &StructuredContent, wraps: bool) -> Result<(), JsonFault> {
    if let Some(fault) = content.fault() {
        return Err(fault.clone());
    }
    let (before, after): (&[u8], &[u8]) = if wraps { (br#"{"result":"#, b"}") } else { (b"", b"") };
    out.extend_from_slice(br#","structuredContent":"#);
    out.extend_from_slice(before);
    out.extend_from_slice(content.get().as_bytes());
    out.extend_from_slice(after);
    Ok(())
}

/// Appends `_meta`: what the result has, and in the modern era who the server is. A result does not say the latter: one
/// that comes from another server would name that.
fn meta(out: &mut Vec<u8>, own: Option<&Map<String, Value>>, form: &Form<'_>) -> Result<(), JsonFault> {
    const MEMBER: &[u8] = br#","_meta":"#;
    let is_modern = form.revision.is_modern();
    let Some(own) = own else {
        if is_modern {
            out.extend_from_slice(MEMBER);
            out.extend_from_slice(form.server_meta.get().as_bytes());
        }
        return Ok(());
    };
    let mut meta = own.clone();
    meta.shift_remove(meta::SERVER_INFO);
    if is_modern && let Ok(Value::Object(server)) = serde_json::from_str(form.server_meta.get()) {
        meta.extend(server);
    }
    out.extend_from_slice(MEMBER);
    json::append(out, &meta, OUTER + 1)
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use toolwright_core::revision::Revision;

    use super::{error, error_code, result};
    use crate::error::{invalid_params, parse};
    use crate::message::RequestId;

    #[test]
    fn the_code_of_an_error_is_found_again_and_results_have_none() {
        for text in ["1", "-5", r#""""#, r#""\\""#, r#""\\\"""#, r#""a,\"error\":{\"code\":1,""#] {
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
