//! `cargo mcp tool decode`.

use super::args::DecodeArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;

/// Prints the records in the current format.
pub(super) fn run(args: &DecodeArgs) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, args.codec())?;
    records::write(&tools, args.out.out.as_deref())?;
    Ok(Exit::Ok)
}
