//! Any JSON as chat messages: reading its tool parts never panics and is idempotent.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::Value;
use toolwright_agent::parts;

fuzz_target!(|input: &[u8]| {
    let Ok(message) = serde_json::from_slice::<Value>(input) else { return };
    for part in parts::all(&message).into_iter().chain(parts::normalize(&message)) {
        let written = serde_json::to_value(&part).expect("a part is JSON");
        assert_eq!(parts::normalize(&written).as_ref(), Some(&part), "read twice: {written}");
    }
    let count = message.as_array().map_or(usize::MAX, Vec::len);
    assert!(parts::last_index(&message).is_none_or(|index| index < count));
});
