//! The tools of the server under test.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Handler, Json, Limits, Provider, Server, Service, Tool, ToolError, ToolResult,
    Toolset,
    content::ContentBlock,
    definition::ToolDefinition,
    protocol::LogLevel,
    provider::{Outcome, ToolRequest},
};

use crate::features::{self, Change};

/// The state that the handlers share.
#[derive(Debug, Default)]
pub struct Lab;

/// Adds two numbers.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only, idempotent, open_world = false, title = "Addition", was("plus"))]
pub struct Add {
    /// The first number.
    #[mcp(minimum = -1000, maximum = 1_000_000_000)]
    pub a: i64,
    /// The second number.
    pub b: i64,
}

/// A sum.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Sum {
    /// The sum of both numbers.
    pub sum: i64,
}

/// Repeats a text.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only, idempotent, open_world = false)]
pub struct Echo {
    /// What to repeat.
    pub text: String,
}

/// Waits.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub struct Sleep {
    /// How long, in milliseconds.
    pub ms: u64,
}

/// Waits without letting others run, as blocking code does.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
pub struct Block {
    /// How long, in milliseconds.
    pub ms: u64,
    /// Whether to wait a moment first, so that the blocking happens on a thread of the runtime.
    #[serde(default)]
    pub later: bool,
}

/// Panics.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Panic {
    /// Whether to wait a moment first.
    #[serde(default)]
    pub later: bool,
}

/// Reports progress in three steps, and logs each.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Count {
    /// Whether to wait a moment between the steps.
    #[serde(default)]
    pub slowly: bool,
}

/// Fails with an error.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Fail {}

/// Returns a list, which is not a JSON object.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct ListNumbers {}

/// Returns one block of each kind.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct EveryBlock {}

/// Returns nothing at all.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Nothing;

/// Prints to standard output, as a stray `println!` in a library does.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Print {
    /// What to print.
    pub text: String,
}

/// Answers, and reports progress afterwards.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
pub struct Afterwards {}

/// Adds a tool to the list, or removes it.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(idempotent)]
pub struct Toggle {
    /// Whether the tool should exist.
    pub on: bool,
}

/// All of them.
#[derive(Debug, Toolset)]
#[mcp(name = "lab", version = "1.2.3", title = "The lab", instructions = "Try things.", handler = Lab)]
pub enum LabTools {
    /// Addition.
    Add(Add),
    /// Repetition.
    Echo(Echo),
    /// Waiting.
    Sleep(Sleep),
    /// Blocking.
    Block(Block),
    /// Panicking.
    Panic(Panic),
    /// Progress.
    Count(Count),
    /// Failing.
    Fail(Fail),
    /// A list.
    ListNumbers(ListNumbers),
    /// Content.
    EveryBlock(EveryBlock),
    /// Nothing.
    Nothing(Nothing),
    /// Printing.
    Print(Print),
    /// Reporting too late.
    Afterwards(Afterwards),
}

impl Handler<Add> for Lab {
    type Output = Result<Json<Sum>, ToolError>;

    async fn call(&self, input: Add, _cx: &Context) -> Self::Output {
        Ok(Json(Sum { sum: input.a + input.b }))
    }
}

impl Handler<Echo> for Lab {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Echo, _cx: &Context) -> Self::Output {
        Ok(input.text)
    }
}

impl Handler<Sleep> for Lab {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Sleep, _cx: &Context) -> Self::Output {
        tokio::time::sleep(Duration::from_millis(input.ms)).await;
        Ok(format!("slept {} ms", input.ms))
    }
}

impl Handler<Block> for Lab {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Block, _cx: &Context) -> Self::Output {
        if input.later {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        std::thread::sleep(Duration::from_millis(input.ms));
        Ok(format!("blocked {} ms", input.ms))
    }
}

impl Handler<Panic> for Lab {
    type Output = Result<(), ToolError>;

    async fn call(&self, input: Panic, _cx: &Context) -> Self::Output {
        if input.later {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        panic!("the secret reason")
    }
}

impl Handler<Count> for Lab {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Count, cx: &Context) -> Self::Output {
        for step in 1..=3_i32 {
            if input.slowly {
                tokio::time::sleep(Duration::from_millis(5)).await;
            }
            cx.progress(step.into(), Some(3.0), Some("counting")).await;
            cx.log(LogLevel::Debug, None, "a detail").await;
            cx.log(LogLevel::Info, Some("lab"), json!({"step": step})).await;
        }
        Ok("counted to 3".to_owned())
    }
}

