//! Which servers there are and how they are reached.
//!
//! The types here describe a server to connect to; a program may write them itself.
//!
//! Files are read into a tree with positions and then by one table, which is the JSON Schema as well: in every
//! format, all problems are reported at once with their lines. Variables and env files have their own reader:
//! `shellexpand` replaces `$NAME`, which client files mean literally, and `dotenvy` expands values and reports no
//! line numbers.

mod encoding;
#[cfg(feature = "config")]
mod file;
mod secret;
mod spec;
mod template;
mod token;

pub use encoding::Encoding;
#[cfg(feature = "config")]
pub use file::{
    CommandToken, Config, ConfigError, ConfigReader, Conversion, DEFAULT_TOKEN_TIMEOUT, Dialect, FileToken,
    INPUT_VARIABLE_PREFIX, Input, MAX_ENV_FILE_SIZE, MAX_EXPANDED_SIZE, MAX_FILE_SIZE, MAX_PROBLEMS,
    MAX_SERVER_NAME, MAX_SERVERS, MAX_SMALL_FILE_SIZE, MAX_TOKEN_SIZE, MAX_VALUE_SIZE, NoServer, Problem,
    ProblemKind, Severity, Source, convert, schema,
};
pub use secret::{Expanded, Secret};
pub use spec::{
    DEFAULT_HTTP_TIMEOUT, DEFAULT_REQUEST_TIMEOUT, DEFAULT_SSE_READ_TIMEOUT, DEFAULT_START_TIMEOUT, Headers,
    HttpSpec, OAuthGrant, OAuthSpec, ServerSpec, Settings, SseSpec, StdioSpec, TransportSpec, WebSocketSpec,
};
pub use template::Template;
pub use token::{BoxFuture, Token, TokenError, TokenProvider, Tokens};
