//! `cargo mcp import` and `cargo mcp agent`: from a server to the calls of an agent.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::common::{Run, cargo, manifest, run, scratch, target, with_input};

/// The path of a server of ours.
fn server() -> String {
    cargo("workflow", "build --bin workflow").ok();
    target().join("debug/workflow").to_str().unwrap().to_owned()
}

/// A script that notes each start in `starts.log` and becomes the server.
fn counting_server(folder: &Path) -> String {
    let script = folder.join("server.sh");
    let log = folder.join("starts.log");
    fs::write(&script, format!("echo started >>'{}'\nexec '{}'\n", log.display(), server())).unwrap();
    script.to_str().unwrap().to_owned()
}

fn starts(folder: &Path) -> usize {
    fs::read_to_string(folder.join("starts.log")).unwrap_or_default().lines().count()
}

/// A script that answers with these tools, in revision 2026-07-28.
fn lists(tools: &Value) -> String {
    let discovered = json!({"jsonrpc": "2.0", "id": 1, "result": {
        "supportedVersions": ["2026-07-28"], "capabilities": {"tools": {}},
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "shop", "version": "1"}},
    }});
    let listed = json!({"jsonrpc": "2.0", "id": 2, "result": {"tools": tools}});
    format!("read l; echo '{discovered}'; read l; echo '{listed}'; read l")
}

