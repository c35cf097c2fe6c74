//! Patterns with the semantics of ECMA-262 (JSON Schema 2020-12, core 6.4), matched in linear time by
//! `regex-lite`.

use regex_lite::Regex;

/// A compiled `pattern`.
#[derive(Debug, Clone)]
pub(in crate::arguments) struct Pattern {
    /// The source of the pattern.
    source: Box<str>,
    regex: Regex,
}

impl Pattern {
    /// Compiles `pattern`; the error names unsupported syntax.
    pub(super) fn new(pattern: &str) -> Result<Self, String> {
        // Compiles the original first, so that errors refer to what the author wrote.
        Regex::new(pattern).map_err(|error| error.to_string())?;
        let regex = Regex::new(&translate(pattern)).map_err(|error| error.to_string())?;
        Ok(Self { source: pattern.into(), regex })
    }

    pub(in crate::arguments) fn as_str(&self) -> &str {
        &self.source
    }

    /// Returns whether it matches anywhere in `text`.
    pub(in crate::arguments) fn is_match(&self, text: &str) -> bool {
        self.regex.is_match(text)
    }
}

/// Line terminators (ECMA-262, 12.3), which `.` does not match.
const LINE_ENDS: &str = r"\n\r\u{2028}\u{2029}";
/// White space and line terminators (ECMA-262, 12.2 and 12.3), which `\s` matches.
const SPACES: &str = r"\t-\r \u{a0}\u{1680}\u{2000}-\u{200a}\u{2028}\u{2029}\u{202f}\u{205f}\u{3000}\u{feff}";
/// All other characters.
const NO_SPACES: &str = concat!(
    r"\u{0}-\u{8}\u{e}-\u{1f}!-\u{9f}\u{a1}-\u{167f}\u{1681}-\u{1fff}\u{200b}-\u{2027}\u{202a}-\u{202e}",
    r"\u{2030}-\u{205e}\u{2060}-\u{2fff}\u{3001}-\u{fefe}\u{ff00}-\u{10ffff}"
);

/// Translates the pattern for `regex-lite`, where `.` excludes only `
/// `, and `\s` is ASCII.
fn translate(pattern: &str) -> String {
    let mut translated = String::with_capacity(pattern.len());
    let mut in_class = false;
    let mut letters = pattern.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => {
                let class = match letters.next() {
                    Some('s') => SPACES,
                    Some('S') => NO_SPACES,
                    Some(escaped) => {
                        translated.extend(['\\', escaped]);
                        continue;
                    }
                    None => continue,
                };
                if in_class {
                    translated.push_str(class);
                } else {
                    translated.extend(["[", class, "]"]);
                }
                continue;
            }
            '[' if !in_class => in_class = true,
            ']' => in_class = false,
            '.' if !in_class => {
                translated.extend(["[^", LINE_ENDS, "]"]);
                continue;
            }
            _ => {}
        }
        translated.push(letter);
    }
    translated
}

#[cfg(test)]
mod tests {
    use super::Pattern;

    #[test]
    fn dots_and_spaces_are_those_of_ecma_262() {
        for (pattern, text, expected) in [
            ("^.$", "a", true),
            ("^.$", "é", true),
            ("^.$", "\n", false),
            ("^.$", "\r", false),
            ("^.$", "\u{2028}", false),
            ("^.$", "\u{2029}", false),
            ("^[.]$", ".", true),
            ("^[.]$", "a", false),
            (r"^\.$", "a", false),
            ("^.{1,80}$", "a\rb", false),
            (r"^\S+$", "a\u{a0}b", false),
            (r"^\S+$", "\u{feff}", false),
            (r"^\S+$", "é\u{10ffff}", true),
            (r"^\s$", "\u{3000}", true),
            (r"^\s$", "\u{b}", true),
            (r"^\s$", "\u{85}", false),
            (r"^[\s]$", "\u{2003}", true),
            (r"^[^\s]$", "\u{2003}", false),
            (r"^[\S]$", "x", true),
            (r"^[\S]$", " ", false),
            (r"^\\s$", r"\s", true),
            (r"^\d$", "٣", false),
            (r"^[\]\s]$", "]", true),
        ] {
            let compiled = Pattern::new(pattern).expect(pattern);
            assert_eq!(compiled.is_match(text), expected, "{pattern} {text:?}");
            assert_eq!(compiled.as_str(), pattern);
        }
        assert!(Pattern::new("(").is_err());
    }
}
