//! The benchmark cases: measured by criterion here, and by instruction counts in
//! `tests/bench-limits`.

use std::hint::black_box;

use serde_json::{Value, json};
use toolwright_agent::parts::{self, Transcript};

/// One benchmark case.
pub(crate) struct Case {
    pub(crate) name: &'static str,
    /// Sets up the case and returns the function to measure.
    pub(crate) prepare: fn() -> Box<dyn FnMut()>,
}

/// The number of parts of a conversation.
const PARTS: usize = 10_000;

pub(crate) const CASES: [Case; 2] = [
    Case { name: "parts_normalize_10000", prepare: || Box::new(normalize(conversation(PARTS))) },
    Case { name: "parts_pair_10000", prepare: || Box::new(pair(conversation(PARTS))) },
];

fn normalize(conversation: Vec<Value>) -> impl FnMut() {
    move || {
        black_box(black_box(&conversation).iter().filter_map(parts::normalize).count());
    }
}

fn pair(conversation: Vec<Value>) -> impl FnMut() {
    move || {
        black_box(Transcript::of(black_box(&conversation)).into_parts().len());
    }
}

/// Builds a conversation whose parts cycle through the families of formats.
fn conversation(count: usize) -> Vec<Value> {
    let part = |number: usize| match number % 4 {
        0 => json!({ "type": "tool-far__add", "toolCallId": number.to_string(), "state": "output-available",
            "input": { "a": number }, "output": { "sum": number } }),
        1 => json!({ "type": "tool_use", "id": number.to_string(), "name": "add", "input": { "a": number } }),
        2 => json!({ "type": "tool_result", "tool_use_id": (number - 1).to_string(), "content": "done" }),
        _ => json!({ "type": "function_call", "call_id": number.to_string(), "name": "add",
            "arguments": "{\"a\": 1, \"city\": \"Bern\"}" }),
    };
    (0..count).map(part).collect()
}
