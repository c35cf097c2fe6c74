//! Parses patterns with the syntax of ECMA-262 and its flag `u` (JSON Schema 2020-12 core §6.4), as far as they
//! are regular.

use std::iter::Peekable;
use std::str::Chars;

/// A class of characters: sorted ranges that neither overlap nor touch.
pub(super) type Class = Vec<(u32, u32)>;

/// The largest character.
const LAST_CHARACTER: u32 = 0x0010_FFFF;
/// Maximum depth of nested groups.
const MAX_DEPTH: usize = 64;

/// A parsed pattern.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Class(Class),
    Concat(Vec<Part>),
    Alternation(Vec<Part>),
    /// A repetition with minimum and maximum.
    Repeat(Box<Part>, u64, Option<u64>),
    Start,
    End,
}

/// Parses a pattern and extends it to whole strings, since JSON Schema patterns are not anchored. Returns `None` if it
/// is not regular (back-references, look-around), invalid, or unsupported.
pub(super) fn parse(pattern: &str) -> Option<Part> {
    let mut parser = Parser { rest: pattern.chars().peekable(), depth: 0 };
    let part = parser.parse_alternation()?;
    if parser.rest.next().is_some() {
        return None;
    }
    let part = extend(part, true);
    let part = extend(part, false);
    has_no_anchors(&part).then_some(part)
}

/// Returns any string, which may precede and follow the match.
fn any_string() -> Part {
    Part::Repeat(Box::new(Part::Class(all_characters())), 0, None)
}

/// Adds any string at an end of the pattern, unless it has an anchor there.
fn extend(part: Part, at_start: bool) -> Part {
    match part {
        Part::Start if at_start => Part::Concat(Vec::new()),
        Part::End if !at_start => Part::Concat(Vec::new()),
        Part::Alternation(parts) => {
            Part::Alternation(parts.into_iter().map(|part| extend(part, at_start)).collect())
        }
        Part::Concat(parts) if parts.is_empty() => any_string(),
        Part::Concat(mut parts) => {
            let end = if at_start { 0 } else { parts.len() - 1 };
            parts[end] = extend(parts[end].clone(), at_start);
            Part::Concat(parts)
        }
        other if at_start => Part::Concat(vec![any_string(), other]),
        other => Part::Concat(vec![other, any_string()]),
    }
}

fn has_no_anchors(part: &Part) -> bool {
    match part {
        Part::Start | Part::End => false,
        Part::Class(_) => true,
        Part::Concat(parts) | Part::Alternation(parts) => parts.iter().all(has_no_anchors),
        Part::Repeat(part, ..) => has_no_anchors(part),
    }
}

