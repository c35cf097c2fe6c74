//! Prompts, resources and templates in formats that support them, and in those that do not.

use serde_json::json;
use toolwright_core::manifest::Manifest;

use super::{exported, json_of, losses, of, rules, with};
use crate::export::Format;
use crate::packages::Document;

/// A server with one tool, two prompts, a resource and a template.
fn with_every_list() -> Document {
    let mut document = json!(with(&json!({"a": {"type": "string"}})).manifest);
    document["prompts"] = json!([{"name": "review"}, {"name": "translate"}]);
    document["resources"] = json!([{"uri": "shop://terms", "name": "terms"}]);
    document["resourceTemplates"] = json!([{"uriTemplate": "shop://orders/{id}", "name": "order"}]);
    of(Manifest::from_json(&document.to_string()).unwrap())
}

#[test]
fn tool_only_formats_report_what_they_omit() {
    let expected = [
        "/prompts: the format only supports tools, so 2 prompts are omitted",
        "/resources: the format only supports tools, so 1 resource is omitted",
        "/resourceTemplates: the format only supports tools, so 1 resource template is omitted",
    ];
    for format in [
        Format::Jsonl,
        Format::Openai,
        Format::OpenaiStrict,
        Format::Anthropic,
        Format::Gemini,
        Format::Openapi,
        Format::Typescript,
    ] {
        assert_eq!(losses(with_every_list(), format), expected, "{format:?}");
        assert!(!exported(with_every_list(), format).text.contains("review"), "{format:?}");
    }
    for format in [Format::Markdown, Format::Html] {
        assert_eq!(losses(with_every_list(), format), Vec::<String>::new(), "{format:?}");
        assert!(exported(with_every_list(), format).text.contains("shop://orders/"), "{format:?}");
    }
}

/// `prompts_generated` (<https://github.com/modelcontextprotocol/mcpb/blob/main/MANIFEST.md>).
#[test]
fn a_bundle_says_that_its_server_has_prompts() {
    let bundle = json_of(with_every_list(), Format::Mcpb);
    rules::mcpb(&bundle);
    assert_eq!(bundle["prompts_generated"], true);
    let without = json_of(with(&json!({"a": {"type": "string"}})), Format::Mcpb);
    assert_eq!(without.get("prompts_generated"), None);
}
