//! Generates strings that match regular expressions, for the syntax that is common in schemas.

use std::iter::Peekable;
use std::str::Chars;

/// Maximum number of repetitions of a part.
const MAX_REPEATS: u64 = 200;
/// Maximum number of groups.
const MAX_GROUPS: usize = 20;

/// Generates a string for `pattern`: the shortest one, with `extra` more repetitions; a different one for each `variant`, if
/// there are several. `None` if the pattern uses unsupported syntax.
///
/// The string may not match, for instance because of `\b`, so the caller must check it.
pub(crate) fn sample(pattern: &str, extra: u64, variant: usize) -> Option<String> {
    let mut parser = Parser { rest: pattern.chars().peekable(), groups: 0 };
    let alternatives = parser.parse_alternatives()?;
    if parser.rest.next().is_some() {
        return None;
    }
    let mut text = String::new();
    write_sample(&alternatives, extra, variant, &mut text);
    Some(text)
}

/// Generates a string that probably matches the pattern.
pub(crate) fn matching(pattern: &str) -> Option<String> {
    (0..4).find_map(|extra| sample(pattern, extra, 0))
}

/// Alternative sequences of parts.
type Alternatives = Vec<Vec<Part>>;

/// A quantified atom.
struct Part {
    atom: Atom,
    min: u64,
    max: u64,
}

enum Atom {
    /// One of these characters.
    Character(Vec<char>),
    Group(Alternatives),
    /// A position between characters.
    Position,
}

fn write_sample(alternatives: &Alternatives, extra: u64, variant: usize, text: &mut String) {
    let Some(parts) = alternatives.get(variant % alternatives.len().max(1)) else { return };
    for part in parts {
        for _ in 0..part.min.saturating_add(extra).min(part.max).min(MAX_REPEATS) {
            match &part.atom {
                Atom::Character(choices) => text.extend(choices.get(variant % choices.len().max(1))),
                Atom::Group(inner) => write_sample(inner, extra, variant, text),
                Atom::Position => {}
            }
        }
    }
}

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    groups: usize,
}

impl Parser<'_> {
    fn parse_alternatives(&mut self) -> Option<Alternatives> {
        let mut alternatives = vec![Vec::new()];
        while let Some(next) = self.rest.peek().copied() {
            match next {
                ')' => break,
                '|' => {
                    self.rest.next();
                    alternatives.push(Vec::new());
                }
                _ => {
                    let atom = self.parse_atom()?;
                    let (min, max) = self.parse_quantifier()?;
                    alternatives.last_mut()?.push(Part { atom, min, max });
                }
            }
        }
        Some(alternatives)
    }

    fn parse_atom(&mut self) -> Option<Atom> {
        Some(match self.rest.next()? {
            '^' | '$' => Atom::Position,
            '.' => Atom::Character(word_characters()),
            '[' => Atom::Character(self.parse_class()?),
            '(' => self.parse_group()?,
            '\\' => match self.rest.next()? {
                'b' | 'B' | 'A' | 'z' => Atom::Position,
                escaped => Atom::Character(expand_escape(escaped)?),
            },
            '*' | '+' | '?' => return None,
            literal => Atom::Character(vec![literal]),
        })
    }

    fn parse_group(&mut self) -> Option<Atom> {
        self.groups += 1;
        if self.groups > MAX_GROUPS {
            return None;
        }
        if self.rest.next_if_eq(&'?').is_some() {
            self.rest.next_if_eq(&'P');
            match self.rest.next()? {
                ':' => {}
                '<' => while self.rest.next()? != '>' {},
                _ => return None,
            }
        }
        let inner = self.parse_alternatives()?;
        self.rest.next_if_eq(&')')?;
        Some(Atom::Group(inner))
    }

    /// Parses the quantifier of the preceding atom.
    fn parse_quantifier(&mut self) -> Option<(u64, u64)> {
        let quantifier = match self.rest.peek() {
            Some('?') => (0, 1),
            Some('*') => (0, u64::MAX),
            Some('+') => (1, u64::MAX),
            Some('{') => {
                self.rest.next();
                let mut inside = String::new();
                while *self.rest.peek()? != '}' {
                    inside.extend(self.rest.next());
                }
                match inside.split_once(',') {
                    None => (inside.parse().ok()?, inside.parse().ok()?),
                    Some((min, "")) => (min.parse().ok()?, u64::MAX),
                    Some((min, max)) => (min.parse().ok()?, max.parse().ok()?),
                }
            }
            _ => return Some((1, 1)),
        };
        self.rest.next();
        // A lazy quantifier matches the same strings.
        self.rest.next_if_eq(&'?');
        Some(quantifier)
    }

    /// Parses a class after its opening bracket, and returns its characters.
    fn parse_class(&mut self) -> Option<Vec<char>> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut members: Vec<char> = Vec::new();
        let mut first = true;
        loop {
            let start = match self.rest.next()? {
                ']' if !first => break,
                '[' => return None,
                '\\' => {
                    let escaped = expand_escape(self.rest.next()?)?;
                    let [single] = escaped[..] else {
                        members.extend(escaped);
                        first = false;
                        continue;
                    };
                    single
                }
                literal => literal,
            };
            first = false;
            let mut ahead = self.rest.clone();
            if ahead.next() == Some('-') && ahead.peek().is_some_and(|end| *end != ']') {
                self.rest.next();
                let end = match self.rest.next()? {
                    '\\' => *expand_escape(self.rest.next()?)?.first()?,
                    end => end,
                };
                // A part of the range is enough; it may be as large as Unicode.
                members.extend((start..=end).take(usize::from(u8::MAX)));
            } else {
                members.push(start);
            }
        }
        if negated {
            let others = word_characters().into_iter().chain("- .,:;/@#".chars());
            members = others.filter(|other| !members.contains(other)).collect();
        }
        (!members.is_empty()).then_some(members)
    }
}

