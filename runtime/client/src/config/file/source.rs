//! The text of a configuration file, to be shown beside what is wrong with it.

use std::fmt;
use std::ops::Range;

/// A configuration file. `Debug` shows its name only, since the text may hold secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    /// Where each line begins.
    lines: Vec<usize>,
    /// What must not be shown, in order.
    hidden: Vec<Range<usize>>,
}

impl Source {
    pub(super) fn new(name: String, text: String) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name, text, lines, hidden: Vec::new() }
    }

    /// The path of the file, as it was given.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, secrets included: see [`Source::shown_line`] for what may be shown.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The line and the column in characters, both from 1, of a place in bytes.
    pub fn position(&self, at: usize) -> (usize, usize) {
        let at = self.text.floor_char_boundary(at);
        let line = self.lines.partition_point(|start| *start <= at);
        (line, self.text[self.lines[line - 1]..at].chars().count() + 1)
    }

    /// A line (from 1) without its end, with `*` instead of each character of a value that may be secret: those
    /// of environment variables, headers, tokens and the object `config`. References such as `${TOKEN}` stay, and every
    /// byte keeps its place. Nothing where the file has no such line.
    pub fn shown_line(&self, line: usize) -> Option<String> {
        let start = *self.lines.get(line.checked_sub(1)?)?;
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let text = self.text[start..end].trim_end_matches('\r');
        let first = self.hidden.partition_point(|hidden| hidden.end <= start);
        let mut shown = text.to_owned();
        for hidden in self.hidden[first..].iter().take_while(|hidden| hidden.start < start + text.len()) {
            let range = hidden.start.max(start) - start..hidden.end.min(start + text.len()) - start;
            if let Some(part) = text.get(range.clone()) {
                shown.replace_range(range, &masked(part));
            }
        }
        Some(shown)
    }

    /// Where a line (from 1) begins, in bytes.
    pub fn line_start(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|index| self.lines.get(index)).copied().unwrap_or(self.text.len())
    }

    /// Hides the ranges from [`Source::shown_line`].
    pub(super) fn hide(&mut self, mut ranges: Vec<Range<usize>>) {
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut end = 0;
        for range in &mut ranges {
            range.start = range.start.max(end);
            range.end = range.end.max(range.start);
            end = range.end;
        }
        ranges.retain(|range| !range.is_empty());
        self.hidden = ranges;
    }

    /// Hides everything that may be a value, for a text that could not be taken apart: what stands behind the first
    /// `:` or `=` of each line, and lines that have none.
    pub(super) fn hide_values(&mut self) {
        let mut hidden = Vec::new();
        for (index, start) in self.lines.iter().enumerate() {
            let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
            let line = &self.text[*start..end];
            // A line of one word is a heading of TOML, or punctuation.
            let value = line.find([':', '=']).map_or(0, |at| at + 1);
            let is_heading = line.starts_with('[') && value == 0;
            if !is_heading {
                hidden.push(start + value..end);
            }
        }
        self.hidden = hidden;
    }
}

/// `*` for each byte of letters and digits, so that the shape stays.
fn masked(part: &str) -> String {
    let mask = |character: char| {
        let is_shown = character.is_ascii_punctuation() && !matches!(character, '_' | '-')
            || character.is_ascii_whitespace();
        let count = if is_shown { 1 } else { character.len_utf8() };
        std::iter::repeat_n(if is_shown { character } else { '*' }, count)
    };
    part.chars().flat_map(mask).collect()
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
