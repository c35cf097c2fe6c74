//! The specification of a server to connect to.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Encoding, Expanded, Secret, Template};

/// The default timeout of a request: 1 minute.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

/// The default timeout for starting a server and for the handshake: 1 minute.
pub const DEFAULT_START_TIMEOUT: Duration = Duration::from_mins(1);

/// The default timeout for an HTTP connection and for the start of a response: 30 seconds.
pub const DEFAULT_HTTP_TIMEOUT: Duration = Duration::from_secs(30);

/// The default maximum time without data on an event stream: 5 minutes.
pub const DEFAULT_SSE_READ_TIMEOUT: Duration = Duration::from_mins(5);

/// A server to connect to: its transport and its settings.
///
/// ```
/// use std::time::Duration;
/// use toolwright_client::config::{ServerSpec, StdioSpec, TransportSpec};
///
/// let mut server = ServerSpec::new("files", StdioSpec::new("files-server").arg("--read-only"));
/// server.request_timeout = Duration::from_secs(5);
/// assert!(matches!(server.transport, TransportSpec::Stdio(_)));
/// ```
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct ServerSpec {
    /// The name, which is the prefix of the names of its tools.
    pub name: String,
    /// A description of the server.
    pub description: Option<String>,
    /// The transport.
    pub transport: TransportSpec,
    /// The timeout of each request after the handshake.
    pub request_timeout: Duration,
    /// The timeout for starting the server and for the handshake.
    pub start_timeout: Duration,
    /// Whether to offer its tools.
    pub load_tools: bool,
    /// Whether to offer its prompts.
    pub load_prompts: bool,
    /// Whether to fail if this server is unavailable. If other servers fail to start, the rest are used without them.
    pub required: bool,
    /// The maximum number of concurrent requests; `None` for no limit.
    pub max_concurrency: Option<NonZeroUsize>,
    /// The object that is passed to the server on startup.
    pub settings: Option<Settings>,
}

impl ServerSpec {
    /// Creates a server with the default settings.
    pub fn new(name: impl Into<String>, transport: impl Into<TransportSpec>) -> Self {
        Self {
            name: name.into(),
            description: None,
            transport: transport.into(),
            request_timeout: DEFAULT_REQUEST_TIMEOUT,
            start_timeout: DEFAULT_START_TIMEOUT,
            load_tools: true,
            load_prompts: true,
            required: false,
            max_concurrency: None,
            settings: None,
        }
    }
}

/// The transport of a server.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TransportSpec {
    /// A child process, over its standard input and output.
    Stdio(StdioSpec),
    /// Streamable HTTP.
    Http(HttpSpec),
    /// HTTP+SSE, the transport of 2024-11-05.
    Sse(SseSpec),
    /// A WebSocket.
    WebSocket(WebSocketSpec),
}

impl TransportSpec {
    /// Returns its name in configuration files: `stdio`, `http`, `sse` or `websocket`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Stdio(_) => "stdio",
            Self::Http(_) => "http",
            Self::Sse(_) => "sse",
            Self::WebSocket(_) => "websocket",
        }
    }
}

impl From<StdioSpec> for TransportSpec {
    fn from(spec: StdioSpec) -> Self {
        Self::Stdio(spec)
    }
}

impl From<HttpSpec> for TransportSpec {
    fn from(spec: HttpSpec) -> Self {
        Self::Http(spec)
    }
}

impl From<SseSpec> for TransportSpec {
    fn from(spec: SseSpec) -> Self {
        Self::Sse(spec)
    }
}

impl From<WebSocketSpec> for TransportSpec {
    fn from(spec: WebSocketSpec) -> Self {
        Self::WebSocket(spec)
    }
}

/// A server that is started as a child process, without a shell.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StdioSpec {
    /// The program: a path, or a name that is looked up in `PATH`.
    pub command: Expanded,
    /// The arguments. They are visible to every user of the machine, in the process list.
    pub args: Vec<Expanded>,
    /// Environment variables, in addition to the few that every server inherits. `None` removes a variable.
    pub env: BTreeMap<String, Option<Template>>,
    /// Whether the child process inherits all variables of this process, which may include secrets. This is meant for commands
    /// that a user typed.
    pub inherit_env: bool,
    /// The working directory; by default that of this process.
    pub cwd: Option<Expanded>,
    /// The encoding of its standard input and output.
    pub encoding: Encoding,
}

impl StdioSpec {
    /// Creates a spec for a program without arguments.
    pub fn new(command: impl Into<Expanded>) -> Self {
        Self {
            command: command.into(),
            args: Vec::new(),
            env: BTreeMap::new(),
            inherit_env: false,
            cwd: None,
            encoding: Encoding::default(),
        }
    }

    /// Adds an argument.
    pub fn arg(mut self, argument: impl Into<Expanded>) -> Self {
        self.args.push(argument.into());
        self
    }

    /// Adds an environment variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<Template>) -> Self {
        self.env.insert(name.into(), Some(value.into()));
        self
    }
}

/// A server over Streamable HTTP.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HttpSpec {
    /// The URL of the endpoint.
    pub url: Expanded,
    /// Headers for each request.
    pub headers: Headers,
    /// The timeout for the connection and for the start of a response.
    pub timeout: Duration,
    /// The maximum time without data on an event stream.
    pub sse_read_timeout: Duration,
    /// Whether to end the session with `DELETE`. Only legacy revisions have sessions.
    pub terminate_on_close: bool,
    /// Whether to fall back to HTTP+SSE if the server does not support Streamable HTTP.
    pub sse_fallback: bool,
    /// How OAuth tokens are obtained; by default, as `ClientBuilder::oauth` says.
    pub oauth: Option<OAuthSpec>,
}

