//! Tests of the current format.

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;

use super::super::*;

/// A written example of each kind.
fn examples() -> Vec<String> {
    let schema = json!({"type": "object", "properties": {"a": {"type": "integer"}}, "required": ["a"]});
    [
        json!({"tool_type": "COMMAND", "schema_version": "1.0", "name": "get_order", "description": "Finds it.",
            "parameter_schema": schema, "server": "shop", "definition": {"title": "Order", "outputSchema": {"type": "object"}}}),
        json!({"tool_type": "WORKFLOW", "schema_version": "1.0", "name": "report", "description": "",
            "parameter_schema": {}, "workflow": {"base64": "AAEC"},
            "input_ports": [{"name": "in", "description": "", "type": "table", "spec": "x"}],
            "output_ports": [], "message_output_port_index": -1}),
        json!({"tool_type": "MCP", "schema_version": "1.0", "name": "add", "description": "Adds.", "parameter_schema": schema,
            "server_uri": "http://127.0.0.1:1/mcp", "tool_name": "a.d d", "input_schema": {}, "output_type": "string",
            "credential_ref": "calc"}),
        json!({"tool_type": "HTTP", "schema_version": "1.0", "name": "weather", "description": "", "parameter_schema": {},
            "url": "https://api.example/{city}", "method": "GET"}),
    ]
    .iter()
    .map(Value::to_string)
    .collect()
}

#[test]
fn each_kind_round_trips() {
    for (text, kind) in examples().iter().zip(ToolType::ALL) {
        let value = ToolValue::from_json(text).unwrap();
        assert_eq!(value.tool_type(), kind.as_str());
        assert_eq!(&value.to_json(), text);
        let value: ToolValue = serde_json::from_str(text).unwrap();
        assert_eq!(serde_json::to_string(&value).unwrap(), *text, "through serde as well");
    }
}

#[test]
fn only_valid_records_match_the_schema() {
    let schema = ToolValue::json_schema();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for text in examples() {
        let record: Value = serde_json::from_str(&text).unwrap();
        let problems: Vec<String> = validator.iter_errors(&record).map(|error| error.to_string()).collect();
        assert!(problems.is_empty(), "{text}: {problems:?}");
    }
    for wrong in [
        json!({"tool_type": "MCP", "schema_version": "1.0", "name": "a", "parameter_schema": {}, "server_uri": "u"}),
        json!({"tool_type": "HTTP", "schema_version": "1.0", "name": "a", "parameter_schema": [], "url": "u"}),
    ] {
        assert!(!validator.is_valid(&wrong), "{wrong}");
    }
}

