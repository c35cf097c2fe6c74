//! The prompts and resources of the server under test.

use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::content::Annotations;
use toolwright::definition::Icon;
use toolwright::{
    BuildError, Context, Prompt, Resource, ResourceTemplate, Server, Service, Tool,
    completion::{CompletionContext, Reference},
    content::ContentBlock,
    prompt::PromptMessage,
    protocol::LogLevel,
    request::RequestError,
    resource::{CacheScope, ResourceContents, ResourceResult},
};

use crate::tools::Lab;

/// Who to greet, and how.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Greeting {
    /// Who to greet.
    #[schemars(title = "Name", length(min = 1))]
    pub name: String,
    /// How to greet.
    pub style: Option<Style>,
}

/// A way to speak.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Style {
    /// Among friends.
    Plain,
    /// Among strangers.
    Formal,
}

/// How the handler ends.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Ending {
    /// `error`, `panic`, `late_panic`, `missing`, `invalid` or `wait`; anything else ends well.
    pub how: String,
}

impl Ending {
    /// Ends so.
    async fn come(self, cx: Context) -> Result<String, RequestError> {
        cx.progress(1.0, None, None).await;
        cx.log(LogLevel::Info, None, "on the way").await;
        match self.how.as_str() {
            "error" => Err(std::fmt::Error)?,
            "panic" => panic!("the secret reason"),
            "missing" => return Err(RequestError::not_found("nobody knows it")),
            "invalid" => return Err(RequestError::invalid("say it in other words")),
            "wait" => tokio::time::sleep(Duration::from_mins(10)).await,
            "late_panic" => {
                tokio::time::sleep(Duration::from_millis(5)).await;
                panic!("the secret reason")
            }
            _ => {}
        }
        Ok("came to an end".to_owned())
    }
}

/// The variables of the items.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Item {
    /// The number of the item.
    #[schemars(regex(pattern = r"^\d+( \d+)?$"))]
    pub id: String,
}

/// Changes a prompt, a resource or a template, or sends a resource-updated notification.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Change {
    /// `prompt`, `resource`, `template` or `contents`.
    pub what: String,
    /// Whether it should exist.
    pub on: bool,
}

/// Applies the change of the tool [`Change`]; false if there was nothing to remove.
///
/// # Errors
/// If it exists already.
pub(crate) fn change(service: &Service, change: &Change) -> Result<bool, BuildError> {
    match (change.what.as_str(), change.on) {
        ("prompt", true) => {
            service.add_prompt(Prompt::new("extra").description("One more."), async || "extra")?;
        }
        ("resource", true) => {
            service.add_resource(Resource::new("lab://extra", "extra"), async || "extra")?;
        }
        ("template", true) => {
            let template = ResourceTemplate::new("lab://extra/{id}", "extra");
            service.add_resource_template(template, async |item: Item| item.id)?;
        }
        ("prompt", false) => return Ok(service.remove_prompt("extra")),
        ("resource", false) => return Ok(service.remove_resource("lab://extra")),
        ("template", false) => return Ok(service.remove_resource_template("lab://extra/{id}")),
        _ => service.notify_resource_updated("lab://watched"),
    }
    Ok(true)
}

/// The server with its prompts, resources and completers.
pub(crate) fn offered(server: Server<Lab>) -> Server<Lab> {
    completing(with_resources(with_prompts(server)))
}

fn with_prompts(server: Server<Lab>) -> Server<Lab> {
    let decorated =
        Prompt::new("greet").title("Greeting").description("Asks for a greeting.").icon(Icon::new("data:,"));
    server
        .prompt(Prompt::new("simple").description("Takes nothing."), async || "do something simple")
        .prompt(decorated, async |greeting: Greeting| {
            let opening = if greeting.style == Some(Style::Formal) { "Good day" } else { "Hello" };
            [
                PromptMessage::user(format!("{opening}, I am {}.", greeting.name)),
                PromptMessage::assistant("Hello to you."),
            ]
        })
        .prompt(Prompt::new("every_block").description("Has all."), async || {
            [
                ContentBlock::text("a text"),
                ContentBlock::image([0x89, b'P', b'N', b'G'], "image/png"),
                ContentBlock::audio(*b"RIFF", "audio/wav"),
                ContentBlock::resource_link("test://link", "link"),
                ContentBlock::text_resource("test://text", "text/plain", "embedded"),
            ]
            .map(PromptMessage::user)
        })
        .prompt(Prompt::new("ending").description("Ends somehow."), async |ending: Ending, cx: Context| {
            ending.come(cx).await
        })
}

fn with_resources(server: Server<Lab>) -> Server<Lab> {
    let mut text = Resource::new("lab://text", "text").title("A text").mime_type("text/plain");
    text.size = Some(6);
    text.annotations = Some(Annotations::default().priority(0.5));
    server
        .resource(text, async || {
            let mut contents = ResourceContents::text("lab://text", "a text");
            contents.meta = Some([("lab/page".to_owned(), 1.into())].into_iter().collect());
            ResourceResult::new([contents]).keep(Duration::from_mins(1), CacheScope::Public)
        })
        .resource(Resource::new("lab://bytes", "bytes").mime_type("image/png"), async || vec![1_u8, 2, 3])
        .resource(Resource::new("lab://folder", "folder"), async || {
            vec![
                ResourceContents::text("lab://folder/a", "a").with_mime_type("text/plain"),
                ResourceContents::blob("lab://folder/b", [0]),
            ]
        })
        .resource(Resource::new("lab://watched", "watched"), async || "as it is now")
        .resource(Resource::new("lab://items/7/data", "seven"), async || "the seventh item itself")
        .resource_template(
            ResourceTemplate::new("lab://items/{id}/data", "items").title("Items").mime_type("text/plain"),
            async |item: Item| (item.id != "404").then(|| format!("item {}", item.id)),
        )
        .resource_template(
            ResourceTemplate::new("lab://endings/{how}", "endings"),
            async |ending: Ending, cx: Context| ending.come(cx).await,
        )
}

fn completing(server: Server<Lab>) -> Server<Lab> {
    server
        .complete(Reference::prompt("greet"), "style", async |value: String, _: CompletionContext| {
            let styles = ["formal", "plain"];
            styles.into_iter().filter(|style| style.starts_with(&value)).collect::<Vec<_>>()
        })
        .complete(Reference::prompt("greet"), "name", async |value: String, cx: CompletionContext| {
            let style = cx.arguments.get("style").map_or("none", String::as_str);
            vec![format!("{value} ({style})")]
        })
        .complete(
            Reference::template("lab://items/{id}/data"),
            "id",
            async |_: String, _: CompletionContext| (0..150).map(|id| id.to_string()).collect::<Vec<_>>(),
        )
        .complete(Reference::prompt("ending"), "how", async |how: String, cx: CompletionContext| {
            Ending { how }.come(cx.request).await.map(|end| vec![end])
        })
}
