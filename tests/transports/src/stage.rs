//! The server: a tool for each scenario, and a thousand more.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, LazyLock, OnceLock};
use std::time::Duration;

use crate::relay::Relay;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Handler, Json, Limits, Prompt, Provider, Resource, ResourceTemplate, Server, Service,
    Tool, ToolError, ToolResult, Toolset,
    completion::{CompletionContext, Reference},
    definition::ToolDefinition,
    input_requests::Elicited,
    provider::{Outcome, ToolRequest},
};

/// The longest message that the server reads.
pub const MAX_MESSAGE_BYTES: usize = 100_000;

/// The number of entries per page.
pub const PAGE: usize = 300;

/// The number of tools besides those of [`StageTools`], `toggle`, `touch` and the relays.
pub const MANY: usize = 1_000;

/// The limits of the server.
pub fn limits() -> Limits {
    Limits {
        list_page_size: PAGE,
        max_message_bytes: MAX_MESSAGE_BYTES,
        shutdown_grace: Duration::from_secs(5),
        ..Limits::default()
    }
}

/// The server.
pub fn service() -> Service {
    with_limits(limits())
}

/// The server with other limits.
///
/// # Panics
/// If the tools below are invalid.
pub fn with_limits(limits: Limits) -> Service {
    let crowd = Crowd::default();
    let service = Server::new(Stage::default())
        .tools::<StageTools>()
        .prompt(Prompt::new("greet"), async |who: Who| format!("Hello, {}!", who.name))
        .complete(Reference::prompt("greet"), "name", async |so_far: String, _: CompletionContext| {
            let names = ["Ada", "Bob"].into_iter().filter(|name| name.starts_with(&so_far));
            names.map(str::to_owned).collect::<Vec<_>>()
        })
        .resource(Resource::new(NOTE, "note"), async || "a note")
        .resource_template(ResourceTemplate::new("stage://items/{item}", "items"), async |item: Item| {
            item.item
        })
        .provider(crowd.clone())
        .provider(Relay)
        .limits(limits)
        .build()
        .expect("the tools are right");
    crowd.0.service.set(service.clone()).expect("it is set once");
    service
}

/// A resource that changes when `touch` is called.
pub const NOTE: &str = "stage://note";

#[derive(Deserialize, JsonSchema)]
struct Who {
    name: String,
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    item: String,
}

/// Counts the calls that take time.
#[derive(Debug, Default)]
pub struct Stage {
    held: Arc<HeldCounts>,
}

#[derive(Debug, Default)]
struct HeldCounts {
    asleep: AtomicUsize,
    started: AtomicUsize,
    cancelled: AtomicUsize,
}

/// Adds two numbers.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Add {
    /// The first number.
    pub a: i64,
    /// The second number.
    pub b: i64,
}

/// Repeats a text.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Echo {
    /// What to repeat.
    pub text: String,
}

/// Waits.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Sleep {
    /// How long, in milliseconds.
    pub ms: u64,
}

/// Reports progress in three steps.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Count {}

/// Fails with an error.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Fail {}

/// Panics.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Panic {
    /// Whether to wait a moment first.
    pub later: bool,
}

/// Asks for a color.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Ask {}

/// What the client's user answers.
#[derive(Debug, Deserialize, JsonSchema)]
pub struct Color {
    /// The color.
    pub name: String,
}

/// Never ends by itself.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Hold {}

/// Says how many calls of `sleep` and of `hold` have started, and how many of `hold` were told that they are cancelled.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Held {}

/// What `held` says.
#[derive(Debug, Serialize, JsonSchema)]
pub struct HeldSoFar {
    /// How many calls of `sleep` have started.
    pub asleep: usize,
    /// How many of `hold` have.
    pub started: usize,
    /// How many of those were cancelled.
    pub cancelled: usize,
}

/// All of them.
#[derive(Debug, Toolset)]
#[mcp(name = "stage", version = "1.0.0", handler = Stage)]
pub enum StageTools {
    /// Addition.
    Add(Add),
    /// Repetition.
    Echo(Echo),
    /// Waiting.
    Sleep(Sleep),
    /// Progress.
    Count(Count),
    /// Failing.
    Fail(Fail),
    /// Panicking.
    Panic(Panic),
    /// Elicitation.
    Ask(Ask),
    /// Holding.
    Hold(Hold),
    /// Counters.
    Held(Held),
}

