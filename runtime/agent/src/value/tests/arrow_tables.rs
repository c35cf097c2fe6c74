//! Tests of collections in Arrow tables.

use std::io::Cursor;
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StructBuilder};
use arrow_array::{
    ArrayRef, BinaryArray, Int64Array, LargeStringArray, RecordBatch, StringArray, StructArray,
};
use arrow_schema::{DataType, Field, Fields, Schema};

use super::super::arrow::{ArrowToolError, Layout, from_batch, read_file, to_batch, write_file};
use super::super::*;

const MIXED: &str = r#"{"tool_type":"COMMAND","schema_version":"1.0","name":"c","description":"","parameter_schema":{}}
null
{"tool_type":"WORKFLOW","schema_version":"1.0","name":"w","description":"W.","parameter_schema":{},"workflow":{"keys":["[k","{"]},"input_ports":[{"name":"in","description":"","type":"table"}],"output_ports":[],"message_output_port_index":0}
{"tool_type":"GRPC",  "n": 1.50}
{"tool_type":"MCP","schema_version":"1.9","name":"m","description":"","parameter_schema":{"type":"object"},"server_uri":"u","tool_name":"t","more":[1]}
"#;

/// A collection that the flat record can express.
fn of_flat() -> ToolCollection {
    let lines: Vec<&str> =
        MIXED.lines().filter(|line| line.contains("WORKFLOW") || line.contains("MCP")).collect();
    ToolCollection::from_jsonl(&lines.join("\n").replace(",\"more\":[1]", "").replace("1.9", "1.0"))
}

fn through_a_file(tools: &ToolCollection, layout: Layout) -> ToolCollection {
    let mut file = Vec::new();
    write_file(tools, layout, &mut file).unwrap();
    read_file("tools.arrow", Cursor::new(file), ReadLimits::default()).unwrap()
}

#[test]
fn records_round_trip_for_every_kind() {
    let tools = ToolCollection::from_jsonl(MIXED);
    let batch = to_batch(&tools, Layout::Records).unwrap();
    assert_eq!((batch.num_rows(), batch.num_columns()), (4, 4));
    for read in
        [from_batch("", &batch, ReadLimits::default()).unwrap(), through_a_file(&tools, Layout::Records)]
    {
        assert_eq!(read.to_jsonl(), tools.to_jsonl());
        assert!(read.problems().is_empty());
    }
}

