//! Sets of strings that patterns match, with intersection, complement and length constraints.
//!
//! A set is a regular expression with "and" and "not". Its derivative by a character is the set of remainders
//! (Brzozowski 1964). Emptiness is decided by following derivatives (Owens, Reppy and Turon: Regular-expression
//! derivatives re-examined, 2009): one character represents all with the same derivative.

mod parse;

use std::collections::{HashMap, HashSet, VecDeque};

use parse::{Class, Part};

/// Maximum number of sets to visit in a search for a string.
const MAX_FOLLOWED: usize = 4_000;
/// Maximum length of a pattern.
const MAX_LENGTH: usize = 1_000;
/// Maximum total number of sets.
const MAX_SETS: usize = 60_000;
/// Characters for readable examples, the best first.
const READABLE: &str =
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_- .,:;/@#+*!?=&%$'\"()<>[]{}|^~`\\";

/// The id of a set of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Set(u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Term {
    Never,
    /// The empty string.
    Empty,
    /// One of these characters.
    One(Class),
    Row(Set, Set),
    Either(Vec<Set>),
    Both(Vec<Set>),
    Not(Set),
    Repeat(Set, u64, Option<u64>),
}

/// The result of a search for a string in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Found {
    Text(String),
    Nothing,
    /// The limit was reached.
    Unknown,
}

/// All sets.
#[derive(Debug, Default)]
pub(super) struct Sets {
    terms: Vec<Term>,
    /// Whether the set contains the empty string.
    nullable: Vec<bool>,
    numbers: HashMap<Term, Set>,
    derivatives: HashMap<(Set, char), Set>,
}

impl Sets {
    /// Returns the strings that a pattern matches; `None` if the pattern is not regular or not supported.
    pub(super) fn pattern(&mut self, pattern: &str) -> Option<Set> {
        let part = parse::whole(Some(pattern).filter(|pattern| pattern.len() <= MAX_LENGTH)?)?;
        Some(self.part(&part))
    }

    /// Returns the set of all strings.
    pub(super) fn all(&mut self) -> Set {
        self.repeat_all(0, None)
    }

    /// Returns the strings with a length in this range.
    pub(super) fn length(&mut self, least: u64, most: Option<u64>) -> Set {
        self.repeat_all(least, most)
    }

    /// Returns the set with only this string.
    pub(super) fn text(&mut self, text: &str) -> Set {
        let empty = self.number(Term::Empty);
        text.chars().rev().fold(empty, |rest, character| {
            let one = self.number(Term::One(vec![(character.into(), character.into())]));
            self.row(one, rest)
        })
    }

