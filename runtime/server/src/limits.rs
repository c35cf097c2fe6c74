//! Every limit of a server, with its default.

use std::time::Duration;

/// The limits of a server. Each has a default that suits most services; change single ones with struct update:
/// `Limits { call_timeout: Duration::from_secs(5), ..Limits::default() }`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limits {
    /// What one caller may have of all that; see [`CallerLimits`].
    pub per_caller: CallerLimits,
    /// How often one caller may call one tool: as often as it likes (`None`). "Servers MUST … Rate limit tool
    /// invocations" (2026-07-28, server/tools "Security Considerations"); how often is good, the program knows. A call
    /// too many is answered with a result with `isError` that says when to try again. Callers are those of
    /// [`CallerLimits`]; all others together count as one.
    pub tool_call_rate: Option<RateLimit>,
    /// How many callers are told apart at once: 65,536. A caller counts as long as it has something open, or a bucket of
    /// [`Limits::tool_call_rate`] that is not full. Those above that number share what one caller may have.
    pub max_callers: usize,
    /// The longest message that is read, in bytes: 16 MiB. A longer one is dropped and answered with -32700.
    pub max_message_bytes: usize,
    /// How many bytes of messages may be received or handled at once, over all transports but stdio: 256 MiB, and one
    /// message in any case. A message counts from its first byte until it is answered. One more byte is answered with status
    /// 503 over HTTP, ends a socket with 1013, and ends the connection to a Unix socket with an error.
    pub max_received_bytes: usize,
    /// How many bytes may wait to be read by HTTP clients, all together: 256 MiB, and as much as is under way already. Then
    /// a request is answered with status 503 until they have read. It counts what their responses and streams hold until
    /// it is written, wherever the service is mounted, and 1 KiB for each response.
    pub max_unread_bytes: usize,
    /// How long a peer may read nothing of what is sent to it before its connection is closed: 1 minute. It goes for the
    /// HTTP server, its streams among them, for sockets and for other pairs of streams; a service that is mounted
    /// leaves it to its server, and bounds what waits: see [`Limits::max_unread_bytes`].
    pub write_timeout: Duration,
    /// How many calls, and requests for prompts, resources and completions, of one connection may run at once: 16,384.
    /// One more is answered with -32603 at once. Over HTTP this counts the requests of all clients that are not
    /// answered yet, and one more gets status 503.
    pub max_calls_in_flight: usize,
    /// How long a call may take: 5 minutes, counted from its arrival. Then the handler is dropped and the
    /// caller gets a result with `isError`; one that asked for a prompt or a resource gets -32603.
    pub call_timeout: Duration,
    /// How many entries one page of a list holds: 2,000.
    pub list_page_size: usize,
    /// How many pages of one list are kept as they were written: 256, for all revisions and all sets of scopes together.
    /// The oldest go first, and are written again when they are asked for.
    pub max_cached_pages: usize,
    /// How many bytes these pages may have: 16 MiB for each list. A longer page is written each time.
    pub max_cached_page_bytes: usize,
    /// For how many callers the lists are kept that providers make for each caller
    /// ([`ProviderCapabilities::with_lists_by_caller`](crate::ProviderCapabilities::with_lists_by_caller)): 1,024 of each
    /// kind. Above that those of another caller go, and are made again when they are asked for.
    pub max_caller_lists: usize,
    /// How many messages one batch may hold (2025-03-26 only): 100.
    pub max_batch_messages: usize,
    /// How many subscriptions one connection may have open at once: 64.
    pub max_subscriptions: usize,
    /// How many resources one connection may watch, and one subscription: 1,024.
    pub max_watched_resources: usize,
    /// How many bytes the addresses of these resources may have together: 128 KiB, for all subscriptions of one connection,
    /// whose ids count as well.
    pub max_watched_bytes: usize,
    /// How many input requests one call may have open at once: 16. One more is an
    /// [`InputRequestError::TooMany`](crate::input_requests::InputRequestError::TooMany).
    pub max_input_requests: usize,
    /// How many input requests one call may ask, one after another: 1,024. One more is an
    /// [`InputRequestError::NoRoom`](crate::input_requests::InputRequestError::NoRoom). Counted for calls that keep their answers: those up to
    /// 2025-11-25, and tasks, where an answer that is asked for again counts once more.
    pub max_input_responses: usize,
    /// How many bytes the answers to these input requests may have together, as long as the call goes on: 16 MiB. They count
    /// among the [`Limits::max_received_bytes`] of their caller and of all until then. More is an
    /// [`InputRequestError::NoRoom`](crate::input_requests::InputRequestError::NoRoom); a `tasks/update` that brings more gets -32603, and the input requests
    /// stay open.
    pub max_input_response_bytes: usize,
    /// How long a client of 2026-07-28 may take for the answers to a call's input requests: 10 minutes. Then it has to make the
    /// call again. Up to 2025-11-25 the call goes on meanwhile, and [`Limits::call_timeout`] counts.
    pub request_state_ttl: Duration,
    /// How long the `requestState` may be that holds the answers to earlier input requests, in bytes: 64 KiB. A longer one is
    /// refused with -32602; a call whose answers would need a longer one is answered with -32603.
    pub max_request_state_bytes: usize,
    /// How many bytes the skills of a server may have together, all of which it keeps in memory: 64 MiB.
    pub max_skill_bytes: usize,
    /// How many bytes may wait for a slow reader before handlers that send wait as well: 4 MiB.
    pub max_unsent_bytes: usize,
    /// How long running calls may go on after the input has ended or shutdown was asked for: 1.5 seconds, less
    /// than the 2 seconds after which common clients end the process by force.
    pub shutdown_grace: Duration,
    /// How many sessions of legacy clients may be open over HTTP: 10,000. One more is refused with status 503. As many
    /// streams of HTTP+SSE may be open beside them.
    pub max_sessions: usize,
    /// How long a session may be without a request or an open stream before it ends: 30 minutes.
    pub session_idle: Duration,
    /// How many GET streams one session may have open: 16. One more is refused with status 429.
    pub max_session_streams: usize,
    /// How many connections the HTTP server has open: 10,000. Others wait until one ends.
    pub max_http_connections: usize,
    /// How many bytes the target and the headers of a request may have, to the HTTP server and the WebSocket server: 256
    /// KiB, and never less than 8 KiB. Where so many have come and the headers have no end, the request is answered with
    /// status 431 and the connection closed; so is one with more than 100 headers. A service that is mounted leaves it to
    /// its server.
    pub max_header_bytes: usize,
    /// How long an HTTP client may take to send a body, and, to the server of its own, the head of its next request: 1
    /// minute. Then the body is answered with status 408, and the connection is closed. A client of HTTP+SSE has this time to
    /// send `initialize` after it has opened its stream.
    pub http_read_timeout: Duration,
    /// How many peers a Unix socket, or a WebSocket server, has at once: 10,000. More wait until one leaves; a
    /// WebSocket gets status 503.
    pub max_socket_peers: usize,
    /// How long the peer on a WebSocket may send nothing, not even the answer to a ping, before the connection is
    /// closed: 1 minute.
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
            max_header_bytes: 256 << 10,
            http_read_timeout: Duration::from_mins(1),
            max_socket_peers: 10_000,
            websocket_silence: Duration::from_mins(1),
        }
    }
}

