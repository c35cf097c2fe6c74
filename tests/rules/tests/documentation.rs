//! Rules for the documentation of public items.

use std::collections::BTreeSet;
use std::fs;

use test_rules::{root, rust_files};

/// Traits for compiler messages or derived code, which nobody names.
const WITHOUT_EXAMPLE: [&str; 14] = [
    "DescribedField",
    "DescribesArguments",
    "FutureOfOtherState",
    "NoFeature",
    "NoTool",
    "OtherField",
    "OtherFuture",
    "OtherPart",
    "OtherState",
    "ReadsArguments",
    "SendFuture",
    "Serves",
    "SharedState",
    "UnknownKind",
];

#[test]
fn every_public_trait_has_an_example() {
    let mut seen = 0;
    let mut missing = Vec::new();
    for file in rust_files(|path| path.starts_with("runtime/") && path.contains("/src/")) {
        let mut example = false;
        for (number, line) in file.lines() {
            let line = line.trim_start();
            if line.starts_with("///") {
                example |= line.contains("```") || line.contains("The example of [`");
            } else if let Some(rest) = line.strip_prefix("pub trait ") {
                let name: String = rest.chars().take_while(|c| c.is_alphanumeric()).collect();
                seen += 1;
                if !example && !WITHOUT_EXAMPLE.contains(&name.as_str()) {
                    missing.push(format!("{}:{number}: {name}", file.path));
                }
            }
            // Attributes, which may take several lines, stand between the documentation and the trait.
            if line.is_empty() || line == "}" || line.starts_with("pub ") {
                example = false;
            }
        }
    }
    assert!(seen > 20, "only {seen} traits are found");
    assert!(missing.is_empty(), "a doc test shows how it is implemented:\n{}", missing.join("\n"));
}

/// The root of the façade has what most programs name; everything else is in the module of its concept.
#[test]
fn the_root_of_the_facade_stays_small() {
    let mut names = BTreeSet::new();
    for file in ["lib.rs", "serving.rs"] {
        let text = fs::read_to_string(root().join("runtime/toolwright/src").join(file)).expect("it is read");
        let text: String = text
            .split_inclusive('\n')
            .filter(|line| !line.starts_with(' ') || !line.contains("pub use"))
            .collect();
        for import in text.split("\npub use ").skip(1) {
            let list = import.split(';').next().unwrap_or_default();
            let list = list.rsplit("::").next().unwrap_or(list);
            let items = list.split([',', '{', '}']).map(str::trim);
            names.extend(items.filter(|name| name.starts_with(char::is_uppercase)).map(str::to_owned));
        }
    }
    for name in ["Tool", "Handler", "Server", "Stdio", "Http", "ToolError"] {
        assert!(names.contains(name), "`{name}` is not found in {names:?}");
    }
    assert!(names.len() <= 25, "{} names at the root; put new ones into modules: {names:?}", names.len());
}
