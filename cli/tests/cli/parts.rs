//! `cargo mcp parts` in scripts.

use std::fs;

use serde_json::{Value, json};

use crate::common::{run, scratch};

/// Runs `cargo mcp parts` with `args` on a file with `input`.
fn parts(args: &[&str], input: &str) -> crate::common::Run {
    let folder = scratch();
    fs::write(folder.path().join("input.json"), input).unwrap();
    let mut all = vec!["parts"];
    all.extend(args);
    all.push("input.json");
    run(folder.path(), &all)
}

/// Returns the JSON values on standard output, one per line.
fn lines(output: &str) -> Vec<Value> {
    output.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn parts_of_every_library_are_normalized() {
    let input = r#"{"type":"tool-uv-mcp__load_csv","args":{"name":"compound"},"result":"success"}
        [{"type":"tool-x","output":0},{"type":"text","text":"…"}]"#;
    let run = parts(&["normalize"], input).ok().says(&["`text` is not the type of a tool part"]);
    let printed = lines(&run.stdout);
    assert_eq!(
        printed[0],
        json!({ "toolName": "uv-mcp__load_csv", "args": { "name": "compound" }, "result": "success", "state": "completed",
            "originalType": "tool-uv-mcp__load_csv", "transport": "stdio" })
    );
    assert_eq!((printed.len(), &printed[1]["result"], &printed[2]), (3, &json!(0), &Value::Null));
}

#[test]
fn members_are_printed_as_json() {
    let part = r#"{"type":"tool-a__b","result":false}"#;
    for (flag, printed) in [("--name", "\"a__b\"\n"), ("--args", "{}\n"), ("--result", "false\n")] {
        assert_eq!(parts(&["get", flag], part).ok().stdout, printed);
    }
    let text = r#"{"type":"text"}"#;
    for (flag, printed) in [("--name", "null\n"), ("--args", "{}\n"), ("--result", "null\n")] {
        assert_eq!(parts(&["get", flag], text).ok().stdout, printed);
    }
    parts(&["get"], part).ended(2);
}

#[test]
fn a_conversation_is_read_with_its_results() {
    let conversation = r#"{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"add","input":{"a":1}}]}
        {"role":"user","content":[{"type":"tool_result","tool_use_id":"t1","content":"3"}]}"#;
    let all = parts(&["all"], conversation).ok().document();
    assert_eq!((all.as_array().unwrap().len(), &all[0]["result"]), (1, &json!("3")));
    assert_eq!(parts(&["all"], r#"{"content":"text"}"#).ok().document(), json!([]));
}

#[test]
fn the_last_tool_part_has_an_index() {
    let message = r#"{"parts":[{"type":"tool-a"},{"type":"text"}]}"#;
    assert_eq!(parts(&["last"], message).ok().stdout, "0\n");
    assert_eq!(parts(&["last"], r#"{"parts":[{"type":"text"}]}"#).ok().stdout, "-1\n");
    assert_eq!(parts(&["last"], r#"[{"type":"text"},{"type":"tool-a"}]"#).ok().stdout, "1\n");
}

#[test]
fn names_are_split_at_the_first_separator() {
    let folder = scratch();
    let run = |name: &str| run(folder.path(), &["parts", "split", name]);
    assert_eq!(run("a__b__c").ok().stdout, "a\nb__c\n");
    run("alone").ended(2).says(&["not a full tool name"]);
}

#[test]
fn input_that_is_not_json_is_rejected() {
    parts(&["normalize"], "{").ended(6).says(&["input.json is not valid JSON"]);
    parts(&["normalize", "missing.json"], "").ended(2);
}
