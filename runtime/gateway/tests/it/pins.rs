//! Tools that are not as they were pinned.

use std::sync::{Arc, Mutex};

use serde_json::json;
use toolwright_client::Client;
use toolwright_gateway::Gateway;
use toolwright_gateway::pins::{Finding, PinMode, Pins, Reason};

use crate::many::{front, gateway, listen, names, spec};
use crate::shop::{Shop, TOOLS, client, until};

/// Pins of the gateway's tools, in which `echo` of `red` had another description.
fn pins(gateway: &Gateway) -> Pins {
    let mut pins = Pins::new();
    for (server, tools) in gateway.listed_tools() {
        let mut tools = tools.to_vec();
        if server == "red" {
            let echo = tools.iter_mut().find(|tool| tool.name == "echo").unwrap();
            echo.description = Some("Repeats what it is told.".to_owned());
        }
        pins.accept(&server, &tools);
    }
    pins
}

type Reports = Arc<Mutex<Vec<Finding>>>;

fn set(gateway: &Gateway, pins: Pins, mode: PinMode) -> Reports {
    let reports = Reports::default();
    let kept = Arc::clone(&reports);
    gateway.set_pins(pins, mode, move |finding| kept.lock().unwrap().push(finding.clone()));
    reports
}

async fn two() -> (Shop, Gateway) {
    let (red, blue) = (Shop::default(), Shop::default());
    let gateway = gateway([spec("red", &listen(&red)), spec("blue", &listen(&blue))]).await;
    (red, gateway)
}

#[tokio::test]
async fn a_changed_tool_is_neither_listed_nor_callable_if_blocked() {
    let (red, gateway) = two().await;
    let pinned = pins(&gateway);
    let reports = set(&gateway, pinned, PinMode::Block);
    let service = front(&gateway);
    // A client keeps a list for a while: each look is that of a new one.
    let listed = async || names(&client(&service, Client::builder()).await).await;
    let caller = client(&service, Client::builder()).await;
    let before = listed().await;
    assert!(
        !before.contains(&"red__echo".to_owned()) && before.contains(&"blue__echo".to_owned()),
        "{before:?}"
    );
    let error = caller.call("red__echo", json!({"a": 1})).await.unwrap_err();
    assert_eq!(error.rpc().unwrap().code, -32602, "{error}");
    caller.call("blue__echo", json!({"a": 1})).await.unwrap();

    // A tool that appears later was reviewed by nobody.
    red.grow();
    until("the new tool is found", || gateway.status()[0].findings.len() == 2).await;
    assert!(!listed().await.contains(&"red__further_0".to_owned()));
    let reported: Vec<_> = reports
        .lock()
        .unwrap()
        .iter()
        .map(|finding| (finding.tool.clone(), finding.reason.clone()))
        .collect();
    let changed = Reason::Changed(vec!["description".to_owned()]);
    assert_eq!(
        reported,
        [("echo".to_owned(), changed), ("further_0".to_owned(), Reason::New)],
        "each is told once"
    );
    assert!(gateway.status()[1].findings.is_empty());

    // After a review both are there.
    let mut accepted = Pins::new();
    for (server, tools) in gateway.listed_tools() {
        accepted.accept(&server, &tools);
    }
    set(&gateway, accepted, PinMode::Block);
    let after = listed().await;
    assert!(
        after.contains(&"red__echo".to_owned()) && after.contains(&"red__further_0".to_owned()),
        "{after:?}"
    );
    assert_eq!(caller.call("red__echo", json!({"a": 1})).await.unwrap().as_text(), r#"{"a":1}"#);
}

#[tokio::test]
async fn a_changed_tool_is_reported_and_served_by_default() {
    let (_, gateway) = two().await;
    let reports = set(&gateway, pins(&gateway), PinMode::default());
    let client = client(&front(&gateway), Client::builder()).await;
    assert!(names(&client).await.contains(&"red__echo".to_owned()));
    client.call("red__echo", json!({"a": 1})).await.unwrap();
    let reported = reports.lock().unwrap();
    assert_eq!(
        reported.iter().map(ToString::to_string).collect::<Vec<_>>(),
        ["red: the tool `echo` is not as it was pinned: description changed"]
    );
}

#[tokio::test]
async fn nothing_is_compared_if_pins_are_off() {
    let (_, gateway) = two().await;
    let reports = set(&gateway, Pins::new(), PinMode::Off);
    let client = client(&front(&gateway), Client::builder()).await;
    assert_eq!(names(&client).await.len(), 2 * TOOLS.len());
    assert!(reports.lock().unwrap().is_empty() && gateway.status()[0].findings.is_empty());
}

#[tokio::test]
async fn a_server_without_pins_has_no_tools_if_blocked() {
    let (_, gateway) = two().await;
    set(&gateway, Pins::new(), PinMode::Block);
    let client = client(&front(&gateway), Client::builder()).await;
    assert!(names(&client).await.is_empty());
}
