//! Quotas: what each caller has open, and how often it calls.
//!
//! A caller is a principal, or the address of an unauthenticated peer. A peer without either (on stdio, or of a
//! mounted service that does not know addresses) has no quota of its own; only the limits of all callers apply.
//!
//! Quotas apply across connections, by issuer and subject without the client, so that more clients do not mean a
//! larger quota. A message counts until its response is sent, not until it is parsed, because its arguments are kept
//! while its handler runs.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use toolwright_wire::budget::Budget;

use crate::buckets::{Buckets, Limiter, nanoseconds};
use crate::limits::{Limits, RateLimit};

/// The limits of a server, and how much of them each caller uses.
#[derive(Debug)]
pub(crate) struct Quotas {
    limits: Limits,
    callers: Callers,
}

impl Quotas {
    /// Creates quotas without any usage.
    pub(crate) fn new(limits: Limits) -> Self {
        Self { callers: Callers::new(&limits), limits }
    }

    pub(crate) fn limits(&self) -> &Limits {
        &self.limits
    }

    pub(crate) fn callers(&self) -> &Callers {
        &self.callers
    }

    /// Starts counting a message of a caller. A single message always has room.
    pub(crate) fn receive(&self, caller: &Caller) -> Received {
        let Limits { max_received_bytes, max_message_bytes, per_caller, .. } = &self.limits;
        let at_least = |bytes: usize| bytes.max(max_message_bytes.saturating_add(1));
        let (own, all) = (at_least(per_caller.max_received_bytes), at_least(*max_received_bytes));
        Received::new(&self.callers, caller, own, all)
    }
}

/// The callers that have anything open, or have called recently.
#[derive(Debug)]
pub(crate) struct Callers {
    start: Instant,
    most: usize,
    /// The maximum number of bytes that may wait to be sent to one caller.
    max_unread: usize,
    known: Mutex<Known>,
    /// All unidentified callers.
    anonymous: Caller,
    /// All callers beyond the maximum number; they share the limits of one.
    crowd: Caller,
    /// All callers together.
    overall: Caller,
}

#[derive(Debug, Default)]
struct Known {
    principals: HashMap<Box<str>, Caller>,
    /// Callers by [`network`].
    addresses: HashMap<u128, Caller>,
    /// The number of callers at which idle ones are removed.
    sweep_at: usize,
    swept: Option<Instant>,
}

/// One caller, for the purpose of limits. Clones are the same caller.
#[derive(Debug, Clone)]
pub(crate) struct Caller(Arc<Share>);

#[derive(Debug)]
struct Share {
    is_known: bool,
    counts: [AtomicUsize; What::ALL],
    /// What waits to be sent.
    #[cfg_attr(
        not(any(feature = "http", feature = "socket")),
        expect(dead_code, reason = "stdio has a single peer, with its own limits")
    )]
    unread: Arc<Budget>,
    /// How often it calls each tool.
    buckets: Buckets,
}

/// The resources that callers use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum What {
    /// Connections to the built-in HTTP server.
    #[cfg(feature = "http")]
    Connections,
    /// Handshakes of TLS.
    #[cfg(feature = "tls")]
    Handshakes,
    /// Sessions, and streams of HTTP+SSE.
    #[cfg(feature = "http")]
    Sessions,
    /// Sockets.
    #[cfg(feature = "ws")]
    Sockets,
    /// Running calls.
    Calls,
    /// Subscriptions.
    Subscriptions,
    /// Running tasks.
    #[cfg(feature = "tasks")]
    RunningTasks,
    /// Stored tasks, including running ones.
    #[cfg(feature = "tasks")]
    StoredTasks,
    /// Bytes of messages that are received or handled, and of stored responses.
    Bytes,
}

impl What {
    /// The number of kinds.
    const ALL: usize = 9;
}

/// The number of callers at which idle ones are first removed.
const FIRST_SWEEP: usize = 1_024;

/// The minimum time between two attempts to remove idle callers.
const SWEEP_PAUSE: Duration = Duration::from_secs(1);

impl Callers {
    /// Creates an empty set with these limits.
    pub(crate) fn new(limits: &Limits) -> Self {
        let (most, max_unread) = (limits.max_callers, limits.per_caller.max_unread_bytes);
        let all = Arc::new(Budget::new(limits.max_unread_bytes));
        Self {
            start: Instant::now(),
            most,
            max_unread,
            known: Mutex::new(Known { sweep_at: FIRST_SWEEP.min(most), ..Known::default() }),
            // Unidentified callers together may use all there is.
            anonymous: Caller::new(false, Budget::part_of(&all, limits.max_unread_bytes)),
            crowd: Caller::new(true, Budget::part_of(&all, max_unread)),
            overall: Caller(Arc::new(Share::new(true, all))),
        }
    }

