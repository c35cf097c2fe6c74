//! The calls of a bus in memory, and the pools that they wait in.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;

use tokio::sync::Notify;
use tokio::time::Instant;

use crate::calls::bus::{
    Call, CallError, CallRecord, CallState, Claim, Finish, LEASE, Lease, MAX_ATTEMPTS, MAX_QUEUED, Progress,
    RECORD_TTL,
};

/// What is known of all calls and workers.
#[derive(Debug)]
pub(super) struct Records {
    pools: HashMap<String, Pool>,
    calls: HashMap<String, Held>,
    /// The calls in the order in which they were submitted, with when their records are dropped.
    ages: VecDeque<(Instant, String)>,
    /// Those that have ended, in the order in which they did: the first to be dropped for want of room.
    ended: VecDeque<String>,
    bytes: usize,
    most_calls: usize,
    most_bytes: usize,
    /// How many leases were given.
    leases: u64,
}

/// The workers of a pool, and the calls that they are to answer.
#[derive(Debug, Default)]
pub(super) struct Pool {
    /// Until when each counts as there.
    workers: HashMap<String, Instant>,
    queue: VecDeque<String>,
    /// The calls that run, by the end of their leases.
    leases: BTreeSet<(Instant, String)>,
    pub(super) submitted: Arc<Notify>,
}

/// A call with its record.
#[derive(Debug)]
pub(super) struct Held {
    pool: String,
    /// None once a call that must not be repeated was claimed, and at the end of any.
    call: Option<Call>,
    lease: Option<(String, Instant)>,
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

impl Held {
    pub(super) fn lease_ends(&self) -> Option<Instant> {
        self.lease.as_ref().map(|(_, ends)| *ends)
    }

    pub(super) fn is_leased_as(&self, lease: &str) -> bool {
        self.lease.as_ref().is_some_and(|(held, _)| held == lease)
    }

