//! Connects to servers over each transport.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite, AsyncWriteExt as _};
use tokio::task::JoinHandle;
use toolwright_core::revision::Revision;
use toolwright_wire::memory::MemoryServer;

use crate::config::{Encoding, ServerSpec, Tokens, TransportSpec};
#[cfg(feature = "http")]
use crate::config::{Expanded, Headers, HttpSpec};
use crate::connection::{Connection, Transport};
use crate::era::Identity;
use crate::error::{ClientError, ErrorKind};
use crate::host::Host;
#[cfg(feature = "http")]
use crate::http::{Address, ConfiguredHeaders, HttpSettings, HttpTransport, Negotiated, parse_header};
use crate::lines::{CloseReason, drive};
use crate::memory;
use crate::mux::Mux;
use crate::negotiate::{NegotiationConfig, NegotiationError, negotiate};

/// Opens connections to one server.
pub(crate) struct Connector {
    pub(crate) spec: ServerSpec,
    pub(crate) identity: Identity,
    pub(crate) tokens: Tokens,
    #[cfg(feature = "http")]
    pub(crate) authorize: Vec<Arc<dyn crate::http::Authorize>>,
    pub(crate) revision: Option<Revision>,
    pub(crate) probe_timeout: Duration,
    pub(crate) max_message_bytes: usize,
    /// Whether a guard process ends the server if this process is killed.
    #[cfg(feature = "stdio")]
    pub(crate) uses_guard: bool,
    /// Replaces the transport of the specification.
    pub(crate) endpoint: Option<Endpoint>,
}

/// An endpoint that a [`ServerSpec`] cannot describe.
pub(crate) enum Endpoint {
    /// Streams that the caller has opened; they cannot be reopened.
    Streams(Mutex<Option<Streams>>),
    /// A server in this process.
    Memory(MemoryServer),
}

/// A reader and a writer.
pub(crate) type Streams = (Box<dyn AsyncRead + Send + Unpin>, Box<dyn AsyncWrite + Send + Unpin>);

impl Connector {
    fn negotiation_config(&self, known_revision: Option<Revision>) -> NegotiationConfig {
        let revision = self.revision.or(known_revision);
        NegotiationConfig {
            revision,
            probe_timeout: self.probe_timeout.min(self.spec.start_timeout),
            start_timeout: self.spec.start_timeout,
        }
    }

    /// Connects. `known_revision` is the revision of the last connection: it is assumed to stay the same until that
    /// fails.
    pub(crate) async fn connect(
        &self,
        host: &Arc<Host>,
        known_revision: Option<Revision>,
    ) -> Result<Connection, ClientError> {
        match &self.endpoint {
            Some(Endpoint::Streams(streams)) => return self.connect_streams(streams, host).await,
            Some(Endpoint::Memory(server)) => return self.connect_memory(server, host, known_revision).await,
            None => {}
        }
        match &self.spec.transport {
            #[cfg(feature = "stdio")]
            TransportSpec::Stdio(command) => self.connect_stdio(command, host, known_revision).await,
            #[cfg(feature = "http")]
            TransportSpec::Http(spec) => self.connect_http(spec, host, known_revision).await,
            #[cfg(feature = "ws")]
            TransportSpec::WebSocket(spec) => {
                let http =
                    self.http_transport(&spec.url, &spec.headers, (spec.timeout, spec.timeout), false, host)?;
                self.connect_websocket(&http, host, known_revision).await
            }
            #[cfg(feature = "http")]
            TransportSpec::Sse(spec) => {
                let timing = (spec.timeout, spec.sse_read_timeout);
                let http = self.http_transport(&spec.url, &spec.headers, timing, false, host)?;
                self.connect_sse(&http, host).await
            }
            #[cfg(not(all(feature = "stdio", feature = "ws")))]
            other => {
                let problem =
                    format!("this program is built without support for servers over {}", other.name());
                let advice = "turn on the corresponding feature of toolwright-client";
                Err(host.error(ErrorKind::Connect, problem, advice))
            }
        }
    }

