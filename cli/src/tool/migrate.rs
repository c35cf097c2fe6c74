//! `cargo mcp tool migrate`.

use toolwright_agent::value::ToolCodec;

use super::ToolCommandError;
use super::args::MigrateArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};

/// Prints the records in the requested format, and reports what it cannot express.
pub(super) fn run(args: &MigrateArgs, shell: Shell) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, None)?;
    // clap only accepts the names of codecs.
    let codec = ToolCodec::find(&args.to).copied().unwrap_or_default();
    let written = tools.encode(&codec).map_err(ToolCommandError::Unwritable)?;
    let mut lossy = 0;
    for (entry, record) in tools.entries().iter().zip(&written).filter(|(_, record)| !record.lost.is_empty())
    {
        lossy += 1;
        let lost = record.lost.join(", ");
        let message = format!("{}: {} cannot express {lost}", entry.place, codec.name());
        if args.deny_lossy {
            shell::failure(&message);
        } else {
            shell.note(&message);
        }
    }
    if args.deny_lossy && lossy > 0 {
        return Err(ToolCommandError::Lossy { count: lossy }.into());
    }
    let written = written.into_iter().map(|record| record.text).collect();
    records::write_encoded(&tools, written, codec, args.out.out.as_deref())?;
    Ok(Exit::Ok)
}
