//! Two older record formats, from before all kinds shared one: for workflows only, and for MCP tools only. They can be
//! read, but are written only in the current format.
//!
//! Both exist with named and with numbered members. Named members are those of the current format, without `tool_type`;
//! a workflow's file store keys are `_filestore_keys`, and its bytes `tool_bytes`. Numbered members are:
//!
//! | record | fields |
//! |---|---|
//! | workflow | name, description, schema, bytes, input ports, output ports, index of the message port; the last three may be missing |
//! | workflow in a file store | `"0"`: the keys, `"1"`: name, description, schema, input ports, output ports, index of the message port |
//! | MCP tool | name, description, schema, address of the server, name on the server, the server's schema, type of the output; the last two may be missing |

use serde_json::{Map, Value};

use super::ToolValue;
use super::codec::{MCP_ONLY, WORKFLOW_ONLY};
use super::error::ValueError;
use super::kinds::{McpTool, WorkflowTool};
use super::positional::Fields;
use super::tagged::Members;
use super::workflow::{BlobRef, ports};

/// An older format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Older {
    Workflow,
    Mcp,
}

/// Detects the format of a record without `tool_type` by its members.
pub(super) fn detect(members: &Members<'_>) -> Option<Older> {
    let any = |names: &[&str]| names.iter().any(|name| members.has(name));
    if members.has("name") {
        return if any(&["server_uri", "tool_name"]) {
            Some(Older::Mcp)
        } else if any(&NAMED_OF_WORKFLOW) {
            Some(Older::Workflow)
        } else {
            None
        };
    }
    let is_text = |field: &str| members.value(field).is_some_and(|value| value.is_string());
    let is_number = |field: &str| members.value(field).is_some_and(|value| value.is_number());
    if members.value("1").is_some_and(|value| value.is_object()) {
        return Some(Older::Workflow);
    }
    if !(any(&["0"]) && any(&["2"]) && any(&["3"])) {
        return None;
    }
    // The name on the server is the only string that is not a list of ports.
    let has_server =
        is_text("3") && is_text("4") && !is_list(members, "4") && !is_number("6") && !is_list(members, "5");
    Some(if has_server { Older::Mcp } else { Older::Workflow })
}

/// Members that identify a named workflow.
const NAMED_OF_WORKFLOW: [&str; 6] =
    ["message_output_port_index", "input_ports", "output_ports", "_filestore_keys", "tool_bytes", "workflow"];

fn is_list(members: &Members<'_>, field: &str) -> bool {
    match members.value(field) {
        Some(Value::Array(_)) => true,
        Some(Value::String(text)) => text.trim_start().starts_with('['),
        _ => false,
    }
}

pub(super) fn read_workflow(text: &str) -> Result<ToolValue, ValueError> {
    let members = without_kind(text, WORKFLOW_ONLY)?;
    let all: Map<String, Value> = serde_json::from_str(text).map_err(ValueError::NotJson)?;
    let tool = if members.has("name") {
        named_workflow(all)?
    } else if let Some(Value::Object(inner)) = all.get("1") {
        only(&members, 2, WORKFLOW_ONLY)?;
        let mut tool = ported_workflow(&mut Fields::new(inner.clone()))?;
        tool.workflow =
            all.get("0").filter(|keys| !keys.is_null()).map(|keys| blob("0", keys)).transpose()?;
        tool
    } else if is_list(&members, "3") && !members.has("6") {
        only(&members, 6, WORKFLOW_ONLY)?;
        ported_workflow(&mut Fields::new(all))?
    } else {
        only(&members, 7, WORKFLOW_ONLY)?;
        let mut fields = Fields::new(all);
        WorkflowTool {
            workflow: fields.take("3").map(|bytes| blob("3", &bytes)).transpose()?,
            input_ports: Some(ports("4", fields.take("4"))?),
            output_ports: Some(ports("5", fields.take("5"))?),
            message_output_port_index: fields.index("6")?,
            ..head(&mut fields)?
        }
    };
    Ok(ToolValue::Workflow(tool))
}

/// The members of a record without `tool_type`, which the older formats lack.
fn without_kind<'a>(text: &'a str, form: &'static str) -> Result<Members<'a>, ValueError> {
    let members = Members::of(text)?;
    if members.has("tool_type") {
        return Err(ValueError::UnknownField { field: "tool_type".to_owned(), form });
    }
    Ok(members)
}

