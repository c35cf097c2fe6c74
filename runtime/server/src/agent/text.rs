//! Parses a line of text into words and `key=value` pairs.

use serde_json::value::RawValue;

use super::router::RouteError;

/// A part of the line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Part<'a> {
    /// A word without `=`.
    Word(&'a str),
    /// `key=value`.
    Pair(Pair<'a>),
}

impl<'a> Part<'a> {
    pub(super) fn as_word(&self) -> Option<&'a str> {
        match self {
            Self::Word(word) => Some(word),
            Self::Pair(_) => None,
        }
    }

    pub(super) fn as_pair(&self) -> Option<&Pair<'a>> {
        match self {
            Self::Word(_) => None,
            Self::Pair(pair) => Some(pair),
        }
    }
}

/// `key=value`, `key="some value"`, `key='some value'` or `key={"some": "JSON"}`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Pair<'a> {
    pub(super) key: &'a str,
    pub(super) value: String,
    /// Whether the value was quoted, and is therefore a string.
    pub(super) quoted: bool,
}

/// Splits a line into its parts, in order.
pub(super) fn parts(line: &str) -> Result<Vec<Part<'_>>, RouteError> {
    let mut parts = Vec::new();
    let mut rest = line.trim_start();
    while !rest.is_empty() {
        let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
        match rest[..end].split_once('=') {
            Some((key, _)) if !key.is_empty() => {
                let (pair, after) = pair(key, &rest[key.len() + 1..])?;
                parts.push(Part::Pair(pair));
                rest = after.trim_start();
            }
            _ => {
                parts.push(Part::Word(&rest[..end]));
                rest = rest[end..].trim_start();
            }
        }
    }
    Ok(parts)
}

/// Parses the value at the start of `text`, and returns the pair and the rest.
fn pair<'a>(key: &'a str, text: &'a str) -> Result<(Pair<'a>, &'a str), RouteError> {
    if let Some(quote @ ('"' | '\'')) = text.chars().next() {
        let (value, after) = quoted(key, &text[1..], quote)?;
        return Ok((Pair { key, value, quoted: true }, after));
    }
    let end = json_end(text).unwrap_or_else(|| text.find(char::is_whitespace).unwrap_or(text.len()));
    Ok((Pair { key, value: text[..end].to_owned(), quoted: false }, &text[end..]))
}

/// Parses up to the closing quote; a backslash escapes a quote or a backslash.
fn quoted<'a>(key: &str, text: &'a str, quote: char) -> Result<(String, &'a str), RouteError> {
    let mut value = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character == quote {
            return Ok((value, &text[at + 1..]));
        }
        let escaped = characters.next_if(|(_, next)| character == '\\' && (*next == quote || *next == '\\'));
        value.push(escaped.map_or(character, |(_, escaped)| escaped));
    }
    Err(RouteError::OpenQuote { parameter: key.to_owned() })
}

/// Returns the end of the JSON object or array at the start of `text`, if there is one.
fn json_end(text: &str) -> Option<usize> {
    if !text.starts_with(['{', '[']) {
        return None;
    }
    let mut values = serde_json::Deserializer::from_str(text).into_iter::<&RawValue>();
    values.next()?.ok()?;
    Some(values.byte_offset())
}
