//! `cargo mcp tool`: records of tools of every kind.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{manifest, mcp, run, scratch, with_input};

const WORKFLOW: &str = r#"{"tool_type":"WORKFLOW","schema_version":"1.0","name":"report","description":"Writes\nit.","parameter_schema":{},"message_output_port_index":-1}"#;
const MCP: &str = r#"{"tool_type":"MCP","schema_version":"1.0","name":"add","description":"Adds.","parameter_schema":{"type":"object"},"server_uri":"http://127.0.0.1:1/sse","tool_name":"plus"}"#;
const GRPC: &str = "{\"tool_type\":\"GRPC\",  \"name\":\"s\u{200b}\", \"deadline\":1.50}";
const OLD_MCP: &str = r#"{"0":"plus","1":"","2":"{}","3":"http://127.0.0.1:1/sse","4":"plus"}"#;
const OLD_WORKFLOW: &str =
    r#"{"name":"flow","description":"","parameter_schema":{},"message_output_port_index":0}"#;

/// A folder with these files.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let scratch = scratch();
    for (name, text) in files {
        fs::write(scratch.path().join(name), text).unwrap();
    }
    scratch
}

fn tool(folder: &Path, line: &str) -> crate::common::Run {
    mcp(folder, &format!("tool {line}"))
}

#[test]
fn a_mixed_file_is_listed_in_its_order() {
    let scratch = folder(&[("tools.jsonl", &format!("{WORKFLOW}\nnull\n{MCP}\n"))]);
    let run = tool(scratch.path(), "list tools.jsonl").ok();
    assert_eq!(run.stdout, "report\tWORKFLOW\tWrites it.\nadd\tMCP\tAdds.\n");
}

