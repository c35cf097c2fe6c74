//! The calls of a bus in memory, and the pools in which they wait.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::calls::bus::{
    Call, CallError, CallRecord, CallState, Claim, Finish, LEASE, Lease, MAX_ATTEMPTS, MAX_QUEUED, Progress,
    RECORD_TTL,
};

/// All calls and workers.
#[derive(Debug)]
pub(super) struct Records {
    pools: HashMap<String, Pool>,
    calls: HashMap<String, CallEntry>,
    /// By the names of idempotency keys, the calls that have one, and the digests of their arguments.
    keys: HashMap<String, (String, String)>,
    /// The calls in the order of submission, with the time when their records expire.
    ages: VecDeque<(Instant, String)>,
    /// The finished calls, in order; the first ones are dropped if space is needed.
    ended: VecDeque<String>,
    bytes: usize,
    most_calls: usize,
    most_bytes: usize,
    /// The number of leases so far.
    leases: u64,
}

/// The workers of a pool, and its calls.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// The time at which each registration expires.
    workers: HashMap<String, Instant>,
    queue: VecDeque<String>,
    /// The running calls, by the end of their leases.
    leases: BTreeSet<(Instant, String)>,
    pub(super) submitted: Arc<Notify>,
}

/// A call with its record.
#[derive(Debug)]
pub(super) struct CallEntry {
    pool: String,
    /// `None` once a call that must not be repeated was claimed, and for finished calls.
    call: Option<Call>,
    lease: Option<(String, Instant)>,
    /// The name of its idempotency key.
    key: Option<String>,
    bytes: usize,
    pub(super) record: CallRecord,
    pub(super) is_cancelled: bool,
    pub(super) changed: Arc<Notify>,
}

impl Pool {
    pub(super) fn first_lease_end(&self) -> Option<Instant> {
        self.leases.first().map(|(ends, _)| *ends)
    }
}

impl CallEntry {
    pub(super) fn lease_ends(&self) -> Option<Instant> {
        self.lease.as_ref().map(|(_, ends)| *ends)
    }

    pub(super) fn is_leased_as(&self, lease: &str) -> bool {
        self.lease.as_ref().is_some_and(|(current, _)| current == lease)
    }

    /// Increments the version, and wakes waiting futures.
    fn change(&mut self, state: CallState) {
        self.record.state = state;
        self.record.version += 1;
        self.changed.notify_waiters();
    }
}

impl Records {
    pub(super) fn new(most_calls: usize, most_bytes: usize) -> Self {
        Self {
            pools: HashMap::new(),
            calls: HashMap::new(),
            keys: HashMap::new(),
            ages: VecDeque::new(),
            ended: VecDeque::new(),
            bytes: 0,
            most_calls,
            most_bytes,
            leases: 0,
        }
    }

    pub(super) fn submit(&mut self, pool: &str, call: Call, now: Instant) -> Result<String, CallError> {
        call.check_size()?;
        if self.calls.contains_key(&call.id) {
            return Ok(call.id);
        }
        if let Some(earlier) = self.earlier(&call, now)? {
            return Ok(earlier);
        }
        let known = self.pools.get_mut(pool).filter(|known| known.workers.values().any(|ends| *ends > now));
        let Some(known) = known else { return Err(CallError::NoWorker(pool.to_owned())) };
        if known.queue.len() >= MAX_QUEUED {
            return Err(CallError::Overloaded(pool.to_owned()));
        }
        let id = call.id.clone();
        let bytes = call.arguments.get().len();
        self.make_room(bytes, now);
        if self.calls.len() >= self.most_calls || self.bytes + bytes > self.most_bytes {
            return Err(CallError::Overloaded(pool.to_owned()));
        }
        let key = call.idempotency.clone().map(|key| {
            self.keys.insert(key.name.clone(), (id.clone(), key.arguments));
            key.name
        });
        let entry = CallEntry {
            pool: pool.to_owned(),
            call: Some(call),
            lease: None,
            key,
            bytes,
            record: CallRecord::new(CallState::Queued, 0, None, 1),
            is_cancelled: false,
            changed: Arc::default(),
        };
        self.bytes += bytes;
        self.ages.push_back((now + RECORD_TTL, id.clone()));
        self.calls.insert(id.clone(), entry);
        let pool = self.pool(pool);
        pool.queue.push_back(id.clone());
        pool.submitted.notify_one();
        Ok(id)
    }

