//! Tools whose calls a test controls, step by step.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::json;
use tokio::sync::{Mutex, mpsc};
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Limits, Provider, Server, Service, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

/// A call's next step.
#[derive(Debug)]
enum Step {
    Report(String),
    Close,
    Answer(String),
}

/// Tools whose calls a test controls; one call at a time of each.
#[derive(Debug, Clone)]
struct ScriptedTools(Arc<BTreeMap<&'static str, Mutex<mpsc::UnboundedReceiver<Step>>>>);

/// Controls the calls of one tool.
#[derive(Debug, Clone)]
pub struct Controller(mpsc::UnboundedSender<Step>);

/// Creates a server with one tool for each of these names, and a controller for each tool.
///
/// # Panics
/// If a name is invalid.
pub fn scripted_server<const N: usize>(
    names: [&'static str; N],
    limits: Limits,
) -> (Service, [Controller; N]) {
    let mut receivers = BTreeMap::new();
    let controllers = names.map(|name| {
        let (sender, receiver) = mpsc::unbounded_channel();
        receivers.insert(name, Mutex::new(receiver));
        Controller(sender)
    });
    let tools = ScriptedTools(Arc::new(receivers));
    (Server::new(()).provider(tools).limits(limits).build().expect("the names are valid"), controllers)
}

impl Controller {
    /// Makes the call report progress with this message.
    pub fn report(&self, text: impl Into<String>) {
        self.step(Step::Report(text.into()));
    }

    /// Makes the call close its stream.
    pub fn close(&self) {
        self.step(Step::Close);
    }

    /// Makes the call return this text.
    pub fn answer(&self, text: impl Into<String>) {
        self.step(Step::Answer(text.into()));
    }

    fn step(&self, step: Step) {
        self.0.send(step).expect("the server is there");
    }
}

impl Provider for ScriptedTools {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let schema = json!({"type": "object", "properties": {}});
        self.0.keys().map(|name| ToolDefinition::new(*name, schema.clone())).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move {
            let mut steps = self.0[request.name].lock().await;
            let mut progress = 0.0;
            while let Some(step) = steps.recv().await {
                match step {
                    Step::Report(text) => {
                        progress += 1.0;
                        cx.progress(progress, None, Some(&text)).await;
                    }
                    Step::Close => cx.close_stream(),
                    Step::Answer(text) => return ToolResult::text(text),
                }
            }
            ToolResult::error("the test is over")
        })
    }
}
