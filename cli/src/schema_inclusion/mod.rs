//! Whether every value that one JSON Schema (2020-12) accepts is accepted by another.
//!
//! Both schemas are parsed into rules ([`node`]), and schemas with identical rules get the same class
//! ([`classes`]). Then the solver searches for a value that the first schema accepts and the second rejects
//! ([`solve`]): a value that is found and validated ([`validator`]) proves "no"; if all alternatives fail, the
//! answer is "yes". So "yes" and "no" are certain, and everything else is "unknown". Formats count as
//! constraints that a validator may enforce.

mod classes;
mod document;
mod flat;
mod node;
mod number;
mod parse;
mod pattern;
mod solve;
mod validator;

use std::cell::RefCell;

use serde_json::Value;

use self::node::Nodes;
use self::pattern::Sets;
use self::solve::{Outcome, Solver};
use self::validator::Validator;

pub(crate) use self::document::{SchemaDocument, ValueKind, is_annotation, is_known, value_kind};

/// Whether the second schema accepts every value that the first one accepts.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Yes,
    /// A value that the first schema accepts and the second rejects.
    No {
        /// The location where the second schema rejects it, as a JSON Pointer into the value.
        path: String,
        witness: Value,
    },
    /// It could not be decided.
    Unknown {
        why: String,
    },
}

/// The values to consider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// All values.
    Any,
    /// Only values without members that only the second schema lists in `properties`, since callers cannot know
    /// them.
    Declared,
}

/// Returns whether `new` accepts every value that `old` accepts.
pub(crate) fn includes<'a>(
    old: (&SchemaDocument<'a>, &'a Value),
    new: (&SchemaDocument<'a>, &'a Value),
    names: Names,
) -> Answer {
    let mut nodes = Nodes::default();
    let mut sets = Sets::default();
    let old = nodes.add(0, old.0, old.1, &mut sets);
    let new = nodes.add(1, new.0, new.1, &mut sets);
    nodes.classify();
    let sets = RefCell::new(sets);
    match Solver::new(&nodes, &sets).find_difference(old, new, names == Names::Declared) {
        Outcome::Unsatisfiable => Answer::Yes,
        Outcome::Value(witness) => {
            let validator = Validator::new(&nodes, &sets);
            if validator.is_valid(old, &witness) == Some(true)
                && validator.is_valid(new, &witness) == Some(false)
            {
                Answer::No { path: validator.violation_path(new, &witness), witness }
            } else {
                Answer::Unknown { why: format!("it is unknown whether {witness} is accepted") }
            }
        }
        Outcome::Unknown(why) => Answer::Unknown { why: why.to_string() },
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::{Relation, Rng, first_seed, has_undeclared_names, is_well_founded, pairs};
