//! Requests to running servers, and their exit codes.

use std::fs;

use serde_json::{Value, json};

use crate::common::{Run, cargo, run, scratch, target};

/// The path of a server of ours.
fn server() -> String {
    cargo("workflow", "build --bin workflow").ok();
    target().join("debug/workflow").to_str().unwrap().to_owned()
}

fn ask(words: &[&str]) -> Run {
    run(scratch().path(), words)
}

#[test]
fn the_tools_of_a_server_are_listed_and_called() {
    let server = server();
    let listed = ask(&["list", "--", &server]).ok();
    assert!(
        listed.stdout.contains("find_orders") && listed.stdout.contains("Find orders."),
        "{}",
        listed.stdout
    );
    let listed: Value = serde_json::from_str(&ask(&["list", "--json", "--", &server]).ok().stdout).unwrap();
    assert_eq!(listed.as_array().unwrap().len(), 4);
    let called = ask(&[
        "call",
        "find_orders",
        "customer=Ada",
        "command=find_orders",
        "workitem_path=orders",
        "--",
        &server,
    ])
    .ok();
    assert_eq!(called.stdout, "done\n");
    let arguments =
        json!({"customer": "Ada", "command": "find_orders", "workitem_path": "orders"}).to_string();
    let called = ask(&["call", "find_orders", &arguments, "--json", "--", &server]).ok();
    let result: Value = serde_json::from_str(&called.stdout).unwrap();
    assert_eq!(result["content"][0]["text"], "done");
    let pinged = ask(&["ping", "--", &server]).ok();
    assert!(
        pinged.stdout.contains("responds in") && pinged.stdout.contains("2026-07-28"),
        "{}",
        pinged.stdout
    );
    let old: Value = serde_json::from_str(
        &ask(&["ping", "--json", "--revision", "2025-06-18", "--", &server]).ok().stdout,
    )
    .unwrap();
    assert_eq!(old["revision"], "2025-06-18");
}

#[test]
fn each_kind_of_failure_has_its_exit_code() {
    let server = server();
    // The tool fails: its arguments are invalid.
    let failed = ask(&["call", "find_orders", "custommer=A", "--", &server]).ended(1);
    failed.says(&["error: ", "the tool has no argument `custommer`; did you mean `customer`?"]);
    ask(&["call", "no_such_tool", "--", &server]).ended(4).says(&["no_such_tool", "check the name"]);
    ask(&["list", "http://127.0.0.1:1/mcp"])
        .ended(3)
        .says(&["cannot be reached", "check that the server runs"]);
    ask(&["list", "--", "no-such-program"]).ended(3).says(&["is not found in", "install it"]);
    ask(&["list", "--start-timeout", "1", "--", "sleep", "60"])
        .ended(5)
        .says(&["start_timeout", "--start-timeout"]);
    ask(&["list"]).ended(2).says(&["no server is specified"]);
    ask(&["list", "nothing"]).ended(2).says(&["neither a URL nor a file"]);
    ask(&["call", "a", "b", "--", &server]).ended(2).says(&["NAME=VALUE"]);
    ask(&["list", "--revision", "2031-01-01", "--", &server]).ended(2).says(&["2026-07-28"]);
}

#[test]
fn a_file_without_a_usable_server_is_an_error() {
    let scratch = scratch();
    let unset =
        json!({"mcpServers": {"shop": {"url": "http://127.0.0.1:1/", "authToken": "${NO_SUCH_TOKEN}"}}});
    for (text, parts) in [
        (
            unset.to_string(),
            &["`NO_SUCH_TOKEN` is not set", "set it, add a default", "`shop` is omitted"][..],
        ),
        (json!({"mcpServers": []}).to_string(), &["must be an object of servers"]),
        (json!({"mcpServers": {}}).to_string(), &[]),
        (json!({"mcpServers": {"a": {"command": "x", "disabled": true}}}).to_string(), &[]),
    ] {
        fs::write(scratch.path().join("mcp.json"), text).unwrap();
        for command in ["list", "ping", "import"] {
            let refused = run(scratch.path(), &[command, "mcp.json"]).ended(2);
            refused.says(&[parts, &["no usable server"]].concat());
        }
    }
    fs::write(scratch.path().join("mcp.json"), [0xFF, 0x00, 0x9F]).unwrap();
    let refused = run(scratch.path(), &["list", "mcp.json"]).ended(2).says(&["neither UTF-8"]);
    assert!(!refused.stderr.contains("caused by"), "{}", refused.stderr);
}

#[test]
fn the_servers_of_a_file_are_queried_in_order() {
    let scratch = scratch();
    let servers = json!({"mcpServers": {
        "desk": {"command": server()},
        "dead": {"command": "no-such-program"},
    }});
    fs::write(scratch.path().join("mcp.json"), servers.to_string()).unwrap();
    let listed = run(scratch.path(), &["list", "mcp.json"]).ok();
    assert!(listed.stdout.contains("desk__find_orders"), "{}", listed.stdout);
    listed.says(&["no-such-program"]);
    let called =
        run(scratch.path(), &["call", "mcp.json", "desk__help", "command=help", "workitem_path=orders"]).ok();
    assert_eq!(called.stdout, "done\n");
    run(scratch.path(), &["call", "mcp.json", "help"]).ended(2).says(&["SERVER__NAME"]);
    run(scratch.path(), &["call", "mcp.json", "dask__help"]).ended(2).says(&["did you mean `desk`"]);
    run(scratch.path(), &["call", "mcp.json", "dead__help"]).ended(3).says(&["no-such-program"]);
}
