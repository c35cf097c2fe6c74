//! Sets of strings: those that a pattern matches or that have a given length, and their intersections and complements.
//!
//! A set is a regular expression with "and" and "not". Its derivative by a character is the set of remainders
//! (Brzozowski 1964). Emptiness is decided by following derivatives (Owens, Reppy and Turon: Regular-expression
//! derivatives re-examined, 2009): one character represents all with the same derivative.

mod parse;

use std::collections::{HashMap, HashSet, VecDeque};

use parse::{Class, Part};

/// Maximum number of sets to visit in a search for a string.
const MAX_VISITED: usize = 4_000;
/// Maximum length of a pattern.
const MAX_LENGTH: usize = 1_000;
/// Maximum total number of sets.
const MAX_SETS: usize = 60_000;
/// Characters for readable examples, the preferred ones first.
const READABLE: &str =
    "abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_- .,:;/@#+*!?=&%$'\"()<>[]{}|^~`\\";

/// The id of a set of strings.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Set(u32);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Term {
    EmptySet,
    /// The empty string.
    EmptyString,
    /// One of these characters.
    Class(Class),
    Concat(Set, Set),
    Union(Vec<Set>),
    Intersection(Vec<Set>),
    Complement(Set),
    Repeat(Set, u64, Option<u64>),
}

/// The result of a search for a string in a set.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Search {
    Found(String),
    NotFound,
    LimitReached,
}

/// All sets of a comparison.
#[derive(Debug, Default)]
pub(super) struct Sets {
    terms: Vec<Term>,
    /// Whether the set contains the empty string.
    nullable: Vec<bool>,
    ids: HashMap<Term, Set>,
    derivatives: HashMap<(Set, char), Set>,
}

impl Sets {
    /// Returns the strings that a pattern matches; `None` if the pattern is not regular or not supported.
    pub(super) fn parse_pattern(&mut self, pattern: &str) -> Option<Set> {
        let part = parse::parse(Some(pattern).filter(|pattern| pattern.len() <= MAX_LENGTH)?)?;
        Some(self.convert(&part))
    }

    /// Returns the set of all strings.
    pub(super) fn all_strings(&mut self) -> Set {
        self.repeat_any_character(0, None)
    }

    /// Returns the strings with a length in this range.
    pub(super) fn strings_of_length(&mut self, min: u64, max: Option<u64>) -> Set {
        self.repeat_any_character(min, max)
    }

    /// Returns the set that contains only this string.
    pub(super) fn literal(&mut self, text: &str) -> Set {
        let empty = self.intern(Term::EmptyString);
        text.chars().rev().fold(empty, |rest, character| {
            let one = self.intern(Term::Class(vec![(character.into(), character.into())]));
            self.concat(one, rest)
        })
    }

