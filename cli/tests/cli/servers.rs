//! The tools of each document.

use std::fs;

use crate::common::{manifest, scratch};

#[test]
fn jsonl_has_one_tool_per_line() {
    let document = manifest("library", "").ok().document();
    let lines = manifest("library", "--format jsonl").ok().stdout;
    let tools: Vec<serde_json::Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let listed = document["tools"].as_array().unwrap();
    assert_eq!(tools.len(), listed.len());
    for (tool, listed) in tools.iter().zip(listed) {
        assert_eq!((&tool["tool_type"], &tool["server"]), (&"COMMAND".into(), &document["server"]["name"]));
        assert_eq!((&tool["name"], &tool["parameter_schema"]), (&listed["name"], &listed["inputSchema"]));
    }
    assert!(lines.ends_with('\n'));
}

#[test]
fn a_tool_outside_of_every_toolset_is_reported_with_its_place() {
    let run = manifest("both", "").ok();
    run.says(&["warning: the tool `forgotten` is in no toolset", "--> src/lib.rs:16:", "derives `Toolset`"]);
}

#[test]
fn several_servers_are_listed_with_their_places() {
    let run = manifest("both", "--example small --bin both").ended(2);
    assert_eq!(run.stdout, "");
    run.says(&["`small` (examples/small.rs:", "`sums` (src/lib.rs:", "--server NAME", "--out FOLDER/"]);
}

#[test]
fn one_of_several_servers_is_chosen_by_name() {
    let run = manifest("both", "--example small --bin both --server sums").ok();
    assert_eq!(run.names(), ("sums".into(), vec!["add".into()]));
}

#[test]
fn several_servers_follow_one_another_as_jsonl() {
    let run = manifest("both", "--example small --bin both --format jsonl").ok();
    let names: Vec<_> = run.stdout.lines().map(|line| line.split('"').nth(11).unwrap()).collect();
    assert_eq!(names, ["only", "add"]);
}

#[test]
fn several_servers_are_written_to_a_folder_and_checked_there() {
    let scratch = scratch();
    let folder = scratch.path().join("new");
    let line = format!("--example small --bin both --out {}/", folder.display());
    assert_eq!(manifest("both", &line).ok().stdout, "");
    let mut names: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    assert_eq!(names, ["small.json", "sums.json"]);
    assert_eq!(
        fs::read_to_string(folder.join("sums.json")).unwrap(),
        manifest("both", "").ok().stdout,
        "a file has what standard output would have"
    );
    manifest("both", &line.replace("--out", "--check")).ok();

    fs::remove_file(folder.join("small.json")).unwrap();
    manifest("both", &line.replace("--out", "--check")).ended(6).says(&["small.json does not exist"]);
}

#[test]
fn an_unknown_server_is_answered_with_the_known_ones() {
    manifest("library", "--server nope").ended(2).says(&["unknown server `nope`", "`library`"]);
}

#[test]
fn programs_with_different_tools_and_no_toolset_are_listed() {
    manifest("members", "-p pair").ended(2).says(&["package `pair`", "--bin NAME", "left", "right"]);
    assert_eq!(manifest("members", "-p pair --bin left").ok().names(), ("pair".into(), vec!["left".into()]));
}
