//! Bundles that `cargo mcp bundle` writes, read by the official tool for them.

use std::fs;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};

use super::{cargo_mcp, node_modules, text};

/// Runs the official tool; returns whether it succeeds, and what it prints.
fn mcpb(args: &[&str]) -> (bool, String) {
    let modules = node_modules("@anthropic-ai/mcpb");
    let output = Command::new(modules.join("node/bin/node"))
        .arg(modules.join("@anthropic-ai/mcpb/dist/cli/cli.js"))
        .args(args)
        .output()
        .expect("Node.js starts");
    let printed = [output.stdout, output.stderr].concat();
    (output.status.success(), String::from_utf8(printed).expect("UTF-8"))
}

/// The files below a folder, sorted.
fn files(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry")) {
        let name = entry.file_name().into_string().expect("UTF-8");
        if entry.path().is_dir() {
            found.extend(files(&entry.path()).into_iter().map(|file| format!("{name}/{file}")));
        } else {
            found.push(name);
        }
    }
    found.sort();
    found
}

#[test]
fn a_bundle_is_valid_and_unpacks_to_what_was_packed() {
    let folder = tempfile::tempdir().expect("a folder");
    let (bundle, unpacked) = (folder.path().join("hello.mcpb"), folder.path().join("unpacked"));
    let line = ["bundle", "--package", "hello", "--profile", "dev", "--out", text(&bundle)];
    let output = cargo_mcp(&line);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));

    let (is_read, info) = mcpb(&["info", text(&bundle)]);
    assert!(is_read && info.contains("File: hello.mcpb"), "{info}");
    let (is_unpacked, printed) = mcpb(&["unpack", text(&bundle), text(&unpacked)]);
    assert!(is_unpacked, "{printed}");
    assert_eq!(files(&unpacked), ["manifest.json", "server/hello"]);
    let program = Path::new(env!("CARGO_BIN_EXE_slow-server")).with_file_name("hello");
    let [packed, found] =
        [program, unpacked.join("server/hello")].map(|file| fs::read(file).expect("a program"));
    assert!(packed == found, "the program is another one");
    // As executable as it was.
    let listed = cargo_mcp(&["list", "--", text(&unpacked.join("server/hello"))]);
    assert!(listed.status.success(), "{}", String::from_utf8_lossy(&listed.stderr));

    let file = unpacked.join("manifest.json");
    let check = |expected: &str| {
        let (_, printed) = mcpb(&["validate", text(&file)]);
        assert!(printed.contains(expected), "no {expected:?} in: {printed}");
    };
    check("Manifest schema validation passes!");
    // What `[package.metadata.mcp.env]` adds, as in the tests of the command.
    let mut manifest: Value = serde_json::from_slice(&fs::read(&file).expect("a file")).expect("JSON");
    let asked = json!({"type": "string", "title": "Key", "description": "A key.", "required": true, "sensitive": true, "default": "x"});
    manifest["user_config"] = json!({"shop_key": asked});
    manifest["server"]["mcp_config"]["env"] = json!({"SHOP_KEY": "${user_config.shop_key}"});
    fs::write(&file, manifest.to_string()).expect("a file");
    check("Manifest schema validation passes!");
    manifest["homepage"] = "no URL".into();
    fs::write(&file, manifest.to_string()).expect("a file");
    check("homepage: Invalid url");
}
