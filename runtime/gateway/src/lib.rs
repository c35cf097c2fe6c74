//! Servers in front of other servers.
//!
//! A [`Proxy`] is a client of one server as a [`Provider`](toolwright_server::Provider): whatever the server behind it has,
//! the server in front offers too, to clients of every revision. `proxy` says what is passed on; `lists` keeps what the
//! server behind lists, `conversation` holds the calls that wait for an answer of their client.
//!
//! A [`Gateway`] is many servers, each behind a proxy, as one provider: `{server}__{tool}`.
//!
//! [`graph`] compiles workflow graphs: which nodes are tools, and which agents may use them.
//!
//! This is a crate and not a part of the façade, since everything that stands in front of servers needs it from below: the
//! façade re-exports it.

pub mod graph;

mod conversation;
mod gateway;
mod lists;
mod proxy;
mod watching;

pub use conversation::{MAX_WAITING, MAX_WAITING_PER_CALLER, PATIENCE};
pub use gateway::{Applied, Gateway, GatewayError, MAX_SERVERS, UpstreamState, UpstreamStatus};
pub use proxy::Proxy;
pub use watching::MAX_WATCHED;
