//! Files with environment variables.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use crate::config::Secret;

/// The most bytes that a file with variables may have.
pub const MAX_ENV_FILE_SIZE: usize = 1 << 20;

/// What a file says.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct EnvFile {
    /// The variables in order; of two with one name, the last one is meant.
    pub(super) variables: Vec<(String, Secret)>,
    /// The lines (from 1) that say nothing that can be read.
    pub(super) unread: Vec<usize>,
}

/// Reads a file of at most [`MAX_ENV_FILE_SIZE`] bytes.
///
/// # Errors
/// Those of reading, and [`io::ErrorKind::InvalidData`] for what is too long, not UTF-8, or no plain file.
pub(super) fn read(path: &Path) -> io::Result<EnvFile> {
    let invalid = |what: &str| io::Error::new(io::ErrorKind::InvalidData, what.to_owned());
    // A pipe or a device may have no end, or none yet.
    if !std::fs::metadata(path)?.is_file() {
        return Err(invalid("it is not a plain file"));
    }
    let mut bytes = Vec::new();
    File::open(path)?.take(MAX_ENV_FILE_SIZE as u64 + 1).read_to_end(&mut bytes)?;
    if bytes.len() > MAX_ENV_FILE_SIZE {
        return Err(invalid(&format!("it has more than {MAX_ENV_FILE_SIZE} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| invalid("it is not UTF-8"))?;
    Ok(parse(&text))
}

/// `NAME=value` a line, with an optional `export`, `#` for comments, and quotes: single ones keep everything, double
/// ones know `\n`, `\r`, `\t`, `\"`, `\\` and `\$`. A quoted value may go over several lines. Nothing is replaced in a value.
pub(super) fn parse(text: &str) -> EnvFile {
    let mut file = EnvFile::default();
    let mut rest = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut line = 1;
    while !rest.is_empty() {
        let end = rest.find('\n').map_or(rest.len(), |at| at + 1);
        let trimmed = rest[..end].trim();
        let mut taken = end;
        if !trimmed.is_empty() && !trimmed.starts_with('#') {
            match assignment(rest) {
                Some((name, value, length)) => {
                    file.variables.push((name.to_owned(), Secret::new(value)));
                    taken = length;
                }
                None => file.unread.push(line),
            }
        }
        line += rest[..taken].matches('\n').count();
        rest = &rest[taken..];
    }
    file
}

/// The name, the value, and how many bytes both take with the end of their last line.
fn assignment(text: &str) -> Option<(&str, String, usize)> {
    let line = text.lines().next()?;
    let (name, _) = line.split_once('=')?;
    let value_at = name.len() + 1;
    let name = name.trim();
    let name =
        name.strip_prefix("export").filter(|rest| rest.starts_with([' ', '\t'])).unwrap_or(name).trim();
    let is_name = !name.is_empty()
        && !name.starts_with(|c: char| c.is_ascii_digit())
        && name.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '-'));
    if !is_name {
        return None;
    }
    let value = &text[value_at..];
    let blank = value.len() - value.trim_start_matches([' ', '\t']).len();
    let value = &value[blank..];
    let (value, length) = match value.chars().next() {
        Some(quote @ ('"' | '\'')) => quoted(&value[1..], quote)?,
        _ => plain(value),
    };
    Some((name, value, value_at + blank + length))
}

/// The value up to the quote that closes it, and the bytes up to the end of the line, the first quote included.
fn quoted(text: &str, quote: char) -> Option<(String, usize)> {
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
    // Something glued to the quotes is neither a value nor a comment.
    (after.is_empty() || after.starts_with('#')).then_some((value.replace("\r\n", "\n"), 1 + end + line))
}

/// A value without quotes: up to the end of the line or a comment, which has a space in front.
fn plain(text: &str) -> (String, usize) {
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

    fn check(text: &str, expected: &[(&str, &str)], unread: &[usize]) {
        let file = parse(text);
        let found: Vec<_> =
            file.variables.iter().map(|(name, value)| (name.as_str(), value.expose())).collect();
        assert_eq!((found.as_slice(), file.unread.as_slice()), (expected, unread), "{text:?}");
    }

    /// microsoft/vscode#244059, griffithsbs/envmcp#4.
    #[test]
    fn quotes_comments_and_line_ends_are_read() {
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
    fn a_quoted_value_goes_over_several_lines() {
        check(
            "K=\"-----BEGIN\r\nabc\r\n-----END\"\r\nL=1",
            &[("K", "-----BEGIN\nabc\n-----END"), ("L", "1")],
            &[],
        );
        check("A='x\ny' # two\nB=a#b\nC=#none", &[("A", "x\ny"), ("B", "a#b"), ("C", "")], &[]);
    }

    #[test]
    fn what_is_no_assignment_is_told_by_its_line() {
        check("A=1\n=2\n1A=3\nA B=4\nC=\"open\nD=\"x\"y\nE=5", &[("A", "1"), ("E", "5")], &[2, 3, 4, 5, 6]);
    }

    proptest! {
        #[test]
        fn every_text_is_read(text in "[A-C=\"'#\\\\\r\n $é]{0,60}") {
            let file = parse(&text);
            prop_assert!(file.variables.len() + file.unread.len() <= text.lines().count());
        }
    }
}
