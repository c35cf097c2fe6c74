//! API keys that are distributed by hand, for simple deployments without an authorization server.

use std::fmt;

use subtle::{Choice, ConditionallySelectable, ConstantTimeEq};
use toolwright_core::future::BoxFuture;

use super::token::{digest, is_token};
use super::{Principal, Rejected, TokenVerifier};
use crate::hex::unhex;

/// A set of API keys. Each has a name, which is the subject of its [`Principal`], and scopes.
///
/// Only SHA-256 digests are stored, which suffices for random keys: generate each from 32 random bytes. A presented
/// key is compared with all of them in constant time.
///
/// ```
/// use toolwright_server::auth::ApiKeys;
///
/// # fn example(nightly: &str) -> Result<(), toolwright_server::auth::ApiKeyError> {
/// let keys = ApiKeys::new()
///     .key("nightly-job", nightly, ["orders:read"])?
///     .digest("ci", "259ac9d54c4ef51730b31a07252ab74e0550db143aeb08c9a65d8a837bdde285", ["orders:write"])?;
/// # drop(keys);
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone, Default)]
pub struct ApiKeys(Vec<ApiKey>);

#[derive(Clone)]
struct ApiKey {
    digest: [u8; 32],
    principal: Principal,
}

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A digest is not secret, but does not belong in logs either.
        f.debug_tuple("ApiKey").field(&self.principal).finish()
    }
}

/// An API key was rejected. Messages name the key and never repeat its value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ApiKeyError {
    /// The key is empty, or short enough to be guessed.
    #[error("the API key `{0}` has fewer than {min} characters; generate it from 32 random bytes", min = ApiKeys::MIN_CHARS)]
    TooShort(String),
    /// The key is an unreplaced placeholder, or contains characters that cannot be sent.
    #[error(
        "the API key `{0}` has characters other than letters, digits and `-._~+/=`; is it an unreplaced placeholder?"
    )]
    Characters(String),
    /// The digest is invalid.
    #[error("the digest of the API key `{0}` must be a SHA-256 of 64 hexadecimal digits")]
    Digest(String),
    /// Two keys have the same name, or two names the same key.
    #[error("the API key `{0}` is a duplicate, by its name or its value")]
    Duplicate(String),
}

impl ApiKeys {
    /// The minimum length of a key: 22, the length of 16 random bytes in base64.
    pub const MIN_CHARS: usize = 22;