    /// Creates a set of at most this many callers, with the other limits at their defaults.
    #[cfg(test)]
    pub(crate) fn of_at_most(max_callers: usize) -> Self {
        Self::new(&Limits { max_callers, ..Limits::default() })
    }

    /// Returns the caller with this principal or, failing that, address; otherwise the unidentified caller.
    #[cfg(feature = "http")]
    pub(crate) fn of(&self, principal: Option<&str>, address: Option<IpAddr>) -> Caller {
        if principal.is_none() && address.is_none() {
            return self.anonymous.clone();
        }
        let mut known = self.known();
        let found = match (principal, address.map(network)) {
            (Some(principal), _) => known.principals.get(principal),
            (None, Some(address)) => known.addresses.get(&address),
            (None, None) => None,
        };
        if let Some(found) = found {
            return found.clone();
        }
        if known.len() >= known.sweep_at.min(self.most) {
            self.sweep(&mut known);
        }
        if known.len() >= self.most {
            return self.crowd.clone();
        }
        let caller = Caller::new(true, Budget::part_of(&self.overall.0.unread, self.max_unread));
        match (principal, address.map(network)) {
            (Some(principal), _) => known.principals.insert(principal.into(), caller.clone()),
            (None, Some(address)) => known.addresses.insert(address, caller.clone()),
            (None, None) => None,
        };
        caller
    }

    /// All unidentified callers.
    pub(crate) fn anonymous(&self) -> &Caller {
        &self.anonymous
    }

    /// All callers together.
    pub(crate) fn overall(&self) -> &Caller {
        &self.overall
    }

    /// The current time in the unit of buckets.
    pub(crate) fn now(&self) -> u64 {
        nanoseconds(self.start.elapsed())
    }

    /// Removes idle callers.
    fn sweep(&self, known: &mut Known) {
        if known.len() >= self.most && known.swept.is_some_and(|swept| swept.elapsed() < SWEEP_PAUSE) {
            return;
        }
        let now = self.now();
        known.principals.retain(|_, caller| caller.has_something(now));
        known.addresses.retain(|_, caller| caller.has_something(now));
        known.sweep_at = (2 * known.len()).max(FIRST_SWEEP);
        known.swept = Some(Instant::now());
    }

    fn known(&self) -> MutexGuard<'_, Known> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Known {
    fn len(&self) -> usize {
        self.principals.len() + self.addresses.len()
    }
}

/// The part of an address that identifies its owner, in the bits of IPv6: a peer with one address has all addresses with the
/// same first 64 bits.
fn network(address: IpAddr) -> u128 {
    match address.to_canonical() {
        IpAddr::V6(address) => address.to_bits() & (u128::MAX << 64),
        IpAddr::V4(address) => address.to_ipv6_mapped().to_bits(),
    }
}

impl Share {
    fn new(is_known: bool, unread: Arc<Budget>) -> Self {
        Self { is_known, counts: Default::default(), unread, buckets: Buckets::default() }
    }
}

impl Caller {
    pub(crate) fn new(is_known: bool, unread: Budget) -> Self {
        Self(Arc::new(Share::new(is_known, Arc::new(unread))))
    }

    /// What waits to be sent to it.
    #[cfg(any(feature = "http", feature = "socket"))]
    pub(crate) fn unread(&self) -> &Arc<Budget> {
        &self.0.unread
    }

    /// Whether it has limits of its own.
    pub(crate) fn is_known(&self) -> bool {
        self.0.is_known
    }

    /// Whether both are the same caller.
    #[cfg(feature = "http")]
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// How much the caller uses.
    pub(crate) fn count(&self, what: What) -> usize {
        self.0.counts[what as usize].load(Ordering::Acquire)
    }

    /// Whether the caller has reached the limit.
    pub(crate) fn is_full(&self, what: What, limit: usize) -> bool {
        self.is_known() && self.count(what) >= limit
    }

    /// Takes one more; `None` if the caller already has `limit`.
    pub(crate) fn take(&self, what: What, limit: usize) -> Option<TakenShare> {
        let mut taken = TakenShare { caller: self.clone(), what, amount: 0 };
        taken.grow(1, limit).then_some(taken)
    }

    /// An empty share, to be grown.
    fn nothing_of(&self, what: What) -> TakenShare {
        TakenShare { caller: self.clone(), what, amount: 0 }
    }

