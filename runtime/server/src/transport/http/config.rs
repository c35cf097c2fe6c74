//! The settings of an endpoint, and the checks of `Host` and `Origin`.

use std::fmt;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;
use std::time::Duration;

use http::header::{HOST, ORIGIN};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Uri};

use toolwright_wire::headers::single;
use toolwright_wire::origin::{host_name, is_loopback};

use super::caller::FindAddress;
use super::legacy::{EventStore, MemoryEventStore, Reading};
use crate::auth::Access;
#[cfg(feature = "auth")]
use crate::auth::Protection;
use crate::observed::observe;

/// Configures an HTTP endpoint. By default, only programs and pages on the same machine are allowed.
#[derive(Debug, Clone)]
pub struct HttpConfig {
    /// `None` allows any host.
    hosts: Option<Vec<String>>,
    origins: Vec<String>,
    keep_alive: Option<Duration>,
    legacy: bool,
    store: Store,
    retry: Duration,
    close_after: Option<Duration>,
    messages_uri: Option<String>,
    trusts: bool,
    address: FindAddress,
    #[cfg(feature = "auth")]
    protection: Option<std::sync::Arc<Protection>>,
}

/// The event store, with a `Debug` implementation.
#[derive(Clone)]
pub(super) struct Store(Arc<dyn EventStore>);

impl Deref for Store {
    type Target = dyn EventStore;

    fn deref(&self) -> &Self::Target {
        &*self.0
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("EventStore")
    }
}

impl Default for HttpConfig {
    fn default() -> Self {
        Self {
            hosts: Some(Vec::new()),
            origins: Vec::new(),
            keep_alive: Some(KEEP_ALIVE),
            legacy: true,
            store: Store(Arc::new(MemoryEventStore::default())),
            retry: RETRY,
            close_after: None,
            messages_uri: None,
            trusts: false,
            address: FindAddress::default(),
            #[cfg(feature = "auth")]
            protection: None,
        }
    }
}

/// The silence after which a comment is sent.
const KEEP_ALIVE: Duration = Duration::from_secs(15);

/// How long a client waits before it reconnects to a stream.
const RETRY: Duration = Duration::from_secs(1);

impl HttpConfig {
    /// Creates the defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows requests whose `Host` (HTTP/2: `:authority`) is `host`, in addition to `localhost` and loopback
    /// addresses: a name, which applies to every port, or `name:port`. Others get 403, since a page whose name was
    /// rebound to this machine must not reach the server (DNS rebinding).
    pub fn allow_host(mut self, host: impl Into<String>) -> Self {
        self.hosts.get_or_insert_default().push(host.into().to_ascii_lowercase());
        self
    }

    /// Allows any `Host`: for a server behind a proxy that checks it.
    pub fn allow_any_host(mut self) -> Self {
        self.hosts = None;
        self
    }

    /// Allows pages of `origin`, such as `https://app.example.com`, and lets their browser read responses (CORS). Pages
    /// of other origins get 403, except those of this machine, which are served without CORS (2026-07-28,
    /// basic/transports/streamable-http "Security & Endpoint").
    pub fn allow_origin(mut self, origin: impl Into<String>) -> Self {
        self.origins.push(origin.into().trim_end_matches('/').to_ascii_lowercase());
        self
    }

    /// Sets the silence after which a comment is sent on an open stream, or for a pending call: 15 seconds by default.
    /// `None` disables comments.
    pub fn keep_alive(mut self, time: Option<Duration>) -> Self {
        self.keep_alive = time;
        self
    }

    /// Serves only revision 2026-07-28: no sessions, 405 for everything but POST, no HTTP+SSE. `server/discover` lists
    /// no other revision.
    pub fn modern_only(mut self) -> Self {
        self.legacy = false;
        self
    }

    /// Requires a token from every caller. It is checked after `Host` and `Origin`, and before the body is read
    /// (2026-07-28, basic/authorization). It determines which tools are listed and can be called.
    #[cfg(feature = "auth")]
    pub fn protect(mut self, protection: Protection) -> Self {
        self.protection = Some(protection.into());
        self
    }

    /// Lets every caller use tools that require scopes: for an endpoint that only trusted callers can reach, such as
    /// one behind a proxy that authenticates them. Otherwise, an endpoint without protection neither lists nor calls
    /// those tools, and logs their names when it is created. No effect on a protected endpoint.
    pub fn trust_callers(mut self) -> Self {
        self.trusts = true;
        self
    }

