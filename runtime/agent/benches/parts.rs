//! Reading the tool parts of long conversations: `cargo bench -p toolwright-agent`.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use serde_json::{Value, json};
use toolwright_agent::parts::{self, Transcript};

/// A part of each family of formats, in turn.
fn parts_of_a_conversation(count: usize) -> Vec<Value> {
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

fn benches(criterion: &mut Criterion) {
    let conversation = parts_of_a_conversation(10_000);
    criterion.bench_function("normalize 10,000 parts", |bencher| {
        bencher.iter(|| black_box(&conversation).iter().filter_map(parts::normalize).count());
    });
    criterion.bench_function("pair 10,000 parts", |bencher| {
        bencher.iter(|| Transcript::of(black_box(&conversation)).into_parts().len());
    });
}

criterion_group!(all, benches);
criterion_main!(all);
