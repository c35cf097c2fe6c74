//! Parses patterns with the syntax of ECMA-262 and its flag `u` (JSON Schema 2020-12 core §6.4), as far as they
//! are regular.

use std::iter::Peekable;
use std::str::Chars;

/// Characters, as sorted ranges with gaps between them.
pub(super) type Class = Vec<(u32, u32)>;

/// The largest character.
const LAST: u32 = 0x0010_FFFF;
/// Maximum depth of nested groups.
const MAX_DEPTH: usize = 64;

/// A parsed pattern.
#[derive(Debug, Clone)]
pub(super) enum Part {
    Class(Class),
    Row(Vec<Part>),
    Either(Vec<Part>),
    /// A repetition with minimum and maximum.
    Repeat(Box<Part>, u64, Option<u64>),
    Start,
    End,
}

/// Parses a pattern and extends it to whole strings, since JSON Schema searches for a match. `None` if it is not
/// regular (back-references, look-around), invalid, or not supported.
pub(super) fn whole(pattern: &str) -> Option<Part> {
    let mut reader = Reader { rest: pattern.chars().peekable(), depth: 0 };
    let part = reader.either()?;
    if reader.rest.next().is_some() {
        return None;
    }
    let part = open(part, true);
    let part = open(part, false);
    has_no_anchor(&part).then_some(part)
}

/// Any string: what may precede and follow the match.
fn anything() -> Part {
    Part::Repeat(Box::new(Part::Class(all())), 0, None)
}

/// Adds any string at an end of the pattern, unless it has an anchor there.
fn open(part: Part, at_start: bool) -> Part {
    match part {
        Part::Start if at_start => Part::Row(Vec::new()),
        Part::End if !at_start => Part::Row(Vec::new()),
        Part::Either(parts) => Part::Either(parts.into_iter().map(|part| open(part, at_start)).collect()),
        Part::Row(parts) if parts.is_empty() => anything(),
        Part::Row(mut parts) => {
            let end = if at_start { 0 } else { parts.len() - 1 };
            parts[end] = open(parts[end].clone(), at_start);
            Part::Row(parts)
        }
        other if at_start => Part::Row(vec![anything(), other]),
        other => Part::Row(vec![other, anything()]),
    }
}

fn has_no_anchor(part: &Part) -> bool {
    match part {
        Part::Start | Part::End => false,
        Part::Class(_) => true,
        Part::Row(parts) | Part::Either(parts) => parts.iter().all(has_no_anchor),
        Part::Repeat(part, ..) => has_no_anchor(part),
    }
}

struct Reader<'p> {
    rest: Peekable<Chars<'p>>,
    depth: usize,
}

impl Reader<'_> {
    fn either(&mut self) -> Option<Part> {
        let mut parts = vec![self.row()?];
        while self.rest.next_if_eq(&'|').is_some() {
            parts.push(self.row()?);
        }
        if parts.len() == 1 { parts.pop() } else { Some(Part::Either(parts)) }
    }

    fn row(&mut self) -> Option<Part> {
        let mut parts = Vec::new();
        while let Some(next) = self.rest.peek() {
            if matches!(next, '|' | ')') {
                break;
            }
            let part = self.one()?;
            parts.push(self.repeat(part)?);
        }
        Some(Part::Row(parts))
    }

    fn one(&mut self) -> Option<Part> {
        Some(match self.rest.next()? {
            '^' => Part::Start,
            '$' => Part::End,
            '.' => Part::Class(without(&vec![(0x0a, 0x0a), (0x0d, 0x0d), (0x2028, 0x2029)])),
            '(' => {
                self.depth += 1;
                if self.depth > MAX_DEPTH {
                    return None;
                }
                if self.rest.next_if_eq(&'?').is_some() {
                    self.group_head()?;
                }
                let part = self.either()?;
                self.rest.next_if_eq(&')')?;
                self.depth -= 1;
                part
            }
            '[' => Part::Class(self.class()?),
            '\\' => Part::Class(self.escape(false)?),
            '*' | '+' | '?' | '{' | '}' | ']' | ')' => return None,
            other => Part::Class(vec![(other.into(), other.into())]),
        })
    }

    /// `?:` or `?<name>`; other groups starting with `?` are look-around or change flags.
    fn group_head(&mut self) -> Option<()> {
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

    fn repeat(&mut self, part: Part) -> Option<Part> {
        let (least, most) = match self.rest.peek() {
            Some('*') => (0, None),
            Some('+') => (1, None),
            Some('?') => (0, Some(1)),
            Some('{') => {
                self.rest.next();
                let (least, most) = self.count()?;
                // The order in which alternatives are tried does not affect whether there is a match.
                self.rest.next_if_eq(&'?');
                return Some(Part::Repeat(Box::new(part), least, most));
            }
            _ => return Some(part),
        };
        self.rest.next();
        self.rest.next_if_eq(&'?');
        Some(Part::Repeat(Box::new(part), least, most))
    }

    fn count(&mut self) -> Option<(u64, Option<u64>)> {
        let least = self.number()?;
        let most = match self.rest.next()? {
            '}' => return Some((least, Some(least))),
            ',' if self.rest.peek() == Some(&'}') => None,
            ',' => Some(self.number()?),
            _ => return None,
        };
        self.rest.next_if_eq(&'}')?;
        most.is_none_or(|most| most >= least).then_some((least, most))
    }

    fn number(&mut self) -> Option<u64> {
        let mut digits = String::new();
        while let Some(digit) = self.rest.next_if(char::is_ascii_digit) {
            digits.push(digit);
        }
        digits.parse().ok()
    }

    fn class(&mut self) -> Option<Class> {
        let is_negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges = Vec::new();
        loop {
            let from = match self.rest.next()? {
                ']' => break,
                '\\' => self.escape(true)?,
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
                    '\\' => self.escape(true)?,
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
        let class = sort(ranges);
        Some(if is_negated { without(&class) } else { class })
    }

    fn escape(&mut self, in_class: bool) -> Option<Class> {
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
            'D' => Some(without(&digit)),
            'w' => Some(word),
            'W' => Some(without(&word)),
            's' => Some(space),
            'S' => Some(without(&space)),
            't' => one(0x09),
            'n' => one(0x0a),
            'v' => one(0x0b),
            'f' => one(0x0c),
            'r' => one(0x0d),
            'b' if in_class => one(0x08),
            '0' if !self.rest.peek().is_some_and(char::is_ascii_digit) => one(0),
            'x' => one(self.hex(2)?),
            'u' if self.rest.next_if_eq(&'{').is_some() => {
                let digits: String =
                    std::iter::from_fn(|| self.rest.next_if(char::is_ascii_hexdigit)).collect();
                self.rest.next_if_eq(&'}')?;
                one(u32::from_str_radix(&digits, 16).ok().filter(|code| char::from_u32(*code).is_some())?)
            }
            // A surrogate only represents a character together with the other one.
            'u' => one(self.hex(4).filter(|code| char::from_u32(*code).is_some())?),
            other if other.is_ascii_punctuation() && other != '_' => one(other.into()),
            _ => None,
        }
    }

    fn hex(&mut self, length: usize) -> Option<u32> {
        (0..length).try_fold(0, |code, _| Some(code * 16 + self.rest.next()?.to_digit(16)?))
    }
}

/// Returns all characters.
pub(super) fn all() -> Class {
    vec![(0, 0xd7ff), (0xe000, LAST)]
}

/// Returns the characters that are not in the class.
pub(super) fn without(class: &Class) -> Class {
    let mut left = Vec::new();
    for (low, high) in all() {
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

fn sort(mut ranges: Class) -> Class {
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