    /// Takes a call of a tool, in nanoseconds since the start of [`Callers`].
    ///
    /// # Errors
    /// The time until the next call is allowed, if the rate is exceeded.
    pub(crate) fn pace(
        &self,
        limiter: Limiter,
        tool: &str,
        rate: RateLimit,
        now: u64,
    ) -> Result<(), Duration> {
        self.0.buckets.take(limiter, tool, rate, now)
    }

    /// Whether it has anything open, or a bucket that is not full.
    fn has_something(&self, now: u64) -> bool {
        Arc::strong_count(&self.0) > 1 || self.0.buckets.is_refilling(now)
    }
}

/// A caller's usage, which is released when this is dropped.
#[derive(Debug)]
pub(crate) struct TakenShare {
    caller: Caller,
    what: What,
    amount: usize,
}

impl TakenShare {
    /// The caller.
    #[cfg(feature = "http")]
    pub(crate) fn caller(&self) -> &Caller {
        &self.caller
    }

    /// Takes more, unless that exceeds `limit`; callers without limits may take any amount.
    pub(crate) fn grow(&mut self, amount: usize, limit: usize) -> bool {
        let count = &self.caller.0.counts[self.what as usize];
        let limit = if self.caller.is_known() { limit } else { usize::MAX };
        let more = |count: usize| count.checked_add(amount).filter(|count| *count <= limit);
        let has_room = count.fetch_update(Ordering::AcqRel, Ordering::Acquire, more).is_ok();
        self.amount += if has_room { amount } else { 0 };
        has_room
    }
}

impl TakenShare {
    /// Releases some of it, up to all.
    fn shrink(&mut self, amount: usize) {
        drop(self.split(amount));
    }

    /// Splits off some of it, up to all, which is released separately.
    fn split(&mut self, amount: usize) -> Self {
        let amount = amount.min(self.amount);
        self.amount -= amount;
        Self { caller: self.caller.clone(), what: self.what, amount }
    }
}

/// The bytes of a message that is received or handled, counted against the limits of its caller and of all callers.
#[derive(Debug)]
pub(crate) struct Received {
    own: TakenShare,
    all: TakenShare,
    own_limit: usize,
    all_limit: usize,
}

impl Received {
    /// Creates an empty count, for a caller limited to `own_limit`, where all callers are limited to `all_limit`.
    pub(crate) fn new(callers: &Callers, caller: &Caller, own_limit: usize, all_limit: usize) -> Self {
        let (own, all) = (caller.nothing_of(What::Bytes), callers.overall().nothing_of(What::Bytes));
        Self { own, all, own_limit, all_limit }
    }

    /// Counts more bytes; false if they exceed a limit.
    pub(crate) fn grow(&mut self, bytes: usize) -> bool {
        if !self.own.grow(bytes, self.own_limit) {
            return false;
        }
        let has_room = self.all.grow(bytes, self.all_limit);
        if !has_room {
            self.own.shrink(bytes);
        }
        has_room
    }

    /// Splits off some bytes, up to all, which count until the returned value is dropped.
    #[cfg(any(feature = "socket", feature = "ws"))]
    pub(crate) fn split(&mut self, bytes: usize) -> Self {
        let Self { own, all, own_limit, all_limit } = self;
        Self { own: own.split(bytes), all: all.split(bytes), own_limit: *own_limit, all_limit: *all_limit }
    }
}

impl Drop for TakenShare {
    fn drop(&mut self) {
        self.caller.0.counts[self.what as usize].fetch_sub(self.amount, Ordering::AcqRel);
    }
}

#[cfg(all(test, feature = "http"))]
mod tests {
    use std::time::Duration;

    use super::{Caller, Callers, Received, What};
    use crate::buckets::Limiter;
    use crate::limits::RateLimit;

    fn at(callers: &Callers, address: &str) -> Caller {
        callers.of(None, Some(address.parse().expect("an address")))
    }

    #[test]
    fn callers_are_principals_or_addresses() {
        let callers = Callers::of_at_most(100);
        let home = "10.0.0.1".parse().ok();
        let ada = callers.of(Some("ada"), home);
        assert!(ada.is(&callers.of(Some("ada"), None)), "at any address");
        assert!(!ada.is(&callers.of(Some("bob"), home)));
        let peer = at(&callers, "10.0.0.1");
        assert!(!peer.is(&ada) && peer.is_known());
        for same in ["10.0.0.1", "::ffff:10.0.0.1"] {
            assert!(peer.is(&at(&callers, same)), "{same}");
        }
        assert!(!peer.is(&at(&callers, "10.0.0.2")));
        let network = at(&callers, "2001:db8::1");
        assert!(network.is(&at(&callers, "2001:db8::ffff:2")), "one network");
        assert!(!network.is(&at(&callers, "2001:db8:0:1::1")));
        let anonymous = callers.of(None, None);
        assert!(anonymous.is(callers.anonymous()) && !anonymous.is_known());
    }

