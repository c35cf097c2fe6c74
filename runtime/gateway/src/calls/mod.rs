//! Calls that workers answer.
//!
//! A gateway submits a call to a pool; a worker of the pool claims it, holds it by a lease that it renews while it works, and
//! finishes it. `bus` says what any way between them must do, `memory` is the one within a process.

mod bus;
mod idempotency;
mod memory;

pub use bus::{
    Call, CallBus, CallError, CallRecord, CallState, Claim, Finish, LEASE, Lease, MAX_ATTEMPTS,
    MAX_CALL_BYTES, MAX_QUEUED, MAX_RESULT_BYTES, Progress, RECORD_TTL, Started,
};
pub use idempotency::{IdempotencyKey, MAX_IDEMPOTENCY_KEY_BYTES};
pub use memory::{MAX_RECORD_BYTES, MAX_RECORDS, MemoryBus};
