//! Servers that are connected to.

use std::ops::Range;
use std::time::Duration;

use super::entry::Entry;
use super::node::{Data, Member, Node};
use super::oauth::{is_enabled, oauth};
use super::problem::{Problem, ProblemKind, Severity};
use crate::config::{Expanded, Headers, HttpSpec, SseSpec, WebSocketSpec};

/// What remote servers have in common.
struct Endpoint {
    url: Expanded,
    headers: Headers,
    timeout: Option<Duration>,
}

pub(super) fn http(entry: &Entry<'_>) -> Option<HttpSpec> {
    let endpoint = endpoint(entry, &["http", "https"]);
    let silence = entry.duration("sse_read_timeout");
    let terminate = entry.bool("terminate_on_close");
    let oauth = entry.find("oauth").filter(|found| is_enabled(found)).map(|found| oauth(entry, found));

    let endpoint = endpoint?;
    let mut spec = HttpSpec::new(endpoint.url);
    spec.headers = endpoint.headers;
    spec.timeout = endpoint.timeout.unwrap_or(spec.timeout);
    spec.sse_read_timeout = silence.unwrap_or(spec.sse_read_timeout);
    spec.terminate_on_close = terminate.unwrap_or(spec.terminate_on_close);
    // The transport that someone chose is not changed for another one. `httpUrl` chooses as well.
    let is_http_url = |found: &Member| matches!(found.name.as_str(), "httpUrl" | "http_url");
    spec.sse_fallback = entry.find("type").is_none() && !entry.find("url").is_some_and(is_http_url);
    spec.oauth = match oauth {
        None => None,
        Some(oauth) => Some(oauth?),
    };
    Some(spec)
}

pub(super) fn sse(entry: &Entry<'_>) -> Option<SseSpec> {
    let endpoint = endpoint(entry, &["http", "https"]);
    let silence = entry.duration("sse_read_timeout");
    let oauth = entry.find("oauth").filter(|found| is_enabled(found)).map(|found| oauth(entry, found));

    let endpoint = endpoint?;
    let mut spec = SseSpec::new(endpoint.url);
    spec.headers = endpoint.headers;
    spec.timeout = endpoint.timeout.unwrap_or(spec.timeout);
    spec.sse_read_timeout = silence.unwrap_or(spec.sse_read_timeout);
    spec.oauth = match oauth {
        None => None,
        Some(oauth) => Some(oauth?),
    };
    Some(spec)
}

pub(super) fn websocket(entry: &Entry<'_>) -> Option<WebSocketSpec> {
    let endpoint = endpoint(entry, &["ws", "wss"])?;
    let mut spec = WebSocketSpec::new(endpoint.url);
    spec.headers = endpoint.headers;
    spec.timeout = endpoint.timeout.unwrap_or(spec.timeout);
    Some(spec)
}

fn endpoint(entry: &Entry<'_>, schemes: &[&str]) -> Option<Endpoint> {
    let found = entry.find("url");
    if found.is_none() {
        let message = "nothing says where the server is";
        let problem = Problem::error(ProblemKind::Missing, entry.node.span.clone(), message);
        entry.report(problem.help("give it a `url`"), None);
    }
    let url = found.and_then(|found| url(entry, found, schemes));
    let headers = headers(entry);
    let timeout = entry.duration("timeout");
    let (url, headers) = (url?, headers?);
    if !headers.is_empty() && is_in_the_clear(url.expose()) {
        let span = entry.find("url").map_or(0..0, |found| found.value.span.clone());
        let message = "headers are sent over the network without encryption".to_owned();
        let problem = Problem::new(Severity::Note, ProblemKind::Exposed, span, message);
        entry.report(problem.help("use `https://` if the server has it"), Some("url"));
    }
    Some(Endpoint { url, headers, timeout })
}

fn url(entry: &Entry<'_>, found: &Member, schemes: &[&str]) -> Option<Expanded> {
    let (span, name) = (&found.value.span, found.name.as_str());
    let known = entry.string(found)?;
    if name != "url" && matches!(name, "serverUrl" | "server_url") {
        let problem = Problem::new(
            Severity::Note,
            ProblemKind::UnknownMember,
            found.name_span.clone(),
            "it is read as `url`",
        );
        entry.report(problem, Some(name));
    }
    if known.is_open {
        return Some(known.value);
    }
    match check_url(known.value.expose(), schemes) {
        Ok(()) => Some(known.value),
        Err((message, help)) => {
            entry.error(ProblemKind::InvalidValue, span, name, message, &help);
            None
        }
    }
}

