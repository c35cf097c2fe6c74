//! What serves tools, from the crate that has it.

pub use toolwright_core::protocol::ErrorObject;
#[cfg(feature = "socket")]
pub use toolwright_server::Lines;
#[cfg(feature = "stdio")]
pub use toolwright_server::Stdio;
#[cfg(feature = "tasks")]
pub use toolwright_server::Tasks;
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
pub use toolwright_server::Transport;
#[cfg(all(feature = "socket", unix))]
pub use toolwright_server::UnixSocket;
pub use toolwright_server::agent;
pub use toolwright_server::client::{ClientBuilder, ClientError, InputRequest, RpcError};
#[doc = include_str!("../elicitation.md")]
#[doc(inline)]
pub use toolwright_server::input;
#[cfg(feature = "skills")]
#[doc = include_str!("../skills.md")]
pub use toolwright_server::skills;
#[cfg(feature = "tasks")]
#[doc = include_str!("../tasks.md")]
pub use toolwright_server::tasks;
pub use toolwright_server::{
    AskError, BoxFuture, BuildError, CallerLimits, Changes, Client, ClientCapabilities, Completion,
    CompletionContext, CompletionRequest, Context, Dispatch, Elicited, Handler, InputRequired,
    InputResponses, IntoCompletion, Limits, LogLevel, Outcome, PromptRequest, Provider, ProviderCapabilities,
    RateLimit, RawResult, Reference, RequestHandler, ResourceRequest, Root, Router, Sampled, Sampling,
    ServeError, Server, Service, StateKeys, ToolRequest,
};
#[cfg(feature = "http")]
pub use toolwright_server::{
    EventLimits, EventStore, Http, HttpConfig, HttpService, MemoryEventStore, PeerAddr, SseService,
    StoredEvent,
};
#[cfg(feature = "skills")]
pub use toolwright_server::{Skill, Skills};
#[cfg(feature = "ws")]
pub use toolwright_server::{WebSocket, WebSocketService};

/// Callers: their tokens, their scopes, and what they may use.
#[cfg_attr(feature = "oauth", doc = "")]
#[cfg_attr(feature = "oauth", doc = include_str!("../authorization.md"))]
pub mod auth {
    #[cfg(feature = "auth")]
    pub use toolwright_server::MetadataService;
    #[doc(inline)]
    pub use toolwright_server::auth::*;
}
