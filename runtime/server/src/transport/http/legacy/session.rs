//! Sessions of legacy clients (2025-11-25, basic/transports "Session Management").

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::{Duration, Instant};

use bytes::Bytes;
use toolwright_core::json::{self, JsonFault};
use toolwright_core::revision::Revision;
use toolwright_wire::event_stream::messages;
use toolwright_wire::outbox::Outbox;

use super::event_id::{StreamId, StreamKind};
use super::event_store::{EventStoreError, StoredEvent};
use super::grants::Grants;
use super::stream::Stream;
use crate::auth::{Access, Visitor};
use crate::connection::Connection;
use crate::hex::random_id;
use crate::limits::Limits;
use crate::log;
use crate::message::RequestId;
use crate::observed::ObservedSession;
use crate::quotas::{Caller, TakenShare, What};
use crate::transport::http::config::Store;

/// How much is queued for a client without an open stream.
pub(super) const KEPT_WITHOUT_STREAM: usize = 16 << 10;

/// The open sessions, by id.
#[derive(Debug)]
pub(in crate::transport::http) struct Sessions {
    open: RwLock<HashMap<Arc<str>, Arc<HttpSession>>>,
    /// The store of their events.
    store: Store,
    /// The start of relative times.
    start: Instant,
    /// When idle sessions were last removed, in milliseconds since the start.
    swept: AtomicU64,
    idle: Duration,
    limit: usize,
    /// The maximum number of sessions per caller.
    own_limit: usize,
}

/// The state that the requests of one session share. It has no task or stream until the client asks for one.
#[derive(Debug)]
pub(in crate::transport::http) struct HttpSession {
    id: Arc<str>,
    pub(in crate::transport::http) connection: Arc<Connection>,
    listener: Mutex<Listener>,
    /// The exchanges with running calls.
    exchanges: Mutex<Vec<Weak<Connection>>>,
    /// The start of relative times.
    start: Instant,
    /// In milliseconds since the start.
    last_used: AtomicU64,
    /// Determines which of two sessions is older if both were used in the same millisecond.
    opened: Instant,
    streams: Mutex<Streams>,
    /// The number of the last event.
    sequence: AtomicU64,
    store: Store,
    _observed: ObservedSession,
    /// The session's share of its caller's limits.
    _taken: TakenShare,
}

/// The recipient of messages that belong to no request: the caller with the token that opened the session, until a
/// stream is opened with another one.
#[derive(Debug)]
struct Listener {
    connection: Arc<Connection>,
    /// The GET streams share it, so each message is sent on only one of them.
    outbox: Arc<Outbox>,
}

/// A session's streams that have not ended.
#[derive(Debug, Default)]
struct Streams {
    open: BTreeMap<u64, Arc<Stream>>,
    /// The number of the last stream.
    last: u64,
    grants: Grants,
}

/// A session was not opened.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport::http) enum NotOpened {
    /// The maximum number of sessions is open.
    TooMany,
    /// The caller has the maximum number of sessions, and all are in use.
    TooManyOfCaller,
    /// The system's random number generator failed.
    NoId,
}

impl Sessions {
    pub(in crate::transport::http) fn new(limits: &Limits, store: Store) -> Self {
        let (limit, idle) = (limits.max_sessions, limits.session_idle);
        let own_limit = limits.per_caller.max_sessions;
        Self {
            open: RwLock::default(),
            store,
            start: Instant::now(),
            swept: AtomicU64::new(0),
            idle,
            limit,
            own_limit,
        }
    }

    /// Opens a session with an id that cannot be guessed.
    pub(in crate::transport::http) fn open(
        &self,
        connection: Arc<Connection>,
        outbox: Arc<Outbox>,
    ) -> Result<Arc<str>, NotOpened> {
        let id: Arc<str> = new_id().ok_or(NotOpened::NoId)?.into();
        let now = milliseconds_since(self.start);
        let mut open = self.write();
        // Scanning all sessions is only worth it if there is no room, or many may have become idle.
        let sweep_after = u64::try_from(self.idle.as_millis() / 4).unwrap_or(u64::MAX);
        if open.len() >= self.limit || now.saturating_sub(self.swept.load(Ordering::Relaxed)) > sweep_after {
            self.swept.fetch_max(now, Ordering::Relaxed);
            open.retain(|_, session| {
                let is_idle = session.is_idle(now, self.idle);
                if is_idle {
                    session.end();
                }
                !is_idle
            });
        }
        let caller = connection.caller();
        make_room(&mut open, caller, (self.own_limit, self.limit));
        if open.len() >= self.limit {
            return Err(NotOpened::TooMany);
        }
        let taken = caller.take(What::Sessions, self.own_limit).ok_or(NotOpened::TooManyOfCaller)?;
        let session = Arc::new(HttpSession {
            id: Arc::clone(&id),
            listener: Mutex::new(Listener { connection: Arc::clone(&connection), outbox }),
            _observed: connection.observe(Some("tcp"), Some("http")),
            connection,
            exchanges: Mutex::default(),
            start: self.start,
            last_used: AtomicU64::new(now),
            opened: Instant::now(),
            streams: Mutex::default(),
            sequence: AtomicU64::new(0),
            store: self.store.clone(),
            _taken: taken,
        });
        open.insert(Arc::clone(&id), session);
        Ok(id)
    }