fn word_characters() -> Vec<char> {
    ('a'..='z').chain('0'..='9').collect()
}

fn expand_escape(escaped: char) -> Option<Vec<char>> {
    Some(match escaped {
        'd' => ('0'..='9').collect(),
        'w' => word_characters(),
        's' => vec![' '],
        'D' | 'S' => ('a'..='z').collect(),
        'W' => vec!['-'],
        'n' => vec!['\n'],
        'r' => vec!['\r'],
        't' => vec!['\t'],
        other if other.is_ascii_alphanumeric() => return None,
        other => vec![other],
    })
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;

    use super::sample;

    #[test]
    fn generates_strings_that_match() {
        for (pattern, expected) in [
            (r"^#W\d{7}$", "#W0000000"),
            ("^[a-z]+$", "a"),
            ("^[A-Z]{2,3}-[0-9]+$", "AA-0"),
            ("^(0|[1-9][0-9]*)$", "0"),
            (r"^https?://[^/\s]+(/.*)?$", "http://a"),
            (r"^[\w.+-]+@[\w-]+\.\w{2,}$", "a@a.aa"),
            (r"(?:ab){2}", "abab"),
            (r"^(?P<year>\d{4})-(?<month>\d\d)$", "0000-00"),
            (r"^[^a-z]$", "0"),
            (r"^a{3,}?$", "aaa"),
            ("^[]a]$", "]"),
            ("", ""),
        ] {
            let text = sample(pattern, 0, 0).expect(pattern);
            assert_eq!(text, expected, "{pattern}");
            assert!(Regex::new(pattern).expect("a pattern").is_match(&text), "{pattern} {text}");
        }
        assert_eq!(sample("^a+b?$", 2, 0).as_deref(), Some("aaab"));
        assert_eq!(sample(r"^\d$", 0, 3).as_deref(), Some("3"));
    }

    #[test]
    fn rejects_unsupported_syntax() {
        for pattern in [r"\p{Lu}", "(?i)a", "[[:alpha:]]", "(", "a{", "[a", "*", r"\x41", "a)"] {
            assert_eq!(sample(pattern, 0, 0), None, "{pattern}");
        }
    }
}