    /// Creates an empty set, which rejects every token.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a key by its value.
    ///
    /// # Errors
    /// [`ApiKeyError::TooShort`], [`ApiKeyError::Characters`] and [`ApiKeyError::Duplicate`].
    pub fn key(
        self,
        name: &str,
        key: &str,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, ApiKeyError> {
        if key.len() < Self::MIN_CHARS {
            return Err(ApiKeyError::TooShort(name.to_owned()));
        }
        if !is_token(key) {
            return Err(ApiKeyError::Characters(name.to_owned()));
        }
        self.add(name, digest(key), scopes)
    }

    /// Adds a key by its SHA-256 digest in hexadecimal, as printed by `printf %s "$KEY" | sha256sum`, so that the
    /// configuration does not contain the key.
    ///
    /// # Errors
    /// [`ApiKeyError::Digest`] and [`ApiKeyError::Duplicate`].
    pub fn digest(
        self,
        name: &str,
        hexadecimal: &str,
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, ApiKeyError> {
        let digest = digest_of(hexadecimal).ok_or_else(|| ApiKeyError::Digest(name.to_owned()))?;
        self.add(name, digest, scopes)
    }

    fn add(
        mut self,
        name: &str,
        digest: [u8; 32],
        scopes: impl IntoIterator<Item = impl Into<String>>,
    ) -> Result<Self, ApiKeyError> {
        if self.0.iter().any(|other| other.principal.subject() == name || other.digest == digest) {
            return Err(ApiKeyError::Duplicate(name.to_owned()));
        }
        self.0.push(ApiKey { digest, principal: Principal::new(name).with_scopes(scopes) });
        Ok(self)
    }

    /// Finds the principal of a key. Compares all keys, even after a match.
    fn find(&self, key: &str) -> Option<&Principal> {
        let presented = digest(key);
        let mut found = 0_u64;
        for (place, key) in (1_u64..).zip(&self.0) {
            let is_it: Choice = key.digest.ct_eq(&presented);
            found = u64::conditional_select(&found, &place, is_it);
        }
        let place = usize::try_from(found).ok()?.checked_sub(1)?;
        self.0.get(place).map(|key| &key.principal)
    }
}

impl TokenVerifier for ApiKeys {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        let found = self.find(token).cloned();
        Box::pin(std::future::ready(found.ok_or_else(|| Rejected::invalid("the API key is unknown"))))
    }

    fn sends_tokens(&self) -> bool {
        false
    }
}

fn digest_of(hexadecimal: &str) -> Option<[u8; 32]> {
    unhex(hexadecimal)?.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::{ApiKeyError, ApiKeys};

    const KEY: &str = "tk_0123456789abcdefghijklmnop";

    fn found<'a>(keys: &'a ApiKeys, key: &str) -> Option<&'a str> {
        keys.find(key).map(super::Principal::subject)
    }

    #[test]
    fn keys_match_by_their_whole_value() -> Result<(), ApiKeyError> {
        let other = "tk_ABCDEFGHIJKLMNOPQRSTUVWXYZ";
        // printf %s tk_ABCDEFGHIJKLMNOPQRSTUVWXYZ | sha256sum
        let digest = "458b71e94b63c6dc7fa8c86893bf3747da3fa02cffa114f69a9bb0fa7453b4f8";
        let keys = ApiKeys::new().key("first", KEY, ["a"])?.digest("second", digest, ["b"])?;
        assert_eq!(found(&keys, KEY), Some("first"));
        assert_eq!(found(&keys, other), Some("second"));
        for wrong in ["", "tk_", &KEY[..KEY.len() - 1], &format!("{KEY}x"), &KEY.to_uppercase(), digest] {
            assert_eq!(found(&keys, wrong), None, "{wrong}");
        }
        Ok(())
    }

    // As reported in FMXExpress/PasClaw#255.
    #[test]
    fn placeholders_and_short_keys_are_rejected_by_name() {
        for key in ["", "changeme", "secret", "0123456789abcdefghijk"] {
            let error = ApiKeys::new().key("gateway", key, ["a"]).expect_err("too short");
            assert_eq!(error, ApiKeyError::TooShort("gateway".to_owned()), "{key}");
        }
        for key in ["${GATEWAY_TOKEN_OF_THIS_SERVER}", "<put the token of the gateway here>"] {
            let error = ApiKeys::new().key("gateway", key, ["a"]).expect_err("a placeholder");
            assert_eq!(error, ApiKeyError::Characters("gateway".to_owned()), "{key}");
            assert!(!error.to_string().contains(key), "{error}");
        }
        for digest in ["", "abc", &"g".repeat(64), &"+1".repeat(32), &"é".repeat(32)] {
            assert!(ApiKeys::new().digest("gateway", digest, ["a"]).is_err(), "{digest}");
        }
    }

    #[test]
    fn names_and_keys_are_unique() -> Result<(), ApiKeyError> {
        let keys = ApiKeys::new().key("first", KEY, ["a"])?;
        assert!(keys.clone().key("second", KEY, ["a"]).is_err());
        assert!(keys.key("first", &KEY.to_uppercase(), ["a"]).is_err());
        Ok(())
    }

    // As reported in punkpeye/mcp-remote#268, netlify/netlify-mcp#19, open-mercato/open-mercato#2832.
    #[test]
    fn debug_output_contains_neither_keys_nor_digests() -> Result<(), ApiKeyError> {
        let text = format!("{:?}", ApiKeys::new().key("first", KEY, ["a"])?);
        assert!(text.contains("first") && !text.contains(KEY) && !text.contains("digest"), "{text}");
        Ok(())
    }
}
