//! Shared runs, calls, tasks and events of several processes, in Redis.
//!
//! `connection` connects to the server, `store` stores runs, `sealed` their credentials, and `bus` transports
//! calls; `batches` runs scripts for several callers at once, and `waiting` wakes callers by the messages of a
//! `subscription`. `tasks` and `events` are stores of any server, with or without a gateway in front. Each change is
//! one script in `scripts`, so it is atomic; `keys.lua` documents the key layout. Only commands of Redis 7.0 are used.
//! Scripts compute key names, so Redis Cluster is not supported; replicas are.

mod batches;
mod bound;
mod bus;
mod claiming;
mod connection;
mod doctor;
mod events;
mod recent;
mod records;
mod sealed;
mod store;
mod subscription;
mod tasks;
mod waiting;

pub use bus::{MAX_CARRIED_BYTES, RedisBus};
pub use connection::RedisError;
pub use doctor::{Check, Verdict, inspect};
pub use events::RedisEvents;
pub use sealed::RedisSecrets;
pub use store::RedisStore;
pub use tasks::{RedisTasks, TaskSettings};
