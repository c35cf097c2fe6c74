//! Valid, invalid and hostile graphs.

use serde_json::{Value, json};

use super::*;

/// The graph of an agent with one tool, as editors write it.
fn reputation() -> Value {
    json!({
        "name": "Agent Tool Mode Test",
        "nodes": [
            {"id": "start", "type": "core.workflow.entrypoint", "position": {"x": 0, "y": 0}},
            {"id": "abuseipdb", "type": "security.abuseipdb", "mode": "tool",
                "toolConfig": {"boundInputIds": ["apiKey"], "exposedInputIds": ["ip"]},
                "data": {"config": {"params": {"apiKey": {"secret": "abuseipdb"}}}}},
            {"id": "agent", "type": "core.ai.agent",
                "data": {"label": "Agent", "config": {"params": {"systemPrompt": "Check the IP 8.8.8.8"}}}},
        ],
        "edges": [
            {"source": "start", "target": "abuseipdb"},
            {"source": "abuseipdb", "sourceHandle": "tools", "target": "agent", "targetHandle": "tools"},
        ],
    })
}

fn read(value: Value) -> Workflow {
    serde_json::from_value(value).unwrap()
}

/// A graph of tools `t…` and agents `a…`, with these edges into `tools`.
fn wired(nodes: &[&str], edges: &[(&str, &str)]) -> Workflow {
    let nodes: Vec<_> = nodes
        .iter()
        .map(|id| match id.as_bytes()[0] {
            b'a' => json!({"id": id, "type": "core.ai.agent"}),
            b'u' => json!({"id": id, "type": "core.ui.text", "mode": "tool"}),
            b's' => json!({"id": id, "type": "core.step"}),
            _ => json!({"id": id, "type": "security.scan", "mode": "tool"}),
        })
        .collect();
    let edges: Vec<_> = edges
        .iter()
        .map(|(source, target)| json!({"source": source, "target": target, "targetHandle": "tools"}))
        .collect();
    read(json!({"nodes": nodes, "edges": edges}))
}

fn tools(workflow: &Workflow, node: &str) -> Option<Vec<String>> {
    compile(workflow, &Rules::default()).unwrap().nodes[node].connected_tool_node_ids.clone()
}

/// The problems as text, the same from both functions.
#[track_caller]
fn problems(workflow: &Workflow) -> Vec<String> {
    let error = compile(workflow, &Rules::default()).unwrap_err();
    assert_eq!(plan(workflow, &Rules::default()).unwrap_err(), error);
    error.problems().iter().map(ToString::to_string).collect()
}

#[test]
fn an_agent_gets_the_tools_that_are_wired_to_it() {
    let workflow = read(reputation());
    let compiled = serde_json::to_value(compile(&workflow, &Rules::default()).unwrap()).unwrap();
    assert_eq!(compiled["nodes"]["agent"]["connectedToolNodeIds"], json!(["abuseipdb"]));
    assert_eq!(compiled["nodes"]["abuseipdb"]["mode"], "tool");
    assert_eq!(compiled["nodes"]["abuseipdb"]["toolConfig"]["boundInputIds"], json!(["apiKey"]));
    assert_eq!(compiled["nodes"]["start"].get("connectedToolNodeIds"), None);
    assert_eq!(compiled["order"], json!(["start", "abuseipdb", "agent"]));
}

#[test]
fn a_tool_is_registered_and_never_a_step() {
    let plan = plan(&read(reputation()), &Rules::default()).unwrap();
    let plan = serde_json::to_value(plan).unwrap();
    assert_eq!(plan["nodes"]["abuseipdb"]["action"], "register");
    assert_eq!(plan["nodes"]["abuseipdb"]["toolKind"], "component");
    assert_eq!(plan["nodes"]["abuseipdb"]["activePorts"], json!(["default"]));
    assert_eq!(plan["nodes"]["agent"]["action"], "run");
    assert_eq!(plan["nodes"]["agent"]["agent"], true);
    assert_eq!(plan["nodes"]["start"], json!({"action": "run", "type": "core.workflow.entrypoint"}));
}