#[test]
fn structs_round_trip_for_workflows_and_mcp_tools() {
    let tools = of_flat();
    let read = through_a_file(&tools, Layout::Flat);
    assert_eq!(read.to_jsonl(), tools.to_jsonl());
    assert!(read.entries().iter().all(|entry| entry.codec.name() == FLAT));
    let Err(ArrowToolError::Tool(problem)) = to_batch(&ToolCollection::from_jsonl(MIXED), Layout::Flat)
    else {
        panic!("the flat record does not support commands");
    };
    assert!(problem.to_string().contains(r#"unknown tool type "COMMAND""#), "{problem}");
    for layout in [Layout::Records, Layout::Flat] {
        assert_eq!(through_a_file(&ToolCollection::default(), layout).entries().len(), 0);
    }
}

fn batch(name: &str, array: ArrayRef) -> RecordBatch {
    let field = Field::new(name, array.data_type().clone(), true);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![array]).unwrap()
}

#[test]
fn null_rows_are_skipped_and_invalid_rows_reported() {
    let record = r#"{"tool_type":"GRPC"}"#;
    let column = LargeStringArray::from(vec![None, Some(record), Some("7"), Some("null"), Some(record)]);
    let tools = from_batch("t", &batch("record", Arc::new(column)), ReadLimits::default()).unwrap();
    assert_eq!((tools.entries().len(), tools.nulls()), (2, 1));
    assert_eq!(tools.entries()[1].place.to_string(), "t:5");
    let told: Vec<String> = tools.problems().iter().map(ToString::to_string).collect();
    assert_eq!(told, ["t:3: the record is not a JSON object", "t:4: the record is not a JSON object"]);
    let limits = ReadLimits { records: 1, line_bytes: 10, ..ReadLimits::default() };
    let tools =
        from_batch("t", &batch("record", Arc::new(StringArray::from(vec![record; 3]))), limits).unwrap();
    assert_eq!((tools.entries().len(), tools.problems().len()), (0, 3), "each is too long");
    let limits = ReadLimits { records: 1, ..ReadLimits::default() };
    let tools =
        from_batch("t", &batch("record", Arc::new(StringArray::from(vec![record; 3]))), limits).unwrap();
    assert_eq!((tools.entries().len(), tools.problems().len()), (1, 1), "the others are not read");
}

/// The column of a workflow program: numbered fields, bytes, and lists of structs as ports.
#[test]
fn columns_of_an_older_program_can_be_read() {
    let port_fields = Fields::from(
        (0..4).map(|number| Field::new(number.to_string(), DataType::Utf8, true)).collect::<Vec<_>>(),
    );
    let mut ports = ListBuilder::new(StructBuilder::from_fields(port_fields, 1));
    for text in [Some("in"), Some("Rows."), Some("table"), None].into_iter().enumerate() {
        let builder = ports.values().field_builder::<StringBuilder>(text.0).unwrap();
        builder.append_option(text.1);
    }
    ports.values().append(true);
    ports.append(true);
    let ports: ArrayRef = Arc::new(ports.finish());
    let text = |text: &str| Arc::new(StringArray::from(vec![text])) as ArrayRef;
    let columns: Vec<ArrayRef> = vec![
        text("report"),
        text("Writes it."),
        text("{}"),
        Arc::new(BinaryArray::from(vec![&[0_u8, 1, 2][..]])),
        ports.clone(),
        ports,
        Arc::new(Int64Array::from(vec![1])),
    ];
    let fields: Vec<Field> = columns
        .iter()
        .enumerate()
        .map(|(number, column)| Field::new(number.to_string(), column.data_type().clone(), true))
        .collect();
    let column = StructArray::try_new(fields.into(), columns, None).unwrap();
    let tools = from_batch("t", &batch("anything", Arc::new(column)), ReadLimits::default()).unwrap();
    assert_eq!(tools.entries()[0].codec.name(), WORKFLOW_ONLY, "{:?}", tools.problems());
    assert_eq!(
        tools.to_jsonl(),
        r#"{"tool_type":"WORKFLOW","schema_version":"1.0","name":"report","description":"Writes it.","parameter_schema":{},"workflow":{"base64":"AAEC"},"input_ports":[{"name":"in","description":"Rows.","type":"table"}],"output_ports":[{"name":"in","description":"Rows.","type":"table"}],"message_output_port_index":1}
"#
    );
}

#[test]
fn tables_without_tools_are_rejected() {
    let table = batch("record", Arc::new(Int64Array::from(vec![1])));
    let error = from_batch("t", &table, ReadLimits::default()).unwrap_err().to_string();
    assert!(error.ends_with("the columns are record (Int64)"), "{error}");
    let column = StructArray::try_new(
        vec![Field::new("0", DataType::Float64, true)].into(),
        vec![Arc::new(arrow_array::Float64Array::from(vec![1.0]))],
        None,
    );
    let tools = from_batch("t", &batch("tool", Arc::new(column.unwrap())), ReadLimits::default()).unwrap();
    assert_eq!(
        tools.problems()[0].to_string(),
        "t:1: the row contains the type Float64, which records do not support"
    );
}

/// Files state their own lengths. Corrupt ones neither panic nor cause large allocations.
#[test]
fn corrupt_files_are_rejected() {
    let mut file = Vec::new();
    write_file(&of_flat(), Layout::Flat, &mut file).unwrap();
    let read = |bytes: Vec<u8>| read_file("t", Cursor::new(bytes), ReadLimits::default());
    assert!(read(file.clone()).is_ok());
    for length in [0, 5, 9, 10, 64, file.len() / 2, file.len() - 1] {
        assert!(read(file[..length].to_vec()).is_err(), "{length}");
    }
    // Otherwise the library's panics would fill standard error.
    std::panic::set_hook(Box::new(|_| {}));
    for at in 0..file.len() {
        for flip in [0x01, 0x80, 0xff] {
            let mut damaged = file.clone();
            damaged[at] ^= flip;
            _ = read(damaged);
        }
    }
    _ = std::panic::take_hook();
    let limits = ReadLimits { total_bytes: file.len() - 1, ..ReadLimits::default() };
    assert!(matches!(read_file("t", Cursor::new(file), limits), Err(ArrowToolError::Large { .. })));
}
