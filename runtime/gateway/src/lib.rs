//! Servers in front of other servers.
//!
//! A [`Proxy`] is a client of one server as a [`Provider`](toolwright_server::Provider): whatever the server behind it has,
//! the server in front offers too, to clients of every revision. `proxy` says what is passed on; `lists` keeps what the
//! server behind lists, `conversation` holds the calls that wait for an answer of their client.
//!
//! A [`Gateway`] is many servers, each behind a proxy, as one provider: `{server}__{tool}`.
//!
//! [`graph`] compiles workflow graphs: which nodes are tools, and which agents may use them. What an agent sees is its [`Scope`]. Its [session token](tokens) says so; the [`registry`] knows what the nodes of its run
//! offer, and [`calls`] leads to the workers that answer: each is a [`Worker`].
//!
//! [`Controlled`] holds the requests to a provider to a [`policy`], records them in an [`audit`] and counts them for [`metrics`].
//!
//! [`secrets`] seals credentials where they are stored; [`pins`] keep servers from exchanging definitions.
//!
//! This is a crate and not a part of the façade, since everything that stands in front of servers needs it from below: the
//! façade re-exports it.

pub mod audit;
mod breaker;
pub mod calls;
mod clock;
mod controlled;
mod conversation;
mod forged;
mod gateway;
pub mod graph;
mod hex;
#[cfg(feature = "http")]
pub mod internal;
mod lists;
pub mod metrics;
pub mod pins;
pub mod policy;
mod proxy;
mod random;
#[cfg(feature = "redis")]
pub mod redis;
pub mod registry;
mod scope;
pub mod secrets;
pub mod tokens;
mod watching;
pub mod worker;

pub use clock::Clock;
pub use controlled::{Controlled, Controls};

pub use conversation::{MAX_WAITING, MAX_WAITING_PER_CALLER, PATIENCE};
pub use gateway::{Applied, Gateway, GatewayError, MAX_SERVERS, UpstreamState, UpstreamStatus};
pub use proxy::Proxy;
pub use scope::{EntryId, Scope, Selection};
pub use watching::MAX_WATCHED;
pub use worker::Worker;
