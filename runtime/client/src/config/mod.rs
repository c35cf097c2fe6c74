//! Configuration of servers: their transports, timeouts, headers and tokens, in code or from configuration files.
//!
//! Every file format is parsed into the same tree, whose nodes have their positions. One table of members then drives the
//! reader and the JSON Schema, so all problems are reported at once, with their lines. Variables and env files have parsers of
//! their own: `shellexpand` replaces `$NAME`, which is literal in files of other clients, and `dotenvy` expands values and
//! reports no line numbers.

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
    MAX_SERVER_NAME, MAX_SERVERS, MAX_SMALL_FILE_SIZE, MAX_TOKEN_SIZE, MAX_VALUE_SIZE, Problem, ProblemKind,
    ServerLookupError, Severity, Source, convert, schema,
};
pub use secret::{Expanded, Secret};
pub use spec::{
    DEFAULT_HTTP_TIMEOUT, DEFAULT_REQUEST_TIMEOUT, DEFAULT_SSE_READ_TIMEOUT, DEFAULT_START_TIMEOUT, Headers,
    HttpSpec, OAuthGrant, OAuthSpec, ServerSpec, Settings, SseSpec, StdioSpec, TransportSpec, WebSocketSpec,
};
pub use template::Template;
pub use token::{Token, TokenError, TokenProvider, Tokens};
pub use toolwright_core::future::BoxFuture;
