//! Prompts and resources as structs: their definitions, how their strings are read, and how they are completed.
#![cfg(feature = "in-process")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::completion::CompletionContext;
use toolwright::handler::{PromptHandler, ResourceHandler};
use toolwright::prompt::{PromptMessage, TypedPrompt as _};
use toolwright::request::RequestError;
use toolwright::resource::ResourceData;
use toolwright::{Client, Context, Prompt, Resource, Server, Service};

#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Tone {
    Friendly,
    Formal,
}

/// Asks for a reply to a ticket.
#[derive(Debug, Prompt, Serialize, Deserialize, JsonSchema)]
#[mcp(
    title = "Reply to a ticket",
    scopes("tickets:read"),
    icon(src = "data:,"),
    meta("com.example/team" = "support")
)]
#[serde(rename_all = "camelCase")]
struct ReplyToTicket {
    /// The number of the ticket.
    #[mcp(title = "Ticket", minimum = 1, complete = ticket_ids)]
    ticket_id: i64,
    #[mcp(complete = languages)]
    language: String,
    tone: Option<Tone>,
    #[serde(default)]
    signed: bool,
}

async fn ticket_ids(so_far: String, cx: CompletionContext) -> Vec<String> {
    let language = cx.arguments.get("language").map_or("any", String::as_str);
    vec![format!("{so_far}1"), language.to_owned()]
}

async fn languages(so_far: String) -> Result<Vec<&'static str>, RequestError> {
    let known = ["de", "en"].into_iter().filter(|language| language.starts_with(&so_far));
    Ok(known.collect())
}

/// Asks for today's agenda.
#[derive(Debug, Prompt, Serialize)]
struct Agenda;

/// The open tickets.
#[derive(Debug, Resource, Serialize)]
#[mcp(uri = "tickets://open", title = "Open tickets", mime_type = "text/plain", size = 7)]
#[mcp(audience("user", "assistant"), priority = 0.5)]
struct OpenTickets {}

/// A ticket.
#[derive(Debug, Resource, Serialize, Deserialize, JsonSchema)]
#[mcp(uri = "tickets://{id}/comments/{kind}", name = "comments", mime_type = "text/markdown")]
struct Comments {
    #[mcp(minimum = 1)]
    id: i64,
    kind: Tone,
}

struct Desk {
    open: Vec<i64>,
}

impl PromptHandler<ReplyToTicket> for Desk {
    type Output = Result<[PromptMessage; 1], RequestError>;

    async fn get(&self, input: ReplyToTicket, cx: &Context) -> Self::Output {
        if !self.open.contains(&input.ticket_id) {
            return Err(RequestError::invalid(format!("there is no ticket {}", input.ticket_id)));
        }
        assert!(cx.principal().is_none());
        let ReplyToTicket { ticket_id, language, tone, signed } = input;
        Ok([PromptMessage::user(format!("{ticket_id} in {language}, {tone:?}, {signed}"))])
    }
}

impl ResourceHandler<OpenTickets> for Desk {
    type Output = Result<String, RequestError>;

    async fn read(&self, _: OpenTickets, _: &Context) -> Self::Output {
        Ok(format!("{:?}", self.open))
    }
}

impl ResourceHandler<Comments> for Desk {
    type Output = Result<Option<String>, RequestError>;

    async fn read(&self, input: Comments, _: &Context) -> Self::Output {
        Ok(self.open.contains(&input.id).then(|| format!("{:?} comments of {}", input.kind, input.id)))
    }
}

fn desk() -> Service {
    Server::new(Desk { open: vec![7, 12] })
        .prompts::<ReplyToTicket>()
        .prompt_fn(async |_: Agenda| "What is on today?")
        .resources::<OpenTickets>()
        .resources::<Comments>()
        .build()
        .expect("a server")
}