    /// Returns the earlier call with the same idempotency key, unless that was never made.
    fn earlier(&mut self, call: &Call, now: Instant) -> Result<Option<String>, CallError> {
        self.drop_old(now);
        let Some(key) = &call.idempotency else { return Ok(None) };
        let Some((earlier, arguments)) = self.keys.get(&key.name) else { return Ok(None) };
        let entry = self.calls.get(earlier);
        if entry.is_none_or(|entry| matches!(entry.record.state, CallState::Cancelled)) {
            return Ok(None);
        }
        if *arguments == key.arguments { Ok(Some(earlier.clone())) } else { Err(CallError::OtherArguments) }
    }

    pub(super) fn pool(&mut self, pool: &str) -> &mut Pool {
        if !self.pools.contains_key(pool) {
            self.pools.insert(pool.to_owned(), Pool::default());
        }
        self.pools.get_mut(pool).expect("it has been inserted")
    }

    /// Returns the current state of a call, after checking its lease.
    pub(super) fn current(&mut self, id: &str, now: Instant) -> Result<&CallEntry, CallError> {
        self.drop_old(now);
        if let Some(entry) = self.calls.get(id)
            && entry.lease_ends().is_some_and(|ends| ends <= now)
        {
            let pool = entry.pool.clone();
            self.end_leases(&pool, now);
        }
        self.calls.get(id).ok_or_else(|| CallError::NoCall(id.to_owned()))
    }

    pub(super) fn announce(&mut self, pool: &str, worker: &str, is_there: bool, now: Instant) {
        let pool = self.pool(pool);
        pool.workers.retain(|_, ends| *ends > now);
        if is_there {
            pool.workers.insert(worker.to_owned(), now + LEASE);
        } else {
            pool.workers.remove(worker);
        }
    }

    /// Returns the next call of a pool whose deadline has not passed.
    pub(super) fn claim(&mut self, pool: &str, now: Instant, unix_millis: u64) -> Option<Claim> {
        self.end_leases(pool, now);
        loop {
            let id = self.pools.get_mut(pool)?.queue.pop_front()?;
            // Its record may have been dropped.
            let Some(entry) = self.calls.get_mut(&id) else { continue };
            let Some(call) = entry.call.take() else { continue };
            if call.deadline <= unix_millis {
                self.end(&id, CallState::Cancelled);
                continue;
            }
            if call.is_repeatable {
                entry.call = Some(call.clone());
            }
            self.leases += 1;
            let (lease, ends) = (self.leases.to_string(), now + LEASE);
            entry.lease = Some((lease.clone(), ends));
            entry.record.attempt += 1;
            entry.change(CallState::Running);
            let attempt = entry.record.attempt;
            let pool = self.pool(pool);
            pool.leases.insert((ends, id));
            if !pool.queue.is_empty() {
                // Two calls may notify the same worker before it waits again.
                pool.submitted.notify_one();
            }
            return Some(Claim::new(call, lease, attempt));
        }
    }

    pub(super) fn renew(&mut self, id: &str, lease: &str, progress: Option<Progress>, now: Instant) -> Lease {
        let Some(entry) = self.calls.get_mut(id).filter(|entry| entry.is_leased_as(lease)) else {
            return Lease::Lost;
        };
        if let Some(progress) = progress {
            entry.record.progress = Some(progress);
            entry.change(CallState::Running);
        }
        let ends = now + LEASE;
        let former = entry.lease.replace((lease.to_owned(), ends)).map(|(_, ends)| ends);
        let (pool, is_cancelled) = (entry.pool.clone(), entry.is_cancelled);
        let leases = &mut self.pool(&pool).leases;
        if let Some(former) = former {
            leases.remove(&(former, id.to_owned()));
        }
        leases.insert((ends, id.to_owned()));
        if is_cancelled { Lease::Cancelled } else { Lease::Held }
    }

