//! The program over HTTP.

use std::process::Command;

use serde_json::json;
use test_http::program::Program;

/// Clients of both eras share one shop, and either signal shuts the program down gracefully.
#[test]
fn the_program_serves_http_to_both_eras() {
    for signal in ["INT", "TERM"] {
        let mut command = Command::new(env!("CARGO_BIN_EXE_retail"));
        let program = Program::start(command.args(["--http", "127.0.0.1:0"]));
        let lab = program.lab();

        let mut listed = lab.modern("tools/list", &json!({})).send();
        assert_eq!(listed.json()["result"]["tools"].as_array().map(Vec::len), Some(15));
        let cancel = json!({ "order_id": "#W0000001", "reason": "no longer needed" });
        let mut cancelled = lab.call("cancel_pending_order", &cancel).send();
        assert_eq!(cancelled.json()["result"]["structuredContent"]["status"], "cancelled");

        let session = lab.session("2025-11-25");
        let mut order = session.call(1, "get_order_details", &json!({ "order_id": "#W0000001" })).send();
        assert_eq!(order.json()["result"]["structuredContent"]["status"], "cancelled");

        assert!(program.end_by(signal).success(), "{signal}");
    }
}

#[test]
fn an_address_is_needed() {
    for (arguments, advice) in
        [(&["--http"][..], "retail --http 127.0.0.1:8080"), (&["--http", "nowhere"], "socket address")]
    {
        let output =
            Command::new(env!("CARGO_BIN_EXE_retail")).args(arguments).output().expect("the program runs");
        assert!(!output.status.success());
        let told = String::from_utf8(output.stderr).expect("text");
        assert!(told.contains(advice), "{told}");
    }
}
