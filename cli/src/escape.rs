//! Text of others, made harmless for terminals and for runners of GitHub Actions.

use toolwright_core::manifest::{is_hidden, visible};

/// A text of many lines that others wrote, each marked as such: no line of it looks like one of ours.
pub(crate) fn quote_lines(text: &str) -> String {
    let lines = text
        .trim_end()
        .lines()
        .map(|line| format!("  | {}", visible(line.trim_end_matches('\r')).replace("##[", "#\\u{23}[")));
    lines.collect::<Vec<_>>().join("\n")
}

/// A text of many lines with its hidden characters written out, but for line ends, tabs, and joiners and selectors of
/// pictures, which do no harm; and without [commands](escape_commands).
pub(crate) fn escape_text(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut before = ' ';
    for character in text.chars() {
        let is_picture = matches!(character, '\u{200d}' | '\u{fe0e}'..='\u{fe0f}')
            && !before.is_ascii()
            && !is_hidden(before);
        if is_hidden(character) && !matches!(character, '\n' | '\t') && !is_picture {
            shown.extend(character.escape_unicode());
        } else {
            shown.push(character);
        }
        if !is_picture {
            before = character;
        }
    }
    escape_commands(&shown)
}

/// Takes the meaning from what a runner of GitHub Actions would obey: `::` at the start of a line, whatever white space
/// is before it, and `##[` anywhere (actions/runner, `ActionCommand`).
pub(crate) fn escape_commands(text: &str) -> String {
    let line = |line: &str| {
        let start = line.len() - line.trim_start().len();
        let line = match line[start..].strip_prefix("::") {
            Some(rest) => format!("{}\\u{{3a}}:{rest}", &line[..start]),
            None => line.to_owned(),
        };
        line.replace("##[", "#\\u{23}[")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
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
