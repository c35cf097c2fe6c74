//! The settings of a client.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use serde_json::{Map, Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use toolwright_core::protocol::extension;
use toolwright_core::revision::Revision;
use toolwright_wire::memory::MemoryServer;

use super::Client;
use crate::config::{ServerSpec, StdioSpec, Tokens};
use crate::connect::{Connector, Endpoint, Streams};
use crate::era::Identity;
use crate::error::ClientError;
use crate::event::Event;
use crate::host::Host;
use crate::input_requests::{Elicitation, ElicitationResponse, InputHandlers, Root, Sampling};

/// The default timeout of the probe that detects the server's era. Some servers do not respond to unknown methods
/// (2026-07-28, basic/transports/stdio "Backward Compatibility").
pub const DEFAULT_PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// The default maximum duration of a request, with or without progress.
pub const DEFAULT_MAX_DURATION: Duration = Duration::from_mins(10);
/// The default maximum size of a message from the server: 16 MiB.
pub const DEFAULT_MAX_MESSAGE_BYTES: usize = 16 << 20;
/// The default maximum number of pages of a list.
pub const DEFAULT_MAX_PAGES: usize = 500;
/// The default maximum total size of the pages of a list: 64 MiB.
pub const DEFAULT_MAX_LIST_BYTES: usize = 64 << 20;
/// The default maximum number of rounds of input requests per request.
pub const DEFAULT_MAX_ROUNDS: usize = 16;

/// Builds a [`Client`].
///
/// ```no_run
/// use toolwright_client::{Client, Event};
///
/// # async fn example() -> Result<(), toolwright_client::ClientError> {
/// let client = Client::builder()
///     .name("my-agent", "1.2.0")
///     .on_event(|event| if let Event::Warning(text) = event { eprintln!("{text}") })
///     .connect("https://example.com/mcp")
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "nothing happens before `connect`"]
pub struct ClientBuilder {
    info: Value,
    capabilities: Map<String, Value>,
    input: InputHandlers,
    on_event: Option<Box<dyn Fn(Event) + Send + Sync>>,
    tokens: Tokens,
    #[cfg(feature = "http")]
    authorize: Vec<Arc<dyn crate::http::Authorize>>,
    #[cfg(feature = "oauth")]
    oauth: Option<crate::oauth::OAuth>,
    revision: Option<Revision>,
    log_level: Option<String>,
    probe_timeout: Duration,
    max_message_bytes: usize,
    #[cfg(feature = "stdio")]
    uses_guard: bool,
    pub(crate) limits: Limits,
}

/// The limits and modes of a client.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) max_duration: Duration,
    pub(crate) max_pages: usize,
    pub(crate) max_list_bytes: usize,
    pub(crate) max_rounds: usize,
    pub(crate) is_strict: bool,
    pub(crate) accepts_tasks: bool,
    pub(crate) keeps_trying: bool,
}

impl Default for ClientBuilder {
    fn default() -> Self {
        Self {
            info: json!({"name": "toolwright", "version": env!("CARGO_PKG_VERSION")}),
            capabilities: Map::new(),
            input: InputHandlers::default(),
            on_event: None,
            tokens: Tokens::new(),
            #[cfg(feature = "http")]
            authorize: Vec::new(),
            #[cfg(feature = "oauth")]
            oauth: None,
            revision: None,
            log_level: None,
            probe_timeout: DEFAULT_PROBE_TIMEOUT,
            max_message_bytes: DEFAULT_MAX_MESSAGE_BYTES,
            #[cfg(feature = "stdio")]
            uses_guard: true,
            limits: Limits {
                max_duration: DEFAULT_MAX_DURATION,
                max_pages: DEFAULT_MAX_PAGES,
                max_list_bytes: DEFAULT_MAX_LIST_BYTES,
                max_rounds: DEFAULT_MAX_ROUNDS,
                is_strict: false,
                accepts_tasks: false,
                keeps_trying: false,
            },
        }
    }
}