    /// Returns the intersection of these sets.
    pub(super) fn intersect(&mut self, sets: impl IntoIterator<Item = Set>) -> Set {
        let mut parts = Vec::new();
        for set in sets {
            match &self.terms[set.index()] {
                Term::EmptySet => return set,
                Term::Intersection(inner) => parts.extend(inner),
                Term::Repeat(inner, 0, None) if self.is_every_character(*inner) => {}
                _ => parts.push(set),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        let is_opposite = |set: &Set| matches!(self.terms[set.index()], Term::Complement(other) if parts.binary_search(&other).is_ok());
        if parts.iter().any(is_opposite) {
            return self.intern(Term::EmptySet);
        }
        match parts.len() {
            0 => self.all_strings(),
            1 => parts[0],
            _ => self.intern(Term::Intersection(parts)),
        }
    }

    /// Returns the complement of a set.
    pub(super) fn complement(&mut self, set: Set) -> Set {
        match &self.terms[set.index()] {
            Term::Complement(inner) => *inner,
            Term::EmptySet => self.all_strings(),
            Term::Repeat(inner, 0, None) if self.is_every_character(*inner) => self.intern(Term::EmptySet),
            _ => self.intern(Term::Complement(set)),
        }
    }

    /// Returns whether a set contains a string.
    pub(super) fn contains(&mut self, set: Set, text: &str) -> bool {
        let mut set = set;
        for character in text.chars() {
            set = self.derive(set, character);
        }
        self.nullable[set.index()]
    }

    /// Returns a shortest string of the set.
    pub(super) fn find_shortest(&mut self, set: Set) -> Search {
        let mut from: HashMap<Set, (Set, char)> = HashMap::new();
        let mut seen = HashSet::from([set]);
        let mut pending = VecDeque::from([set]);
        while let Some(next) = pending.pop_front() {
            if self.nullable[next.index()] {
                let mut text = Vec::new();
                let mut current = next;
                while let Some((before, character)) = from.get(&current).filter(|_| current != set) {
                    text.push(*character);
                    current = *before;
                }
                return Search::Found(text.into_iter().rev().collect());
            }
            if seen.len() > MAX_VISITED || self.terms.len() > MAX_SETS {
                return Search::LimitReached;
            }
            for character in self.representatives(next) {
                let derivative = self.derive(next, character);
                if self.terms[derivative.index()] != Term::EmptySet && seen.insert(derivative) {
                    from.insert(derivative, (next, character));
                    pending.push_back(derivative);
                }
            }
        }
        Search::NotFound
    }

    /// Returns the derivative by this character.
    fn derive(&mut self, set: Set, character: char) -> Set {
        let first = self.representative(set, character);
        if let Some(derivative) = self.derivatives.get(&(set, first)) {
            return *derivative;
        }
        let derivative = match self.terms[set.index()].clone() {
            Term::EmptySet | Term::EmptyString => self.intern(Term::EmptySet),
            Term::Class(class) => {
                let code = u32::from(character);
                let is_in = class.iter().any(|(low, high)| (*low..=*high).contains(&code));
                self.intern(if is_in { Term::EmptyString } else { Term::EmptySet })
            }
            Term::Concat(first, second) => {
                let derivative = self.derive(first, character);
                let concat = self.concat(derivative, second);
                if self.nullable[first.index()] {
                    let skipped = self.derive(second, character);
                    self.unite([concat, skipped])
                } else {
                    concat
                }
            }
            Term::Union(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.derive(part, character)).collect();
                self.unite(parts)
            }
            Term::Intersection(parts) => {
                let parts: Vec<_> = parts.into_iter().map(|part| self.derive(part, character)).collect();
                self.intersect(parts)
            }
            Term::Complement(inner) => {
                let derivative = self.derive(inner, character);
                self.complement(derivative)
            }
            Term::Repeat(inner, min, max) => {
                let derivative = self.derive(inner, character);
                let rest = self.repeat(inner, min.saturating_sub(1), max.map(|max| max - 1));
                self.concat(derivative, rest)
            }
        };
        self.derivatives.insert((set, first), derivative);
        derivative
    }

    /// Returns the representative of `character`, which has the same derivative.
    fn representative(&self, set: Set, character: char) -> char {
        let code = u32::from(character);
        let mut low = 0;
        self.visit_boundaries(set, &mut |boundary| {
            if boundary <= code {
                low = low.max(boundary);
            }
        });
        char::from_u32(low).unwrap_or(character)
    }

    /// Returns representatives of all characters.
    fn representatives(&self, set: Set) -> Vec<char> {
        let mut boundaries = vec![0, 0xe000];
        self.visit_boundaries(set, &mut |boundary| boundaries.push(boundary));
        boundaries.sort_unstable();
        boundaries.dedup();
        let ends = boundaries.iter().skip(1).copied().chain([0x0011_0000]);
        let mut found: Vec<(usize, char)> = boundaries
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
    fn visit_boundaries(&self, set: Set, visit: &mut dyn FnMut(u32)) {
        match &self.terms[set.index()] {
            Term::EmptySet | Term::EmptyString => {}
            Term::Class(class) => {
                for (low, high) in class {
                    visit(*low);
                    visit(high + 1);
                }
            }
            Term::Concat(first, second) => {
                self.visit_boundaries(*first, visit);
                if self.nullable[first.index()] {
                    self.visit_boundaries(*second, visit);
                }
            }
            Term::Union(parts) | Term::Intersection(parts) => {
                for part in parts {
                    self.visit_boundaries(*part, visit);
                }
            }
            Term::Complement(inner) | Term::Repeat(inner, ..) => self.visit_boundaries(*inner, visit),
        }
    }

    fn convert(&mut self, part: &Part) -> Set {
        match part {
            Part::Class(class) if class.is_empty() => self.intern(Term::EmptySet),
            Part::Class(class) => self.intern(Term::Class(class.clone())),
            Part::Concat(parts) => {
                let empty = self.intern(Term::EmptyString);
                parts.iter().rev().fold(empty, |rest, part| {
                    let part = self.convert(part);
                    self.concat(part, rest)
                })
            }
            Part::Alternation(parts) => {
                let parts: Vec<_> = parts.iter().map(|part| self.convert(part)).collect();
                self.unite(parts)
            }
            Part::Repeat(part, min, max) => {
                let part = self.convert(part);
                self.repeat(part, *min, *max)
            }
            // Removed by `parse::parse`.
            Part::Start | Part::End => self.intern(Term::EmptySet),
        }
    }

    fn concat(&mut self, first: Set, second: Set) -> Set {
        match (&self.terms[first.index()], &self.terms[second.index()]) {
            (Term::EmptySet, _) | (_, Term::EmptyString) => first,
            (_, Term::EmptySet) | (Term::EmptyString, _) => second,
            (Term::Concat(one, two), _) => {
                let (one, two) = (*one, *two);
                let rest = self.concat(two, second);
                self.concat(one, rest)
            }
            _ => self.intern(Term::Concat(first, second)),
        }
    }

    fn unite(&mut self, sets: impl IntoIterator<Item = Set>) -> Set {
        let mut parts = Vec::new();
        for set in sets {
            match &self.terms[set.index()] {
                Term::EmptySet => {}
                Term::Union(inner) => parts.extend(inner),
                Term::Repeat(inner, 0, None) if self.is_every_character(*inner) => return set,
                _ => parts.push(set),
            }
        }
        parts.sort_unstable();
        parts.dedup();
        match parts.len() {
            0 => self.intern(Term::EmptySet),
            1 => parts[0],
            _ => self.intern(Term::Union(parts)),
        }
    }

    fn repeat(&mut self, inner: Set, min: u64, max: Option<u64>) -> Set {
        // If the repeated part may be empty, the lower bound is irrelevant.
        let min = if self.nullable[inner.index()] { 0 } else { min };
        match (&self.terms[inner.index()], min, max) {
            (_, _, Some(0)) | (Term::EmptyString, ..) | (Term::EmptySet, 0, _) => {
                self.intern(Term::EmptyString)
            }
            (Term::EmptySet, ..) | (_, 1, Some(1)) => inner,
            (Term::Repeat(_, 0, None), 0, _) if max.is_none_or(|max| max > 0) => inner,
            _ => self.intern(Term::Repeat(inner, min, max)),
        }
    }

    fn repeat_any_character(&mut self, min: u64, max: Option<u64>) -> Set {
        let one = self.intern(Term::Class(parse::all_characters()));
        self.repeat(one, min, max)
    }

    fn is_every_character(&self, set: Set) -> bool {
        matches!(&self.terms[set.index()], Term::Class(class) if *class == parse::all_characters())
    }

    fn intern(&mut self, term: Term) -> Set {
        if let Some(set) = self.ids.get(&term) {
            return *set;
        }
        let is_nullable = |set: &Set| self.nullable[set.index()];
        let nullable = match &term {
            Term::EmptySet | Term::Class(_) => false,
            Term::EmptyString => true,
            Term::Concat(first, second) => is_nullable(first) && is_nullable(second),
            Term::Union(parts) => parts.iter().any(is_nullable),
            Term::Intersection(parts) => parts.iter().all(is_nullable),
            Term::Complement(inner) => !is_nullable(inner),
            Term::Repeat(inner, min, _) => *min == 0 || is_nullable(inner),
        };
        let set = Set(u32::try_from(self.terms.len()).unwrap_or(u32::MAX));
        self.terms.push(term.clone());
        self.nullable.push(nullable);
        self.ids.insert(term, set);
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