    /// Returns the intersection of these sets.
    pub(super) fn both(&mut self, sets: impl IntoIterator<Item = Set>) -> Set {
        let mut parts = Vec::new();
        for set in sets {
            match &self.terms[set.index()] {
                Term::Never => return set,
                Term::Both(inner) => parts.extend(inner),
                Term::Repeat(inner, 0, None) if self.is_every_character(*inner) => {}
                _ => parts.push(set),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        let is_opposite = |set: &Set| matches!(self.terms[set.index()], Term::Not(other) if parts.binary_search(&other).is_ok());
        if parts.iter().any(is_opposite) {
            return self.number(Term::Never);
        }
        match parts.len() {
            0 => self.all(),
            1 => parts[0],
            _ => self.number(Term::Both(parts)),
        }
    }

    /// Returns the complement of a set.
    pub(super) fn not(&mut self, set: Set) -> Set {
        match &self.terms[set.index()] {
            Term::Not(inner) => *inner,
            Term::Never => self.all(),
            Term::Repeat(inner, 0, None) if self.is_every_character(*inner) => self.number(Term::Never),
            _ => self.number(Term::Not(set)),
        }
    }

    /// Returns whether a set contains a string.
    pub(super) fn has(&mut self, set: Set, text: &str) -> bool {
        let mut set = set;
        for character in text.chars() {
            set = self.after(set, character);
        }
        self.nullable[set.index()]
    }

    /// Returns a shortest string of the set.
    pub(super) fn shortest(&mut self, set: Set) -> Found {
        let mut from: HashMap<Set, (Set, char)> = HashMap::new();
        let mut seen = HashSet::from([set]);
        let mut waiting = VecDeque::from([set]);
        while let Some(next) = waiting.pop_front() {
            if self.nullable[next.index()] {
                let mut text = Vec::new();
                let mut place = next;
                while let Some((before, character)) = from.get(&place).filter(|_| place != set) {
                    text.push(*character);
                    place = *before;
                }
                return Found::Text(text.into_iter().rev().collect());
            }
            if seen.len() > MAX_FOLLOWED || self.terms.len() > MAX_SETS {
                return Found::Unknown;
            }
            for character in self.characters(next) {
                let after = self.after(next, character);
                if self.terms[after.index()] != Term::Never && seen.insert(after) {
                    from.insert(after, (next, character));
                    waiting.push_back(after);
                }
            }
        }
        Found::Nothing
    }

    /// Returns the derivative by this character.
    fn after(&mut self, set: Set, character: char) -> Set {
        let first = self.representative(set, character);
        if let Some(after) = self.derivatives.get(&(set, first)) {
            return *after;
        }
        let after = match self.terms[set.index()].clone() {
            Term::Never | Term::Empty => self.number(Term::Never),
            Term::One(class) => {
                let code = u32::from(character);
                let is_in = class.iter().any(|(low, high)| (*low..=*high).contains(&code));
                self.number(if is_in { Term::Empty } else { Term::Never })
            }
            Term::Row(first, second) => {
                let after = self.after(first, character);
                let row = self.row(after, second);
                if self.nullable[first.index()] {
                    let skipped = self.after(second, character);
                    self.either([row, skipped])
                } else {
                    row
                }
            }
            Term::Either(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.after(part, character)).collect();
                self.either(parts)
            }
            Term::Both(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.after(part, character)).collect();
                self.both(parts)
            }
            Term::Not(inner) => {
                let after = self.after(inner, character);
                self.not(after)
            }
            Term::Repeat(inner, least, most) => {
                let after = self.after(inner, character);
                let rest = self.repeat(inner, least.saturating_sub(1), most.map(|most| most - 1));
                self.row(after, rest)
            }
        };
        self.derivatives.insert((set, first), after);
        after
    }

    /// Returns the representative of `character`, which has the same derivative.
    fn representative(&self, set: Set, character: char) -> char {
        let code = u32::from(character);
        let mut low = 0;
        self.borders(set, &mut |border| {
            if border <= code {
                low = low.max(border);
            }
        });
        char::from_u32(low).unwrap_or(character)
    }

    /// Returns representatives of all characters.
    fn characters(&self, set: Set) -> Vec<char> {
        let mut borders = vec![0, 0xe000];
        self.borders(set, &mut |border| borders.push(border));
        borders.sort_unstable();
        borders.dedup();
        let ends = borders.iter().skip(1).copied().chain([0x0011_0000]);
        let mut found: Vec<(usize, char)> = borders
            .iter()
            .zip(ends)
            .filter_map(|(low, end)| {
                let is_in = |character: &char| (*low..end).contains(&u32::from(*character));
                match READABLE.chars().enumerate().find(|(_, character)| is_in(character)) {
                    Some(best) => Some(best),
                    None => char::from_u32(*low).map(|character| (usize::MAX, character)),
                }
            })
            .collect();
        found.sort_unstable();
        found.into_iter().map(|(_, character)| character).collect()
    }

    /// Returns the boundaries of character ranges with different derivatives.
    fn borders(&self, set: Set, visit: &mut dyn FnMut(u32)) {
        match &self.terms[set.index()] {
            Term::Never | Term::Empty => {}
            Term::One(class) => {
                for (low, high) in class {
                    visit(*low);
                    visit(high + 1);
                }
            }
            Term::Row(first, second) => {
                self.borders(*first, visit);
                if self.nullable[first.index()] {
                    self.borders(*second, visit);
                }
            }
            Term::Either(parts) | Term::Both(parts) => {
                for part in parts {
                    self.borders(*part, visit);
                }
            }
            Term::Not(inner) | Term::Repeat(inner, ..) => self.borders(*inner, visit),
        }
    }