#[test]
fn mode_and_inputs_are_read_from_the_config_as_well() {
    let workflow = read(json!({
        "nodes": [
            {"id": "server", "type": "core.mcp.server", "data": {"config": {"mode": "tool", "params": {"image": "x"},
                "toolConfig": {"boundInputIds": ["key"], "exposedInputIds": []}}}},
            {"id": "agent", "type": "core.ai.agent"},
        ],
        "edges": [{"source": "server", "target": "agent", "targetHandle": "tools"}],
    }));
    let server = &plan(&workflow, &Rules::default()).unwrap().nodes["server"];
    assert_eq!((server.action, server.tool_kind), (Action::Register, Some(ToolKind::Local)));
    assert_eq!(server.tool_config.as_ref().unwrap().bound_input_ids, ["key"]);
    let compiled = serde_json::to_value(compile(&workflow, &Rules::default()).unwrap()).unwrap();
    assert_eq!(compiled["nodes"]["server"]["data"], json!({"config": {"params": {"image": "x"}}}));
}

#[test]
fn ids_come_in_the_order_of_the_edges_and_once() {
    let workflow = wired(&["t1", "t2", "t3", "a"], &[("t3", "a"), ("t1", "a"), ("t3", "a"), ("t2", "a")]);
    assert_eq!(tools(&workflow, "a").unwrap(), ["t3", "t1", "t2"]);
}

#[test]
fn each_agent_gets_its_own_tools_and_none_is_empty() {
    let workflow = wired(&["t1", "t2", "a1", "a2", "a3"], &[("t1", "a1"), ("t2", "a2"), ("t1", "a2")]);
    assert_eq!(tools(&workflow, "a1").unwrap(), ["t1"]);
    assert_eq!(tools(&workflow, "a2").unwrap(), ["t2", "t1"]);
    assert_eq!(tools(&workflow, "a3").unwrap(), [""; 0]);
}

#[test]
fn any_node_with_edges_into_tools_gets_them() {
    let workflow = wired(&["t1", "t2", "s"], &[("t1", "s"), ("t2", "t1")]);
    assert_eq!(tools(&workflow, "s").unwrap(), ["t1"]);
    assert_eq!(tools(&workflow, "t1").unwrap(), ["t2"]);
    assert_eq!(tools(&workflow, "t2"), None);
}

#[test]
fn who_is_an_agent_can_be_set() {
    let workflow =
        read(json!({"nodes": [{"id": "x", "type": "acme.planner"}, {"id": "y", "type": "core.ai.agent"}]}));
    let rules = Rules::default().agent_prefixes(["bot."]).agent_type("acme.planner");
    let nodes = compile(&workflow, &rules).unwrap().nodes;
    assert_eq!(nodes["x"].connected_tool_node_ids, Some(vec![]));
    assert_eq!(nodes["y"].connected_tool_node_ids, None);
}

#[test]
fn a_file_cannot_claim_tools_without_edges() {
    let claim = json!(["t"]);
    let workflow = read(json!({
        "nodes": [
            {"id": "t", "type": "scan", "mode": "tool"},
            {"id": "a", "type": "core.ai.agent", "connectedToolNodeIds": claim},
            {"id": "s", "type": "step", "connectedToolNodeIds": claim,
                "data": {"config": {"connectedToolNodeIds": claim}}},
        ],
    }));
    let compiled = serde_json::to_value(compile(&workflow, &Rules::default()).unwrap()).unwrap();
    assert_eq!(compiled["nodes"]["a"]["connectedToolNodeIds"], json!([]));
    assert!(!compiled["nodes"]["s"].to_string().contains("connectedToolNodeIds"), "{compiled}");
}

#[test]
fn bad_edges_are_named() {
    for (workflow, expected) in [
        (wired(&["a"], &[("t9", "a")]), "edges[0] from `t9` to `a` (input `tools`): there is no node `t9`"),
        (wired(&["t"], &[("t", "a9")]), "edges[0] from `t` to `a9` (input `tools`): there is no node `a9`"),
        (
            wired(&["s", "a"], &[("s", "a")]),
            "edges[0] from `s` to `a` (input `tools`): the node `s` is not a tool",
        ),
        (
            wired(&["u", "a"], &[("u", "a")]),
            "edges[0] from `u` to `a` (input `tools`): the node `u` is UI-only",
        ),
        (
            wired(&["t", "u"], &[("t", "u")]),
            "edges[0] from `t` to `u` (input `tools`): the node `u` is UI-only",
        ),
        (
            wired(&["t"], &[("t", "t")]),
            "edges[0] from `t` to `t` (input `tools`): it closes a cycle of 1 nodes",
        ),
    ] {
        let found = problems(&workflow);
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
    }
}

