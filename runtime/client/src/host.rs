//! The side of the client that the server sees: what it says, and what it asks.

use std::borrow::Cow;
use std::fmt;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use serde_json::value::RawValue;
use tokio::sync::{Semaphore, broadcast};
use toolwright_core::protocol::method;

use crate::error::{ClientError, ErrorKind};
use crate::event::{Change, Event};
use crate::message;
use crate::questions::Questions;

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
    room: Arc<Semaphore>,
    /// How often the server said that its list of tools has changed.
    tools_epoch: AtomicU64,
    /// What those who have subscribed hear.
    subscribers: broadcast::Sender<Change>,
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

    pub(crate) fn new(server: &str, questions: Questions, on_event: Option<Box<OnEvent>>) -> Self {
        Self {
            server: server.into(),
            questions,
            on_event,
            room: Arc::new(Semaphore::new(MAX_ASKED)),
            tools_epoch: AtomicU64::new(0),
            subscribers: broadcast::Sender::new(MAX_UNHEARD),
        }
    }

    /// Tells the program something.
    pub(crate) fn tell(&self, event: Event) {
        if self.subscribers.receiver_count() > 0
            && let Some(change) = Change::of_event(&event)
        {
            // It fails where the last one has just left.
            _ = self.subscribers.send(change);
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
        self.subscribers.subscribe()
    }

    /// Whether anybody answers what the server asks.
    #[cfg(feature = "http")]
    pub(crate) fn is_attentive(&self) -> bool {
        !self.questions.capabilities().is_empty()
    }

    /// Takes a notification.
    pub(crate) fn notified(&self, method: &str, params: &str) {
        if method == method::TOOLS_LIST_CHANGED {
            self.tools_epoch.fetch_add(1, Ordering::Relaxed);
        }
        if self.on_event.is_some() || self.subscribers.receiver_count() > 0 {
            self.tell(Event::of_notification(method, params));
        }
    }

    pub(crate) fn tools_epoch(&self) -> u64 {
        self.tools_epoch.load(Ordering::Relaxed)
    }

    /// Takes a request of the server, and gives the answer to `answer`, at once or later.
    pub(crate) fn asked(
        self: &Arc<Self>,
        id: &RawValue,
        method: &str,
        params: Option<&RawValue>,
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
        tokio::spawn(async move {
            let _room = room;
            answer(match host.questions.answer(&method, &params).await {
                Ok(result) => message::response(&id, &result),
                Err(refusal) => message::response_error(&id, refusal.code, &refusal.message),
            });
        });
    }
}

/// A future that handlers return.
pub(crate) type Boxed<T> = Pin<Box<dyn Future<Output = T> + Send>>;
