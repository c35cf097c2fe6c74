//! What every way to workers and every store of runs must do, for each that there is: one suite, run on all of them.

#[cfg(feature = "http")]
mod agents;
mod calls;
#[cfg(feature = "http")]
mod credentials;
mod lab;
mod memory;
#[cfg(all(feature = "http", feature = "redis"))]
mod outage;
#[cfg(feature = "redis")]
mod processes;
#[cfg(feature = "redis")]
mod redis;
#[cfg(feature = "redis")]
mod redis_faults;
#[cfg(feature = "redis")]
mod redis_limits;
#[cfg(feature = "redis")]
mod redis_server;
#[cfg(feature = "redis")]
mod redis_users;
mod registry;
mod secrets;
mod sides;
#[cfg(feature = "http")]
mod tenants;
mod work;
