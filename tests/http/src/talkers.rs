//! Calls that follow a test's instructions, step by step.

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
    Say(String),
    Close,
    Answer(String),
}

/// Tools whose calls a test leads; one call at a time of each.
#[derive(Debug, Clone)]
struct Talkers(Arc<BTreeMap<&'static str, Mutex<mpsc::UnboundedReceiver<Step>>>>);

/// Leads the calls of one tool.
#[derive(Debug, Clone)]
pub struct Lead(mpsc::UnboundedSender<Step>);

/// A server with a tool of each of these names, and who leads them.
///
/// # Panics
/// If a name is invalid.
pub fn talkers<const N: usize>(names: [&'static str; N], limits: Limits) -> (Service, [Lead; N]) {
    let mut receivers = BTreeMap::new();
    let leads = names.map(|name| {
        let (sender, receiver) = mpsc::unbounded_channel();
        receivers.insert(name, Mutex::new(receiver));
        Lead(sender)
    });
    let talkers = Talkers(Arc::new(receivers));
    (Server::new(()).provider(talkers).limits(limits).build().expect("the names are right"), leads)
}

impl Lead {
    /// The call reports progress with this message.
    pub fn say(&self, text: impl Into<String>) {
        self.step(Step::Say(text.into()));
    }

    /// The call closes its stream.
    pub fn close(&self) {
        self.step(Step::Close);
    }

    /// The call ends with this text.
    pub fn answer(&self, text: impl Into<String>) {
        self.step(Step::Answer(text.into()));
    }

    fn step(&self, step: Step) {
        self.0.send(step).expect("the server is there");
    }
}

impl Provider for Talkers {
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
                    Step::Say(text) => {
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
