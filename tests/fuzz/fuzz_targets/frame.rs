//! Any bytes on a connection of lines: it ends when they do, each line that comes back is a message, and no more answers
//! come than messages went.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use serde_json::value::RawValue;
use toolwright_fuzz::answer;
use toolwright_fuzz::server;

fuzz_target!(|input: &[u8]| {
    let written = server::converse(input);
    let written = std::str::from_utf8(&written).expect("what is written is UTF-8");
    let messages: Vec<Value> = written.lines().flat_map(answer::read).collect();
    let answers = messages.iter().filter(|message| message.get("method").is_none()).count();
    let asked: usize = input.split(|byte| *byte == b'\n').map(messages_in).sum();
    assert!(answers <= asked, "{answers} answers to {asked} messages: {written}");
});

/// The maximum number of messages per line: more than one only for batches.
fn messages_in(line: &[u8]) -> usize {
    serde_json::from_slice::<Vec<&RawValue>>(line).map_or(1, |batch| batch.len().max(1))
}