    #[test]
    fn callers_do_not_share_usage() {
        let callers = Callers::of_at_most(100);
        let (ada, bob) = (callers.of(Some("ada"), None), callers.of(Some("bob"), None));
        let taken: Vec<_> = (0..3).map(|_| ada.take(What::Calls, 3).expect("room")).collect();
        assert!(ada.take(What::Calls, 3).is_none() && ada.is_full(What::Calls, 3));
        assert!(ada.take(What::Sessions, 3).is_some(), "of another kind");
        assert!(bob.take(What::Calls, 3).is_some());
        drop(taken);
        assert_eq!(ada.count(What::Calls), 0);
        let mut grown = ada.take(What::Bytes, 10).expect("room");
        assert!(!grown.grow(10, 10) && grown.grow(9, 10) && !grown.grow(usize::MAX, usize::MAX));
        drop(grown);
        assert_eq!(ada.count(What::Bytes), 0);
        let anonymous: Vec<_> = (0..9).map(|_| callers.anonymous().take(What::Calls, 3)).collect();
        assert!(anonymous.iter().all(Option::is_some) && !callers.anonymous().is_full(What::Calls, 3));
    }

    #[test]
    fn bytes_count_for_their_caller_and_for_all() {
        let callers = Callers::of_at_most(100);
        let receive = |name: &str| Received::new(&callers, &callers.of(Some(name), None), 60, 100);
        let (mut ada, mut bob, mut eve) = (receive("ada"), receive("bob"), receive("eve"));
        assert!(ada.grow(60) && !ada.grow(1), "the limit of one caller");
        assert!(bob.grow(40) && !bob.grow(1) && !eve.grow(1), "the limit of all callers");
        assert_eq!(callers.of(Some("bob"), None).count(What::Bytes), 40, "rejected bytes do not count");
        let half = ada.split(30);
        drop(ada);
        assert_eq!(callers.overall().count(What::Bytes), 70);
        assert!(eve.grow(30) && !eve.grow(1));
        drop((half, bob, eve));
        assert_eq!(callers.overall().count(What::Bytes), 0);
        let mut anonymous = Received::new(&callers, callers.anonymous(), 60, 100);
        assert!(anonymous.grow(100) && !anonymous.grow(1), "only the limit of all applies");
    }

    /// Idle callers are removed; callers beyond the maximum share one set of limits.
    #[test]
    fn the_number_of_callers_is_bounded() {
        let callers = Callers::of_at_most(4);
        let name = |number: usize| format!("caller {number}");
        for number in 0..100 {
            callers.of(Some(&name(number)), None);
            assert!(callers.known().len() <= 4);
        }
        callers.known().swept = None;
        let taken = |number: usize| callers.of(Some(&name(number)), None).take(What::Calls, 1).expect("room");
        let held: Vec<_> = (0..4).map(taken).collect();
        callers.known().swept = None;
        let (fifth, sixth) = (callers.of(Some("fifth"), None), at(&callers, "10.0.0.6"));
        assert!(fifth.is(&sixth) && fifth.is_known());
        let _taken = fifth.take(What::Calls, 1).expect("room");
        assert!(sixth.take(What::Calls, 1).is_none(), "the limit of one caller");
        assert!(callers.of(Some(&name(0)), None).take(What::Calls, 1).is_none(), "it is still known");
        drop(held);
        callers.known().swept = None;
        assert!(!callers.of(Some("fifth"), None).is(&sixth), "there is room again");
    }

    /// A bucket that is not full outlives its caller's requests; otherwise each request would start with a full one.
    #[test]
    fn buckets_are_kept_until_they_are_full() {
        let callers = Callers::of_at_most(100);
        let hour = Duration::from_hours(1);
        let rate = RateLimit::new(1, hour);
        let pace = |name| callers.of(Some(name), None).pace(Limiter::SERVER, "pay", rate, callers.now());
        assert_eq!(pace("ada"), Ok(()));
        callers.sweep(&mut callers.known());
        assert!(pace("ada").is_err());
        assert_eq!(pace("bob"), Ok(()), "another caller");
    }
}
