//! Every kind of package is built and queried, and no `main` runs.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::common::{cargo, folder, manifest, manifest_with, scratch, target};

#[test]
fn a_library_alone_is_queried_through_a_harness() {
    let run = manifest("library", "").ok();
    assert_eq!(run.names(), ("library".into(), vec!["get_order".into(), "refund".into(), "search".into()]));
    let document = run.document();
    assert_eq!(document["server"]["version"], "1.2.3");
    assert_eq!(document["server"]["title"], "The shop");
    assert_eq!(document["instructions"], "Ask for the order id first.");
}

#[test]
fn titles_icons_and_tags_are_shown_and_credentials_are_not() {
    let document = manifest("library", "").ok().document();
    let tool = &document["tools"][0];
    assert_eq!(tool["title"], "Order details");
    assert_eq!(tool["icons"], serde_json::json!([{"src": "data:,", "sizes": ["any"]}]));
    assert_eq!(tool["_meta"]["io.toolwright/tags"], serde_json::json!(["orders"]));
    let properties = tool["inputSchema"]["properties"].as_object().unwrap();
    assert_eq!(properties.keys().collect::<Vec<_>>(), ["order_id"]);
}

#[test]
fn the_document_follows_its_schema() {
    let schema = serde_json::from_str(toolwright_core::manifest::SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    for fixture in ["library", "program", "both"] {
        let document = manifest(fixture, "").ok().document();
        if let Err(error) = validator.validate(&document) {
            panic!("{fixture}: {error}");
        }
    }
}

#[test]
fn a_program_alone_is_queried_before_its_main_panics() {
    let run = manifest("program", "").ok();
    assert_eq!(run.names(), ("program".into(), vec!["bye".into(), "hello".into()]));
    assert!(!run.stderr.contains("main ran"), "{}", run.stderr);
}

#[test]
fn with_library_and_program_the_program_is_queried() {
    let run = manifest("both", "-v").ok().says(&["TOOLWRIGHT_MANIFEST="]);
    assert_eq!(run.names(), ("sums".into(), vec!["add".into()]));
    assert!(!run.stderr.contains("harness"), "{}", run.stderr);
    assert!(!folder("both").join("main-ran").exists());
}

#[test]
fn the_library_is_queried_on_demand() {
    let run = manifest("both", "--lib -v").ok().says(&["toolwright-harness-both"]);
    assert_eq!(run.stdout, manifest("both", "").ok().stdout);
}

#[test]
fn an_example_is_queried() {
    assert_eq!(
        manifest("both", "--example small --server small").ok().names(),
        ("small".into(), vec!["only".into()])
    );
}

#[test]
fn features_decide_what_is_in_a_manifest() {
    let tools = |flags| manifest("library", flags).ok().names().1;
    assert_eq!(tools("--no-default-features"), ["get_order", "search"]);
    assert_eq!(tools("--features reports"), ["get_order", "refund", "report", "search"]);
    assert_eq!(tools("--no-default-features -F library/reports,refunds"), tools("--all-features"));
}

#[test]
fn release_with_fat_lto_and_strip_shows_the_same() {
    let release = manifest("program", "--release").ok();
    assert_eq!(release.stdout, manifest("program", "").ok().stdout);
}

#[test]
fn a_built_program_is_queried_without_a_build() {
    let built = manifest("program", "").ok();
    let scratch = scratch();
    let file = scratch.path().join("server");
    fs::copy(target().join("debug/program"), &file).unwrap();
    let asked = manifest_with(scratch.path(), "--artifact server", |command| {
        command.env("CARGO", "/nowhere");
    });
    assert_eq!(asked.ok().stdout, built.stdout);
}

#[test]
fn a_workspace_has_the_servers_of_its_members() {
    let run = manifest("members", "--workspace --exclude pair --format jsonl").ok();
    let names: Vec<_> = run.stdout.lines().map(|line| line.split('"').nth(11).unwrap()).collect();
    assert_eq!(names, ["count"]);
    assert!(!folder("members").join("plain/main-ran").exists(), "a program without tools was started");
}

/// `other` does not depend on Toolwright and cannot be linked into a harness; `-p other` shows that, `--workspace` and
/// the default members ignore it.
#[test]
fn libraries_without_toolwright_are_not_linked() {
    manifest("members", "-p other").ended(3).says(&["the build failed"]);
    manifest("members", "--exclude pair --workspace --lib").ok();
    manifest("members", "--workspace").ended(2).says(&["package `pair`"]);
}

#[cfg(unix)]
#[test]
fn a_terminal_is_asked_before_anything_is_built() {
    const END_OF_INPUT: &str = "\u{4}";
    for (typed, code, flags) in [
        ("2\n", 0, Some(" --package serve")),
        ("pair\n", 2, Some(" --package pair")),
        ("all\n", 2, Some(" --workspace")),
        ("other\n", 2, None),
        ("\n", 2, None),
        (END_OF_INPUT, 2, None),
    ] {
        let run = crate::common::on_terminal(&folder("members"), "manifest -v --color never", typed);
        let shown = run.ended(code).stdout.replace('\r', "");
        let question = "several packages use Toolwright:\n  1  pair\n  2  serve\n  3  tools\n\
                        which one? Its number or name, or `all`: ";
        let (_, after) = shown.split_once(question).expect(&shown);
        let built = after.lines().find(|line| line.contains("cargo build"));
        let is_right = match flags {
            Some(flags) => built.is_some_and(|command| command.contains(flags)),
            None => built.is_none() && after.starts_with("error: several packages of the workspace"),
        };
        assert!(is_right, "{typed:?}: {shown}");
    }
}

/// In a folder of several packages, nothing is built before one is selected; without a terminal, nothing is asked.
#[test]
fn a_workspace_with_several_servers_lists_them() {
    for command in ["manifest", "docs", "lint", "diff", "pin", "expand count"] {
        let words: Vec<_> = command.split(' ').collect();
        let run = crate::common::run(&folder("members"), &words).ended(2);
        assert_eq!(run.stdout, "", "{command}");
        let run = run.says(&[
            "several packages of the workspace use Toolwright: ",
            "tools",
            "--package NAME",
            "--workspace",
        ]);
        assert!(
            !run.stderr.contains("Compiling") && !run.stderr.contains("other"),
            "{command}: {}",
            run.stderr
        );
    }
    let program = manifest("members", "--bin serve").ok();
    assert_eq!(program.names().1, ["count"], "a program selects its package");
}

#[test]
fn a_member_without_tools_shows_those_of_the_library_it_links() {
    let expected = ("tools".into(), vec!["count".into()]);
    assert_eq!(manifest("members", "-p serve").ok().names(), expected);
    assert_eq!(manifest_with(&folder("members").join("serve/src"), "", |_| {}).ok().names(), expected);
    assert_eq!(manifest("members", "-p tools").ok().names(), expected);
}

/// "Leaves build outputs as `cargo build` would": the same files, and neither side rebuilds anything.
#[test]
fn builds_are_left_as_cargo_build_leaves_them() {
    for fixture in ["library", "program"] {
        cargo(fixture, "build").ok();
        let before = files_in(&target().join("debug"));
        manifest(fixture, "").ok();
        let added: Vec<_> = files_in(&target().join("debug")).difference(&before).cloned().collect();
        assert!(!added.iter().any(|file| file.contains("harness")), "{added:?}");

        for run in [cargo(fixture, "build").ok(), manifest(fixture, "").ok()] {
            assert!(!run.stderr.contains("Compiling"), "{}", run.stderr);
        }
    }
}

fn files_in(folder: &Path) -> BTreeSet<String> {
    fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn locked_and_offline_builds_work_for_libraries_too() {
    cargo("library", "build").ok();
    manifest("library", "--locked --offline").ok();
    manifest("library", "--frozen").ok();
}

#[test]
fn the_cargo_of_the_environment_is_used() {
    let run = manifest_with(&folder("program"), "", |command| {
        command.env("CARGO", "/nowhere/cargo");
    });
    run.ended(3).says(&["cannot start /nowhere/cargo", "set the variable CARGO"]);
}