#[test]
fn two_files_one_after_the_other_are_a_collection() {
    let scratch = folder(&[("a.jsonl", &format!("{WORKFLOW}\n{GRPC}\nnull\n")), ("b.jsonl", MCP)]);
    let whole = tool(scratch.path(), "concat a.jsonl b.jsonl").ok();
    assert_eq!(whole.stdout, format!("{WORKFLOW}\n{GRPC}\n{MCP}\n"), "unknown kinds come out byte for byte");
    let checked = with_input(scratch.path(), "tool check", &whole.stdout).ok();
    assert_eq!(checked.stdout, "");
    checked.says(&["3 tools checked", r#"of the kind "GRPC", which this version preserves"#]);
}

#[test]
fn duplicate_names_are_reported_and_fail_a_check() {
    let other = MCP.replace("plus", "minus");
    let scratch = folder(&[("a.jsonl", &format!("{MCP}\n{MCP}\n")), ("b.jsonl", &other)]);
    let run = tool(scratch.path(), "concat a.jsonl b.jsonl").ok();
    assert_eq!(run.stdout.lines().count(), 3);
    let told = [
        r#"a.jsonl:2: the tool "add" is already defined at a.jsonl:1; the records are equal; remove one"#,
        r#"b.jsonl:1: the tool "add" is already defined at a.jsonl:1; rename one of them"#,
    ];
    run.says(&told);
    tool(scratch.path(), "check a.jsonl b.jsonl").ended(100).says(&told);
}

#[test]
fn older_forms_are_read_with_one_warning_each() {
    let old = format!("{OLD_MCP}\n{OLD_WORKFLOW}\n{OLD_MCP}\n");
    let scratch = folder(&[("old.jsonl", &old)]);
    let run = tool(scratch.path(), "decode old.jsonl").ok();
    assert_eq!(run.stderr.matches("warning").count(), 2, "{}", run.stderr);
    let run = run
        .says(&["old.jsonl:1: 2 records have the deprecated format mcp-only", "old.jsonl:2: 1 record has"]);
    let kinds: Vec<Value> = run
        .stdout
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap()["tool_type"].clone())
        .collect();
    assert_eq!(kinds, ["MCP", "WORKFLOW", "MCP"]);
    let current = tool(scratch.path(), "migrate old.jsonl").ok().stdout;
    assert_eq!(current, run.stdout);
    with_input(scratch.path(), "tool check --deny-deprecated", current.lines().next().unwrap()).ok();
    tool(scratch.path(), "check --deny-deprecated old.jsonl").ended(100).says(&["deprecated formats"]);
}

#[test]
fn flat_records_are_decoded_and_a_kind_that_they_lack_is_named() {
    let flat = with_input(&std::env::temp_dir(), "tool migrate --to flat/1", MCP).ok().stdout;
    let record: Value = serde_json::from_str(&flat).unwrap();
    assert_eq!(
        (&record["0"], &record["4"], &record["7"], &record["10"]),
        (&json!("MCP"), &Value::Null, &json!(-1), &Value::Null)
    );
    let back = with_input(&std::env::temp_dir(), "tool decode --flat", &flat).ok();
    assert_eq!(back.stdout, format!("{MCP}\n"));
    let unknown = format!("null\n{flat}{}", flat.replace("\"MCP\"", "\"GRPC\""));
    let run = with_input(&std::env::temp_dir(), "tool decode --flat", &unknown).ended(2);
    assert_eq!(run.stdout, "", "nothing is written that is not whole");
    run.says(&["standard input:3: unknown tool type \"GRPC\""]);
}

#[test]
fn losses_of_flat_records_can_be_denied() {
    let with_more = MCP.replace("\"tool_name\"", "\"credential_ref\":\"calc\",\"tool_name\"");
    let scratch = folder(&[("a.jsonl", &with_more)]);
    tool(scratch.path(), "migrate a.jsonl --to flat/1").ok().says(&["flat/1 cannot express credential_ref"]);
    let run = tool(scratch.path(), "migrate a.jsonl --to flat/1 --deny-lossy").ended(100);
    assert_eq!(run.stdout, "");
    tool(scratch.path(), "roundtrip a.jsonl --codec flat/1")
        .ended(1)
        .says(&["cannot express credential_ref"]);
    tool(scratch.path(), "roundtrip a.jsonl").ok();
    tool(scratch.path(), "migrate a.jsonl --to mcp-only").ended(2);
}

#[test]
fn records_come_back_in_the_same_bytes() {
    let pretty = serde_json::to_string_pretty(&serde_json::from_str::<Value>(MCP).unwrap()).unwrap();
    let scratch = folder(&[("mcp.json", MCP), ("workflow.json", WORKFLOW), ("pretty.json", &pretty)]);
    for (file, expected) in [("mcp.json", MCP), ("workflow.json", WORKFLOW), ("pretty.json", MCP)] {
        assert_eq!(tool(scratch.path(), &format!("roundtrip {file}")).ok().stdout, format!("{expected}\n"));
    }
}

#[test]
fn new_records_of_each_kind_are_valid() {
    let scratch = folder(&[("flow.knwf", "abc")]);
    let here = scratch.path();
    for (line, member) in [
        (
            "mcp --name x --server-uri u --tool-name t --credential-ref c",
            json!({"tool_name": "t", "credential_ref": "c"}),
        ),
        ("mcp --name x --server-uri u --input-schema {}", json!({"tool_name": "x", "input_schema": {}})),
        ("http --name x --url https://example.com/{id} --method get", json!({"method": "GET"})),
        (
            r#"command --name x --server shop --schema {"type":"object"}"#,
            json!({"parameter_schema": {"type": "object"}}),
        ),
        (
            "workflow --name x --workflow flow.knwf",
            json!({"workflow": {"path": "flow.knwf", "sha256": "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"}}),
        ),
    ] {
        let record = tool(here, &format!("new {line}")).ok().stdout;
        let value: Value = serde_json::from_str(&record).unwrap();
        for (name, expected) in member.as_object().unwrap() {
            assert_eq!(&value[name], expected, "{record}");
        }
        assert_eq!(with_input(here, "tool roundtrip", &record).ok().stdout, record);
        with_input(here, "tool check", &record).ok();
    }
    tool(here, "new mcp --name x --server-uri u --schema []")
        .ended(2)
        .says(&["--schema is not a JSON object"]);
    tool(here, "new workflow --name x --workflow missing").ended(6);
    tool(here, "new grpc --name x").ended(2);
}

#[test]
fn one_codec_is_marked_as_the_default() {
    let run = tool(&std::env::temp_dir(), "codecs").ok();
    assert_eq!(run.stdout.matches("default").count(), 1, "{}", run.stdout);
    assert!(run.stdout.starts_with("tagged/1 (default): "), "{}", run.stdout);
    let run = tool(&std::env::temp_dir(), "codecs --json").ok();
    let names: Vec<Value> =
        run.stdout.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["name"].clone()).collect();
    assert_eq!(names, ["tagged/1", "flat/1", "workflow-only", "mcp-only"]);
}

#[test]
fn incompatible_versions_are_rejected() {
    let newer = MCP.replace("\"1.0\"", "\"1.9\"").replace("\"plus\"}", "\"plus\",\"retries\":3}");
    assert_eq!(with_input(&std::env::temp_dir(), "tool concat", &newer).ok().stdout, newer.clone() + "\n");
    let run = with_input(&std::env::temp_dir(), "tool check", &newer.replace("1.9", "2.0")).ended(2);
    run.says(&["schema version 2.0", "writes 1.0"]);
}

