//! Renders strings of definitions as Markdown (<https://spec.commonmark.org>, and GitHub's tables).
//!
//! No string can break out of its place: it neither starts nor ends a heading, table, link, image or HTML. Code
//! spans, lists and paragraphs of descriptions are preserved. Invisible characters are escaped.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use crate::manifest::{is_hidden, visible};

/// Renders a code span on one line, with as many backticks as needed.
pub fn code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        // Markdown has no empty code span.
        return "` `".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // Parsers strip one space on each side.
    let is_spaced = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let space = if is_spaced || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// Renders a code span for a table cell, which `|` must not end.
pub fn code_in_cell(text: &str) -> String {
    // Parsers disagree on an escaped `|` inside a code span, so the span ends before it.
    let mut pieces = text.split("\\|").peekable();
    let mut spans = Vec::new();
    while let Some(piece) = pieces.next() {
        let backslash = if pieces.peek().is_some() { "\\" } else { "" };
        let span = match format!("{piece}{backslash}").as_str() {
            "" if !text.is_empty() => String::new(),
            piece => code(piece).replace('|', "\\|"),
        };
        spans.push(span);
    }
    spans.join("\\|")
}

/// Renders a value as JSON on one line, with hidden characters escaped.
pub fn json(value: &Value) -> String {
    escape_hidden(value.to_string())
}

/// Renders a value as indented JSON, with hidden characters escaped.
pub fn json_block(value: &Value) -> String {
    escape_hidden(format!("{value:#}"))
}

fn escape_hidden(json: String) -> String {
    let hides = |character: char| character != '\n' && is_hidden(character);
    if !json.contains(hides) {
        return json;
    }
    json.chars().fold(String::with_capacity(json.len()), |mut text, character| {
        if hides(character) {
            let mut units = [0; 2];
            text.extend(character.encode_utf16(&mut units).iter().map(|unit| format!("\\u{unit:04x}")));
        } else {
            text.push(character);
        }
        text
    })
}

/// Renders text on one line, for headings and any position except the start of a line.
pub fn line(text: &str) -> String {
    one_line(text, code)
}

/// [`line()`] for a table cell.
pub fn line_in_cell(text: &str) -> String {
    one_line(text, code_in_cell)
}

fn one_line(text: &str, code: Code) -> String {
    let line = text.split_whitespace().map(visible).collect::<Vec<_>>().join(" ");
    // Trailing `#` belong to the heading syntax, and trailing braces to its attributes.
    let marks = line.len() - line.trim_end_matches('#').len();
    let (text, brace) = match line[..line.len() - marks].strip_suffix('}') {
        Some(text) => (text, "&#125;"),
        None => (&line[..line.len() - marks], ""),
    };
    escape_text(text, code) + brace + &"\\#".repeat(marks)
}

/// A function that renders a code span.
type Code = fn(&str) -> String;

/// Renders paragraphs and lists, without leading or trailing blank lines.
pub fn paragraphs(text: &str) -> String {
    let mut paragraphs: Vec<Vec<String>> = vec![Vec::new()];
    for line in text.lines().map(str::trim) {
        let is_item = item(line).is_some();
        match paragraphs.last_mut() {
            _ if line.is_empty() => paragraphs.push(Vec::new()),
            // A list item may span several lines, and so may a code span inside it.
            Some(paragraph) if !is_item => paragraph.push(line.to_owned()),
            _ => paragraphs.push(vec![line.to_owned()]),
        }
    }
    let mut text = String::new();
    let mut was_item = false;
    for paragraph in paragraphs.iter().filter(|paragraph| !paragraph.is_empty()) {
        let whole = paragraph.join("\n");
        let (mark, rest) = item(&whole).unwrap_or(("", &whole));
        if !text.is_empty() {
            text.push_str(if was_item && !mark.is_empty() { "\n" } else { "\n\n" });
        }
        text.push_str(mark);
        text.push_str(&lines(rest));
        was_item = !mark.is_empty();
    }
    text
}

/// Splits a list item into its marker and its text; `None` if the line is not a list item.
fn item(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    (!rest.trim().is_empty()).then_some(("- ", rest))
}

