//! What the people who run a server are told: lines on standard error, where no transport writes.

use std::fmt::{self, Write as _};
use std::io::{self, Write as _};

/// How many characters a line has at most. Others may have written a part of it.
const MAX_CHARS: usize = 2_000;

/// Writes one line. What would end it or move the cursor is escaped; nobody is disturbed where standard error is closed.
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
    fn a_line_is_one_line_whatever_others_have_put_in() {
        assert_eq!(line(format_args!("the tool `{}`", "a")), "toolwright: the tool `a`\n");
        let hostile = line(format_args!("{}", "a\n::warning::b\r\u{1b}[2J\u{202e}c\u{85}"));
        assert_eq!(hostile.lines().count(), 1);
        assert!(hostile.ends_with('\n') && !hostile.trim_end().contains(char::is_control), "{hostile}");
        assert!(line(format_args!("{}", "x".repeat(1_000_000))).len() < 3_000);
    }
}