/// The output of every other command, including the tools of a package, can be read here, and is a valid source.
#[test]
fn the_manifest_writes_a_collection() {
    let lines = manifest("library", "--format jsonl").ok().stdout;
    let scratch = folder(&[("tools.jsonl", &lines)]);
    let here = scratch.path();
    tool(here, "check tools.jsonl").ok();
    let listed = tool(here, "list tools.jsonl").ok().stdout;
    assert!(listed.lines().all(|line| line.contains("\tCOMMAND")), "{listed}");
    let again = run(here, &["manifest", "tools.jsonl", "--format", "mcp"]).ok().document();
    assert_eq!(again["tools"], manifest("library", "").ok().document()["tools"]);
}

#[test]
fn files_that_cannot_be_read_and_lines_that_mean_harm() {
    let scratch = folder(&[]);
    tool(scratch.path(), "list missing.jsonl").ended(6).says(&["cannot read missing.jsonl"]);
    let harmful = "{\"tool_type\":\"MCP\",\"schema_version\":\"1.0\",\"name\":\"\\u001b[2J\u{202e}\",\"parameter_schema\":{},\"server_uri\":\"##[x]\",\"tool_name\":\"\\n::error::x\"}";
    let file = scratch.path().join("bad.jsonl");
    fs::write(
        &file,
        format!("{harmful}\n{harmful}\n\u{1b}[2J\n{{\"tool_type\":\"MCP\",\"\u{1b}\":1,\"\u{1b}\":2}}\n"),
    )
    .unwrap();
    for line in ["list", "check", "concat", "decode --flat"] {
        let run = tool(scratch.path(), &format!("{line} bad.jsonl")).ended(2);
        for text in [&run.stdout, &run.stderr] {
            assert!(!text.contains(['\u{1b}', '\u{202e}']) && !text.contains("##["), "{line}: {text:?}");
        }
    }
}

#[test]
fn arrow_files_are_read_wherever_json_lines_are() {
    // The flat format does not distinguish no ports from unknown ports.
    let ports = r#""input_ports":[],"output_ports":[],"message"#;
    let workflow = WORKFLOW.replace(r#""message"#, ports);
    let lines = format!("{workflow}\n{MCP}\n");
    let scratch = folder(&[("a.jsonl", &lines), ("other.jsonl", GRPC)]);
    let here = scratch.path();
    assert_eq!(tool(here, "concat a.jsonl other.jsonl --out a.arrow").ok().stdout, "");
    assert!(fs::read(here.join("a.arrow")).unwrap().starts_with(b"ARROW1"));
    assert_eq!(tool(here, "list a.arrow").ok().stdout, tool(here, "list a.jsonl other.jsonl").ok().stdout);
    tool(here, "check a.arrow").ok().says(&["3 tools checked"]);
    assert_eq!(
        tool(here, "concat a.arrow").ok().stdout,
        format!("{lines}{GRPC}\n"),
        "unknown kinds byte for byte"
    );
    let again = tool(here, "check a.arrow a.jsonl").ended(100);
    again.says(&["a.jsonl:2: the tool \"add\" is already defined at a.arrow:2"]);

    tool(here, "migrate a.jsonl --to flat/1 --out flat.arrow").ok();
    assert_eq!(tool(here, "migrate flat.arrow").ok().stdout, lines);
    assert_eq!(tool(here, "decode flat.arrow --out flat.jsonl").ok().stdout, "");
    assert_eq!(fs::read_to_string(here.join("flat.jsonl")).unwrap(), lines);
    for line in ["roundtrip a.arrow --arrow", "roundtrip flat.arrow --codec flat/1 --arrow"] {
        tool(here, line).ok();
    }
    assert_eq!(tool(here, "roundtrip flat.arrow").ok().stdout, lines);

    let bytes = fs::read(here.join("a.arrow")).unwrap();
    fs::write(here.join("cut.arrow"), &bytes[..bytes.len() / 2]).unwrap();
    tool(here, "list cut.arrow").ended(2).says(&["cut.arrow: "]);
    fs::write(here.join("stream.arrow"), [0xff, 0xff, 0xff, 0xff, 0, 0, 0, 0]).unwrap();
    tool(here, "list stream.arrow").ended(2).says(&["is an Arrow stream; save it as an Arrow IPC file"]);
    tool(here, "concat a.jsonl --out new/folder/a.arrow").ok();
    assert!(here.join("new/folder/a.arrow").is_file());
    tool(here, "concat a.jsonl --out a.jsonl/a.arrow").ended(6);
}