async fn list(method: &str, member: &str) -> Value {
    let listed = Client::in_process(&desk()).request(method, ()).await.expect("a list");
    let listed: Value = serde_json::from_str(listed.get()).expect("JSON");
    listed[member].clone()
}

#[tokio::test]
async fn definitions_come_from_the_struct() {
    assert_eq!(
        list("prompts/list", "prompts").await,
        json!([
            {"name": "agenda", "description": "Asks for today's agenda."},
            {
                "name": "reply_to_ticket",
                "title": "Reply to a ticket",
                "description": "Asks for a reply to a ticket.",
                "arguments": [
                    {
                        "name": "ticketId",
                        "title": "Ticket",
                        "description": "The number of the ticket.\nAn integer of at least 1.",
                        "required": true,
                    },
                    {"name": "language", "required": true},
                    {"name": "tone", "description": "One of `friendly`, `formal`.", "required": false},
                    {"name": "signed", "description": "One of `true`, `false`.", "required": false},
                ],
                "icons": [{"src": "data:,"}],
                "_meta": {"com.example/team": "support", "io.toolwright/scopes": ["tickets:read"]},
            },
        ])
    );
    assert_eq!(
        list("resources/list", "resources").await,
        json!([{
            "uri": "tickets://open",
            "name": "open_tickets",
            "title": "Open tickets",
            "description": "The open tickets.",
            "mimeType": "text/plain",
            "size": 7,
            "annotations": {"audience": ["user", "assistant"], "priority": 0.5},
        }])
    );
    assert_eq!(
        list("resources/templates/list", "resourceTemplates").await,
        json!([{
            "uriTemplate": "tickets://{id}/comments/{kind}",
            "name": "comments",
            "description": "A ticket.",
            "mimeType": "text/markdown",
        }])
    );
}

async fn reply(arguments: Value) -> Result<String, String> {
    let filled = Client::in_process(&desk()).get_prompt("reply_to_ticket", arguments).await;
    let filled = filled.map_err(|error| error.to_string())?;
    Ok(filled.messages[0].content.as_text().unwrap_or_default().to_owned())
}

#[tokio::test]
async fn arguments_of_prompts_are_read_from_strings() {
    let all = json!({"ticketId": "12", "language": "7", "tone": "formal", "signed": "true"});
    assert_eq!(reply(all).await, Ok("12 in 7, Some(Formal), true".to_owned()));
    let few = json!({"ticketId": "7", "language": "en"});
    assert_eq!(reply(few).await, Ok("7 in en, None, false".to_owned()));
    let agenda = Client::in_process(&desk()).get_prompt("agenda", ()).await.expect("a prompt");
    assert_eq!(agenda.messages[0].content.as_text(), Some("What is on today?"));
}

#[tokio::test]
async fn errors_of_prompts_name_the_argument() {
    let error =
        reply(json!({"ticketId": "zero", "tone": "rude", "signed": "maybe"})).await.expect_err("wrong");
    for part in
        ["/ticketId", "an integer", "\"zero\"", "/language", "/tone", "\"friendly\"", "/signed", "a boolean"]
    {
        assert!(error.contains(part), "no {part} in {error}");
    }
    let error = reply(json!({"ticketId": "0", "language": "en"})).await.expect_err("below the minimum");
    assert!(error.contains("/ticketId") && error.contains('1'), "{error}");
    let error = reply(json!({"ticketId": "5", "language": "en"})).await.expect_err("refused by the handler");
    assert!(error.contains("there is no ticket 5"), "{error}");
}

async fn read(uri: &str) -> Result<String, String> {
    let read = Client::in_process(&desk()).read_resource(uri).await.map_err(|error| error.to_string())?;
    assert_eq!(read.contents[0].uri, uri);
    match &read.contents[0].data {
        ResourceData::Text(text) => Ok(text.clone()),
        ResourceData::Blob(_) => Err("bytes".to_owned()),
    }
}

