//! Looks for a value that fits some schemas and does not fit others, or shows that there is none.
//!
//! What is asked of a value is a list of [`Demand`]s. [`branch`] takes them apart, one kind of value after the other, into
//! alternatives of plain [`facts`]; numbers, strings, lists and objects then know by themselves whether a value has all of
//! them. Items and members are asked for in the same way. Where all alternatives fail there is no value; a value that is
//! found is judged again by [`Judge`].

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

/// How many alternatives may be looked at in all.
const MAX_STEPS: u32 = 60_000;
/// How deep values may lie in one another.
const MAX_DEPTH: usize = 48;

/// Something that is asked of a value.
#[derive(Debug, Clone)]
pub(super) enum Demand {
    /// That it fits the schema, or that it does not.
    Fits(Id, bool),
    /// That it is not this value.
    Not(Rc<Value>),
    Is(Kind),
    /// That the pattern is found in the text, or not.
    Matches(PatternId, bool),
    /// That it does all of one of these.
    Either(Rc<[Vec<Demand>]>),
}

/// A demand as the comparison of schemas sees it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Key {
    Fits(u32, bool),
    Not(String),
    Is(Kind),
    Matches(PatternId, bool),
    Either(Vec<Vec<Key>>),
}

/// What is known about the values that are asked for.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// This is one.
    Value(Value),
    /// There is none.
    Nothing,
    /// It was not found out, for this reason.
    Unknown(Rc<str>),
}

/// What is asked of the value at one place.
#[derive(Debug, Clone)]
pub(super) struct Place {
    demands: Vec<Demand>,
    declared: Declared,
}

type PlaceKey = (Vec<Key>, Declared);

/// Collects the outcomes of alternatives: the first value ends the search.
#[derive(Debug, Default)]
struct Alternatives {
    unknown: Option<Rc<str>>,
}

impl Alternatives {
    /// Takes an outcome; gives it back if it is a value.
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
    /// The places that are being looked at, outermost first. One that is met again inside itself is not looked into: the
    /// smallest value of all that fit has none inside that fits as well.
    running: RefCell<Vec<PlaceKey>>,
    /// The outermost of the running places that was met again.
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

    /// A value that fits `old` and not `new`. If `only_declared`, it has no members that only `new` names.
    pub(super) fn difference(&self, old: Id, new: Id, only_declared: bool) -> Outcome {
        let declared = if only_declared { Declared::root(old, new) } else { Declared::default() };
        self.value(Place { demands: vec![Demand::Fits(old, true), Demand::Fits(new, false)], declared })
    }

    /// A value that does all that is asked at a place.
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
        // What was met again further out is remembered for those that are outside of this place.
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

    /// One of these values that does all that is asked.
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

    /// Why it is not known whether a value does all that is asked.
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

    /// Counts one step; whether there was one left.
    fn step(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }
}

/// Why a format proves nothing.
const A_FORMAT: &str = "a format may be enforced or not";
/// Why a search was given up.
const TOO_LARGE: &str = "the schemas are too large or too deep to compare";
