//! `cargo mcp tool codecs`.

use std::fmt::Write as _;

use serde_json::json;
use toolwright_agent::value::ToolCodec;

use super::args::CodecsArgs;
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

// Writing to a string cannot fail.

/// Prints the registry of codecs.
pub(super) fn run(args: &CodecsArgs) -> Result<Exit, Error> {
    let mut text = String::new();
    for codec in ToolCodec::all() {
        if args.json {
            let entry = json!({
                "name": codec.name(),
                "default": codec.is_default(),
                "writes": codec.writes(),
                "deprecated": codec.is_deprecated(),
                "summary": codec.summary(),
            });
            _ = writeln!(text, "{entry}");
            continue;
        }
        let marks: Vec<&str> = [
            (codec.is_default(), "default"),
            (!codec.writes(), "read only"),
            (codec.is_deprecated(), "deprecated"),
        ]
        .into_iter()
        .filter_map(|(is_so, mark)| is_so.then_some(mark))
        .collect();
        let marks = if marks.is_empty() { String::new() } else { format!(" ({})", marks.join(", ")) };
        _ = writeln!(text, "{}{marks}: {}", codec.name(), codec.summary());
    }
    shell::print(&text)?;
    Ok(Exit::Ok)
}
