//! `cargo mcp tool roundtrip`.

use toolwright_agent::value::ToolCodec;

use super::ToolCommandError;
use super::args::RoundtripArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// Writes each record, reads that again and compares both. A record in the form that is written comes out in the same
/// bytes.
pub(super) fn run(args: &RoundtripArgs) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, None)?;
    // clap takes the names of codecs only.
    let codec = ToolCodec::find(&args.codec).copied().unwrap_or_default();
    let written = tools.encode(&codec).map_err(ToolCommandError::Unwritable)?;
    let mut exit = Exit::Ok;
    for (entry, record) in tools.entries().iter().zip(&written) {
        let problem = match codec.decode(&record.text) {
            Ok(again) if again == entry.value && record.lost.is_empty() => None,
            Ok(_) if record.lost.is_empty() => Some(format!("{} does not hold all of it", codec.name())),
            Ok(_) => Some(format!("{} has no place for {}", codec.name(), record.lost.join(", "))),
            Err(error) => Some(error.to_string()),
        };
        if let Some(problem) = problem {
            exit = Exit::Drift;
            shell::failure(&format_args!("{}: {problem}", entry.place));
        }
    }
    records::print(tools.values().zip(written.into_iter().map(|record| record.text)))?;
    Ok(exit)
}
