//! A conversation: messages in, answers out, and the trace, each in order.

use std::sync::Arc;

use tokio::sync::{broadcast, mpsc};
use tokio_util::sync::{CancellationToken, DropGuard};

use super::ask::{Agent, AgentError, TraceEvent};
use super::message::AgentMessage;
use crate::context::Context;

/// How many messages, and how many answers, may wait in a session.
const QUEUE: usize = 64;

/// How many steps of the trace wait for their reader; older ones are dropped then.
const TRACE_QUEUE: usize = 1_024;

/// A conversation with an [`Agent`]. Messages are answered one after the other, in the order in which they were sent;
/// sessions run beside each other. Dropping the session cancels the call that runs.
#[derive(Debug)]
pub struct Session {
    input: SessionInput,
    output: mpsc::Receiver<Result<AgentMessage, AgentError>>,
    trace: broadcast::Receiver<TraceEvent>,
    _stop: DropGuard,
}

/// The way into a session. Cheap to clone, for several senders.
#[derive(Debug, Clone)]
pub struct SessionInput(mpsc::Sender<String>);

/// The session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the session has ended")]
pub struct SessionClosed;

impl Session {
    /// Starts a session. Needs a tokio runtime.
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

    /// A way into the session for another sender.
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

    /// The next answer, or the error in its place: one for each message, in order.
    ///
    /// # Errors
    /// What the message of this place failed with.
    pub async fn next(&mut self) -> Option<Result<AgentMessage, AgentError>> {
        self.output.recv().await
    }

    /// The next step of the trace. Where nobody reads it for a thousand steps, the oldest are skipped.
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
    /// Sends a message. Waits while 64 messages wait already.
    ///
    /// # Errors
    /// [`SessionClosed`] where the session was dropped.
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
            // Fails where nobody reads the trace, which is nobody's loss.
            let _ = events.send(event);
        }
        if answers.send(turn.outcome).await.is_err() {
            return;
        }
    }
}
