//! `cargo mcp bindings` with servers whose strings try to break out of their literal or comment: the module compiles, and its
//! manifest has every string unchanged.

use std::collections::BTreeSet;
use std::fs;

use proptest::prelude::*;
use proptest::strategy::ValueTree as _;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Map, Value, json};
use test_strings::hostile;

use crate::common::{cargo_in, folder, manifest_with, run};

/// Strings that end or hide something in Rust: line and paragraph separators, a bare CR, quotes and hashes, comments, escapes,
/// characters that change the direction or are invisible, and words that Rust reserves.
const PARTS: [&str; 40] = [
    "\u{2028}",
    "\u{2029}",
    "\u{85}",
    "\r",
    "\r\n",
    "\n",
    "\u{b}",
    "\u{c}",
    "\0",
    "\u{7f}",
    "\"",
    "\"#",
    "\"##",
    "r#\"",
    "'",
    "\\",
    "\\\"",
    "\\u{41}",
    "\\n",
    "*/",
    "/*",
    "//",
    "/",
    "!",
    "#[derive(Copy)]",
    "{",
    "}",
    "{}",
    ")]",
    "```",
    "~~~",
    "\u{202e}",
    "\u{2066}",
    "\u{200b}",
    "\u{feff}",
    "\u{3164}",
    "\u{fe0f}",
    "\u{e0041}",
    "self",
    "type",
];
const TOOLS: usize = 16;

/// Returns the same distinct, non-blank strings on each run.
struct Strings {
    runner: TestRunner,
    seen: BTreeSet<String>,
}

impl Strings {
    fn new() -> Self {
        let rng = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
        Self { runner: TestRunner::new_with_rng(Config::default(), rng), seen: BTreeSet::new() }
    }

    fn next(&mut self) -> String {
        let part = prop_oneof![prop::sample::select(PARTS.as_slice()).prop_map(str::to_owned), hostile(1..3)];
        let text = prop::collection::vec(part, 1..5).prop_map(|parts| parts.concat());
        loop {
            let text = text.new_tree(&mut self.runner).unwrap().current();
            if !text.trim().is_empty() && self.seen.insert(text.clone()) {
                return text;
            }
        }
    }

    fn some<const N: usize>(&mut self) -> [String; N] {
        [(); N].map(|()| self.next())
    }
}

fn schema(strings: &mut Strings) -> Value {
    let [tag, first, second, inner] = strings.some();
    let branch = |value: &str, member: &str| {
        json!({
            "type": "object",
            "properties": {tag.as_str(): {"const": value}, member: {"type": "string"}},
            "required": [tag.as_str(), member],
        })
    };
    let choice = json!({"oneOf": [branch(&first, &inner), branch(&second, &inner)]});
    let values: [String; 8] = strings.some();
    let properties = [
        json!({"type": "string", "description": strings.next(), "default": strings.next(), "title": strings.next()}),
        json!({"type": "string", "enum": values, "default": values[3], "description": strings.next()}),
        json!({"type": "string", "const": strings.next()}),
        json!({"type": "array", "items": {"type": "string"}, "default": strings.some::<2>(), "description": strings.next()}),
        json!({"type": "object", "properties": {strings.next(): {"type": "integer", "description": strings.next()}}}),
        json!({"type": "string", "x-mcp-header": strings.next(), "examples": [strings.next()]}),
        json!({"enum": [strings.next(), 1, null], "description": strings.next()}),
        choice,
    ];
    let properties: Map<String, Value> =
        properties.into_iter().map(|property| (strings.next(), property)).collect();
    let required: Vec<&String> = properties.keys().step_by(2).collect();
    json!({"type": "object", "properties": properties, "required": required, "additionalProperties": false})
}

