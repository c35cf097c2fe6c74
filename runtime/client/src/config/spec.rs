//! What is known of a server before it is connected to.

use std::collections::BTreeMap;
use std::fmt;
use std::num::NonZeroUsize;
use std::time::Duration;

use serde_json::{Map, Value};

use super::{Encoding, Expanded, Secret, Template};

/// How long a request may take where nothing else is said.
pub const DEFAULT_REQUEST_TIMEOUT: Duration = Duration::from_mins(1);

/// How long a server may take to start and to answer the handshake where nothing else is said.
pub const DEFAULT_START_TIMEOUT: Duration = Duration::from_mins(1);

/// How long an HTTP server may take to accept a connection and to begin its answer where nothing else is said.
pub const DEFAULT_HTTP_TIMEOUT: Duration = Duration::from_secs(30);

/// How long a stream of events may be silent where nothing else is said.
pub const DEFAULT_SSE_READ_TIMEOUT: Duration = Duration::from_mins(5);

/// A server: how it is reached, and what is wanted of it.
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
    /// The name, which stands in front of the names of its tools.
    pub name: String,
    /// What the server is for.
    pub description: Option<String>,
    /// How it is reached.
    pub transport: TransportSpec,
    /// How long each request may take, lists and the handshake's successors included.
    pub request_timeout: Duration,
    /// How long the server may take to start and to answer the handshake.
    pub start_timeout: Duration,
    /// Whether its tools are offered.
    pub load_tools: bool,
    /// Whether its prompts are offered.
    pub load_prompts: bool,
    /// Whether nothing works without it. Other servers may fail to start, and the rest goes on.
    pub required: bool,
    /// The most requests that it gets at once; without one, as many as there are.
    pub max_concurrency: Option<NonZeroUsize>,
    /// What is handed to the server when it starts.
    pub settings: Option<Settings>,
}

impl ServerSpec {
    /// A server with the defaults.
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

/// How a server is reached.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum TransportSpec {
    /// A program that is started, on its standard input and output.
    Stdio(StdioSpec),
    /// Streamable HTTP.
    Http(HttpSpec),
    /// HTTP+SSE, the transport of 2024-11-05.
    Sse(SseSpec),
    /// A WebSocket.
    WebSocket(WebSocketSpec),
}

impl TransportSpec {
    /// As configuration files call it: `stdio`, `http`, `sse` or `websocket`.
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

/// A program that is started, without a shell.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct StdioSpec {
    /// The program: a name to be found in `PATH`, or a path.
    pub command: Expanded,
    /// Its arguments, one by one. They stand in the list of processes, for every user to see.
    pub args: Vec<Expanded>,
    /// Environment variables besides the few that every server gets. Without a value: the variable is not passed on.
    pub env: BTreeMap<String, Option<Template>>,
    /// Whether it gets all variables of this process, secrets among them, and not the few only: right for a command that
    /// a person typed.
    pub inherit_env: bool,
    /// The folder that it starts in; without one, this process's.
    pub cwd: Option<Expanded>,
    /// How its input and output are encoded.
    pub encoding: Encoding,
}

impl StdioSpec {
    /// A program without arguments.
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

    /// The program with one more argument.
    pub fn arg(mut self, argument: impl Into<Expanded>) -> Self {
        self.args.push(argument.into());
        self
    }

    /// The program with one more environment variable.
    pub fn env(mut self, name: impl Into<String>, value: impl Into<Template>) -> Self {
        self.env.insert(name.into(), Some(value.into()));
        self
    }
}

/// A server over Streamable HTTP.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub struct HttpSpec {
    /// The endpoint.
    pub url: Expanded,
    /// What goes with each request.
    pub headers: Headers,
    /// How long the server may take to accept a connection and to begin its answer.
    pub timeout: Duration,
    /// How long a stream of events may be silent.
    pub sse_read_timeout: Duration,
    /// Whether a session is ended with `DELETE` (legacy revisions; later ones have none).
    pub terminate_on_close: bool,
    /// Whether HTTP+SSE is tried where the server does not speak Streamable HTTP: if nobody chose the transport.
    pub sse_fallback: bool,
    /// How its tokens are obtained; without it, as the program decides.
    pub oauth: Option<OAuthSpec>,
}

