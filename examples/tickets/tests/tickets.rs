//! The tools in-process, as a service's own tests would call them, and the program over HTTP.

use std::error::Error;
use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use test_http::client::Call;
use test_http::lab::{MODERN, with_meta};
use test_http::program::Program;
use tickets::{Desk, Page, Status, Store, Ticket};
use toolwright::client::ElicitationResponse;
use toolwright::resource::ResourceData;
use toolwright::{Client, Server, Service};

type TestResult = Result<(), Box<dyn Error>>;

fn desk() -> Service {
    let store = Store::open(Path::new(":memory:")).expect("a database");
    Server::of(Desk(store)).build().expect("a server")
}

async fn call<T: serde::de::DeserializeOwned>(client: &Client, tool: &str, arguments: Value) -> T {
    let result = client.call(tool, arguments).await.expect("a result");
    assert!(!result.is_error, "{}", result.as_text());
    serde_json::from_str(&result.as_text()).expect("the type of the tool")
}

#[tokio::test]
async fn tickets_are_created_changed_and_listed_by_page() -> TestResult {
    let client = Client::in_process(&desk());
    for title in ["Printer", "Mouse", "Screen"] {
        let created: Ticket =
            call(&client, "create_ticket", json!({"title": title, "details": "It is broken."})).await;
        assert_eq!((created.title.as_str(), created.status), (title, Status::Open));
    }
    let _: Ticket = call(&client, "assign_ticket", json!({"id": 2, "assignee": "Ada"})).await;
    let _: Ticket =
        call(&client, "update_ticket", json!({"id": 3, "title": "Monitor", "status": "closed"})).await;
    let commented: Ticket = call(&client, "add_comment", json!({"id": 1, "text": "Paper jam."})).await;
    assert_eq!(commented.comments, ["It is broken.", "Paper jam."]);

    let first: Page = call(&client, "list_tickets", json!({"limit": 2})).await;
    assert_eq!((first.tickets.len(), first.next), (2, Some(2)));
    let last: Page = call(&client, "list_tickets", json!({"limit": 2, "after": first.next})).await;
    assert_eq!((last.tickets[0].title.as_str(), last.next), ("Monitor", None));
    let of_ada: Page = call(&client, "list_tickets", json!({"status": "open", "assignee": "Ada"})).await;
    assert_eq!(of_ada.tickets.iter().map(|ticket| ticket.id).collect::<Vec<_>>(), [2]);

    let missing = client.call("get_ticket", json!({"id": 9})).await?;
    assert!(missing.is_error);
    assert_eq!(missing.as_text(), "there is no ticket 9; call list_tickets for those that exist");
    Ok(())
}

#[tokio::test]
async fn stale_tickets_are_closed_with_progress() -> TestResult {
    let client = Client::in_process(&desk());
    for title in ["Printer", "Mouse"] {
        let _: Ticket = call(&client, "create_ticket", json!({"title": title})).await;
    }
    let mut seen = Vec::new();
    let closing = client.call("close_stale_tickets", json!({"days": 0}));
    let closed = closing.on_progress(|progress| seen.extend(progress.message)).await?;
    assert_eq!(closed.as_text(), "closed 2 tickets");
    assert_eq!(seen, ["closed ticket 1", "closed ticket 2"]);
    let open: Page = call(&client, "list_tickets", json!({"status": "open"})).await;
    assert_eq!(open.tickets, []);
    Ok(())
}

#[tokio::test]
async fn a_ticket_is_deleted_only_if_the_user_agrees() -> TestResult {
    let service = desk();
    for (agrees, remaining) in [(false, 1), (true, 0)] {
        let client = Client::builder()
            .on_elicitation(move |_| async move {
                ElicitationResponse::Accept([("delete".to_owned(), json!(agrees))].into_iter().collect())
            })
            .in_process(&service);
        if !agrees {
            let _: Ticket = call(&client, "create_ticket", json!({"title": "Printer"})).await;
        }
        assert_eq!(client.call("delete_ticket", json!({"id": 1})).await?.is_error, !agrees);
        let left: Page = call(&client, "list_tickets", json!({})).await;
        assert_eq!(left.tickets.len(), remaining);
    }
    Ok(())
}

#[tokio::test]
async fn a_ticket_is_a_resource_and_fills_a_prompt() -> TestResult {
    let client = Client::in_process(&desk());
    let created: Ticket =
        call(&client, "create_ticket", json!({"title": "Printer", "details": "It smokes."})).await;
    let read = client.read_resource("tickets://1").await?;
    let ResourceData::Text(text) = &read.contents[0].data else { panic!("text") };
    assert_eq!(serde_json::from_str::<Ticket>(text)?, created);
    assert!(client.read_resource("tickets://2").await.is_err());

    let draft = client.get_prompt("draft_reply", json!({"id": "1", "tone": "formal"})).await?;
    let text = draft.messages[0].content.as_text().expect("text");
    assert_eq!(text, "Write a formal reply about “Printer”. What is known:\n\nIt smokes.");
    Ok(())
}

#[test]
fn the_program_requires_its_key_and_keeps_its_tickets() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("tickets.db");
    let key = "0123456789abcdef0123456789abcdef";
    let start = || {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tickets"));
        Program::start(command.arg("127.0.0.1:0").arg(&file).env("TICKETS_KEY", key))
    };
    let call = |program: &Program, key: Option<&str>, tool: &str, arguments: Value| {
        let params = with_meta(&json!({"name": tool, "arguments": arguments}));
        let call = Call::new(program.address(), "POST", "/mcp")
            .header("Content-Type", "application/json")
            .header("Accept", "application/json, text/event-stream")
            .header("MCP-Protocol-Version", MODERN)
            .header("Mcp-Method", "tools/call")
            .header("Mcp-Name", tool)
            .body(&json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}));
        match key {
            Some(key) => call.header("Authorization", &format!("Bearer {key}")).send(),
            None => call.send(),
        }
    };

    let program = start();
    assert_eq!(Call::new(program.address(), "GET", "/health").send().text(), "ok");
    assert_eq!(call(&program, None, "list_tickets", json!({})).status, 401);
    assert_eq!(call(&program, Some(key), "create_ticket", json!({"title": "Printer"})).status, 200);
    assert!(program.end_by("TERM").success());

    let program = start();
    let listed = call(&program, Some(key), "list_tickets", json!({})).json();
    assert_eq!(listed["result"]["structuredContent"]["tickets"][0]["title"], "Printer");
    assert!(program.end_by("TERM").success());
}