    /// Returns the caller's session with this id, and marks it as used. It is hidden from everyone but the principal
    /// that opened it.
    pub(in crate::transport::http) fn get(&self, id: &str, access: &Access) -> Option<Arc<HttpSession>> {
        let session = self.read().get(id).cloned()?;
        if session.connection.access().owner() != access.owner() {
            return None;
        }
        let now = milliseconds_since(self.start);
        if session.is_idle(now, self.idle) {
            self.remove(id);
            return None;
        }
        session.last_used.store(now, Ordering::Relaxed);
        Some(session)
    }

    /// Ends a session; false if there is none with this id.
    pub(in crate::transport::http) fn remove(&self, id: &str) -> bool {
        let removed = self.write().remove(id);
        removed.as_ref().map(HttpSession::end).is_some()
    }

    pub(in crate::transport::http) fn end_all(&self) {
        for (_, session) in self.write().drain() {
            session.end();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<Arc<str>, Arc<HttpSession>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<Arc<str>, Arc<HttpSession>>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Ends idle sessions so that a caller can open another one: the caller's own oldest, if the caller or the server has
/// reached its limit; otherwise the oldest of the caller with the most sessions, unless that has no more than the new
/// caller would have.
fn make_room(
    open: &mut HashMap<Arc<str>, Arc<HttpSession>>,
    caller: &Caller,
    (own_limit, limit): (usize, usize),
) {
    // Unidentified callers have no sessions of their own.
    if !caller.is_known() {
        return;
    }
    while open.len() >= limit || caller.is_full(What::Sessions, own_limit) {
        let unused = || open.values().filter(|session| session.is_unused());
        let age = |session: &&Arc<HttpSession>| (session.last_used.load(Ordering::Relaxed), session.opened);
        let own = unused().filter(|session| session.connection.caller().is(caller)).min_by_key(age);
        let count = |session: &Arc<HttpSession>| match session.connection.caller() {
            other if other.is_known() => other.count(What::Sessions),
            _ => 0,
        };
        let heaviest = || {
            let most = unused().map(count).max().filter(|most| *most > caller.count(What::Sessions) + 1)?;
            unused().filter(|session| count(session) == most).min_by_key(age)
        };
        let is_full = open.len() >= limit && !caller.is_full(What::Sessions, own_limit);
        let ends = own.or_else(|| is_full.then(heaviest).flatten()).map(|session| Arc::clone(&session.id));
        let Some(session) = ends.and_then(|id| open.remove(&id)) else { return };
        session.end();
    }
}

impl HttpSession {
    /// Records an exchange with a running call, so that it can be cancelled.
    pub(in crate::transport::http) fn add(&self, exchange: &Arc<Connection>) {
        let mut exchanges = self.exchanges();
        exchanges.retain(|exchange| exchange.strong_count() > 0);
        exchanges.push(Arc::downgrade(exchange));
    }

    /// Cancels the call with this id in any exchange.
    pub(in crate::transport::http) fn cancel(&self, id: &RequestId<'_>) {
        for exchange in self.running() {
            exchange.cancel(id);
        }
    }

    /// Whether clients of this revision reconnect to a stream that the server closed.
    pub(in crate::transport::http) fn polls(&self) -> bool {
        self.connection.agreed_revision() >= Some(Revision::V2025_11_25)
    }

    /// Returns the stream with this number, if it has not ended.
    pub(in crate::transport::http) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        self.streams().open.get(&number).cloned()
    }

    /// Opens a stream for the response to a caller's request.
    pub(in crate::transport::http) fn open_request_stream(self: &Arc<Self>, access: &Access) -> Arc<Stream> {
        let id = self.number_request_stream(access);
        self.insert(&mut self.streams(), id)
    }

    /// Assigns a stream id to the response of a caller's request that is already complete.
    pub(in crate::transport::http) fn number_request_stream(&self, access: &Access) -> StreamId {
        let mut streams = self.streams();
        streams.last += 1;
        let number = streams.last;
        streams.grants.open(number, access);
        StreamId { kind: StreamKind::Request, number }
    }

    /// If a caller lacks a scope that is required to get a stream's events again, returns all required scopes.
    #[cfg(feature = "auth")]
    pub(super) fn lacking(&self, stream: u64, access: &Access) -> Option<Vec<String>> {
        self.streams().grants.lacking(stream, access)
    }

    /// From now on, messages that belong to no request are those that this caller may see. The streams of another token
    /// end, and what was queued for them is discarded.
    pub(super) fn listen_as(&self, access: &Access) -> Arc<Outbox> {
        let mut listener = self.listener.lock().unwrap_or_else(PoisonError::into_inner);
        let before = listener.connection.access();
        if before.principal() == access.principal() {
            return Arc::clone(&listener.outbox);
        }
        let sees_as_much = access.lacking_of(before).is_none();
        let outbox = Arc::new(Outbox::dropping(KEPT_WITHOUT_STREAM));
        let visitor = Visitor::new(access.clone(), self.connection.caller().clone());
        let connection = self.connection.listening_as(Arc::clone(&outbox), visitor);
        let is_read = self.streams().open.values().any(|stream| stream.id.kind == StreamKind::Standing);
        if sees_as_much && !is_read {
            // The token was renewed: what was queued for the previous stream is sent on this one.
            let mut lines = Vec::new();
            listener.outbox.take(&mut lines);
            messages(&lines).for_each(|message| outbox.push(message));
        }
        listener.outbox.close();
        *listener = Listener { connection, outbox: Arc::clone(&outbox) };
        outbox
    }

    /// Opens a stream for a GET, or reopens the one with this number; `None` if `limit` are open.
    pub(in crate::transport::http) fn open_standing_stream(
        self: &Arc<Self>,
        number: Option<u64>,
        limit: usize,
        access: &Access,
    ) -> Option<Arc<Stream>> {
        let mut streams = self.streams();
        let is_standing = |stream: &&Arc<Stream>| stream.id.kind == StreamKind::Standing;
        if streams.open.values().filter(is_standing).count() >= limit {
            return None;
        }
        streams.last += u64::from(number.is_none());
        match number {
            None => {
                let newest = streams.last;
                streams.grants.open(newest, access);
            }
            Some(number) => streams.grants.reopen(number, access),
        }
        let number = number.unwrap_or(streams.last);
        Some(self.insert(&mut streams, StreamId { kind: StreamKind::Standing, number }))
    }

    fn insert(self: &Arc<Self>, streams: &mut Streams, id: StreamId) -> Arc<Stream> {
        let stream = Arc::new(Stream::new(id, Arc::clone(self)));
        streams.open.insert(id.number, Arc::clone(&stream));
        stream
    }

    /// Removes a stream that has ended, unless another one has its number in the meantime.
    pub(in crate::transport::http) fn close_stream(&self, stream: &Stream) {
        let mut streams = self.streams();
        let number = stream.id.number;
        if streams.open.get(&number).is_some_and(|open| std::ptr::eq(&raw const **open, stream)) {
            streams.open.remove(&number);
        }
    }

    /// Whether an event with this stream and number may have been sent.
    pub(in crate::transport::http) fn has_sent(&self, stream: u64, sequence: u64) -> bool {
        sequence <= self.sequence.load(Ordering::Acquire) && (1..=self.streams().last).contains(&stream)
    }

    /// Returns the next event number.
    pub(in crate::transport::http) fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Stores a message as the next event of a stream.
    pub(in crate::transport::http) async fn store_event(&self, stream: u64, message: Bytes) -> StoredEvent {
        let event = StoredEvent { stream, sequence: self.next_sequence(), message };
        self.store.append(&self.id, event.clone()).await;
        event
    }

    /// Returns the events of a stream after the one with this number; `None` if they are unknown. The store may be user
    /// code, so its data is validated before it is sent.
    pub(in crate::transport::http) async fn after(
        &self,
        stream: u64,
        sequence: u64,
    ) -> Result<Option<Vec<StoredEvent>>, EventStoreError> {
        let mut events = self.store.after(&self.id, stream, sequence).await?;
        if let Some(events) = &mut events {
            events.retain_mut(|event| event.stream == stream && event.sequence > sequence && is_fit(event));
        }
        Ok(events)
    }

    pub(in crate::transport::http) fn touch(&self) {
        self.last_used.store(milliseconds_since(self.start), Ordering::Relaxed);
    }

    fn is_idle(&self, now: u64, limit: Duration) -> bool {
        let unused = Duration::from_millis(now.saturating_sub(self.last_used.load(Ordering::Relaxed)));
        unused > limit && self.is_unused()
    }

    /// Whether it has neither streams nor calls.
    fn is_unused(&self) -> bool {
        self.streams().open.is_empty() && self.running().is_empty()
    }

    /// Cancels running calls, and ends the streams.
    fn end(self: &Arc<Self>) {
        for exchange in self.running() {
            exchange.end();
        }
        self.listener.lock().unwrap_or_else(PoisonError::into_inner).outbox.close();
        if self.sequence.load(Ordering::Acquire) > 0 {
            let session = Arc::clone(self);
            tokio::spawn(async move { session.store.forget(&session.id).await });
        }
    }

    fn streams(&self) -> MutexGuard<'_, Streams> {
        self.streams.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn running(&self) -> Vec<Arc<Connection>> {
        self.exchanges().iter().filter_map(Weak::upgrade).collect()
    }

    fn exchanges(&self) -> MutexGuard<'_, Vec<Weak<Connection>>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Whether a stored event may be sent; turns its message into one line.
fn is_fit(event: &mut StoredEvent) -> bool {
    let text = std::str::from_utf8(&event.message).map_err(|error| JsonFault::Unreadable(error.to_string()));
    match text.and_then(|text| json::tidy(text, json::MAX_DEPTH)) {
        Ok(Cow::Borrowed(_)) => true,
        Ok(Cow::Owned(text)) => {
            event.message = text.into();
            true
        }
        Err(fault) => {
            log::warn(format_args!("skipping a stored event: it {fault}"));
            false
        }
    }
}

fn milliseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A 192-bit id.
pub(in crate::transport::http) fn new_id() -> Option<String> {
    random_id::<24>().ok()
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::Ordering;
    use std::time::Duration;

    use bytes::Bytes;
    use toolwright_wire::outbox::Outbox;

    use super::{Sessions, is_fit};
    use crate::auth::Access;
    use crate::connection::Connection;
    use crate::limits::Limits;
    use crate::server::Server;
    use crate::transport::http::{HttpConfig, StoredEvent};

    /// Times come from a monotonic clock. Even if one of them is ahead, no session ends early, and idle ones end as
    /// soon as their room is needed.
    #[tokio::test]
    async fn idle_sessions_are_removed_if_the_clock_went_back() {
        let service = Server::new(()).build().expect("a server");
        let limits = Limits { max_sessions: 2, session_idle: Duration::from_millis(1), ..Limits::default() };
        let sessions = Sessions::new(&limits, HttpConfig::new().store().clone());
        let open = || {
            let outbox = Arc::new(Outbox::dropping(1));
            let connection = Connection::open(service.shared(), Arc::clone(&outbox), Access::Anonymous);
            sessions.open(connection, outbox)
        };
        let first = open().expect("room");
        let ahead = u64::MAX - 1;
        sessions.swept.store(ahead, Ordering::Relaxed);
        sessions.read()[&first].last_used.store(ahead, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(5));
        let second = open().expect("room");
        assert!(sessions.get(&first, &Access::Anonymous).is_some(), "it is not idle");
        std::thread::sleep(Duration::from_millis(5));
        let third = open().expect("the room of idle sessions");
        let left: Vec<_> = sessions.read().keys().cloned().collect();
        assert_eq!(left, [third]);
        assert!(sessions.get(&second, &Access::Anonymous).is_none());
    }

    #[test]
    fn stored_events_are_validated_before_they_are_sent() {
        for (stored, sent) in [
            (&b"{\"id\":1}"[..], Some("{\"id\":1}")),
            (b"{\"a\":\r\n[1,\n2]}", Some("{\"a\":[1,2]}")),
            (b"{}\n\ndata: {}", None),
            (b"{}\nid: r1-9", None),
            (b"{\"a\":1,\"a\":2}", None),
            (b"{\"a\":\"\xff\"}", None),
            (b"", None),
        ] {
            let mut event = StoredEvent { stream: 1, sequence: 1, message: Bytes::from_static(stored) };
            assert_eq!(is_fit(&mut event).then_some(&*event.message), sent.map(str::as_bytes), "{stored:?}");
        }
    }
}
