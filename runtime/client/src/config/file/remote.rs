//! Specifications of remote servers.

use std::ops::Range;
use std::time::Duration;

use super::entry::Entry;
use super::node::{Data, Member, Node};
use super::oauth::{is_enabled, read_oauth};
use super::problem::{Problem, ProblemKind, Severity};
use crate::config::{Expanded, Headers, HttpSpec, SseSpec, WebSocketSpec};

/// The common members of remote servers.
struct Endpoint {
    url: Expanded,
    headers: Headers,
    timeout: Option<Duration>,
}

pub(super) fn build_http(entry: &Entry<'_>) -> Option<HttpSpec> {
    let endpoint = read_endpoint(entry, &["http", "https"]);
    let sse_read_timeout = entry.read_duration("sse_read_timeout");
    let terminate_on_close = entry.read_bool("terminate_on_close");
    let oauth = entry.find("oauth").filter(|found| is_enabled(found)).map(|found| read_oauth(entry, found));

    let endpoint = endpoint?;
    let mut spec = HttpSpec::new(endpoint.url);
    spec.headers = endpoint.headers;
    spec.timeout = endpoint.timeout.unwrap_or(spec.timeout);
    spec.sse_read_timeout = sse_read_timeout.unwrap_or(spec.sse_read_timeout);
    spec.terminate_on_close = terminate_on_close.unwrap_or(spec.terminate_on_close);
    // No fallback from an explicit transport, which `httpUrl` is too.
    let is_http_url = |found: &Member| matches!(found.name.as_str(), "httpUrl" | "http_url");
    spec.sse_fallback = entry.find("type").is_none() && !entry.find("url").is_some_and(is_http_url);
    spec.oauth = match oauth {
        None => None,
        Some(oauth) => Some(oauth?),
    };
    Some(spec)
}

pub(super) fn build_sse(entry: &Entry<'_>) -> Option<SseSpec> {
    let endpoint = read_endpoint(entry, &["http", "https"]);
    let sse_read_timeout = entry.read_duration("sse_read_timeout");
    let oauth = entry.find("oauth").filter(|found| is_enabled(found)).map(|found| read_oauth(entry, found));

    let endpoint = endpoint?;
    let mut spec = SseSpec::new(endpoint.url);
    spec.headers = endpoint.headers;
    spec.timeout = endpoint.timeout.unwrap_or(spec.timeout);
    spec.sse_read_timeout = sse_read_timeout.unwrap_or(spec.sse_read_timeout);
    spec.oauth = match oauth {
        None => None,
        Some(oauth) => Some(oauth?),
    };
    Some(spec)
}

pub(super) fn build_websocket(entry: &Entry<'_>) -> Option<WebSocketSpec> {
    let endpoint = read_endpoint(entry, &["ws", "wss"])?;
    let mut spec = WebSocketSpec::new(endpoint.url);
    spec.headers = endpoint.headers;
    spec.timeout = endpoint.timeout.unwrap_or(spec.timeout);
    Some(spec)
}

fn read_endpoint(entry: &Entry<'_>, schemes: &[&str]) -> Option<Endpoint> {
    let found = entry.find("url");
    if found.is_none() {
        let message = "the `url` is missing";
        let problem = Problem::error(ProblemKind::Missing, entry.node.span.clone(), message);
        entry.report(problem.help("add a `url`"), None);
    }
    let url = found.and_then(|found| read_url(entry, found, schemes));
    let headers = read_headers(entry);
    let timeout = entry.read_duration("timeout");
    let (url, headers) = (url?, headers?);
    if !headers.is_empty() && is_unencrypted(url.expose()) {
        let span = entry.find("url").map_or(0..0, |found| found.value.span.clone());
        let message = "headers are sent over the network without encryption".to_owned();
        let problem = Problem::new(Severity::Note, ProblemKind::Exposed, span, message);
        entry.report(problem.help("use `https://` if the server supports it"), Some("url"));
    }
    Some(Endpoint { url, headers, timeout })
}

fn read_url(entry: &Entry<'_>, found: &Member, schemes: &[&str]) -> Option<Expanded> {
    let (span, name) = (&found.value.span, found.name.as_str());
    let url = entry.read_string(found)?;
    if name != "url" && matches!(name, "serverUrl" | "server_url") {
        let problem = Problem::new(
            Severity::Note,
            ProblemKind::UnknownMember,
            found.name_span.clone(),
            "it is treated as `url`",
        );
        entry.report(problem, Some(name));
    }
    if url.is_incomplete {
        return Some(url.value);
    }
    match check_url(url.value.expose(), schemes) {
        Ok(()) => Some(url.value),
        Err((message, help)) => {
            entry.error(ProblemKind::InvalidValue, span, name, message, &help);
            None
        }
    }
}

