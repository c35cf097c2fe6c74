//! Escapes third-party text for terminals and for runners of GitHub Actions.

use toolwright_core::manifest::{is_hidden, visible};

/// Marks each line of a third-party text, so that it cannot be confused with messages of this program.
pub(crate) fn quote_lines(text: &str) -> String {
    let lines = text
        .trim_end()
        .lines()
        .map(|line| format!("  | {}", visible(line.trim_end_matches('\r')).replace("##[", "#\\u{23}[")));
    lines.collect::<Vec<_>>().join("\n")
}

/// Escapes hidden characters, except line ends, tabs, and joiners and selectors of emoji, which are harmless, and
/// [commands](escape_commands).
pub(crate) fn escape_text(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        let is_emoji_part = matches!(character, '\u{200d}' | '\u{fe0e}'..='\u{fe0f}')
            && !before.is_ascii()
            && !is_hidden(before);
        if is_hidden(character) && !matches!(character, '\n' | '\t') && !is_emoji_part {
            escaped.extend(character.escape_unicode());
        } else {
            escaped.push(character);
        }
        if !is_emoji_part {
            before = character;
        }
    }
    escape_commands(&escaped)
}

/// Escapes commands for runners of GitHub Actions: `::` at the start of a line, also after white space, and `##[` anywhere
/// (actions/runner, `ActionCommand`).
pub(crate) fn escape_commands(text: &str) -> String {
    let escape_line = |line: &str| {
        let start = line.len() - line.trim_start().len();
        let line = match line[start..].strip_prefix("::") {
            Some(rest) => format!("{}\\u{{3a}}:{rest}", &line[..start]),
            None => line.to_owned(),
        };
        line.replace("##[", "#\\u{23}[")
    };
    text.split('\n').map(escape_line).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_hide_nothing_and_contain_no_commands() {
        for (text, shown) in [
            (
                "plain, with\n\ttabs — and 👩\u{200d}👧 ❤\u{fe0f}\n",
                "plain, with\n\ttabs — and 👩\u{200d}👧 ❤\u{fe0f}\n",
            ),
            ("a\u{1b}[2J\rb\u{9b}K", "a\\u{1b}[2J\\u{d}b\\u{9b}K"),
            ("a\u{202e}b\u{200b}\u{2028}\u{200d}", "a\\u{202e}b\\u{200b}\\u{2028}\\u{200d}"),
            ("::warning::x", "\\u{3a}:warning::x"),
            ("a ::b\n  ::error::x\n", "a ::b\n  \\u{3a}:error::x\n"),
            ("x ##[warning]y", "x #\\u{23}[warning]y"),
        ] {
            assert_eq!(escape_text(text), shown, "{text:?}");
        }
    }

    #[test]
    fn lines_of_others_are_marked() {
        assert_eq!(quote_lines("one\r\n::error::two\u{1b}[0m\n\n"), "  | one\n  | ::error::two\\u{1b}[0m");
    }
}
