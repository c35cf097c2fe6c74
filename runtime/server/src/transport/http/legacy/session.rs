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
use super::event_store::StoredEvent;
use super::grants::Grants;
use super::stream::Stream;
use crate::auth::{Access, Visitor};
use crate::connection::Connection;
use crate::hex::random_id;
use crate::limits::Limits;
use crate::log;
use crate::message::RequestId;
use crate::quotas::{Caller, TakenShare, What};
use crate::transport::http::config::Store;

/// How much of what belongs to no request is kept for a client that has no stream open.
pub(super) const KEPT_WITHOUT_STREAM: usize = 16 << 10;

/// The open sessions, by id.
#[derive(Debug)]
pub(in crate::transport::http) struct Sessions {
    open: RwLock<HashMap<Arc<str>, Arc<HttpSession>>>,
    /// Where the events of all of them are kept.
    store: Store,
    /// When times are counted from.
    start: Instant,
    /// When sessions without use were last looked for, in milliseconds from the start.
    swept: AtomicU64,
    idle: Duration,
    limit: usize,
    /// How many one caller may have.
    own_limit: usize,
}

/// What the requests of one session share. No task and no stream belongs to it until the client asks for one.
#[derive(Debug)]
pub(in crate::transport::http) struct HttpSession {
    id: Arc<str>,
    pub(in crate::transport::http) connection: Arc<Connection>,
    listener: Mutex<Listener>,
    /// The exchanges whose calls go on.
    exchanges: Mutex<Vec<Weak<Connection>>>,
    /// When times are counted from.
    start: Instant,
    /// In milliseconds from the start.
    last_used: AtomicU64,
    /// Tells apart which of two is older that were used in the same millisecond.
    opened: Instant,
    streams: Mutex<Streams>,
    /// The number of the last event.
    sequence: AtomicU64,
    store: Store,
    /// What it takes of its caller's share.
    _taken: TakenShare,
}

/// Who is notified of what belongs to no request: the caller with the token that opened the session, until a stream is
/// opened with another one.
#[derive(Debug)]
struct Listener {
    connection: Arc<Connection>,
    /// The GET streams share it, so each message goes to one of them only.
    outbox: Arc<Outbox>,
}

/// The streams of a session that are not over.
#[derive(Debug, Default)]
struct Streams {
    open: BTreeMap<u64, Arc<Stream>>,
    /// The number of the last one.
    last: u64,
    grants: Grants,
}

/// Why a session was not opened.
#[derive(Debug, Clone, Copy)]
pub(in crate::transport::http) enum NotOpened {
    /// As many are open as may be.
    TooMany,
    /// The caller has as many as it may, all of them in use.
    TooManyOfCaller,
    /// The system gives no random numbers.
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

    /// Opens a session and gives it an id that nobody can guess.
    pub(in crate::transport::http) fn open(
        &self,
        connection: Arc<Connection>,
        outbox: Arc<Outbox>,
    ) -> Result<Arc<str>, NotOpened> {
        let id: Arc<str> = new_id().ok_or(NotOpened::NoId)?.into();
        let now = milliseconds_since(self.start);
        let mut open = self.write();
        // Looking at all sessions is worth it when there is no room, or when many may have become idle.
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

    /// The caller's session of this id, which is in use from now on. To everybody but the principal that has opened it,
    /// a session does not exist.
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

    /// Ends a session; false if there is none of this id.
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

/// Ends sessions that are not in use, so that a caller may open one more: its own oldest, where it has as many as it may
/// or all have; else the oldest of the caller that has most, unless that has no more than the one who asks would have.
fn make_room(
    open: &mut HashMap<Arc<str>, Arc<HttpSession>>,
    caller: &Caller,
    (own_limit, limit): (usize, usize),
) {
    // Of those of whom nothing is known, none is more the caller's own than another.
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
    /// Remembers an exchange whose call goes on, so that it can be cancelled.
    pub(in crate::transport::http) fn add(&self, exchange: &Arc<Connection>) {
        let mut exchanges = self.exchanges();
        exchanges.retain(|exchange| exchange.strong_count() > 0);
        exchanges.push(Arc::downgrade(exchange));
    }

    /// Takes back what runs with this id in any of the exchanges whose calls go on.
    pub(in crate::transport::http) fn cancel(&self, id: &RequestId<'_>) {
        for exchange in self.running() {
            exchange.cancel(id);
        }
    }

    /// Whether the client is of a revision whose clients come back to a stream that the server let go.
    pub(in crate::transport::http) fn polls(&self) -> bool {
        self.connection.agreed_revision() >= Some(Revision::V2025_11_25)
    }

    /// The stream of this number, if it is not over.
    pub(in crate::transport::http) fn stream(&self, number: u64) -> Option<Arc<Stream>> {
        self.streams().open.get(&number).cloned()
    }

    /// A stream for the response of a caller's request.
    pub(in crate::transport::http) fn open_request_stream(self: &Arc<Self>, access: &Access) -> Arc<Stream> {
        let id = self.number_request_stream(access);
        self.insert(&mut self.streams(), id)
    }

    /// The id of a stream for the response of a caller's request that is answered already.
    pub(in crate::transport::http) fn number_request_stream(&self, access: &Access) -> StreamId {
        let mut streams = self.streams();
        streams.last += 1;
        let number = streams.last;
        streams.grants.open(number, access);
        StreamId { kind: StreamKind::Request, number }
    }

    /// The scopes that a caller needs to be sent again what was sent on a stream; none where it has them.
    #[cfg(feature = "auth")]
    pub(super) fn lacking(&self, stream: u64, access: &Access) -> Option<Vec<String>> {
        self.streams().grants.lacking(stream, access)
    }

    /// From now on messages that belong to no request are those that this caller may see. The streams of another token
    /// end, with what was meant for them.
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
            // As after a token was renewed: what has waited for a stream waits for this one.
            let mut lines = Vec::new();
            listener.outbox.take(&mut lines);
            messages(&lines).for_each(|message| outbox.push(message));
        }
        listener.outbox.close();
        *listener = Listener { connection, outbox: Arc::clone(&outbox) };
        outbox
    }

