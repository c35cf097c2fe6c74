//! Tests of each reply in both eras.

use std::sync::Arc;

use serde_json::value::to_raw_value;
use serde_json::{Value, json};
use toolwright_core::content::ContentBlock;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::{PromptMessage, PromptResult};
use toolwright_core::resource::{CacheScope, ResourceContents, ResourceResult};
use toolwright_core::result::ToolResult;

use super::*;
use crate::context::Context;
use crate::input_requests::KnownRequest;
use crate::tool::{Run, Started};

/// A tool that is never run.
#[derive(Debug)]
struct Idle;

impl Run for Idle {
    fn start(&self, _arguments: Option<&RawValue>, _cx: &Context) -> Started {
        Started::Ready(ToolResult::text("").into())
    }
}

fn raw(value: &Value) -> Box<RawValue> {
    to_raw_value(value).expect("JSON")
}

/// Returns the response to request 7, and its kind.
fn written(reply: &Reply, revision: Revision) -> (Value, AnswerKind) {
    let server_meta = raw(&json!({"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}}));
    let mut out = b"before".to_vec();
    let kind = reply.write(&mut out, &RequestId::from(7), &Form { revision, server_meta: &server_meta });
    let text = std::str::from_utf8(&out).expect("UTF-8").strip_prefix("before").expect("it is appended");
    assert!(!text.contains('\n'), "one line: {text}");
    (serde_json::from_str(text).expect("JSON"), kind)
}

/// Checks the result of a reply in the newest legacy revision and in the newest revision.
///
/// Modern results additionally have the server's identity and, unless `modern` has another one, the type "complete".
#[track_caller]
fn check(reply: &Reply, legacy: &Value, modern: &Value) {
    let (message, kind) = written(reply, Revision::NEWEST_LEGACY);
    assert_eq!(message, json!({"jsonrpc": "2.0", "id": 7, "result": legacy}));
    assert_eq!(kind, AnswerKind::Result);
    let mut expected = json!({
        "resultType": "complete",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "s", "version": "1"}},
    });
    let members = modern.as_object().expect("an object").clone();
    expected.as_object_mut().expect("an object").extend(members);
    let (message, kind) = written(reply, Revision::NEWEST);
    assert_eq!(message, json!({"jsonrpc": "2.0", "id": 7, "result": expected}));
    assert_eq!(kind, AnswerKind::Result);
}

#[test]
fn results_have_the_form_of_the_era() {
    let tool = ToolEntry::new(ToolDefinition::new("t", json!({"type": "object"})), &[], Box::new(Idle));
    let text = json!([{"type": "text", "text": "done"}]);
    let result = json!({"content": text, "isError": false});
    check(&Reply::Tool(Arc::new(tool), ToolResult::text("done")), &result, &result);

    let prompt = PromptResult::new([PromptMessage::user(ContentBlock::text("hi"))]);
    let result = json!({"messages": [{"role": "user", "content": {"type": "text", "text": "hi"}}]});
    check(&Reply::Prompt(prompt), &result, &result);

    check(&Reply::Done, &json!({}), &json!({}));
}

#[test]
fn cache_hints_are_modern_and_private_if_needed() {
    let resource = || {
        let contents = [ResourceContents::text("a://b", "c")];
        ResourceResult::new(contents).keep(std::time::Duration::from_secs(1), CacheScope::Public)
    };
    let contents = json!([{"uri": "a://b", "text": "c"}]);
    for (is_private, scope) in [(false, "public"), (true, "private")] {
        let modern = json!({"contents": contents, "ttlMs": 1000, "cacheScope": scope});
        check(&Reply::Resource(resource(), is_private), &json!({"contents": contents}), &modern);
    }
}

#[test]
fn input_requests_have_their_state() {
    let requests = vec![("k".to_owned(), KnownRequest::roots())];
    let reply = Reply::InputRequired(requests, "state".to_owned());
    let (message, kind) = written(&reply, Revision::NEWEST);
    assert_eq!(kind, AnswerKind::Result);
    assert_eq!(message["result"]["resultType"], "input_required");
    assert_eq!(message["result"]["inputRequests"], json!({"k": {"method": "roots/list", "params": {}}}));
    assert_eq!(message["result"]["requestState"], "state");
}

#[test]
fn results_of_other_servers_name_this_one() {
    let theirs = json!({
        "resultType": "complete",
        "content": [],
        "unknown": 1,
        "_meta": {"theirs": 2, "io.modelcontextprotocol/serverInfo": {"name": "other"}},
    });
    let reply = Reply::Raw(RawResult::new(Revision::NEWEST, raw(&theirs)), None);
    let (message, _) = written(&reply, Revision::NEWEST_LEGACY);
    assert_eq!(message["result"], json!({"content": [], "unknown": 1, "_meta": {"theirs": 2}}));
    let (message, _) = written(&reply, Revision::NEWEST);
    assert_eq!(message["result"]["unknown"], 1);
    assert_eq!(message["result"]["resultType"], "complete");
    assert_eq!(message["result"]["_meta"]["theirs"], 2);
    assert_eq!(message["result"]["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "s");

    let no_object = Reply::Raw(RawResult::new(Revision::NEWEST, raw(&json!([1]))), None);
    for revision in [Revision::NEWEST_LEGACY, Revision::NEWEST] {
        let (message, kind) = written(&no_object, revision);
        assert_eq!(kind, AnswerKind::Error { code: -32603, has_id: true });
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(7), &json!(-32603)), "{message}");
        assert_eq!(message.get("result"), None, "there is no result");
    }
}

#[test]
fn errors_are_the_same_in_both_eras() {
    let reply = Reply::Error(error::invalid_params("no"));
    for revision in [Revision::NEWEST_LEGACY, Revision::NEWEST] {
        let (message, kind) = written(&reply, revision);
        assert_eq!(kind, AnswerKind::Error { code: -32602, has_id: true });
        assert_eq!((&message["id"], &message["error"]["code"]), (&json!(7), &json!(-32602)), "{message}");
    }
}
