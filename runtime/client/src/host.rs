//! The side of the client that the server sees: what it says, and what it asks.

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

/// How many requests of the server are worked on at once; further ones are refused.
const MAX_CONCURRENT_REQUESTS: usize = 32;

/// How many events wait for a subscriber that does not take them; then it hears that it missed some.
const MAX_PENDING_CHANGES: usize = 256;

type OnEvent = dyn Fn(Event) + Send + Sync;

/// What a server can reach.
pub(crate) struct Host {
    /// How errors name the server.
    pub(crate) server: Arc<str>,
    pub(crate) input: InputHandlers,
    pub(crate) on_event: Option<Box<OnEvent>>,
    /// When the server last waited for an answer.
    pub(crate) pending_input: PendingInput,
    pub(crate) buffers: Buffers,
    permits: Arc<Semaphore>,
    relays: Mutex<ActiveRelays>,
    /// How often the server said that its list of tools has changed.
    tools_epoch: AtomicU64,
    /// Where those who have subscribed get changes; made for the first one, since it has room for all that may wait.
    subscribers: OnceLock<broadcast::Sender<Change>>,
}

impl fmt::Debug for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Host").field("server", &self.server).finish_non_exhaustive()
    }
}

impl Host {
    /// An error about this server; `advice` says what to do next.
    pub(crate) fn error(
        &self,
        kind: ErrorKind,
        problem: impl Into<String>,
        advice: impl Into<Cow<'static, str>>,
    ) -> ClientError {
        ClientError::new(kind, &self.server, problem, advice)
    }

    /// The error of requests that are open when this side closes the connection.
    pub(crate) fn closed_locally(&self) -> ClientError {
        let problem = "the connection was closed by this side";
        self.error(ErrorKind::Lost, problem, "wait for open requests before you close it")
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

    /// Tells the program something.
    pub(crate) fn emit(&self, event: Event) {
        if let Some(subscribers) = self.subscribers()
            && let Some(change) = Change::from_event(&event)
        {
            // It fails where the last one has just left.
            _ = subscribers.send(change);
        }
        if let Some(on_event) = &self.on_event {
            on_event(event);
        }
    }

    /// Tells the program that the server did something odd that is put up with.
    pub(crate) fn warn(&self, text: &str) {
        self.emit(Event::Warning(text.to_owned()));
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.subscribers.get_or_init(|| broadcast::Sender::new(MAX_PENDING_CHANGES)).subscribe()
    }

    /// Those who have subscribed, if anyone has.
    fn subscribers(&self) -> Option<&broadcast::Sender<Change>> {
        self.subscribers.get().filter(|subscribers| subscribers.receiver_count() > 0)
    }

    /// Whether anybody answers what the server asks.
    #[cfg(feature = "http")]
    pub(crate) fn answers_input_requests(&self) -> bool {
        !self.input.capabilities().is_empty()
    }

    /// Takes a notification; `relay` is who relays the request that it came for, where that is known.
    pub(crate) fn handle_notification(&self, method: &str, params: &str, relay: Option<&RelaySender>) {
        if method == method::MESSAGE
            && let Some(relay) = relay.cloned().or_else(|| self.only_relay())
            && let Ok(message) = serde_json::from_str(params)
        {
            // Who does not take log messages misses some.
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

    /// Notes who relays a request, until the guard is dropped.
    pub(crate) fn register_relay(&self, relay: &RelaySender) -> RelayGuard<'_> {
        RelayGuard { host: self, number: self.relays().add(relay.clone()) }
    }

    /// Answers a question of the server; `relay` is who relays the request that it belongs to, where that is known.
    async fn answer(
        &self,
        method: &str,
        params: &str,
        relay: Option<RelaySender>,
    ) -> Result<String, Rejection> {
        let relay = match relay.map_or_else(|| self.relays().active(), ActiveRelay::One) {
            ActiveRelay::None => return self.input.respond(method, params).await,
            ActiveRelay::One(relay) => relay,
            ActiveRelay::Several => {
                self.warn("it asks while several requests are relayed, and does not say for which; refused");
                let message = "several requests are open, and none says that it asks; send one at a time";
                return Err(Rejection { code: -32603, message: message.to_owned() });
            }
        };
        let refused = || Rejection { code: -32603, message: "nobody answers".to_owned() };
        let (question, answered) = RelayedInputRequest::new(method, params);
        relay.try_send(RelayEvent::InputRequest(question)).map_err(|_| refused())?;
        match answered.await {
            Ok(Ok(result)) => Ok(result.get().to_owned()),
            Ok(Err(error)) => Err(Rejection { code: error.code, message: error.message }),
            Err(_) => Err(refused()),
        }
    }

    /// Takes a request of the server, and gives the answer to `answer`, at once or later.
    pub(crate) fn handle_request(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        relay: Option<&RelaySender>,
        answer: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        if method == "ping" {
            return answer(message::response(id, "{}"));
        }
        let Ok(permits) = Arc::clone(&self.permits).try_acquire_owned() else {
            return answer(message::error_response(id, -32603, "the client is busy with other requests"));
        };
        let (host, id, method) = (Arc::clone(self), id.to_owned(), method.to_owned());
        let params = params.map_or_else(|| "{}".to_owned(), |params| params.get().to_owned());
        let relay = relay.cloned();
        host.pending_input.begin();
        tokio::spawn(async move {
            let _permit = permits;
            answer(match host.answer(&method, &params, relay).await {
                Ok(result) => message::response(&id, &result),
                Err(rejection) => message::error_response(&id, rejection.code, &rejection.message),
            });
            host.pending_input.end();
        });
    }
}

/// A request is relayed; ends when this is dropped.
pub(crate) struct RelayGuard<'a> {
    host: &'a Host,
    number: u64,
}

impl Drop for RelayGuard<'_> {
    fn drop(&mut self) {
        self.host.relays().remove(self.number);
    }
}