    /// A stream that GET opens, a new one or the one of this number again; none if `limit` are open.
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

    /// Takes out a stream that is over, unless another has its number by now.
    pub(in crate::transport::http) fn close_stream(&self, stream: &Stream) {
        let mut streams = self.streams();
        let number = stream.id.number;
        if streams.open.get(&number).is_some_and(|open| std::ptr::eq(&raw const **open, stream)) {
            streams.open.remove(&number);
        }
    }

    /// Whether an event of this stream and number may have been sent.
    pub(in crate::transport::http) fn has_sent(&self, stream: u64, sequence: u64) -> bool {
        sequence <= self.sequence.load(Ordering::Acquire) && (1..=self.streams().last).contains(&stream)
    }

    /// A number for an event, greater than those before.
    pub(in crate::transport::http) fn next_sequence(&self) -> u64 {
        self.sequence.fetch_add(1, Ordering::AcqRel) + 1
    }

    /// Makes a message the next event of a stream, and has it kept.
    pub(in crate::transport::http) async fn keep(&self, stream: u64, message: Bytes) -> StoredEvent {
        let event = StoredEvent { stream, sequence: self.next_sequence(), message };
        self.store.append(&self.id, event.clone()).await;
        event
    }

    /// What was sent on a stream after the event of this number; none if nobody knows. The store may be a user's, so what
    /// it gives back is read before it is sent.
    pub(in crate::transport::http) async fn after(
        &self,
        stream: u64,
        sequence: u64,
    ) -> Option<Vec<StoredEvent>> {
        let mut events = self.store.after(&self.id, stream, sequence).await?;
        events.retain_mut(|event| event.stream == stream && event.sequence > sequence && is_fit(event));
        Some(events)
    }

    pub(in crate::transport::http) fn touch(&self) {
        self.last_used.store(milliseconds_since(self.start), Ordering::Relaxed);
    }

    fn is_idle(&self, now: u64, limit: Duration) -> bool {
        let unused = Duration::from_millis(now.saturating_sub(self.last_used.load(Ordering::Relaxed)));
        unused > limit && self.is_unused()
    }

    /// Whether it has no stream and no call.
    fn is_unused(&self) -> bool {
        self.streams().open.is_empty() && self.running().is_empty()
    }

    /// What runs is cancelled, and the streams end.
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

/// Whether an event that was stored may be sent; makes its message one line.
fn is_fit(event: &mut StoredEvent) -> bool {
    let text = std::str::from_utf8(&event.message).map_err(|error| JsonFault::Unreadable(error.to_string()));
    match text.and_then(|text| json::tidy(text, json::MAX_DEPTH)) {
        Ok(Cow::Borrowed(_)) => true,
        Ok(Cow::Owned(text)) => {
            event.message = text.into();
            true
        }
        Err(fault) => {
            log::warn(format_args!("a stored event is left out: it {fault}"));
            false
        }
    }
}

fn milliseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// An id of 192 bits.
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

    /// Times come from a monotonic clock. If one of them is ahead all the same, no session ends early, and idle ones end
    /// as soon as their room is needed.
    #[tokio::test]
    async fn sessions_are_swept_though_the_clock_went_back() {
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
        let third = open().expect("the room of those that are idle by now");
        let left: Vec<_> = sessions.read().keys().cloned().collect();
        assert_eq!(left, [third]);
        assert!(sessions.get(&second, &Access::Anonymous).is_none());
    }

    #[test]
    fn what_a_store_gives_back_is_read_before_it_is_sent() {
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