impl HttpSpec {
    /// An endpoint that is tried over Streamable HTTP, then over HTTP+SSE.
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
    /// The address of the stream of events.
    pub url: Expanded,
    /// What goes with each request, the `POST`s back to the server included.
    pub headers: Headers,
    /// How long the server may take to accept a connection and to begin its answer.
    pub timeout: Duration,
    /// How long the stream of events may be silent.
    pub sse_read_timeout: Duration,
    /// How its tokens are obtained; without it, as the program decides.
    pub oauth: Option<OAuthSpec>,
}

impl SseSpec {
    /// An endpoint with the defaults.
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
    /// The address, `ws://` or `wss://`.
    pub url: Expanded,
    /// What goes with the request that opens the socket.
    pub headers: Headers,
    /// How long the server may take to accept the connection and the handshake.
    pub timeout: Duration,
}

impl WebSocketSpec {
    /// An endpoint with the defaults.
    pub fn new(url: impl Into<Expanded>) -> Self {
        Self { url: url.into(), headers: Headers::default(), timeout: DEFAULT_HTTP_TIMEOUT }
    }
}

/// How tokens for a server are obtained: what a configuration file says under `oauth`.
///
/// A program uses it with `ClientBuilder::oauth` (feature `oauth`). Without that, only [`OAuthGrant::ClientCredentials`] works,
/// since a login needs a browser.
#[derive(Debug, Clone, Default, PartialEq)]
#[non_exhaustive]
pub struct OAuthSpec {
    /// The client's id, if the authorization server knows the client already. Without one, the client registers itself.
    pub client_id: Option<Expanded>,
    /// Its secret, if it has one.
    pub client_secret: Option<Secret>,
    /// The scopes to ask for; if empty, those that the server names.
    pub scopes: Vec<String>,
    /// Who agrees to it.
    pub grant: OAuthGrant,
    /// Where the browser is sent back to after a login; without one, where the program listens.
    pub redirect: Option<Expanded>,
    /// The only authorization server that may see id and secret; without one, the one that the server names.
    pub issuer: Option<Expanded>,
}

/// Who agrees that a client gets tokens.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum OAuthGrant {
    /// A user, who logs in with a browser (RFC 6749 §4.1): `authorization_code`.
    #[default]
    AuthorizationCode,
    /// Nobody: the client has rights of its own (RFC 6749 §4.4): `client_credentials`.
    ClientCredentials,
}

impl OAuthSpec {
    /// A public client that the authorization server knows. [`OAuthSpec::default`] is one that registers itself.
    pub fn new(client_id: impl Into<Expanded>) -> Self {
        Self { client_id: Some(client_id.into()), ..Self::default() }
    }
}

/// HTTP headers in order; names are compared without case.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Headers(Vec<(String, Template)>);

impl Headers {
    /// Sets a header, replacing one with the same name.
    pub fn set(&mut self, name: impl Into<String>, value: impl Into<Template>) {
        let name = name.into();
        self.0.retain(|(known, _)| !known.eq_ignore_ascii_case(&name));
        self.0.push((name, value.into()));
    }

    /// The value of a header.
    pub fn get(&self, name: &str) -> Option<&Template> {
        self.0.iter().find(|(known, _)| known.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Template)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// The object `config` of a server, which is handed to it when it starts. `Debug` shows the names of its members.
///
/// Legacy servers get it in `_meta` of `initialize`, modern ones in `_meta` of each request, and programs also in the
/// environment variable [`Settings::VARIABLE`].
#[derive(Clone, PartialEq)]
pub struct Settings(Map<String, Value>);

impl Settings {
    /// The environment variable of programs that are started.
    pub const VARIABLE: &'static str = "MCP_CONFIG";

    /// Wraps an object.
    pub fn new(object: Map<String, Value>) -> Self {
        Self(object)
    }

    /// The object itself, which may hold secrets: for the server, and no message.
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
    fn nothing_secret_is_shown_by_debug() {
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
    fn names_of_headers_are_compared_without_case() {
        let mut headers = Headers::default();
        headers.set("Authorization", "a");
        headers.set("authorization", "b");
        assert_eq!(headers.get("AUTHORIZATION"), Some(&"b".into()));
        assert_eq!(headers.iter().count(), 1);
    }
}
