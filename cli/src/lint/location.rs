//! Maps a location in a manifest to one in a file: the Rust source of a package, or the manifest's own text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toolwright_core::pointer;

use super::subject::Place;
use crate::packages::Sources;
use crate::report::ManifestText;

/// Maximum length in bytes of a line that is shown with a finding. A manifest may be a single line.
const MAX_QUOTED_LINE: usize = 4 << 10;

/// A location in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SourceLocation {
    /// The file, as shown in messages.
    pub(super) file: String,
    /// Starting at 1.
    pub(super) line: usize,
    /// In characters, starting at 1.
    pub(super) column: usize,
    /// The line and column behind the last character, if known.
    pub(super) end: Option<(usize, usize)>,
    /// The line and the marked part of it, if the file can be read and the line is short enough.
    pub(super) text: Option<(String, Range<usize>)>,
}

/// Where the definitions of a manifest come from.
#[derive(Debug)]
pub(super) enum Origin {
    /// A package that was built and queried.
    Package {
        sources: Box<Sources>,
        /// The lines of files that were read.
        read: RefCell<HashMap<PathBuf, Option<Vec<String>>>>,
    },
    /// A manifest file.
    File(Box<ManifestFile>),
    /// A server, or a revision that is not a file.
    Unknown,
}

/// A manifest file and its text.
#[derive(Debug)]
pub(super) struct ManifestFile {
    pub(super) path: PathBuf,
    text: ManifestText,
}

impl Origin {
    pub(super) fn of_package(sources: Sources) -> Self {
        Self::Package { sources: Box::new(sources), read: RefCell::default() }
    }

    /// Returns the location of `place`; `None` if unknown.
    pub(super) fn locate(&self, place: &Place) -> Option<SourceLocation> {
        match self {
            Self::Package { sources, read } => {
                let (file, line, column) = in_rust(sources, place)?;
                let mut read = read.borrow_mut();
                let path = sources.root.join(file);
                let lines = read.entry(path.clone()).or_insert_with(|| lines_of(&path));
                let text = lines.as_ref().and_then(|lines| word_at(lines.get(line - 1)?, column));
                let word = text.as_ref().map(|(text, range)| text[range.clone()].chars().count());
                let end = word.map(|length| (line, column + length));
                Some(SourceLocation { file: file.to_owned(), line, column, end, text })
            }
            Self::File(file) => file.locate(place),
            Self::Unknown => None,
        }
    }
}

/// Returns the file, line and column of the field or struct that `place` is about.
fn in_rust<'a>(sources: &'a Sources, place: &Place) -> Option<(&'a str, usize, usize)> {
    let numbers = |line: u32, column: u32| Some((usize::try_from(line).ok()?, usize::try_from(column).ok()?));
    let tool = place.tool().and_then(|name| sources.tools.get(name));
    let origin = tool.map_or(&sources.server, |tool| &tool.origin);
    let parameter =
        place.pointer.strip_prefix("/inputSchema/properties/").and_then(|rest| rest.split('/').next());
    let field = parameter.and_then(|escaped| {
        let name = pointer::name(escaped);
        tool?.fields.iter().find(|field| field.name == name)
    });
    let (line, column) = field
        .map_or_else(|| numbers(origin.line, origin.column), |field| numbers(field.line, field.column))?;
    Some((&origin.file, line, column))
}

fn lines_of(path: &Path) -> Option<Vec<String>> {
    Some(fs::read_to_string(path).ok()?.lines().map(str::to_owned).collect())
}

/// Returns a line with the word that begins at `column`.
fn word_at(line: &str, column: usize) -> Option<(String, Range<usize>)> {
    let (start, _) = line.char_indices().nth(column.checked_sub(1)?)?;
    let is_part = |character: char| character.is_alphanumeric() || character == '_' || character == '#';
    let length = line[start..].find(|character| !is_part(character)).unwrap_or(line.len() - start);
    Some((line.to_owned(), start..start + length.max(1)))
}

impl ManifestFile {
    pub(super) fn new(path: PathBuf, text: String) -> Self {
        Self { path, text: ManifestText::new(text) }
    }

    fn locate(&self, place: &Place) -> Option<SourceLocation> {
        let of = place.of.as_ref().map(|of| (of.kind, of.name.as_str()));
        let range = self.text.range(of, &place.pointer)?;
        let (line, column) = self.text.position(range.start);
        let (quoted, start) = self.text.line(line);
        let end = (range.end - start).min(quoted.len());
        // Scanning a large manifest on one line for each finding would take minutes.
        let text = (quoted.len() <= MAX_QUOTED_LINE).then(|| (quoted.to_owned(), range.start - start..end));
        let end = Some(self.text.position(range.end));
        Some(SourceLocation { file: self.path.display().to_string(), line, column, end, text })
    }
}

#[cfg(test)]
mod tests {
    use toolwright_core::manifest::Kind;

    use super::super::subject::Named;
    use super::*;

    fn place(of: Option<(Kind, &str)>, pointer: &str) -> Place {
        let of = of.map(|(kind, name)| Named { kind, name: name.to_owned() });
        Place { of, pointer: pointer.to_owned(), entry: String::new() }
    }

    #[test]
    fn a_pointer_leads_to_its_line_and_column() {
        let text = "{\n  \"tools\": [\n    {\"name\": \"a\",\n     \"x\": {\"y/z\": [1, \"two\"]}}\n  ],\n  \"resources\": [\n    {\"uri\": \"b:2\"},\n    {\"uri\": \"a:1\"}\n  ]\n}\n";
        let file = ManifestFile::new("m.json".into(), text.to_owned());
        let at = |of: Option<(Kind, &str)>, pointer: &str| {
            let place = place(of, pointer);
            let found = file.locate(&place).unwrap();
            let (line, range) = found.text.unwrap();
            (found.line, found.column, line[range].to_owned())
        };
        assert_eq!(at(Some((Kind::Tools, "a")), "/x/y~1z/1"), (4, 23, "\"two\"".to_owned()));
        assert_eq!(
            at(Some((Kind::Tools, "a")), "/x/missing"),
            (4, 11, "{\"y/z\": [1, \"two\"]}}"[..19].to_owned())
        );
        // The manifest is sorted, but its file may not be.
        assert_eq!(at(Some((Kind::Resources, "a:1")), "/uri"), (8, 13, "\"a:1\"".to_owned()));
        assert_eq!(at(None, "/tools/0"), (3, 5, "{\"name\": \"a\",".to_owned()));
        let end = |pointer: &str| file.locate(&place(None, pointer)).unwrap().end;
        assert_eq!((end("/tools/0/name"), end("/tools/0")), (Some((3, 17)), Some((4, 31))));
    }

    #[test]
    fn a_one_line_manifest_is_reported_by_position_only() {
        let description = "x".repeat(MAX_QUOTED_LINE);
        let text = format!("{{\"tools\": [{{\"name\": \"a\", \"description\": \"{description}\"}}]}}");
        let file = ManifestFile::new("m.json".into(), text);
        let found = file.locate(&place(Some((Kind::Tools, "a")), "/description"));
        let found = found.unwrap();
        assert_eq!((found.line, found.column, found.text), (1, 41, None));
    }

    #[test]
    fn a_word_is_marked_from_its_first_letter_to_its_last() {
        let (line, range) = word_at("    pub order_id: String,", 9).unwrap();
        assert_eq!(&line[range], "order_id");
        assert_eq!(word_at("short", 9), None);
    }
}
