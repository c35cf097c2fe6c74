//! How a client is made.

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

/// How long the probe for the era waits for an answer where nothing else is set. A server may be silent about a method that
/// it does not know (2026-07-28, basic/transports/stdio "Backward Compatibility").
pub const DEFAULT_PROBE_TIMEOUT: Duration = Duration::from_secs(5);
/// How long a request may take, whatever progress it makes, where nothing else is set.
pub const DEFAULT_MAX_DURATION: Duration = Duration::from_mins(10);
/// The largest message of a server that is read where nothing else is set: 16 MiB.
pub const DEFAULT_MAX_MESSAGE_BYTES: usize = 16 << 20;
/// How many pages the list of one kind may have where nothing else is set.
pub const DEFAULT_MAX_PAGES: usize = 500;
/// How many bytes all pages of a list may have together where nothing else is set: 64 MiB.
pub const DEFAULT_MAX_LIST_BYTES: usize = 64 << 20;
/// How often a request is sent again with answers to what the server asks where nothing else is set.
pub const DEFAULT_MAX_ROUNDS: usize = 16;

/// A client that is not connected yet.
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
    probe: Duration,
    max_message_bytes: usize,
    #[cfg(feature = "stdio")]
    is_guarded: bool,
    pub(crate) limits: Limits,
}

/// What a client bounds on its own.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Limits {
    pub(crate) max_duration: Duration,
    pub(crate) max_pages: usize,
    pub(crate) max_list_bytes: usize,
    pub(crate) max_rounds: usize,
    pub(crate) is_strict: bool,
    pub(crate) takes_tasks: bool,
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
            probe: DEFAULT_PROBE_TIMEOUT,
            max_message_bytes: DEFAULT_MAX_MESSAGE_BYTES,
            #[cfg(feature = "stdio")]
            is_guarded: true,
            limits: Limits {
                max_duration: DEFAULT_MAX_DURATION,
                max_pages: DEFAULT_MAX_PAGES,
                max_list_bytes: DEFAULT_MAX_LIST_BYTES,
                max_rounds: DEFAULT_MAX_ROUNDS,
                is_strict: false,
                takes_tasks: false,
            },
        }
    }
}

impl ClientBuilder {
    /// How the client introduces itself; as `toolwright` if not set.
    pub fn name(mut self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.info = json!({"name": name.into(), "version": version.into()});
        self
    }

    /// Declares further capabilities, such as `extensions`. Those of the handlers are declared without this.
    pub fn capability(mut self, name: impl Into<String>, value: Value) -> Self {
        self.capabilities.insert(name.into(), value);
        self
    }

    /// Hears what the server says and what happens to the connection. It is called where messages are read, so it must not
    /// block.
    pub fn on_event(mut self, on_event: impl Fn(Event) + Send + Sync + 'static) -> Self {
        self.on_event = Some(Box::new(on_event));
        self
    }

    /// Answers forms that the server shows the user (2026-07-28, client/elicitation). Without it the server is told that there
    /// is no user to ask.
    pub fn on_elicitation<F>(mut self, answer: impl Fn(Elicitation) -> F + Send + Sync + 'static) -> Self
    where
        F: Future<Output = ElicitationResponse> + Send + 'static,
    {
        self.input.elicit = Some(Arc::new(move |request| Box::pin(answer(request))));
        self
    }

    /// Declares that [`ClientBuilder::on_elicitation`] opens pages too. It must show the user where the page is, and ask.
    pub fn url_elicitation(mut self) -> Self {
        self.input.url_elicitation = true;
        self
    }

    /// Lets the server ask the client's model (2026-07-28, client/sampling; deprecated there). `consent` is asked first, each
    /// time, and a request is refused unless it says yes. `answer` gives a `CreateMessageResult`.
    pub fn on_sampling<C, F>(
        mut self,
        consent: impl Fn(&Sampling) -> C + Send + Sync + 'static,
        answer: impl Fn(Sampling) -> F + Send + Sync + 'static,
    ) -> Self
    where
        C: Future<Output = bool> + Send + 'static,
        F: Future<Output = Value> + Send + 'static,
    {
        let answer = Arc::new(answer);
        self.input.sample = Some(Arc::new(move |request| {
            let (consent, answer) = (consent(&request), Arc::clone(&answer));
            Box::pin(async move { if consent.await { Some(answer(request).await) } else { None } })
        }));
        self
    }

    /// For a client whose requests come from others ([`Client::relay`]): the server is told that it can ask for
    /// elicitation, sampling and roots, since whoever has sent the request may be able to answer.
    pub fn relay_input_requests(mut self) -> Self {
        self.input.relays = true;
        self
    }

    /// The folders that the server is told about (2026-07-28, client/roots; deprecated there).
    pub fn roots(mut self, roots: impl IntoIterator<Item = Root>) -> Self {
        self.input.roots = Some(roots.into_iter().collect());
        self
    }

    /// Where `${runtime:NAME}` in headers and environments gets its tokens.
    pub fn tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Authorizes requests over HTTP.
    #[cfg(feature = "http")]
    pub fn authorize(mut self, authorize: impl crate::http::Authorize + 'static) -> Self {
        self.authorize.push(Arc::new(authorize));
        self
    }

    /// How tokens are obtained that a server asks for over HTTP, together with what its specification says
    /// ([`HttpSpec::oauth`](crate::config::HttpSpec::oauth), `oauth` in a configuration file): the client that is registered there,
    /// its grant and its scopes. Not used for a server with a header `Authorization`, nor, unless its specification has `oauth`,
    /// for one of another machine without TLS.
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

    /// Speaks this revision and no other. Without it the client finds out what the server speaks.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = Some(revision);
        self
    }

