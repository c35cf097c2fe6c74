//! The commands on a page do what they say: each is run against the server that the page describes.

use std::process::{Command, Output};

use serde_json::Value;
use test_http::program::Program;

use super::{Page, text};

/// Runs a command of a page in a shell in which `cargo mcp` is the one of this repository.
fn run(command: &str, cargo_mcp: &str) -> Output {
    let script = format!("cargo() {{ '{cargo_mcp}' \"$@\"; }}\n{command}");
    Command::new("bash").args(["-c", &script]).output().expect("bash starts")
}

#[test]
fn commands_on_a_page_call_the_server() {
    let server = Program::start(Command::new(test_programs::retail()).args(["--http", "127.0.0.1:0"]));
    let page = Page::of(&format!("http://{}/mcp", server.address()));
    let report = page.run("copy", &[]);
    let (mut curls, mut calls) = (0, 0);
    for copy in report["copied"].as_array().expect("a list") {
        let (name, command) = (&copy["name"], copy["text"].as_str().expect("a text"));
        if !["Copy the curl command", "Copy the cargo mcp command"].map(Value::from).contains(name) {
            continue;
        }
        let output = run(command, text(test_programs::cargo_mcp()));
        let stdout = String::from_utf8_lossy(&output.stdout);
        if name == "Copy the curl command" {
            curls += 1;
            let response: Value =
                serde_json::from_str(&stdout).unwrap_or_else(|error| panic!("{error}: {command}\n{stdout}"));
            assert!(response["result"]["content"].is_array(), "{command}\n{stdout}");
        } else {
            calls += 1;
            // A tool may fail, such as for an order that does not exist; everything else is a mistake of the page.
            let stderr = String::from_utf8_lossy(&output.stderr);
            assert!(matches!(output.status.code(), Some(0 | 1)), "{command}\n{stdout}{stderr}");
            assert!(!stdout.is_empty() || stderr.starts_with("error: "), "{command}\n{stdout}{stderr}");
        }
    }
    assert_eq!((curls, calls), (15, 15));
}
