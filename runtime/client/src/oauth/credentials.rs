//! The stored credentials of one issuer, as JSON: the registered client, its tokens, and its `DPoP` key.

use std::collections::BTreeSet;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use serde::{Deserialize, Serialize};

use super::{EXPIRY_MARGIN, RegisteredClient, Token};
use crate::config::Secret;

/// The maximum number of stored tokens per issuer; if it is exceeded, the oldest token is dropped.
const MAX_TOKENS: usize = 16;

#[derive(Default, Serialize, Deserialize)]
pub(super) struct Credentials {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) client: Option<StoredClient>,
    /// Ordered by the time of saving.
    #[serde(default)]
    tokens: Vec<StoredToken>,
    /// PKCS #8 in base64.
    #[serde(rename = "proof_key", default, skip_serializing_if = "Option::is_none")]
    pub(super) dpop_key: Option<String>,
}

/// A dynamically registered client.
#[derive(Serialize, Deserialize)]
pub(super) struct StoredClient {
    id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    #[serde(rename = "method", default, skip_serializing_if = "Option::is_none")]
    auth_method: Option<String>,
    /// The redirect URI that the client is registered with.
    redirect: String,
}

#[derive(Serialize, Deserialize)]
pub(super) struct StoredToken {
    /// The ID of the client that the token was issued to.
    client: String,
    /// The resource identifier of the protected server that the token is for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    resource: Option<String>,
    value: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) refresh: Option<String>,
    /// Seconds since 1970.
    #[serde(rename = "expires", default, skip_serializing_if = "Option::is_none")]
    expires_at: Option<u64>,
    #[serde(default)]
    pub(super) scopes: BTreeSet<String>,
    #[serde(default)]
    is_dpop: bool,
}

impl Credentials {
    pub(super) fn parse(json: Option<&Secret>, issuer: &str) -> Result<Self, String> {
        let Some(json) = json else { return Ok(Self::default()) };
        serde_json::from_str(json.expose()).map_err(|_| {
            format!("the entry of the token store for {issuer} is invalid: delete it, and log in again")
        })
    }

    pub(super) fn to_json(&self) -> Secret {
        // Cannot fail: all members can be represented in JSON.
        serde_json::to_string(self).unwrap_or_default().into()
    }

    pub(super) fn is_empty(&self) -> bool {
        self.client.is_none() && self.tokens.is_empty()
    }

    /// Returns the registered client, if it has this redirect URI (or with `None`, any).
    pub(super) fn client(&self, redirect: Option<&str>, issuer: &str) -> Option<RegisteredClient> {
        let matches = |client: &&StoredClient| redirect.is_none_or(|redirect| client.redirect == redirect);
        let client = self.client.as_ref().filter(matches)?;
        Some(RegisteredClient {
            auth_method: client.auth_method.clone(),
            issuer: Some(issuer.to_owned()),
            ..RegisteredClient::new(client.id.clone(), client.secret.clone().map(Into::into))
        })
    }

    pub(super) fn set_client(&mut self, client: &RegisteredClient, redirect: &str) {
        self.client = Some(StoredClient {
            id: client.id.clone(),
            secret: client.secret.as_ref().map(|secret| secret.expose().to_owned()),
            auth_method: client.auth_method.clone(),
            redirect: redirect.to_owned(),
        });
    }

    /// Returns the token of a client for a protected server.
    pub(super) fn token(&self, client: &str, resource: Option<&str>) -> Option<&StoredToken> {
        self.tokens.iter().find(|token| token.is_for(client, resource))
    }

    /// Adds a token, and replaces the token of the same client for the same server.
    pub(super) fn insert_token(&mut self, client: &str, token: &Token) {
        let resource = token.resource.as_deref();
        self.tokens.retain(|stored| !stored.is_for(client, resource));
        if self.tokens.len() >= MAX_TOKENS {
            self.tokens.remove(0);
        }
        self.tokens.push(StoredToken {
            client: client.to_owned(),
            resource: resource.map(str::to_owned),
            value: token.value.expose().to_owned(),
            refresh: token.refresh.as_ref().map(|refresh| refresh.expose().to_owned()),
            expires_at: token
                .expires_at
                .map(|at| now() + at.saturating_duration_since(Instant::now()).as_secs()),
            scopes: token.scopes.clone(),
            is_dpop: token.is_dpop,
        });
    }
}

impl StoredToken {
    fn is_for(&self, client: &str, resource: Option<&str>) -> bool {
        self.client == client && self.resource.as_deref() == resource
    }

    /// Returns whether the token has expired, or is about to.
    pub(super) fn is_expired(&self) -> bool {
        self.expires_at.is_some_and(|expires_at| now() + EXPIRY_MARGIN.as_secs() >= expires_at)
    }

    /// Returns whether the token may be accepted where the `Authorization` header `rejected` was not: it is another token, has
    /// not expired, and has the required scopes.
    pub(super) fn can_replace(&self, rejected: Option<&str>, scopes: Option<&BTreeSet<String>>) -> bool {
        !self.is_expired()
            && !self.is_in_header(rejected)
            && scopes.is_none_or(|scopes| scopes.is_subset(&self.scopes))
    }

    fn is_in_header(&self, authorization: Option<&str>) -> bool {
        authorization.and_then(|value| value.split_once(' ')).is_some_and(|(_, value)| value == self.value)
    }

    /// Converts it to a token with the issuer and the resource of `context`.
    pub(super) fn to_token(&self, context: Token) -> Token {
        let expires_at =
            self.expires_at.map(|at| Instant::now() + Duration::from_secs(at.saturating_sub(now())));
        Token {
            value: self.value.as_str().into(),
            refresh: self.refresh.as_deref().map(Into::into),
            expires_at,
            scopes: self.scopes.clone(),
            is_dpop: self.is_dpop,
            ..context
        }
    }
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}
