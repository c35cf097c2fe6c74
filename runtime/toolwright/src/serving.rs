//! Servers: the types that most programs name at the root, the others in a module for each concept.

#[cfg(feature = "stdio")]
pub use toolwright_server::Stdio;
#[cfg(feature = "axum")]
pub use toolwright_server::no_delay;
pub use toolwright_server::{
    BoxFuture, BuildError, Context, Handler, Limits, Provider, ServeError, Server, Service,
};
#[cfg(feature = "http")]
pub use toolwright_server::{Http, HttpConfig, HttpService, shutdown_signal};

pub use toolwright_server::{agent, completion, limits, middleware, provider};

#[doc = include_str!("../elicitation.md")]
#[doc(inline)]
pub use toolwright_server::input_requests;
#[cfg(feature = "skills")]
#[doc = include_str!("../skills.md")]
pub use toolwright_server::skills;
#[cfg(feature = "tasks")]
#[doc = include_str!("../tasks.md")]
pub use toolwright_server::tasks;

/// The functions behind tools, prompts and resources, and the table that leads calls to them.
pub mod handler {
    pub use toolwright_server::{
        Dispatch, Handler, Handlers, PromptHandler, RequestHandler, ResourceHandler, Router, ToolHandler,
    };
}

/// The ways to serve: one type per transport, for [`Server::serve`].
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
pub mod transport {
    #[cfg(feature = "socket")]
    pub use toolwright_server::Lines;
    #[cfg(feature = "stdio")]
    pub use toolwright_server::Stdio;
    pub use toolwright_server::Transport;
    #[cfg(all(feature = "socket", unix))]
    pub use toolwright_server::UnixSocket;
    #[cfg(feature = "http")]
    pub use toolwright_server::{
        EventLimits, EventStore, EventStoreError, Http, HttpConfig, HttpService, MemoryEventStore, PeerAddr,
        StoredEvent,
    };
    #[cfg(feature = "tls")]
    pub use toolwright_server::{Tls, TlsError};
    #[cfg(feature = "ws")]
    pub use toolwright_server::{WebSocket, WebSocketService};
}

/// Callers: their tokens, their scopes, and what they may use.
#[cfg_attr(feature = "oauth", doc = "")]
#[cfg_attr(feature = "oauth", doc = include_str!("../authorization.md"))]
pub mod auth {
    #[doc(inline)]
    pub use toolwright_server::auth::*;
}