    fn part(&mut self, part: &Part) -> Set {
        match part {
            Part::Class(class) if class.is_empty() => self.number(Term::Never),
            Part::Class(class) => self.number(Term::One(class.clone())),
            Part::Row(parts) => {
                let empty = self.number(Term::Empty);
                parts.iter().rev().fold(empty, |rest, part| {
                    let part = self.part(part);
                    self.row(part, rest)
                })
            }
            Part::Either(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.part(part)).collect();
                self.either(parts)
            }
            Part::Repeat(part, least, most) => {
                let part = self.part(part);
                self.repeat(part, *least, *most)
            }
            // Removed by `parse::whole`.
            Part::Start | Part::End => self.number(Term::Never),
        }
    }

    fn row(&mut self, first: Set, second: Set) -> Set {
        match (&self.terms[first.index()], &self.terms[second.index()]) {
            (Term::Never, _) | (_, Term::Empty) => first,
            (_, Term::Never) | (Term::Empty, _) => second,
            (Term::Row(one, two), _) => {
                let (one, two) = (*one, *two);
                let rest = self.row(two, second);
                self.row(one, rest)
            }
            _ => self.number(Term::Row(first, second)),
        }
    }

    fn either(&mut self, sets: impl IntoIterator<Item = Set>) -> Set {
        let mut parts = Vec::new();
        for set in sets {
            match &self.terms[set.index()] {
                Term::Never => {}
                Term::Either(inner) => parts.extend(inner),
                Term::Repeat(inner, 0, None) if self.is_every_character(*inner) => return set,
                _ => parts.push(set),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.len() {
            0 => self.number(Term::Never),
            1 => parts[0],
            _ => self.number(Term::Either(parts)),
        }
    }

    fn repeat(&mut self, inner: Set, least: u64, most: Option<u64>) -> Set {
        // If the repeated part may be empty, the lower bound is irrelevant.
        let least = if self.nullable[inner.index()] { 0 } else { least };
        match (&self.terms[inner.index()], least, most) {
            (_, _, Some(0)) | (Term::Empty, ..) | (Term::Never, 0, _) => self.number(Term::Empty),
            (Term::Never, ..) | (_, 1, Some(1)) => inner,
            (Term::Repeat(_, 0, None), 0, _) if most.is_none_or(|most| most > 0) => inner,
            _ => self.number(Term::Repeat(inner, least, most)),
        }
    }

    fn repeat_all(&mut self, least: u64, most: Option<u64>) -> Set {
        let one = self.number(Term::One(parse::all()));
        self.repeat(one, least, most)
    }

    fn is_every_character(&self, set: Set) -> bool {
        matches!(&self.terms[set.index()], Term::One(class) if *class == parse::all())
    }

    fn number(&mut self, term: Term) -> Set {
        if let Some(set) = self.numbers.get(&term) {
            return *set;
        }
        let is_nullable = |set: &Set| self.nullable[set.index()];
        let nullable = match &term {
            Term::Never | Term::One(_) => false,
            Term::Empty => true,
            Term::Row(first, second) => is_nullable(first) && is_nullable(second),
            Term::Either(parts) => parts.iter().any(is_nullable),
            Term::Both(parts) => parts.iter().all(is_nullable),
            Term::Not(inner) => !is_nullable(inner),
            Term::Repeat(inner, least, _) => *least == 0 || is_nullable(inner),
        };
        let set = Set(u32::try_from(self.terms.len()).unwrap_or(u32::MAX));
        self.terms.push(term.clone());
        self.nullable.push(nullable);
        self.numbers.insert(term, set);
        set
    }
}

impl Set {
    fn index(self) -> usize {
        self.0 as usize
    }
}

#[cfg(test)]
mod tests;
