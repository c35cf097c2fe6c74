//! The limits of a server and their defaults.

use std::time::Duration;

/// The limits of a server. The defaults suit most services; change individual ones with struct update syntax: `Limits {
/// call_timeout: Duration::from_secs(5), ..Limits::default() }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// The limits of a single caller; see [`CallerLimits`].
    pub per_caller: CallerLimits,
    /// The rate at which one caller may call one tool. Unlimited (`None`) by default. "Servers MUST … Rate limit tool
    /// invocations" (2026-07-28, server/tools "Security Considerations"); only the program knows a suitable rate. A
    /// call that exceeds it gets a result with `isError` that says when to retry. Callers are those of
    /// [`CallerLimits`]; all others together count as one.
    pub tool_call_rate: Option<RateLimit>,
    /// The maximum number of callers to distinguish at once: 65,536. A caller counts while it has anything open, or a
    /// bucket of [`Limits::tool_call_rate`] or [`MaxRate`](crate::middleware::MaxRate) that is not full. Further callers
    /// together share the limits of one.
    pub max_callers: usize,
    /// The maximum size of a message in bytes: 16 MiB. A larger one is discarded and answered with -32700.
    pub max_message_bytes: usize,
    /// The maximum total size of messages being received or handled, over all transports but stdio: 256 MiB, though a
    /// single message is always accepted. A message counts from its first byte until its response is sent. Messages
    /// beyond the limit get status 503 over HTTP, close a WebSocket with 1013, and close the connection to a Unix
    /// socket with an error.
    pub max_received_bytes: usize,
    /// The maximum number of bytes that wait to be read by HTTP clients: 256 MiB. Responses in progress may exceed it.
    /// While it is reached, requests get status 503. It counts what responses and streams hold until it is written,
    /// wherever the service is mounted, and 1 KiB per response.
    pub max_unread_bytes: usize,
    /// How long a peer may read nothing before its connection is closed: 1 minute. Applies to the built-in HTTP server,
    /// including its streams, to sockets, and to other pairs of streams. A mounted service leaves this to its server,
    /// and limits what is queued instead; see [`Limits::max_unread_bytes`].
    pub write_timeout: Duration,
    /// The maximum number of concurrent calls, and requests for prompts, resources and completions, per connection:
    /// 16,384. Further ones are answered with -32603. Over HTTP, this counts the pending requests of all clients, and
    /// further ones get status 503.
    pub max_calls_in_flight: usize,
    /// The time limit of a call, from its arrival: 5 minutes. Then the handler is dropped and the caller gets a result
    /// with `isError`; requests for a prompt or a resource get -32603.
    pub call_timeout: Duration,
    /// The number of entries per page of a list: 2,000.
    pub list_page_size: usize,
    /// The maximum number of cached pages per list: 256, over all revisions and sets of scopes. The oldest are evicted,
    /// and rendered again when requested.
    pub max_cached_pages: usize,
    /// The maximum total size of a list's cached pages: 16 MiB. A larger page is rendered each time.
    pub max_cached_page_bytes: usize,
    /// The maximum number of callers whose per-caller provider lists are cached
    /// ([`ProviderCapabilities::with_lists_by_caller`](crate::ProviderCapabilities::with_lists_by_caller)): 1,024 per
    /// kind. Further ones evict those of another caller, which are rebuilt when requested.
    pub max_caller_lists: usize,
    /// The maximum number of messages per batch (2025-03-26 only): 100.
    pub max_batch_messages: usize,
    /// The maximum number of open subscriptions per connection: 64.
    pub max_subscriptions: usize,
    /// The maximum number of resources that a connection, or a single subscription, may subscribe to: 1,024.
    pub max_watched_resources: usize,
    /// The maximum total size of these resources' URIs: 128 KiB per connection, which includes the ids of
    /// subscriptions.
    pub max_watched_bytes: usize,
    /// The maximum number of open input requests per call: 16. Further ones are an
    /// [`InputRequestError::TooMany`](crate::input_requests::InputRequestError::TooMany).
    pub max_input_requests: usize,
    /// The maximum number of successive input requests per call: 1,024. Further ones are an
    /// [`InputRequestError::NoRoom`](crate::input_requests::InputRequestError::NoRoom). Applies to calls that store
    /// their responses: those up to 2025-11-25, and tasks, where a repeated request counts again.
    pub max_input_responses: usize,
    /// The maximum total size of the responses to these input requests during a call: 16 MiB. They also count towards
    /// [`Limits::max_received_bytes`] of their caller and of the server. More is an
    /// [`InputRequestError::NoRoom`](crate::input_requests::InputRequestError::NoRoom); a `tasks/update` that exceeds
    /// it gets -32603, and the input requests stay open.
    pub max_input_response_bytes: usize,
    /// How long a client of 2026-07-28 may take to respond to a call's input requests: 10 minutes. After that it has to
    /// repeat the call. Up to 2025-11-25, the call is still running, and [`Limits::call_timeout`] applies.
    pub request_state_ttl: Duration,
    /// The maximum size in bytes of a `requestState`, which contains the responses to earlier input requests: 64 KiB. A
    /// larger one is rejected with -32602; a call that would need a larger one is answered with -32603.
    pub max_request_state_bytes: usize,
    /// The maximum total size of a server's skills, which are kept in memory: 64 MiB.
    pub max_skill_bytes: usize,
    /// The number of bytes that may wait for a slow reader before handlers have to wait: 4 MiB.
    pub max_unsent_bytes: usize,
    /// How long running calls may continue after the input has ended or shutdown was requested: 1.5 seconds, less than
    /// the 2 seconds after which common clients kill the process.
    pub shutdown_grace: Duration,
    /// The maximum number of sessions of legacy clients over HTTP: 10,000. Further ones are rejected with status 503.
    /// As many streams of HTTP+SSE may be open in addition.
    pub max_sessions: usize,
    /// How long a session may have neither a request nor an open stream before it ends: 30 minutes.
    pub session_idle: Duration,
    /// The maximum number of open GET streams per session: 16. Further ones are rejected with status 429.
    pub max_session_streams: usize,
    /// The maximum number of connections to the HTTP server: 10,000. Further ones wait.
    pub max_http_connections: usize,
    /// The maximum number of TLS handshakes at once, for built-in servers with `Http::tls`: 1,000. Further ones wait, within
    /// [`Limits::tls_handshake_timeout`].
    pub max_tls_handshakes: usize,
    /// How long a TLS handshake may take: 10 seconds. Then the connection is closed.
    pub tls_handshake_timeout: Duration,
    /// The maximum size of a request's target and headers, for the HTTP and WebSocket servers: 256 KiB, and at least 8
    /// KiB. A request that exceeds it, or has more than 100 headers, gets status 431, and the connection is closed. A
    /// mounted service leaves this to its server.
    pub max_header_bytes: usize,
    /// How long an HTTP client may take to send a body and, for the built-in server, the head of its next request: 1
    /// minute. Then the request gets status 408, and the connection is closed. It is also the time that a client of
    /// HTTP+SSE has to send `initialize` after opening its stream.
    pub http_read_timeout: Duration,
    /// The maximum number of peers of a Unix socket or WebSocket server: 10,000. Further ones wait until one leaves;
    /// a WebSocket gets status 503.
    pub max_socket_peers: usize,
    /// How long a WebSocket peer may be silent, without even answering pings, before the connection is closed: 1
    /// minute.
    pub websocket_silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            per_caller: CallerLimits::default(),
            tool_call_rate: None,
            max_callers: 65_536,
            max_message_bytes: 16 << 20,
            max_received_bytes: 256 << 20,
            max_unread_bytes: 256 << 20,
            write_timeout: Duration::from_mins(1),
            max_calls_in_flight: 16_384,
            call_timeout: Duration::from_mins(5),
            list_page_size: 2_000,
            max_cached_pages: 256,
            max_cached_page_bytes: 16 << 20,
            max_caller_lists: 1_024,
            max_batch_messages: 100,
            max_subscriptions: 64,
            max_watched_resources: 1_024,
            max_watched_bytes: 128 << 10,
            max_input_requests: 16,
            max_input_responses: 1_024,
            max_input_response_bytes: 16 << 20,
            request_state_ttl: Duration::from_mins(10),
            max_request_state_bytes: 64 << 10,
            max_skill_bytes: 64 << 20,
            max_unsent_bytes: 4 << 20,
            shutdown_grace: Duration::from_millis(1_500),
            max_sessions: 10_000,
            session_idle: Duration::from_mins(30),
            max_session_streams: 16,
            max_http_connections: 10_000,
            max_tls_handshakes: 1_000,
            tls_handshake_timeout: Duration::from_secs(10),
            max_header_bytes: 256 << 10,
            http_read_timeout: Duration::from_mins(1),
            max_socket_peers: 10_000,
            websocket_silence: Duration::from_mins(1),
        }
    }
}

