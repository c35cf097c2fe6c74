//! Handles what the server sends on its own: requests and notifications.

use std::borrow::Cow;
use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use serde_json::value::RawValue;
use tokio::sync::{Semaphore, broadcast};
use toolwright_core::protocol::method;

use crate::buffers::Buffers;
use crate::error::{ClientError, ErrorKind};
use crate::event::{Change, Event};
use crate::input_requests::{InputHandlers, Rejection};
use crate::message;
use crate::pending::PendingInput;
use crate::relay_channel::{ActiveRelay, ActiveRelays, RelayEvent, RelaySender, RelayedInputRequest};

/// Maximum number of concurrent requests from the server; further ones are rejected.
const MAX_CONCURRENT_REQUESTS: usize = 32;

/// Maximum number of buffered changes per subscriber; one that falls behind is notified of missed changes.
const MAX_PENDING_CHANGES: usize = 256;

type OnEvent = dyn Fn(Event) + Send + Sync;

/// The state that a client shares with its connections: handlers, subscribers and relays.
pub(crate) struct Host {
    /// The name of the server in errors.
    pub(crate) server: Arc<str>,
    pub(crate) input: InputHandlers,
    pub(crate) on_event: Option<Box<OnEvent>>,
    /// The pending input requests, which extend timeouts.
    pub(crate) pending_input: PendingInput,
    pub(crate) buffers: Buffers,
    permits: Arc<Semaphore>,
    relays: Mutex<ActiveRelays>,
    /// Counts the list-changed notifications for tools.
    tools_epoch: AtomicU64,
    /// Sends changes to subscriptions. Created for the first one, since it allocates its buffer.
    subscribers: OnceLock<broadcast::Sender<Change>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Host {
    /// Creates an error about this server. `advice` is what to do next.
    pub(crate) fn error(
        &self,
        kind: ErrorKind,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> ClientError {
        ClientError::new(kind, &self.server, problem, advice)
    }

    /// Returns the error of requests that are pending when the client closes the connection.
    pub(crate) fn closed_locally(&self) -> ClientError {
        let problem = "the connection was closed by the client";
        self.error(ErrorKind::Lost, problem, "wait for pending requests before you close it")
    }

    pub(crate) fn new(server: &str, input: InputHandlers, on_event: Option<Box<OnEvent>>) -> Self {
        Self {
            server: server.into(),
            input,
            on_event,
            pending_input: PendingInput::default(),
            buffers: Buffers::default(),
            permits: Arc::new(Semaphore::new(MAX_CONCURRENT_REQUESTS)),
            relays: Mutex::default(),
            tools_epoch: AtomicU64::new(0),
            subscribers: OnceLock::new(),
        }
    }

    /// Emits an event to the program and its subscriptions.
    pub(crate) fn emit(&self, event: Event) {
        if let Some(subscribers) = self.subscribers()
            && let Some(change) = Change::from_event(&event)
        {
            // It fails if the last subscription has just been dropped.
            _ = subscribers.send(change);
        }
        if let Some(on_event) = &self.on_event {
            on_event(event);
        }
    }

    /// Emits a warning about a violation of the protocol that is tolerated.
    pub(crate) fn warn(&self, text: &str) {
        self.emit(Event::Warning(text.to_owned()));
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.subscribers.get_or_init(|| broadcast::Sender::new(MAX_PENDING_CHANGES)).subscribe()
    }

    /// Returns the sender of changes, if there are subscriptions.
    fn subscribers(&self) -> Option<&broadcast::Sender<Change>> {
        self.subscribers.get().filter(|subscribers| subscribers.receiver_count() > 0)
    }

    /// Returns whether there are handlers of input requests.
    #[cfg(feature = "http")]
    pub(crate) fn answers_input_requests(&self) -> bool {
        !self.input.capabilities().is_empty()
    }

    /// Handles a notification. `relay` is the relay of the request that it belongs to, if known.
    pub(crate) fn handle_notification(&self, method: &str, params: &str, relay: Option<&RelaySender>) {
        if method == method::MESSAGE
            && let Some(relay) = relay.cloned().or_else(|| self.only_relay())
            && let Ok(message) = serde_json::from_str(params)
        {
            // Log messages are dropped if the buffer is full.
            _ = relay.try_send(RelayEvent::Log(message));
        }
        if method == method::TOOLS_LIST_CHANGED {
            self.tools_epoch.fetch_add(1, Ordering::Relaxed);
        }
        if self.on_event.is_some() || self.subscribers().is_some() {
            self.emit(Event::from_notification(method, params));
        }
    }

    pub(crate) fn tools_epoch(&self) -> u64 {
        self.tools_epoch.load(Ordering::Relaxed)
    }

    fn relays(&self) -> MutexGuard<'_, ActiveRelays> {
        self.relays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn only_relay(&self) -> Option<RelaySender> {
        match self.relays().active() {
            ActiveRelay::One(relay) => Some(relay),
            ActiveRelay::None | ActiveRelay::Several => None,
        }
    }

    /// Registers the relay of a request until the guard is dropped.
    pub(crate) fn register_relay(&self, relay: &RelaySender) -> RelayGuard<'_> {
        RelayGuard { host: self, relay_id: self.relays().add(relay.clone()) }
    }

    /// Responds to a request from the server. `relay` is the relay of the request that it belongs to, if known.
    async fn respond(
        &self,
        method: &str,
        params: &str,
        relay: Option<RelaySender>,
    ) -> Result<String, Rejection> {
        let relay = match relay.map_or_else(|| self.relays().active(), ActiveRelay::One) {
            ActiveRelay::None => return self.input.respond(method, params).await,
            ActiveRelay::One(relay) => relay,
            ActiveRelay::Several => {
                self.warn("it sent an input request that may belong to several relayed requests; rejected");
                let message =
                    "several requests are pending, and one of them needs input; send them one at a time";
                return Err(Rejection { code: -32603, message: message.to_owned() });
            }
        };
        let rejection =
            || Rejection { code: -32603, message: "no one responds to input requests".to_owned() };
        let (request, response) = RelayedInputRequest::new(method, params);
        relay.try_send(RelayEvent::InputRequest(request)).map_err(|_| rejection())?;
        match response.await {
            Ok(Ok(result)) => Ok(result.get().to_owned()),
            Ok(Err(error)) => Err(Rejection { code: error.code, message: error.message }),
            Err(_) => Err(rejection()),
        }
    }

    /// Handles a request from the server, and passes the response to `respond`, immediately or later.
    pub(crate) fn handle_request(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        relay: Option<&RelaySender>,
        respond: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        if method == "ping" {
            return respond(message::response(id, "{}"));
        }
        let Ok(permit) = Arc::clone(&self.permits).try_acquire_owned() else {
            return respond(message::error_response(id, -32603, "the client is busy with other requests"));
        };
        let (host, id, method) = (Arc::clone(self), id.to_owned(), method.to_owned());
        let params = params.map_or_else(|| "{}".to_owned(), |params| params.get().to_owned());
        let relay = relay.cloned();
        host.pending_input.begin();
        tokio::spawn(async move {
            let _permit = permit;
            respond(match host.respond(&method, &params, relay).await {
                Ok(result) => message::response(&id, &result),
                Err(rejection) => message::error_response(&id, rejection.code, &rejection.message),
            });
            host.pending_input.end();
        });
    }
}

/// Unregisters the relay of a request on drop.
pub(crate) struct RelayGuard<'a> {
    host: &'a Host,
    relay_id: u64,
}

impl Drop for RelayGuard<'_> {
    fn drop(&mut self) {
        self.host.relays().remove(self.relay_id);
    }
}
