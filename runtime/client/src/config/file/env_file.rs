//! Env files.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::config::Secret;

/// The maximum size of an env file, in bytes.
pub const MAX_ENV_FILE_SIZE: usize = 1 << 20;

/// A parsed env file.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EnvFile {
    /// The variables, in order; the last of several with the same name wins.
    pub(super) variables: Vec<(String, Secret)>,
    /// The numbers of the invalid lines, from 1.
    pub(super) invalid_lines: Vec<usize>,
}

/// Reads a file of at most [`MAX_ENV_FILE_SIZE`] bytes.
///
/// # Errors
/// I/O errors, and [`io::ErrorKind::InvalidData`] if the file is too large, not UTF-8, or not a regular file.
pub(super) fn read(path: &Path) -> io::Result<EnvFile> {
    let invalid = |problem: &str| io::Error::new(io::ErrorKind::InvalidData, problem.to_owned());
    // Reading a pipe or a device may never end.
    if !std::fs::metadata(path)?.is_file() {
        return Err(invalid("it is not a regular file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_ENV_FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_ENV_FILE_SIZE {
        return Err(invalid(&format!("it is larger than {MAX_ENV_FILE_SIZE} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8"))?;
    Ok(parse(&text))
}

/// Parses `NAME=value` lines, with an optional `export`, comments with `#`, and quotes: single quotes are literal, double quotes
/// support `\n`, `\r`, `\t`, `\"`, `\\` and `\$`. A quoted value may span several lines. Values are not expanded.
pub(super) fn parse(text: &str) -> EnvFile {
    let mut file = EnvFile::default();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    while !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let trimmed = rest[..end].trim();
        let mut consumed = end;
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            match parse_assignment(rest) {
                Some((name, value, length)) => {
                    file.variables.push((name.to_owned(), Secret::new(value)));
                    consumed = length;
                }
                None => file.invalid_lines.push(line),
            }
        }
        line += rest[..consumed].matches('\n').count();
        rest = &rest[consumed..];
    }
    file
}

/// Returns the name, the value, and the length of the assignment including its last line break.
fn parse_assignment(text: &str) -> Option<(&str, String, usize)> {
    let line = text.lines().next()?;
    let (name, _) = line.split_once('=')?;
    let value_start = name.len() + 1;
    let name = name.trim();
    let name =
        name.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(name).trim();
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    if !is_name {
        return None;
    }
    let value = &text[value_start..];
    let blank = value.len() - value.trim_start_matches([' ', '\t']).len();
    let value = &value[blank..];
    let (value, length) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => parse_quoted(&value[1..], quote)?,
        _ => parse_unquoted(value),
    };
    Some((name, value, value_start + blank + length))
}

/// Returns the value up to the closing quote, and the length up to the end of the line, including the opening quote.
fn parse_quoted(text: &str, quote: char) -> Option<(String, usize)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    let end = loop {
        let (at, character) = characters.next()?;
        if character == quote {
            break at + 1;
        }
        if character != '\\' || quote == '\'' {
            value.push(character);
            continue;
        }
        match characters.next()?.1 {
            'n' => value.push('\n'),
            'r' => value.push('\r'),
            't' => value.push('\t'),
            known @ ('"' | '\\' | '$' | '\'') => value.push(known),
            other => value.extend(['\\', other]),
        }
    };
    let line = text[end..].find('\n').map_or(text.len() - end, |at| at + 1);
    let after = text[end..end + line].trim();
    // Only a comment may follow the closing quote.
    (after.is_empty() || after.starts_with('#')).then_some((value.replace("\r\n", "\n"), 1 + end + line))
}

/// Returns a value without quotes, up to the end of the line or to a comment after whitespace, and the length of the line.
fn parse_unquoted(text: &str) -> (String, usize) {
    let length = text.find('\n').map_or(text.len(), |at| at + 1);
    let line = text[..length].trim_end();
    let comment =
        line.char_indices().find(|(at, c)| *c == '#' && (*at == 0 || line[..*at].ends_with([' ', '\t'])));
    let end = comment.map_or(line.len(), |(at, _)| at);
    (line[..end].trim().to_owned(), length)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn check(text: &str, expected: &[(&str, &str)], invalid_lines: &[usize]) {
        let file = parse(text);
        let found: Vec<_> =
            file.variables.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
        assert_eq!((found.as_slice(), file.invalid_lines.as_slice()), (expected, invalid_lines), "{text:?}");
    }

    /// microsoft/vscode#244059, griffithsbs/envmcp#4.
    #[test]
    fn quotes_comments_and_line_breaks_are_parsed() {
        check(
            "\u{feff}# comment\r\nA=1\r\nexport B=two words\r\nC=\"q # not a comment\\n\"\r\nD='raw $A'\r\nE=x=y==\r\nF=\r\n  \
             G = spaced  \r\nH=v # note\r\nnot a line\r\nA=2\r\n",
            &[
                ("A", "1"),
                ("B", "two words"),
                ("C", "q # not a comment\n"),
                ("D", "raw $A"),
                ("E", "x=y=="),
                ("F", ""),
                ("G", "spaced"),
                ("H", "v"),
                ("A", "2"),
            ],
            &[10],
        );
    }

    #[test]
    fn a_quoted_value_spans_several_lines() {
        check(
            "K=\"-----BEGIN\r\nabc\r\n-----END\"\r\nL=1",
            &[("K", "-----BEGIN\nabc\n-----END"), ("L", "1")],
            &[],
        );
        check("A='x\ny' # two\nB=a#b\nC=#none", &[("A", "x\ny"), ("B", "a#b"), ("C", "")], &[]);
    }

    #[test]
    fn invalid_lines_are_reported_by_number() {
        check("A=1\n=2\n1A=3\nA B=4\nC=\"open\nD=\"x\"y\nE=5", &[("A", "1"), ("E", "5")], &[2, 3, 4, 5, 6]);
    }

    proptest! {
        #[test]
        fn any_text_is_parsed(text in "[A-C=\"'#\\\\\r\n $é]{0,60}") {
            let file = parse(&text);
            prop_assert!(file.variables.len() + file.invalid_lines.len() <= text.lines().count());
        }
    }
}
