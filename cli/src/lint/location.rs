//! Maps a location in a manifest to one in a file: the Rust source of a package, or the manifest's own text.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};

use serde_json::value::RawValue;
use toolwright_core::manifest::{Entry, Kind};
use toolwright_core::pointer;

use super::subject::{Named, Place};
use crate::packages::Sources;

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
    text: String,
    /// The start of each line.
    lines: Vec<usize>,
    /// The range of each definition.
    definitions: HashMap<Named, Range<usize>>,
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
        let definitions = index(&text);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { path, text, lines, definitions }
    }

    fn locate(&self, place: &Place) -> Option<SourceLocation> {
        let start = match &place.of {
            Some(of) => self.definitions.get(of)?.clone(),
            None => 0..self.text.len(),
        };
        let range = descend(&self.text, start, &place.pointer);
        let (line, column) = self.position(range.start);
        let line_start = self.lines[line - 1];
        let line_end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let text = self.text[line_start..line_end].trim_end_matches('\r');
        let end = (range.end - line_start).min(text.len());
        // Scanning a large manifest on one line for each finding would take minutes.
        let text = (text.len() <= MAX_QUOTED_LINE).then(|| (text.to_owned(), range.start - line_start..end));
        Some(SourceLocation {
            file: self.path.display().to_string(),
            line,
            column,
            end: Some(self.position(range.end)),
            text,
        })
    }

    /// Returns line and column of a byte.
    fn position(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at);
        (line, self.text[self.lines[line - 1]..at].chars().count() + 1)
    }
}

/// The strings of the definitions in a manifest, by name.
fn index(text: &str) -> HashMap<Named, Range<usize>> {
    let document: HashMap<&str, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    let entries = |kind: Kind| -> Vec<&RawValue> {
        let list = document.get(kind.member());
        list.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
    };
    let named = |kind: Kind, entry: &RawValue| {
        let definition: Entry = serde_json::from_str(entry.get()).ok()?;
        let name = kind.name_of(&definition)?.to_owned();
        Some((Named { kind, name }, range_in(text, entry.get())))
    };
    let of_kind = |kind| entries(kind).into_iter().filter_map(move |entry| named(kind, entry));
    Kind::ALL.into_iter().flat_map(of_kind).collect()
}

/// Returns the text at `pointer`, or at the last step that exists.
fn descend(text: &str, start: Range<usize>, pointer: &str) -> Range<usize> {
    let mut range = start;
    for step in pointer.split('/').skip(1) {
        let name = pointer::name(step);
        let value = &text[range.clone()];
        let members = serde_json::from_str::<HashMap<String, &RawValue>>(value).ok();
        let items = || serde_json::from_str::<Vec<&RawValue>>(value).ok();
        let next = match members {
            Some(members) => members.get(&name).copied(),
            None => name.parse().ok().and_then(|index: usize| items()?.get(index).copied()),
        };
        let Some(next) = next else { break };
        range = range_in(text, next.get());
    }
    range
}

/// Returns the range of `part`, a slice of `text`.
fn range_in(text: &str, part: &str) -> Range<usize> {
    let start = part.as_ptr().addr() - text.as_ptr().addr();
    start..start + part.len()
}

#[cfg(test)]
mod tests {
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
