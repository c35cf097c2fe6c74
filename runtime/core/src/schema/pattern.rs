//! A text that matches a regular expression, for the expressions that people write in schemas.

use std::iter::Peekable;
use std::str::Chars;

/// How many times a part is repeated at most, and how deep groups may lie in each other.
const MAX_REPEATS: u64 = 200;
const MAX_GROUPS: usize = 20;

/// A text that matches `pattern`: the shortest, with `extra` more of what may be repeated; another one for each
/// `variant`, as far as there are some. `None` where the pattern has parts that are not understood here.
///
/// The answer may still not match, for instance because of `\b`; whoever asks must check it.
pub(crate) fn sample(pattern: &str, extra: u64, variant: usize) -> Option<String> {
    let mut parser = Parser { rest: pattern.chars().peekable(), groups: 0 };
    let alternatives = parser.alternatives()?;
    if parser.rest.next().is_some() {
        return None;
    }
    let mut text = String::new();
    write(&alternatives, extra, variant, &mut text);
    Some(text)
}

/// A text that matches the pattern.
pub(crate) fn matching(pattern: &str) -> Option<String> {
    (0..4).find_map(|extra| sample(pattern, extra, 0))
}

/// Sequences of parts, of which one must match.
type Alternatives = Vec<Vec<Part>>;

/// Something that stands a number of times.
struct Part {
    what: What,
    least: u64,
    most: u64,
}

enum What {
    /// One of these characters.
    Character(Vec<char>),
    Group(Alternatives),
    /// A place between characters.
    Place,
}

fn write(alternatives: &Alternatives, extra: u64, variant: usize, text: &mut String) {
    let Some(parts) = alternatives.get(variant % alternatives.len().max(1)) else { return };
    for part in parts {
        for _ in 0..part.least.saturating_add(extra).min(part.most).min(MAX_REPEATS) {
            match &part.what {
                What::Character(choices) => text.extend(choices.get(variant % choices.len().max(1))),
                What::Group(inner) => write(inner, extra, variant, text),
                What::Place => {}
            }
        }
    }
}

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    groups: usize,
}

impl Parser<'_> {
    fn alternatives(&mut self) -> Option<Alternatives> {
        let mut alternatives = vec![Vec::new()];
        while let Some(next) = self.rest.peek().copied() {
            match next {
                ')' => break,
                '|' => {
                    self.rest.next();
                    alternatives.push(Vec::new());
                }
                _ => {
                    let what = self.what()?;
                    let (least, most) = self.quantity()?;
                    alternatives.last_mut()?.push(Part { what, least, most });
                }
            }
        }
        Some(alternatives)
    }

    fn what(&mut self) -> Option<What> {
        Some(match self.rest.next()? {
            '^' | '$' => What::Place,
            '.' => What::Character(word_characters()),
            '[' => What::Character(self.class()?),
            '(' => self.group()?,
            '\\' => match self.rest.next()? {
                'b' | 'B' | 'A' | 'z' => What::Place,
                escaped => What::Character(escape(escaped)?),
            },
            '*' | '+' | '?' => return None,
            literal => What::Character(vec![literal]),
        })
    }

    fn group(&mut self) -> Option<What> {
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
        let inner = self.alternatives()?;
        self.rest.next_if_eq(&')')?;
        Some(What::Group(inner))
    }

    /// How often the part before stands.
    fn quantity(&mut self) -> Option<(u64, u64)> {
        let quantity = match self.rest.peek() {
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
                    Some((least, "")) => (least.parse().ok()?, u64::MAX),
                    Some((least, most)) => (least.parse().ok()?, most.parse().ok()?),
                }
            }
            _ => return Some((1, 1)),
        };
        self.rest.next();
        // The lazy form of a quantity matches the same texts.
        self.rest.next_if_eq(&'?');
        Some(quantity)
    }

    /// The characters of a class whose bracket is open.
    fn class(&mut self) -> Option<Vec<char>> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut members: Vec<char> = Vec::new();
        let mut first = true;
        loop {
            let start = match self.rest.next()? {
                ']' if !first => break,
                '[' => return None,
                '\\' => {
                    let escaped = escape(self.rest.next()?)?;
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
                    '\\' => *escape(self.rest.next()?)?.first()?,
                    end => end,
                };
                // Enough of a range to choose from; a range as large as Unicode is not written out.
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

fn escape(escaped: char) -> Option<Vec<char>> {
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
    fn makes_texts_that_match() {
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
