//! Tasks at a protected endpoint: a task belongs to who has made it, and is shown to a token that would do for its call
//! (2026-07-28, SEP-2663 "Security Considerations").

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_authorization::shop::protected;
use test_authorization::spoken::Spoken;
use test_http::client::Call;
use test_http::lab::{Lab, MODERN, code};
use toolwright::auth::ApiKeys;
use toolwright::{Server, Tool, tasks::Tasks};

/// Waits for longer than the test does.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
struct Wait {}

const ADA: &str = "the-key-of-ada-0123456789";
const EVE: &str = "the-key-of-eve-0123456789";

fn request(lab: &Lab, key: &str, method: &str, params: &Value) -> Call {
    let mut params = params.clone();
    let capabilities = json!({"extensions": {"io.modelcontextprotocol/tasks": {}}});
    params["_meta"] = json!({"io.modelcontextprotocol/clientCapabilities": capabilities});
    let call = lab.modern(method, &params).validate_as(MODERN, "");
    let call = call.header("Authorization", &format!("Bearer {key}"));
    match params["taskId"].as_str() {
        Some(id) => call.header("Mcp-Name", id),
        None => call,
    }
}

#[test]
fn another_principals_task_does_not_exist() {
    let wait = async |_: Wait| tokio::time::sleep(Duration::from_mins(10)).await;
    let service = Server::new(wait).tools::<Wait>().tasks(Tasks::new()).build().expect("a service");
    let keys = ApiKeys::new().key("ada", ADA, ["any"]).and_then(|keys| keys.key("eve", EVE, ["any"]));
    let lab = Lab::serve(service, protected(keys.expect("good keys")));

    let mut made = request(&lab, ADA, "tools/call", &json!({"name": "wait", "arguments": {}})).send();
    let made = made.json();
    let task = json!({"taskId": made["result"]["taskId"], "inputResponses": {}});
    assert!(task["taskId"].is_string(), "{made}");

    for method in ["tasks/get", "tasks/update", "tasks/cancel"] {
        assert_eq!(code(request(&lab, EVE, method, &task).send()), (400, -32602), "{method}");
    }
    let seen = request(&lab, ADA, "tasks/get", &task).send().json();
    assert_eq!(seen["result"]["status"], "working", "no other caller has cancelled it");
}

/// Writes a report, which takes as long as requested.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = "required", scopes("reports:write"))]
struct Report {
    ms: u64,
}

fn reports() -> Lab {
    let report = async |report: Report| {
        tokio::time::sleep(Duration::from_millis(report.ms)).await;
        "the report"
    };
    let service = Server::new(report).tools::<Report>().tasks(Tasks::new()).build().expect("a service");
    Lab::serve(service, protected(Spoken))
}

fn made(lab: &Lab, token: &str, ms: u64) -> Value {
    let call = json!({"name": "report", "arguments": {"ms": ms}});
    let task = request(lab, token, "tools/call", &call).send().json();
    assert!(task["result"]["taskId"].is_string(), "{task}");
    json!({"taskId": task["result"]["taskId"], "inputResponses": {}})
}

fn status(lab: &Lab, token: &str, task: &Value) -> Value {
    request(lab, token, "tasks/get", task).send().json()["result"]["status"].take()
}

fn await_end(lab: &Lab, token: &str, task: &Value) {
    while status(lab, token, task) == "working" {
        std::thread::sleep(Duration::from_millis(5));
    }
}

const METHODS: [&str; 3] = ["tasks/get", "tasks/update", "tasks/cancel"];

#[test]
fn a_token_with_too_few_scopes_cannot_access_the_task() {
    let lab = reports();
    let running = made(&lab, "ada.desk.reports-write", 600_000);
    let ended = made(&lab, "ada.desk.reports-write", 1);
    await_end(&lab, "ada.desk.reports-write", &ended);
    for narrow in ["ada.desk", "ada.desk.reports-read"] {
        for method in METHODS {
            let response = request(&lab, narrow, method, &running).send();
            let challenge = response.header("www-authenticate").expect("a challenge");
            assert!(challenge.contains(r#"scope="reports:write""#), "{challenge}");
            assert_eq!(code(response), (403, -32600), "{narrow} {method}");
            assert_eq!(
                code(request(&lab, narrow, method, &ended).send()),
                (400, -32600),
                "{narrow} {method}"
            );
        }
    }
    assert_eq!(status(&lab, "ada.desk.reports-write", &running), "working", "it was not cancelled");
    assert_eq!(status(&lab, "ada.desk.reports-write", &ended), "completed");
    assert_eq!(status(&lab, "ada.desk.reports-write.more", &ended), "completed", "another token will do");
}

#[test]
fn a_task_also_belongs_to_its_client() {
    let lab = reports();
    let running = made(&lab, "ada.desk.reports-write", 600_000);
    let ended = made(&lab, "ada.desk.reports-write", 1);
    await_end(&lab, "ada.desk.reports-write", &ended);
    for other in ["ada.phone.reports-write", "bob.desk.reports-write"] {
        for (method, task) in METHODS.iter().flat_map(|method| [(method, &running), (method, &ended)]) {
            assert_eq!(code(request(&lab, other, method, task).send()), (400, -32602), "{other} {method}");
        }
    }
    assert_eq!(status(&lab, "ada.desk.reports-write", &running), "working");
}

/// Notifications of a task are sent only to callers who may see the task.
#[test]
fn other_principals_cannot_subscribe_to_a_task() {
    let lab = reports();
    let task = made(&lab, "ada.desk.reports-write", 600_000);
    for (token, expected) in [
        ("ada.desk.reports-write", json!({"taskIds": [task["taskId"]]})),
        ("ada.desk", json!({})),
        ("ada.phone.reports-write", json!({})),
    ] {
        let listen = json!({"notifications": {"taskIds": [task["taskId"]]}});
        let mut stream = request(&lab, token, "subscriptions/listen", &listen).send();
        let acknowledged = stream.message().expect("an acknowledgment");
        assert_eq!(acknowledged["params"]["notifications"], expected, "{token}");
    }
}