    /// Sets how to find the address of an unauthenticated caller, for per-caller limits
    /// ([`CallerLimits`](crate::CallerLimits)): behind a proxy, in a header that only the proxy can set; in a mounted
    /// service, wherever its server provides it. By default, it is the request's [`PeerAddr`](crate::PeerAddr), if
    /// there is one.
    ///
    /// ```
    /// use toolwright_server::HttpConfig;
    ///
    /// let config = HttpConfig::new().caller_address(|head| {
    ///     let forwarded = head.headers.get("x-forwarded-for")?.to_str().ok()?;
    ///     // The last one was added by the proxy itself.
    ///     forwarded.rsplit(',').next()?.trim().parse().ok()
    /// });
    /// # drop(config);
    /// ```
    pub fn caller_address(mut self, find: impl Fn(&Parts) -> Option<IpAddr> + Send + Sync + 'static) -> Self {
        self.address = FindAddress::new(find);
        self
    }

    pub(super) fn address(&self) -> &FindAddress {
        &self.address
    }

    /// What callers of an unprotected endpoint may use.
    pub(super) fn access(&self) -> Access {
        if self.trusts { Access::Trusted } else { Access::Anonymous }
    }

    #[cfg(feature = "auth")]
    pub(super) fn protection(&self) -> Option<&Protection> {
        self.protection.as_deref()
    }

    /// Sets the store for the events of legacy sessions, from which a client that lost its connection gets what it
    /// missed. By default, events are stored in memory, within [`EventLimits`](crate::EventLimits).
    pub fn event_store(mut self, store: impl EventStore) -> Self {
        self.store = Store(Arc::new(store));
        self
    }

    /// Sets how long clients of revision 2025-11-25 wait before they reconnect to a stream whose connection has ended:
    /// 1 second by default.
    pub fn retry(mut self, time: Duration) -> Self {
        self.retry = time;
        self
    }

    /// Sets how long a session's stream may keep a connection before the client has to reconnect, for networks that
    /// close long connections. By default (`None`), as long as there may be more to send. Only applies to clients of
    /// revision 2025-11-25; others do not reconnect. Handlers can trigger it with
    /// [`Context::close_stream`](crate::Context::close_stream).
    pub fn close_streams_after(mut self, time: Option<Duration>) -> Self {
        self.close_after = time;
        self
    }

    /// Sets where clients of HTTP+SSE have to POST, for a proxy that mounts
    /// [`HttpService::sse`](crate::HttpService::sse) at other paths than `sse` and `messages` side by side: a path or a
    /// URL.
    pub fn messages_uri(mut self, uri: impl Into<String>) -> Self {
        self.messages_uri = Some(uri.into());
        self
    }

    pub(super) fn messages_path(&self) -> Option<&str> {
        self.messages_uri.as_deref()
    }

    pub(super) fn store(&self) -> &Store {
        &self.store
    }

    pub(super) fn reading(&self) -> Reading {
        Reading { keep_alive: self.keep_alive, retry: self.retry, close_after: self.close_after }
    }

    pub(super) fn has_sessions(&self) -> bool {
        self.legacy
    }