/// Renders the lines of one paragraph, with line starts escaped.
fn lines(text: &str) -> String {
    let spaced =
        text.split('\n').map(|line| line.split_whitespace().map(visible).collect::<Vec<_>>().join(" "));
    let text = escape_text(&spaced.collect::<Vec<_>>().join("\n"), code);
    text.split('\n').map(escape_line_start).collect::<Vec<_>>().join("\n")
}

/// Escapes the start of a line, so that it is no heading, list, quotation, table, rule or fence.
fn escape_line_start(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|first: char| first.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let is_numbered = digits > 0 && rest.starts_with(['.', ')']);
    let is_marked = digits == 0 && rest.starts_with(['#', '>', '-', '+', '=', ':', '|']);
    if is_numbered || is_marked { format!("{number}\\{rest}") } else { line.to_owned() }
}

/// Escapes Markdown, except for code spans.
fn escape_text(text: &str, code: Code) -> String {
    let runs = backticks(text);
    let mut starts: HashMap<usize, Vec<usize>> = HashMap::new();
    for run in &runs {
        starts.entry(run.len()).or_default().push(run.start);
    }
    let mut escaped = String::with_capacity(text.len());
    let mut done = 0;
    for run in runs {
        if run.start < done {
            continue;
        }
        escape(&mut escaped, &text[done..run.start]);
        let same = &starts[&run.len()];
        // A span ends at the next run of the same number of backticks.
        if let Some(end) = same.get(same.partition_point(|start| *start <= run.start)) {
            escaped.push_str(&code(&span_content(&text[run.end..*end])));
            done = end + run.len();
        } else {
            escaped.push_str(&"\\`".repeat(run.len()));
            done = run.end;
        }
    }
    escape(&mut escaped, &text[done..]);
    escaped
}

/// Finds the runs of backticks.
fn backticks(text: &str) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for (at, _) in text.match_indices('`') {
        match runs.last_mut() {
            Some(run) if run.end == at => run.end += 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// Returns the content of a code span as parsers see it: on one line, with one space stripped on each side.
fn span_content(text: &str) -> String {
    let text = text.replace('\n', " ");
    let bare = text.strip_prefix(' ').and_then(|text| text.strip_suffix(' '));
    bare.filter(|bare| !bare.trim().is_empty()).unwrap_or(&text).to_owned()
}

/// Appends text without code spans.
fn escape(escaped: &mut String, text: &str) {
    // The character before the current run of equal ones.
    let mut before = None;
    let mut rest = text;
    while let Some(sign) = rest.chars().next() {
        let after_row = rest.trim_start_matches(sign);
        let row = &rest[..rest.len() - after_row.len()];
        let after = after_row.chars().next();
        match sign {
            '<' if after.is_some_and(|next| next.is_ascii_alphabetic() || "/!?".contains(next)) => {
                escaped.push_str(&row[1..]);
                escaped.push_str("&lt;");
            }
            '&' if after.is_some_and(|next| next.is_ascii_alphabetic() || next == '#') => {
                escaped.push_str(&row[1..]);
                escaped.push_str("&amp;");
            }
            // Whatever follows the text may have a special meaning.
            '\\' if row.len() > 1 || after.is_none_or(|next| next.is_ascii_punctuation() || next == '\n') => {
                escaped.push_str(&"\\\\".repeat(row.len()));
            }
            '*' | '_' | '~' | '^' if is_literal(sign, before, after) => escaped.push_str(row),
            '*' | '_' | '~' | '^' | '$' | '[' | ']' | '|' => {
                row.chars().for_each(|sign| escaped.extend(['\\', sign]));
            }
            _ => escaped.push_str(row),
        }
        before = Some(sign);
        rest = after_row;
    }
}

/// Returns whether a delimiter between these characters is literal: `_` inside a word, any with spaces on both sides.
fn is_literal(sign: char, before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let is_inside = sign == '_' && before.is_alphanumeric() && after.is_alphanumeric();
    is_inside || (before.is_whitespace() && after.is_whitespace() && before != '\n')
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
