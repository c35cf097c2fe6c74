//! Searches for a value that matches some schemas and not others, or proves that there is none.
//!
//! The conditions on a value are [`Constraint`]s. [`branch`] expands them, one JSON type after the
//! other, into alternatives of [`facts`]; `numbers`, `strings`, `arrays` and `objects` then search for a value that
//! satisfies all facts, recursively for items and members. If all alternatives fail, there is no such value; a value that
//! is found is validated by [`Validator`].

mod arrays;
mod branch;
mod declared;
mod facts;
mod negate;
mod numbers;
mod objects;
mod strings;
mod unevaluated;

use std::cell::{Cell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use serde_json::Value;

use super::node::{Id, JsonType, Nodes, PatternId, Rule};
use super::number::{canonical, equal};
use super::pattern::Sets;
use super::validator::{Validator, all};
use declared::Sides;

/// Maximum total number of alternatives.
const MAX_STEPS: u32 = 60_000;
/// Maximum depth of a value.
const MAX_DEPTH: usize = 48;

/// A condition on a value.
#[derive(Debug, Clone)]
pub(super) enum Constraint {
    /// It matches the schema, or does not.
    Schema(Id, bool),
    /// It differs from this value.
    NotEqual(Rc<Value>),
    Type(JsonType),
    /// The pattern matches the string, or does not.
    Pattern(PatternId, bool),
    /// It satisfies all constraints of one of these lists.
    AnyOf(Rc<[Vec<Constraint>]>),
}

/// A constraint with schemas as classes, for comparison.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum ConstraintKey {
    Schema(u32, bool),
    NotEqual(String),
    Type(JsonType),
    Pattern(PatternId, bool),
    AnyOf(Vec<Vec<ConstraintKey>>),
}

/// The outcome of a search.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// A value.
    Value(Value),
    /// There is none.
    Unsatisfiable,
    /// Unknown, for this reason.
    Unknown(Rc<str>),
}

/// The constraints on the value at one location.
#[derive(Debug, Clone)]
pub(super) struct Goal {
    constraints: Vec<Constraint>,
    sides: Sides,
}

type GoalKey = (Vec<ConstraintKey>, Sides);

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
            Outcome::Unsatisfiable => {}
            Outcome::Unknown(why) => {
                self.unknown.get_or_insert(why);
            }
        }
        None
    }

    fn finish(self) -> Outcome {
        self.unknown.map_or(Outcome::Unsatisfiable, Outcome::Unknown)
    }
}

pub(super) fn unknown(why: &str) -> Outcome {
    Outcome::Unknown(why.into())
}

pub(super) struct Solver<'s, 'a> {
    nodes: &'s Nodes<'a>,
    sets: &'s RefCell<Sets>,
    steps: Cell<u32>,
    cache: RefCell<HashMap<GoalKey, Outcome>>,
    /// The goals in progress, outermost first. A goal that recurs inside itself is not expanded: the smallest of
    /// all solutions contains no other solution.
    active: RefCell<Vec<GoalKey>>,
    /// The outermost goal that recurred.
    outermost: Cell<usize>,
}

impl<'s, 'a> Solver<'s, 'a> {
    pub(super) fn new(nodes: &'s Nodes<'a>, sets: &'s RefCell<Sets>) -> Self {
        Self {
            nodes,
            sets,
            steps: Cell::new(MAX_STEPS),
            cache: RefCell::default(),
            active: RefCell::default(),
            outermost: Cell::new(usize::MAX),
        }
    }

    /// Finds a value that matches `old` but not `new`. If `only_declared`, it has no members that only `new`
    /// lists.
    pub(super) fn find_difference(&self, old: Id, new: Id, only_declared: bool) -> Outcome {
        let sides = if only_declared { Sides::root(old, new) } else { Sides::default() };
        self.find_value(Goal {
            constraints: vec![Constraint::Schema(old, true), Constraint::Schema(new, false)],
            sides,
        })
    }

    /// Finds a value that satisfies all constraints at a location.
    fn find_value(&self, mut goal: Goal) -> Outcome {
        let mut keys = Vec::new();
        goal.constraints.retain(|constraint| {
            let key = self.constraint_key(constraint);
            let is_new = !keys.contains(&key);
            if is_new {
                keys.push(key);
            }
            is_new
        });
        let is_opposite = |key: &ConstraintKey| matches!(key, ConstraintKey::Schema(class, true) if keys.contains(&ConstraintKey::Schema(*class, false)));
        if keys.iter().any(is_opposite) {
            return Outcome::Unsatisfiable;
        }
        keys.sort_unstable();
        let key = (keys, goal.sides.clone());
        if let Some(outcome) = self.cache.borrow().get(&key) {
            return outcome.clone();
        }
        if let Some(at) = self.active.borrow().iter().position(|active| *active == key) {
            self.outermost.set(self.outermost.get().min(at));
            return Outcome::Unsatisfiable;
        }
        let at = self.active.borrow().len();
        if at >= MAX_DEPTH {
            return unknown(TOO_LARGE);
        }
        self.active.borrow_mut().push(key.clone());
        // Outcomes that depend on an outer goal are only cached outside of it.
        let outer = self.outermost.replace(usize::MAX);
        let outcome = self.find_of_any_type(&goal);
        let own = self.outermost.get();
        self.active.borrow_mut().pop();
        let is_settled = own >= at;
        self.outermost.set(outer.min(if is_settled { usize::MAX } else { own }));
        if is_settled || matches!(outcome, Outcome::Value(_)) {
            self.cache.borrow_mut().insert(key, outcome.clone());
        }
        outcome
    }