struct Parser<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Parser<'_> {
    fn parse_alternation(&mut self) -> Option<Part> {
        let mut parts = vec![self.parse_sequence()?];
        while self.rest.next_if_eq(&'|').is_some() {
            parts.push(self.parse_sequence()?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(Part::Alternation(parts)) }
    }

    fn parse_sequence(&mut self) -> Option<Part> {
        let mut parts = Vec::new();
        while let Some(next) = self.rest.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let part = self.parse_atom()?;
            parts.push(self.parse_quantifier(part)?);
        }
        Some(Part::Concat(parts))
    }

    fn parse_atom(&mut self) -> Option<Part> {
        Some(match self.rest.next()? {
            '^' => Part::Start,
            '$' => Part::End,
            '.' => Part::Class(complement(&vec![(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)])),
            '(' => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return None;
                }
                if self.rest.next_if_eq(&'?').is_some() {
                    self.parse_group_prefix()?;
                }
                let part = self.parse_alternation()?;
                self.rest.next_if_eq(&')')?;
                self.depth -= 1;
                part
            }
            '[' => Part::Class(self.parse_class()?),
            '\\' => Part::Class(self.parse_escape(false)?),
            '*' | '+' | '?' | '{' | '}' | ']' | ')' => return None,
            other => Part::Class(vec![(other.into(), other.into())]),
        })
    }

    /// Parses `?:` or `?<name>`; other groups that start with `?` are look-around or change flags.
    fn parse_group_prefix(&mut self) -> Option<()> {
        match self.rest.next()? {
            ':' => Some(()),
            '<' => {
                let first = self.rest.next()?;
                if !first.is_alphabetic() && first != '_' && first != '$' {
                    return None;
                }
                self.rest.by_ref().find(|character| *character == '>').map(drop)
            }
            _ => None,
        }
    }

    fn parse_quantifier(&mut self, part: Part) -> Option<Part> {
        let (min, max) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.rest.next();
                let (min, max) = self.parse_counts()?;
                // The order in which alternatives are tried does not affect whether there is a match.
                self.rest.next_if_eq(&'?');
                return Some(Part::Repeat(Box::new(part), min, max));
            }
            _ => return Some(part),
        };
        self.rest.next();
        self.rest.next_if_eq(&'?');
        Some(Part::Repeat(Box::new(part), min, max))
    }

    fn parse_counts(&mut self) -> Option<(u64, Option<u64>)> {
        let min = self.parse_number()?;
        let max = match self.rest.next()? {
            '}' => return Some((min, Some(min))),
            ',' if self.rest.peek() == Some(&'}') => None,
            ',' => Some(self.parse_number()?),
            _ => return None,
        };
        self.rest.next_if_eq(&'}')?;
        max.is_none_or(|max| max >= min).then_some((min, max))
    }

    fn parse_number(&mut self) -> Option<u64> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    fn parse_class(&mut self) -> Option<Class> {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        loop {
            let from = match self.rest.next()? {
                ']' => break,
                '\\' => self.parse_escape(true)?,
                other => vec![(other.into(), other.into())],
            };
            if self.rest.peek() == Some(&'-') {
                self.rest.next();
                if self.rest.peek() == Some(&']') {
                    ranges.extend(from);
                    ranges.push((u32::from('-'), u32::from('-')));
                    continue;
                }
                let to = match self.rest.next()? {
                    '\\' => self.parse_escape(true)?,
                    other => vec![(other.into(), other.into())],
                };
                // The ends of a range must be single characters.
                let ([(low, same_low)], [(high, same_high)]) = (&from[..], &to[..]) else { return None };
                if low != same_low || high != same_high || low > high {
                    return None;
                }
                ranges.push((*low, *high));
            } else {
                ranges.extend(from);
            }
        }
        let class = normalize(ranges);
        Some(if is_negated { complement(&class) } else { class })
    }

    fn parse_escape(&mut self, in_class: bool) -> Option<Class> {
        let one = |code: u32| Some(vec![(code, code)]);
        let digit = vec![(0x30, 0x39)];
        let word = vec![(0x30, 0x39), (0x41, 0x5a), (0x5f, 0x5f), (0x61, 0x7a)];
        // ECMA-262 §12.2 and §12.3: white space and line terminators.
        let space = vec![
            (0x09, 0x0d),
            (0x20, 0x20),
            (0xa0, 0xa0),
            (0x1680, 0x1680),
            (0x2000, 0x200a),
            (0x2028, 0x2029),
            (0x202f, 0x202f),
            (0x205f, 0x205f),
            (0x3000, 0x3000),
            (0xfeff, 0xfeff),
        ];
        match self.rest.next()? {
            'd' => Some(digit),
            'D' => Some(complement(&digit)),
            'w' => Some(word),
            'W' => Some(complement(&word)),
            's' => Some(space),
            'S' => Some(complement(&space)),
            't' => one(0x09),
            'n' => one(0x0a),
            'v' => one(0x0b),
            'f' => one(0x0c),
            'r' => one(0x0d),
            'b' if in_class => one(0x08),
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => one(0),
            'x' => one(self.parse_hex(2)?),
            'u' if self.rest.next_if_eq(&'{').is_some() => {
                let digits: String =
                    std::iter::from_fn(|| self.rest.next_if(char::is_ascii_hexdigit)).collect();
                self.rest.next_if_eq(&'}')?;
                one(u32::from_str_radix(&digits, 16).ok().filter(|code| char::from_u32(*code).is_some())?)
            }
            // A single surrogate is not a character.
            'u' => one(self.parse_hex(4).filter(|code| char::from_u32(*code).is_some())?),
            other if other.is_ascii_punctuation() && other != '_' => one(other.into()),
            _ => None,
        }
    }

    fn parse_hex(&mut self, length: usize) -> Option<u32> {
        (0..length).try_fold(0, |code, _| Some(code * 16 + self.rest.next()?.to_digit(16)?))
    }
}

/// Returns all characters.
pub(super) fn all_characters() -> Class {
    vec![(0, 0xd7ff), (0xe000, LAST_CHARACTER)]
}

/// Returns the characters that are not in the class.
pub(super) fn complement(class: &Class) -> Class {
    let mut left = Vec::new();
    for (low, high) in all_characters() {
        let mut next = low;
        for (start, end) in class.iter().filter(|(start, end)| *end >= low && *start <= high) {
            if *start > next {
                left.push((next, start - 1));
            }
            next = next.max(end + 1);
        }
        if next <= high {
            left.push((next, high));
        }
    }
    left
}

fn normalize(mut ranges: Class) -> Class {
    ranges.sort_unstable();
    let mut class: Class = Vec::new();
    for (low, high) in ranges {
        match class.last_mut() {
            Some((_, end)) if low <= end.saturating_add(1) => *end = (*end).max(high),
            _ => class.push((low, high)),
        }
    }
    class
}
