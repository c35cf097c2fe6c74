//! Rules for the texts of the repository.

use std::collections::BTreeSet;

use test_rules::{SourceFile, files, has_extension, paths, root};

/// Strings that no file may contain. They are concatenated, so that this file passes itself.
const BARRED: [(&str, &str); 14] = [
    (concat!("/wo", "rk/"), "a path of one machine"),
    (concat!("/ro", "ot/"), "a path of one machine"),
    (concat!("/ho", "me/"), "a path of one machine"),
    (concat!("../sha", "red"), "a path outside the repository"),
    (concat!("crates", ".io"), "a registry's host: say the package's name"),
    (concat!("pypi", ".org"), "a registry's host: say the package's name"),
    (concat!("pythonhosted", ".org"), "a registry's host: say the package's name"),
    (concat!("npmjs", ".org"), "a registry's host: say the package's name"),
    (concat!("npmjs", ".com"), "a registry's host: say the package's name"),
    (concat!("debian", ".org"), "a registry's host: say the package's name"),
    (concat!("TO", "DO"), "work that is not done"),
    (concat!("FIX", "ME"), "work that is not done"),
    (concat!("the br", "ief"), "a document that readers do not have"),
    (concat!("sub", "agent"), "about how a file was written"),
];

/// The files and folders at the top of the repository, besides those that start with a dot.
const TOP_LEVEL: [&str; 20] = [
    "ARCHITECTURE.md",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "Cargo.lock",
    "Cargo.toml",
    "LICENSE-APACHE",
    "LICENSE-MIT",
    "README.md",
    "SECURITY.md",
    "cli",
    "clippy.toml",
    "deny.toml",
    "docs",
    "examples",
    "justfile",
    "macros",
    "runtime",
    "rust-toolchain.toml",
    "rustfmt.toml",
    "tests",
];

#[test]
fn barred_strings_appear_in_no_file() {
    let mut found = Vec::new();
    for file in files(|_| true) {
        for (number, line) in file.lines() {
            for (barred, reason) in BARRED {
                if line.contains(barred) {
                    found.push(format!("{}:{number}: `{barred}` is {reason}", file.path));
                }
            }
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn the_top_level_is_fixed() {
    for path in paths() {
        let top = path.split('/').next().unwrap_or_default();
        assert!(top.starts_with('.') || TOP_LEVEL.contains(&top), "{path}: find a place below the top level");
    }
}

#[test]
fn the_readme_compiles() {
    let facade = read("runtime/toolwright/src/lib.rs");
    assert!(
        facade.contains("include_str!(\"../../../README.md\")"),
        "the façade must include README.md, so that its code blocks are doc tests"
    );
    assert!(read("README.md").contains("```rust"), "README.md shows no Rust");
}

#[test]
fn the_readme_names_the_commands_that_work() {
    let readme = read("README.md");
    for command in ["tests/quickstart.sh", "tests/run.sh"] {
        assert!(readme.contains(command), "README.md does not name {command}");
    }
    assert!(read(".ci/run").contains("tests/run.sh"), ".ci/run must run the test command of README.md");
}

#[test]
fn the_readme_names_every_example_and_each_has_tests() {
    let readme = read("README.md");
    let paths = paths();
    let mut examples = BTreeSet::new();
    examples.extend(paths.iter().filter_map(|path| path.strip_prefix("examples/")?.split('/').next()));
    assert!(examples.len() > 2, "the examples are not found: {examples:?}");
    for example in examples {
        assert!(readme.contains(&format!("](examples/{example})")), "README.md does not name {example}");
        let tests = format!("examples/{example}/tests/");
        assert!(paths.iter().any(|path| path.starts_with(&tests)), "{example} has no tests");
    }
}

#[test]
fn the_changelog_has_an_unreleased_section() {
    assert!(read("CHANGELOG.md").contains("\n## [Unreleased]\n"), "CHANGELOG.md needs `## [Unreleased]`");
}

#[test]
fn relative_links_are_not_broken() {
    let mut broken = Vec::new();
    for file in files(|path| has_extension(path, "md")) {
        for target in relative_links(&file) {
            let folder = root().join(&file.path).parent().expect("a file is in a folder").to_owned();
            let path = target.split('#').next().unwrap_or_default();
            if !path.is_empty() && !folder.join(path).exists() {
                broken.push(format!("{}: {target}", file.path));
            }
        }
    }
    assert!(broken.is_empty(), "these lead nowhere: {broken:#?}");
}

/// The targets of a document's links to other files; rustdoc's links to items are not among them.
fn relative_links(file: &SourceFile) -> Vec<&str> {
    let ends = file.text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    ends.filter(|target| {
        !target.contains("://") && !target.contains("::") && (target.contains('/') || target.contains('.'))
    })
    .collect()
}

fn read(path: &str) -> String {
    std::fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}
