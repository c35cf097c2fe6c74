//! What every way to workers and every store must do, for each that there is: one suite, run on all of them.

#[cfg(feature = "http")]
mod agents;
mod calls;
#[cfg(feature = "http")]
mod credentials;
mod events;
mod lab;
mod memory;
#[cfg(all(feature = "http", feature = "redis"))]
mod outage;
#[cfg(feature = "redis")]
mod processes;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod redis_claims;
#[cfg(feature = "redis")]
mod redis_cost;
#[cfg(feature = "redis")]
mod redis_faults;
#[cfg(feature = "redis")]
mod redis_limits;
#[cfg(feature = "redis")]
mod redis_recent;
#[cfg(feature = "redis")]
mod redis_server;
#[cfg(feature = "redis-tls")]
mod redis_tls;
#[cfg(feature = "redis")]
mod redis_users;
mod registry;
mod run_events;
mod secrets;
mod sides;
#[cfg(feature = "redis")]
mod task_servers;
mod tasks;
#[cfg(feature = "http")]
mod tenants;
mod work;
