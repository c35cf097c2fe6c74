//! Writes results of tools by hand, since they are the most frequent responses.

use serde_json::{Map, Value};
use toolwright_core::content::{ContentBlock, TextContent};
use toolwright_core::json::{self, JsonFault};
use toolwright_core::protocol::meta;
use toolwright_core::result::{StructuredContent, ToolResult};
use toolwright_core::revision::Revision;

use crate::escape;
use crate::json_rpc::{self, Form, OUTER};

/// Appends the result of a tool. `wraps` is whether the output schema is wrapped for older peers.
///
/// # Errors
/// The part that cannot be sent; the caller has to remove what was appended.
pub(super) fn append(
    out: &mut Vec<u8>,
    tool_result: &ToolResult,
    wraps: bool,
    form: &Form<'_>,
) -> Result<(), JsonFault> {
    let revision = form.revision;
    json_rpc::open_result(out, form);
    out.extend_from_slice(br#""content":"#);
    content(out, &tool_result.content, revision)?;
    // Revisions before 2025-06-18 have no structured content, and those before 2026-07-28 allow only objects
    // (2025-11-25, schema `CallToolResult`). The schema does not apply to errors, so they are not wrapped.
    if let Some(content) = &tool_result.structured_content
        && revision.has_structured_content()
    {
        let follows_schema = wraps && !tool_result.is_error;
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
    out.push(b'}');
    Ok(())
}

/// Appends content blocks in the form of one revision. Text, which may be long, is written here: `serde_json` handles
/// it byte by byte.
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

/// Appends structured content. For a peer that supports only objects, other values are wrapped in one, like the listed
/// output schema.
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

/// Appends `_meta`: the result's own and, in the modern era, the server's identity. A result cannot set the latter: one
/// from another server would name that server.
fn meta(out: &mut Vec<u8>, own: Option<&Map<String, Value>>, form: &Form<'_>) -> Result<(), JsonFault> {
    const MEMBER: &[u8] = br#","_meta":"#;
    let names_server = form.revision.has_result_meta();
    let Some(own) = own else {
        if names_server {
            out.extend_from_slice(MEMBER);
            out.extend_from_slice(form.server_meta.get().as_bytes());
        }
        return Ok(());
    };
    let mut meta = own.clone();
    meta.shift_remove(meta::SERVER_INFO);
    if names_server && let Ok(Value::Object(server)) = serde_json::from_str(form.server_meta.get()) {
        meta.extend(server);
    }
    out.extend_from_slice(MEMBER);
    json::append(out, &meta, OUTER + 1)
}
