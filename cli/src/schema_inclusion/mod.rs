//! Whether every value that one JSON Schema (2020-12) accepts is accepted by another.
//!
//! Both schemas are read as rules ([`node`]), and those that say the same word for word are known as the same ([`classes`]).
//! Then a value is looked for that the first accepts and the second refuses ([`solve`]): one that is found, and judged again
//! ([`judge`]), proves the "no"; where all ways to it end, the answer is "yes". So "yes" and "no" are right, and everything
//! else is "unknown". Formats count as rules that a validator may enforce.

mod classes;
mod document;
mod flat;
mod judge;
mod node;
mod number;
mod pattern;
mod read;
mod solve;

use std::cell::RefCell;

use serde_json::Value;

use self::judge::Judge;
use self::node::Nodes;
use self::pattern::Sets;
use self::solve::{Outcome, Solver};

pub(crate) use self::document::{Holds, SchemaDocument, holds, is_annotation, is_known};

/// Whether every value that the first schema accepts is accepted by the second.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Answer {
    Yes,
    /// The value is accepted by the first schema and refused by the second.
    No {
        /// Where the second schema refuses it, as a JSON Pointer into the value.
        path: String,
        witness: Value,
    },
    /// Neither was found out.
    Unknown {
        why: String,
    },
}

/// What counts as accepted by the first schema.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Names {
    /// Every value that it accepts.
    Any,
    /// Values without members that only the second schema names, by `properties`: nobody was told of them.
    Declared,
}

/// Whether `new` accepts every value that `old` accepts.
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
    match Solver::new(&nodes, &sets).difference(old, new, names == Names::Declared) {
        Outcome::Nothing => Answer::Yes,
        Outcome::Value(witness) => {
            let judge = Judge::new(&nodes, &sets);
            if judge.fits(old, &witness) == Some(true) && judge.fits(new, &witness) == Some(false) {
                Answer::No { path: judge.fault(new, &witness), witness }
            } else {
                Answer::Unknown { why: format!("it is not known whether {witness} is accepted") }
            }
        }
        Outcome::Unknown(why) => Answer::Unknown { why: why.to_string() },
    }
}

#[cfg(test)]
mod tests;

#[cfg(test)]
pub(crate) use tests::{Dice, Made, first_seed, has_meaning, has_undeclared_names, pairs};
