//! Properties: nothing panics, and what is written can be read.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::super::*;
use super::codec;

/// Generates JSON with member names that records use.
fn any_json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        Just(json!(-1)),
        prop::sample::select(vec![
            "MCP", "WORKFLOW", "COMMAND", "HTTP", "GRPC", "", "[]", "{}", "1.0", "2.0", "[{}]"
        ])
        .prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 64, 8, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
            prop::collection::vec((member(), inner), 0..13)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

fn member() -> impl Strategy<Value = String> {
    let known = [
        "0",
        "1",
        "2",
        "3",
        "4",
        "5",
        "6",
        "7",
        "8",
        "9",
        "10",
        "11",
        "12",
        "tool_type",
        "schema_version",
        "name",
        "description",
        "parameter_schema",
        "server_uri",
        "tool_name",
        "workflow",
        "input_ports",
        "output_ports",
        "message_output_port_index",
        "url",
        "method",
        "definition",
        "_filestore_keys",
        "base64",
        "path",
        "keys",
    ];
    prop_oneof![8 => prop::sample::select(known.to_vec()).prop_map(str::to_owned), 1 => ".{0,6}"]
}

fn schema() -> impl Strategy<Value = Map<String, Value>> {
    prop::collection::vec((member(), any_json()), 0..4).prop_map(Map::from_iter)
}

fn ports() -> impl Strategy<Value = Option<Vec<ToolPort>>> {
    let port = (".{0,8}", ".{0,8}", ".{0,8}", prop::option::of(".{0,8}"))
        .prop_map(|(name, description, kind, spec)| ToolPort { name, description, kind, spec });
    // The flat record writes unspecified ports as an empty list.
    prop::collection::vec(port, 0..3).prop_map(Some)
}

fn place() -> impl Strategy<Value = Option<BlobRef>> {
    let blob = prop_oneof![
        any::<Vec<u8>>().prop_map(|bytes| BlobRef::inline(&bytes)),
        ".{0,12}".prop_map(|path| BlobRef::File { path, sha256: "0f".repeat(32) }),
        prop::collection::vec("[A-Za-z0-9/+=]{0,8}", 0..3).prop_map(|keys| BlobRef::Keys { keys }),
    ];
    prop::option::of(blob)
}

fn workflow() -> impl Strategy<Value = ToolValue> {
    let texts = (".{0,12}", ".{0,12}");
    (texts, schema(), place(), ports(), ports(), prop::option::of(any::<i32>())).prop_map(
        |((name, description), parameter_schema, workflow, input_ports, output_ports, index)| {
            WorkflowTool {
                parameter_schema,
                workflow,
                input_ports,
                output_ports,
                message_output_port_index: index,
                ..WorkflowTool::new(name, description)
            }
            .into()
        },
    )
}

fn mcp() -> impl Strategy<Value = ToolValue> {
    let texts = (".{0,12}", ".{0,12}", ".{0,12}", ".{0,12}");
    // The flat record does not distinguish an empty server schema from a missing one.
    let own = prop::option::of(schema()).prop_map(|schema| schema.filter(|schema| !schema.is_empty()));
    (texts, schema(), own, prop::option::of(".{0,12}")).prop_map(
        |((name, description, server_uri, tool_name), parameter_schema, input_schema, output_type)| {
            McpTool {
                description,
                parameter_schema,
                input_schema,
                output_type,
                ..McpTool::new(name, server_uri, tool_name)
            }
            .into()
        },
    )
}

proptest! {
    #[test]
    fn any_json_is_read_or_rejected(value in any_json()) {
        let text = value.to_string();
        for codec in ToolCodec::all() {
            if let Ok(value) = codec.decode(&text) {
                let written = value.to_json();
                let again = ToolValue::from_json(&written);
                prop_assert!(again.is_ok(), "{} became {written}, which is {:?}", text, again);
                prop_assert_eq!(again.unwrap().to_json(), written);
                _ = (value.name(), value.definition());
            }
        }
        _ = ToolCodec::detect(&text);
        _ = ToolCollection::from_jsonl(&text);
    }

    #[test]
    fn any_text_is_read_or_rejected(text in ".{0,64}|\\{\"tool_type\":\"[A-Z]{3,8}\".{0,40}\\}") {
        let tools = ToolCollection::from_jsonl(&text);
        _ = (tools.duplicates(), tools.deprecations(), tools.to_jsonl());
    }

    #[test]
    fn tagged_and_flat_records_are_equivalent(value in prop_oneof![workflow(), mcp()]) {
        prop_assert_eq!(&ToolValue::from_json(&value.to_json()).unwrap(), &value);
        let written = codec(FLAT).encode(&value).unwrap();
        prop_assert!(written.lost.is_empty());
        prop_assert_eq!(ToolCodec::detect(&written.text).unwrap().name(), FLAT);
        let back = codec(FLAT).decode(&written.text).unwrap();
        prop_assert_eq!(&back, &value);
        prop_assert_eq!(codec(FLAT).encode(&back).unwrap(), written);
    }
}
