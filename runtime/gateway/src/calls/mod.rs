//! Calls that workers answer.
//!
//! A gateway submits a call to a pool; a worker of the pool claims it, holds it by a lease that it renews while it works, and
//! finishes it. `bus` says what any way between them must do.

mod bus;

pub use bus::{
    Call, CallBus, CallError, CallRecord, CallState, Claim, Finish, LEASE, Lease, MAX_QUEUED, Progress,
    RECORD_TTL, RENEW_EVERY, WORKER_TTL,
};
