//! The flat record, for exchange with programs that store tools in columns: twelve numbered fields for both of the
//! kinds that it supports. The fields of the other kind are empty.
//!
//! | field | WORKFLOW | MCP |
//! |---|---|---|
//! | `"0"` | `"WORKFLOW"` | `"MCP"` |
//! | `"1"` | name | name |
//! | `"2"` | description | description |
//! | `"3"` | parameter schema, as a JSON string | the same |
//! | `"4"` | location of the workflow | null |
//! | `"5"`, `"6"` | input ports, output ports, as JSON strings; null if there are none | null |
//! | `"7"` | index of the message port; -1 if none | -1 |
//! | `"8"` | null | address of the server |
//! | `"9"` | null | name of the tool on its server |
//! | `"10"` | null | the server's schema, as a JSON string; null if there is none or it is empty |
//! | `"11"` | null | type of the output; null if unknown |
//!
//! A port is an object of four fields: name, description, type, spec. When reading, an empty schema becomes `{}`,
//! missing ports become none, and a missing index becomes -1.
//! ports mean none, a missing index is -1.

use serde_json::{Map, Value, json};

use super::ToolValue;
use super::codec::{EncodedRecord, FLAT};
use super::error::ValueError;
use super::kinds::{McpTool, ToolType, WorkflowTool};
use super::positional::Fields;
use super::tagged::Members;
use super::version::SchemaVersion;
use super::workflow::{BlobRef, ToolPort, fields_of_port, ports};

/// The fields that only MCP tools use.
const OF_MCP: [&str; 4] = ["8", "9", "10", "11"];
const OF_WORKFLOW: [&str; 2] = ["5", "6"];

pub(super) fn read(text: &str) -> Result<ToolValue, ValueError> {
    let members = Members::of(text)?;
    let is_field =
        |name: &str| name.parse::<u8>().is_ok_and(|number| number < 12 && number.to_string() == name);
    // If there are several, always report the same one.
    if let Some(field) = members.names().filter(|name| !is_field(name)).min() {
        return Err(ValueError::UnknownField { field: field.to_owned(), form: FLAT });
    }
    let mut fields = Fields::new(serde_json::from_str(text).map_err(ValueError::NotJson)?);
    let tool_type = fields.text("0", "tool type")?;
    match ToolType::from_name(&tool_type) {
        Some(ToolType::Workflow) => workflow(&mut fields).map(ToolValue::Workflow),
        Some(ToolType::Mcp) => mcp(&mut fields).map(ToolValue::Mcp),
        Some(ToolType::Command | ToolType::Http) | None => Err(unknown_type(&tool_type)),
    }
}

fn unknown_type(found: &str) -> ValueError {
    ValueError::UnknownType { found: found.to_owned(), form: FLAT, known: "WORKFLOW and MCP" }
}

fn workflow(fields: &mut Fields) -> Result<WorkflowTool, ValueError> {
    for field in OF_MCP {
        refuse(fields, field, ToolType::Workflow)?;
    }
    let workflow = fields.take("4").map(BlobRef::from_flat).transpose();
    Ok(WorkflowTool {
        parameter_schema: fields.schema("3")?.unwrap_or_default(),
        workflow: workflow
            .map_err(|what| ValueError::Field { field: "4", what: format!("it is not {what}") })?,
        input_ports: Some(ports("5", fields.take("5"))?),
        output_ports: Some(ports("6", fields.take("6"))?),
        message_output_port_index: fields.index("7")?,
        ..WorkflowTool::new(
            fields.text("1", "name")?,
            fields.optional_text("2", "description")?.unwrap_or_default(),
        )
    })
}

fn mcp(fields: &mut Fields) -> Result<McpTool, ValueError> {
    if fields.take("4").is_some() {
        return Err(ValueError::Blob { kind: ToolType::Mcp, place: "field \"4\"" });
    }
    for field in OF_WORKFLOW {
        refuse(fields, field, ToolType::Mcp)?;
    }
    if fields.index("7")?.is_some_and(|index| index != super::NO_PORT) {
        return Err(ValueError::Field { field: "7", what: "it must be -1 in MCP tools".to_owned() });
    }
    let name = fields.text("1", "name")?;
    let server_uri = fields.text("8", "address of the server")?;
    let tool_name = fields.text("9", "name of the tool on its server")?;
    Ok(McpTool {
        description: fields.optional_text("2", "description")?.unwrap_or_default(),
        parameter_schema: fields.schema("3")?.unwrap_or_default(),
        input_schema: fields.schema("10")?,
        output_type: fields.optional_text("11", "type of the output")?,
        ..McpTool::new(name, server_uri, tool_name)
    })
}

/// Rejects a field that belongs to the other kind.
fn refuse(fields: &mut Fields, field: &'static str, kind: ToolType) -> Result<(), ValueError> {
    match fields.take(field) {
        None => Ok(()),
        Some(_) => Err(ValueError::Field { field, what: format!("it must be null in {kind} tools") }),
    }
}

pub(super) fn write(value: &ToolValue) -> Result<EncodedRecord, ValueError> {
    match value {
        ToolValue::Workflow(tool) => Ok(write_workflow(tool)),
        ToolValue::Mcp(tool) => Ok(write_mcp(tool)),
        ToolValue::Command(_) | ToolValue::Http(_) | ToolValue::Other(_) => {
            Err(unknown_type(value.tool_type()))
        }
    }
}

fn write_workflow(tool: &WorkflowTool) -> EncodedRecord {
    let ports = |ports: &Option<Vec<ToolPort>>| match ports.as_deref() {
        None | Some([]) => Value::Null,
        Some(ports) => ports.iter().map(fields_of_port).collect::<Value>().to_string().into(),
    };
    let record = json!({
        "0": "WORKFLOW",
        "1": tool.name,
        "2": tool.description,
        "3": text_of(&tool.parameter_schema),
        "4": tool.workflow.as_ref().map(BlobRef::to_flat),
        "5": ports(&tool.input_ports),
        "6": ports(&tool.output_ports),
        "7": tool.message_output_port_index,
        "8": null,
        "9": null,
        "10": null,
        "11": null,
    });
    let mut lost = lost_version(tool.version);
    lost.extend(tool.other.keys().cloned());
    EncodedRecord { text: record.to_string(), lost }
}

fn write_mcp(tool: &McpTool) -> EncodedRecord {
    let record = json!({
        "0": "MCP",
        "1": tool.name,
        "2": tool.description,
        "3": text_of(&tool.parameter_schema),
        "4": null,
        "5": null,
        "6": null,
        "7": super::NO_PORT,
        "8": tool.server_uri,
        "9": tool.tool_name,
        "10": tool.input_schema.as_ref().filter(|schema| !schema.is_empty()).map(text_of),
        "11": tool.output_type,
    });
    let mut lost = lost_version(tool.version);
    if tool.credential_ref.is_some() {
        lost.push("credential_ref".to_owned());
    }
    if !tool.definition.is_empty() {
        lost.push("definition".to_owned());
    }
    lost.extend(tool.other.keys().cloned());
    EncodedRecord { text: record.to_string(), lost }
}

/// The format has no field for the version: records read from it get the current one.
fn lost_version(version: SchemaVersion) -> Vec<String> {
    if version == SchemaVersion::CURRENT { Vec::new() } else { vec!["schema_version".to_owned()] }
}

fn text_of(schema: &Map<String, Value>) -> String {
    json!(schema).to_string()
}
