//! `cargo mcp tool new`.

use std::fmt::Write as _;
use std::fs::File;
use std::io;
use std::path::Path;

use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};
use toolwright_agent::value::{BlobRef, CommandTool, HttpTool, McpTool, ToolValue, WorkflowTool};
use toolwright_core::definition::ToolDefinition;

use super::ToolCommandError;
use super::args::{NewKind, NewToolArgs};
use super::records;
use crate::error::Error;
use crate::exit::Exit;

/// Prints the record.
pub(super) fn run(args: NewToolArgs) -> Result<Exit, Error> {
    let value = match args.kind {
        NewKind::Mcp { common, server_uri, tool_name, input_schema, output_type, credential_ref } => {
            let tool_name = tool_name.unwrap_or_else(|| common.name.clone());
            let input_schema =
                input_schema.map(|schema| parse_object("input-schema", &schema)).transpose()?;
            ToolValue::from(McpTool {
                description: common.description,
                parameter_schema: parse_object("schema", &common.schema)?,
                input_schema,
                output_type,
                credential_ref,
                ..McpTool::new(common.name, server_uri, tool_name)
            })
        }
        NewKind::Workflow { common, workflow, message_output_port_index } => {
            let workflow = workflow.map(|file| reference_file(&file)).transpose()?;
            ToolValue::from(WorkflowTool {
                parameter_schema: parse_object("schema", &common.schema)?,
                workflow,
                message_output_port_index: Some(message_output_port_index),
                ..WorkflowTool::new(common.name, common.description)
            })
        }
        NewKind::Http { common, url, method, credential_ref } => ToolValue::from(HttpTool {
            description: common.description,
            parameter_schema: parse_object("schema", &common.schema)?,
            credential_ref,
            ..HttpTool::new(common.name, method.into(), url)
        }),
        NewKind::Command { common, server } => {
            let schema = parse_object("schema", &common.schema)?;
            let mut definition = ToolDefinition::new(common.name, schema.into());
            definition.description = Some(common.description).filter(|text| !text.is_empty());
            ToolValue::from(CommandTool::from_definition(server.as_deref(), &definition))
        }
    };
    records::print([(&value, value.to_json())])?;
    Ok(Exit::Ok)
}

fn parse_object(flag: &'static str, text: &str) -> Result<Map<String, Value>, ToolCommandError> {
    serde_json::from_str(text).map_err(|error| ToolCommandError::NotAnObject { flag, why: error.to_string() })
}

/// Returns the path and the hash of a file.
fn reference_file(file: &Path) -> Result<BlobRef, Error> {
    let mut digest = Sha256::new();
    let failed = |source| Error::Read { file: file.to_owned(), source };
    let mut opened = File::open(file).map_err(failed)?;
    io::copy(&mut opened, &mut HashWriter(&mut digest)).map_err(failed)?;
    let sha256 = digest.finalize().iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        _ = write!(text, "{byte:02x}");
        text
    });
    Ok(BlobRef::File { path: file.display().to_string(), sha256 })
}

/// A writer that hashes all bytes.
struct HashWriter<'a>(&'a mut Sha256);

impl io::Write for HashWriter<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
