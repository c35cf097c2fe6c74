//! `cargo mcp tool roundtrip`.

use toolwright_agent::value::arrow::read_file;
use toolwright_agent::value::{ReadLimits, ToolCodec, ToolCollection};

use super::ToolCommandError;
use super::args::RoundtripArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// Writes each record, reads it again and compares both. A record in the selected format is reproduced byte for byte.
pub(super) fn run(args: &RoundtripArgs) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, None)?;
    // clap only accepts the names of codecs.
    let codec = ToolCodec::find(&args.codec).copied().unwrap_or_default();
    let written = tools.encode(&codec).map_err(ToolCommandError::Unwritable)?;
    let mut exit = Exit::Ok;
    for (entry, record) in tools.entries().iter().zip(&written) {
        let problem = match codec.decode(&record.text) {
            Ok(again) if again == entry.value && record.lost.is_empty() => None,
            Ok(_) if record.lost.is_empty() => Some(format!("{} cannot express all of it", codec.name())),
            Ok(_) => Some(format!("{} cannot express {}", codec.name(), record.lost.join(", "))),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            exit = Exit::Drift;
            shell::failure(&format_args!("{}: {problem}", entry.place));
        }
    }
    if args.arrow
        && let Err(problem) = check_arrow(&tools, codec)
    {
        exit = Exit::Drift;
        shell::failure(&problem);
    }
    records::print(tools.values().zip(written.into_iter().map(|record| record.text)))?;
    Ok(exit)
}

/// Writes an Arrow IPC file, reads it again, and returns an error if anything is lost.
fn check_arrow(tools: &ToolCollection, codec: ToolCodec) -> Result<(), String> {
    let bytes = records::to_arrow(tools, codec).map_err(|error| error.to_string())?;
    let limits = ReadLimits::default();
    let again = read_file("the Arrow file", bytes.as_slice(), limits).map_err(|error| error.to_string())?;
    let changed = tools.entries().iter().zip(again.values()).find(|(entry, value)| entry.value != **value);
    match changed {
        Some((entry, _)) => Err(format!("{}: the Arrow file cannot express all of it", entry.place)),
        None if again.entries().len() < tools.entries().len() => {
            Err("the Arrow file does not contain all records".to_owned())
        }
        None => Ok(()),
    }
}
