//! Searches for a value that matches some schemas and not others, or proves that there is none.
//!
//! The conditions on a value are a list of [`Demand`]s. [`branch`] expands them, for one kind of value after the
//! other, into alternatives of [`facts`]; numbers, strings, lists and objects then decide whether a value
//! satisfies all facts. Items and members are searched for recursively. If all alternatives fail, there is no
//! value; a value that is found is validated again by [`Judge`].

mod branch;
mod declared;
mod facts;
mod lists;
mod negate;
mod numbers;
mod objects;
mod strings;
mod unevaluated;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::judge::{Judge, all};
use super::node::{Id, Kind, Nodes, PatternId, Rule};
use super::number::{canonical, same};
use super::pattern::Sets;
use declared::Declared;

/// Maximum total number of alternatives.
const MAX_STEPS: u32 = 60_000;
/// Maximum depth of a value.
const MAX_DEPTH: usize = 48;

/// A condition on a value.
#[derive(Debug, Clone)]
pub(super) enum Demand {
    /// It matches the schema, or does not.
    Fits(Id, bool),
    /// It differs from this value.
    Not(Rc<Value>),
    Is(Kind),
    /// The pattern matches the string, or does not.
    Matches(PatternId, bool),
    /// It satisfies all demands of one of these.
    Either(Rc<[Vec<Demand>]>),
}

/// Converts a demand for class comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Fits(u32, bool),
    Not(String),
    Is(Kind),
    Matches(PatternId, bool),
    Either(Vec<Vec<Key>>),
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// A value.
    Value(Value),
    /// There is none.
    Nothing,
    /// Unknown, for this reason.
    Unknown(Rc<str>),
}

/// The demands at one location.
#[derive(Debug, Clone)]
pub(super) struct Place {
    demands: Vec<Demand>,
    declared: Declared,
}

type PlaceKey = (Vec<Key>, Declared);

/// Collects the outcomes of alternatives; the first value ends the search.
#[derive(Debug, Default)]
struct Alternatives {
    unknown: Option<Rc<str>>,
}

impl Alternatives {
    /// Adds an outcome; returns it if it is a value.
    fn add(&mut self, outcome: Outcome) -> Option<Outcome> {
        match outcome {
            Outcome::Value(_) => return Some(outcome),
            Outcome::Nothing => {}
            Outcome::Unknown(why) => {
                self.unknown.get_or_insert(why);
            }
        }
        None
    }

    fn none(self) -> Outcome {
        self.unknown.map_or(Outcome::Nothing, Outcome::Unknown)
    }
}

pub(super) fn unknown(why: &str) -> Outcome {
    Outcome::Unknown(why.into())
}

pub(super) struct Solver<'s, 'a> {
    nodes: &'s Nodes<'a>,
    sets: &'s RefCell<Sets>,
    steps: Cell<u32>,
    known: RefCell<HashMap<PlaceKey, Outcome>>,
    /// The goals in progress, outermost first. A goal that recurs inside itself is not expanded: the smallest of
    /// all solutions contains no other solution.
    running: RefCell<Vec<PlaceKey>>,
    /// The outermost goal that recurred.
    lowest: Cell<usize>,
}

impl<'s, 'a> Solver<'s, 'a> {
    pub(super) fn new(nodes: &'s Nodes<'a>, sets: &'s RefCell<Sets>) -> Self {
        Self {
            nodes,
            sets,
            steps: Cell::new(MAX_STEPS),
            known: RefCell::default(),
            running: RefCell::default(),
            lowest: Cell::new(usize::MAX),
        }
    }

    /// Finds a value that matches `old` but not `new`. If `only_declared`, it has no members that only `new`
    /// lists.
    pub(super) fn difference(&self, old: Id, new: Id, only_declared: bool) -> Outcome {
        let declared = if only_declared { Declared::root(old, new) } else { Declared::default() };
        self.value(Place { demands: vec![Demand::Fits(old, true), Demand::Fits(new, false)], declared })
    }

