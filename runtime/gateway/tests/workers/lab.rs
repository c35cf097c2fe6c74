//! A service whose tools have effects that are counted.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::protocol::error;
use toolwright_core::result::ToolResult;
use toolwright_server::auth::Access;
use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, Service, ToolRequest};

/// What the tools have done.
#[derive(Clone, Default)]
pub(crate) struct Ledger(Arc<State>);

#[derive(Default)]
struct State {
    effects: Mutex<Vec<String>>,
    running: AtomicUsize,
    most: AtomicUsize,
    stopped: AtomicUsize,
}

impl Ledger {
    /// The effects so far, in order.
    pub(crate) fn effects(&self) -> Vec<String> {
        self.0.effects.lock().unwrap().clone()
    }

    /// How many calls ran at a time, at most.
    pub(crate) fn most(&self) -> usize {
        self.0.most.load(Ordering::SeqCst)
    }

    /// How many calls run.
    pub(crate) fn running(&self) -> usize {
        self.0.running.load(Ordering::SeqCst)
    }

    /// How many were stopped before their end.
    pub(crate) fn stopped(&self) -> usize {
        self.0.stopped.load(Ordering::SeqCst)
    }

    /// The service, with the tools `count`, `slow`, `fail`, `panic` and `meta`.
    pub(crate) fn service(&self) -> Service {
        Server::new(()).provider(self.clone()).build().unwrap()
    }

    async fn run(&self, name: &str, arguments: Value, cx: &Context) -> Outcome {
        let running = Busy::new(&self.0);
        match name {
            "count" => self.0.effects.lock().unwrap().push(arguments.to_string()),
            "slow" => {
                self.0.effects.lock().unwrap().push(arguments.to_string());
                let pause = Duration::from_millis(arguments["ms"].as_u64().unwrap_or(1));
                for step in 1..=4_u32 {
                    cx.progress(f64::from(step), Some(4.0), Some("working")).await;
                    tokio::time::sleep(pause / 4).await;
                }
            }
            "fail" => return error::invalid_params("no such thing").into(),
            "meta" => return running.done(&cx.meta().to_string()),
            _ => panic!("as it was asked to"),
        }
        running.done("done")
    }
}

impl Provider for Ledger {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        ["count", "slow", "fail", "panic", "meta"]
            .map(|name| ToolDefinition::new(name, json!({"type": "object"})))
            .into()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let arguments = request.arguments.map(|text| serde_json::from_str(text.get()).unwrap());
        let name = request.name.to_owned();
        Box::pin(async move { self.run(&name, arguments.unwrap_or_default(), cx).await })
    }
}

/// A call that runs.
struct Busy<'a>(&'a State, bool);

impl<'a> Busy<'a> {
    fn new(state: &'a State) -> Self {
        let running = state.running.fetch_add(1, Ordering::SeqCst) + 1;
        state.most.fetch_max(running, Ordering::SeqCst);
        Self(state, false)
    }

    fn done(mut self, text: &str) -> Outcome {
        self.1 = true;
        ToolResult::text(text).into()
    }
}

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.running.fetch_sub(1, Ordering::SeqCst);
        if !self.1 {
            self.0.stopped.fetch_add(1, Ordering::SeqCst);
        }
    }
}
