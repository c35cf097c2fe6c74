//! The member `oauth`: how OAuth tokens for a server are obtained.

use super::entry::Entry;
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity, did_you_mean};
use crate::config::{Expanded, OAuthGrant, OAuthSpec, Secret};

// The members, each with its own name and those of other clients.
const ID: [&str; 3] = ["client_id", "clientId", "CLIENT_ID"];
const SECRET: [&str; 3] = ["client_secret", "clientSecret", "CLIENT_SECRET"];
const SCOPES: [&str; 2] = ["scopes", "scope"];
const GRANT: [&str; 2] = ["grant", "grantType"];
const REDIRECT: [&str; 2] = ["redirect_uri", "redirectUri"];
const PORT: [&str; 2] = ["callback_port", "callbackPort"];
const ISSUER: [&str; 1] = ["issuer"];
const ENABLED: &str = "enabled";

/// Whether the member is enabled; other clients can disable it with `enabled`.
pub(super) fn is_enabled(found: &Member) -> bool {
    found.value.member(ENABLED).is_none_or(|member| !matches!(member.value.data, Data::Bool(false)))
}

/// Reads the member.
pub(super) fn read_oauth(entry: &Entry<'_>, found: &Member) -> Option<OAuthSpec> {
    let (node, name) = (&found.value, found.name.as_str());
    let Some(members) = node.members() else {
        entry.wrong_type(node, name, "an object");
        return None;
    };
    report_unknown(entry, name, members);
    let find = |names: &[&str]| members.iter().find(|member| names.contains(&member.name.as_str()));
    let text = |names: &[&str]| {
        let Some(member) = find(names) else { return Some(None) };
        let path = format!("{name}.{}", member.name);
        let Some(text) = member.value.as_str() else {
            entry.wrong_type(&member.value, &path, "a string");
            return None;
        };
        entry.expand_string(text, &member.value.span, &path).map(|known| Some(known.value))
    };
    let (id, secret, issuer) = (text(&ID), text(&SECRET), text(&ISSUER));
    let scopes = find(&SCOPES).map_or(Some(Vec::new()), |member| read_scopes(entry, name, member));
    let grant = find(&GRANT).map_or(Some(OAuthGrant::default()), |member| read_grant(entry, name, member));
    let redirect = match find(&PORT) {
        Some(member) => read_callback_port(entry, name, member).map(Some),
        None => text(&REDIRECT),
    };
    let spec = OAuthSpec {
        client_id: id?.filter(|id| !id.expose().is_empty()),
        client_secret: secret?.map(|secret| Secret::new(secret.expose())),
        scopes: scopes?,
        grant: grant?,
        redirect: redirect?,
        issuer: issuer?,
    };
    let missing = match (&spec.client_id, &spec.client_secret, spec.grant) {
        (None, Some(_), _) | (None, None, OAuthGrant::ClientCredentials) => "client_id",
        (Some(_), None, OAuthGrant::ClientCredentials) => "client_secret",
        _ => return Some(spec),
    };
    entry.error(ProblemKind::Missing, &node.span, name, format!("it has no `{missing}`"), "");
    None
}

fn report_unknown(entry: &Entry<'_>, name: &str, members: &[Member]) {
    let known = [&ID[..], &SECRET, &SCOPES, &GRANT, &REDIRECT, &PORT, &ISSUER, &[ENABLED]].concat();
    for member in members.iter().filter(|member| !known.contains(&member.name.as_str())) {
        let severity = if entry.is_strict { Severity::Error } else { Severity::Warning };
        let near = did_you_mean(&member.name, known.iter().copied());
        let message = format!("unknown member `{}`{near}", member.name);
        let problem = Problem::new(severity, ProblemKind::UnknownMember, member.name_span.clone(), message);
        entry.report(problem, Some(name));
    }
}

fn read_scopes(entry: &Entry<'_>, name: &str, member: &Member) -> Option<Vec<String>> {
    match &member.value {
        Node { data: Data::String(text), .. } => Some(text.split_whitespace().map(str::to_owned).collect()),
        Node { data: Data::Array(items), .. } if items.iter().all(|item| item.as_str().is_some()) => {
            Some(items.iter().filter_map(Node::as_str).map(str::to_owned).collect())
        }
        other => {
            entry.wrong_type(other, &format!("{name}.scopes"), "a list of strings");
            None
        }
    }
}

fn read_grant(entry: &Entry<'_>, name: &str, member: &Member) -> Option<OAuthGrant> {
    match member.value.as_str() {
        Some("authorization_code") => Some(OAuthGrant::AuthorizationCode),
        Some("client_credentials") => Some(OAuthGrant::ClientCredentials),
        Some(_) => {
            let message = "unknown grant".to_owned();
            let help = "write `authorization_code` or `client_credentials`";
            let path = format!("{name}.{}", member.name);
            entry.error(ProblemKind::InvalidValue, &member.value.span, &path, message, help);
            None
        }
        None => {
            entry.wrong_type(&member.value, &format!("{name}.{}", member.name), "a string");
            None
        }
    }
}

/// Reads a port of this machine, and returns its redirect URI.
fn read_callback_port(entry: &Entry<'_>, name: &str, member: &Member) -> Option<Expanded> {
    let port = match &member.value.data {
        Data::Number(number) => number.to_string().parse::<u16>().ok().filter(|port| *port > 0),
        _ => None,
    };
    if port.is_none() {
        entry.wrong_type(&member.value, &format!("{name}.{}", member.name), "a port, from 1 to 65535");
    }
    port.map(|port| format!("http://localhost:{port}/callback").into())
}
