//! `cargo mcp lint` over the definitions of generated types.

use std::process::Command;

use serde::Deserialize;
use test_agreement::judge::{Fault, FaultKind};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::manifest::{Manifest, Server};

use crate::build::Workshop;

/// Rules about what an author writes, not about what the derive makes of it.
const OF_AUTHORS: &[&str] = &[
    "confusable-names",
    "deep-schema",
    "duplicate-description",
    "gemini-parameter-name",
    "gemini-too-many-tools",
    "cursor-too-many-tools",
    "large-enum",
    "large-output-schema",
    "large-tool",
    "large-toolset",
    "local-reference",
    "missing-description",
    "missing-hints",
    "missing-title",
    "parameter-name",
    "recursive-schema",
    "secret-parameter",
    "short-description",
    "similar-names",
    "too-many-properties",
    "too-many-tools",
    "undescribed-parameter",
];

/// One line of the report.
#[derive(Debug, Deserialize)]
struct Finding {
    rule: String,
    tool: Option<String>,
    #[serde(default)]
    pointer: String,
    message: String,
}

/// What lint says about each definition that no author could help: the name of the tool and the fault.
pub(crate) fn faults(workshop: &Workshop, definitions: Vec<ToolDefinition>) -> Vec<(String, Fault)> {
    let server = Server { name: "generated".to_owned(), version: "0.0.0".to_owned(), title: None };
    let manifest = Manifest::new(server, None, definitions).expect("definitions have names of their own");
    let file = workshop.folder().join("manifest.json");
    std::fs::write(&file, manifest.to_json()).expect("the target folder takes files");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["run", "--quiet", "--package", "toolwright-cli", "--", "mcp", "lint", "--quiet", "--notes"])
        .args(["--format", "json"])
        .arg(&file)
        .current_dir(workshop.workspace())
        .output()
        .expect("cargo starts");
    let text = String::from_utf8_lossy(&output.stdout);
    let findings = text
        .lines()
        .map(|line| serde_json::from_str::<Finding>(line).unwrap_or_else(|error| panic!("{error}: {line}")));
    findings
        .filter(|finding| !OF_AUTHORS.contains(&finding.rule.as_str()))
        .map(|finding| {
            let text = format!("{}: {}: {}", finding.rule, finding.pointer, finding.message);
            (finding.tool.unwrap_or_default(), Fault { kind: FaultKind::Lint, text })
        })
        .collect()
}
