//! Tests of the flat record: nulls, -1, and unsupported members.

use serde_json::{Value, json};

use super::super::*;
use super::codec;

/// Builds a record of twelve fields from pairs; the others are null.
fn record(fields: &Value) -> String {
    let mut all = json!({"0": null, "1": null, "2": null, "3": null, "4": null, "5": null, "6": null, "7": null,
        "8": null, "9": null, "10": null, "11": null});
    for (field, value) in fields.as_object().unwrap() {
        all[field] = value.clone();
    }
    all.to_string()
}

fn mcp() -> Value {
    json!({"0": "MCP", "1": "add", "2": "Adds.", "3": "{}", "7": -1, "8": "http://127.0.0.1:1/sse", "9": "add"})
}

#[test]
fn each_kind_leaves_the_other_kinds_fields_empty() {
    let workflow = json!({
        "0": "WORKFLOW", "1": "report", "2": "Writes it.", "3": r#"{"type":"object"}"#, "4": "AAEC",
        "5": r#"[{"0":"in","1":"Rows.","2":"table","3":null}]"#, "7": 0,
    });
    let whole = json!({
        "0": "MCP", "1": "add", "2": "Adds.", "3": r#"{"type":"object"}"#, "7": -1, "8": "http://127.0.0.1:1/sse",
        "9": "plus", "10": r#"{"type":"object"}"#, "11": "string",
    });
    for text in [record(&mcp()), record(&workflow), record(&whole)] {
        let value = codec(FLAT).decode(&text).unwrap();
        let written = codec(FLAT).encode(&value).unwrap();
        assert_eq!((written.text, written.lost.len()), (text, 0));
    }
}

#[test]
fn missing_fields_have_defaults() {
    let value = codec(FLAT).decode(r#"{"0": "WORKFLOW", "1": "r", "3": ""}"#).unwrap();
    let ToolValue::Workflow(tool) = value else { panic!("{value:?}") };
    assert_eq!(tool.parameter_schema.len(), 0);
    assert_eq!((tool.input_ports, tool.output_ports), (Some(Vec::new()), Some(Vec::new())));
    assert_eq!((tool.workflow, tool.message_output_port_index), (None, Some(-1)));
    let value = codec(FLAT).decode(&record(&json!({"0": "WORKFLOW", "1": "r"}))).unwrap();
    let ToolValue::Workflow(tool) = &value else { panic!("{value:?}") };
    assert_eq!(tool.message_output_port_index, None, "null is not the same as missing");
    assert_eq!(
        codec(FLAT).encode(&value).unwrap().text,
        record(&json!({"0": "WORKFLOW", "1": "r", "2": "", "3": "{}"}))
    );
}

#[test]
fn an_empty_schema_and_empty_ports_become_null() {
    let tool =
        WorkflowTool { input_ports: Some(Vec::new()), output_ports: None, ..WorkflowTool::new("r", "") };
    let expected = record(&json!({"0": "WORKFLOW", "1": "r", "2": "", "3": "{}", "7": -1}));
    assert_eq!(codec(FLAT).encode(&tool.into()).unwrap().text, expected);
    let tool = McpTool { input_schema: Some(serde_json::Map::new()), ..McpTool::new("add", "u", "add") };
    let text = codec(FLAT).encode(&tool.into()).unwrap().text;
    assert_eq!(serde_json::from_str::<Value>(&text).unwrap()["10"], Value::Null);
}

#[test]
fn members_without_a_field_are_reported() {
    let mut tool = McpTool::new("add", "u", "add");
    tool.credential_ref = Some("calc".to_owned());
    tool.definition.insert("title".to_owned(), "Add".into());
    tool.other.insert("timeout".to_owned(), 7.into());
    assert_eq!(codec(FLAT).encode(&tool.into()).unwrap().lost, ["credential_ref", "definition", "timeout"]);
    for record in [
        r#"{"tool_type":"WORKFLOW","schema_version":"1.9","name":"a","parameter_schema":{}}"#,
        r#"{"tool_type":"MCP","schema_version":"1.9","name":"a","parameter_schema":{},"server_uri":"u","tool_name":"t"}"#,
    ] {
        let newer = ToolValue::from_json(record).unwrap();
        assert_eq!(codec(FLAT).encode(&newer).unwrap().lost, ["schema_version"]);
    }
    let command = ToolValue::from_json(
        r#"{"tool_type":"COMMAND","schema_version":"1.0","name":"a","parameter_schema":{}}"#,
    );
    let other = ToolValue::from_json(r#"{"tool_type":"GRPC"}"#);
    for value in [command.unwrap(), other.unwrap()] {
        let error = codec(FLAT).encode(&value).unwrap_err().to_string();
        assert!(error.contains(&format!("unknown tool type {:?}", value.tool_type())), "{error}");
    }
}

#[test]
fn invalid_fields_are_reported_by_name() {
    let with = |field: &str, value: Value| {
        let mut fields = mcp();
        fields[field] = value;
        record(&fields)
    };
    for (text, part) in [
        (with("0", json!("GRPC")), r#"unknown tool type "GRPC"; flat/1 supports WORKFLOW and MCP"#),
        (with("0", json!("COMMAND")), r#"unknown tool type "COMMAND""#),
        (with("0", json!(1)), r#"field "0": the tool type is not a string"#),
        (with("0", Value::Null), r#"field "0": the tool type is missing"#),
        (with("1", Value::Null), r#"field "1": the name is missing"#),
        (with("3", json!("{")), r#"field "3": the schema is not valid JSON"#),
        (with("3", json!("[]")), r#"field "3": the schema is not a JSON object"#),
        (with("3", json!("[".repeat(120) + &"]".repeat(120))), "more than 100 levels"),
        (with("4", json!("AAEC")), "the MCP record has a workflow"),
        (with("5", json!("[]")), r#"field "5": it must be null in MCP tools"#),
        (with("7", json!(0)), r#"field "7": it must be -1 in MCP tools"#),
        (with("7", json!(1.5)), r#"field "7""#),
        (with("7", json!(4_294_967_296_u64)), r#"field "7""#),
        (with("8", Value::Null), r#"field "8": the address of the server is missing"#),
        (with("12", json!(1)), r#"a field "12""#),
        (with("07", json!(1)), r#"a field "07""#),
        (
            record(&json!({"0": "WORKFLOW", "1": "r", "8": "u"})),
            r#"field "8": it must be null in WORKFLOW tools"#,
        ),
        (record(&json!({"0": "WORKFLOW", "1": "r", "4": 7})), r#"field "4": it is not a string"#),
        (record(&json!({"0": "WORKFLOW", "1": "r", "5": "{}"})), r#"field "5": it must be a list of ports"#),
        (record(&json!({"0": "WORKFLOW", "1": "r", "5": r#"[{"0":"in"}]"#})), "a type in field"),
        (r#"{"0":"MCP","0":"WORKFLOW"}"#.to_owned(), "twice"),
    ] {
        let error = codec(FLAT).decode(&text).expect_err(&text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn the_location_of_a_workflow_round_trips() {
    for place in [
        json!("AAEC"),
        json!(""),
        json!("filestore/17"),
        json!(["a", "b"]),
        json!(["AAEC"]),
        json!({"path": "a.knwf", "sha256": "0f".repeat(32)}),
    ] {
        let text = record(&json!({"0": "WORKFLOW", "1": "r", "2": "", "3": "{}", "4": place, "7": -1}));
        let value = codec(FLAT).decode(&text).unwrap();
        let tagged = ToolValue::from_json(&value.to_json()).unwrap();
        assert_eq!(codec(FLAT).encode(&tagged).unwrap().text, text);
    }
}
