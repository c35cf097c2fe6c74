//! Clients of both eras subscribe to a resource of one process and are notified of every change.

use std::process::Command;

use serde_json::{Value, json};
use test_http::client::Response;
use test_http::lab::Lab;
use test_http::program::Program;
use test_http::transcript;

const CLIMATE: &str = "greenhouse://climate";

/// The resource as the modern client reads it: temperature and target.
fn read(lab: &Lab) -> (i64, i64) {
    let mut read = lab.modern("resources/read", &json!({"uri": CLIMATE})).header("Mcp-Name", CLIMATE).send();
    let text = read.json()["result"]["contents"][0]["text"].as_str().expect("a string").to_owned();
    let climate: Value = serde_json::from_str(&text).expect("JSON");
    (climate["temperature"].as_i64().expect("a number"), climate["target"].as_i64().expect("a number"))
}

fn await_update(stream: &mut Response) {
    let message = stream.message().expect("a notification");
    assert_eq!(message["method"], "notifications/resources/updated");
    assert_eq!(message["params"]["uri"], CLIMATE);
}

#[test]
fn clients_of_both_eras_are_notified_of_changes() {
    let program = Program::start(Command::new(env!("CARGO_BIN_EXE_watched")).arg("127.0.0.1:0"));
    let lab = program.lab();
    let session = lab.session("2025-11-25");
    assert_eq!(read(&lab), (20, 20));

    let filter = json!({"notifications": {"resourceSubscriptions": [CLIMATE]}});
    let mut modern = lab.modern("subscriptions/listen", &filter).send();
    let acknowledged = modern.message().expect("an acknowledgment");
    assert_eq!(acknowledged["params"]["notifications"], filter["notifications"]);
    let subscribed = session.request(1, "resources/subscribe", &json!({"uri": CLIMATE})).send().json();
    assert_eq!(subscribed["result"], json!({}));
    let mut legacy = session.get().send();

    // All subscribers are notified, whichever client made the change. Notifications that have not been read yet are
    // merged, so each subscriber reads on until the temperature has reached the target.
    for (caller, target) in [("modern", 22), ("legacy", 20)] {
        let arguments = json!({"celsius": target});
        let mut set = match caller {
            "modern" => lab.call("set_target", &arguments).send(),
            _ => session.call(2, "set_target", &arguments).send(),
        };
        assert_eq!(set.json()["result"]["structuredContent"]["target"], target);
        for stream in [&mut modern, &mut legacy] {
            loop {
                await_update(stream);
                if read(&lab) == (target, target) {
                    break;
                }
            }
        }
    }

    let unwatched = session.request(3, "resources/unsubscribe", &json!({"uri": CLIMATE})).send().json();
    assert_eq!(unwatched["result"], json!({}));
    assert!(program.end_by("INT").success());
    let last = modern.messages().pop().expect("a last message");
    assert_eq!(last["result"]["resultType"], "complete");
}

#[test]
fn the_readme_shows_what_happens() {
    let program = Program::start(Command::new(env!("CARGO_BIN_EXE_watched")).arg("127.0.0.1:0"));
    transcript::check(include_str!("../README.md"), program.address());
}
