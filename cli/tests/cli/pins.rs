//! `cargo mcp pin` and `cargo mcp verify`.

use std::fs;
use std::path::Path;

use crate::common::{Run, manifest, run, scratch};

fn pin(folder: &Path, words: &[&str]) -> Run {
    run(folder, &[&["pin", "mcp.json"], words].concat())
}

fn verify(folder: &Path) -> Run {
    run(folder, &["verify", "mcp.json"])
}

fn edit(folder: &Path, from: &str, to: &str) {
    let file = folder.join("mcp.json");
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains(from), "{text}");
    fs::write(&file, text.replace(from, to)).unwrap();
}

#[test]
fn changes_after_pinning_are_reported() {
    let scratch = scratch();
    let folder = scratch.path();
    fs::write(folder.join("mcp.json"), manifest("library", "").ok().stdout).unwrap();
    verify(folder).ended(6).says(&["no lock file mcp.lock.json", "cargo mcp pin --lock mcp.lock.json"]);
    pin(folder, &[]).ok().says(&["pins 3 tools"]);
    let lock = fs::read_to_string(folder.join("mcp.lock.json")).unwrap();
    verify(folder).ok();
    pin(folder, &[]).ok();

    // The server's version, white space and the order of members do not count as drift.
    edit(folder, "1.2.3", "1.2.4");
    edit(folder, "  ", " ");
    verify(folder).ok();

    edit(folder, "Give money back.", "Give money back.\u{200b}");
    edit(folder, "Ask for the order id first.", "Ask for nothing.");
    edit(folder, r#""name": "search""#, r#""name": "find""#);
    let drift = verify(folder).ended(1);
    let expected = "~ server: instructions\n+ tool find\n~ tool refund: description\n- tool search\n";
    assert_eq!(drift.stdout, expected);
    drift.says(&["4 differences from what mcp.lock.json pins", "cargo mcp pin --update"]);

    // Only the requested changes are accepted.
    assert_eq!(pin(folder, &[]).ended(1).stdout, expected);
    assert_eq!(fs::read_to_string(folder.join("mcp.lock.json")).unwrap(), lock);
    let left = pin(folder, &["--update=refund,search"]).ended(1);
    assert_eq!(left.stdout, "~ server: instructions\n+ tool find\n");
    pin(folder, &["--update=lost"])
        .ended(2)
        .says(&["no definition named `lost` is pinned or offered", "refund"]);
    pin(folder, &["--update"]).ok();
    verify(folder).ok();
}

#[test]
fn the_lock_file_depends_on_the_definitions_alone() {
    let scratch = scratch();
    let folder = scratch.path();
    let text = manifest("library", "").ok().stdout;
    fs::write(folder.join("mcp.json"), &text).unwrap();
    pin(folder, &[]).ok();
    let tools: serde_json::Value = serde_json::from_str(&text).unwrap();
    let reversed: serde_json::Map<_, _> = tools.as_object().unwrap().clone().into_iter().rev().collect();
    fs::write(folder.join("mcp.json"), serde_json::to_string(&reversed).unwrap()).unwrap();
    pin(folder, &["--lock", "other.json"]).ok();
    let [one, other] =
        ["mcp.lock.json", "other.json"].map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(one, other);
    let lock: serde_json::Value = serde_json::from_str(&one).unwrap();
    let pinned = lock["tools"]["get_order"]["definition"].as_str().unwrap();
    assert!(pinned.starts_with("sha256:") && pinned.len() == 71, "{pinned}");
}

#[test]
fn a_lock_file_that_cannot_be_read_is_an_error() {
    let scratch = scratch();
    let folder = scratch.path();
    fs::write(folder.join("mcp.json"), manifest("library", "").ok().stdout).unwrap();
    for (text, says) in
        [("{", "not a lock file"), ("{}", "lockVersion"), (r#"{"lockVersion": 9}"#, "version 9")]
    {
        fs::write(folder.join("mcp.lock.json"), text).unwrap();
        verify(folder).ended(6).says(&["invalid lock file mcp.lock.json", says]);
        pin(folder, &[]).ended(6);
    }
}