#[tokio::test]
async fn variables_of_addresses_are_read_from_strings() {
    assert_eq!(read("tickets://open").await, Ok("[7, 12]".to_owned()));
    assert_eq!(read("tickets://7/comments/formal").await, Ok("Formal comments of 7".to_owned()));
    assert!(read("tickets://8/comments/formal").await.expect_err("no such ticket").contains("tickets://8"));
    let error = read("tickets://x/comments/loud").await.expect_err("neither fits");
    for part in ["/id", "an integer", "\"x\"", "/kind", "\"formal\""] {
        assert!(error.contains(part), "no {part} in {error}");
    }
}

async fn complete(reference: Value, name: &str, value: &str) -> Value {
    let asked = json!({
        "ref": reference,
        "argument": {"name": name, "value": value},
        "context": {"arguments": {"language": "en"}},
    });
    let completed = Client::in_process(&desk()).request("completion/complete", asked).await.expect("values");
    let completed: Value = serde_json::from_str(completed.get()).expect("JSON");
    completed["completion"]["values"].clone()
}

#[tokio::test]
async fn arguments_are_completed_by_functions_and_by_their_values() {
    let prompt = || json!({"type": "ref/prompt", "name": "reply_to_ticket"});
    assert_eq!(complete(prompt(), "ticketId", "1").await, json!(["11", "en"]));
    assert_eq!(complete(prompt(), "language", "d").await, json!(["de"]));
    assert_eq!(complete(prompt(), "tone", "").await, json!(["friendly", "formal"]));
    assert_eq!(complete(prompt(), "tone", "FO").await, json!(["formal"]));
    assert_eq!(complete(prompt(), "tone", "formally").await, json!([]));
    assert_eq!(complete(prompt(), "signed", "t").await, json!(["true"]));
    let template = || json!({"type": "ref/resource", "uri": "tickets://{id}/comments/{kind}"});
    assert_eq!(complete(template(), "kind", "fr").await, json!(["friendly"]));
    assert_eq!(complete(template(), "id", "").await, json!([]));
}

#[test]
fn a_mistake_that_only_the_types_show_is_found_when_building() {
    /// Lists names.
    #[derive(Debug, Prompt, Deserialize, JsonSchema)]
    struct Listed {
        #[expect(dead_code, reason = "only its type is looked at")]
        names: Names,
    }

    #[derive(Debug, Deserialize, JsonSchema)]
    #[expect(dead_code, reason = "only its type is looked at")]
    struct Names(Vec<String>);

    let error = Server::new(()).prompt_fn(async |_: Listed| "x").build().expect_err("a list");
    assert!(
        error.to_string().contains("invalid prompt `listed`: `names` cannot be read from a string"),
        "{error}"
    );
    assert_eq!(Agenda::definition().name, "agenda");
}

#[test]
fn a_prompt_is_added_once() {
    let twice = Server::new(()).prompt_fn(async |_: Agenda| "x").prompt_fn(async |_: Agenda| "y");
    assert!(twice.build().expect_err("two of one name").to_string().contains("prompt `agenda`"));
}

#[tokio::test]
async fn the_structs_are_the_requests_of_a_client() {
    let client = Client::in_process(&desk());
    let reply =
        ReplyToTicket { ticket_id: 12, language: "7".to_owned(), tone: Some(Tone::Formal), signed: true };
    let filled = client.fill_prompt(&reply).await.expect("a prompt");
    assert_eq!(filled.messages[0].content.as_text(), Some("12 in 7, Some(Formal), true"));
    client.fill_prompt(&Agenda).await.expect("a prompt without arguments");
    for (read, text) in [
        (client.read_typed(&Comments { id: 7, kind: Tone::Formal }).await, "Formal comments of 7"),
        (client.read_typed(&OpenTickets {}).await, "[7, 12]"),
    ] {
        assert_eq!(read.expect("a resource").contents[0].data, ResourceData::Text(text.to_owned()));
    }
}
