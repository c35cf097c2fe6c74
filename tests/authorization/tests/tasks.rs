//! Tasks at a protected endpoint: a task belongs to who has made it (2026-07-28, SEP-2663 "Security Considerations").

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_authorization::shop::protected;
use test_http::client::Call;
use test_http::lab::{Lab, MODERN, code};
use toolwright::auth::ApiKeys;
use toolwright::{Server, Tasks, Tool};

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
    let call = lab.modern(method, &params).judged(MODERN, "");
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
    assert_eq!(seen["result"]["status"], "working", "nobody else has cancelled it");
}
