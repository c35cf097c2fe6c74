//! Runs and calls that several processes share, in Redis.
//!
//! `connection` is the way to the server, `store` keeps runs, `sealed` their credentials, and `bus` carries calls. Each change is one script, in
//! `scripts`, so that nothing is half done; `keys.lua` says what is kept where. Only commands of Redis 7.0 are used. Scripts
//! compute the names of keys, so the server is one that is not divided (no Redis Cluster); it may have replicas.

mod bus;
mod claiming;
mod connection;
mod doctor;
mod sealed;
mod store;
mod waiting;

pub use bus::RedisBus;
pub use connection::RedisError;
pub use doctor::{Check, Verdict, inspect};
pub use sealed::RedisSecrets;
pub use store::RedisStore;
