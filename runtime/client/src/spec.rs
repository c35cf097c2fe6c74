//! Conversions to [`ServerSpec`].

use crate::config::{HttpSpec, ServerSpec, SseSpec, StdioSpec, TransportSpec, WebSocketSpec};

/// A URL. The name of the server is the URL without its query.
impl From<&str> for ServerSpec {
    fn from(url: &str) -> Self {
        let name = without_credentials(url);
        let is_socket = ["ws://", "wss://"].iter().any(|scheme| url.starts_with(scheme));
        if is_socket { Self::new(name, WebSocketSpec::new(url)) } else { Self::new(name, HttpSpec::new(url)) }
    }
}

/// Returns a URL without its query and without credentials. Credentials are rejected later, and must not be shown
/// before.
pub(crate) fn without_credentials(url: &str) -> String {
    let base = url.split(['?', '#']).next().unwrap_or_default();
    match base.split_once("://") {
        Some((scheme, rest)) => {
            let host = rest.rsplit_once('@').map_or(rest, |(_, host)| host);
            format!("{scheme}://{host}")
        }
        None => base.to_owned(),
    }
}

/// A URL.
impl From<String> for ServerSpec {
    fn from(url: String) -> Self {
        url.as_str().into()
    }
}

/// A program. The name of the server is its command line.
impl From<StdioSpec> for ServerSpec {
    fn from(spec: StdioSpec) -> Self {
        let words = std::iter::once(&spec.command).chain(&spec.args).map(ToString::to_string);
        Self::new(words.collect::<Vec<_>>().join(" "), spec)
    }
}

/// A server over Streamable HTTP.
impl From<HttpSpec> for ServerSpec {
    fn from(spec: HttpSpec) -> Self {
        Self { transport: TransportSpec::Http(spec.clone()), ..spec.url.expose().into() }
    }
}

/// A server over HTTP+SSE.
impl From<SseSpec> for ServerSpec {
    fn from(spec: SseSpec) -> Self {
        Self { transport: TransportSpec::Sse(spec.clone()), ..spec.url.expose().into() }
    }
}

/// A server over a WebSocket.
impl From<WebSocketSpec> for ServerSpec {
    fn from(spec: WebSocketSpec) -> Self {
        Self { transport: TransportSpec::WebSocket(spec.clone()), ..spec.url.expose().into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_is_named_without_secrets() {
        for (url, expected) in [
            ("https://example.com/mcp?key=s3cret#x", "https://example.com/mcp"),
            ("http://user:s3cret@example.com/", "http://example.com/"),
            ("wss://example.com", "wss://example.com"),
        ] {
            assert_eq!(ServerSpec::from(url).name, expected);
        }
        assert_eq!(ServerSpec::from(StdioSpec::new("npx").arg("-y").arg("server")).name, "npx -y server");
    }
}
