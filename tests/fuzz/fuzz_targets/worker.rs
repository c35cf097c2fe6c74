//! Any JSON as a call, as the record of one, and as the result of a server behind a gateway: each caller gets one valid response, and
//! no server writes what only the gateway may.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use toolwright_fuzz::worker;

fuzz_target!(|input: &[u8]| -> Corpus {
    match std::str::from_utf8(input).ok().and_then(worker::check) {
        Some(()) => Corpus::Keep,
        None => Corpus::Reject,
    }
});