/// Checks that the text is an absolute URL with one of these schemes, with a host and without a password.
///
/// Messages do not repeat the text, which may contain a secret.
fn check_url(text: &str, schemes: &[&str]) -> Result<(), (String, String)> {
    let expected = schemes.iter().map(|scheme| format!("`{scheme}://…`")).collect::<Vec<_>>().join(" or ");
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    }) else {
        return Err(("this is not a URL".to_owned(), format!("write {expected}")));
    };
    if !schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        let other = matches!(scheme.to_ascii_lowercase().as_str(), "ws" | "wss" | "http" | "https");
        let help =
            if other { format!("write {expected}, or change `type`") } else { format!("write {expected}") };
        return Err((format!("`{scheme}://` is not supported by this transport"), help));
    }
    if let Some(invalid) = text.chars().find(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '<' | '>' | '"' | '\\' | '^' | '`' | '{' | '}' | '|')
    }) {
        return Err((format!("{invalid:?} is not allowed in a URL"), "use percent-encoding".to_owned()));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        let help = "use the header `Authorization` with a variable";
        return Err(("a user and a password in a URL end up in logs".to_owned(), help.to_owned()));
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(("", ""), |(host, port)| (host, port)),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    if host.is_empty() {
        return Err(("the URL has no host".to_owned(), format!("write {expected}")));
    }
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    if !is_port {
        return Err(("the port must be a number up to 65535".to_owned(), String::new()));
    }
    Ok(())
}

/// Whether the URL is neither encrypted nor on this machine. The whole host is compared: `localhost.example` and
/// `localhost@example` are remote.
fn is_unencrypted(url: &str) -> bool {
    let Some((scheme, rest)) = url.split_once("://") else { return false };
    if !matches!(scheme.to_ascii_lowercase().as_str(), "http" | "ws") {
        return false;
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    let is_loopback = host.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    !is_loopback && !host.eq_ignore_ascii_case("localhost")
}

fn read_headers(entry: &Entry<'_>) -> Option<Headers> {
    let mut headers = Headers::default();
    let mut is_valid = true;
    if let Some(found) = entry.find("headers") {
        let Some(members) = found.value.members() else {
            entry.wrong_type(&found.value, &found.name, "an object of strings");
            return None;
        };
        for member in members {
            let path = format!("{}.{}", found.name, member.name);
            let is_new = headers.get(&member.name).is_none();
            let value = read_header(entry, &member.name, &member.name_span, &member.value, &path);
            if !is_new {
                let message = "this header appears twice: names are case-insensitive".to_owned();
                entry.error(
                    ProblemKind::Duplicate,
                    &member.name_span,
                    &path,
                    message,
                    "remove one of the two",
                );
            }
            is_valid &= is_new && value.is_some();
            if let Some(value) = value {
                headers.set(member.name.clone(), value);
            }
        }
    }
    if let Some(found) = entry.find("auth_token") {
        let (span, name) = (&found.value.span, found.name.as_str());
        if headers.get("Authorization").is_some() {
            let message = "it conflicts with the header `Authorization`".to_owned();
            entry.error(ProblemKind::Conflict, &found.name_span, name, message, "keep one of the two");
            return None;
        }
        let Some(token) = found.value.as_str() else {
            entry.wrong_type(&found.value, name, "a string");
            return None;
        };
        if token.is_empty() {
            entry.error(
                ProblemKind::InvalidValue,
                span,
                name,
                "it is empty".to_owned(),
                "write the token, or remove it",
            );
            return None;
        }
        // The token may include the scheme.
        let has_scheme = token.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
        let bearer = if has_scheme { token.to_owned() } else { format!("Bearer {token}") };
        let value = read_header_value(entry, &bearer, span, name)?;
        headers.set("Authorization", value);
    }
    is_valid.then_some(headers)
}

fn read_header(
    entry: &Entry<'_>,
    name: &str,
    name_span: &Range<usize>,
    node: &Node,
    path: &str,
) -> Option<crate::config::Template> {
    /// Headers that the client sets.
    const RESERVED: [&str; 9] = [
        "accept",
        "connection",
        "content-length",
        "content-type",
        "host",
        "last-event-id",
        "mcp-protocol-version",
        "mcp-session-id",
        "transfer-encoding",
    ];
    let is_token = |c: char| c.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(c);
    if name.is_empty() || !name.chars().all(is_token) {
        let message = "this is not a valid header name".to_owned();
        let help = "use letters, digits and `-`";
        entry.error(ProblemKind::InvalidValue, name_span, path, message, help);
        return None;
    }
    if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
        let message = "this header is set by the client".to_owned();
        entry.error(ProblemKind::Conflict, name_span, path, message, "remove it");
        return None;
    }
    match &node.data {
        Data::String(text) => read_header_value(entry, text, &node.span, path),
        Data::Number(number) => Some(number.to_string().into()),
        Data::Bool(flag) => Some(flag.to_string().into()),
        Data::Null | Data::Array(_) | Data::Object(_) => {
            entry.wrong_type(node, path, "a string");
            None
        }
    }
}

/// Reads the value of a header, which must not contain control characters (RFC 9110 §5.5).
fn read_header_value(
    entry: &Entry<'_>,
    text: &str,
    span: &Range<usize>,
    path: &str,
) -> Option<crate::config::Template> {
    let value = entry.expand_template(text, span, path)?;
    let literal = value.template.literal();
    let is_invalid = |c: char| c != '\t' && c.is_control();
    if !value.is_incomplete && literal.is_some_and(|literal| literal.expose().contains(is_invalid)) {
        let message = "the value contains a line break or another control character".to_owned();
        let help = "check the variable that it comes from, which may end with a line break";
        entry.error(ProblemKind::InvalidValue, span, path, message, help);
        return None;
    }
    Some(value.template)
}
