//! Tools that the protocol tests do not need: names and parameters in headers, and a call that never ends by itself.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use serde_json::json;
use toolwright::auth::Access;
use toolwright::{
    BoxFuture, Context, Limits, Prompt, Provider, Server, Service, ToolResult,
    definition::ToolDefinition,
    provider::{Outcome, ToolRequest},
};

/// A provider that counts its endless calls.
#[derive(Debug, Clone, Default)]
pub struct Probes(Arc<Counts>);

#[derive(Debug, Default)]
struct Counts {
    started: AtomicUsize,
    ended: AtomicUsize,
}

impl Probes {
    /// A server of these tools.
    ///
    /// # Panics
    /// If the tools are at fault.
    pub fn service(&self, limits: Limits) -> Service {
        // Names of prompts may hold anything.
        Server::new(())
            .provider(self.clone())
            .prompt(Prompt::new("größe"), async || "größe")
            .prompt(Prompt::new("=?base64?x?="), async || "text")
            .limits(limits)
            .build()
            .expect("the probes are right")
    }

    /// Waits until this many calls of `wait` have started.
    ///
    /// # Panics
    /// If they do not within some seconds.
    pub fn await_started(&self, count: usize) {
        await_count(&self.0.started, count);
    }

    /// Waits until this many calls of `wait` have ended.
    ///
    /// # Panics
    /// As [`Probes::await_started`].
    pub fn await_ended(&self, count: usize) {
        await_count(&self.0.ended, count);
    }

    /// The number of calls of `wait` that have ended.
    pub fn ended(&self) -> usize {
        self.0.ended.load(Ordering::SeqCst)
    }
}

fn await_count(counter: &AtomicUsize, count: usize) {
    let start = Instant::now();
    while counter.load(Ordering::SeqCst) < count {
        assert!(start.elapsed() < Duration::from_secs(10), "it did not happen");
        std::thread::sleep(Duration::from_millis(2));
    }
}

impl Provider for Probes {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        let plain = json!({"type": "object", "properties": {}});
        let regional = json!({"type": "object", "properties": {
            "region": {"type": "string", "x-mcp-header": "Region"},
            "page": {"type": "object", "properties": {"size": {"type": "integer", "x-mcp-header": "Page-Size"}}},
        }});
        [ToolDefinition::new("regional", regional), ToolDefinition::new("wait", plain)].into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Outcome::from_future(async move {
            if request.name == "wait" {
                self.0.started.fetch_add(1, Ordering::SeqCst);
                let _ended = Ended(&self.0.ended);
                cx.progress(1.0, None, None).await;
                std::future::pending::<()>().await;
            }
            ToolResult::text(request.name)
        })
    }
}

struct Ended<'a>(&'a AtomicUsize);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}
