//! The nodes of runs, and who may call their tools.
//!
//! `store` says how runs and their entries are kept, `memory` keeps them in this process, and `entry` is what a node
//! registers. `live` keeps the runs that are in use in step with the store, `view` is what one offers at a moment, `verify` finds
//! a caller's run by its token, `sessions` has the tokens in use, `provider` answers its lists and calls, `call` waits for workers, `credentials` seals what nodes bring,
//! and `report` shows operators how the nodes of a run stand.

mod call;
mod credentials;
mod entry;
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
pub use live::{IDLE, Registry, RegistryBuilder};
pub use memory::MemoryStore;
#[cfg(feature = "redis")]
pub(crate) use memory::TOKEN_LIFE;
pub use report::{NodeReport, RunReport};
pub(crate) use sessions::Agent;
#[cfg(feature = "redis")]
pub(crate) use store::CHANGES;
pub use store::{
    MAX_ENTRIES, MAX_RUN_BYTES, MAX_RUNS, RUN_TTL, RegistryStore, Revocation, RunChanged, RunId, RunState,
    Snapshot, StoreError, TokenId,
};
pub use verify::SessionVerifier;
