//! Whatever a server answers over HTTP, from its status line to its events: the client comes to an end, and its errors are lines that say
//! what to do and show no token.

#![no_main]

use libfuzzer_sys::{Corpus, fuzz_target};
use toolwright_fuzz::client;

fuzz_target!(|input: &[u8]| -> Corpus {
    if input.windows(client::SECRET.len()).any(|window| window == client::SECRET.as_bytes()) {
        return Corpus::Reject;
    }
    client::over_http(input);
    Corpus::Keep
});
