//! Any JSON as the arguments of tools whose types are hard to read: nothing panics, the work is in proportion to the text,
//! whatever is refused has a problem in a place that exists, and what serde reads as well is read alike.

#![no_main]

use std::cell::OnceCell;

use libfuzzer_sys::{Corpus, fuzz_target};
use serde_json::value::RawValue;
use toolwright_fuzz::arguments::Subject;
use toolwright_fuzz::arguments::types::subjects;

thread_local! {
    static SUBJECTS: OnceCell<Vec<Subject>> = const { OnceCell::new() };
}

fuzz_target!(|input: &[u8]| -> Corpus {
    // A message that is not valid JSON does not get as far as its arguments.
    let Ok(arguments) = serde_json::from_slice::<Box<RawValue>>(input) else { return Corpus::Reject };
    SUBJECTS.with(|all| all.get_or_init(subjects).iter().for_each(|subject| subject.check(&arguments)));
    Corpus::Keep
});