    fn find_of_any_type(&self, goal: &Goal) -> Outcome {
        let mut alternatives = Alternatives::default();
        for json_type in JsonType::ALL {
            let has_other_type = |constraint: &Constraint| matches!(constraint, Constraint::Type(other) if *other != json_type);
            if goal.constraints.iter().any(has_other_type) {
                continue;
            }
            let outcome = match json_type {
                JsonType::Null => self.find_among(goal, &[Value::Null]),
                JsonType::Boolean => self.find_among(goal, &[Value::Bool(true), Value::Bool(false)]),
                _ => self.find_of_type(json_type, goal),
            };
            if let Some(found) = alternatives.add(outcome) {
                return found;
            }
        }
        alternatives.finish()
    }

    /// Finds one of these values that satisfies all constraints.
    fn find_among<'v>(&self, goal: &Goal, values: impl IntoIterator<Item = &'v Value>) -> Outcome {
        let mut alternatives = Alternatives::default();
        for value in values {
            match self.satisfies_all(goal, value) {
                Some(true) => return Outcome::Value(value.clone()),
                Some(false) => {}
                None => drop(alternatives.add(Outcome::Unknown(self.explain_unknown(goal, value)))),
            }
        }
        alternatives.finish()
    }

    /// Returns why it is unknown whether a value satisfies the constraints.
    fn explain_unknown(&self, goal: &Goal, value: &Value) -> Rc<str> {
        let schemas = goal.constraints.iter().filter_map(|constraint| match constraint {
            Constraint::Schema(id, _) => Some(*id),
            _ => None,
        });
        let ids = self.with_in_place_subschemas(&schemas.collect::<Vec<_>>());
        let mut rules = ids.iter().flat_map(|id| self.nodes.rules(*id));
        let why = rules.find_map(|rule| match rule {
            Rule::Opaque { why, .. } => Some(why.as_str().into()),
            Rule::Format(_) => Some(UNENFORCED_FORMAT.into()),
            _ => None,
        });
        why.unwrap_or_else(|| format!("it is unknown whether {value} is accepted").into())
    }

    fn satisfies_all(&self, goal: &Goal, value: &Value) -> Option<bool> {
        if let Value::Object(members) = value
            && members.keys().any(|name| self.undeclared_names(&goal.sides).contains(&name.as_str()))
        {
            return Some(false);
        }
        all(goal.constraints.iter().map(|constraint| self.satisfies(constraint, value)))
    }

    fn satisfies(&self, constraint: &Constraint, value: &Value) -> Option<bool> {
        let validator = Validator::new(self.nodes, self.sets);
        match constraint {
            Constraint::Schema(id, expected) => {
                validator.is_valid(*id, value).map(|found| found == *expected)
            }
            Constraint::NotEqual(other) => Some(!equal(other, value)),
            Constraint::Type(json_type) => Some(*json_type == JsonType::of(value)),
            Constraint::Pattern(pattern, matches) => match value {
                Value::String(text) => validator.is_match(*pattern, text).map(|found| found == *matches),
                _ => Some(true),
            },
            Constraint::AnyOf(alternatives) => {
                let mut known = Some(false);
                for constraints in alternatives.iter() {
                    match all(constraints.iter().map(|constraint| self.satisfies(constraint, value))) {
                        Some(true) => return Some(true),
                        Some(false) => {}
                        None => known = None,
                    }
                }
                known
            }
        }
    }

    fn constraint_key(&self, constraint: &Constraint) -> ConstraintKey {
        match constraint {
            Constraint::Schema(id, matches) => ConstraintKey::Schema(self.nodes.classes[*id], *matches),
            Constraint::NotEqual(value) => ConstraintKey::NotEqual(canonical(value)),
            Constraint::Type(json_type) => ConstraintKey::Type(*json_type),
            Constraint::Pattern(pattern, matches) => ConstraintKey::Pattern(*pattern, *matches),
            Constraint::AnyOf(alternatives) => {
                let of = |constraints: &Vec<Constraint>| {
                    constraints.iter().map(|constraint| self.constraint_key(constraint)).collect()
                };
                ConstraintKey::AnyOf(alternatives.iter().map(of).collect())
            }
        }
    }

    /// Counts a step; returns whether the limit allows it.
    fn count_step(&self) -> bool {
        let left = self.steps.get();
        self.steps.set(left.saturating_sub(1));
        left > 0
    }
}

/// Why a format decides nothing.
const UNENFORCED_FORMAT: &str = "a format may be enforced or not";
/// Why a search was given up.
const TOO_LARGE: &str = "the schemas are too large or too deep to compare";