    pub(super) fn finish(&mut self, id: &str, lease: &str, with: Finish, now: Instant) -> bool {
        if !self.calls.get(id).is_some_and(|entry| entry.is_leased_as(lease)) {
            return false;
        }
        let state = with.into_state();
        let bytes = state.bytes();
        self.end(id, state);
        self.make_room(bytes, now);
        self.bytes += bytes;
        if let Some(entry) = self.calls.get_mut(id) {
            entry.bytes += bytes;
        }
        true
    }

    pub(super) fn cancel(&mut self, id: &str, now: Instant) -> Result<(), CallError> {
        self.current(id, now)?;
        let Some(entry) = self.calls.get_mut(id) else { return Ok(()) };
        match entry.record.state {
            CallState::Queued => {
                let pool = entry.pool.clone();
                self.end(id, CallState::Cancelled);
                self.pool(&pool).queue.retain(|queued| queued != id);
            }
            CallState::Running => {
                entry.is_cancelled = true;
                entry.changed.notify_waiters();
            }
            _ => {}
        }
        Ok(())
    }

    /// Checks the pool for expired leases.
    fn end_leases(&mut self, pool: &str, now: Instant) {
        while let Some(known) = self.pools.get_mut(pool)
            && known.first_lease_end().is_some_and(|ends| ends <= now)
            && let Some((_, id)) = known.leases.pop_first()
        {
            let Some(entry) = self.calls.get_mut(&id) else { continue };
            entry.lease = None;
            let may_repeat =
                entry.call.is_some() && entry.record.attempt < MAX_ATTEMPTS && !entry.is_cancelled;
            if may_repeat {
                entry.change(CallState::Queued);
                known.queue.push_front(id);
                known.submitted.notify_one();
            } else {
                self.end(&id, CallState::Unknown);
            }
        }
    }

    /// Ends a call.
    fn end(&mut self, id: &str, state: CallState) {
        let Some(entry) = self.calls.get_mut(id) else { return };
        let (call, lease) = (entry.call.take(), entry.lease.take());
        entry.change(state);
        self.bytes -= entry.bytes;
        entry.bytes = 0;
        if let (Some((_, ends)), Some(pool)) = (lease, self.pools.get_mut(&entry.pool)) {
            pool.leases.remove(&(ends, id.to_owned()));
        }
        drop(call);
        self.ended.push_back(id.to_owned());
    }

    /// Drops the records that are as old as any may be.
    fn drop_old(&mut self, now: Instant) {
        while self.ages.front().is_some_and(|(ends, _)| *ends <= now)
            && let Some((_, id)) = self.ages.pop_front()
        {
            self.forget(&id);
        }
        while self.ended.front().is_some_and(|id| !self.calls.contains_key(id)) {
            self.ended.pop_front();
        }
    }

    /// Drops old records, and those of calls that ended, for a record of so many bytes.
    fn make_room(&mut self, bytes: usize, now: Instant) {
        self.drop_old(now);
        while (self.calls.len() >= self.most_calls || self.bytes + bytes > self.most_bytes)
            && let Some(id) = self.ended.pop_front()
        {
            self.forget(&id);
        }
    }

    fn forget(&mut self, id: &str) {
        let Some(entry) = self.calls.remove(id) else { return };
        self.bytes -= entry.bytes;
        if let Some(key) = entry.key
            && self.keys.get(&key).is_some_and(|(call, _)| call == id)
        {
            self.keys.remove(&key);
        }
        if let (Some((_, ends)), Some(pool)) = (entry.lease, self.pools.get_mut(&entry.pool)) {
            pool.leases.remove(&(ends, id.to_owned()));
        }
        entry.changed.notify_waiters();
    }
}
