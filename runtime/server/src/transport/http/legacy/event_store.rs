//! Stores the events of legacy sessions' streams, for clients that lost their connection (2025-11-25, basic/transports
//! "Resumability and Redelivery").

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;

use toolwright_core::future::BoxFuture;

/// A message on a stream of a session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredEvent {
    /// The number of its stream, which is unique in the session.
    pub stream: u64,
    /// The event's number, which increases from event to event and is unique in the session.
    pub sequence: u64,
    /// The message as JSON.
    pub message: Bytes,
}

/// Stores the events of legacy sessions, so that a client that lost its connection gets what it missed.
///
/// Events are appended before they are sent, in the order of their numbers on each stream. A store may discard any of
/// them at any time: then they reach the client that is reading the stream at that moment, but cannot be sent again. A slow
/// store blocks its stream. An event that cannot be stored is discarded; if events cannot be read, the client that asks
/// for them is told to try again.
///
/// A session runs in the process that opened it, which is the only one that writes and reads its events: a load balancer
/// has to route by the header `Mcp-Session-Id`.
///
/// Session ids are secret: anyone who knows one can act as its client.
///
/// A store that keeps only short messages:
///
/// ```
/// use toolwright_server::transport::http::{
///     EventStore, EventStoreError, HttpConfig, MemoryEventStore, StoredEvent,
/// };
/// use toolwright_server::BoxFuture;
///
/// #[derive(Default)]
/// struct ShortOnes(MemoryEventStore);
///
/// impl EventStore for ShortOnes {
///     fn append<'a>(&'a self, session: &'a str, event: StoredEvent) -> BoxFuture<'a, ()> {
///         if event.message.len() > 4_096 {
///             return Box::pin(std::future::ready(()));
///         }
///         self.0.append(session, event)
///     }
///
///     fn after<'a>(
///         &'a self,
///         session: &'a str,
///         stream: u64,
///         sequence: u64,
///     ) -> BoxFuture<'a, Result<Option<Vec<StoredEvent>>, EventStoreError>> {
///         self.0.after(session, stream, sequence)
///     }
///
///     fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
///         self.0.forget(session)
///     }
/// }
///
/// let config = HttpConfig::default().event_store(ShortOnes::default());
/// # let _ = config;
/// ```
pub trait EventStore: Send + Sync + 'static {
    /// Stores an event of a session.
    fn append<'a>(&'a self, session: &'a str, event: StoredEvent) -> BoxFuture<'a, ()>;

    /// Returns the stored events of a stream after the one with this number, oldest first. `None` if there are none and
    /// the one with this number is not stored either, so it is unknown what followed it.
    ///
    /// # Errors
    /// The events cannot be read now. The client is answered with 503.
    fn after<'a>(
        &'a self,
        session: &'a str,
        stream: u64,
        sequence: u64,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredEvent>>, EventStoreError>>;

    /// Deletes all events of a session that has ended.
    fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()>;
}

/// Stored events cannot be read. Clients receive the message, so it must not contain secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct EventStoreError(String);

impl EventStoreError {
    /// Creates a temporary error.
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }
}

/// The limits of a [`MemoryEventStore`]. Change individual ones with struct update syntax: `EventLimits { max_events:
/// 100, ..EventLimits::default() }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EventLimits {
    /// The maximum total size of stored messages per session: 1 MiB. The newest message is stored even if it exceeds
    /// the limit alone, since it may be the response that a client reconnects for.
    pub max_session_bytes: usize,
    /// The maximum number of stored events per session: 1,000.
    pub max_session_events: usize,
    /// The maximum total size of stored messages of all sessions: 256 MiB. What does not fit is not stored.
    pub max_bytes: usize,
    /// How long an event is stored: 5 minutes.
    pub max_age: Duration,
}

impl Default for EventLimits {
    fn default() -> Self {
        Self {
            max_session_bytes: 1 << 20,
            max_session_events: 1_000,
            max_bytes: 256 << 20,
            max_age: Duration::from_mins(5),
        }
    }
}

