//! The tools: on workers, and on an upstream server.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::result::{ToolError, ToolResult};
use toolwright_gateway::Worker;
use toolwright_gateway::redis::RedisBus;
use toolwright_server::auth::Access;
use toolwright_server::{BoxFuture, Context, Outcome, Provider, Server, Stdio, ToolRequest};

use crate::Failure;
use crate::ledger::Pen;

/// The pool of the workers.
pub(crate) const POOL: &str = "soak";

/// A tool of the clients.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) enum Tool {
    /// On a worker; must not be repeated.
    Charge,
    /// The same, but it takes a while.
    Slow,
    /// On a worker; read-only.
    Look,
    /// On the upstream server of each gateway; must not be repeated.
    Desk,
}

impl Tool {
    /// With the share of calls of each.
    pub(crate) const ALL: [(Self, usize); 4] =
        [(Self::Charge, 65), (Self::Slow, 5), (Self::Look, 20), (Self::Desk, 10)];

    /// The name on its worker or server.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Charge => "charge",
            Self::Slow => "slow",
            Self::Look => "look",
            Self::Desk => "note",
        }
    }

    /// The name at the gateway.
    pub(crate) fn public_name(self) -> &'static str {
        match self {
            Self::Desk => "desk__note",
            other => other.name(),
        }
    }

    pub(crate) fn is_repeatable(self) -> bool {
        self == Self::Look
    }

    pub(crate) fn definition(self) -> Value {
        let key = json!({"type": "object", "properties": {"key": {"type": "integer"}}, "required": ["key"]});
        json!({"name": self.name(), "inputSchema": key, "annotations": {"readOnlyHint": self.is_repeatable()}})
    }
}

/// Writes each call into the ledger.
struct Clerk {
    pen: Pen,
    tools: &'static [Tool],
}

impl Provider for Clerk {
    fn tools(&self, _caller: &Access) -> Arc<[ToolDefinition]> {
        self.tools.iter().filter_map(|tool| serde_json::from_value(tool.definition()).ok()).collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, _cx: &'a Context) -> BoxFuture<'a, Outcome> {
        let is_slow = request.name == Tool::Slow.name();
        let arguments = request.arguments.map(|text| text.get().to_owned()).unwrap_or_default();
        Outcome::from_future(async move {
            let done = self.note(&arguments, is_slow).await;
            done.map_or_else(ToolResult::from, |key| ToolResult::text(format!("done {key}")))
        })
    }
}

impl Clerk {
    /// Records a call and returns its key. A slow call takes a while before and after.
    async fn note(&self, arguments: &str, is_slow: bool) -> Result<u64, ToolError> {
        let arguments: Value = serde_json::from_str(arguments)?;
        let key = arguments["key"].as_u64().ok_or_else(|| ToolError::new("there is no key"))?;
        if is_slow {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        self.pen.write(key)?;
        if is_slow {
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        Ok(key)
    }
}

/// Works until it is killed.
pub(crate) async fn work(redis: &str, ledger: &Path) -> Result<(), Failure> {
    let bus = loop {
        // Redis may be about to start.
        match RedisBus::connect(redis).await {
            Ok(bus) => break bus,
            Err(_) => tokio::time::sleep(Duration::from_millis(100)).await,
        }
    };
    let clerk = Clerk { pen: Pen::open(ledger)?, tools: &[Tool::Charge, Tool::Slow, Tool::Look] };
    Worker::new(Arc::new(bus), POOL, Server::new(()).provider(clerk).build()?).run().await;
    Ok(())
}

/// Serves the tool of the upstream server until its input ends. Its process id is the name of a file in `folder`.
pub(crate) async fn serve(ledger: &Path, folder: &Path) -> Result<(), Failure> {
    let sign = folder.join(std::process::id().to_string());
    std::fs::write(&sign, "")?;
    let clerk = Clerk { pen: Pen::open(ledger)?, tools: &[Tool::Desk] };
    Server::new(()).provider(clerk).build()?.serve(Stdio).await?;
    Ok(std::fs::remove_file(sign)?)
}