impl HttpSpec {
    /// Creates a spec that uses Streamable HTTP, and falls back to HTTP+SSE.
    pub fn new(url: impl Into<Expanded>) -> Self {
        Self {
            url: url.into(),
            headers: Headers::default(),
            timeout: DEFAULT_HTTP_TIMEOUT,
            sse_read_timeout: DEFAULT_SSE_READ_TIMEOUT,
            terminate_on_close: true,
            sse_fallback: true,
            oauth: None,
        }
    }
}

/// A server over HTTP+SSE, the transport of 2024-11-05.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct SseSpec {
    /// The URL of the event stream.
    pub url: Expanded,
    /// Headers for each request, including the `POST` requests to the message endpoint.
    pub headers: Headers,
    /// The timeout for the connection and for the start of a response.
    pub timeout: Duration,
    /// The maximum time without data on the event stream.
    pub sse_read_timeout: Duration,
    /// How OAuth tokens are obtained; by default, as `ClientBuilder::oauth` says.
    pub oauth: Option<OAuthSpec>,
}

impl SseSpec {
    /// Creates a spec with the default settings.
    pub fn new(url: impl Into<Expanded>) -> Self {
        Self {
            url: url.into(),
            headers: Headers::default(),
            timeout: DEFAULT_HTTP_TIMEOUT,
            sse_read_timeout: DEFAULT_SSE_READ_TIMEOUT,
            oauth: None,
        }
    }
}

/// A server over a WebSocket.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct WebSocketSpec {
    /// The URL, with `ws://` or `wss://`.
    pub url: Expanded,
    /// Headers for the handshake request.
    pub headers: Headers,
    /// The timeout for the connection and the handshake.
    pub timeout: Duration,
}

impl WebSocketSpec {
    /// Creates a spec with the default settings.
    pub fn new(url: impl Into<Expanded>) -> Self {
        Self { url: url.into(), headers: Headers::default(), timeout: DEFAULT_HTTP_TIMEOUT }
    }
}

/// How OAuth tokens for a server are obtained: the member `oauth` of configuration files.
///
/// Logins also require `ClientBuilder::oauth` (feature `oauth`), which opens the browser. [`OAuthGrant::ClientCredentials`]
/// works without it.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct OAuthSpec {
    /// The ID of a registered client; by default, the client registers itself.
    pub client_id: Option<Expanded>,
    /// The secret of the client, if it has one.
    pub client_secret: Option<Secret>,
    /// The scopes to request; if empty, those that the server names.
    pub scopes: Vec<String>,
    /// The grant type.
    pub grant: OAuthGrant,
    /// The redirect URI of a login; by default, the address that the program listens on.
    pub redirect: Option<Expanded>,
    /// The only authorization server that may receive the ID and secret; by default, the one that the server names.
    pub issuer: Option<Expanded>,
}

/// An OAuth grant type.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OAuthGrant {
    /// `authorization_code`: a user logs in with a browser (RFC 6749 §4.1).
    #[default]
    AuthorizationCode,
    /// `client_credentials`: the client has its own rights (RFC 6749 §4.4).
    ClientCredentials,
}

impl OAuthSpec {
    /// Creates a spec for a registered public client. With [`OAuthSpec::default`], the client registers itself.
    pub fn new(client_id: impl Into<Expanded>) -> Self {
        Self { client_id: Some(client_id.into()), ..Self::default() }
    }
}

/// HTTP headers, in order. Names are case-insensitive.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Template)>);

impl Headers {
    /// Sets a header, and replaces one with the same name.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Template>) {
        let name = name.into();
        self.0.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        self.0.push((name, value.into()));
    }

    /// Returns the value of a header.
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// Iterates over the names and values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Template)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Returns whether there are no headers.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The object `config` of a server, which is passed to it on startup. `Debug` only prints the names of its members.
///
/// Legacy servers receive it in `_meta` of `initialize`, modern servers in `_meta` of each request. Child processes also receive
/// it in the environment variable [`Settings::VARIABLE`].
#[derive(Clone, PartialEq)]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// The environment variable of child processes.
    pub const VARIABLE: &'static str = "MCP_CONFIG";

    /// Creates settings from an object.
    pub fn new(object: Map<String, Value>) -> Self {
        Self(object)
    }

    /// Returns the object, which may contain secrets. Do not log it.
    pub fn expose(&self) -> &Map<String, Value> {
        &self.0
    }
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.keys()).finish()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn debug_output_has_no_secrets() {
        let mut headers = Headers::default();
        headers.set("X-Key", "s3cret");
        let mut http = HttpSpec::new(Expanded::new("https://s3cret.example/", "https://${HOST}/"));
        http.headers = headers;
        http.oauth = Some(OAuthSpec { client_secret: Some("s3cret".into()), ..OAuthSpec::new("id") });
        let mut server = ServerSpec::new("a", http);
        server.settings = json!({"key": "s3cret"}).as_object().cloned().map(Settings::new);
        let program = StdioSpec::new("run").arg(Expanded::new("s3cret", "${KEY}")).env("KEY", "s3cret");
        let shown = format!("{server:?} {:?}", ServerSpec::new("b", program));
        assert!(!shown.contains("s3cret"), "{shown}");
        assert!(shown.contains("https://${HOST}/") && shown.contains("${KEY}"), "{shown}");
    }

    #[test]
    fn header_names_are_case_insensitive() {
        let mut headers = Headers::default();
        headers.set("Authorization", "a");
        headers.set("authorization", "b");
        assert_eq!(headers.get("AUTHORIZATION"), Some(&"b".into()));
        assert_eq!(headers.iter().count(), 1);
    }
}
