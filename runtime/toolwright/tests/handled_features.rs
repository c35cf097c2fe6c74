//! `#[handlers]` with prompts and resources: what `Server::of` offers, and what the manifest says of it.
#![cfg(feature = "in-process")]

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use toolwright::handler::Handlers;
use toolwright::request::RequestError;
use toolwright::resource::ResourceData;
use toolwright::{BuildError, Client, Context, Prompt, Resource, Server, Tool, ToolError};

/// Closes a ticket.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct CloseTicket {
    id: i64,
}

/// Asks for a reply to a ticket.
#[derive(Debug, Prompt, Deserialize, JsonSchema)]
struct ReplyToTicket {
    id: i64,
}

/// Asks for today's agenda.
#[derive(Debug, Prompt)]
struct Agenda;

/// The open tickets.
#[derive(Debug, Resource)]
#[mcp(uri = "tickets://open")]
struct OpenTickets;

/// A ticket.
#[derive(Debug, Resource, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{id}")]
struct Ticket {
    id: i64,
}

/// Offered by no server that the manifest knows by name.
#[derive(Debug, Prompt)]
struct Loose;

struct Desk {
    open: Vec<i64>,
}

#[toolwright::handlers(name = "desk", version = "1.0.0")]
impl Desk {
    async fn close(&self, input: CloseTicket) -> Result<String, ToolError> {
        Ok(format!("closed {}", input.id))
    }

    #[prompt]
    async fn reply(&self, input: ReplyToTicket, cx: &Context) -> Result<String, RequestError> {
        assert!(cx.principal().is_none());
        if self.open.contains(&input.id) {
            return Ok(format!("Reply to {}.", input.id));
        }
        Err(RequestError::invalid(format!("there is no ticket {}", input.id)))
    }

    #[prompt]
    fn agenda(&self, _: Agenda) -> &'static str {
        "What is on today?"
    }

    #[resource]
    fn open(&self, _: OpenTickets, cx: Context) -> String {
        assert!(cx.principal().is_none());
        format!("{:?}", self.open)
    }

    #[resource]
    async fn ticket(&self, input: Ticket) -> Option<String> {
        self.open.contains(&input.id).then(|| format!("ticket {}", input.id))
    }
}

/// A server of prompts only.
struct Host;

#[toolwright::handlers(name = "host")]
impl Host {
    #[prompt]
    async fn agenda(&self, _: Agenda) -> &'static str {
        "What is next?"
    }
}

fn desk() -> Result<toolwright::Service, BuildError> {
    Server::of(Desk { open: vec![7] }).build()
}

#[tokio::test]
async fn a_block_handles_tools_prompts_and_resources() {
    let client = Client::in_process(&desk().expect("a server"));
    assert_eq!(client.call("close_ticket", json!({"id": 7})).await.expect("a result").as_text(), "closed 7");
    let reply = client.get_prompt("reply_to_ticket", json!({"id": "7"})).await.expect("a prompt");
    assert_eq!(reply.messages[0].content.as_text(), Some("Reply to 7."));
    let error = client.get_prompt("reply_to_ticket", json!({"id": "8"})).await.expect_err("no such ticket");
    assert!(error.to_string().contains("there is no ticket 8"), "{error}");
    let agenda = client.get_prompt("agenda", ()).await.expect("a prompt");
    assert_eq!(agenda.messages[0].content.as_text(), Some("What is on today?"));
    for (uri, text) in [("tickets://open", "[7]"), ("tickets://7", "ticket 7")] {
        let read = client.read_resource(uri).await.expect("a resource");
        assert_eq!(read.contents[0].data, ResourceData::Text(text.to_owned()));
    }
    assert!(client.read_resource("tickets://8").await.is_err());
}

#[tokio::test]
async fn a_block_of_prompts_alone_is_a_server() {
    let client = Client::in_process(&Server::of(Host).build().expect("a server"));
    let agenda = client.get_prompt("agenda", ()).await.expect("a prompt");
    assert_eq!(agenda.messages[0].content.as_text(), Some("What is next?"));
    assert_eq!(client.list_tools().await.map(|tools| tools.len()).unwrap_or_default(), 0);
}

#[tokio::test]
async fn the_manifest_lists_what_the_server_of_a_block_offers() {
    toolwright::assert_manifest!("tests/handled-desk.json", <Desk as Handlers>::Tools);
    toolwright::assert_manifest!("tests/handled-host.json", <Host as Handlers>::Tools);
    let manifest = std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/handled-desk.json"));
    let manifest: Value = serde_json::from_str(&manifest.expect("a file")).expect("JSON");
    let client = Client::in_process(&desk().expect("a server"));
    for (method, member) in
        [("resources/list", "resources"), ("resources/templates/list", "resourceTemplates")]
    {
        let listed: Value =
            serde_json::from_str(client.request(method, ()).await.expect("a list").get()).expect("JSON");
        assert_eq!(listed[member], manifest[member], "{method}");
    }
    let names = |manifest: &Value| -> Vec<String> {
        let prompts = manifest["prompts"].as_array().into_iter().flatten();
        prompts.filter_map(|prompt| prompt["name"].as_str().map(str::to_owned)).collect()
    };
    // What no block names belongs to every server of the package.
    assert_eq!(names(&manifest), ["agenda", "loose", "reply_to_ticket"]);
}

#[tokio::test]
async fn a_server_may_add_to_what_its_block_offers() {
    let server = Server::of(Host).prompt_fn(async |_: Loose| "x").prompt(Prompt::new("plain"), async || "y");
    let client = Client::in_process(&server.build().expect("a server"));
    let prompts = client.list_prompts().await.expect("a list");
    assert_eq!(
        prompts.iter().map(|prompt| prompt.name.as_str()).collect::<Vec<_>>(),
        ["agenda", "loose", "plain"]
    );
}