    /// Finds a value that satisfies all demands at a location.
    fn value(&self, mut place: Place) -> Outcome {
        let mut keys = Vec::new();
        place.demands.retain(|demand| {
            let key = self.key(demand);
            let is_new = !keys.contains(&key);
            if is_new {
                keys.push(key);
            }
            is_new
        });
        let is_opposite =
            |key: &Key| matches!(key, Key::Fits(class, true) if keys.contains(&Key::Fits(*class, false)));
        if keys.iter().any(is_opposite) {
            return Outcome::Nothing;
        }
        keys.sort_unstable();
        let key = (keys, place.declared.clone());
        if let Some(known) = self.known.borrow().get(&key) {
            return known.clone();
        }
        if let Some(at) = self.running.borrow().iter().position(|running| *running == key) {
            self.lowest.set(self.lowest.get().min(at));
            return Outcome::Nothing;
        }
        let at = self.running.borrow().len();
        if at >= MAX_DEPTH {
            return unknown(TOO_LARGE);
        }
        self.running.borrow_mut().push(key.clone());
        // Outcomes that depend on an outer goal are only cached outside of it.
        let outer = self.lowest.replace(usize::MAX);
        let outcome = self.of_any_kind(&place);
        let own = self.lowest.get();
        self.running.borrow_mut().pop();
        let is_settled = own >= at;
        self.lowest.set(outer.min(if is_settled { usize::MAX } else { own }));
        if is_settled || matches!(outcome, Outcome::Value(_)) {
            self.known.borrow_mut().insert(key, outcome.clone());
        }
        outcome
    }

    fn of_any_kind(&self, place: &Place) -> Outcome {
        let mut alternatives = Alternatives::default();
        for kind in Kind::ALL {
            let fixed = |demand: &Demand| matches!(demand, Demand::Is(other) if *other != kind);
            if place.demands.iter().any(fixed) {
                continue;
            }
            let outcome = match kind {
                Kind::Null => self.one_of(place, &[Value::Null]),
                Kind::Boolean => self.one_of(place, &[Value::Bool(true), Value::Bool(false)]),
                _ => self.of_kind(kind, place),
            };
            if let Some(found) = alternatives.add(outcome) {
                return found;
            }
        }
        alternatives.none()
    }

    /// Returns one of these values that satisfies all demands.
    fn one_of<'v>(&self, place: &Place, values: impl IntoIterator<Item = &'v Value>) -> Outcome {
        let mut alternatives = Alternatives::default();
        for value in values {
            match self.does_all(place, value) {
                Some(true) => return Outcome::Value(value.clone()),
                Some(false) => {}
                None => drop(alternatives.add(Outcome::Unknown(self.why(place, value)))),
            }
        }
        alternatives.none()
    }

    /// Returns why it is unknown whether a value satisfies the demands.
    fn why(&self, place: &Place, value: &Value) -> Rc<str> {
        let asked = place.demands.iter().filter_map(|demand| match demand {
            Demand::Fits(id, _) => Some(*id),
            _ => None,
        });
        let ids = self.in_place(&asked.collect::<Vec<_>>());
        let mut rules = ids.iter().flat_map(|id| self.nodes.rules(*id));
        let why = rules.find_map(|rule| match rule {
            Rule::Opaque { why, .. } => Some(why.as_str().into()),
            Rule::Format(_) => Some(A_FORMAT.into()),
            _ => None,
        });
        why.unwrap_or_else(|| format!("it is not known whether {value} is accepted").into())
    }

    fn does_all(&self, place: &Place, value: &Value) -> Option<bool> {
        if let Value::Object(members) = value
            && members.keys().any(|name| self.undeclared(&place.declared).contains(&name.as_str()))
        {
            return Some(false);
        }
        all(place.demands.iter().map(|demand| self.does(demand, value)))
    }

    fn does(&self, demand: &Demand, value: &Value) -> Option<bool> {
        let judge = Judge::new(self.nodes, self.sets);
        match demand {
            Demand::Fits(id, fits) => judge.fits(*id, value).map(|found| found == *fits),
            Demand::Not(other) => Some(!same(other, value)),
            Demand::Is(kind) => Some(*kind == Kind::of(value)),
            Demand::Matches(pattern, matches) => match value {
                Value::String(text) => judge.matches(*pattern, text).map(|found| found == *matches),
                _ => Some(true),
            },
            Demand::Either(alternatives) => {
                let mut known = Some(false);
                for demands in alternatives.iter() {
                    match all(demands.iter().map(|demand| self.does(demand, value))) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => known = None,
                    }
                }
                known
            }
        }
    }

    fn key(&self, demand: &Demand) -> Key {
        match demand {
            Demand::Fits(id, fits) => Key::Fits(self.nodes.classes[*id], *fits),
            Demand::Not(value) => Key::Not(canonical(value)),
            Demand::Is(kind) => Key::Is(*kind),
            Demand::Matches(pattern, matches) => Key::Matches(*pattern, *matches),
            Demand::Either(alternatives) => {
                let of = |demands: &Vec<Demand>| demands.iter().map(|demand| self.key(demand)).collect();
                Key::Either(alternatives.iter().map(of).collect())
            }
        }
    }

    /// Counts a step; returns whether the limit allows it.
    fn step(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }
}

/// Explains why a format proves nothing.
const A_FORMAT: &str = "a format may be enforced or not";
/// Explains why a search was given up.
const TOO_LARGE: &str = "the schemas are too large or too deep to compare";
