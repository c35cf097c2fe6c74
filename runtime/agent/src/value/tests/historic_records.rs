//! Tests of the older formats. The positional records are those of a workflow program's data types
//! (knime/knime-python, `knime/types/tool.py`, in three versions).

use serde_json::json;

use super::super::*;
use super::{codec, read};

/// What every older workflow below converts to.
fn workflow(place: Option<BlobRef>, index: i32) -> ToolValue {
    let port = |name: &str, spec: Option<&str>| ToolPort {
        name: name.to_owned(),
        description: "Rows.".to_owned(),
        kind: "table".to_owned(),
        spec: spec.map(str::to_owned),
    };
    let mut tool = WorkflowTool::new("report", "Writes it.");
    tool.parameter_schema.insert("type".to_owned(), "object".into());
    tool.workflow = place;
    tool.input_ports = Some(vec![port("in", None)]);
    tool.output_ports = Some(vec![port("out", Some("s"))]);
    tool.message_output_port_index = Some(index);
    tool.into()
}

#[test]
fn older_workflows_can_be_read() {
    let (input, output) = (
        json!([{"0": "in", "1": "Rows.", "2": "table", "3": null}]),
        json!([{"0": "out", "1": "Rows.", "2": "table", "3": "s"}]),
    );
    let schema = r#"{"type":"object"}"#;
    let bytes = Some(BlobRef::inline(&[0, 1, 2]));
    let named = json!([{"name": "in", "description": "Rows.", "type": "table", "spec": null}]);
    let named_output = json!([{"name": "out", "description": "Rows.", "type": "table", "spec": "s"}]);
    for (record, expected) in [
        (
            json!({"0": "report", "1": "Writes it.", "2": schema, "3": "AAEC", "4": input, "5": output}),
            workflow(bytes.clone(), -1),
        ),
        (
            json!({"0": "report", "1": "Writes it.", "2": schema, "3": "AAEC", "4": input.to_string(), "5": output.to_string(), "6": 0}),
            workflow(bytes.clone(), 0),
        ),
        (
            json!({"0": "report", "1": "Writes it.", "2": schema, "3": input, "4": output, "5": 2}),
            workflow(None, 2),
        ),
        (
            json!({"0": ["k1"], "1": {"0": "report", "1": "Writes it.", "2": schema, "3": input, "4": output, "5": 1}}),
            workflow(Some(BlobRef::Keys { keys: vec!["k1".to_owned()] }), 1),
        ),
        (
            json!({"name": "report", "description": "Writes it.", "parameter_schema": {"type": "object"},
                "_filestore_keys": "k1", "input_ports": named, "output_ports": named_output, "message_output_port_index": 1}),
            workflow(Some(BlobRef::Keys { keys: vec!["k1".to_owned()] }), 1),
        ),
        (
            json!({"name": "report", "description": "Writes it.", "parameter_schema": schema, "tool_bytes": "AAEC",
                "input_ports": input, "output_ports": output}),
            workflow(bytes, -1),
        ),
    ] {
        let text = record.to_string();
        assert_eq!(ToolCodec::detect(&text).unwrap().name(), WORKFLOW_ONLY, "{text}");
        assert_eq!(read(&text).unwrap(), expected, "{text}");
    }
    let short = read(r#"{"0":"report","1":null,"2":null,"3":null}"#).unwrap();
    assert_eq!(short.name().as_deref(), Some("report"));
}

#[test]
fn older_mcp_tools_can_be_read() {
    let mut expected = McpTool::new("add", "http://127.0.0.1:1/sse", "plus");
    expected.description = "Adds.".to_owned();
    expected.parameter_schema.insert("type".to_owned(), "object".into());
    let without = ToolValue::from(expected.clone());
    expected.input_schema = Some(expected.parameter_schema.clone());
    expected.output_type = Some("string".to_owned());
    let with = ToolValue::from(expected);
    let schema = r#"{"type":"object"}"#;
    for (record, expected) in [
        (
            json!({"0": "add", "1": "Adds.", "2": schema, "3": "http://127.0.0.1:1/sse", "4": "plus"}),
            &without,
        ),
        (
            json!({"0": "add", "1": "Adds.", "2": schema, "3": "http://127.0.0.1:1/sse", "4": "plus", "5": null, "6": null}),
            &without,
        ),
        (
            json!({"0": "add", "1": "Adds.", "2": schema, "3": "http://127.0.0.1:1/sse", "4": "plus", "5": schema, "6": "string"}),
            &with,
        ),
        (
            json!({"name": "add", "description": "Adds.", "parameter_schema": {"type": "object"},
                "server_uri": "http://127.0.0.1:1/sse", "tool_name": "plus", "input_schema": schema, "output_type": "string"}),
            &with,
        ),
    ] {
        let text = record.to_string();
        assert_eq!(ToolCodec::detect(&text).unwrap().name(), MCP_ONLY, "{text}");
        assert_eq!(&read(&text).unwrap(), expected, "{text}");
    }
    let blob = r#"{"name":"add","server_uri":"u","tool_name":"add","tool_bytes":"AAEC"}"#;
    assert!(matches!(read(blob), Err(ValueError::Blob { .. })));
}

#[test]
fn older_formats_cannot_be_written() {
    let value = read(r#"{"name":"add","server_uri":"u","tool_name":"add"}"#).unwrap();
    for name in [WORKFLOW_ONLY, MCP_ONLY] {
        let error = codec(name).encode(&value).unwrap_err();
        assert_eq!(error.to_string(), format!("{name} can be read, but no longer written; write tagged/1"));
        assert!(codec(name).is_deprecated() && !codec(name).writes());
    }
    assert_eq!(ToolCodec::detect(&value.to_json()).unwrap().name(), TAGGED);
    assert!(ToolCodec::detect(&codec(FLAT).encode(&value).unwrap().text).unwrap().name() == FLAT);
}

#[test]
fn one_codec_is_the_default() {
    let default: Vec<_> = ToolCodec::all().iter().filter(|codec| codec.is_default()).collect();
    assert_eq!(default, [&ToolCodec::default()]);
    for codec in ToolCodec::all() {
        assert_eq!(ToolCodec::find(codec.name()), Some(codec));
        assert_eq!(codec.is_deprecated(), !codec.writes());
    }
    assert_eq!(ToolCodec::find("tagged/2"), None);
}

#[test]
fn records_with_a_tool_type_are_not_older_ones() {
    for kind in ["null", r#""MCP""#] {
        let text = format!(r#"{{"name":"a","server_uri":"u","tool_name":"a","tool_type":{kind}}}"#);
        for name in [WORKFLOW_ONLY, MCP_ONLY] {
            let error = codec(name).decode(&text).unwrap_err();
            assert!(matches!(error, ValueError::UnknownField { .. }), "{error}");
        }
    }
}

/// A record that was read can be written and read again, so it must not have a member that the current format rejects.
#[test]
fn older_mcp_tools_must_not_have_a_workflow() {
    let record = |workflow: &str| {
        format!(r#"{{"name": "a", "server_uri": "u", "tool_name": "t", "workflow": {workflow}}}"#)
    };
    let error = read(&record(r#"{"keys": ["k"]}"#)).unwrap_err().to_string();
    assert_eq!(
        error,
        "the MCP record has a workflow, which only WORKFLOW records may have; remove `workflow`"
    );
    let value = read(&record("null")).unwrap();
    assert_eq!(ToolValue::from_json(&value.to_json()).unwrap(), value);
}

#[test]
fn records_in_no_known_format_are_rejected() {
    for text in ["{}", r#"{"name":"a"}"#, r#"{"0":"a"}"#, r#"{"inputSchema":{},"name":"a"}"#] {
        assert!(matches!(read(text), Err(ValueError::Unknown)), "{text}");
    }
    for text in [
        r#"{"0":"r","1":"d","2":"{}","3":null,"x":1}"#,
        r#"{"0":"r","1":"d","2":"{}","3":7}"#,
        r#"{"0":7,"1":"d","2":"{}","3":null}"#,
        r#"{"name":"a","input_ports":7}"#,
        r#"{"name":"a","server_uri":"u"}"#,
    ] {
        read(text).expect_err(text);
    }
}
