//! Events of legacy sessions in Redis.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{LazyLock, Mutex, PoisonError};
use std::time::Duration;

use bytes::Bytes;
use redis::Script;
use tokio::time::Instant;
use toolwright_server::BoxFuture;
use toolwright_server::transport::http::{EventLimits, EventStore, EventStoreError, StoredEvent};

use super::connection::{Connection, RedisError, ScriptError, script};
use crate::hex::sha256;

/// How long an event may take to be stored before it is discarded, since its stream waits for it: 1 second.
const APPEND_TIMEOUT: Duration = Duration::from_secs(1);
/// How long events are discarded after that without another attempt: 5 seconds.
const PAUSE: Duration = Duration::from_secs(5);

static APPEND: LazyLock<Script> = script!("ledger", "event_append");
static AFTER: LazyLock<Script> = script!("event_after");
static FORGET: LazyLock<Script> = script!("ledger", "event_forget");

/// Stores the events of legacy sessions in Redis instead of the memory of a server, within [`EventLimits`], which apply to
/// all servers on the same database together. Requires the feature
/// `redis`.
///
/// Sessions themselves stay in the process that opened them, so a load balancer has to route by the header
/// `Mcp-Session-Id`. Session ids are secret, so keys contain only their digests.
///
/// If Redis is unavailable, events are sent but not stored: the first one waits for 1 second, those of the following
/// 5 seconds do not wait. [`RedisEvents::discarded`] counts them. Clients that reconnect are told to try again.
///
/// ```no_run
/// use toolwright_gateway::redis::RedisEvents;
/// use toolwright_server::HttpConfig;
///
/// # async fn example() -> Result<(), Box<dyn std::error::Error>> {
/// let events = RedisEvents::connect("redis://server:PASSWORD@127.0.0.1:6379").await?;
/// let config = HttpConfig::new().event_store(events);
/// # drop(config);
/// # Ok(())
/// # }
/// ```
pub struct RedisEvents {
    connection: Connection,
    limits: EventLimits,
    /// Until when events are discarded.
    paused: Mutex<Option<Instant>>,
    discarded: AtomicU64,
}

impl RedisEvents {
    /// Connects to the server at a URL such as `redis://user:password@host:6379/0`, with the default limits. Must be
    /// called within a tokio runtime.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect(url: &str) -> Result<Self, RedisError> {
        Self::connect_with(url, EventLimits::default()).await
    }

    /// The same with other limits; all servers should use the same ones.
    ///
    /// # Errors
    /// [`RedisError`].
    pub async fn connect_with(url: &str, limits: EventLimits) -> Result<Self, RedisError> {
        let connection = Connection::open(url).await?;
        Ok(Self { connection, limits, paused: Mutex::default(), discarded: AtomicU64::new(0) })
    }

    /// Returns the number of events that could not be stored because Redis was unavailable.
    pub fn discarded(&self) -> u64 {
        self.discarded.load(Ordering::Relaxed)
    }

    fn is_paused(&self) -> bool {
        let paused = *self.paused.lock().unwrap_or_else(PoisonError::into_inner);
        paused.is_some_and(|ends| ends > Instant::now())
    }

    async fn keep(&self, session: &str, event: StoredEvent) {
        // Messages are JSON, so they are UTF-8.
        let Ok(message) = std::str::from_utf8(&event.message) else { return };
        if !self.is_paused() {
            let EventLimits { max_session_bytes, max_session_events, max_bytes, .. } = self.limits;
            let args = [
                name_of(session),
                event.stream.to_string(),
                event.sequence.to_string(),
                message.to_owned(),
                self.max_age(),
                max_session_bytes.to_string(),
                max_session_events.to_string(),
                max_bytes.to_string(),
            ];
            let args = args.each_ref().map(String::as_str);
            let stored = tokio::time::timeout(APPEND_TIMEOUT, self.connection.run::<String>(&APPEND, &args));
            if matches!(stored.await, Ok(Ok(_))) {
                return;
            }
            let ends = Instant::now() + PAUSE;
            *self.paused.lock().unwrap_or_else(PoisonError::into_inner) = Some(ends);
        }
        self.discarded.fetch_add(1, Ordering::Relaxed);
    }

    async fn replay(
        &self,
        session: &str,
        stream: u64,
        sequence: u64,
    ) -> Result<Option<Vec<StoredEvent>>, EventStoreError> {
        let args = [name_of(session), stream.to_string(), sequence.to_string(), self.max_age()];
        let args = args.each_ref().map(String::as_str);
        let answer: Result<Vec<String>, ScriptError> = self.connection.run(&AFTER, &args).await;
        let answer = answer.map_err(|error| {
            EventStoreError::new(format!("Redis cannot be reached: {}", error.into_reason()))
        })?;
        if answer.is_empty() {
            return Ok(None);
        }
        let (mut events, mut rest) = (Vec::with_capacity(answer.len() / 2), answer.into_iter());
        while let (Some(number), Some(message)) = (rest.next(), rest.next()) {
            let number = number.parse();
            let number: u64 = number.map_err(|_| EventStoreError::new("what it has kept cannot be read"))?;
            if number > sequence {
                events.push(StoredEvent { stream, sequence: number, message: Bytes::from(message) });
            }
        }
        Ok(Some(events))
    }

    fn max_age(&self) -> String {
        self.limits.max_age.as_millis().clamp(1, 1 << 52).to_string()
    }
}

/// The name of a session in keys.
fn name_of(session: &str) -> String {
    sha256(session.as_bytes())
}

impl EventStore for RedisEvents {
    fn append<'a>(&'a self, session: &'a str, event: StoredEvent) -> BoxFuture<'a, ()> {
        Box::pin(self.keep(session, event))
    }

    fn after<'a>(
        &'a self,
        session: &'a str,
        stream: u64,
        sequence: u64,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredEvent>>, EventStoreError>> {
        Box::pin(self.replay(session, stream, sequence))
    }

    fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
        Box::pin(async move {
            // What is left expires.
            _ = self.connection.run::<String>(&FORGET, &[&name_of(session)]).await;
        })
    }
}

impl fmt::Debug for RedisEvents {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisEvents").field("limits", &self.limits).finish_non_exhaustive()
    }
}
