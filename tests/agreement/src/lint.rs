//! `cargo mcp lint` over definitions that a derive made.

use std::path::Path;
use std::process::Command;

use serde::Deserialize;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Manifest, Server};

use crate::judge::{Fault, FaultKind};

/// Rules about what an author chose, not about what the derive makes of it, each with the choice.
const OF_AUTHORS: &[(&str, &str)] = &[
    ("confusable-names", "names"),
    ("cursor-too-many-tools", "how many tools there are"),
    ("deep-schema", "how deep types hold each other"),
    ("duplicate-description", "doc comments"),
    ("gemini-parameter-name", "names"),
    ("gemini-too-many-tools", "how many tools there are"),
    ("large-enum", "how many variants there are"),
    ("large-output-schema", "how much a type holds"),
    ("large-tool", "how much a type holds"),
    ("large-toolset", "how many tools there are"),
    ("local-reference", "a type that holds itself"),
    ("missing-description", "doc comments"),
    ("missing-hints", "what the tool does"),
    ("open-object", "a map of any members"),
    ("output-not-an-object", "an enum or map as the result"),
    ("parameter-name", "names"),
    ("recursive-schema", "a type that holds itself"),
    ("secret-parameter", "names"),
    ("short-description", "doc comments"),
    ("similar-names", "names"),
    ("too-many-properties", "how many fields there are"),
    ("too-many-tools", "how many tools there are"),
    ("tuple", "a tuple of several types"),
    ("undescribed-parameter", "doc comments"),
    ("untyped-parameter", "a value of any JSON"),
];

/// Keywords that Gemini does not know, for what no other words say: which keys a map has, steps of numbers, members that
/// come together, and which names a variant for all others does not take.
const WITHOUT_OTHER_WORDS: [&str; 5] =
    ["patternProperties", "propertyNames", "multipleOf", "dependentRequired", "not"];

/// One line of the report.
#[derive(Debug, Deserialize)]
struct Finding {
    rule: String,
    tool: Option<String>,
    #[serde(default)]
    pointer: String,
    message: String,
}

/// What lint says about each definition that no author could help: the name of the tool and the fault. The manifest
/// is written into `folder`.
///
/// # Panics
/// If lint cannot be run, or two definitions have one name.
pub fn faults(folder: &Path, definitions: Vec<ToolDefinition>) -> Vec<(String, Fault)> {
    let server = Server::new("generated", "0.0.0");
    let manifest = Manifest::new(server, None, definitions).expect("definitions have names of their own");
    let file = folder.join("manifest.json");
    std::fs::write(&file, manifest.to_json()).expect("the folder takes files");
    let output = Command::new(test_programs::cargo_mcp())
        .args(["mcp", "lint", "--quiet", "--format", "json"])
        .arg(&file)
        .output()
        .expect("cargo mcp starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() || !text.is_empty(), "lint did not run: {said}");
    let findings =
        text.lines().map(|line| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    findings
        .filter(Finding::is_of_the_derive)
        .map(|finding: Finding| {
            let text = format!("{}: {}: {}", finding.rule, finding.pointer, finding.message);
            (finding.tool.unwrap_or_default(), Fault { kind: FaultKind::Lint, text })
        })
        .collect()
}

impl Finding {
    fn is_of_the_derive(&self) -> bool {
        let is_of_map = self.rule == "gemini-keyword"
            && WITHOUT_OTHER_WORDS.iter().any(|word| self.pointer.ends_with(word));
        !is_of_map && !OF_AUTHORS.iter().any(|(rule, _)| *rule == self.rule)
    }
}