/// What one caller may have, so that none takes all that there is: by default about a quarter of what all may have.
/// Change single ones with struct update, as those of [`Limits`].
///
/// A caller is the principal of a checked token, whatever its client; on an endpoint without protection, the address of
/// the peer, of which IPv6 counts the first 64 bits. Behind a proxy all peers have one address: say where the caller's is
/// to be found with `HttpConfig::caller_address`. A mounted service sees no addresses unless it is told the same way.
/// Where neither is known, as on stdio and Unix sockets, only the limits of all count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallerLimits {
    /// How many connections one address may have to the HTTP server or the WebSocket server: 2,500. One more is closed.
    pub max_connections: usize,
    /// How many sessions one caller may have open: 2,500. One more ends the oldest of its own that is not in use; where all
    /// are, and for a stream of HTTP+SSE, it is refused with status 429.
    pub max_sessions: usize,
    /// How many sockets of the WebSocket transport one caller may have open: 2,500. One more is refused with status 429.
    pub max_sockets: usize,
    /// How many calls of one caller may go on at once, on all its connections: 4,096. One more is answered with -32603.
    pub max_calls_in_flight: usize,
    /// How many subscriptions one caller may have open, on all its connections: 1,024. One more is answered with -32603.
    pub max_subscriptions: usize,
    /// How many bytes of messages of one caller may be received or handled at once: 64 MiB, and one message in any case. For
    /// what happens to more see [`Limits::max_received_bytes`].
    pub max_received_bytes: usize,
    /// How many bytes of responses and streams may wait for one caller to read them, on all its connections: 64 MiB, and
    /// one response in any case. Then its requests are answered with status 503, handlers that send to it wait, and an answer
    /// that is ready meanwhile is replaced by status 503; on a stream that has begun it waits, or counts as well. See
    /// [`Limits::max_unread_bytes`].
    pub max_unread_bytes: usize,
}

impl Default for CallerLimits {
    fn default() -> Self {
        Self {
            max_connections: 2_500,
            max_sessions: 2_500,
            max_sockets: 2_500,
            max_calls_in_flight: 4_096,
            max_subscriptions: 1_024,
            max_received_bytes: 64 << 20,
            max_unread_bytes: 64 << 20,
        }
    }
}

/// How often something may happen: a bucket that is full at the start, from which each time takes one, and that is filled
/// again at an even pace.
///
/// ```
/// use std::time::Duration;
/// use toolwright_server::{Limits, RateLimit};
///
/// // 60 a minute, of which 10 may come at once.
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
    /// So many times in each `period`, at least once; all of them may come at once.
    pub fn new(times: u32, period: Duration) -> Self {
        let times = times.max(1);
        Self { interval: period / times, burst: times }
    }

    /// How many may come at once after a pause: at least one.
    pub fn burst(mut self, times: u32) -> Self {
        self.burst = times.max(1);
        self
    }
}
