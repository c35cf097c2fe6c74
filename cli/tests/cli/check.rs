//! `--check`: drift is found, shown and fixed.

use std::fs;

use crate::common::{Run, manifest, scratch};

/// Runs `--check` on the manifest of `library` after a change to the text of the file.
fn check(format: &str, change: impl FnOnce(String) -> String) -> Run {
    let scratch = scratch();
    let file = scratch.path().join("shop.json");
    let text = manifest("library", &format!("--format {format}")).ok().stdout;
    fs::write(&file, change(text)).unwrap();
    manifest("library", &format!("--format {format} --check {}", file.display()))
}

#[test]
fn an_unchanged_file_passes_in_silence() {
    for format in ["mcp", "jsonl"] {
        let run = check(format, |text| text).ok();
        assert_eq!(run.stdout, "");
        assert!(!run.stderr.contains("update"), "{}", run.stderr);
    }
}

#[test]
fn spaces_line_endings_and_the_order_of_members_do_not_count() {
    check("mcp", |text| text.replace('\n', "\r\n").replace("  ", "\t")).ok();
    let reversed = |text: String| {
        let old: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&text).unwrap();
        serde_json::to_string(&old.into_iter().rev().collect::<serde_json::Map<_, _>>()).unwrap()
    };
    check("mcp", reversed).ok();
}

#[test]
fn drift_is_shown_by_property_with_the_command_to_update() {
    let run = check("mcp", |text| {
        text.replace("1.2.3", "1.2.2")
            .replace("Give money back.", "Give\u{200b} money back.")
            .replace(r"\\d{7}$", r"\\d{6}$")
            .replace("\"readOnlyHint\": true,\n", "")
            .replace("\"order_id\"\n", "\"order_id\",\n\"api_key\"\n")
            .replace("\"name\": \"search\"", "\"name\": \"find\"")
    });
    let run = run
        .ended(1)
        .says(&["shop.json is out of date: 7 differences", "cargo mcp manifest --format mcp --out "]);
    let expected = [
        r#"~ /server/version: "1.2.2" -> "1.2.3""#,
        "- find",
        r#"~ get_order /inputSchema/properties/order_id/pattern: "^#W\\d{6}$" -> "^#W\\d{7}$""#,
        r#"- get_order /inputSchema/required: "api_key""#,
        "+ get_order /annotations/readOnlyHint: true",
        r#"~ refund /description: "Give\u{200b} money back." -> "Give money back.""#,
        "+ search",
    ];
    assert_eq!(run.stdout.lines().collect::<Vec<_>>(), expected);
}

#[test]
fn drift_is_found_in_jsonl_too() {
    let run = check("jsonl", |text| text.split_inclusive('\n').skip(1).collect()).ended(1);
    assert_eq!(run.stdout, "+ get_order\n");
}

#[test]
fn the_command_that_is_named_mends_the_file() {
    let scratch = scratch();
    let file = scratch.path().join("with space/shop.json");
    let before = manifest("library", "").ok().stdout;
    let line =
        |flag: &str| format!("--no-default-features {flag}={}", scratch.path().join("shop.json").display());
    fs::write(scratch.path().join("shop.json"), &before).unwrap();
    let run = manifest("library", &line("--check")).ended(1);
    assert!(run.stderr.contains(&format!("cargo mcp manifest {}", line("--out"))), "{}", run.stderr);
    manifest("library", &line("--out")).ok();
    manifest("library", &line("--check")).ok();
    assert!(!file.exists());
}

#[test]
fn a_missing_file_is_answered_with_the_command_that_writes_it() {
    let scratch = scratch();
    let file = scratch.path().join("shop.json");
    let run = manifest("library", &format!("--check {}", file.display())).ended(6);
    run.says(&["shop.json does not exist", &format!("cargo mcp manifest --out {}", file.display())]);
}

#[test]
fn an_invalid_manifest_file_is_rejected() {
    check("mcp", |_| "{}".to_owned()).ended(6).says(&["cannot compare", "manifestVersion"]);
    check("jsonl", |text| text + "{").ended(6).says(&["cannot compare"]);
}

#[test]
fn a_later_manifest_version_is_rejected() {
    let run = check("mcp", |text| text.replace("\"manifestVersion\": 1", "\"manifestVersion\": 3")).ended(6);
    run.says(&["version 3", "up to 1"]);
}

#[test]
fn a_file_that_says_the_same_keeps_its_time_stamp() {
    let scratch = scratch();
    let file = scratch.path().join("shop.json");
    let line = format!("--out {}", file.display());
    manifest("library", &line).ok();
    let before = fs::metadata(&file).unwrap().modified().unwrap();
    manifest("library", &line).ok();
    assert_eq!(fs::metadata(&file).unwrap().modified().unwrap(), before);
}
