//! `cargo mcp tool migrate`.

use toolwright_agent::value::ToolCodec;

use super::ToolCommandError;
use super::args::MigrateArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell::{self, Shell};

/// Prints the records in the form that is asked for, and tells what that cannot hold.
pub(super) fn run(args: &MigrateArgs, shell: Shell) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, None)?;
    // clap takes the names of codecs only.
    let codec = ToolCodec::find(&args.to).copied().unwrap_or_default();
    let written = tools.encode(&codec).map_err(ToolCommandError::Unwritable)?;
    let mut lossy = 0;
    for (entry, record) in tools.entries().iter().zip(&written).filter(|(_, record)| !record.lost.is_empty())
    {
        lossy += 1;
        let lost = record.lost.join(", ");
        let told = format!("{}: {} has no place for {lost}", entry.place, codec.name());
        if args.deny_lossy {
            shell::failure(&told);
        } else {
            shell.note(&told);
        }
    }
    if args.deny_lossy && lossy > 0 {
        return Err(ToolCommandError::Lossy { count: lossy }.into());
    }
    let written = written.into_iter().map(|record| record.text).collect();
    records::deliver(&tools, written, codec, args.out.out.as_deref())?;
    Ok(Exit::Ok)
}
