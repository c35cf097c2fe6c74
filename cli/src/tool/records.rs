//! Reads and writes files of tool records, and reports problems.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use toolwright_agent::value::arrow::{self, Layout};
use toolwright_agent::value::{FLAT, ReadLimits, ToolCodec, ToolCollection, ToolValue};

use super::ToolCommandError;
use crate::error::Error;
use crate::shell;
use crate::text_file;

/// Reads the files in order, or standard input if there are none. Invalid lines are reported as errors on standard error, and
/// each deprecated format once as a warning.
///
/// # Errors
/// [`Error::Read`].
pub(crate) fn read(files: &[PathBuf], codec: Option<&'static ToolCodec>) -> Result<ToolCollection, Error> {
    let mut all = ToolCollection::default();
    if files.is_empty() {
        all.append(read_file(Path::new("-"), codec)?);
    }
    for file in files {
        all.append(read_file(file, codec)?);
    }
    for problem in all.problems() {
        shell::failure(problem);
    }
    if all.omitted_problems() > 0 {
        shell::failure(&format_args!("{} more lines are invalid", all.omitted_problems()));
    }
    for deprecation in all.deprecations() {
        shell::warning(&deprecation);
    }
    Ok(all)
}

/// Does the same for commands that write records, and fails if a line is invalid.
///
/// # Errors
/// [`Error::Read`], [`ToolCommandError::Invalid`].
pub(super) fn read_all(
    files: &[PathBuf],
    codec: Option<&'static ToolCodec>,
) -> Result<ToolCollection, Error> {
    let all = read(files, codec)?;
    match all.problems().len() + all.omitted_problems() {
        0 => Ok(all),
        count => Err(ToolCommandError::Invalid { count }.into()),
    }
}

/// Prints records, one per line. Records of unknown kinds are unchanged.
///
/// # Errors
/// [`Error::Write`].
pub(super) fn print<'a>(records: impl IntoIterator<Item = (&'a ToolValue, String)>) -> Result<(), Error> {
    shell::print_records(records.into_iter().map(|(value, record)| (record, is_exact(value))))
}

/// Writes a collection in the current format: to an Arrow IPC file if the name ends with `.arrow`, otherwise as JSON lines to
/// a file or standard output.
///
/// # Errors
/// [`Error::Write`], and [`ToolCommandError::Arrow`].
pub(crate) fn write(tools: &ToolCollection, out: Option<&Path>) -> Result<(), Error> {
    write_encoded(tools, tools.values().map(ToolValue::to_json).collect(), ToolCodec::default(), out)
}

/// Does the same for records in the format of `codec`, one for each tool.
///
/// # Errors
/// As [`write()`].
pub(super) fn write_encoded(
    tools: &ToolCollection,
    records: Vec<String>,
    codec: ToolCodec,
    out: Option<&Path>,
) -> Result<(), Error> {
    let Some(file) = out else { return print(tools.values().zip(records)) };
    let bytes = if file.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("arrow")) {
        to_arrow(tools, codec).map_err(|source| ToolCommandError::Arrow { file: file.to_owned(), source })?
    } else {
        let lines = tools.values().zip(records).map(|(value, record)| (record, is_exact(value)));
        shell::format_records(lines, false).into_bytes()
    };
    text_file::write(file, bytes)
}

/// Returns the tools as an Arrow IPC file in the layout of `codec`.
pub(super) fn to_arrow(tools: &ToolCollection, codec: ToolCodec) -> Result<Vec<u8>, arrow::ArrowToolError> {
    let layout = if codec.name() == FLAT { Layout::Flat } else { Layout::Records };
    let mut bytes = Vec::new();
    arrow::write_file(tools, layout, &mut bytes)?;
    Ok(bytes)
}

/// Returns whether a record is printed byte for byte, since its kind is unknown.
fn is_exact(value: &ToolValue) -> bool {
    matches!(value, ToolValue::Other(_))
}

/// The first bytes of an Arrow IPC file, whatever its name.
const ARROW_FILE: &[u8] = b"ARROW1";
/// The first bytes of a message of an Arrow IPC stream.
const ARROW_STREAM: &[u8] = &[0xff; 4];

fn read_file(file: &Path, codec: Option<&'static ToolCodec>) -> Result<ToolCollection, Error> {
    let limits = ReadLimits::default();
    let (name, bytes) = if file == Path::new("-") {
        ("standard input".to_owned(), read_bounded(io::stdin().lock(), limits))
    } else {
        (file.display().to_string(), File::open(file).and_then(|opened| read_bounded(opened, limits)))
    };
    let failed = |source| Error::Read { file: name.clone().into(), source };
    let mut bytes = bytes.map_err(failed)?;
    if bytes.starts_with(ARROW_FILE) {
        let tools = arrow::read_file(&name, bytes.as_slice(), limits);
        return tools.map_err(|source| ToolCommandError::Arrow { file: name.clone().into(), source }.into());
    }
    if bytes.starts_with(ARROW_STREAM) {
        return Err(ToolCommandError::ArrowStream { file: name.into() }.into());
    }
    // UTF-16, as Windows PowerShell writes it.
    if bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]) {
        bytes = text_file::decode(bytes).map_err(failed)?.into_bytes();
    }
    let lines = std::str::from_utf8(&bytes).ok().and_then(to_json_lines);
    let lines = lines.as_deref().map_or(bytes.as_slice(), str::as_bytes);
    ToolCollection::read(&name, lines, codec, limits).map_err(failed)
}

/// Reads up to one byte more than allowed, to detect larger inputs.
fn read_bounded(reader: impl Read, limits: ReadLimits) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(limits.total_bytes as u64 + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Converts a JSON document on several lines to JSON lines: its records, or itself. `None` if it already is JSON lines.
fn to_json_lines(text: &str) -> Option<String> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text).trim();
    let first = text.lines().next()?;
    if !first.starts_with('[') && serde_json::from_str::<&RawValue>(first).is_ok() {
        return None;
    }
    if let Ok(records) = serde_json::from_str::<Vec<&RawValue>>(text) {
        return Some(records.iter().map(|record| compact(record.get()) + "\n").collect());
    }
    let document: &RawValue = serde_json::from_str(text).ok()?;
    Some(compact(document.get()))
}

/// Removes white space between the tokens of JSON.
fn compact(json: &str) -> String {
    let (mut in_string, mut is_escaped) = (false, false);
    let is_significant = |character: &char| {
        let keeps = in_string || !character.is_ascii_whitespace();
        match (*character, is_escaped) {
            ('"', false) => in_string = !in_string,
            ('\\', false) => is_escaped = true,
            _ => is_escaped = false,
        }
        keeps
    };
    json.chars().filter(is_significant).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_on_several_lines_become_json_lines() {
        let record = "{\n  \"a\": \"x \\\" y\\\\\",\n  \"b\": [1.0,\t2e1]\n}";
        let line = r#"{"a":"x \" y\\","b":[1.0,2e1]}"#;
        assert_eq!(to_json_lines(record).as_deref(), Some(line));
        assert_eq!(to_json_lines(&format!("\u{feff}[{record}, null]\n")), Some(format!("{line}\nnull\n")));
        assert_eq!(to_json_lines("[]"), Some(String::new()));
        for lines in ["", "{}\n{}\n", "null\n{\n", "{\n", "{\n}\n{\n}", "[1\n2]"] {
            assert_eq!(to_json_lines(lines), None, "{lines:?}");
        }
    }
}
