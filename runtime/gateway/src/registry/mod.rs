//! The nodes of runs, and who may call their tools.
//!
//! `store` says how runs and their entries are kept, `memory` keeps them in this process, and `entry` is what a node
//! registers.

mod entry;
mod memory;
mod store;

pub use entry::{Backend, Entry, EntryError, MAX_ENTRY_BYTES, MAX_ID_BYTES, Status};
pub use memory::MemoryStore;
pub use store::{
    MAX_ENTRIES, MAX_RUN_BYTES, MAX_RUNS, RUN_TTL, RegistryStore, Revocation, RunChanged, RunId, RunState,
    Snapshot, StoreError, TokenId,
};
