//! The registered nodes of runs, and access to their tools.
//!
//! `store` is the interface of stores, `memory` stores runs in this process, and `entry` defines the
//! registration of a node, `events` what happened to a run. `live` synchronizes the runs in use with the store, `view` is a run at one time,
//! `verify` verifies tokens, `sessions` caches the tokens in use, `provider` serves lists and calls, `call`
//! executes calls on workers, `credentials` seals the credentials of nodes, and `report` shows the state of
//! nodes to operators.

mod call;
mod credentials;
mod entry;
mod events;
mod live;
mod memory;
mod provider;
mod report;
mod sessions;
mod store;
mod verify;
mod view;

pub use credentials::RegisterError;
#[cfg(feature = "http")]
pub(crate) use entry::check_id;
pub use entry::{Backend, Entry, EntryError, MAX_ENTRY_BYTES, MAX_ID_BYTES, Status};
pub use events::{
    EVENTS_TTL, EventDetails, EventKind, EventPage, MAX_EVENT_BYTES, MAX_RUN_EVENT_BYTES, MAX_RUN_EVENTS,
    RunEvent,
};
pub use live::{IDLE, Registry, RegistryBuilder};
pub use memory::MemoryStore;
#[cfg(feature = "redis")]
pub(crate) use memory::TOKEN_LIFE;
pub use report::{NodeReport, RunReport};
pub(crate) use sessions::Agent;
#[cfg(feature = "redis")]
pub(crate) use store::CHANGES;
pub use store::{
    MAX_ENTRIES, MAX_RUN_BYTES, MAX_RUNS, RUN_TTL, RegistryStore, Revocation, RunChanged, RunState, Snapshot,
    TokenId,
};
pub use verify::SessionVerifier;

pub use crate::store::{RunId, StoreError};