    /// Checks `Host` and `Origin` independently.
    pub(super) fn admit(&self, head: &Parts) -> Result<(), &'static str> {
        if !self.admits_host(&head.uri, &head.headers) {
            observe!(
                INFO,
                error.r#type = "host_not_allowed",
                server.address = shown(head.headers.get(HOST)),
                "a request for another host was rejected"
            );
            return Err("this host is not allowed; the server can allow it with `HttpConfig::allow_host`");
        }
        match single(&head.headers, &ORIGIN) {
            Ok(None) => Ok(()),
            Ok(Some(origin)) if self.admits_origin(origin) => Ok(()),
            _ => {
                observe!(
                    INFO,
                    error.r#type = "origin_not_allowed",
                    http.request.header.origin = shown(head.headers.get(ORIGIN)),
                    "a request of another origin was rejected"
                );
                Err("this origin is not allowed; the server can allow it with `HttpConfig::allow_origin`")
            }
        }
    }

    fn admits_host(&self, uri: &Uri, headers: &HeaderMap) -> bool {
        let Some(allowed) = &self.hosts else { return true };
        let host = match (uri.authority(), single(headers, &HOST)) {
            // Over HTTP/2, this is the pseudo-header (RFC 9113 §8.3.1); it takes precedence over `Host`, as RFC 9112
            // §3.2.2 specifies for HTTP/1.1.
            (Some(authority), _) => authority.as_str(),
            (None, Ok(Some(host))) => host.to_str().unwrap_or_default(),
            _ => return false,
        };
        let name = host_name(host);
        let is_named = |allowed: &String| [host, name].iter().any(|host| allowed.eq_ignore_ascii_case(host));
        is_loopback(name) || allowed.iter().any(is_named)
    }

    fn admits_origin(&self, origin: &HeaderValue) -> bool {
        let Ok(origin) = origin.to_str() else { return false };
        let local = origin
            .strip_prefix("http://")
            .or_else(|| origin.strip_prefix("https://"))
            .is_some_and(|host| is_loopback(host_name(host)));
        local || self.has_cors_for(origin)
    }

    fn has_cors_for(&self, origin: &str) -> bool {
        self.origins.iter().any(|allowed| allowed.eq_ignore_ascii_case(origin))
    }

    /// The request's origin, if its browser may read the response.
    pub(super) fn cors_origin(&self, headers: &HeaderMap) -> Option<HeaderValue> {
        if self.origins.is_empty() {
            return None;
        }
        headers
            .get(ORIGIN)
            .filter(|origin| origin.to_str().is_ok_and(|origin| self.has_cors_for(origin)))
            .cloned()
    }
}

/// Returns a header as a field of an event.
#[cfg(feature = "tracing")]
fn shown(value: Option<&HeaderValue>) -> String {
    let text = value.map(|value| String::from_utf8_lossy(value.as_bytes()).into_owned()).unwrap_or_default();
    crate::observed::shorten(&text).to_owned()
}

#[cfg(test)]
mod tests {
    use http::Request;

    use super::HttpConfig;

    fn admits(config: &HttpConfig, uri: &str, headers: &[(&str, &str)]) -> bool {
        let mut request = Request::builder().uri(uri);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        config.admit(&request.body(()).expect("a request").into_parts().0).is_ok()
    }

    #[test]
    fn hosts_and_origins_are_checked_independently() {
        let config = HttpConfig::new().allow_host("mcp.example.com").allow_origin("https://app.example.com/");
        for (host, good) in [
            ("localhost:8080", true),
            ("LOCALHOST", true),
            ("127.0.0.1:1", true),
            ("[::1]:8080", true),
            ("mcp.example.com", true),
            ("mcp.example.com:443", true),
            ("evil.example.com", false),
            ("localhost.evil.example.com", false),
            ("127.0.0.1.evil.example.com", false),
            ("[::1]evil.example.com", false),
            ("", false),
        ] {
            assert_eq!(admits(&config, "/mcp", &[("host", host)]), good, "{host}");
        }
        for (origin, good) in [
            ("http://localhost:6274", true),
            ("https://127.0.0.1", true),
            ("https://app.example.com", true),
            ("http://app.example.com", false),
            ("https://app.example.com:444", false),
            ("http://evil.example.com", false),
            ("http://localhost@evil.example.com", false),
            ("http://localhost:80@evil.example.com", false),
            ("null", false),
        ] {
            assert_eq!(
                admits(&config, "/mcp", &[("host", "localhost"), ("origin", origin)]),
                good,
                "{origin}"
            );
        }
        assert!(!admits(&config, "/mcp", &[]), "without a host");
        assert!(!admits(&config, "/mcp", &[("host", "localhost"), ("host", "evil.example.com")]));
    }

    // As reported in joshrotenberg/tower-mcp#796.
    #[test]
    fn the_authority_of_http_2_is_the_host() {
        let config = HttpConfig::new();
        assert!(admits(&config, "http://localhost:8080/gw/mcp", &[]));
        assert!(!admits(&config, "http://attacker.example/gw/mcp", &[]));
        assert!(!admits(&config, "http://attacker.example/gw/mcp", &[("host", "localhost")]));
        assert!(admits(&config.allow_any_host(), "http://attacker.example/gw/mcp", &[]));
    }
}