impl ClientBuilder {
    /// Sets the name and version that the client sends to the server. The default is `toolwright` with the version of
    /// this crate.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = json!({"name": name.into(), "version": version.into()});
        self
    }

    /// Declares an additional capability, such as `extensions`. The capabilities of handlers are declared
    /// automatically.
    pub fn capability(mut self, name: impl Into<String>, value: Value) -> Self {
        self.capabilities.insert(name.into(), value);
        self
    }

    /// Sets a function that receives events of the server and of the connection. It is called while messages are read,
    /// so it must not block.
    pub fn on_event(mut self, on_event: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Box::new(on_event));
        self
    }

    /// Sets the handler of elicitation requests (2026-07-28, client/elicitation). Without a handler, elicitation is not
    /// declared and requests are rejected.
    pub fn on_elicitation<F>(mut self, respond: impl Fn(Elicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationResponse> + Send + 'static,
    {
        self.input.elicit = Some(Arc::new(move |request| Box::pin(respond(request))));
        self
    }

    /// Declares that [`ClientBuilder::on_elicitation`] also handles URLs. It must show the URL's host to the user and
    /// ask for consent before it opens the page.
    pub fn url_elicitation(mut self) -> Self {
        self.input.url_elicitation = true;
        self
    }

    /// Sets the handler of sampling requests (2026-07-28, client/sampling; deprecated there). `consent` is called first
    /// for every request, and the request is rejected unless it returns `true`. `respond` returns a
    /// `CreateMessageResult`.
    pub fn on_sampling<C, F>(
        mut self,
        consent: impl Fn(&Sampling) -> C + Send + Sync + 'static,
        respond: impl Fn(Sampling) -> F + Send + Sync + 'static,
    ) -> Self
    where
        C: Future<Output = bool> + Send + 'static,
        F: Future<Output = Value> + Send + 'static,
    {
        let respond = Arc::new(respond);
        self.input.sample = Some(Arc::new(move |request| {
            let (consent, respond) = (consent(&request), Arc::clone(&respond));
            Box::pin(async move { if consent.await { Some(respond(request).await) } else { None } })
        }));
        self
    }

    /// Declares elicitation, sampling and roots for requests that are forwarded with [`Client::relay`]: the program
    /// that sent the request may support them.
    pub fn relay_input_requests(mut self) -> Self {
        self.input.relays = true;
        self
    }

    /// Lets the client reconnect every 30 seconds for as long as it exists. By default, it gives up after ten failures in
    /// a row.
    pub fn keep_trying(mut self) -> Self {
        self.limits.keeps_trying = true;
        self
    }

    /// Sets the roots that the server can list (2026-07-28, client/roots; deprecated there).
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.input.roots = Some(roots.into_iter().collect());
        self
    }

    /// Sets the tokens that `${runtime:NAME}` refers to in headers and environment variables.
    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Adds headers that authorize requests over HTTP.
    #[cfg(feature = "http")]
    pub fn authorize(mut self, authorize: impl crate::http::Authorize + 'static) -> Self {
        self.authorize.push(Arc::new(authorize));
        self
    }

    /// Sets how access tokens are obtained when a server requires them over HTTP, in addition to the server's own
    /// settings: its registered client, grant and scopes ([`HttpSpec::oauth`](crate::config::HttpSpec::oauth), or
    /// `oauth` in a configuration file). Not used for a server with an `Authorization` header; nor for a remote server
    /// without TLS, unless its settings have `oauth`.
    ///
    /// ```no_run
    /// use toolwright_client::{Client, FileTokenStore, OAuth};
    ///
    /// # async fn example() -> Result<(), toolwright_client::ClientError> {
    /// let oauth = OAuth::loopback(9741, |url| {
    ///     println!("open {url} to log in");
    ///     Ok(())
    /// });
    /// let store = FileTokenStore::new("my-agent/tokens.json");
    /// let client = Client::builder().oauth(oauth.store(store)).connect("https://example.com/mcp").await?;
    /// # Ok(())
    /// # }
    /// ```
    #[cfg(feature = "oauth")]
    pub fn oauth(mut self, oauth: crate::oauth::OAuth) -> Self {
        self.oauth = Some(oauth);
        self
    }

    /// Uses only this revision. By default, the client detects what the server supports.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// Sets the minimum level of log messages, such as `info`. By default, legacy servers choose the level, and modern
    /// ones send none (2026-07-28, server/utilities/logging).
    pub fn log_level(mut self, level: impl Into<String>) -> Self {
        self.log_level = Some(level.into());
        self
    }

    /// Sets how long the client waits for the response to the probe before it also tries `initialize`. The default is
    /// [`DEFAULT_PROBE_TIMEOUT`].
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe_timeout = timeout;
        self
    }

    /// Sets the maximum duration of a request, with or without progress. The default is [`DEFAULT_MAX_DURATION`].
    pub fn max_duration(mut self, duration: Duration) -> Self {
        self.limits.max_duration = duration;
        self
    }

    /// Sets the maximum size of a message from the server. The default is [`DEFAULT_MAX_MESSAGE_BYTES`].
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.max_message_bytes = bytes;
        self
    }

    /// Disables the guard process, which ends the servers of a program that is killed.
    ///
    /// A program that exits or drops its clients shuts down its servers itself. If it is killed (SIGKILL), it cannot.
    /// On Unix, the first child process therefore starts a guard: one `/bin/sh` for the whole program (about a
    /// millisecond and 1.5 MiB), which waits for the program's end and then ends the remaining process groups within
    /// about a second. Without `/bin/sh`, and on other systems, a server has to exit by itself when its input is
    /// closed.
    #[cfg(feature = "stdio")]
    pub fn without_guard(mut self) -> Self {
        self.uses_guard = false;
        self
    }

    /// Sets the maximum number of pages of a list. The default is [`DEFAULT_MAX_PAGES`].
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.limits.max_pages = pages;
        self
    }

    /// Sets the maximum total size of the pages of a list. The default is [`DEFAULT_MAX_LIST_BYTES`].
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_list_bytes = bytes;
        self
    }

    /// Sets the maximum number of rounds of input requests per request (2026-07-28, basic/patterns/mrtr). The default
    /// is [`DEFAULT_MAX_ROUNDS`].
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.limits.max_rounds = rounds;
        self
    }

    /// Fails calls whose structured content does not match the output schema of the tool. By default, the client emits
    /// an [`Event::Warning`].
    pub fn strict(mut self) -> Self {
        self.limits.is_strict = true;
        self
    }

    /// Lets servers run calls as tasks (extension `io.modelcontextprotocol/tasks`; 2025-11-25, basic/utilities/tasks).
    /// A call then polls its task at the interval that the server requests, responds to its input requests, and cancels
    /// it if the future of the call is dropped. Its timeout is [`ClientBuilder::max_duration`], or
    /// [`Call::timeout`](crate::Call::timeout) if that is longer.
    ///
    /// Up to 2025-11-25, this applies only to tools that were listed and declare task support.
    pub fn tasks(mut self) -> Self {
        self.limits.accepts_tasks = true;
        self
    }

    /// Creates a client that connects on the first request.
    pub fn connect_lazy(self, server: impl Into<ServerSpec>) -> Client {
        self.build(server.into(), None)
    }

    /// Creates a client of a server in the same process, which connects on the first request: for tests, and for
    /// programs that call their own tools. It requires a Tokio runtime with time enabled. Messages are processed as
    /// over any other transport; a handler that blocks delays other calls of this client.
    ///
    /// A `toolwright_server::Service` converts into a [`MemoryServer`] by reference: `Client::builder().in_process(&service)`.
    ///
    /// ```
    /// use toolwright_client::{Client, ClientError, MemoryServer};
    /// use toolwright_core::revision::Revision;
    ///
    /// # async fn example(service: MemoryServer) -> Result<(), ClientError> {
    /// let client = Client::builder().revision(Revision::V2025_06_18).in_process(service);
    /// let result = client.call("hello", serde_json::json!({"name": "Ada"})).await?;
    /// assert_eq!(result.as_text(), "Hello, Ada!");
    /// # Ok(())
    /// # }
    /// ```
    pub fn in_process(self, server: impl Into<MemoryServer>) -> Client {
        let server = server.into();
        let spec = ServerSpec::new(server.name(), StdioSpec::new(server.name()));
        self.build(spec, Some(Endpoint::Memory(server)))
    }

    fn build(self, spec: ServerSpec, endpoint: Option<Endpoint>) -> Client {
        let mut capabilities = self.input.capabilities();
        capabilities.extend(self.capabilities);
        if self.limits.accepts_tasks {
            let extensions = capabilities.entry("extensions").or_insert_with(|| json!({}));
            if let Value::Object(extensions) = extensions {
                extensions.insert(extension::TASKS.to_owned(), json!({}));
            }
        }
        let identity = Identity {
            info: self.info.to_string(),
            capabilities,
            settings: spec.settings.as_ref().map(|settings| settings.expose().clone()),
            log_level: self.log_level,
        };
        let host = Arc::new(Host::new(&spec.name, self.input, self.on_event));
        #[cfg(feature = "http")]
        let authorize = self.authorize.into_iter();
        #[cfg(feature = "oauth")]
        let authorize = authorize
            .chain(crate::oauth::OAuth::for_server(self.oauth, &spec).map(|oauth| Arc::new(oauth) as _));
        let connector = Connector {
            spec,
            identity,
            tokens: self.tokens,
            #[cfg(feature = "http")]
            authorize: authorize.collect(),
            revision: self.revision,
            probe_timeout: self.probe_timeout,
            max_message_bytes: self.max_message_bytes,
            #[cfg(feature = "stdio")]
            uses_guard: self.uses_guard,
            endpoint,
        };
        Client::new(host, connector, self.limits)
    }

    /// Connects over two existing byte streams, with one message per line: a socket or a serial line, for example.
    /// Errors call the server `name`. For a server in the same process, use [`ClientBuilder::in_process`].
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`]. After the streams end, requests fail, as the client cannot reopen them.
    pub async fn connect_streams(
        self,
        name: &str,
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Result<Client, ClientError> {
        let streams: Streams = (Box::new(reader), Box::new(writer));
        let endpoint = Endpoint::Streams(Mutex::new(Some(streams)));
        let client = self.build(ServerSpec::new(name, StdioSpec::new(name)), Some(endpoint));
        client.server().await?;
        Ok(client)
    }

    /// Connects: starts the process or opens the URL, and negotiates the revision.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`](crate::ErrorKind::Connect) if the server cannot be reached or started, `Protocol` if it
    /// supports none of the revisions, `Timeout` if it does not respond.
    pub async fn connect(self, server: impl Into<ServerSpec>) -> Result<Client, ClientError> {
        let client = self.connect_lazy(server);
        client.server().await?;
        Ok(client)
    }
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("info", &self.info)
            .field("revision", &self.revision)
            .finish_non_exhaustive()
    }
}
