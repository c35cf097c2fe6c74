//! Serves tools, prompts and resources over the Model Context Protocol: handlers and dispatch, both eras, and
//! transports.
//!
//! The path of a message: `transport` (bytes to frames) → `connection` (JSON-RPC, and the era) → `connection::calls`
//! (limits, deadline, cancellation) → `tool_table` (name to tool) → `router` (arguments to the tool's type) →
//! [`handler`] → `reply` (a typed reply, written once). Prompts and resources branch off after `connection`, to
//! [`features`].

pub mod handler;
pub mod server;

pub mod completion;
pub mod context;
pub mod error;
pub mod features;
pub mod input_requests;
pub mod limits;
pub mod middleware;
pub mod provider;
pub mod router;
pub mod service;
#[cfg(feature = "skills")]
pub mod skills;
#[cfg(feature = "tasks")]
pub mod tasks;

pub mod agent;
pub mod auth;
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
pub mod transport;

mod buckets;
mod caller_lists;
mod clock;
mod connection;
mod direct;
mod escape;
mod extensions;
mod forward;
mod hex;
mod in_process;
mod json_rpc;
mod log;
mod message;
mod observed;
mod pagination;
mod panics;
mod peer;
#[cfg_attr(not(feature = "http"), expect(dead_code, reason = "callers are distinguished over HTTP only"))]
mod quotas;
mod refresh_order;
mod reply;
mod result_check;
#[cfg(feature = "jsonrpsee")]
mod rpc_module;
#[cfg(feature = "http")]
mod shutdown;
mod subscriptions;
mod tool;
mod tool_table;
mod workflow;

#[doc(hidden)]
pub mod __private;

pub use completion::{
    Completes, Completion, CompletionContext, CompletionHandler, Completions, IntoCompletion, Reference,
};
pub use context::{Context, LogLevel};
pub use error::{BuildError, ServeError};
pub use features::{PromptHandler, RequestHandler, ResourceHandler};
pub use handler::{Handler, ToolHandler};
pub use input_requests::{
    ClientCapabilities, Elicited, InputRequestError, InputRequired, InputResponses, Root, Sampled, Sampling,
    StateKeys,
};
pub use limits::{CallerLimits, Limits, RateLimit};
pub use middleware::Middleware;
pub use provider::{
    Changes, CompletionRequest, Directory, DirectoryRequest, Outcome, PromptRequest, ProvidedSkill, Provider,
    ProviderCapabilities, RawResult, ResourceRequest, TaskAction, TaskRequest, ToolRequest,
};
pub use router::{Dispatch, Router};
pub use server::{Handlers, Server};
pub use service::Service;
#[cfg(feature = "http")]
pub use shutdown::shutdown_signal;
#[cfg(feature = "skills")]
pub use skills::{Skill, Skills};
#[cfg(feature = "tasks")]
pub use tasks::Tasks;
pub use toolwright_core::future::BoxFuture;
pub use toolwright_core::protocol::Implementation;
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
pub use transport::Transport;
#[cfg(feature = "axum")]
pub use transport::http::no_delay;
#[cfg(feature = "http")]
pub use transport::http::{
    EventLimits, EventStore, EventStoreError, Http, HttpConfig, HttpService, MemoryEventStore, PeerAddr,
    StoredEvent,
};
#[cfg(feature = "tls")]
pub use transport::http::{Tls, TlsError};
#[cfg(feature = "ws")]
pub use transport::http::{WebSocket, WebSocketService};
#[cfg(feature = "socket")]
pub use transport::lines::Lines;
#[cfg(feature = "stdio")]
pub use transport::stdio::Stdio;
#[cfg(all(feature = "socket", unix))]
pub use transport::unix::UnixSocket;
