//! Tools, a prompt, a resource and a completion that send input requests: elicitation, sampling and roots.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright::{
    Context, Handler, Prompt, Resource, Server, Tool, ToolError, Toolset,
    completion::{CompletionContext, Reference},
    input_requests::{Elicited, InputRequestError, Sampling},
    request::RequestError,
};

/// The state that the handlers share.
#[derive(Debug, Default)]
pub struct Host {
    /// How often `Steps` has started.
    pub runs: AtomicUsize,
}

/// Shows a form with each kind of member.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Book {}

/// What a guest fills in.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
pub struct Booking {
    /// Your name
    #[schemars(length(min = 2, max = 20), regex(pattern = r"^\w+$"))]
    pub name: String,
    /// How many come
    #[schemars(range(min = 1, max = 9))]
    pub guests: u8,
    /// The tip in percent
    #[serde(default = "ten")]
    pub tip: f64,
    /// Without meat
    pub vegetarian: bool,
    /// Where to sit
    pub table: Table,
    /// Where to write to
    #[schemars(email)]
    pub email: Option<String>,
}

fn ten() -> f64 {
    10.0
}

/// A table.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Table {
    /// By the window
    Window,
    /// In the garden
    Garden,
}

/// Shows a form where several can be chosen.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct ChooseSeveral {}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Several {
    #[schemars(length(min = 1))]
    tables: Vec<Table>,
}

/// Opens a page.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Visit {}

/// Has the model write.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Write {
    /// Whether the model may use a tool.
    #[serde(default)]
    pub with_tool: bool,
}

/// Asks for the folders.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Folders {}

/// Asks three things at once.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct AtOnce {}

/// Asks three things one after another, and says how often it was started.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Steps {}

/// Asks from a task of its own.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Spawned {}

/// Asks with a schema from the caller.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Form {
    /// The schema.
    pub schema: Value,
}

/// Panics after an answer.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Panics {}

/// Asks two things under one key.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct OneKey {}

/// Asks many things at once.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Many {
    /// How many.
    pub count: usize,
}

/// Waits a moment for an answer, and goes on without.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Impatient {}

/// Says what the client can be asked for.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Declared {}

/// Asks for what no form has.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Impossible {}

#[derive(Debug, Deserialize, JsonSchema)]
struct Nested {
    #[expect(dead_code, reason = "no form shows it")]
    booking: Vec<Booking>,
}

/// All of the tools.
#[derive(Debug, Toolset)]
#[mcp(name = "host", version = "1.0.0", handler = Host)]
pub enum HostTools {
    /// Forms.
    Book(Book),
    /// Lists.
    ChooseSeveral(ChooseSeveral),
    /// Pages.
    Visit(Visit),
    /// Models.
    Write(Write),
    /// Roots.
    Folders(Folders),
    /// Together.
    AtOnce(AtOnce),
    /// Rounds.
    Steps(Steps),
    /// Tasks.
    Spawned(Spawned),
    /// Schemas.
    Form(Form),
    /// Panics.
    Panics(Panics),
    /// Keys.
    OneKey(OneKey),
    /// Limits.
    Many(Many),
    /// Timeouts.
    Impatient(Impatient),
    /// Capabilities.
    Declared(Declared),
    /// Invalid schemas.
    Impossible(Impossible),
}

fn describe<T: Serialize>(elicited: &Elicited<T>) -> String {
    match elicited {
        Elicited::Accepted(content) => json!(content).to_string(),
        Elicited::Declined => "declined".to_owned(),
        Elicited::Cancelled => "cancelled".to_owned(),
    }
}

#[derive(Debug, Serialize, Deserialize, JsonSchema)]
struct Line {
    text: String,
}

async fn line(cx: &Context, key: &str) -> Result<String, InputRequestError> {
    Ok(match cx.elicit::<Line>(key, &format!("What is {key}?")).await? {
        Elicited::Accepted(line) => line.text,
        other => describe(&other),
    })
}

macro_rules! handlers {
    ($($tool:ident($input:ident, $cx:ident, $host:ident) $body:block)*) => {$(
        impl Handler<$tool> for Host {
            type Output = Result<String, ToolError>;

            async fn call(&self, $input: $tool, $cx: &Context) -> Self::Output {
                let $host = self;
                $body
            }
        }
    )*};
}

