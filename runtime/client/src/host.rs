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
use crate::message;
use crate::questions::{Questions, Refusal};
use crate::relay_channel::{Relay, RelayedQuestion, Relays, Sole, Step};
use crate::slot::Asking;

/// How many requests of the server are worked on at once; further ones are refused.
const MAX_ASKED: usize = 32;

/// How many events wait for a subscriber that does not take them; then it hears that it missed some.
const MAX_UNHEARD: usize = 256;

type OnEvent = dyn Fn(Event) + Send + Sync;

/// What a server can reach.
pub(crate) struct Host {
    /// How errors name the server.
    pub(crate) server: Arc<str>,
    pub(crate) questions: Questions,
    pub(crate) on_event: Option<Box<OnEvent>>,
    /// When the server last waited for an answer.
    pub(crate) asking: Asking,
    pub(crate) buffers: Buffers,
    room: Arc<Semaphore>,
    relays: Mutex<Relays>,
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
    pub(crate) fn closed_here(&self) -> ClientError {
        let problem = "the connection was closed by this side";
        self.error(ErrorKind::Lost, problem, "wait for open requests before you close it")
    }

    pub(crate) fn new(server: &str, questions: Questions, on_event: Option<Box<OnEvent>>) -> Self {
        Self {
            server: server.into(),
            questions,
            on_event,
            asking: Asking::default(),
            buffers: Buffers::default(),
            room: Arc::new(Semaphore::new(MAX_ASKED)),
            relays: Mutex::default(),
            tools_epoch: AtomicU64::new(0),
            subscribers: OnceLock::new(),
        }
    }

    /// Tells the program something.
    pub(crate) fn tell(&self, event: Event) {
        if let Some(subscribers) = self.subscribers()
            && let Some(change) = Change::of_event(&event)
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
        self.tell(Event::Warning(text.to_owned()));
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.subscribers.get_or_init(|| broadcast::Sender::new(MAX_UNHEARD)).subscribe()
    }

    /// Those who have subscribed, if anyone has.
    fn subscribers(&self) -> Option<&broadcast::Sender<Change>> {
        self.subscribers.get().filter(|subscribers| subscribers.receiver_count() > 0)
    }

    /// Whether anybody answers what the server asks.
    #[cfg(feature = "http")]
    pub(crate) fn is_attentive(&self) -> bool {
        !self.questions.capabilities().is_empty()
    }

    /// Takes a notification; `relay` is who relays the request that it came for, where that is known.
    pub(crate) fn notified(&self, method: &str, params: &str, relay: Option<&Relay>) {
        if method == method::MESSAGE
            && let Some(relay) = relay.cloned().or_else(|| self.sole_relay())
            && let Ok(message) = serde_json::from_str(params)
        {
            // Who does not take log messages misses some.
            _ = relay.try_send(Step::Log(message));
        }
        if method == method::TOOLS_LIST_CHANGED {
            self.tools_epoch.fetch_add(1, Ordering::Relaxed);
        }
        if self.on_event.is_some() || self.subscribers().is_some() {
            self.tell(Event::of_notification(method, params));
        }
    }

    pub(crate) fn tools_epoch(&self) -> u64 {
        self.tools_epoch.load(Ordering::Relaxed)
    }

    fn relays(&self) -> MutexGuard<'_, Relays> {
        self.relays.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sole_relay(&self) -> Option<Relay> {
        match self.relays().sole() {
            Sole::One(relay) => Some(relay),
            Sole::Nobody | Sole::Many => None,
        }
    }

    /// Notes who relays a request, until the guard is dropped.
    pub(crate) fn relaying(&self, relay: &Relay) -> Relaying<'_> {
        Relaying { host: self, number: self.relays().add(relay.clone()) }
    }

    /// Answers a question of the server; `relay` is who relays the request that it belongs to, where that is known.
    async fn answer(&self, method: &str, params: &str, relay: Option<Relay>) -> Result<String, Refusal> {
        let relay = match relay.map_or_else(|| self.relays().sole(), Sole::One) {
            Sole::Nobody => return self.questions.answer(method, params).await,
            Sole::One(relay) => relay,
            Sole::Many => {
                self.warn("it asks while several requests are relayed, and does not say for which; refused");
                let message = "several requests are open, and none says that it asks; send one at a time";
                return Err(Refusal { code: -32603, message: message.to_owned() });
            }
        };
        let refused = || Refusal { code: -32603, message: "nobody answers".to_owned() };
        let (question, answered) = RelayedQuestion::new(method, params);
        relay.try_send(Step::Asked(question)).map_err(|_| refused())?;
        match answered.await {
            Ok(Ok(result)) => Ok(result.get().to_owned()),
            Ok(Err(error)) => Err(Refusal { code: error.code, message: error.message }),
            Err(_) => Err(refused()),
        }
    }

    /// Takes a request of the server, and gives the answer to `answer`, at once or later.
    pub(crate) fn asked(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
        relay: Option<&Relay>,
        answer: impl FnOnce(Vec<u8>) + Send + 'static,
    ) {
        if method == "ping" {
            return answer(message::response(id, "{}"));
        }
        let Ok(room) = Arc::clone(&self.room).try_acquire_owned() else {
            return answer(message::response_error(id, -32603, "the client is busy with other requests"));
        };
        let (host, id, method) = (Arc::clone(self), id.to_owned(), method.to_owned());
        let params = params.map_or_else(|| "{}".to_owned(), |params| params.get().to_owned());
        let relay = relay.cloned();
        host.asking.begin();
        tokio::spawn(async move {
            let _room = room;
            answer(match host.answer(&method, &params, relay).await {
                Ok(result) => message::response(&id, &result),
                Err(refusal) => message::response_error(&id, refusal.code, &refusal.message),
            });
            host.asking.end();
        });
    }
}

/// A request is relayed; ends when this is dropped.
pub(crate) struct Relaying<'a> {
    host: &'a Host,
    number: u64,
}

impl Drop for Relaying<'_> {
    fn drop(&mut self) {
        self.host.relays().remove(self.number);
    }
}