/// The limits of a single caller, so that none can exhaust the server: by default about a quarter of the limits of all
/// callers. Change individual ones with struct update syntax, as for [`Limits`].
///
/// A caller is the principal of a verified token, regardless of its client; on an unprotected endpoint, it is the
/// peer's address (for IPv6, its first 64 bits). Behind a proxy, all peers have the same address: configure where to
/// find the caller's with `HttpConfig::caller_address`. The same applies to a mounted service, which does not see
/// addresses. If neither is known, as on stdio and Unix sockets, only the limits of all callers apply.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerLimits {
    /// The maximum number of connections per address to the HTTP or WebSocket server: 2,500. Further ones are closed.
    pub max_connections: usize,
    /// The maximum number of TLS handshakes per address at once: 250. Further connections are closed.
    pub max_tls_handshakes: usize,
    /// The maximum number of sessions per caller: 2,500. Another one ends the caller's oldest idle session; if none is
    /// idle, or for a stream of HTTP+SSE, it is rejected with status 429.
    pub max_sessions: usize,
    /// The maximum number of WebSocket connections per caller: 2,500. Further ones are rejected with status 429.
    pub max_sockets: usize,
    /// The maximum number of concurrent calls per caller, over all connections: 4,096. Further ones are answered with
    /// -32603.
    pub max_calls_in_flight: usize,
    /// The maximum number of subscriptions per caller, over all connections: 1,024. Further ones are answered with
    /// -32603.
    pub max_subscriptions: usize,
    /// The maximum total size of a caller's messages being received or handled: 64 MiB, though a single message is
    /// always accepted. See [`Limits::max_received_bytes`] for what happens to others.
    pub max_received_bytes: usize,
    /// The maximum number of bytes of responses and streams that wait for one caller to read them, over all
    /// connections: 64 MiB, though a single response is always accepted. While it is reached, the caller's requests get
    /// status 503, handlers that send to it wait, and a response that becomes ready is replaced by status 503; on a
    /// stream that has begun, it waits or counts as well. See [`Limits::max_unread_bytes`].
    pub max_unread_bytes: usize,
}

