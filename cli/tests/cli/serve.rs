//! `cargo mcp serve`: a package as the command of a client.

use serde_json::Value;

use crate::common::{folder, scratch, serve};

const CONVERSATION: &str = r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"test","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"help","arguments":{"command":"help"}}}
"#;

/// Standard output only has the server's messages: those of cargo and its progress go to standard error.
#[test]
fn a_workflow_path_becomes_a_server() {
    let scratch = scratch();
    let line = format!("--workflow {} -v", folder("workflow").display());
    let (run, _) = serve(scratch.path(), &line, CONVERSATION);
    let run = run.ok().says(&["Finished", "Running"]);
    let answers: Vec<Value> = run.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(answers.len(), 2, "{}", run.stdout);
    assert_eq!(answers[0]["result"]["serverInfo"]["name"], "desk");
    assert_eq!(answers[1]["result"]["content"][0]["text"], "done");
}

/// Two programs contain Toolwright; `default-run` selects one.
#[test]
fn the_package_of_the_folder_is_served() {
    let (run, _) = serve(&folder("workflow").join("src"), "-q", CONVERSATION);
    let run = run.ok();
    assert_eq!(run.stderr, "");
    assert!(run.stdout.contains(r#""name":"desk""#), "{}", run.stdout);
}

#[test]
fn arguments_input_and_exit_code_are_those_of_the_program() {
    let here = folder("workflow");
    let (run, id) = serve(&here, "-p workflow --bin parrot -- --help -q -- last", "words\n");
    let run = run.ended(7);
    assert_eq!(run.stdout, "[\"--help\", \"-q\", \"--\", \"last\"] 4\nwords\n");
    // The current folder is that of the caller; on Unix the program replaces this process.
    let here = here.canonicalize().unwrap();
    if cfg!(unix) {
        run.says(&[&format!("parrot {id} in {}", here.display())]);
    }
}

#[test]
fn a_package_without_a_program_is_an_error_with_advice() {
    for (fixture, line) in [("library", ""), ("members", "-p tools"), ("both", "--lib")] {
        let (run, _) = serve(&folder(fixture), line, "");
        let run = run.ended(2).says(&["no program to run in package `", "src/main.rs", "--example"]);
        assert_eq!(run.stdout, "");
        assert!(!run.stderr.contains("Compiling"), "built for nothing: {}", run.stderr);
    }
}

#[test]
fn a_program_without_toolwright_is_not_started() {
    let members = folder("members");
    let (run, _) = serve(&members, "-p plain", "");
    run.ended(4).says(&["none of the programs contains Toolwright", "`plain`"]);
    assert!(!members.join("plain/main-ran").exists());
}

#[test]
fn one_of_several_programs_must_be_chosen() {
    let members = folder("members");
    let (run, _) = serve(&members, "-p pair", "");
    run.ended(2).says(&["several programs", "`left`, `right`", "--bin NAME", "default-run"]);
    let (run, _) = serve(&members, "-p pair --bin left", "");
    run.ended(101).says(&["main ran"]);
}

#[test]
fn a_failing_build_and_wrong_flags_start_nothing() {
    let (run, _) = serve(&folder("broken"), "", "");
    let run = run.ended(3).says(&["mismatched types", "the build failed"]);
    assert_eq!(run.stdout, "");

    let (run, _) = serve(&folder("workflow"), "--workflow . -p workflow", "");
    run.ended(2).says(&["cannot be used with"]);
    let (run, _) = serve(scratch().path(), "--workflow missing", "");
    run.ended(3).says(&["cargo cannot read the workspace", "missing/Cargo.toml"]);
}
