//! Logging for server operators: lines on standard error, which no transport writes to.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

/// The maximum number of characters of a line, parts of which may be foreign data.
const MAX_CHARS: usize = 2_000;

/// Writes one line. Line breaks and control characters are escaped; write errors are ignored.
pub(crate) fn warn(text: fmt::Arguments<'_>) {
    let _ = io::stderr().lock().write_all(line(text).as_bytes());
}

fn line(text: fmt::Arguments<'_>) -> String {
    let mut line = "toolwright: ".to_owned();
    for character in text.to_string().chars().take(MAX_CHARS) {
        if character.is_control() || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}') {
            let _ = write!(line, "{}", character.escape_unicode());
        } else {
            line.push(character);
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use super::line;

    #[test]
    fn log_lines_escape_foreign_line_breaks() {
        assert_eq!(line(format_args!("the tool `{}`", "a")), "toolwright: the tool `a`\n");
        let hostile = line(format_args!("{}", "a\n::warning::b\r\u{1b}[2J\u{202e}c\u{85}"));
        assert_eq!(hostile.lines().count(), 1);
        assert!(hostile.ends_with('\n') && !hostile.trim_end().contains(char::is_control), "{hostile}");
        assert!(line(format_args!("{}", "x".repeat(1_000_000))).len() < 3_000);
    }
}