impl Default for CallerLimits {
    fn default() -> Self {
        Self {
            max_connections: 2_500,
            max_tls_handshakes: 250,
            max_sessions: 2_500,
            max_sockets: 2_500,
            max_calls_in_flight: 4_096,
            max_subscriptions: 1_024,
            max_received_bytes: 64 << 20,
            max_unread_bytes: 64 << 20,
        }
    }
}

/// A rate limit: a token bucket that is full at the start and is refilled at a constant rate.
///
/// ```
/// use std::time::Duration;
/// use toolwright_server::{Limits, RateLimit};
///
/// // 60 per minute, in bursts of at most 10.
/// let rate = RateLimit::new(60, Duration::from_mins(1)).burst(10);
/// let limits = Limits { tool_call_rate: Some(rate), ..Limits::default() };
/// # drop(limits);
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimit {
    pub(crate) interval: Duration,
    pub(crate) burst: u32,
}

impl RateLimit {
    /// Allows this many times per `period`, at least once; all of them may occur at once.
    pub fn new(times: u32, period: Duration) -> Self {
        let times = times.max(1);
        Self { interval: period / times, burst: times }
    }

    /// Sets how many may occur at once after a pause: at least one.
    pub fn burst(mut self, times: u32) -> Self {
        self.burst = times.max(1);
        self
    }
}
