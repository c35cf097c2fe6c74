//! `cargo mcp config` with typical files.

use std::fs;

use crate::common::{mcp, scratch};

const SHARED: &str = r#"{
  // servers of a desktop client
  "mcpServers": {
    "files": {"command": "npx", "args": ["-y", "files-server"], "env": {"KEY": "s3cret"}},
    "shop": {"url": "https://shop.example/mcp", "authToken": "s3cret"}
  }
}
"#;

#[test]
fn a_good_file_passes_without_anything_started() {
    let scratch = scratch();
    // Neither the server nor the program exists.
    let text =
        r#"{"mcpServers": {"a": {"url": "http://127.0.0.1:1/mcp"}, "b": {"command": "no-such-program"}}}"#;
    fs::write(scratch.path().join("mcp.json"), text).unwrap();
    let run = mcp(scratch.path(), "config check mcp.json").ok().says(&["2 can be used"]);
    assert_eq!(run.stdout, "");
}

#[test]
fn every_problem_is_shown_with_its_line() {
    let scratch = scratch();
    let text = SHARED
        .replace("\"args\"", "\"arguements\"")
        .replace("shop.example", "${SHOP_HOST_NOT_SET}")
        .replace("\"authToken\"", "\"authTokn\"");
    fs::write(scratch.path().join(".mcp.json"), text).unwrap();
    let run = mcp(scratch.path(), "config check .mcp.json --color never").ended(2);
    for part in [
        "warning[unknown-member]: unknown member `arguements`, did you mean `args`?",
        "error[unresolved]: the variable `SHOP_HOST_NOT_SET` is not set",
        "unknown member `authTokn`, did you mean `auth_token`?",
        ".mcp.json:4:33",
        ".mcp.json:5:30",
        "in: server shop, `url`",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in:\n{}", run.stdout);
    }
    assert!(!run.stdout.contains("s3cret"), "{}", run.stdout);

    let json = mcp(scratch.path(), "config check .mcp.json --format json").ended(2).stdout;
    let first: serde_json::Value = serde_json::from_str(json.lines().next().unwrap()).unwrap();
    assert_eq!((first["line"].as_u64(), first["server"].as_str()), (Some(4), Some("files")), "{json}");
    mcp(scratch.path(), "config check missing.json").ended(6).says(&["missing.json"]);
}

#[test]
fn warnings_can_be_let_through() {
    let scratch = scratch();
    fs::write(scratch.path().join("a.json"), r#"{"servers": {"a": {"command": "x", "environment": {}}}}"#)
        .unwrap();
    mcp(scratch.path(), "config check a.json").ended(2);
    mcp(scratch.path(), "config check a.json --deny errors").ok();
}

#[test]
fn resolved_servers_are_shown_without_secrets() {
    let scratch = scratch();
    fs::write(scratch.path().join("a.json"), SHARED).unwrap();
    let shown = mcp(scratch.path(), "config show a.json").ok();
    assert!(!shown.stdout.contains("s3cret"), "{}", shown.stdout);
    let servers = &shown.document()["servers"];
    assert_eq!(servers["files"]["request_timeout"], 60);
    assert_eq!(servers["files"]["transport"], "stdio");
    assert_eq!(servers["shop"]["transport"], "http");
    assert_eq!(servers["shop"]["headers"][0], "Authorization");
}

#[test]
fn files_are_converted_and_losses_reported() {
    let scratch = scratch();
    fs::write(scratch.path().join("a.json"), SHARED).unwrap();
    let run = mcp(scratch.path(), "config convert a.json --to vscode").ok().says(&["comments are not kept"]);
    let document = run.document();
    assert_eq!(document["servers"]["shop"]["headers"]["Authorization"], "Bearer s3cret");
    assert_eq!(document["servers"]["files"]["type"], "stdio");
    mcp(scratch.path(), "config convert a.json --to cursor --deny-lossy").ended(100);
    mcp(scratch.path(), "config convert a.json --to toml --out a.toml").ok();
    mcp(scratch.path(), "config check a.toml").ok().says(&["2 can be used"]);
    fs::write(scratch.path().join("b.json"), "{\"mcpServers\": {\"a\": {}}}").unwrap();
    mcp(scratch.path(), "config convert b.json --to claude")
        .ended(2)
        .says(&["neither a `command` nor a `url`"]);
}

#[test]
fn the_schema_of_the_files_is_printed() {
    let scratch = scratch();
    let schema = mcp(scratch.path(), "config schema").ok().document();
    let validator = jsonschema::validator_for(&schema).unwrap();
    assert!(validator.is_valid(&serde_json::json!({"mcpServers": {"a": {"command": "x"}}})));
    assert!(!validator.is_valid(&serde_json::json!({"mcpServers": {"a": {"comand": "x"}}})));
}
