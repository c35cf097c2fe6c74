//! Whatever a server writes to its standard output: the client comes to an end, keeps within its bounds, and its errors are lines that say
//! what to do.

#![no_main]

use libfuzzer_sys::fuzz_target;
use toolwright_fuzz::client;

fuzz_target!(|input: &[u8]| client::over_lines(input));
