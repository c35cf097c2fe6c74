//! `pattern`: a regular expression that means the same to the server and to every client.

/// Describes what is wrong with `pattern`, if anything.
///
/// Clients read patterns as ECMA-262 does (JSON Schema 2020-12, core 6.4); the server checks them with
/// `regex-lite`, in linear time. Only syntax that both support is accepted.
pub(super) fn find_problem(pattern: &str) -> Option<String> {
    if let Some(advice) = find_unsupported_syntax(pattern) {
        return Some(advice.to_owned());
    }
    let error = regex_lite::Regex::new(pattern).err()?.to_string();
    Some(match error.as_str() {
        "look-around is not supported" => {
            "look-around is not supported: arguments are checked in linear time; write it without, or check in the handler".to_owned()
        }
        "Unicode character classes are not supported" => {
            "Unicode classes are not supported; list the characters, or check in the handler".to_owned()
        }
        _ => format!("not a regular expression: {error}"),
    })
}

/// Whether `pattern` matches somewhere in `text`, as JSON Schema defines it.
pub(super) fn matches(pattern: &str, text: &str) -> bool {
    regex_lite::Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(text))
}

/// Syntax that `regex-lite` supports and ECMA-262 does not, or interprets differently.
fn find_unsupported_syntax(pattern: &str) -> Option<&'static str> {
    let mut rest = pattern;
    while let Some(letter) = rest.chars().next() {
        match letter {
            '\\' => {
                let escaped = rest[1..].chars().next();
                match escaped {
                    Some('A') => return Some("clients do not support `\\A`; write `^`"),
                    Some('z') => return Some("clients do not support `\\z`; write `$`"),
                    Some('a' | 'x' | 'u' | 'U') if rest[2..].starts_with('{') || escaped == Some('a') => {
                        return Some(
                            "clients do not support this escape; write `\\u` and four hexadecimal digits",
                        );
                    }
                    _ => {}
                }
                rest = &rest[1 + escaped.map_or(0, char::len_utf8)..];
                continue;
            }
            '(' if rest.starts_with("(?P<") => {
                return Some("clients do not support `(?P<name>…)`; write `(?<name>…)`");
            }
            '(' if rest.starts_with("(?")
                && !["(?:", "(?=", "(?!", "(?<"].iter().any(|known| rest.starts_with(known)) =>
            {
                return Some(
                    "clients do not support flags such as `(?i)`; write out both cases, as in `[Aa]`",
                );
            }
            '[' if rest.starts_with("[[:") => {
                return Some(
                    "clients do not support `[[:alpha:]]` and the like; write the range, as in `[A-Za-z]`",
                );
            }
            _ => {}
        }
        rest = &rest[letter.len_utf8()..];
    }
    None
}

#[cfg(test)]
mod tests {
    use super::find_problem;

    #[test]
    fn patterns_that_both_sides_read_alike() {
        for pattern in ["^#W\\d{7}$", "(?:a|b)+", "(?<year>\\d{4})", "[^\\\\A]", "\\.z", "\\x41", "é\\d", ""]
        {
            assert_eq!(find_problem(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn patterns_that_one_side_rejects() {
        for pattern in [
            "(",
            "a{2,1}",
            "[z-a]",
            "*",
            "(?=x)",
            "(?<!x)y",
            "\\1",
            "\\pL",
            "(?i)x",
            "(?P<y>x)",
            "\\Ax",
            "x\\z",
            "[[:alpha:]]",
            "\\x{41}",
            "\\",
            "\\a",
        ] {
            assert!(find_problem(pattern).is_some(), "{pattern}");
        }
    }
}
