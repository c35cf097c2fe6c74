//! Invariants of reading arguments.

pub mod types;

mod tree;

use std::cell::Cell;
use std::fmt::Debug;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use toolwright_core::arguments::{ArgumentReader, Problem, ProblemKind};
use toolwright_core::schema::Draft;
use toolwright_core::tool::InputShape;

/// How many leaves serde may read for arguments of any size. The documentation of `toolwright_core::arguments` has the
/// limits: 50,000 values that untagged enums copy, each for several variants.
const LEAVES: usize = 200_000;
/// The additional number for each byte of the text.
const LEAVES_PER_BYTE: usize = 2_000;

thread_local! {
    static LEAVES_READ: Cell<usize> = const { Cell::new(0) };
}

/// A type with its reader, and the inputs to try.
pub struct Subject {
    name: &'static str,
    reader: ArgumentReader,
    check: fn(&Self, &RawValue),
}

impl Subject {
    fn new<T: JsonSchema + DeserializeOwned + Debug + PartialEq>(name: &'static str) -> Self {
        let shape = InputShape::Object;
        let draft = Draft::read_as::<T, T>(shape).with_fields(&[], false).with_type::<T>(shape);
        let reader = ArgumentReader::new(&draft, &[], shape, false).expect("a schema that can be enforced");
        // The type is asked about itself once, whatever is sent.
        let subject = Self { name, reader, check: Self::check_as::<T> };
        _ = subject.reader.read::<T>(None, &[]);
        subject
    }

    /// Reads the arguments.
    ///
    /// # Panics
    /// Where something does not hold that must.
    pub fn check(&self, arguments: &RawValue) {
        (self.check)(self, arguments);
    }

    fn check_as<T: DeserializeOwned + Debug + PartialEq>(&self, arguments: &RawValue) {
        let text = arguments.get();
        LEAVES_READ.set(0);
        let read = self.reader.read::<T>(Some(arguments), &[]);
        let leaves = LEAVES_READ.get();
        assert!(leaves <= LEAVES + LEAVES_PER_BYTE * text.len(), "{}: {leaves} leaves read", self.name);
        match read {
            // What serde reads as well, it reads alike.
            Ok(value) => {
                if let Ok(plain) = serde_json::from_str::<T>(text) {
                    assert_eq!(value, plain, "{}: {text}", self.name);
                }
            }
            Err(errors) => {
                assert!(!errors.problems().is_empty(), "{}: refused without a word: {text}", self.name);
                for problem in errors.problems() {
                    assert!(leads_somewhere(text, problem), "{}: {problem} of {text}", self.name);
                }
                if let Some(example) = errors.example() {
                    let example = serde_json::value::to_raw_value(example).expect("JSON");
                    let again = self.reader.read::<T>(Some(&example), &[]);
                    assert!(again.is_ok(), "{}: the example {example} is refused", self.name);
                }
            }
        }
    }
}

/// Whether the problem is about something that is there, or about a member that is missing there.
fn leads_somewhere(text: &str, problem: &Problem) -> bool {
    let segments: Vec<&str> = problem.pointer.split('/').skip(1).collect();
    match segments.split_last() {
        Some((_, before)) if problem.kind == ProblemKind::Missing => tree::has(text, before),
        _ => tree::has(text, &segments),
    }
}

/// Called by leaves when they are read.
fn leaf_was_read() {
    LEAVES_READ.set(LEAVES_READ.get() + 1);
}
