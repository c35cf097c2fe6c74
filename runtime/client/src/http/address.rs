//! URLs of servers over HTTP.

use std::fmt;

use http::Uri;

/// An `http:` or `https:` URL without a fragment and without credentials (RFC 9110 §4.2).
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Address {
    pub(crate) is_tls: bool,
    /// The host, and the port if it is not the default: the value of the header `Host`.
    pub(crate) authority: String,
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Path and query.
    pub(crate) target: Uri,
    /// The full URL, whose query may contain secrets.
    pub(crate) url: String,
}

impl Address {
    /// Parses a URL.
    ///
    /// # Errors
    /// If the URL is not valid or not supported. The error says what to write instead.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.split('#').next().unwrap_or_default().trim();
        let (scheme, rest) =
            text.split_once("://").ok_or("it is not a URL such as https://example.com/mcp")?;
        let is_tls = match scheme.to_ascii_lowercase().as_str() {
            "http" | "ws" => false,
            "https" | "wss" => true,
            _ => return Err(format!("`{scheme}:` is not supported: use http:// or https://")),
        };
        let end = rest.find(['/', '?']).unwrap_or(rest.len());
        let (authority, target) = rest.split_at(end);
        if authority.contains('@') {
            return Err("it contains credentials, which end up in logs: send them in a header".to_owned());
        }
        let target = if target.starts_with('/') { target.to_owned() } else { format!("/{target}") };
        let target: Uri =
            target.parse().map_err(|_| "its path has characters that must be percent-encoded".to_owned())?;
        let host_and_port: http::uri::Authority =
            authority.parse().map_err(|_| format!("`{authority}` is not a valid host and port"))?;
        let host = host_and_port.host().to_ascii_lowercase();
        let port = host_and_port.port_u16();
        let has_port = host_and_port.as_str().len() > host_and_port.host().len();
        if host.is_empty() || has_port && port.is_none() {
            return Err(format!("`{authority}` is not a valid host and port"));
        }
        let default = if is_tls { 443 } else { 80 };
        let authority = match port {
            Some(port) if port != default => format!("{host}:{port}"),
            _ => host.clone(),
        };
        let url = format!("{}{target}", origin(is_tls, &authority));
        Ok(Self { is_tls, authority, host, port: port.unwrap_or(default), target, url })
    }

    /// Resolves a reference against this URL (RFC 3986 §5.2).
    ///
    /// # Errors
    /// See [`Address::parse`].
    pub(crate) fn join(&self, reference: &str) -> Result<Self, String> {
        let reference = reference.split('#').next().unwrap_or_default().trim();
        let scheme = if self.is_tls { "https" } else { "http" };
        let is_scheme = |text: &str| text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        if reference.split_once("://").is_some_and(|(scheme, _)| is_scheme(scheme)) {
            return Self::parse(reference);
        }
        if let Some(rest) = reference.strip_prefix("//") {
            return Self::parse(&format!("{scheme}://{rest}"));
        }
        let path = self.target.path();
        let target = if reference.is_empty() {
            self.target.to_string()
        } else if reference.starts_with('/') {
            reference.to_owned()
        } else if reference.starts_with('?') {
            format!("{path}{reference}")
        } else {
            let folder = &path[..=path.rfind('/').unwrap_or(0)];
            format!("{folder}{reference}")
        };
        let (path, query) =
            target.split_once('?').map_or((&*target, None), |(path, query)| (path, Some(query)));
        let path = remove_dot_segments(path);
        let target = query.map_or_else(|| path.clone(), |query| format!("{path}?{query}"));
        Self::parse(&format!("{scheme}://{}{target}", self.authority))
    }

    pub(crate) fn has_same_origin(&self, other: &Self) -> bool {
        (self.is_tls, &self.host, self.port) == (other.is_tls, &other.host, other.port)
    }

    /// Returns whether the host is this machine, so that requests do not cross a network.
    pub(crate) fn is_local(&self) -> bool {
        let host = self.host.trim_matches(['[', ']']);
        host == "localhost" || host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
    }

    pub(crate) fn origin(&self) -> String {
        origin(self.is_tls, &self.authority)
    }
}