    #[cfg(feature = "stdio")]
    async fn connect_stdio(
        &self,
        command: &crate::config::StdioSpec,
        host: &Arc<Host>,
        known_revision: Option<Revision>,
    ) -> Result<Connection, ClientError> {
        let settings =
            self.identity.settings.as_ref().and_then(|settings| serde_json::to_string(settings).ok());
        let mut config = self.negotiation_config(known_revision);
        loop {
            let mux = Arc::new(Mux::new(Arc::clone(host)));
            let starting = crate::child::start(
                command,
                &self.tokens,
                settings.as_deref(),
                &mux,
                self.max_message_bytes,
                self.uses_guard,
            );
            let transport = Transport::Mux { task: starting.await?, mux: Arc::clone(&mux) };
            let error = match negotiate(&mux, &self.identity, config).await {
                Ok(server) => {
                    return Ok(Connection::new(server, Arc::clone(host), transport, self.identity.meta()));
                }
                Err(NegotiationError::ExitedDuringProbe(_)) if config.revision.is_none() => {
                    config.revision = Some(Revision::NEWEST_LEGACY);
                    continue;
                }
                Err(NegotiationError::ExitedDuringProbe(error) | NegotiationError::Failed(error)) => error,
            };
            // Dropping the transport does not end the process.
            mux.end();
            return Err(error);
        }
    }

    /// Creates the HTTP transport, without sending anything.
    #[cfg(feature = "http")]
    fn http_transport(
        &self,
        url: &Expanded,
        headers: &Headers,
        (timeout, read_timeout): (Duration, Duration),
        deletes_session: bool,
        host: &Arc<Host>,
    ) -> Result<Arc<HttpTransport>, ClientError> {
        let invalid =
            |problem: String| host.error(ErrorKind::Connect, problem, "correct the address or the headers");
        let address = Address::parse(url.expose());
        let address = address.map_err(|problem| {
            let url = crate::spec::without_credentials(&url.to_string());
            invalid(format!("{url}: {problem}"))
        })?;
        let (mut static_headers, mut authorize) = (Vec::new(), self.authorize.clone());
        if headers.iter().all(|(_, value)| value.literal().is_some()) {
            for (name, value) in headers.iter() {
                let value = value.literal().unwrap_or_else(|| String::new().into());
                static_headers.push(parse_header(name, value.expose()).map_err(invalid)?);
            }
        } else {
            authorize.push(Arc::new(ConfiguredHeaders::new(headers.clone(), self.tokens.clone())));
        }
        let has_secrets = !static_headers.is_empty() || !authorize.is_empty();
        if has_secrets && !address.is_tls && !address.is_local() {
            host.warn("its headers are sent without TLS, so others on the network can read them");
        }
        let settings = HttpSettings {
            headers: static_headers,
            authorize,
            timeout,
            read_timeout,
            deletes_session,
            max_message_bytes: self.max_message_bytes,
        };
        Ok(Arc::new(HttpTransport::new(Arc::clone(host), address, settings)))
    }

    #[cfg(feature = "http")]
    async fn connect_http(
        &self,
        spec: &HttpSpec,
        host: &Arc<Host>,
        known_revision: Option<Revision>,
    ) -> Result<Connection, ClientError> {
        let timing = (spec.timeout, spec.sse_read_timeout);
        let http = self.http_transport(&spec.url, &spec.headers, timing, spec.terminate_on_close, host)?;
        let config = self.negotiation_config(known_revision);
        let time_limit = config.start_timeout.min(spec.timeout);
        match http
            .negotiate(&self.identity, config.revision, config.probe_timeout.min(time_limit), time_limit)
            .await?
        {
            Negotiated::Streamable(server) => {
                http.save_handshake(&self.identity);
                if server.revision.has_handshake() && host.answers_input_requests() {
                    http.start_listening().await;
                }
                Ok(Connection::new(server, Arc::clone(host), Transport::Http(http), self.identity.meta()))
            }
            // The response to the POST explains more than that of the fallback.
            Negotiated::MaybeSse(error) if spec.sse_fallback => {
                let fallback = self.http_transport(&spec.url, &spec.headers, timing, false, host)?;
                self.connect_sse(&fallback, host).await.map_err(|_| error)
            }
            Negotiated::MaybeSse(error) => Err(error),
        }
    }