/// The version is checked before anything else: 1.9 may add members, 2.0 may change their meaning.
#[test]
fn newer_minor_versions_are_read_but_not_major_ones() {
    let record = |version: &str, more: &str| {
        format!(
            r#"{{"tool_type":"MCP","schema_version":"{version}","name":"add","description":"","parameter_schema":{{}},"server_uri":"u","tool_name":"add"{more}}}"#
        )
    };
    let (plain, newer) = (record("1.0", ""), record("1.9", r#","timeout_ms":{"call":[1,2.5]},"x":null"#));
    for text in [&plain, &newer] {
        assert_eq!(&ToolValue::from_json(text).unwrap().to_json(), text, "unknown members are kept");
    }
    let error = ToolValue::from_json(r#"{"tool_type":"MCP","schema_version":"2.0","name":7}"#).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("version 2.0") && text.contains("writes 1.0"), "{text}");
    assert!(matches!(error, ValueError::UnreadableVersion { .. }));
    for version in ["0.9", "1", "1.0.0", "01.0", "1.00", "+1.0", "one", "", "4294967296.0", " 1.0"] {
        ToolValue::from_json(&record(version, "")).expect_err(version);
    }
    let missing = plain.replace(r#""schema_version":"1.0","#, "");
    assert!(matches!(ToolValue::from_json(&missing), Err(ValueError::NoVersion)));
    let number = plain.replace(r#""1.0""#, "1.0");
    assert!(matches!(ToolValue::from_json(&number), Err(ValueError::VersionNotString)));
    let number = plain.replace(r#""1.0""#, "2.0");
    assert!(matches!(ToolValue::from_json(&number), Err(ValueError::UnreadableVersion { .. })));
}

#[test]
fn unknown_kinds_are_preserved_byte_for_byte() {
    let text = r#"{ "name":"a\u200b",  "tool_type": "GRPC","n": 1.10e2, "n": 0.1000000000000000000001 , "schema_version":"7.3" }"#;
    let twice = ToolValue::from_json(text).unwrap_err();
    assert!(matches!(twice, ValueError::Duplicate { .. }), "duplicate members are ambiguous");
    let text = text.replacen("\"n\"", "\"m\"", 1);
    let value = ToolValue::from_json(&format!("  {text}\r\n")).unwrap();
    assert_eq!(value.to_json(), text);
    assert_eq!((value.tool_type(), value.name().as_deref()), ("GRPC", Some("a\u{200b}")));
    assert!(value.definition().is_none());
    let ToolValue::Other(other) = &value else { panic!("{value:?}") };
    assert_eq!(other.text("schema_version").as_deref(), Some("7.3"));
    assert_eq!(ToolValue::from_json(r#"{"tool_type":"mcp"}"#).unwrap().tool_type(), "mcp");
}

#[test]
fn errors_name_what_is_wrong_with_a_record() {
    let with = |member: &str| {
        format!(
            r#"{{"tool_type":"WORKFLOW","schema_version":"1.0","name":"r","parameter_schema":{{}},{member}}}"#
        )
    };
    for (text, part) in [
        ("7".to_owned(), "not a JSON object"),
        ("[]".to_owned(), "not a JSON object"),
        ("{".to_owned(), "not valid JSON"),
        ("{}".to_owned(), "neither `tool_type`"),
        (r#"{"tool_type": null}"#.to_owned(), "`tool_type` is not a string"),
        (
            r#"{"tool_type":"MCP","tool_type":"HTTP"}"#.to_owned(),
            r#""tool_type" appears twice in the record"#,
        ),
        (
            r#"{"tool_type":"MCP","schema_version":"1.0","name":"a"}"#.to_owned(),
            "missing field `parameter_schema`",
        ),
        (with(r#""message_output_port_index":2.5"#), "the WORKFLOW record is incomplete or invalid"),
        (with(r#""workflow":{"base64":"A"}"#), "not standard base64"),
        (with(r#""workflow":{"path":"a","sha256":"AB"}"#), "64 lowercase hexadecimal digits"),
        (with(r#""workflow":{"base64":"","path":"a"}"#), "a reference must have"),
        (with(r#""input_ports":{}"#), "WORKFLOW record"),
    ] {
        let error = ToolValue::from_json(&text).expect_err(&text).to_string();
        assert!(error.contains(part), "{text}: {error}");
    }
}

#[test]
fn only_workflows_may_contain_one() {
    for kind in [ToolType::Command, ToolType::Mcp, ToolType::Http] {
        let record = json!({"tool_type": kind, "schema_version": "1.0", "name": "a", "parameter_schema": {},
            "server_uri": "u", "tool_name": "a", "url": "u", "workflow": {"base64": "AAEC"}});
        let error = ToolValue::from_json(&record.to_string()).unwrap_err();
        assert!(matches!(error, ValueError::Blob { kind: found, .. } if found == kind), "{error}");
    }
    for blob in [
        BlobRef::inline(&[0, 1, 2]),
        BlobRef::File { path: "flows/report.knwf".to_owned(), sha256: "0a".repeat(32) },
        BlobRef::Keys { keys: vec!["k1".to_owned(), "k2".to_owned()] },
    ] {
        let tool = WorkflowTool { workflow: Some(blob), ..WorkflowTool::new("r", "") };
        let value = ToolValue::from(tool);
        assert_eq!(ToolValue::from_json(&value.to_json()).unwrap(), value);
    }
}

#[test]
fn no_ports_differ_from_unspecified_ports() {
    let none = ToolValue::from(WorkflowTool::new("r", ""));
    let empty = ToolValue::from(WorkflowTool { input_ports: Some(Vec::new()), ..WorkflowTool::new("r", "") });
    assert_ne!(none.to_json(), empty.to_json());
    for value in [none, empty] {
        assert_eq!(ToolValue::from_json(&value.to_json()).unwrap(), value);
    }
    let null =
        ToolValue::from(WorkflowTool { message_output_port_index: None, ..WorkflowTool::new("r", "") });
    assert!(null.to_json().contains(r#""message_output_port_index":null"#));
    assert_eq!(ToolValue::from_json(&null.to_json()).unwrap(), null);
}

fn listed() -> ToolDefinition {
    serde_json::from_value(json!({
        "name": "find", "title": "Find", "description": "Finds things.",
        "icons": [{"src": "https://example.com/i.png"}],
        "inputSchema": {"type": "object", "properties": {"q": {"type": "string"}}},
        "annotations": {"readOnlyHint": true},
        "_meta": {"io.toolwright/tags": ["search"]},
        "server_uri": "https://evil.example", "tool_type": "HTTP", "credential_ref": "root",
    }))
    .unwrap()
}

/// Title, icons and tags are preserved, and a server cannot overwrite record members by listing members with the
/// same names.
#[test]
fn definitions_round_trip() {
    let definition = listed();
    for value in [
        ToolValue::from(McpTool::from_definition("https://good.example/mcp", &definition)),
        ToolValue::from(CommandTool::from_definition(Some("shop"), &definition)),
    ] {
        let value = ToolValue::from_json(&value.to_json()).unwrap();
        assert_eq!(value.definition().as_ref(), Some(&definition));
        if let ToolValue::Mcp(tool) = value {
            assert_eq!(
                (tool.server_uri.as_str(), tool.tool_name.as_str()),
                ("https://good.example/mcp", "find")
            );
            assert_eq!(tool.credential_ref, None);
        }
    }
}

#[test]
fn a_definition_has_an_object_at_its_root() {
    let tool = HttpTool::new("ping", HttpMethod::Get, "https://example.com/ping");
    let definition = ToolValue::from(tool).definition().unwrap();
    assert_eq!(definition.input_schema, json!({"type": "object"}));
    assert_eq!(definition.description, None);
    // The other members of a server's definition may have any type.
    let mut tool = McpTool::new("a", "u", "a");
    tool.definition.insert("icons".to_owned(), json!("none"));
    tool.definition.insert("name".to_owned(), json!("b"));
    assert_eq!(ToolValue::from(tool).definition().unwrap().name, "a");
}