#[test]
fn bad_nodes_are_named() {
    for (nodes, expected) in [
        (
            json!([{"id": "x", "type": "a"}, {"id": "x", "type": "b"}]),
            "nodes[0] and nodes[1] both have the id `x`",
        ),
        (json!([{"id": "", "type": "a"}]), "nodes[0] has an empty id"),
        (
            json!([{"id": "x", "type": "a", "mode": "normal", "data": {"config": {"mode": "tool"}}}]),
            "the node `x` has one mode in `mode` and another in `data.config.mode`",
        ),
        (
            json!([{"id": "x", "type": "a", "toolConfig": {"boundInputIds": ["k"], "exposedInputIds": ["k"]}}]),
            "the input `k` of the node `x` is both bound and exposed",
        ),
    ] {
        let found = problems(&read(json!({"nodes": nodes})));
        assert!(found.len() == 1 && found[0].starts_with(expected), "{found:?}");
    }
}

#[test]
fn a_cycle_is_found_behind_what_hangs_on_it() {
    let edge = |source: &str, target: &str| json!({"source": source, "target": target});
    let nodes: Vec<_> = ["w", "x", "y", "z"].map(|id| json!({"id": id, "type": "step"})).into();
    let edges = [edge("w", "x"), edge("x", "y"), edge("y", "x"), edge("y", "z")];
    let found = problems(&read(json!({"nodes": nodes, "edges": edges})));
    assert_eq!(found.len(), 1);
    assert!(found[0].starts_with("edges[2] from `y` to `x`: it closes a cycle of 2 nodes"), "{found:?}");
}

#[test]
fn all_problems_are_reported_up_to_a_limit() {
    let edges: Vec<_> = (0..MAX_PROBLEMS + 7).map(|_| ("t", "nowhere")).collect();
    let error = compile(&wired(&["t"], &edges), &Rules::default()).unwrap_err();
    assert_eq!((error.problems().len(), error.left_out()), (MAX_PROBLEMS, 7));
    assert!(error.to_string().ends_with("\n  and 7 more"), "{error}");
}

#[test]
fn names_in_messages_are_visible_and_short() {
    let evil = format!("\u{1b}[2J\u{202e}{}", "x".repeat(10_000));
    let workflow = read(json!({"nodes": [], "edges": [{"source": evil, "target": evil, "id": evil}]}));
    for found in problems(&workflow) {
        assert!(found.len() < 1_000 && !found.contains(['\u{1b}', '\u{202e}']), "{found:?}");
    }
}

#[test]
fn too_many_nodes_or_edges_are_refused() {
    let node = Node {
        id: "x".to_owned(),
        kind: "step".to_owned(),
        mode: None,
        tool_config: None,
        connected_tool_node_ids: None,
        data: None,
        rest: serde_json::Map::new(),
    };
    let workflow = Workflow { nodes: vec![node; MAX_NODES + 1], ..Workflow::default() };
    assert_eq!(problems(&workflow), ["100001 nodes are too many, 100000 are allowed; split the workflow"]);
    let edge: Edge = serde_json::from_value(json!({"source": "x", "target": "y"})).unwrap();
    let workflow = Workflow { edges: vec![edge; MAX_EDGES + 1], ..Workflow::default() };
    assert_eq!(problems(&workflow), ["1000001 edges are too many, 1000000 are allowed; split the workflow"]);
}

/// A chain and a star, of a size where a quadratic step would take minutes and recursion would end the process.
#[test]
fn the_largest_graphs_are_compiled() {
    let count = MAX_NODES;
    let chain: Vec<_> = (0..count).map(|at| json!({"id": format!("s{at}"), "type": "step"})).collect();
    let edges: Vec<_> = (1..count)
        .map(|at| json!({"source": format!("s{}", count - at), "target": format!("s{}", count - at - 1)}))
        .collect();
    let compiled = compile(&read(json!({"nodes": chain, "edges": edges})), &Rules::default()).unwrap();
    assert_eq!(compiled.order.first().unwrap(), &format!("s{}", count - 1));

    let names: Vec<String> = (1..count).map(|at| format!("t{at}")).collect();
    let mut nodes: Vec<&str> = names.iter().map(String::as_str).collect();
    let edges: Vec<_> = nodes.iter().map(|tool| (*tool, "a")).collect();
    nodes.push("a");
    assert_eq!(tools(&wired(&nodes, &edges), "a").unwrap(), names);
}

