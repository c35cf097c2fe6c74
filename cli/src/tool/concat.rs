//! `cargo mcp tool concat`.

use super::args::ConcatArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// Prints all records in their order, none left out. Names that come twice are told: an agent gives one of them another.
pub(super) fn run(args: &ConcatArgs) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, None)?;
    for duplicate in tools.duplicates() {
        shell::warning(&duplicate);
    }
    records::write(&tools, args.out.out.as_deref())?;
    Ok(Exit::Ok)
}