handlers! {
    Book(_input, cx, _host) { Ok(describe(&cx.elicit::<Booking>("booking", "When do you come?").await?)) }
    ChooseSeveral(_input, cx, _host) { Ok(describe(&cx.elicit::<Several>("tables", "Which?").await?)) }
    Visit(_input, cx, _host) {
        let visited = cx.elicit_url("login", "https://example.com/login", "Log in there.").await?;
        cx.elicitation_complete("login").await;
        cx.elicitation_complete("another").await;
        Ok(describe(&visited))
    }
    Write(input, cx, _host) {
        let mut sampling = Sampling::new("Write a haiku.")
            .max_tokens(50)
            .system_prompt("You are a poet.")
            .temperature(0.5)
            .stop_sequences(["END"])
            .model_hint("small");
        if input.with_tool {
            let schema = json!({"type": "object", "properties": {}});
            sampling = sampling.with("tools", json!([{"name": "rhyme", "inputSchema": schema}]));
        }
        let written = cx.sample("haiku", sampling).await?;
        let stop = written.stop_reason.as_deref().unwrap_or("unknown");
        Ok(format!("{} wrote: {} ({stop}, {} blocks)", written.model, written.text(), written.content.len()))
    }
    Folders(_input, cx, _host) {
        let roots = cx.roots("roots").await?;
        Ok(roots.iter().map(|root| format!("{}={}", root.name.as_deref().unwrap_or("-"), root.uri)).collect::<Vec<_>>().join(" "))
    }
    AtOnce(_input, cx, _host) {
        let (text, written, roots) = tokio::join!(
            line(cx, "color"),
            cx.sample("haiku", Sampling::new("Write a haiku.")),
            cx.roots("roots"),
        );
        Ok(format!("{} {} {}", text?, written?.text(), roots?.len()))
    }
    Steps(_input, cx, host) {
        let run = host.runs.fetch_add(1, Ordering::Relaxed) + 1;
        let mut texts = Vec::new();
        for key in ["one", "two", "three"] {
            texts.push(line(cx, key).await?);
        }
        // Answered before, so it is not sent again.
        texts.push(line(cx, "one").await?);
        Ok(format!("{} after {run} runs", texts.join(" ")))
    }
    Spawned(_input, cx, _host) {
        let cx = cx.clone();
        let asked = tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            line(&cx, "late").await
        });
        Ok(asked.await??)
    }
    Form(input, cx, _host) { Ok(describe(&cx.elicit_form("form", "Fill in.", &input.schema).await?)) }
    Panics(_input, cx, _host) {
        line(cx, "reason").await?;
        panic!("the secret reason")
    }
    OneKey(_input, cx, _host) {
        let (first, second) =
            tokio::join!(cx.elicit::<Line>("key", "First?"), cx.elicit::<Line>("key", "Second?"));
        second?;
        Ok(describe(&first?))
    }
    Many(input, cx, _host) {
        let ask = |number: usize| Box::pin(async move { line(cx, &format!("q{number}")).await });
        let mut pending: Vec<_> = (0..input.count).map(ask).collect();
        let mut texts = Vec::new();
        // All in one task, so that all are sent when the first poll is over.
        let joined = std::future::poll_fn(|task| {
            let mut failure = None;
            pending.retain_mut(|request| match request.as_mut().poll(task) {
                Poll::Ready(Ok(text)) => {
                    texts.push(text);
                    false
                }
                Poll::Ready(Err(error)) => {
                    failure = Some(error);
                    false
                }
                Poll::Pending => true,
            });
            match failure {
                Some(error) => Poll::Ready(Err(error)),
                None if pending.is_empty() => Poll::Ready(Ok(())),
                None => Poll::Pending,
            }
        });
        joined.await?;
        texts.sort();
        Ok(texts.join(" "))
    }
    Impatient(_input, cx, _host) {
        let time_limit = Duration::from_millis(50);
        Ok(match tokio::time::timeout(time_limit, line(cx, "quick")).await {
            Ok(text) => text?,
            Err(_) => "nobody answered".to_owned(),
        })
    }
    Declared(_input, cx, _host) {
        let client = cx.client();
        let can = [
            client.can_elicit_form(), client.can_elicit_url(), client.can_sample(), client.can_sample_with_tools(),
            client.can_list_roots(),
        ];
        Ok(can.map(|can| if can { '1' } else { '0' }).iter().collect())
    }
    Impossible(_input, cx, _host) {
        cx.elicit::<Nested>("nested", "Which?").await?;
        Ok("asked".to_owned())
    }
}

#[derive(Debug, Deserialize, JsonSchema)]
struct Letter {
    recipient: Option<String>,
}

/// The server, to be built.
pub fn server() -> Server<Host> {
    Server::new(Host::default())
        .tools::<HostTools>()
        .prompt(
            Prompt::new("letter").description("Writes a letter."),
            async |letter: Letter, cx: Context| -> Result<String, RequestError> {
                let recipient = match letter.recipient {
                    Some(recipient) => recipient,
                    None => line(&cx, "recipient").await?,
                };
                Ok(format!("Write to {recipient}."))
            },
        )
        .resource(
            Resource::new("host://folders", "folders"),
            async |(): (), cx: Context| -> Result<String, RequestError> {
                Ok(format!("{} folders", cx.roots("roots").await?.len()))
            },
        )
        .complete(Reference::prompt("letter"), "recipient", async |_: String, context: CompletionContext| {
            match context.request.roots("roots").await {
                Ok(roots) => roots.into_iter().map(|root| root.uri).collect(),
                Err(error) => vec![error.to_string()],
            }
        })
}
