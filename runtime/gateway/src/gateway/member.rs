//! An upstream server of a gateway.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::watch;
use tokio::task::AbortHandle;
use tokio::time::sleep;
use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ClientError};

use super::Shared;
use crate::proxy::Proxy;

/// The delay after the first failed connection attempt; it doubles up to [`MAX_PAUSE`].
const PAUSE: Duration = Duration::from_secs(1);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How long the calls of a removed server may continue.
const DRAIN: Duration = Duration::from_secs(30);
/// The polling interval for the end of these calls.
const DRAIN_STEP: Duration = Duration::from_millis(100);

/// The state of an upstream server.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum UpstreamState {
    /// Connecting for the first time.
    Connecting,
    /// Connected, and its lists are known.
    Up,
    /// The last attempt to connect failed, for this reason; it will be retried.
    Failed(String),
}

/// A server, and the task that connects to it.
pub(super) struct Member {
    spec: ServerSpec,
    client: Client,
    state: watch::Sender<State>,
    connecting: AbortHandle,
}

#[derive(Clone)]
enum State {
    Connecting,
    Up(Arc<Proxy>),
    Failed(ClientError),
}

impl Member {
    /// Starts connecting.
    pub(super) fn start(spec: ServerSpec, client: Client, gateway: Weak<Shared>) -> Self {
        let state = watch::Sender::new(State::Connecting);
        let task = connect(client.clone(), spec.name.clone(), state.clone(), gateway);
        let connecting = tokio::spawn(task).abort_handle();
        Self { spec, client, state, connecting }
    }

    pub(super) fn name(&self) -> &str {
        &self.spec.name
    }

    pub(super) fn spec(&self) -> &ServerSpec {
        &self.spec
    }

    pub(super) fn state(&self) -> UpstreamState {
        match &*self.state.borrow() {
            State::Connecting => UpstreamState::Connecting,
            State::Up(_) => UpstreamState::Up,
            State::Failed(error) => UpstreamState::Failed(error.to_string()),
        }
    }

    /// Returns the server, if it is connected.
    pub(super) fn proxy(&self) -> Option<Arc<Proxy>> {
        match &*self.state.borrow() {
            State::Up(proxy) => Some(Arc::clone(proxy)),
            _ => None,
        }
    }

    /// Waits for the first attempt to connect, and returns its error.
    pub(super) async fn first_attempt(&self) -> Option<ClientError> {
        let mut state = self.state.subscribe();
        match state.wait_for(|state| !matches!(state, State::Connecting)).await.ok().as_deref() {
            Some(State::Failed(error)) => Some(error.clone()),
            _ => None,
        }
    }

    /// Closes the connection as soon as its calls have ended.
    pub(super) fn retire(self: &Arc<Self>) {
        self.connecting.abort();
        let member = Arc::clone(self);
        tokio::spawn(async move {
            // The state holds one reference; each running call holds another.
            let mut left = DRAIN;
            while member.proxy().is_some_and(|proxy| Arc::strong_count(&proxy) > 2) && !left.is_zero() {
                sleep(DRAIN_STEP).await;
                left = left.saturating_sub(DRAIN_STEP);
            }
            member.close().await;
        });
    }

    pub(super) async fn close(&self) {
        self.connecting.abort();
        self.client.close().await;
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.connecting.abort();
    }
}

/// Connects, with retries. After that, the client itself restarts a lost server.
async fn connect(client: Client, name: String, state: watch::Sender<State>, gateway: Weak<Shared>) {
    let mut pause = PAUSE;
    loop {
        match Proxy::with_name(client.clone(), Some(name.clone())).await {
            Ok(proxy) => {
                let proxy = Arc::new(proxy);
                state.send_replace(State::Up(Arc::clone(&proxy)));
                if let Some(gateway) = gateway.upgrade() {
                    gateway.on_connected(&name, &proxy);
                }
                return;
            }
            Err(error) => state.send_replace(State::Failed(error)),
        };
        sleep(pause).await;
        pause = MAX_PAUSE.min(pause * 2);
    }
}
