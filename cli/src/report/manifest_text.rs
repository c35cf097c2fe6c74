//! The text of a manifest file, in which reports show definitions.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::value::RawValue;
use toolwright_core::manifest::{Entry, Kind};
use toolwright_core::pointer;

/// The text of a manifest, with the places of its lines and definitions.
#[derive(Debug)]
pub(crate) struct ManifestText {
    text: String,
    /// The start of each line.
    lines: Vec<usize>,
    /// The range of each definition.
    definitions: HashMap<(Kind, String), Range<usize>>,
}

impl ManifestText {
    pub(crate) fn new(text: String) -> Self {
        let definitions = index(&text);
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, lines, definitions }
    }

    /// Returns the bytes of what `pointer` leads to in a definition, or in the manifest; as far as it exists. `None` if the
    /// definition does not.
    pub(crate) fn range(&self, of: Option<(Kind, &str)>, pointer: &str) -> Option<Range<usize>> {
        let start = match of {
            Some((kind, name)) => self.definitions.get(&(kind, name.to_owned()))?.clone(),
            None => 0..self.text.len(),
        };
        Some(descend(&self.text, start, pointer))
    }

    /// Returns line and column of a byte, in characters and starting at 1.
    pub(crate) fn position(&self, at: usize) -> (usize, usize) {
        let line = self.lines.partition_point(|start| *start <= at);
        (line, self.text[self.lines[line - 1]..at].chars().count() + 1)
    }

    /// Returns a line without its end, and the byte at which it starts.
    pub(crate) fn line(&self, line: usize) -> (&str, usize) {
        let start = self.lines[line - 1];
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        (self.text[start..end].trim_end_matches('\r'), start)
    }
}

/// Returns the ranges of the definitions in a manifest, by name.
fn index(text: &str) -> HashMap<(Kind, String), Range<usize>> {
    let document: HashMap<&str, &RawValue> = serde_json::from_str(text).unwrap_or_default();
    let entries = |kind: Kind| -> Vec<&RawValue> {
        let list = document.get(kind.member());
        list.and_then(|list| serde_json::from_str(list.get()).ok()).unwrap_or_default()
    };
    let named = |kind: Kind, entry: &RawValue| {
        let definition: Entry = serde_json::from_str(entry.get()).ok()?;
        let name = kind.name_of(&definition)?.to_owned();
        Some(((kind, name), range_in(text, entry.get())))
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
