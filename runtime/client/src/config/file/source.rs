//! The text of a configuration file, for diagnostics.

use std::fmt;
use std::ops::Range;

/// The name and text of a configuration file. `Debug` only prints the name, since the text may contain secrets.
#[derive(Clone, PartialEq, Eq)]
pub struct Source {
    name: String,
    text: String,
    /// The start of each line.
    lines: Vec<usize>,
    /// The ranges that may be secret, in order.
    secrets: Vec<Range<usize>>,
}

impl Source {
    pub(super) fn new(name: String, text: String) -> Self {
        let lines = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { name, text, lines, secrets: Vec::new() }
    }

    /// Returns the path of the file, unchanged.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the text, including secrets. Use [`Source::redacted_line`] for output.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the line, and the column in characters, of a byte offset. Both start at 1.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.text.floor_char_boundary(offset);
        let line = self.lines.partition_point(|start| *start <= offset);
        (line, self.text[self.lines[line - 1]..offset].chars().count() + 1)
    }

    /// Returns a line (from 1) without its line break, or `None` if the file is shorter. Values that may be secret are replaced by
    /// `*`: those of environment variables, headers, tokens and the object `config`. References such as `${TOKEN}` remain. The
    /// line keeps its length in bytes.
    pub fn redacted_line(&self, line: usize) -> Option<String> {
        let start = *self.lines.get(line.checked_sub(1)?)?;
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let text = self.text[start..end].trim_end_matches('\r');
        let first = self.secrets.partition_point(|secret| secret.end <= start);
        let mut redacted = text.to_owned();
        for secret in self.secrets[first..].iter().take_while(|secret| secret.start < start + text.len()) {
            let range = secret.start.max(start) - start..secret.end.min(start + text.len()) - start;
            if let Some(part) = text.get(range.clone()) {
                redacted.replace_range(range, &mask(part));
            }
        }
        Some(redacted)
    }

    /// Returns the byte offset of the start of a line (from 1).
    pub fn line_start(&self, line: usize) -> usize {
        line.checked_sub(1).and_then(|index| self.lines.get(index)).copied().unwrap_or(self.text.len())
    }

    /// Sets the ranges that [`Source::redacted_line`] redacts.
    pub(super) fn redact(&mut self, mut ranges: Vec<Range<usize>>) {
        ranges.sort_by_key(|range| (range.start, range.end));
        let mut end = 0;
        for range in &mut ranges {
            range.start = range.start.max(end);
            range.end = range.end.max(range.start);
            end = range.end;
        }
        ranges.retain(|range| !range.is_empty());
        self.secrets = ranges;
    }

    /// Redacts everything that may be a value, for a text that cannot be parsed: the text after the first `:` or `=` of each line,
    /// and lines that have none.
    pub(super) fn redact_values(&mut self) {
        let mut secrets = Vec::new();
        for (index, start) in self.lines.iter().enumerate() {
            let end = self.lines.get(index + 1).map_or(self.text.len(), |next| next - 1);
            let line = &self.text[*start..end];
            let value_start = line.find([':', '=']).map_or(0, |at| at + 1);
            let is_toml_header = line.starts_with('[') && value_start == 0;
            if !is_toml_header {
                secrets.push(start + value_start..end);
            }
        }
        self.secrets = secrets;
    }
}

/// Replaces everything but punctuation and whitespace by `*`, and keeps the length in bytes.
fn mask(part: &str) -> String {
    let mask_character = |character: char| {
        let is_kept = character.is_ascii_punctuation() && !matches!(character, '_' | '-')
            || character.is_ascii_whitespace();
        let count = if is_kept { 1 } else { character.len_utf8() };
        std::iter::repeat_n(if is_kept { character } else { '*' }, count)
    };
    part.chars().flat_map(mask_character).collect()
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Source").field("name", &self.name).finish_non_exhaustive()
    }
}