/// Reads name, description and schema.
fn head(fields: &mut Fields) -> Result<WorkflowTool, ValueError> {
    let name = fields.text("0", "name")?;
    let description = fields.optional_text("1", "description")?.unwrap_or_default();
    let parameter_schema = fields.schema("2")?.unwrap_or_default();
    Ok(WorkflowTool { parameter_schema, ..WorkflowTool::new(name, description) })
}

/// A workflow whose bytes are stored elsewhere.
fn ported_workflow(fields: &mut Fields) -> Result<WorkflowTool, ValueError> {
    Ok(WorkflowTool {
        input_ports: Some(ports("3", fields.take("3"))?),
        output_ports: Some(ports("4", fields.take("4"))?),
        message_output_port_index: fields.index("5")?,
        ..head(fields)?
    })
}

fn named_workflow(mut all: Map<String, Value>) -> Result<WorkflowTool, ValueError> {
    let mut take = |member: &str| all.shift_remove(member).filter(|value| !value.is_null());
    let bytes = take("tool_bytes").map(|bytes| blob("tool_bytes", &bytes));
    let keys = take("_filestore_keys").map(|keys| blob("_filestore_keys", &keys));
    let place = bytes.or(keys).transpose()?;
    let input_ports = take("input_ports").map(|list| ports("input_ports", Some(list))).transpose()?;
    let output_ports = take("output_ports").map(|list| ports("output_ports", Some(list))).transpose()?;
    let mut tool: WorkflowTool = read_members(super::ToolType::Workflow, all)?;
    tool.workflow = tool.workflow.or(place);
    tool.input_ports = input_ports;
    tool.output_ports = output_ports;
    Ok(tool)
}

pub(super) fn read_mcp(text: &str) -> Result<ToolValue, ValueError> {
    let members = without_kind(text, MCP_ONLY)?;
    let all: Map<String, Value> = serde_json::from_str(text).map_err(ValueError::NotJson)?;
    if members.has("name") {
        if NAMED_OF_WORKFLOW.iter().any(|member| all.get(*member).is_some_and(Value::is_string)) {
            return Err(ValueError::Blob { kind: super::ToolType::Mcp, place: "the member with its bytes" });
        }
        if members.has_more_than_null("workflow") {
            return Err(ValueError::Blob { kind: super::ToolType::Mcp, place: "`workflow`" });
        }
        return read_members(super::ToolType::Mcp, all).map(ToolValue::Mcp);
    }
    only(&members, 7, MCP_ONLY)?;
    let mut fields = Fields::new(all);
    let name = fields.text("0", "name")?;
    let server_uri = fields.text("3", "address of the server")?;
    let tool_name = fields.text("4", "name of the tool on its server")?;
    Ok(ToolValue::Mcp(McpTool {
        description: fields.optional_text("1", "description")?.unwrap_or_default(),
        parameter_schema: fields.schema("2")?.unwrap_or_default(),
        input_schema: fields.schema("5")?,
        output_type: fields.optional_text("6", "type of the output")?,
        ..McpTool::new(name, server_uri, tool_name)
    }))
}

/// Reads named members; schemas may be JSON strings.
fn read_members<T: serde::de::DeserializeOwned>(
    kind: super::ToolType,
    mut all: Map<String, Value>,
) -> Result<T, ValueError> {
    for (member, is_required) in [("parameter_schema", true), ("input_schema", false)] {
        let mut one =
            Fields::new(Map::from_iter(all.shift_remove(member).map(|value| (member.to_owned(), value))));
        match one.schema(member)? {
            Some(schema) => drop(all.insert(member.to_owned(), schema.into())),
            None if is_required => drop(all.insert(member.to_owned(), Map::new().into())),
            None => {}
        }
    }
    all.insert("schema_version".to_owned(), super::SchemaVersion::CURRENT.to_string().into());
    serde_json::from_value(Value::Object(all)).map_err(|source| ValueError::Member { kind, source })
}

fn blob(field: &'static str, value: &Value) -> Result<BlobRef, ValueError> {
    BlobRef::from_flat(value.clone())
        .map_err(|what| ValueError::Field { field, what: format!("it is not {what}") })
}

/// Rejects fields beyond the first `count`.
fn only(members: &Members<'_>, count: usize, form: &'static str) -> Result<(), ValueError> {
    let is_field = |name: &str| (0..count).any(|number| number.to_string() == name);
    match members.names().filter(|name| !is_field(name)).min() {
        None => Ok(()),
        Some(field) => Err(ValueError::UnknownField { field: field.to_owned(), form }),
    }
}
