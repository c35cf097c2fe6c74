//! Tokens before they are signed: valid ones, to be modified.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde_json::{Map, Value, json};

use crate::clock::START;
use crate::shop::RESOURCE;

/// The claims and the header of a token.
#[derive(Debug, Clone)]
pub struct Token {
    /// The header; `alg` and `kid` are filled in when it is signed, unless they are there.
    pub header: Map<String, Value>,
    /// The claims.
    pub claims: Map<String, Value>,
}

impl Token {
    /// A token of `issuer` for Ada at the shop, valid for an hour from the start of the test.
    pub fn of(issuer: &str) -> Self {
        let claims = json!({
            "iss": issuer, "aud": RESOURCE, "sub": "ada", "client_id": "console",
            "iat": START, "exp": START + 3600, "tenant": "north",
        });
        let Value::Object(claims) = claims else { unreachable!("it is written as one above") };
        Self { header: Map::from_iter([("typ".to_owned(), "at+jwt".into())]), claims }
    }

    /// Sets a claim.
    pub fn claim(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.claims.insert(name.to_owned(), value.into());
        self
    }

    /// Removes a claim.
    pub fn without(mut self, name: &str) -> Self {
        self.claims.remove(name);
        self
    }

    /// Sets a member of the header.
    pub fn header(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.header.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the scopes, separated by spaces.
    pub fn scope(self, scopes: &str) -> Self {
        self.claim("scope", scopes)
    }

    /// The string that is signed.
    ///
    /// # Panics
    /// Never: the members are JSON.
    pub fn unsigned(&self) -> String {
        let text =
            |value: &Map<String, Value>| URL_SAFE_NO_PAD.encode(serde_json::to_vec(value).expect("JSON"));
        format!("{}.{}", text(&self.header), text(&self.claims))
    }

    /// The token with this signature.
    ///
    /// # Panics
    /// As [`Token::unsigned`].
    pub fn with_signature(&self, signature: &[u8]) -> String {
        format!("{}.{}", self.unsigned(), URL_SAFE_NO_PAD.encode(signature))
    }
}
