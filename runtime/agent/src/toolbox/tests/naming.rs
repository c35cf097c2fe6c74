//! Tests of the names for models.

use std::collections::BTreeSet;

use super::*;
use crate::value::{ToolCollection, WorkflowTool};

fn names(values: impl IntoIterator<Item = ToolValue>) -> Vec<String> {
    let (toolbox, _) = toolbox(values);
    toolbox.tools().iter().map(|tool| tool.name().to_owned()).collect()
}

fn fits_every_provider(name: &str) -> bool {
    (1..=64).contains(&name.len())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// Two servers have tools with one name: both are listed, and neither name depends on the order
/// (xorbitsai/xagent#1342).
#[tokio::test]
async fn equal_names_are_made_unique_in_any_order() {
    let values =
        [mcp("search", "repeat:a"), mcp("search", "repeat:b"), WorkflowTool::new("search", "").into()];
    let (forward, _) = toolbox(values.clone());
    let (backward, _) = toolbox(values.into_iter().rev());
    let by_place = |toolbox: &Toolbox| -> BTreeSet<(String, String)> {
        toolbox.tools().iter().map(|tool| (tool.name().to_owned(), tool.value().to_json())).collect()
    };
    assert_eq!(by_place(&forward), by_place(&backward));
    assert_eq!(forward.by_name.len(), 3);
    assert!(forward.tools().iter().all(|tool| fits_every_provider(tool.name())));
    assert_eq!(forward.tools()[0].name(), "search");
    assert_eq!(
        forward.tools()[1].definition().title.as_deref(),
        Some("search"),
        "people see the original name"
    );
    let notes: Vec<String> = forward.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes.len(), 2);
    assert!(
        notes[0].starts_with(r#"another tool has the name "search"; the one of "MCP repeat:b"#),
        "{notes:?}"
    );
    // The server is called by its own name for the tool, byte for byte.
    let message = forward.call(forward.tools()[1].name(), serde_json::json!({})).await;
    assert_eq!(message.text, "search {}");
}

/// Truncated names do not collide (anomalyco/opencode#43684).
#[test]
fn long_names_stay_unique() {
    let long = "enterprise-data-platform__search_customer_records_by_region_and_segment_for_reporting_v";
    let found =
        names([mcp(&format!("{long}1"), "u"), mcp(&format!("{long}2"), "u"), mcp(&"x".repeat(64), "u")]);
    assert_ne!(found[0], found[1]);
    assert!(found.iter().all(|name| fits_every_provider(name)), "{found:?}");
    assert_eq!(found[2], "x".repeat(64));
}

/// No two of these names collide, and none is dropped (openai/codex#8174, anthropics/claude-code#2257).
#[tokio::test]
async fn names_with_other_characters_are_adapted() {
    let odd = [
        "admin.tools.list",
        "admin/tools/list",
        "admin tools list",
        "admin-tools-list",
        "admin:tools:list",
        "管理",
        "Ünï",
        "",
    ];
    let (toolbox, _) = toolbox(odd.map(|name| mcp(name, "repeat:")));
    let public: BTreeSet<&str> = toolbox.tools().iter().map(AgentTool::name).collect();
    assert_eq!(public.len(), odd.len());
    assert!(public.iter().all(|name| fits_every_provider(name)), "{public:?}");
    assert_eq!(toolbox.tools()[3].name(), "admin-tools-list");
    for (tool, odd) in toolbox.tools().iter().zip(odd) {
        assert_eq!(tool.call(serde_json::json!({})).await.text, format!("{odd} {{}}"));
    }
    // Listed names can be called, and no others (Hmbown/Codewhale#5158).
    for other in ["admin.tools.list", "ADMIN-tools-list"] {
        assert!(toolbox.find(other).is_none(), "{other}");
    }
}

#[test]
fn equal_values_are_listed_once() {
    let (toolbox, _) = toolbox([mcp("a", "u"), mcp("a", "u"), mcp("b", "u")]);
    assert_eq!(toolbox.tools().len(), 2);
    assert_eq!(toolbox.notes(), [Note::Repeated { name: "a".to_owned() }]);
}

/// A name that imitates the one another tool would get does not receive its calls.
#[test]
fn an_imitated_name_does_not_receive_calls() {
    let wanted = names([mcp("a", "u1"), mcp("a", "u2")])[1].clone();
    let (toolbox, _) = toolbox([mcp("a", "u1"), mcp("a", "u2"), mcp(&wanted, "evil")]);
    let public: BTreeSet<&str> = toolbox.tools().iter().map(AgentTool::name).collect();
    assert_eq!(public.len(), 3, "{public:?}");
    let evil = toolbox.tools().iter().find(|tool| tool.value().to_json().contains("evil")).unwrap();
    assert_eq!(evil.name(), wanted, "it keeps its name, and the other tool gets another one");
}

#[test]
fn unknown_kinds_are_not_listed() {
    let lines = "{\"tool_type\":\"GRPC\",\"name\":\"stream\"}\n{\"tool_type\":\"QUIC\"}\n";
    let (toolbox, _) = toolbox(ToolCollection::from_jsonl(lines).values().cloned());
    assert!(toolbox.tools().is_empty());
    let notes: Vec<String> = toolbox.notes().iter().map(ToString::to_string).collect();
    assert_eq!(notes[0], r#"the tool "stream" is not listed: its type "GRPC" is not supported"#);
    assert_eq!(notes.len(), 2);
}
