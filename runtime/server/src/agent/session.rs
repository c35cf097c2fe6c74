//! A conversation: messages in; responses and trace events out, each in order.

use std::sync::Arc;

use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ask::{Agent, AgentError, TraceEvent};
use super::message::AgentMessage;
use crate::context::Context;

/// The capacity of a session's queues of messages and of responses.
const QUEUE: usize = 64;

/// The number of trace events that wait for their reader; beyond that, the oldest are dropped.
const TRACE_QUEUE: usize = 1_024;

/// A conversation with an [`Agent`]. Messages are handled one at a time, in the order in which they were sent;
/// sessions run concurrently. Dropping the session cancels the current call.
#[derive(Debug)]
pub struct Session {
    input: SessionInput,
    output: mpsc::Receiver<Result<AgentMessage, AgentError>>,
    trace: broadcast::Receiver<TraceEvent>,
    _stop: DropGuard,
}

/// Sends messages to a session. Cheap to clone, for several senders.
#[derive(Debug, Clone)]
pub struct SessionInput(mpsc::Sender<String>);

/// The session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
pub struct SessionClosed;

impl Session {
    /// Starts a session.
    ///
    /// # Panics
    /// Outside of a tokio runtime.
    pub fn open(agent: Arc<Agent>) -> Self {
        let (input, messages) = mpsc::channel(QUEUE);
        let (answers, output) = mpsc::channel(QUEUE);
        let (events, trace) = broadcast::channel(TRACE_QUEUE);
        let stop = CancellationToken::new();
        let stopped = stop.clone();
        tokio::spawn(
            async move { stopped.run_until_cancelled(serve(&agent, messages, answers, events)).await },
        );
        Self { input: SessionInput(input), output, trace, _stop: stop.drop_guard() }
    }

    /// Returns a handle for another sender.
    pub fn input(&self) -> SessionInput {
        self.input.clone()
    }

    /// Sends a message; see [`SessionInput::send`].
    ///
    /// # Errors
    /// [`SessionClosed`].
    pub async fn send(&self, text: impl Into<String>) -> Result<(), SessionClosed> {
        self.input.send(text).await
    }

    /// Returns the next response or error: one per message, in order.
    ///
    /// # Errors
    /// The error of the corresponding message.
    pub async fn next(&mut self) -> Option<Result<AgentMessage, AgentError>> {
        self.output.recv().await
    }

    /// Returns the next trace event. If no one reads them, only the latest 1,024 are kept.
    pub async fn next_event(&mut self) -> Option<TraceEvent> {
        loop {
            match self.trace.recv().await {
                Ok(event) => return Some(event),
                Err(broadcast::error::RecvError::Lagged(_)) => {}
                Err(broadcast::error::RecvError::Closed) => return None,
            }
        }
    }
}

impl SessionInput {
    /// Sends a message. Waits while 64 messages are queued.
    ///
    /// # Errors
    /// [`SessionClosed`] if the session was dropped.
    pub async fn send(&self, text: impl Into<String>) -> Result<(), SessionClosed> {
        self.0.send(text.into()).await.map_err(|_| SessionClosed)
    }
}

async fn serve(
    agent: &Agent,
    mut messages: mpsc::Receiver<String>,
    answers: mpsc::Sender<Result<AgentMessage, AgentError>>,
    events: broadcast::Sender<TraceEvent>,
) {
    while let Some(text) = messages.recv().await {
        let turn = agent.ask(&text, &Context::detached(agent.call_timeout())).await;
        for event in turn.trace {
            // Sending fails if no one reads the trace, which is fine.
            let _ = events.send(event);
        }
        if answers.send(turn.outcome).await.is_err() {
            return;
        }
    }
}