    #[cfg(feature = "http")]
    async fn connect_sse(
        &self,
        http: &Arc<HttpTransport>,
        host: &Arc<Host>,
    ) -> Result<Connection, ClientError> {
        let mux = Arc::new(Mux::new(Arc::clone(host)));
        let task = http.open_sse(&mux).await?;
        // The transport predates the revision without a handshake.
        self.negotiate(mux, task, self.negotiation_config(Some(Revision::NEWEST_LEGACY)), host).await
    }

    #[cfg(feature = "ws")]
    async fn connect_websocket(
        &self,
        http: &Arc<HttpTransport>,
        host: &Arc<Host>,
        known_revision: Option<Revision>,
    ) -> Result<Connection, ClientError> {
        let mux = Arc::new(Mux::new(Arc::clone(host)));
        let task = http.open_socket(&mux).await?;
        self.negotiate(mux, task, self.negotiation_config(known_revision), host).await
    }

    /// Negotiates the revision over a running channel.
    async fn negotiate(
        &self,
        mux: Arc<Mux>,
        task: JoinHandle<()>,
        config: NegotiationConfig,
        host: &Arc<Host>,
    ) -> Result<Connection, ClientError> {
        let transport = Transport::Mux { mux: Arc::clone(&mux), task };
        match negotiate(&mux, &self.identity, config).await {
            Ok(server) => Ok(Connection::new(server, Arc::clone(host), transport, self.identity.meta())),
            Err(NegotiationError::ExitedDuringProbe(error) | NegotiationError::Failed(error)) => {
                mux.end();
                Err(error)
            }
        }
    }

    async fn connect_streams(
        &self,
        streams: &Mutex<Option<Streams>>,
        host: &Arc<Host>,
    ) -> Result<Connection, ClientError> {
        let streams = streams.lock().unwrap_or_else(PoisonError::into_inner).take();
        let (reader, mut writer) = streams.ok_or_else(|| {
            let problem = "its streams have ended and cannot be reopened";
            host.error(ErrorKind::Connect, problem, "create a new client")
        })?;
        let mux = Arc::new(Mux::new(Arc::clone(host)));
        let (driver, limit) = (Arc::clone(&mux), self.max_message_bytes);
        let task = tokio::spawn(async move {
            let reason = drive(&driver, reader, &mut writer, Encoding::Utf8, limit).await;
            _ = writer.shutdown().await;
            close(&driver, reason);
        });
        self.negotiate(mux, task, self.negotiation_config(None), host).await
    }

    async fn connect_memory(
        &self,
        server: &MemoryServer,
        host: &Arc<Host>,
        known_revision: Option<Revision>,
    ) -> Result<Connection, ClientError> {
        let mux = Arc::new(Mux::new(Arc::clone(host)));
        let driver = CloseOnDrop(Arc::clone(&mux));
        let channel = server.open();
        let task = tokio::spawn(async move {
            let reason = memory::drive(&driver.0, &channel).await;
            close(&driver.0, reason);
        });
        self.negotiate(mux, task, self.negotiation_config(known_revision), host).await
    }
}

/// Fails the pending requests of a channel that has ended.
fn close(mux: &Mux, reason: CloseReason) {
    let lost = |problem: &str| {
        let advice = "check whether the request was executed, and create a new client";
        mux.host.error(ErrorKind::Lost, format!("it is no longer available: {problem}"), advice)
    };
    mux.close(&match reason {
        CloseReason::Invalid(error) => error,
        CloseReason::ReadFailed(error) => lost(&format!("reading from it failed: {error}")),
        CloseReason::Closed => lost("it closed its stream"),
        CloseReason::Requested => mux.host.closed_locally(),
    });
}

/// Closes the channel when the runtime of its task shuts down: the client may outlive it and connect again.
struct CloseOnDrop(Arc<Mux>);

impl Drop for CloseOnDrop {
    fn drop(&mut self) {
        self.0.close(&self.0.host.closed_locally());
    }
}
