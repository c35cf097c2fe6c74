//! Results of other servers that are forwarded as text, for clients of each revision.

use std::sync::Arc;

use serde_json::{Value, json};
use test_protocol::raw::RawClient;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Provider, Revision, Server, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, RawResult, ToolRequest},
};

use crate::providers::{ASKED, Tool, client, form, raw, rpc_error, service};

/// A result of 2025-11-25 or 2026-07-28 with what no type here has a place for.
const FOREIGN: &str = r#"{
    "content": [{"type": "text", "text": "a", "size": 12345678901234567890123, "blob": {"x": 1.10}}],
    "isError": false, "com.example/new": [1e2],
    "_meta": {"com.example/own": 5, "io.modelcontextprotocol/serverInfo": {"name": "upstream", "version": "9"}}
}"#;

#[tokio::test]
async fn raw_results_are_forwarded_unparsed() {
    for upstream in [Revision::V2025_11_25, Revision::V2026_07_28] {
        let service = service(match upstream {
            Revision::V2025_11_25 => |_, _| RawResult::new(Revision::V2025_11_25, raw(FOREIGN)).into(),
            _ => |_, _| RawResult::new(Revision::V2026_07_28, raw(FOREIGN)).into(),
        });
        for revision in Revision::ALL {
            let client = client(&service, revision).await;
            let result = client.request("tools/call", json!({"name": "tool"})).await.expect("a result");
            assert_eq!(result["content"][0]["text"], "a");
            assert_eq!(result["com.example/new"], json!([100.0]), "{revision}");
            assert_eq!(result["isError"], false);
            let is_modern = revision == Revision::V2026_07_28;
            assert_eq!(result.get("resultType"), is_modern.then(|| json!("complete")).as_ref());
            let mut meta = json!({"com.example/own": 5});
            if is_modern {
                meta["io.modelcontextprotocol/serverInfo"] = json!({"name": "front", "version": "1"});
            }
            assert_eq!(result["_meta"], meta);
        }
    }
}

#[tokio::test]
async fn an_unreadable_raw_result_is_an_error() {
    let cases: [(Tool, &str); 5] = [
        (|_, _| RawResult::new(Revision::NEWEST, raw("[1]")).into(), "not an object"),
        (|_, _| RawResult::new(Revision::NEWEST, raw(r#"{"content":[],"content":[]}"#)).into(), "cannot"),
        (|_, _| RawResult::new(Revision::NEWEST, raw(r#"{"content":[],"x":"\ud800"}"#)).into(), "cannot"),
        (
            |_, _| RawResult::new(Revision::NEWEST, raw(r#"{"resultType":"task","taskId":"7"}"#)).into(),
            "task",
        ),
        (
            |_, _| {
                let requests = r#"{"resultType":"input_required","inputRequests":{"a":1}}"#;
                RawResult::new(Revision::NEWEST, raw(requests)).into()
            },
            "no method",
        ),
    ];
    for (tool, why) in cases {
        let service = service(tool);
        for revision in Revision::ALL {
            let error = rpc_error(&client(&service, revision).await).await;
            assert!(error.code == -32603 && error.message.contains(why), "{revision} {why}: {error}");
        }
    }
}

#[tokio::test]
async fn a_raw_result_that_asks_for_input_keeps_the_upstream_state() {
    let service = service(|request, _| match request.input {
        None => {
            let requests = json!({
                "resultType": "input_required",
                "requestState": "theirs",
                "inputRequests": {"a": form("one")},
            });
            RawResult::new(Revision::V2026_07_28, raw(&requests.to_string())).into()
        }
        Some(input) => ToolResult::text(format!("{:?} {}", input.state, input.responses["a"])).into(),
    });
    for revision in ASKED {
        let result = client(&service, revision).await.call("tool", json!({})).await.expect("a result");
        let text = result.as_text();
        assert!(text.starts_with("Some(\"theirs\") ") && text.contains("accept"), "{revision}: {text}");
    }
}

#[tokio::test]
async fn raw_results_are_validated_against_the_output_schema() {
    struct Promising;

    impl Provider for Promising {
        fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
            let output =
                json!({"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]});
            let definition = ToolDefinition::new("tool", json!({"type": "object"}));
            [definition.output_schema(output)].into()
        }

        fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
            let json = request.arguments.expect("arguments").to_owned();
            Outcome::from_future(async { RawResult::new(Revision::NEWEST, json) })
        }
    }

    let service = Server::new(()).provider(Promising).build().expect("right");
    let client = RawClient::in_process(&service);
    for (result, fits) in [
        (json!({"content": [], "structuredContent": {"n": 1}}), true),
        (json!({"content": [], "structuredContent": {"n": "one"}}), false),
        (json!({"content": []}), false),
        (json!({"content": [], "isError": true}), true),
    ] {
        let answer = client.call("tool", result.clone()).await.expect("a result");
        let is_kept = !answer.as_text().contains("invalid result");
        assert_eq!(is_kept, fits, "{result}: {answer:?}");
    }
}

/// 2025-11-25, schema `CallToolResult`: structured content is an object.
#[tokio::test]
async fn structured_content_of_raw_results_fits_the_revision() {
    struct Structured(Option<Value>, &'static str);

    impl Provider for Structured {
        fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
            let mut definition = ToolDefinition::new("tool", json!({"type": "object"}));
            if let Some(output) = &self.0 {
                definition = definition.output_schema(output.clone());
            }
            [definition].into()
        }

        fn call_tool<'a>(&'a self, _request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
            let json = raw(&format!(r#"{{"content":[],"structuredContent":{}}}"#, self.1));
            Outcome::from_future(async { RawResult::new(Revision::NEWEST, json) })
        }
    }

    for (output, content, is_wrapped) in [
        (None, "[1]", true),
        (None, r#"{"a":1}"#, false),
        (Some(json!({"type": "array"})), "[1]", true),
        (Some(json!({"type": "object"})), r#"{"a":1}"#, false),
        // The listed schema is wrapped.
        (Some(json!({"type": ["array", "object"]})), r#"{"a":1}"#, true),
    ] {
        let service = Server::new(()).provider(Structured(output, content)).build().expect("right");
        let content: Value = serde_json::from_str(content).expect("JSON");
        for revision in Revision::ALL {
            let client = client(&service, revision).await;
            let result = client.request("tools/call", json!({"name": "tool"})).await.expect("a result");
            let expected = match revision {
                _ if !revision.has_structured_content() => None,
                Revision::V2026_07_28 => Some(content.clone()),
                _ if is_wrapped => Some(json!({"result": content})),
                _ => Some(content.clone()),
            };
            assert_eq!(result.get("structuredContent"), expected.as_ref(), "{revision}: {content}");
        }
    }
}
