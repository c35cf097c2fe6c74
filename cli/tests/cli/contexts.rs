//! `--context`: only the tools that are available there.

use std::fs;

use crate::common::{docs, manifest, scratch};

#[test]
fn a_context_shows_its_tools_and_those_of_contexts_above() {
    for (path, expected) in [
        ("orders", &["find_orders", "help"][..]),
        ("orders/open/42", &["cancel_order", "find_orders", "help"]),
        ("ordersheet", &["help"]),
        ("stock", &["count_stock", "help"]),
    ] {
        let run = manifest("workflow", &format!("--context {path}")).ok();
        assert_eq!(
            run.names(),
            ("desk".into(), expected.iter().map(ToString::to_string).collect()),
            "{path}"
        );
    }
    assert_eq!(manifest("workflow", "").ok().names().1.len(), 4);
}

/// The parameters that a workflow adds are in the manifest of a context too.
#[test]
fn definitions_in_a_context_are_those_of_the_manifest() {
    let all = manifest("workflow", "").ok().document();
    let some = manifest("workflow", "--context orders").ok().document();
    let tools = all["tools"].as_array().unwrap();
    for tool in some["tools"].as_array().unwrap() {
        assert!(tools.contains(tool), "{tool}");
        assert_eq!(tool["inputSchema"]["properties"]["command"]["enum"][0], tool["name"]);
    }
}

#[test]
fn tools_without_a_context_are_in_every_context() {
    assert_eq!(manifest("library", "--context any").ok().stdout, manifest("library", "").ok().stdout);
}

#[test]
fn a_server_without_a_tool_in_the_context_is_left_out() {
    let both = "--example small --bin both --context";
    assert_eq!(manifest("both", &format!("{both} attic")).ok().names().0, "sums");
    manifest("both", &format!("{both} shelf")).ended(2).says(&["several servers", "`small`", "`sums`"]);
    let run = manifest("both", &format!("{both} attic --server small")).ended(5);
    assert_eq!(run.stdout, "");
    run.says(&["no tool in the context `attic`", "`shelf`"]);
}

#[test]
fn a_file_of_one_context_is_checked_against_it() {
    let scratch = scratch();
    let file = scratch.path().join("stock.json");
    let line = |flag: &str| format!("--context stock {flag} {}", file.display());
    manifest("workflow", &line("--out")).ok();
    manifest("workflow", &line("--check")).ok();
    let run = manifest("workflow", &line("--check").replace("stock --check", "orders --check")).ended(1);
    assert_eq!(run.stdout, "- count_stock\n+ find_orders\n");
    let text = fs::read_to_string(&file).unwrap();
    assert!(!text.contains("find_orders"), "{text}");
}

#[test]
fn the_documentation_of_a_context_has_its_tools_only() {
    let run = docs("workflow", "--simple --context stock").ok();
    assert_eq!(run.stdout, "count_stock: Count what is in stock.\nhelp: Say what can be done.\n");
}