fn origin(is_tls: bool, authority: &str) -> String {
    format!("{}://{authority}", if is_tls { "https" } else { "http" })
}

/// Formats the URL without its query, for messages and logs.
impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.target.path())
    }
}

/// Removes the segments `.` and `..` (RFC 3986 §5.2.4).
fn remove_dot_segments(path: &str) -> String {
    let mut output: Vec<&str> = Vec::new();
    let segments: Vec<&str> = path.split('/').skip(1).collect();
    for (index, segment) in segments.iter().enumerate() {
        let is_last = index + 1 == segments.len();
        match *segment {
            "." | ".." => {
                if *segment == ".." {
                    output.pop();
                }
                if is_last {
                    output.push("");
                }
            }
            segment => output.push(segment),
        }
    }
    format!("/{}", output.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_parsed() {
        for (text, shown, host, port) in [
            ("http://localhost:8080/mcp?a=b#c", "http://localhost:8080/mcp", "localhost", 8080),
            ("HTTPS://Example.com", "https://example.com/", "example.com", 443),
            ("https://example.com:443/", "https://example.com/", "example.com", 443),
            ("http://[::1]:9/x", "http://[::1]:9/x", "[::1]", 9),
            ("http://h?x=1", "http://h/", "h", 80),
        ] {
            let address = Address::parse(text).unwrap();
            assert_eq!(
                (address.to_string().as_str(), address.host.as_str(), address.port),
                (shown, host, port)
            );
        }
    }

    #[test]
    fn invalid_urls_are_rejected_with_the_reason() {
        for (text, part) in [
            ("example.com", "not a URL"),
            ("ftp://example.com", "`ftp:` is not supported"),
            ("http://user:secret@example.com", "credentials"),
            ("http://", "not a valid host"),
            ("http://host:/", "not a valid host"),
            ("http://host:99999/", "not a valid host"),
            ("http://host/a b", "must be percent-encoded"),
        ] {
            let problem = Address::parse(text).unwrap_err();
            assert!(problem.contains(part) && !problem.contains("secret"), "{text}: {problem}");
        }
    }

    /// 2024-11-05 basic/transports "HTTP with SSE", RFC 3986 §5; modelcontextprotocol/python-sdk#412,
    /// modelcontextprotocol/go-sdk#687.
    #[test]
    fn references_are_resolved() {
        let base = Address::parse("https://example.com/gw/sse?x=1").unwrap();
        for (reference, expected) in [
            ("messages?sid=1", "https://example.com/gw/messages?sid=1"),
            ("/gw/messages?sid=1", "https://example.com/gw/messages?sid=1"),
            ("/messages?sid=1", "https://example.com/messages?sid=1"),
            ("https://example.com/gw/messages?sid=1", "https://example.com/gw/messages?sid=1"),
            ("?sid=1", "https://example.com/gw/sse?sid=1"),
            ("//other.example/x", "https://other.example/x"),
            ("../a/./b/../c", "https://example.com/a/c"),
            ("..", "https://example.com/"),
            ("a?u=http://x", "https://example.com/gw/a?u=http://x"),
            ("", "https://example.com/gw/sse?x=1"),
        ] {
            assert_eq!(base.join(reference).unwrap().url, expected, "{reference}");
        }
    }

    #[test]
    fn only_this_machine_is_local() {
        for (text, expected) in [
            ("http://localhost/", true),
            ("http://127.0.0.9:1/", true),
            ("http://[::1]/", true),
            ("http://localhost.evil.example/", false),
            ("http://10.0.0.1/", false),
        ] {
            assert_eq!(Address::parse(text).unwrap().is_local(), expected, "{text}");
        }
    }
}
