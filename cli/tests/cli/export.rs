//! The formats of `cargo mcp manifest --format`; their contents are tested next to their code.

use std::fs;

use crate::common::{EXPORTS, manifest, scratch};

#[test]
fn every_format_is_written_and_checked() {
    let scratch = scratch();
    let file = scratch.path().join("form");
    for form in EXPORTS.into_iter().filter(|form| *form != "jsonl") {
        let line = |flag: &str| format!("--format {form} {flag} {}", file.display());
        manifest("library", &line("--out")).ok();
        manifest("library", &line("--check")).ok();
        let text = fs::read_to_string(&file).unwrap();
        assert!(text.ends_with('\n') && text.len() > 100, "{form}: {text}");
        fs::write(&file, text.replacen("library", "librarian", 1).replacen("get_order", "get_odrer", 1))
            .unwrap();
        let run = manifest("library", &line("--check")).ended(1);
        assert!(run.stdout.starts_with("~ line "), "{form}: {}", run.stdout);
    }
}

#[test]
fn losses_are_reported_and_can_be_denied() {
    let said =
        "search /inputSchema/properties/weights: strict mode cannot express an object with arbitrary members";
    manifest("library", "--format openai-strict").ok().says(&[said]);
    let run = manifest("library", "--format openai-strict --deny-lossy").ended(100);
    assert_eq!(run.stdout, "");
    run.says(&[said, "drop --deny-lossy"]);
    manifest("library", "--format anthropic --deny-lossy").ok();
}

#[test]
fn server_json_has_what_the_package_says_about_itself() {
    let run = manifest("members", "-p tools --format server-json").ok();
    assert_eq!(run.document()["name"], "io.example/words");
    assert_eq!(run.document()["description"], "Counts words.");
    let run = manifest("library", "--format server-json").ok();
    run.says(&[
        "the registry needs a name such as `io.github.ada/shop`",
        "`library` is not published in cargo's registry",
    ]);
}

#[test]
fn server_json_has_a_package_that_can_be_published() {
    let run = manifest("features", "--format server-json --deny-lossy").ok();
    let document = run.document();
    assert_eq!(document["name"], "io.github.ada/shop");
    let package = serde_json::json!({
        "registryType": "cargo", "identifier": "features", "version": "0.5.0", "transport": {"type": "stdio"},
    });
    assert_eq!(document["packages"], serde_json::json!([package]));
}

#[test]
fn a_form_that_holds_one_server_refuses_several() {
    for form in ["openapi", "mcpb"] {
        let run = manifest("both", &format!("--example small --bin both --format {form}")).ended(2);
        run.says(&["there are several servers"]);
    }
    manifest("both", "--example small --bin both --format markdown").ok();
}

/// `--out` of every command creates the folders above its file.
#[test]
fn files_are_written_to_new_folders() {
    let scratch = scratch();
    let here = scratch.path();
    let manifest = r#"{"manifestVersion":1,"server":{"name":"a","version":"1"},"tools":[{"name":"t","inputSchema":{"type":"object"}}]}"#;
    std::fs::write(here.join("mcp.json"), manifest).unwrap();
    std::fs::write(here.join(".mcp.json"), r#"{"mcpServers":{"a":{"command":"a"}}}"#).unwrap();
    for (words, file) in [
        ("manifest mcp.json --out 1/a/mcp.json", "1/a/mcp.json"),
        ("manifest mcp.json --format html --out 2/a/", "2/a/a.html"),
        ("manifest mcp.json --format jsonl --out 3/a/tools.jsonl", "3/a/tools.jsonl"),
        ("tool concat 3/a/tools.jsonl --out 4/a/tools.jsonl", "4/a/tools.jsonl"),
        ("bindings mcp.json --out 5/a/theirs.rs", "5/a/theirs.rs"),
        ("pin mcp.json --lock 6/a/lock.json", "6/a/lock.json"),
        ("config convert .mcp.json --to vscode --out 7/a/mcp.json", "7/a/mcp.json"),
    ] {
        let words: Vec<_> = words.split(' ').collect();
        crate::common::run(here, &words).ok();
        assert!(here.join(file).is_file(), "{words:?}");
    }
}