impl Handler<Add> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Add, _cx: &Context) -> Self::Output {
        Ok((input.a + input.b).to_string())
    }
}

impl Handler<Echo> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Echo, _cx: &Context) -> Self::Output {
        Ok(input.text)
    }
}

impl Handler<Sleep> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Sleep, _cx: &Context) -> Self::Output {
        self.held.asleep.fetch_add(1, Ordering::SeqCst);
        tokio::time::sleep(Duration::from_millis(input.ms)).await;
        Ok("awake".to_owned())
    }
}

impl Handler<Count> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Count, cx: &Context) -> Self::Output {
        for step in 1..=3_i32 {
            tokio::time::sleep(Duration::from_millis(2)).await;
            cx.progress(step.into(), Some(3.0), Some("counting")).await;
        }
        Ok("counted".to_owned())
    }
}

impl Handler<Fail> for Stage {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Fail, _cx: &Context) -> Self::Output {
        Err(ToolError::new("it failed, try something else"))
    }
}

impl Handler<Panic> for Stage {
    type Output = Result<(), ToolError>;

    async fn call(&self, input: Panic, _cx: &Context) -> Self::Output {
        if input.later {
            tokio::time::sleep(Duration::from_millis(2)).await;
        }
        panic!("the secret reason")
    }
}

impl Handler<Ask> for Stage {
    type Output = Result<String, ToolError>;

    async fn call(&self, _input: Ask, cx: &Context) -> Self::Output {
        Ok(match cx.elicit::<Color>("color", "Which color?").await? {
            Elicited::Accepted(color) => color.name,
            Elicited::Declined => "declined".to_owned(),
            Elicited::Cancelled => "cancelled".to_owned(),
        })
    }
}

impl Handler<Hold> for Stage {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Hold, cx: &Context) -> Self::Output {
        self.held.started.fetch_add(1, Ordering::SeqCst);
        let (held, cancelled) = (Arc::clone(&self.held), cx.cancellation().clone());
        // Work that the handler started elsewhere: it outlives the handler's future.
        tokio::spawn(async move {
            cancelled.cancelled().await;
            held.cancelled.fetch_add(1, Ordering::SeqCst);
        });
        std::future::pending().await
    }
}

impl Handler<Held> for Stage {
    type Output = Result<Json<HeldSoFar>, ToolError>;

    async fn call(&self, _input: Held, _cx: &Context) -> Self::Output {
        let HeldCounts { asleep, started, cancelled } = &*self.held;
        Ok(Json(HeldSoFar {
            asleep: asleep.load(Ordering::SeqCst),
            started: started.load(Ordering::SeqCst),
            cancelled: cancelled.load(Ordering::SeqCst),
        }))
    }
}

/// A provider with many tools, and one more that can be added and removed.
#[derive(Debug, Clone, Default)]
struct Crowd(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    on: AtomicBool,
    service: OnceLock<Service>,
}

static MANY_TOOLS: LazyLock<Vec<ToolDefinition>> = LazyLock::new(|| {
    let schema = json!({"type": "object", "properties": {}});
    let numbered = (0..MANY).map(|number| ToolDefinition::new(format!("many_{number:04}"), schema.clone()));
    let others = ["toggle", "touch"].map(|name| ToolDefinition::new(name, schema.clone()));
    numbered.chain(others).collect()
});

impl Provider for Crowd {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let extra = ToolDefinition::new("extra", json!({"type": "object", "properties": {}}));
        let extra = self.0.on.load(Ordering::SeqCst).then_some(extra);
        MANY_TOOLS.iter().cloned().chain(extra).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move {
            if request.name == "toggle" {
                self.0.on.fetch_xor(true, Ordering::SeqCst);
                if let Some(Err(error)) = self.0.service.get().map(Service::refresh_tools) {
                    return ToolResult::error(error.to_string());
                }
            }
            if request.name == "touch"
                && let Some(service) = self.0.service.get()
            {
                service.notify_resource_updated(NOTE);
            }
            ToolResult::text(request.name)
        })
    }
}