    /// From which level on the server sends log messages, such as `info`. Without it legacy servers send what they like, and
    /// modern ones none (2026-07-28, server/utilities/logging).
    pub fn log_level(mut self, level: impl Into<String>) -> Self {
        self.log_level = Some(level.into());
        self
    }

    /// How long the probe for the era waits before `initialize` is attempted too: [`DEFAULT_PROBE_TIMEOUT`] if not set.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe = timeout;
        self
    }

    /// How long a request may take, whatever progress it makes: [`DEFAULT_MAX_DURATION`] if not set.
    pub fn max_duration(mut self, duration: Duration) -> Self {
        self.limits.max_duration = duration;
        self
    }

    /// The largest message that is read: [`DEFAULT_MAX_MESSAGE_BYTES`] if not set.
    pub fn max_message_bytes(mut self, bytes: usize) -> Self {
        self.max_message_bytes = bytes;
        self
    }

    /// Does not keep the server's process from outliving a program that is killed.
    ///
    /// A program that ends, or whose clients are dropped, ends its servers itself. One that is killed (SIGKILL) cannot. So, on Unix,
    /// the first process that any client starts gets a guard beside it: one `/bin/sh` for the whole program (about a millisecond and
    /// 1.5 MiB), which waits for the program's end and then ends the process groups of the servers that are left, within about a
    /// second. Where there is no `/bin/sh`,
    /// and on other systems, a server is left to notice that its input has ended.
    #[cfg(feature = "stdio")]
    pub fn without_guard(mut self) -> Self {
        self.is_guarded = false;
        self
    }

    /// How many pages the list of one kind may have: [`DEFAULT_MAX_PAGES`] if not set.
    pub fn max_pages(mut self, pages: usize) -> Self {
        self.limits.max_pages = pages;
        self
    }

    /// How many bytes all pages of a list may have together: [`DEFAULT_MAX_LIST_BYTES`] if not set.
    pub fn max_list_bytes(mut self, bytes: usize) -> Self {
        self.limits.max_list_bytes = bytes;
        self
    }

    /// How often a request is sent again with answers to what the server asks (2026-07-28, basic/patterns/mrtr):
    /// [`DEFAULT_MAX_ROUNDS`] if not set.
    pub fn max_rounds(mut self, rounds: usize) -> Self {
        self.limits.max_rounds = rounds;
        self
    }

    /// Fails calls whose structured content does not fit the tool's output schema. Without it there is an [`Event::Warning`].
    pub fn strict(mut self) -> Self {
        self.limits.is_strict = true;
        self
    }

    /// Lets servers continue calls as tasks (extension `io.modelcontextprotocol/tasks`; 2025-11-25, basic/utilities/tasks).
    /// A call then waits for its task, asks how it stands as often as the server wants, answers what it asks, and cancels it
    /// where the future of the call is dropped. It may take as long as [`ClientBuilder::max_duration`], or
    /// [`Call::timeout`](crate::Call::timeout) where that is longer.
    ///
    /// Up to 2025-11-25 only tools that were listed, and say that they may be tasks, become some.
    pub fn tasks(mut self) -> Self {
        self.limits.takes_tasks = true;
        self
    }

    /// A client that connects when it is first used.
    pub fn connect_lazy(self, server: impl Into<ServerSpec>) -> Client {
        self.build(server.into(), None)
    }

    /// A client of a server in the same process, which connects when it is first used: for tests, and for programs that call
    /// tools of their own. Use it within a tokio runtime with time. Messages take the same way as over any transport; a handler
    /// that blocks holds up the other calls of this client.
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
        if self.limits.takes_tasks {
            let extensions = capabilities.entry("extensions").or_insert_with(|| json!({}));
            if let Value::Object(extensions) = extensions {
                extensions.insert(extension::TASKS.to_owned(), json!({}));
            }
        }
        let identity = Identity {
            info: self.info,
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
            probe: self.probe,
            max_message_bytes: self.max_message_bytes,
            #[cfg(feature = "stdio")]
            is_guarded: self.is_guarded,
            endpoint,
        };
        Client::new(host, connector, self.limits)
    }

    /// Connects over two streams that something else has opened, one message a line: a socket or a serial line.
    /// Errors call the server `name`. For a server in the same process there is [`ClientBuilder::in_process`].
    ///
    /// # Errors
    /// As [`ClientBuilder::connect`]. When the streams have ended, requests fail: they cannot be opened again.
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

    /// Connects: starts the process or opens the address, and finds out the era.
    ///
    /// # Errors
    /// [`ErrorKind::Connect`](crate::ErrorKind::Connect) where the server cannot be reached or started, `Protocol` where it
    /// speaks none of the revisions, `Timeout` where it does not answer.
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