/// Whether the text is an absolute URL of one of these schemes, with a host and without a password.
///
/// Nothing of the text goes into the messages, since it may hold a secret.
fn check_url(text: &str, schemes: &[&str]) -> Result<(), (String, String)> {
    let wanted = schemes.iter().map(|scheme| format!("`{scheme}://…`")).collect::<Vec<_>>().join(" or ");
    let Some((scheme, rest)) = text.split_once("://").filter(|(scheme, _)| {
        !scheme.is_empty()
            && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    }) else {
        return Err(("this is not a URL".to_owned(), format!("write {wanted}")));
    };
    if !schemes.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        let other = matches!(scheme.to_ascii_lowercase().as_str(), "ws" | "wss" | "http" | "https");
        let help =
            if other { format!("write {wanted}, or change `type`") } else { format!("write {wanted}") };
        return Err((format!("`{scheme}://` does not go with this transport"), help));
    }
    if let Some(bad) = text.chars().find(|c| {
        c.is_whitespace()
            || c.is_control()
            || matches!(c, '<' | '>' | '"' | '\\' | '^' | '`' | '{' | '}' | '|')
    }) {
        return Err((format!("{bad:?} cannot stand in a URL"), "write it with `%` and its code".to_owned()));
    }
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        let help = "put them into a header `Authorization`, from a variable";
        return Err(("a user and a password in a URL end up in logs".to_owned(), help.to_owned()));
    }
    let (host, port) = match authority.strip_prefix('[') {
        Some(rest) => rest.split_once(']').map_or(("", ""), |(host, port)| (host, port)),
        None => authority.split_at(authority.find(':').unwrap_or(authority.len())),
    };
    if host.is_empty() {
        return Err(("the URL has no host".to_owned(), format!("write {wanted}")));
    }
    let is_port = port.is_empty() || port.strip_prefix(':').is_some_and(|port| port.parse::<u16>().is_ok());
    if !is_port {
        return Err(("the port is not a number up to 65535".to_owned(), String::new()));
    }
    Ok(())
}

/// Whether the address is neither encrypted nor of this machine. The host is compared as a whole: `localhost.example` and
/// `localhost@example` are somewhere else.
fn is_in_the_clear(url: &str) -> bool {
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

fn headers(entry: &Entry<'_>) -> Option<Headers> {
    let mut headers = Headers::default();
    let mut is_good = true;
    if let Some(found) = entry.find("headers") {
        let Some(members) = found.value.members() else {
            entry.wrong_type(&found.value, &found.name, "an object of strings");
            return None;
        };
        for member in members {
            let path = format!("{}.{}", found.name, member.name);
            let is_new = headers.get(&member.name).is_none();
            let value = header(entry, &member.name, &member.name_span, &member.value, &path);
            if !is_new {
                let message = "this header appears twice: names are compared without case".to_owned();
                entry.error(
                    ProblemKind::Duplicate,
                    &member.name_span,
                    &path,
                    message,
                    "remove one of the two",
                );
            }
            is_good &= is_new && value.is_some();
            if let Some(value) = value {
                headers.set(member.name.clone(), value);
            }
        }
    }
    if let Some(found) = entry.find("auth_token") {
        let (span, name) = (&found.value.span, found.name.as_str());
        if headers.get("Authorization").is_some() {
            let message = "it stands beside a header `Authorization`".to_owned();
            entry.error(ProblemKind::Conflict, &found.name_span, name, message, "keep one of the two");
            return None;
        }
        let Some(token) = found.value.text() else {
            entry.wrong_type(&found.value, name, "a string");
            return None;
        };
        if token.is_empty() {
            entry.error(
                ProblemKind::InvalidValue,
                span,
                name,
                "it is empty".to_owned(),
                "write the token, or leave it out",
            );
            return None;
        }
        // Some write the scheme as well.
        let has_scheme = token.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("bearer "));
        let bearer = if has_scheme { token.to_owned() } else { format!("Bearer {token}") };
        let value = value(entry, &bearer, span, name)?;
        headers.set("Authorization", value);
    }
    is_good.then_some(headers)
}

fn header(
    entry: &Entry<'_>,
    name: &str,
    name_span: &Range<usize>,
    node: &Node,
    path: &str,
) -> Option<crate::config::Template> {
    /// Set by the protocol or by the connection.
    const OURS: [&str; 9] = [
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
        let message = "this cannot be the name of a header".to_owned();
        let help = "use letters, digits and `-`";
        entry.error(ProblemKind::InvalidValue, name_span, path, message, help);
        return None;
    }
    if OURS.contains(&name.to_ascii_lowercase().as_str()) {
        let message = "this header is the connection's own".to_owned();
        entry.error(ProblemKind::Conflict, name_span, path, message, "remove it");
        return None;
    }
    match &node.data {
        Data::Text(text) => value(entry, text, &node.span, path),
        Data::Number(number) => Some(number.to_string().into()),
        Data::Bool(flag) => Some(flag.to_string().into()),
        Data::Null | Data::List(_) | Data::Members(_) => {
            entry.wrong_type(node, path, "a string");
            None
        }
    }
}

/// The value of a header: no line ends and no other control characters (RFC 9110, 5.5).
fn value(entry: &Entry<'_>, text: &str, span: &Range<usize>, path: &str) -> Option<crate::config::Template> {
    let opaque = entry.template(text, span, path)?;
    let known = opaque.template.fixed();
    let is_bad = |c: char| c != '\t' && c.is_control();
    if !opaque.is_open && known.is_some_and(|known| known.expose().contains(is_bad)) {
        let message = "the value has a line end or another control character".to_owned();
        let help = "look at the variable that it comes from: there may be a line end behind it";
        entry.error(ProblemKind::InvalidValue, span, path, message, help);
        return None;
    }
    Some(opaque.template)
}
