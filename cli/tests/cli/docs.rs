//! `cargo mcp docs`: the documentation for agents.

use toolwright_core::docs::{full, simple};
use toolwright_core::manifest::Manifest;

use crate::common::{docs, manifest};

#[test]
fn simple_documentation_has_names_and_descriptions_only() {
    let run = docs("library", "--simple").ok();
    assert_eq!(
        run.stdout,
        "get_order: Look up an order by its id.\nrefund: Give money back.\nsearch: Find orders.\n"
    );
    for key in ["type", "properties", "inputSchema", "order_id", "{"] {
        assert!(!run.stdout.contains(key), "{key} in {}", run.stdout);
    }
}

#[test]
fn the_documentation_has_parameters_and_examples() {
    let run = docs("workflow", "").ok();
    let tools: Vec<_> = run.stdout.lines().filter_map(|line| line.strip_prefix("## ")).collect();
    assert_eq!(tools, ["cancel_order", "count_stock", "find_orders", "help"]);
    for part in [
        "\n\n## find_orders\n",
        "changes nothing",
        "`customer`",
        "A name or a part of it.",
        "Example of arguments: `{\"customer\":\"Ada\",\"command\":\"find_orders\"",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in:\n{}", run.stdout);
    }
}

#[test]
fn the_documentation_is_generated_from_the_manifest() {
    let manifest = Manifest::from_json(&manifest("library", "").ok().stdout).unwrap();
    assert_eq!(docs("library", "--simple").ok().stdout, simple(&manifest.tools));
    let tools: Vec<_> = manifest.tools.iter().map(full).collect();
    assert_eq!(docs("library", "").ok().stdout, tools.join("\n"));
}

#[test]
fn packages_servers_and_programs_are_chosen_as_for_a_manifest() {
    assert_eq!(docs("members", "-p tools --simple").ok().stdout, "count: Count the words.\n");
    let both = "--simple --example small --bin both";
    assert_eq!(
        docs("both", both).ok().stdout,
        "only: Only in the example.\nadd: Add two numbers.\n",
        "the servers `small` and `sums` follow one another"
    );
    assert_eq!(docs("both", &format!("{both} --server sums")).ok().stdout, "add: Add two numbers.\n");
    docs("members", "-p plain").ended(5).says(&["no tools in package `plain`"]);
    docs("program", "--out docs.md").ended(2).says(&["--out"]);
}
