//! The member `oauth`: how the tokens of a server are obtained.

use super::entry::Entry;
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity, did_you_mean};
use crate::config::{Expanded, OAuthGrant, OAuthSpec, Secret};

/// Every member by all its names: ours, and what other clients call it.
const ID: [&str; 3] = ["client_id", "clientId", "CLIENT_ID"];
const SECRET: [&str; 3] = ["client_secret", "clientSecret", "CLIENT_SECRET"];
const SCOPES: [&str; 2] = ["scopes", "scope"];
const GRANT: [&str; 2] = ["grant", "grantType"];
const REDIRECT: [&str; 2] = ["redirect_uri", "redirectUri"];
const PORT: [&str; 2] = ["callback_port", "callbackPort"];
const ISSUER: [&str; 1] = ["issuer"];
const ENABLED: &str = "enabled";

/// Whether the member says anything. Other clients turn it off in place.
pub(super) fn is_enabled(found: &Member) -> bool {
    found.value.member(ENABLED).is_none_or(|member| !matches!(member.value.data, Data::Bool(false)))
}

pub(super) fn oauth(entry: &Entry<'_>, found: &Member) -> Option<OAuthSpec> {
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
        let Some(text) = member.value.text() else {
            entry.wrong_type(&member.value, &path, "a string");
            return None;
        };
        entry.known(text, &member.value.span, &path).map(|known| Some(known.value))
    };
    let (id, secret, issuer) = (text(&ID), text(&SECRET), text(&ISSUER));
    let scopes = find(&SCOPES).map_or(Some(Vec::new()), |member| scopes(entry, name, member));
    let grant = find(&GRANT).map_or(Some(OAuthGrant::default()), |member| grant(entry, name, member));
    let redirect = match find(&PORT) {
        Some(member) => port(entry, name, member).map(Some),
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

fn scopes(entry: &Entry<'_>, name: &str, member: &Member) -> Option<Vec<String>> {
    match &member.value {
        Node { data: Data::Text(text), .. } => Some(text.split_whitespace().map(str::to_owned).collect()),
        Node { data: Data::List(items), .. } if items.iter().all(|item| item.text().is_some()) => {
            Some(items.iter().filter_map(Node::text).map(str::to_owned).collect())
        }
        other => {
            entry.wrong_type(other, &format!("{name}.scopes"), "a list of strings");
            None
        }
    }
}

fn grant(entry: &Entry<'_>, name: &str, member: &Member) -> Option<OAuthGrant> {
    match member.value.text() {
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

/// A port of this machine, as the address that a browser is sent back to.
fn port(entry: &Entry<'_>, name: &str, member: &Member) -> Option<Expanded> {
    let port = match &member.value.data {
        Data::Number(number) => number.to_string().parse::<u16>().ok().filter(|port| *port > 0),
        _ => None,
    };
    if port.is_none() {
        entry.wrong_type(&member.value, &format!("{name}.{}", member.name), "a port, from 1 to 65535");
    }
    port.map(|port| format!("http://localhost:{port}/callback").into())
}
