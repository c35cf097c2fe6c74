//! Large manifests.

use std::time::Instant;

use serde_json::{Value, json};

use super::{RETAIL, class};
use crate::diff::compare::{Author, compare};
use crate::diff::rule::Class;
use crate::source::ServerDefinitions;

/// A thousand tools, each compared once: there is one change per edit, and the work is linear in the number of
/// tools.
#[test]
fn a_thousand_tools_are_compared_each_with_its_own() {
    let retail: Value = serde_json::from_str(RETAIL).unwrap();
    let of = |count: usize, edited: bool| {
        let originals = retail["tools"].as_array().unwrap();
        let tools = (0..count).map(|number| {
            let mut tool = originals[number % originals.len()].clone();
            tool["name"] = json!(format!("tool_{number:04}"));
            if edited {
                tool["description"] = json!("Another one.");
                tool["inputSchema"]["properties"]["more"] = json!({"type": "integer", "minimum": 0});
                tool["outputSchema"] = json!({"type": "object"});
            }
            tool
        });
        json!({"manifestVersion": 1, "server": retail["server"], "tools": tools.collect::<Vec<_>>()})
            .to_string()
    };
    let [old, new] = [of(1_000, false), of(1_000, true)];
    let start = Instant::now();
    let [old_offer, new_offer] = [&old, &new].map(|text| ServerDefinitions::parse(text).unwrap());
    let read = start.elapsed();
    let findings = compare(&old_offer, &new_offer, Author::User);
    let all = start.elapsed();
    println!("1,000 tools, all changed: read in {read:?}, {} changes, {all:?} in all", findings.len());
    assert_eq!(class(&findings), Some(Class::Breaking));
    let of_one = |name: &str| findings.iter().filter(|finding| finding.name == name).count();
    let of_first: usize = (0..15).map(|number| of_one(&format!("tool_{number:04}"))).sum();
    let of_second: usize = (15..30).map(|number| of_one(&format!("tool_{number:04}"))).sum();
    assert_eq!(of_first, of_second, "each tool is compared with its own former self");
    assert_eq!(
        compare(
            &ServerDefinitions::parse(&old).unwrap(),
            &ServerDefinitions::parse(&old).unwrap(),
            Author::User
        ),
        []
    );
}
