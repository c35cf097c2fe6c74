//! A pool with one connection per server.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError};

use tokio::sync::Mutex;
use toolwright_core::result::ToolResult;

use super::backend::{Arguments, CallError, Connection, Connector, ServerAddress};
use crate::value::{McpTool, ToolType};

/// The connections of a toolbox: at most one for each server.
pub(super) struct Pool {
    connector: Option<Arc<dyn Connector>>,
    slots: std::sync::Mutex<HashMap<ServerAddress, Arc<Slot>>>,
}

/// The slot of one connection.
#[derive(Default)]
struct Slot {
    /// The number of failed connection attempts.
    failures: AtomicU64,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    connection: Option<Arc<dyn Connection>>,
    /// The error of the last attempt.
    failure: Option<CallError>,
}

impl Pool {
    pub(super) fn new(connector: Option<Arc<dyn Connector>>) -> Self {
        Self { connector, slots: std::sync::Mutex::default() }
    }

    /// Calls a tool over the existing connection or a new one.
    pub(super) async fn call(&self, tool: &McpTool, arguments: Arguments) -> Result<ToolResult, CallError> {
        let Some(connector) = &self.connector else { return Err(CallError::NoRunner(ToolType::Mcp)) };
        let server = ServerAddress::of(tool);
        let slot = self.slot(&server);
        let connection = slot.connection(&**connector, &server).await?;
        let result = connection.call(&tool.tool_name, arguments).await;
        if let Err(CallError::Disconnected(_)) = &result {
            slot.discard(&connection).await;
        }
        result
    }

    pub(super) async fn close(&self) {
        let slots: Vec<Arc<Slot>> =
            self.slots.lock().unwrap_or_else(PoisonError::into_inner).values().cloned().collect();
        for slot in slots {
            let connection = slot.state.lock().await.connection.take();
            if let Some(connection) = connection {
                connection.close().await;
            }
        }
    }

    fn slot(&self, server: &ServerAddress) -> Arc<Slot> {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(slot) = slots.get(server) {
            return slot.clone();
        }
        slots.entry(server.clone()).or_default().clone()
    }
}

impl Slot {
    /// Returns the connection; calls that arrive while it is being opened wait for it.
    async fn connection(
        &self,
        connector: &dyn Connector,
        server: &ServerAddress,
    ) -> Result<Arc<dyn Connection>, CallError> {
        let failures = self.failures.load(Ordering::Acquire);
        let mut state = self.state.lock().await;
        if let Some(connection) = &state.connection {
            return Ok(connection.clone());
        }
        // Callers that waited for a failed attempt do not retry: a dead server is contacted once, not once per
        // call.
        if failures != self.failures.load(Ordering::Acquire)
            && let Some(failure) = &state.failure
        {
            return Err(failure.clone());
        }
        match connector.connect(server).await {
            Ok(connection) => {
                state.connection = Some(connection.clone());
                state.failure = None;
                Ok(connection)
            }
            Err(failure) => {
                state.failure = Some(failure.clone());
                self.failures.fetch_add(1, Ordering::AcqRel);
                Err(failure)
            }
        }
    }

    /// Discards a broken connection, unless another call has already opened a new one.
    async fn discard(&self, broken: &Arc<dyn Connection>) {
        let mut state = self.state.lock().await;
        if state.connection.as_ref().is_some_and(|connection| Arc::ptr_eq(connection, broken)) {
            state.connection = None;
        }
    }
}