#[test]
fn deep_nesting_is_an_error_and_nothing_worse() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let workflow =
        |depth| format!(r#"{{"nodes": [{{"id": "x", "type": "y", "data": {{"p": {}}}}}]}}"#, deep(depth));
    assert!(serde_json::from_str::<Workflow>(&workflow(100)).is_ok());
    let error = serde_json::from_str::<Workflow>(&workflow(1_000_000)).unwrap_err();
    assert!(error.to_string().contains("recursion limit"), "{error}");
}

#[test]
fn unknown_members_are_kept() {
    let mut value = reputation();
    value["viewport"] = json!({"zoom": 1});
    value["edges"][1]["animated"] = json!(true);
    value["nodes"][1]["toolConfig"]["note"] = json!([1, null]);
    let workflow = read(value.clone());
    assert_eq!(serde_json::to_value(&workflow).unwrap(), value);
    let compiled = serde_json::to_value(compile(&workflow, &Rules::default()).unwrap()).unwrap();
    assert_eq!(compiled["viewport"], json!({"zoom": 1}));
    assert_eq!(compiled["edges"], value["edges"]);
    assert_eq!(compiled["nodes"]["agent"]["data"], value["nodes"][2]["data"]);
    assert_eq!(compiled["nodes"]["start"]["position"], json!({"x": 0, "y": 0}));
}

#[test]
fn null_handles_are_no_handles() {
    let edge = json!({"id": null, "source": "x", "target": "y", "sourceHandle": null, "targetHandle": null});
    assert_eq!(serde_json::from_value::<Edge>(edge).unwrap().target_handle, None);
}

#[test]
fn documents_match_their_schemas() {
    let workflow = read(reputation());
    let compiled = compile(&workflow, &Rules::default()).unwrap();
    let plan = plan(&workflow, &Rules::default()).unwrap();
    for (document, value) in [
        (Document::Workflow, reputation()),
        (Document::Compiled, serde_json::to_value(compiled).unwrap()),
        (Document::Plan, serde_json::to_value(plan).unwrap()),
    ] {
        let validator = jsonschema::validator_for(&schema(document)).unwrap();
        assert!(validator.is_valid(&value), "{document:?}");
        assert!(!validator.is_valid(&json!({"nodes": 1})), "{document:?}");
    }
    let validator = jsonschema::validator_for(&schema(Document::Workflow)).unwrap();
    assert!(!validator.is_valid(&json!({"nodes": [{"id": "x", "type": "y", "mode": "other"}]})));
    assert!(!validator.is_valid(&json!({"nodes": [], "edges": [{"source": "x"}]})));
}

proptest::proptest! {
    /// The definition, as two loops, over any edges.
    #[test]
    fn the_ids_are_the_sources_of_the_edges_in_order(
        edges in proptest::collection::vec((0_usize..8, 0_usize..4), 0..40)
    ) {
        let tools: Vec<String> = (0..8).map(|at| format!("t{at}")).collect();
        let agents: Vec<String> = (0..4).map(|at| format!("a{at}")).collect();
        let nodes: Vec<&str> = tools.iter().chain(&agents).map(String::as_str).collect();
        let wires: Vec<_> = edges.iter().map(|(tool, agent)| (tools[*tool].as_str(), agents[*agent].as_str())).collect();
        let compiled = compile(&wired(&nodes, &wires), &Rules::default()).unwrap();
        for agent in &agents {
            let mut expected: Vec<&str> = Vec::new();
            for (tool, _) in wires.iter().filter(|(_, to)| to == agent) {
                if !expected.contains(tool) {
                    expected.push(tool);
                }
            }
            let given = compiled.nodes[agent].connected_tool_node_ids.as_deref().unwrap();
            proptest::prop_assert_eq!(given, expected);
        }
    }
}