impl Handler<Fail> for Lab {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Fail, _cx: &Context) -> Self::Output {
        Err(ToolError::new("it failed, try something else"))
    }
}

impl Handler<ListNumbers> for Lab {
    type Output = Result<Json<Vec<u32>>, ToolError>;

    async fn call(&self, _input: ListNumbers, _cx: &Context) -> Self::Output {
        Ok(Json(vec![1, 2, 3]))
    }
}

impl Handler<EveryBlock> for Lab {
    type Output = Result<Vec<ContentBlock>, ToolError>;

    async fn call(&self, _input: EveryBlock, _cx: &Context) -> Self::Output {
        Ok(vec![
            ContentBlock::text("a text"),
            ContentBlock::image([0x89, b'P', b'N', b'G'], "image/png"),
            ContentBlock::audio(*b"RIFF", "audio/wav"),
            ContentBlock::resource_link("test://link", "link"),
            ContentBlock::text_resource("test://text", "text/plain", "embedded"),
            ContentBlock::blob_resource("test://blob", "application/octet-stream", [1, 2, 3]),
        ])
    }
}

impl Handler<Nothing> for Lab {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Nothing, _cx: &Context) -> Self::Output {
        Ok(())
    }
}

impl Handler<Print> for Lab {
    type Output = Result<(), ToolError>;

    async fn call(&self, input: Print, _cx: &Context) -> Self::Output {
        println!("{}", input.text);
        Ok(())
    }
}

impl Handler<Afterwards> for Lab {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Afterwards, cx: &Context) -> Self::Output {
        let cx = cx.clone();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_millis(20)).await;
            cx.progress(1.0, None, None).await;
        });
        Ok(())
    }
}

/// A provider with one tool that switches another one on and off, and one that changes prompts and resources.
#[derive(Debug, Clone, Default)]
struct Switchboard(Arc<Switch>);

#[derive(Debug, Default)]
struct Switch {
    on: Mutex<bool>,
    service: Mutex<Option<Service>>,
}

impl Provider for Switchboard {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let (change, toggle) = (<Change as Tool>::definition(), <Toggle as Tool>::definition());
        let extra = ToolDefinition::new("extra", json!({"type": "object", "properties": {}}));
        let on = *self.0.on.lock().unwrap_or_else(PoisonError::into_inner);
        if on { [change, extra, toggle].into() } else { [change, toggle].into() }
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move {
            if request.name == "extra" {
                return ToolResult::text("extra");
            }
            if let Ok(change) = <Change as Toolset>::decode(request.name, request.arguments) {
                return match self.service().map(|service| features::change(&service, &change)) {
                    Some(Ok(true)) => ToolResult::text("changed"),
                    Some(Err(error)) => ToolResult::error(error.to_string()),
                    _ => ToolResult::error("there was nothing to take away"),
                };
            }
            match <Toggle as Toolset>::decode(request.name, request.arguments) {
                Ok(toggle) => self.switch(toggle.on),
                Err(error) => ToolResult::error(error.to_string()),
            }
        })
    }
}

impl Switchboard {
    fn service(&self) -> Option<Service> {
        self.0.service.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn switch(&self, on: bool) -> ToolResult {
        *self.0.on.lock().unwrap_or_else(PoisonError::into_inner) = on;
        match self.service().map(|service| service.refresh_tools()) {
            Some(Err(error)) => ToolResult::error(error.to_string()),
            _ => ToolResult::text(if on { "on" } else { "off" }),
        }
    }
}

/// The server under test.
///
/// # Panics
/// If the tools above are invalid.
pub fn service(limits: Limits) -> Service {
    build(features::offered(Server::new(Lab)), limits)
}

/// The same server with tools only.
///
/// # Panics
/// If the tools above are invalid.
pub fn plain(limits: Limits) -> Service {
    build(Server::new(Lab), limits)
}

fn build(server: Server<Lab>, limits: Limits) -> Service {
    let switchboard = Switchboard::default();
    let service = server
        .tools::<LabTools>()
        .provider(switchboard.clone())
        .limits(limits)
        .build()
        .expect("the tools of the lab are right");
    *switchboard.0.service.lock().unwrap_or_else(PoisonError::into_inner) = Some(service.clone());
    service
}