fn records(run: &Run) -> Vec<Value> {
    run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const HELP: &str = r#"{"command":"help","workitem_path":"orders"}"#;

#[test]
fn a_server_is_imported_with_one_record_per_tool() {
    let scratch = scratch();
    let server = server();
    let imported = run(scratch.path(), &["import", "--", &server]).ok();
    let listed: Value =
        serde_json::from_str(&run(scratch.path(), &["list", "--json", "--", &server]).ok().stdout).unwrap();
    let values = records(&imported);
    assert_eq!(values.len(), listed.as_array().unwrap().len());
    for (value, tool) in values.iter().zip(listed.as_array().unwrap()) {
        assert_eq!((&value["tool_type"], &value["schema_version"]), (&json!("MCP"), &json!("1.0")));
        assert_eq!(value["server_uri"], format!("stdio:{server}"));
        assert_eq!((&value["tool_name"], &value["parameter_schema"]), (&tool["name"], &tool["inputSchema"]));
    }
    with_input(scratch.path(), "tool check", &imported.stdout).ok();

    // The Arrow file has the same records.
    run(scratch.path(), &["import", "--out", "tools.arrow", "--", &server]).ok();
    let table = fs::read(scratch.path().join("tools.arrow")).unwrap();
    assert!(table.starts_with(b"ARROW1"));
    assert_eq!(run(scratch.path(), &["tool", "concat", "tools.arrow"]).ok().stdout, imported.stdout);
    let written = run(scratch.path(), &["manifest", "--format", "jsonl", "--", &server]).ok();
    assert!(records(&written).iter().all(|value| value["tool_type"] == "MCP"), "{}", written.stdout);
    with_input(scratch.path(), "tool check", &written.stdout).ok();
}

#[test]
fn simple_types_omit_tools_that_cannot_be_called() {
    let parameter = |kind: &str| json!({"type": kind});
    let properties =
        json!({"text": parameter("string"), "deep": parameter("object"), "on": parameter("boolean")});
    let schema = |required: Value| json!({"type": "object", "properties": properties, "required": required});
    let tools = json!([
        {"name": "easy", "inputSchema": schema(json!(["text"]))},
        {"name": "hard", "inputSchema": schema(json!(["deep"]))},
    ]);
    let script = lists(&tools);
    let scratch = scratch();
    let import =
        |flags: &[&str]| run(scratch.path(), &[&["import"], flags, &["--", "sh", "-c", &script]].concat());
    let imported = import(&["--simple-types"]).ok();
    let [easy] = records(&imported).try_into().unwrap();
    assert_eq!(easy["parameter_schema"]["properties"], json!({"text": {"type": "string"}}));
    assert_eq!(easy["input_schema"], schema(json!(["text"])));
    imported.says(&["omitted: the tool `hard` requires `deep`"]);

    let with_booleans = import(&["--simple-types=string,boolean"]).ok();
    let kept: Vec<_> = records(&with_booleans)[0]["parameter_schema"]["properties"]
        .as_object()
        .unwrap()
        .keys()
        .cloned()
        .collect();
    assert_eq!(kept, ["text", "on"]);
    let whole = import(&["--simple-types", "--on-complex=keep"]).ok();
    assert_eq!(records(&whole)[1]["parameter_schema"], schema(json!(["deep"])));
    let refused = import(&["--simple-types", "--on-complex=error"]).ended(2);
    assert_eq!(refused.stdout, "", "nothing is written");
    assert_eq!(records(&import(&[]).ok()).len(), 2);
}

#[test]
fn tools_on_further_pages_are_imported() {
    let page = |id: u64, name: &str, next: Value| {
        let tools = json!([{"name": name, "inputSchema": {"type": "object"}}]);
        json!({"jsonrpc": "2.0", "id": id, "result": {"tools": tools, "nextCursor": next}})
    };
    let first = lists(&json!([]));
    let (discovered, _) = first.split_once("; read l; echo").unwrap();
    let script = format!(
        "{discovered}; read l; echo '{}'; read l; echo '{}'; read l",
        page(2, "one", json!("2")),
        json!({"jsonrpc": "2.0", "id": 3, "result": {"tools": [{"name": "two", "inputSchema": {"type": "object"}}]}})
    );
    let imported = run(scratch().path(), &["import", "--", "sh", "-c", &script]).ok();
    let names: Vec<_> = records(&imported).iter().map(|value| value["name"].clone()).collect();
    assert_eq!(names, ["one", "two"]);
}

#[test]
fn ten_calls_of_a_server_share_one_connection() {
    let scratch = scratch();
    let script = counting_server(scratch.path());
    run(scratch.path(), &["import", "--out", "tools.jsonl", "--", "sh", &script]).ok();
    assert_eq!(starts(scratch.path()), 1);
    let call = |number: usize| json!({"type": "function_call", "call_id": format!("c{number}"), "name": "help", "arguments": HELP});
    let calls: Vec<String> = (0..10).map(|number| call(number).to_string()).collect();
    fs::write(scratch.path().join("calls.jsonl"), calls.join("\n")).unwrap();
    let run = run(
        scratch.path(),
        &["agent", "call", "tools.jsonl", "--calls", "calls.jsonl", "--format", "openai", "--allow-programs"],
    )
    .ok();
    let answers = records(&run);
    assert_eq!(answers.len(), 10);
    for (number, answer) in answers.iter().enumerate() {
        let expected =
            json!({"type": "function_call_output", "call_id": format!("c{number}"), "output": "done"});
        assert_eq!(answer, &expected);
    }
    assert_eq!(starts(scratch.path()), 2, "one connection for all calls");
}

/// Records may be from third parties, so they must not decide which programs run.
#[test]
fn programs_of_records_are_started_only_if_allowed() {
    let scratch = scratch();
    let script = counting_server(scratch.path());
    run(scratch.path(), &["import", "--out", "tools.jsonl", "--", "sh", &script]).ok();
    let call = |flags: &[&str]| {
        let words = ["agent", "call", "tools.jsonl", "help", HELP];
        run(scratch.path(), &[&words, flags].concat())
    };
    let refused = call(&[]).ended(1);
    assert!(
        refused.stdout.starts_with("error: cannot connect to stdio:sh: programs named by tools"),
        "{}",
        refused.stdout
    );
    refused.says(&["--config FILE", "--allow-programs"]);
    assert_eq!(starts(scratch.path()), 1);
    assert_eq!(call(&["--allow-programs"]).ok().stdout, "done\n");
    // A configuration file with the same command allows it as well.
    let config = json!({"mcpServers": {"desk": {"command": "sh", "args": [script]}}});
    fs::write(scratch.path().join("mcp.json"), config.to_string()).unwrap();
    assert_eq!(call(&["--config", "mcp.json"]).ok().stdout, "done\n");
}

#[test]
fn servers_of_a_file_are_called_with_its_settings() {
    let scratch = scratch();
    let program = server();
    let script = format!("test \"$DESK_KEY\" = s3cret && exec '{program}'");
    let config = json!({"mcpServers": {"desk": {"command": "sh", "args": ["-c", script], "env": {"DESK_KEY": "s3cret"}}}});
    fs::write(scratch.path().join("mcp.json"), config.to_string()).unwrap();
    let imported = run(scratch.path(), &["import", "mcp.json", "--out", "tools.jsonl"]).ok();
    assert_eq!(imported.stdout, "");
    let lines = fs::read_to_string(scratch.path().join("tools.jsonl")).unwrap();
    assert!(
        lines.contains(r#""name":"desk__help""#) && lines.contains(r#""credential_ref":"desk""#),
        "{lines}"
    );
    assert!(!lines.contains("s3cret\""), "no value of the environment is in a record");
    let call = |flags: &[&str]| {
        let words = ["agent", "call", "tools.jsonl", "desk__help", "command=help", "workitem_path=orders"];
        run(scratch.path(), &[&words, flags].concat())
    };
    assert_eq!(call(&["--config", "mcp.json"]).ok().stdout, "done\n");
    let refused = call(&["--allow-programs"]).ended(1);
    assert!(refused.stdout.contains("needs the credential `desk`"), "{}", refused.stdout);
}

#[test]
fn tools_of_all_kinds_are_shown_and_called() {
    let scratch = scratch();
    let commands = manifest("workflow", "--format jsonl").ok().stdout;
    let workflow = r#"{"tool_type":"WORKFLOW","schema_version":"1.0","name":"report","description":"Writes it.","parameter_schema":{"properties":{"a":{}},"required":["a"]}}"#;
    let grpc = r#"{"tool_type":"GRPC","name":"stream"}"#;
    let http = r#"{"tool_type":"MCP","schema_version":"1.0","name":"add","parameter_schema":{},"server_uri":"http://127.0.0.1:1/mcp?key=s3cret","tool_name":"add"}"#;
    fs::write(scratch.path().join("tools.jsonl"), format!("{commands}null\n{workflow}\n{grpc}\n{http}\n"))
        .unwrap();
    let tools =
        |format: &str| run(scratch.path(), &["agent", "tools", "tools.jsonl", "--format", format]).ok();
    let shown = tools("text").says(&[r#""stream" is not listed"#]);
    assert!(shown.stdout.contains("report(a*)  Writes it.\nadd()\n"), "{}", shown.stdout);
    let openai = tools("openai").document();
    let report = openai.as_array().unwrap().iter().find(|tool| tool["name"] == "report").unwrap();
    assert_eq!((&report["type"], &report["parameters"]["required"]), (&json!("function"), &json!(["a"])));
    assert!(tools("anthropic").document()[0]["input_schema"].is_object());
    assert!(tools("gemini").document().to_string().contains("report"));
    assert!(tools("mcp").document()[0]["inputSchema"].is_object());

    let server = server();
    let call = |tool: &str, code: i32| {
        let run = run(scratch.path(), &["agent", "call", "tools.jsonl", tool, HELP, "--", &server]);
        run.ended(code).stdout
    };
    assert_eq!(call("help", 0), "done\n");
    assert_eq!(call("report", 1), "error: no runner is configured for WORKFLOW tools\n");
    assert_eq!(call("stream", 1), "error: the tool `stream` has the unsupported type GRPC\n");
    let refused = call("add", 1);
    assert!(refused.starts_with("error: cannot connect to http://127.0.0.1:1/mcp: "), "{refused}");
    assert!(!refused.contains("s3cret"), "{refused}");
    assert!(call("nope", 1).starts_with("error: unknown tool `nope`; available: "));
    let unknown = run(scratch.path(), &["agent", "call", "tools.jsonl", "help", HELP]).ended(1);
    assert!(unknown.stdout.contains("is not configured; add it to the configuration"), "{}", unknown.stdout);
}

#[test]
fn conflicting_flags_and_files_are_rejected() {
    let scratch = scratch();
    run(scratch.path(), &["agent", "call", "tools.jsonl"]).ended(2).says(&["<TOOL>"]);
    run(scratch.path(), &["agent", "call", "missing.jsonl", "x"]).ended(6).says(&["missing.jsonl"]);
    fs::write(scratch.path().join("tools.jsonl"), "{}\n").unwrap();
    run(scratch.path(), &["agent", "tools", "tools.jsonl"]).ended(2).says(&["tools.jsonl:1"]);
    run(scratch.path(), &["agent", "call", "tools.jsonl", "x", "word"]).ended(2).says(&["NAME=VALUE"]);
    run(scratch.path(), &["import", "--", "no-such-program"]).ended(3);
    run(scratch.path(), &["import"]).ended(2).says(&["no server is specified"]);
    let conflict = ["agent", "call", "tools.jsonl", "x", "--calls", "calls.jsonl"];
    run(scratch.path(), &conflict).ended(2);
}
