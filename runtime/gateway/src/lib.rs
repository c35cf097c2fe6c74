//! Gateways in front of MCP servers.
//!
//! A [`Proxy`] serves another server as a [`Provider`](toolwright_server::Provider), to clients of every
//! revision. `proxy` defines what is forwarded; it caches the upstream lists, and `conversation` holds the
//! calls that wait for a response of their client.
//!
//! A [`Gateway`] serves several servers as one provider: `{server}__{tool}`.
//!
//! [`graph`] compiles workflow graphs: which nodes are tools, and which agents may use them. A [`Scope`] defines
//! what an agent sees, a [session token](tokens) contains the scope, the [`registry`] has the tools of each run,
//! and [`calls`] connects it to the workers that execute them: each is a [`Worker`].
//!
//! [`callers`] verifies tokens of every kind: session tokens, API keys, and access tokens of other issuers.
//!
//! [`Controlled`] applies a [`policy`] to the requests of a provider, records them in an [`audit`] log and
//! counts them for [`metrics`].
//!
//! [`secrets`] encrypts stored credentials; [`pins`] detect changed tool definitions.
//!
//! This crate is separate from the façade, which re-exports it, so that other crates can depend on gateways
//! alone.

pub mod audit;
mod breaker;
pub mod callers;
pub mod calls;
mod controlled;
mod conversation;
mod followed;
mod gateway;
mod gateway_meta;
pub mod graph;
mod hex;
#[cfg(feature = "http")]
pub mod internal;
mod key_file;
pub mod metrics;
pub mod pins;
pub mod policy;
mod private_file;
mod proxy;
mod random;
#[cfg(feature = "redis")]
pub mod redis;
pub mod registry;
mod repeatable;
mod scope;
pub mod secrets;
mod store;
pub mod tokens;
pub mod worker;

pub use controlled::{Controlled, Controls};

pub use conversation::{INPUT_TIMEOUT, MAX_WAITING, MAX_WAITING_PER_CALLER};
pub use gateway::{Applied, Gateway, GatewayError, MAX_SERVERS, UpstreamState, UpstreamStatus};
pub use private_file::{MAX_PRIVATE_FILE_BYTES, PrivateFileError, read_private_file};
pub use proxy::{MAX_WATCHED, Proxy};
pub use scope::{EntryId, Scope, Selection};
pub use worker::Worker;

pub use toolwright_server::auth::Clock;
