//! `cargo mcp graph`: workflow graphs.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Run, run, scratch};

/// Runs `cargo mcp graph` with `args` on a file with `workflow`.
fn graph(args: &[&str], workflow: &str) -> Run {
    let folder = scratch();
    fs::write(folder.path().join("wf.json"), workflow).unwrap();
    run(folder.path(), &[&["graph"], args, &["wf.json"]].concat())
}

/// The workflow that the documentation shows.
fn documented() -> String {
    let page = include_str!("../../../docs/gateway.md");
    let (_, section) = page.split_once("\n## Workflows\n").unwrap();
    let (_, rest) = section.split_once("```json\n").unwrap();
    rest.split_once("```").unwrap().0.to_owned()
}

#[test]
fn the_documented_workflow_is_planned_and_compiled() {
    let plan = graph(&["plan"], &documented()).ok().document();
    assert_eq!(plan["nodes"]["abuseipdb"]["action"], "register");
    assert_eq!(plan["nodes"]["agent"]["action"], "run");
    let compiled = graph(&["compile"], &documented()).ok().document();
    assert_eq!(compiled["nodes"]["agent"]["connectedToolNodeIds"], json!(["abuseipdb"]));
}

#[test]
fn flags_select_the_agents() {
    let workflow = r#"{"nodes": [{"id": "x", "type": "acme.planner"}, {"id": "y", "type": "bot.z"}, {"id": "z", "type": "core.ai.agent"}]}"#;
    let flags = ["compile", "--agent-type", "acme.planner", "--agent-prefix", "bot."];
    let nodes = graph(&flags, workflow).ok().document()["nodes"].take();
    let lists = ["x", "y", "z"].map(|id| nodes[id].get("connectedToolNodeIds").cloned());
    assert_eq!(lists, [Some(json!([])), Some(json!([])), None]);
}

#[test]
fn a_bad_graph_ends_with_two_and_names_the_edge() {
    let workflow = r#"{"nodes": [{"id": "agent", "type": "core.ai.agent"}, {"id": "step", "type": "x"}], "edges": [
        {"source": "step", "target": "agent", "targetHandle": "tools"},
        {"source": "gone", "target": "agent", "targetHandle": "tools"}]}"#;
    for command in ["plan", "compile"] {
        let run = graph(&[command], workflow).ended(2);
        assert_eq!(run.stdout, "");
        run.says(&[
            "edges[0] from `step` to `agent` (input `tools`): the node `step` is not a tool",
            "edges[1] from `gone` to `agent` (input `tools`): there is no node `gone`",
        ]);
        let told = graph(&[command, "--json"], workflow).ended(2).document();
        // In the order in which they are found: edges to unknown nodes first.
        let edges: Vec<_> =
            told["problems"].as_array().unwrap().iter().map(|p| &p["edge"]["index"]).collect();
        assert_eq!(edges, [1, 0]);
        assert_eq!(told["problems"][1]["problem"], "notATool");
        assert_eq!(told["leftOut"], 0);
    }
}

#[test]
fn invalid_workflows_are_distinguished_from_bad_json() {
    graph(&["plan"], r#"{"nodes": [{"id": "x"}]}"#)
        .ended(2)
        .says(&["is not a workflow", "missing field `type`"]);
    graph(&["plan"], "{").ended(6).says(&["wf.json is not valid JSON"]);
    let deep = format!(r#"{{"nodes": [], "x": {}"#, "[".repeat(1_000_000));
    graph(&["plan"], &deep).ended(6).says(&["recursion limit"]);
}

#[test]
fn schemas_are_printed_and_fit_what_is_printed() {
    let folder = scratch();
    let schema = |of: &str| run(folder.path(), &["graph", "schema", "--of", of]).ok().document();
    let workflow: Value = serde_json::from_str(&documented()).unwrap();
    let plan = graph(&["plan"], &documented()).document();
    let compiled = graph(&["compile"], &documented()).document();
    for (of, document) in [("workflow", workflow), ("plan", plan), ("compiled", compiled)] {
        assert!(jsonschema::is_valid(&schema(of), &document), "{of}");
    }
    assert_eq!(run(folder.path(), &["graph", "schema"]).document(), schema("workflow"));
}