/// Stores events in memory, within [`EventLimits`]: the default. The oldest events are evicted first.
#[derive(Debug, Default)]
pub struct MemoryEventStore {
    limits: EventLimits,
    logs: Mutex<Logs>,
}

#[derive(Default)]
struct Logs {
    /// Only sessions with stored events.
    by_session: HashMap<Box<str>, Log>,
    bytes: usize,
    /// When expired events were last removed.
    swept: Option<Instant>,
}

/// The events of one session.
#[derive(Default)]
struct Log {
    events: VecDeque<(Instant, StoredEvent)>,
    bytes: usize,
}

impl MemoryEventStore {
    /// Creates a store with these limits.
    pub fn new(limits: EventLimits) -> Self {
        Self { limits, logs: Mutex::default() }
    }

    fn keep(&self, session: &str, event: StoredEvent) {
        let (now, length) = (Instant::now(), event.message.len());
        let mut logs = self.logs();
        // Idle sessions have to be cleaned up as well, but not on every call.
        let is_due = |swept: Instant| now.duration_since(swept) > self.limits.max_age / 4;
        if logs.swept.is_none_or(is_due) {
            logs.sweep(now, self.limits.max_age);
        }
        let logs = &mut *logs;
        // Looked up first, to avoid allocating an existing key.
        if !logs.by_session.contains_key(session) {
            logs.by_session.insert(session.into(), Log::default());
        }
        let Some(log) = logs.by_session.get_mut(session) else { return };
        let before = log.bytes;
        log.events.push_back((now, event));
        log.bytes += length;
        while log.events.len() > 1
            && (log.bytes > self.limits.max_session_bytes
                || log.events.len() > self.limits.max_session_events
                || logs.bytes - before + log.bytes > self.limits.max_bytes)
        {
            log.drop_oldest();
        }
        if logs.bytes - before + log.bytes > self.limits.max_bytes {
            log.drop_oldest();
        }
        logs.bytes = logs.bytes - before + log.bytes;
        if log.events.is_empty() {
            logs.by_session.remove(session);
        }
    }

    fn replay(&self, session: &str, stream: u64, sequence: u64) -> Option<Vec<StoredEvent>> {
        let now = Instant::now();
        let logs = self.logs();
        let of_stream: Vec<_> = logs
            .by_session
            .get(session)?
            .events
            .iter()
            .filter(|(at, _)| now.duration_since(*at) <= self.limits.max_age)
            .map(|(_, event)| event)
            .filter(|event| event.stream == stream && event.sequence >= sequence)
            .cloned()
            .collect();
        if of_stream.is_empty() {
            return None;
        }
        Some(of_stream.into_iter().filter(|event| event.sequence > sequence).collect())
    }

    fn logs(&self) -> MutexGuard<'_, Logs> {
        self.logs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EventStore for MemoryEventStore {
    fn append<'a>(&'a self, session: &'a str, event: StoredEvent) -> BoxFuture<'a, ()> {
        self.keep(session, event);
        Box::pin(std::future::ready(()))
    }

    fn after<'a>(
        &'a self,
        session: &'a str,
        stream: u64,
        sequence: u64,
    ) -> BoxFuture<'a, Result<Option<Vec<StoredEvent>>, EventStoreError>> {
        Box::pin(std::future::ready(Ok(self.replay(session, stream, sequence))))
    }

    fn forget<'a>(&'a self, session: &'a str) -> BoxFuture<'a, ()> {
        let mut logs = self.logs();
        if let Some(log) = logs.by_session.remove(session) {
            logs.bytes -= log.bytes;
        }
        Box::pin(std::future::ready(()))
    }
}

impl Logs {
    /// Removes expired events.
    fn sweep(&mut self, now: Instant, max_age: Duration) {
        self.swept = Some(now);
        self.by_session.retain(|_, log| {
            let before = log.bytes;
            while log.events.front().is_some_and(|(at, _)| now.duration_since(*at) > max_age) {
                log.drop_oldest();
            }
            self.bytes -= before - log.bytes;
            !log.events.is_empty()
        });
    }
}