/// A list of tools with hostile strings wherever a server can write one.
fn list(strings: &mut Strings) -> Value {
    let mut tools: Vec<Value> = (0..TOOLS)
        .map(|number| {
            json!({
                "name": format!("tool_{number}"),
                "title": strings.next(),
                "description": strings.next(),
                "inputSchema": schema(strings),
                "outputSchema": schema(strings),
                "annotations": {"title": strings.next(), strings.next(): true},
                "_meta": {strings.next(): strings.next(), "example.com/note": strings.next(), "io.toolwright/tags": strings.some::<2>()},
                strings.next(): strings.next(),
            })
        })
        .collect();
    tools.push(json!({"name": strings.next(), "inputSchema": {"type": "object"}}));
    let server = json!({"name": strings.next(), "version": strings.next(), "title": strings.next()});
    json!({"serverInfo": server, "instructions": strings.next(), "tools": tools})
}

/// Returns the strings in these members of a value, with normalized line breaks.
fn strings_in(value: &Value, members: &[&str], is_inside: bool, found: &mut Vec<String>) {
    match value {
        Value::String(text) if is_inside => found.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| strings_in(item, members, is_inside, found)),
        Value::Object(object) => {
            for (name, value) in object {
                strings_in(value, members, is_inside || members.contains(&name.as_str()), found);
            }
        }
        _ => {}
    }
}

/// Normalizes the line breaks of a title or description to line feeds.
fn with_line_feeds(text: &str) -> String {
    if text.contains('\r') {
        text.replace("\r\n", "\n").replace('\r', "\n").trim_matches('\n').to_owned()
    } else {
        text.to_owned()
    }
}

/// Compares the schemas of a tool, string by string.
fn check_schema(ours: &Value, theirs: &Value) {
    let names =
        |schema: &Value| schema["properties"].as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(names(ours), names(theirs));
    assert_eq!(ours["required"], theirs["required"]);
    for (name, property) in theirs["properties"].as_object().unwrap() {
        // A constant is an enum with one value.
        for members in [&["description"][..], &["title"], &["default"], &["enum", "const"], &["examples"]] {
            let [mut found, mut expected] = [Vec::new(), Vec::new()];
            strings_in(&ours["properties"][name], members, false, &mut found);
            strings_in(property, members, false, &mut expected);
            if matches!(members[0], "description" | "title") {
                found.iter_mut().chain(&mut expected).for_each(|text| *text = with_line_feeds(text));
            }
            assert_eq!(found, expected, "{members:?} of {property}");
        }
    }
}

#[test]
fn hostile_strings_stay_in_their_literals_and_comments() {
    let here = folder("bindings_hostile");
    let list = list(&mut Strings::new());
    fs::write(here.join("list.json"), list.to_string()).unwrap();
    let made_run = run(&here, &["bindings", "list.json", "--out", "src/hostile.rs"]).ok();
    let module = fs::read_to_string(here.join("src/hostile.rs")).unwrap();
    for text in [&module, &made_run.stderr] {
        let hidden = text
            .chars()
            .find(|character| *character != '\n' && toolwright_core::manifest::is_hidden(*character));
        assert_eq!(hidden, None);
    }
    cargo_in(&here, "build --lib").ok();
    manifest_with(&here, "--out made.json", |_| {}).ok();
    let manifest: Value = serde_json::from_str(&fs::read_to_string(here.join("made.json")).unwrap()).unwrap();
    for member in ["name", "version", "title"] {
        assert_eq!(manifest["server"][member], list["serverInfo"][member], "{member}");
    }
    let made = manifest["tools"].as_array().unwrap();
    assert_eq!(made.len(), TOOLS, "a tool without a valid name is left out");
    for tool in list["tools"].as_array().unwrap().iter().take(TOOLS) {
        let made = made.iter().find(|made| made["name"] == tool["name"]).unwrap();
        for place in ["/_meta/example.com~1note", "/_meta/io.toolwright~1tags"] {
            assert_eq!(made.pointer(place), tool.pointer(place), "{place} of {}", tool["name"]);
        }
        for member in ["title", "description"] {
            let [found, expected] = [made, tool].map(|tool| with_line_feeds(tool[member].as_str().unwrap()));
            assert_eq!(found, expected, "{member} of {}", tool["name"]);
        }
        for schema in ["inputSchema", "outputSchema"] {
            check_schema(&made[schema], &tool[schema]);
        }
    }
    let breaks = made_run.stderr.matches("its carriage returns become line feeds").count();
    assert!(breaks > 0, "line breaks that change are listed");
}
