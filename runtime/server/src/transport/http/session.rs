//! Sessions of legacy clients (2025-11-25, basic/transports "Session Management").

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard, Weak};
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use crate::connection::Connection;
use crate::outbox::Outbox;

/// The open sessions, by id.
#[derive(Debug)]
pub(super) struct Sessions {
    open: RwLock<HashMap<Box<str>, Arc<Session>>>,
    /// When times are counted from.
    start: Instant,
    /// When sessions without use were last looked for, in milliseconds from the start.
    swept: AtomicU64,
    idle: Duration,
    limit: usize,
}

/// What the requests of one session share. No task and no stream belongs to it until the client asks for one.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) connection: Arc<Connection>,
    /// What belongs to no request; the GET streams share it, so each message goes to one of them only.
    pub(super) outbox: Arc<Outbox>,
    /// The exchanges whose calls go on.
    exchanges: Mutex<Vec<Weak<Connection>>>,
    /// When times are counted from.
    start: Instant,
    /// In milliseconds from the start.
    last_used: AtomicU64,
    streams: AtomicUsize,
    ended: CancellationToken,
}

/// Why a session was not opened.
#[derive(Debug, Clone, Copy)]
pub(super) enum NotOpened {
    /// As many are open as may be.
    TooMany,
    /// The system gives no random numbers.
    NoId,
}

impl Sessions {
    pub(super) fn new(limit: usize, idle: Duration) -> Self {
        Self { open: RwLock::default(), start: Instant::now(), swept: AtomicU64::new(0), idle, limit }
    }

    /// Opens a session and gives it an id that nobody can guess.
    pub(super) fn open(
        &self,
        connection: Arc<Connection>,
        outbox: Arc<Outbox>,
        ended: CancellationToken,
    ) -> Result<Box<str>, NotOpened> {
        let id = new_id().ok_or(NotOpened::NoId)?;
        let now = milliseconds_since(self.start);
        let session = Arc::new(Session {
            connection,
            outbox,
            exchanges: Mutex::default(),
            start: self.start,
            last_used: AtomicU64::new(now),
            streams: AtomicUsize::new(0),
            ended,
        });
        let mut open = self.write();
        // Looking at all sessions is worth it when there is no room, or when many may have become idle.
        let sweep_after = u64::try_from(self.idle.as_millis() / 4).unwrap_or(u64::MAX);
        if open.len() >= self.limit || now - self.swept.load(Ordering::Relaxed) > sweep_after {
            self.swept.store(now, Ordering::Relaxed);
            open.retain(|_, session| {
                let is_idle = session.is_idle(now, self.idle);
                if is_idle {
                    session.end();
                }
                !is_idle
            });
        }
        if open.len() >= self.limit {
            return Err(NotOpened::TooMany);
        }
        open.insert(id.clone(), session);
        Ok(id)
    }

    /// The session of this id, which is in use from now on.
    pub(super) fn get(&self, id: &str) -> Option<Arc<Session>> {
        let session = self.read().get(id).cloned()?;
        if session.is_idle(milliseconds_since(self.start), self.idle) {
            self.remove(id);
            return None;
        }
        session.touch();
        Some(session)
    }

    /// Ends a session; false if there is none of this id.
    pub(super) fn remove(&self, id: &str) -> bool {
        let removed = self.write().remove(id);
        removed.inspect(|session| session.end()).is_some()
    }

    pub(super) fn end_all(&self) {
        for (_, session) in self.write().drain() {
            session.end();
        }
    }

    fn read(&self) -> RwLockReadGuard<'_, HashMap<Box<str>, Arc<Session>>> {
        self.open.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, HashMap<Box<str>, Arc<Session>>> {
        self.open.write().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Session {
    /// Remembers an exchange whose call goes on, so that it can be taken back.
    pub(super) fn add(&self, exchange: &Arc<Connection>) {
        let mut exchanges = self.exchanges();
        exchanges.retain(|exchange| exchange.strong_count() > 0);
        exchanges.push(Arc::downgrade(exchange));
    }

    /// Hands a cancellation to the exchanges whose calls go on.
    pub(super) fn cancel(&self, notification: &[u8]) {
        for exchange in self.running() {
            // A notification has no answer.
            let _ = exchange.receive(notification, &mut Vec::new());
        }
    }

    /// Counts a GET stream; none if `limit` are open.
    pub(super) fn open_stream(self: &Arc<Self>, limit: usize) -> Option<StreamOpen> {
        let one_more = |open: usize| (open < limit).then_some(open + 1);
        self.streams.fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more).ok()?;
        Some(StreamOpen(Arc::clone(self)))
    }

    /// Told when the session ends.
    pub(super) fn ended(&self) -> &CancellationToken {
        &self.ended
    }

    fn touch(&self) {
        self.last_used.store(milliseconds_since(self.start), Ordering::Relaxed);
    }

    fn is_idle(&self, now: u64, limit: Duration) -> bool {
        let unused = Duration::from_millis(now.saturating_sub(self.last_used.load(Ordering::Relaxed)));
        unused > limit && self.streams.load(Ordering::Acquire) == 0 && self.running().is_empty()
    }

    /// What runs is cancelled, and the streams end.
    fn end(&self) {
        self.ended.cancel();
        for exchange in self.running() {
            exchange.end();
        }
        self.outbox.close();
    }

    fn running(&self) -> Vec<Arc<Connection>> {
        self.exchanges().iter().filter_map(Weak::upgrade).collect()
    }

    fn exchanges(&self) -> MutexGuard<'_, Vec<Weak<Connection>>> {
        self.exchanges.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A GET stream of a session that is open.
pub(super) struct StreamOpen(Arc<Session>);

impl Drop for StreamOpen {
    fn drop(&mut self) {
        self.0.touch();
        self.0.streams.fetch_sub(1, Ordering::AcqRel);
    }
}

fn milliseconds_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// 192 bits from the system, as hexadecimal.
fn new_id() -> Option<Box<str>> {
    use std::fmt::Write as _;
    let mut random = [0_u8; 24];
    getrandom::fill(&mut random).ok()?;
    let id = random.iter().fold(String::with_capacity(48), |mut id, byte| {
        let _ = write!(id, "{byte:02x}");
        id
    });
    Some(id.into())
}
