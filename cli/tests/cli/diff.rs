//! `cargo mcp diff`: its sources, exit codes and formats.

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::common::{folder, manifest, run, scratch};

/// A folder with two manifests: of the fixture `library`, and with another pattern.
fn two_files() -> tempfile::TempDir {
    let scratch = scratch();
    let old = manifest("library", "").ok().stdout;
    let new = old.replace(r"\\d{7}$", r"\\d{8}$").replace("Give money back.", "Give it back.");
    assert_ne!(old, new);
    fs::write(scratch.path().join("old.json"), old).unwrap();
    fs::write(scratch.path().join("new.json"), new).unwrap();
    scratch
}

#[test]
fn the_level_decides_about_the_exit_code() {
    let scratch = two_files();
    let diff = |words: &[&str]| run(scratch.path(), &[&["diff"], words].concat());
    diff(&["old.json", "old.json"]).ok();
    let broken = diff(&["old.json", "new.json"]).ended(100);
    assert!(broken.stdout.contains("get_order\n  breaking: "), "{}", broken.stdout);
    assert!(
        broken.stdout.ends_with("1 breaking, 0 compatible, 1 documentation, in 2 tools\n"),
        "{}",
        broken.stdout
    );
    broken.says(&["error: 1 change of the class `breaking` or above", "--allow FILE"]);
    diff(&["old.json", "new.json", "--deny", "documentation"]).ended(100).says(&["2 changes"]);

    let list = "[[allow]]\nid = \"input-pattern-narrowed\"\ntool = \"get_order\"\nreason = \"ids grew\"\n";
    fs::write(scratch.path().join("allow.toml"), list).unwrap();
    let allowed = diff(&["old.json", "new.json", "--allow", "allow.toml"]).ok();
    assert!(allowed.stdout.contains("allowed: ids grew"), "{}", allowed.stdout);
    diff(&["old.json", "old.json", "--allow", "allow.toml"]).ok().says(&[
        "warning: the allow list has an entry that no change needs: input-pattern-narrowed get_order",
    ]);
    fs::write(scratch.path().join("allow.toml"), list.replace("ids grew", "")).unwrap();
    diff(&["old.json", "old.json", "--allow", "allow.toml"]).ended(2).says(&["has no reason"]);
}

/// "Found" and "could not run" have different codes (JoviDeCroock/mcp-tada#14).
#[test]
fn unreadable_input_has_its_own_exit_code() {
    let scratch = two_files();
    let diff = |words: &[&str]| run(scratch.path(), &[&["diff"], words].concat());
    diff(&["missing.json", "old.json"]).ended(6).says(&["cannot read missing.json"]);
    fs::write(scratch.path().join("broken.json"), "{}").unwrap();
    diff(&["broken.json", "old.json"]).ended(6).says(&["broken.json is not a manifest", "manifestVersion"]);
    diff(&["old.json", "https://127.0.0.1:1/mcp"]).ended(4).says(&["cannot be reached"]);
    diff(&["old.json", "http://127.0.0.1:1/mcp"]).ended(4).says(&["127.0.0.1:1/mcp: cannot be reached"]);
    diff(&["old.json", "new.json", "--", "server"]).ended(2).says(&["cannot be used with"]);
    diff(&["old.json", "--", "no-such-server-program"]).ended(4).says(&["is not found in"]);
}

#[test]
fn the_forms_are_chosen() {
    let scratch = two_files();
    let diff = |form: &str| {
        run(scratch.path(), &["diff", "old.json", "new.json", "--format", form]).ended(100).stdout
    };
    let json: serde_json::Value = serde_json::from_str(&diff("json")).unwrap();
    assert_eq!(json["denied"], 1);
    let sarif: serde_json::Value = serde_json::from_str(&diff("sarif")).unwrap();
    let place = "/runs/0/results/0/locations/0/physicalLocation/artifactLocation/uri";
    assert_eq!(sarif.pointer(place), Some(&"new.json".into()));
    let region = &sarif["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["region"];
    let line = region["startLine"].as_u64().unwrap();
    let text = fs::read_to_string(scratch.path().join("new.json")).unwrap();
    let marked = text.lines().nth(usize::try_from(line).unwrap() - 1).unwrap();
    assert!(marked.contains("\"order_id\": {"), "{region}: {marked}");
    assert!(region["endLine"].as_u64() > Some(line), "{region}");
    assert!(diff("markdown").starts_with("### MCP tools: 1 breaking change\n"));
}

fn git(folder: &Path, words: &[&str]) {
    let identity = ["-c", "user.name=t", "-c", "user.email=t@example.com", "-c", "commit.gpgsign=false"];
    let output = Command::new("git").current_dir(folder).args(identity).args(words).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn a_revision_is_compared_with_a_file() {
    let scratch = two_files();
    let folder = scratch.path();
    git(folder, &["init", "--quiet"]);
    fs::create_dir(folder.join("api")).unwrap();
    fs::copy(folder.join("old.json"), folder.join("api/mcp.json")).unwrap();
    git(folder, &["add", "api"]);
    git(folder, &["commit", "--quiet", "--message", "one"]);
    fs::copy(folder.join("new.json"), folder.join("api/mcp.json")).unwrap();
    run(folder, &["diff", "HEAD:api/mcp.json", "api/mcp.json"]).ended(100);
    run(&folder.join("api"), &["diff", "HEAD:./mcp.json", "mcp.json"]).ended(100);
    run(folder, &["diff", "HEAD:api/mcp.json", "HEAD:api/mcp.json"]).ok();
    run(folder, &["diff", "HEAD:mcp.json", "old.json"])
        .ended(6)
        .says(&["git cannot read it", "cat-file blob"]);
    // Outside of this repository there is no package.
    let nowhere = tempfile::tempdir().unwrap();
    run(nowhere.path(), &["diff", "--", "server"]).ended(3);
}

/// Without arguments: compares the committed manifest with the package.
#[test]
fn the_committed_manifest_is_compared_with_the_package() {
    let library = folder("library");
    let scratch = two_files();
    let [old, new] =
        ["old.json", "new.json"].map(|name| scratch.path().join(name).to_str().unwrap().to_owned());
    let broken = run(&library, &["diff", &new]).ended(100);
    assert!(broken.stdout.contains("[input-pattern-narrowed]"), "{}", broken.stdout);
    run(&library, &["diff", &old]).ok();
    let more = run(&library, &["diff", &old, "--all-features"]).ok();
    assert!(
        more.stdout.contains("report\n  compatible: a tool was added [tool-added]\n"),
        "features choose what is built: {}",
        more.stdout
    );
    let text = run(&library, &["diff"]).ended(6).stderr;
    assert!(text.contains("there is no committed manifest"), "{text}");
}

#[test]
fn packages_are_named_on_either_side() {
    let members = folder("members");
    let run = run(&members, &["diff", "package:tools", "package:pair"]).ended(2);
    run.says(&["have different tools", "select one with --bin NAME: ", "left", "right"]);
    let both = crate::common::run(&members, &["diff", "package:tools", "package:tools"]).ok();
    assert_eq!(both.stdout, "no changes\n");
}
