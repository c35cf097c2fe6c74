//! Which servers there are and how they are reached.
//!
//! The types here describe a server to connect to; a program may write them itself.

mod encoding;
mod secret;
mod spec;
mod template;
mod token;

pub use encoding::Encoding;
pub use secret::{Expanded, Secret};
pub use spec::{
    DEFAULT_HTTP_TIMEOUT, DEFAULT_REQUEST_TIMEOUT, DEFAULT_SSE_READ_TIMEOUT, DEFAULT_START_TIMEOUT, Headers,
    HttpSpec, OAuthSpec, ServerSpec, Settings, SseSpec, StdioSpec, TransportSpec, WebSocketSpec,
};
pub use template::Template;
pub use token::{BoxFuture, Token, TokenError, TokenProvider, Tokens};