    /// Notes a change, and wakes whoever waits for one.
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
            ages: VecDeque::new(),
            ended: VecDeque::new(),
            bytes: 0,
            most_calls,
            most_bytes,
            leases: 0,
        }
    }

    pub(super) fn submit(&mut self, pool: &str, call: Call, now: Instant) -> Result<(), CallError> {
        call.check_size()?;
        if self.calls.contains_key(&call.id) {
            return Ok(());
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
        let held = Held {
            pool: pool.to_owned(),
            call: Some(call),
            lease: None,
            bytes,
            record: CallRecord::new(CallState::Queued, 0, None, 1),
            is_cancelled: false,
            changed: Arc::default(),
        };
        self.bytes += bytes;
        self.ages.push_back((now + RECORD_TTL, id.clone()));
        self.calls.insert(id.clone(), held);
        let pool = self.pool(pool);
        pool.queue.push_back(id);
        pool.submitted.notify_one();
        Ok(())
    }

    pub(super) fn pool(&mut self, pool: &str) -> &mut Pool {
        if !self.pools.contains_key(pool) {
            self.pools.insert(pool.to_owned(), Pool::default());
        }
        self.pools.get_mut(pool).expect("it has been inserted")
    }

    /// A call as it stands now: one whose lease is over has none.
    pub(super) fn current(&mut self, id: &str, now: Instant) -> Result<&Held, CallError> {
        self.drop_old(now);
        if let Some(held) = self.calls.get(id)
            && held.lease_ends().is_some_and(|ends| ends <= now)
        {
            let pool = held.pool.clone();
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

    /// The next call of a pool whose deadline has not passed.
    pub(super) fn claim(&mut self, pool: &str, now: Instant, unix_millis: u64) -> Option<Claim> {
        self.end_leases(pool, now);
        loop {
            let id = self.pools.get_mut(pool)?.queue.pop_front()?;
            // Its record may have been dropped.
            let Some(held) = self.calls.get_mut(&id) else { continue };
            let Some(call) = held.call.take() else { continue };
            if call.deadline <= unix_millis {
                self.end(&id, CallState::Cancelled);
                continue;
            }
            if call.is_repeatable {
                held.call = Some(call.clone());
            }
            self.leases += 1;
            let (lease, ends) = (self.leases.to_string(), now + LEASE);
            held.lease = Some((lease.clone(), ends));
            held.record.attempt += 1;
            held.change(CallState::Running);
            let attempt = held.record.attempt;
            let pool = self.pool(pool);
            pool.leases.insert((ends, id));
            if !pool.queue.is_empty() {
                // Two calls wake one worker where it had not begun to wait yet.
                pool.submitted.notify_one();
            }
            return Some(Claim::new(call, lease, attempt));
        }
    }

    pub(super) fn renew(&mut self, id: &str, lease: &str, progress: Option<Progress>, now: Instant) -> Lease {
        let Some(held) = self.calls.get_mut(id).filter(|held| held.is_leased_as(lease)) else {
            return Lease::Lost;
        };
        if let Some(progress) = progress {
            held.record.progress = Some(progress);
            held.change(CallState::Running);
        }
        let ends = now + LEASE;
        let former = held.lease.replace((lease.to_owned(), ends)).map(|(_, ends)| ends);
        let (pool, is_cancelled) = (held.pool.clone(), held.is_cancelled);
        let leases = &mut self.pool(&pool).leases;
        if let Some(former) = former {
            leases.remove(&(former, id.to_owned()));
        }
        leases.insert((ends, id.to_owned()));
        if is_cancelled { Lease::Cancelled } else { Lease::Held }
    }

    pub(super) fn finish(&mut self, id: &str, lease: &str, with: Finish, now: Instant) -> bool {
        if !self.calls.get(id).is_some_and(|held| held.is_leased_as(lease)) {
            return false;
        }
        let state = with.into_state();
        let bytes = state.bytes();
        self.end(id, state);
        self.make_room(bytes, now);
        self.bytes += bytes;
        if let Some(held) = self.calls.get_mut(id) {
            held.bytes += bytes;
        }
        true
    }

    pub(super) fn cancel(&mut self, id: &str, now: Instant) -> Result<(), CallError> {
        self.current(id, now)?;
        let Some(held) = self.calls.get_mut(id) else { return Ok(()) };
        match held.record.state {
            CallState::Queued => {
                let pool = held.pool.clone();
                self.end(id, CallState::Cancelled);
                self.pool(&pool).queue.retain(|queued| queued != id);
            }
            CallState::Running => {
                held.is_cancelled = true;
                held.changed.notify_waiters();
            }
            _ => {}
        }
        Ok(())
    }

    /// Looks for workers of the pool that have let their leases end.
    fn end_leases(&mut self, pool: &str, now: Instant) {
        while let Some(known) = self.pools.get_mut(pool)
            && known.first_lease_end().is_some_and(|ends| ends <= now)
            && let Some((_, id)) = known.leases.pop_first()
        {
            let Some(held) = self.calls.get_mut(&id) else { continue };
            held.lease = None;
            let may_repeat = held.call.is_some() && held.record.attempt < MAX_ATTEMPTS && !held.is_cancelled;
            if may_repeat {
                held.change(CallState::Queued);
                known.queue.push_front(id);
                known.submitted.notify_one();
            } else {
                self.end(&id, CallState::Unknown);
            }
        }
    }

    /// Ends a call.
    fn end(&mut self, id: &str, state: CallState) {
        let Some(held) = self.calls.get_mut(id) else { return };
        let (call, lease) = (held.call.take(), held.lease.take());
        held.change(state);
        self.bytes -= held.bytes;
        held.bytes = 0;
        if let (Some((_, ends)), Some(pool)) = (lease, self.pools.get_mut(&held.pool)) {
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
        let Some(held) = self.calls.remove(id) else { return };
        self.bytes -= held.bytes;
        if let (Some((_, ends)), Some(pool)) = (held.lease, self.pools.get_mut(&held.pool)) {
            pool.leases.remove(&(ends, id.to_owned()));
        }
        held.changed.notify_waiters();
    }
}
