//! What is kept for one issuer, as JSON: the client that was registered there, its tokens, and the key of its proofs.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{Registered, SLACK, Token};
use crate::config::Secret;

/// How many tokens of one issuer are kept; then the oldest goes.
const MAX_TOKENS: usize = 16;

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Kept {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<KeptClient>,
    /// What was saved last stands last.
    #[serde(default)]
    tokens: Vec<KeptToken>,
    /// PKCS #8 in base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) proof_key: Option<String>,
}

/// A client that registered itself.
#[derive(Serialize, Deserialize)]
pub(super) struct KeptClient {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    method: Option<String>,
    /// Where the browser is sent back to; with another address it is another client.
    redirect: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct KeptToken {
    /// Whose it is: a program with another id has no use for it.
    client: String,
    /// What it is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<String>,
    /// Seconds since 1970.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    expires: Option<u64>,
    #[serde(default)]
    pub(super) scopes: BTreeSet<String>,
    #[serde(default)]
    is_dpop: bool,
}

impl Kept {
    pub(super) fn read(text: Option<&Secret>, issuer: &str) -> Result<Self, String> {
        let Some(text) = text else { return Ok(Self::default()) };
        serde_json::from_str(text.expose()).map_err(|_| {
            format!("what the token store has for {issuer} cannot be read: delete it, and log in again")
        })
    }

    pub(super) fn write(&self) -> Secret {
        // Its members are strings and numbers, which JSON can hold.
        serde_json::to_string(self).unwrap_or_default().into()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.client.is_none() && self.tokens.is_empty()
    }

    /// The client that registered itself, with this redirect address if it matters.
    pub(super) fn client(&self, redirect: Option<&str>, issuer: &str) -> Option<Registered> {
        let is_same = |client: &&KeptClient| redirect.is_none_or(|redirect| client.redirect == redirect);
        let client = self.client.as_ref().filter(is_same)?;
        Some(Registered {
            method: client.method.clone(),
            issuer: Some(issuer.to_owned()),
            ..Registered::new(client.id.clone(), client.secret.clone().map(Into::into))
        })
    }

    pub(super) fn put_client(&mut self, client: &Registered, redirect: &str) {
        self.client = Some(KeptClient {
            id: client.id.clone(),
            secret: client.secret.as_ref().map(|secret| secret.expose().to_owned()),
            method: client.method.clone(),
            redirect: redirect.to_owned(),
        });
    }

    /// The token of a client for a protected server.
    pub(super) fn token(&self, client: &str, resource: Option<&str>) -> Option<&KeptToken> {
        self.tokens.iter().find(|token| token.is_of(client, resource))
    }

    pub(super) fn put_token(&mut self, client: &str, token: &Token) {
        let resource = token.resource.as_deref();
        self.tokens.retain(|kept| !kept.is_of(client, resource));
        if self.tokens.len() >= MAX_TOKENS {
            self.tokens.remove(0);
        }
        self.tokens.push(KeptToken {
            client: client.to_owned(),
            resource: resource.map(str::to_owned),
            value: token.value.expose().to_owned(),
            refresh: token.refresh.as_ref().map(|refresh| refresh.expose().to_owned()),
            expires: token.expires.map(|end| now() + end.saturating_duration_since(Instant::now()).as_secs()),
            scopes: token.scopes.clone(),
            is_dpop: token.is_dpop,
        });
    }
}

impl KeptToken {
    fn is_of(&self, client: &str, resource: Option<&str>) -> bool {
        self.client == client && self.resource.as_deref() == resource
    }

    /// Whether it has ended, or is about to.
    pub(super) fn is_over(&self) -> bool {
        self.expires.is_some_and(|end| now() + SLACK.as_secs() >= end)
    }

    /// Whether it may be what a server wants that refused the token in `sent`: another one, which is good, and has the scopes.
    pub(super) fn serves(&self, sent: Option<&str>, scopes: Option<&BTreeSet<String>>) -> bool {
        !self.is_over() && !self.was_in(sent) && scopes.is_none_or(|scopes| scopes.is_subset(&self.scopes))
    }

    /// Whether this token was sent in a header `Authorization`.
    fn was_in(&self, header: Option<&str>) -> bool {
        header.and_then(|header| header.split_once(' ')).is_some_and(|(_, value)| value == self.value)
    }

    pub(super) fn to_token(&self, like: Token) -> Token {
        let expires = self.expires.map(|end| Instant::now() + Duration::from_secs(end.saturating_sub(now())));
        Token {
            value: self.value.as_str().into(),
            refresh: self.refresh.as_deref().map(Into::into),
            expires,
            scopes: self.scopes.clone(),
            is_dpop: self.is_dpop,
            ..like
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
