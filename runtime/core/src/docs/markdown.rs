//! Strings of definitions as Markdown (that of <https://spec.commonmark.org>, and the tables of GitHub's).
//!
//! Whatever a string holds, it stays in its place: it begins no heading, table, link, picture or HTML, and ends none.
//! Of Markdown in descriptions, code spans, lists and paragraphs are kept. Invisible characters are written out.

use std::collections::HashMap;
use std::ops::Range;

use serde_json::Value;

use crate::manifest::{is_hidden, visible};

/// A code span with this text, on one line: the backticks around it are as many as it takes.
pub fn code(text: &str) -> String {
    let text = visible(text);
    if text.is_empty() {
        // There is no empty span.
        return "` `".to_owned();
    }
    let fence = "`".repeat(longest_run(&text) + 1);
    // One space on each side is taken off by readers.
    let is_spaced = text.starts_with(' ') && text.ends_with(' ') && !text.trim().is_empty();
    let space = if is_spaced || text.starts_with('`') || text.ends_with('`') { " " } else { "" };
    format!("{fence}{space}{text}{space}{fence}")
}

/// [`code`] for a cell of a table, which no sign in it ends.
pub fn code_in_cell(text: &str) -> String {
    // Readers of tables disagree on a backslash before a sign that is escaped inside of a span, so the span ends there.
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

/// A value as JSON on one line, in which hidden characters are escapes of JSON.
pub fn json(value: &Value) -> String {
    escapes(value.to_string())
}

/// A value as JSON, indented, in which hidden characters are escapes of JSON.
pub fn json_block(value: &Value) -> String {
    escapes(format!("{value:#}"))
}

fn escapes(json: String) -> String {
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

/// The text on one line, for any place but the beginning of one, and for headings.
pub fn line(text: &str) -> String {
    one_line(text, code)
}

/// [`line()`] for a cell of a table, which no sign in it ends.
pub fn line_in_cell(text: &str) -> String {
    one_line(text, code_in_cell)
}

fn one_line(text: &str, code: Code) -> String {
    let line = text.split_whitespace().map(visible).collect::<Vec<_>>().join(" ");
    // Signs at the end of a heading belong to its mark, and what is in braces there to its attributes.
    let marks = line.len() - line.trim_end_matches('#').len();
    let (text, brace) = match line[..line.len() - marks].strip_suffix('}') {
        Some(text) => (text, "&#125;"),
        None => (&line[..line.len() - marks], ""),
    };
    escaped(text, code) + brace + &"\\#".repeat(marks)
}

/// How a code span is written.
type Code = fn(&str) -> String;

/// The text as paragraphs and lists, without an empty line at its ends.
pub fn paragraphs(text: &str) -> String {
    let mut paragraphs: Vec<Vec<String>> = vec![Vec::new()];
    for line in text.lines().map(str::trim) {
        let is_item = item(line).is_some();
        match paragraphs.last_mut() {
            _ if line.is_empty() => paragraphs.push(Vec::new()),
            // An item of a list may go over several lines, and so has a span in it.
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

/// The mark of an item of a list, and the item; nothing if the line is none.
fn item(line: &str) -> Option<(&'static str, &str)> {
    let rest = line.strip_prefix("- ").or_else(|| line.strip_prefix("* "))?;
    (!rest.trim().is_empty()).then_some(("- ", rest))
}

/// Lines of one paragraph, each escaped at its beginning too.
fn lines(text: &str) -> String {
    let spaced =
        text.split('\n').map(|line| line.split_whitespace().map(visible).collect::<Vec<_>>().join(" "));
    let text = escaped(&spaced.collect::<Vec<_>>().join("\n"), code);
    text.split('\n').map(begun).collect::<Vec<_>>().join("\n")
}

/// A line whose first signs make no heading, list, quotation, table, rule or fence of it.
fn begun(line: &str) -> String {
    let digits = line.len() - line.trim_start_matches(|first: char| first.is_ascii_digit()).len();
    let (number, rest) = line.split_at(digits);
    let is_numbered = digits > 0 && rest.starts_with(['.', ')']);
    let is_marked = digits == 0 && rest.starts_with(['#', '>', '-', '+', '=', ':', '|']);
    if is_numbered || is_marked { format!("{number}\\{rest}") } else { line.to_owned() }
}

/// The text with what is special in Markdown escaped, but for its code spans.
fn escaped(text: &str, code: Code) -> String {
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
        // A span ends at the next run of as many backticks.
        if let Some(end) = same.get(same.partition_point(|start| *start <= run.start)) {
            escaped.push_str(&code(&inside(&text[run.end..*end])));
            done = end + run.len();
        } else {
            escaped.push_str(&"\\`".repeat(run.len()));
            done = run.end;
        }
    }
    escape(&mut escaped, &text[done..]);
    escaped
}

/// Where backticks stand, each row of them as one.
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

/// What a reader takes for the text of a span: on one line, without one space on each side.
fn inside(text: &str) -> String {
    let text = text.replace('\n', " ");
    let bare = text.strip_prefix(' ').and_then(|text| text.strip_suffix(' '));
    bare.filter(|bare| !bare.trim().is_empty()).unwrap_or(&text).to_owned()
}

/// Adds text without spans.
fn escape(escaped: &mut String, text: &str) {
    // The character before the row of equal ones that is being read.
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
            // Whatever comes after the text may be special.
            '\\' if row.len() > 1 || after.is_none_or(|next| next.is_ascii_punctuation() || next == '\n') => {
                escaped.push_str(&"\\\\".repeat(row.len()));
            }
            '*' | '_' | '~' | '^' if marks_nothing(sign, before, after) => escaped.push_str(row),
            '*' | '_' | '~' | '^' | '$' | '[' | ']' | '|' => {
                row.chars().for_each(|sign| escaped.extend(['\\', sign]));
            }
            _ => escaped.push_str(row),
        }
        before = Some(sign);
        rest = after_row;
    }
}

/// Whether signs between these characters open and close nothing: a `_` inside of a word, any with spaces around it.
fn marks_nothing(sign: char, before: Option<char>, after: Option<char>) -> bool {
    let (Some(before), Some(after)) = (before, after) else { return false };
    let is_inside = sign == '_' && before.is_alphanumeric() && after.is_alphanumeric();
    is_inside || (before.is_whitespace() && after.is_whitespace() && before != '\n')
}

fn longest_run(text: &str) -> usize {
    text.split(|character| character != '`').map(str::len).max().unwrap_or(0)
}

#[cfg(test)]
mod tests;
