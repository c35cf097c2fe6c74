//! A client for any Model Context Protocol server.
//!
//! [`Client::connect`] takes a URL or a [`ServerSpec`](config::ServerSpec) and negotiates the protocol revision. The
//! memory that a server can make the client use is bounded, every wait ends, and every error says what happened and
//! what to do ([`ClientError`]).
//!
//! ```no_run
//! use toolwright_client::Client;
//! use toolwright_client::config::StdioSpec;
//!
//! # async fn example() -> Result<(), toolwright_client::ClientError> {
//! # #[cfg(feature = "stdio")] {
//! let server = StdioSpec::new("npx").arg("-y").arg("@modelcontextprotocol/server-everything");
//! let client = Client::connect(server).await?;
//! for tool in client.list_tools().await?.iter() {
//!     println!("{}: {}", tool.name(), tool.description().unwrap_or_default());
//! }
//! let result = client.call("echo", serde_json::json!({"message": "hello"})).await?;
//! println!("{}", result.as_text());
//! # }
//! # Ok(())
//! # }
//! ```
//!
//! | feature | enables |
//! |---|---|
//! | `stdio` | servers as child processes |
//! | `http` | servers over Streamable HTTP and HTTP+SSE |
//! | `ws` | servers over WebSocket; implies `http` |
//! | `tls` | `https:` and `wss:`, with the system's root certificates; implies `http` |
//! | `oauth` | access tokens from authorization servers; implies `tls` |
//! | `config` | configuration files |
//! | `toolbox` | the connections of an agent's toolbox ([`toolbox::Servers`]) |
//! | `agent` | agents behind a gateway; implies `http` and `toolbox` |
//! | `skills` | skills of servers, verified against the list |
//!
//! | limit | default | set by |
//! |---|---|---|
//! | time without a response or progress | 60 s | [`ServerSpec::request_timeout`](config::ServerSpec::request_timeout), [`Call::timeout`] |
//! | total time of a request | 10 min | [`ClientBuilder::max_duration`] |
//! | time until a server has started | 60 s | [`ServerSpec::start_timeout`](config::ServerSpec::start_timeout) |
//! | time until the probe is answered | 5 s | [`ClientBuilder::probe_timeout`] |
//! | size of a message | 16 MiB | [`ClientBuilder::max_message_bytes`] |
//! | pages of a list, and their total size | 500, 64 MiB | [`ClientBuilder::max_pages`], [`ClientBuilder::max_list_bytes`] |
//! | rounds of input requests per call | 16 | [`ClientBuilder::max_rounds`] |
//! | concurrent requests over one channel | 1,024 | [`ServerSpec::max_concurrency`](config::ServerSpec::max_concurrency) |

#![cfg_attr(
    not(any(feature = "stdio", feature = "http")),
    expect(
        unused_imports,
        dead_code,
        reason = "without a transport, only in-process servers can be reached"
    )
)]

#[cfg(feature = "agent")]
pub mod agent;
pub mod config;
pub mod model_content;
#[cfg(feature = "toolbox")]
pub mod toolbox;

mod buffers;
mod call;
#[cfg(feature = "stdio")]
mod child;
mod client;
mod clients;
mod connect;
mod connection;
#[cfg_attr(
    not(feature = "stdio"),
    expect(dead_code, reason = "only child processes use other encodings than UTF-8")
)]
mod encoding;
mod era;
mod error;
mod event;
mod host;
#[cfg(feature = "http")]
mod http;
mod input_requests;
mod lines;
mod list_watch;
mod lists;
mod memory;
mod message;
mod mux;
mod negotiate;
#[cfg(feature = "oauth")]
mod oauth;
mod param_headers;
mod pending;
#[cfg(feature = "stdio")]
mod process;
#[cfg(all(feature = "stdio", unix))]
mod process_guard;
#[cfg(all(feature = "stdio", any(windows, test)))]
mod program;
mod progress;
mod relay;
mod relay_channel;
mod requests;
mod server_info;
#[cfg(feature = "skills")]
mod skills;
mod spec;
mod subscription;
mod task;
mod tool;
mod tool_cache;
mod typed;
mod typed_features;

pub use call::Call;
pub use client::{
    Client, ClientBuilder, DEFAULT_MAX_DURATION, DEFAULT_MAX_LIST_BYTES, DEFAULT_MAX_MESSAGE_BYTES,
    DEFAULT_MAX_PAGES, DEFAULT_MAX_ROUNDS, DEFAULT_PROBE_TIMEOUT,
};
pub use clients::{Clients, Listing, NamedTool};
pub use error::{ClientError, ErrorKind};
pub use event::{Change, Event, LogLevel};
#[cfg(feature = "http")]
pub use http::{Authorize, Rejection, RequestTarget};
pub use input_requests::{Elicitation, ElicitationResponse, Root, Sampling};
pub use list_watch::{ListChange, ListWatch};
#[cfg(feature = "oauth")]
pub use oauth::{
    FileTokenStore, IdentityProvider, LOCK_TIMEOUT, LOGIN_TIMEOUT, MAX_ISSUERS, MAX_TOKEN_FILE_BYTES,
    MemoryTokenStore, OAuth, StoreGuard, StoreKey, TokenStore,
};
#[cfg(feature = "stdio")]
pub use process::{EXIT_TIMEOUT, INHERITED_ENV, ServerProcess};
pub use progress::Progress;
pub use relay::{PendingRelay, RelayRequest};
pub use relay_channel::{RelayEvent, RelayedInputRequest};
pub use server_info::ServerInfo;
#[cfg(feature = "skills")]
pub use skills::{ListedSkill, SkillFile, SkillFiles};
pub use subscription::{Changes, Subscription};
pub use tool::ListedTool;
pub use toolwright_wire::memory::MemoryServer;
