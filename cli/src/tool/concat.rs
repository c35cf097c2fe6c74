//! `cargo mcp tool concat`.

use super::args::ConcatArgs;
use super::records;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// Prints all records in order. Duplicate names are reported, since an agent renames one of them.
pub(super) fn run(args: &ConcatArgs) -> Result<Exit, Error> {
    let tools = records::read_all(&args.records.files, None)?;
    for duplicate in tools.duplicates() {
        shell::warning(&duplicate);
    }
    records::write(&tools, args.out.out.as_deref())?;
    Ok(Exit::Ok)
}