impl Log {
    fn drop_oldest(&mut self) {
        if let Some((_, event)) = self.events.pop_front() {
            self.bytes -= event.message.len();
        }
    }
}

impl fmt::Debug for Logs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The keys are secret.
        f.debug_struct("Logs").field("sessions", &self.by_session.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use bytes::Bytes;

    use super::{EventLimits, MemoryEventStore, StoredEvent};

    fn keep(store: &MemoryEventStore, session: &str, stream: u64, sequence: u64, length: usize) {
        let message = Bytes::from(vec![b' '; length]);
        store.keep(session, StoredEvent { stream, sequence, message });
    }

    fn after(store: &MemoryEventStore, session: &str, stream: u64, sequence: u64) -> Option<Vec<u64>> {
        let events = store.replay(session, stream, sequence)?;
        Some(events.iter().map(|event| event.sequence).collect())
    }

    /// The total size of stored messages, and the number of sessions.
    fn size(store: &MemoryEventStore) -> (usize, usize) {
        let logs = store.logs();
        (logs.bytes, logs.by_session.len())
    }

    #[test]
    fn later_events_belong_to_the_same_stream_and_session() {
        let store = MemoryEventStore::default();
        for (session, stream, sequence) in
            [("a", 1, 2), ("a", 2, 3), ("a", 1, 4), ("a", 1, 5), ("b", 1, 3), ("b", 1, 6)]
        {
            keep(&store, session, stream, sequence, 10);
        }
        assert_eq!(after(&store, "a", 1, 2), Some(vec![4, 5]));
        assert_eq!(after(&store, "a", 1, 1), Some(vec![2, 4, 5]), "there is no event before the first");
        assert_eq!(after(&store, "a", 1, 5), Some(vec![]), "all of it was sent");
        assert_eq!(after(&store, "a", 1, 6), None);
        assert_eq!(after(&store, "a", 3, 1), None);
        assert_eq!(after(&store, "c", 1, 1), None);
        store.replay("b", 1, 3).expect("kept");
        assert_eq!(store.logs().bytes, 60);
    }

    #[test]
    fn the_oldest_events_are_evicted_first() {
        let limits = EventLimits { max_session_bytes: 100, max_session_events: 3, ..EventLimits::default() };
        let store = MemoryEventStore::new(limits);
        for sequence in 1..=4 {
            keep(&store, "a", 1, sequence, 10);
        }
        assert_eq!(after(&store, "a", 1, 0), Some(vec![2, 3, 4]), "three events");
        keep(&store, "a", 1, 5, 85);
        assert_eq!(after(&store, "a", 1, 0), Some(vec![4, 5]), "a hundred bytes");
        keep(&store, "a", 1, 6, 1000);
        assert_eq!(after(&store, "a", 1, 0), Some(vec![6]), "the newest, however long");
        assert_eq!(store.logs().bytes, 1000);
    }

    #[test]
    fn the_size_of_all_sessions_is_limited() {
        let store = MemoryEventStore::new(EventLimits { max_bytes: 100, ..EventLimits::default() });
        keep(&store, "a", 1, 1, 60);
        keep(&store, "b", 1, 1, 30);
        keep(&store, "b", 1, 2, 40);
        assert_eq!((after(&store, "a", 1, 0), after(&store, "b", 1, 0)), (Some(vec![1]), Some(vec![2])));
        keep(&store, "c", 1, 1, 1);
        assert_eq!(after(&store, "c", 1, 0), None, "there is no room");
        assert_eq!(size(&store), (100, 2));
    }

    #[test]
    fn events_of_idle_sessions_expire_as_well() {
        let max_age = Duration::from_millis(20);
        let store = MemoryEventStore::new(EventLimits { max_age, ..EventLimits::default() });
        keep(&store, "silent", 1, 1, 10);
        std::thread::sleep(max_age * 2);
        assert_eq!(after(&store, "silent", 1, 0), None);
        keep(&store, "other", 1, 1, 10);
        assert_eq!(size(&store), (10, 1));
    }
}
