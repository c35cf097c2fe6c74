//! Encrypted credentials, bound to a place.

use std::fmt;

use chacha20poly1305::aead::{Aead as _, Payload};
use chacha20poly1305::{KeyInit as _, XChaCha20Poly1305, XNonce};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use toolwright_core::content::base64;
use toolwright_core::manifest::visible;

use super::master::{KEY_ID_CHARS, MasterKeys};
use super::value::SecretValue;

/// Maximum length of a credential: 64 KiB.
pub const MAX_SECRET_BYTES: usize = 64 << 10;

/// The version of the envelope format.
const VERSION: u32 = 1;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;

/// The owner of a credential, which is authenticated with it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place<'a> {
    /// The organization; `None` is distinct from all named ones, including the empty name.
    pub org: Option<&'a str>,
    /// The run.
    pub run: &'a str,
    /// The node that has the credential.
    pub node: &'a str,
    /// The input of the node.
    pub field: &'a str,
}

/// An encrypted credential in its stored form: JSON with the members `v`, `kid`, `nonce` and `sealed`.
#[derive(Clone, PartialEq, Eq)]
pub struct Envelope {
    kid: String,
    nonce: [u8; NONCE_BYTES],
    sealed: Vec<u8>,
}

/// Errors of sealing and opening credentials. Messages contain ids of keys, but no secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SecretError {
    /// There is no master key.
    #[error(
        "credentials cannot be stored without a master key: make one with `openssl rand -base64 32`, keep it in a file of mode \
         0600, and name the file in the settings of the gateway"
    )]
    NoKey,
    /// The credential is empty.
    #[error("the credential is empty; leave it out, or set it")]
    Empty,
    /// The credential has more than [`MAX_SECRET_BYTES`].
    #[error("the credential has {0} bytes, {MAX_SECRET_BYTES} are allowed")]
    TooLong(usize),
    /// The stored text is not an envelope: empty, plain text, or another format.
    #[error("the credential cannot be read: what is stored is not sealed; store it again")]
    NotSealed,
    /// The envelope has a later version.
    #[error("the credential cannot be read: it was sealed by a later version ({0}); update this program")]
    Newer(u32),
    /// The key of the envelope is not available.
    #[error("the credential cannot be read: the master key `{}` is missing; add it, or store the credential again", visible(.kid))]
    UnknownKey {
        /// The id of the key.
        kid: String,
    },
    /// The envelope was changed, or belongs to another organization, run, node or field.
    #[error(
        "the credential cannot be read with the master key `{}`: it was changed, or belongs to another place; store it again",
        visible(.kid)
    )]
    DoesNotOpen {
        /// The id of the key.
        kid: String,
    },
    /// The system provides no random numbers.
    #[error("the system provides no random numbers")]
    NoRandomness,
}

impl SecretError {
    /// Returns the error kind in the `data` of errors: `credential_unavailable`.
    pub const KIND: &'static str = "credential_unavailable";
}

impl MasterKeys {
    /// Seals a credential for one place with the first key.
    ///
    /// # Errors
    /// [`SecretError::NoKey`], [`SecretError::Empty`], [`SecretError::TooLong`] and [`SecretError::NoRandomness`].
    pub fn seal(&self, place: &Place<'_>, secret: &[u8]) -> Result<Envelope, SecretError> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).map_err(|_| SecretError::NoRandomness)?;
        self.seal_with(place, secret, nonce)
    }

    /// The same with a given nonce, which must never be reused.
    pub(super) fn seal_with(
        &self,
        place: &Place<'_>,
        secret: &[u8],
        nonce: [u8; NONCE_BYTES],
    ) -> Result<Envelope, SecretError> {
        let key = self.active().ok_or(SecretError::NoKey)?;
        match secret.len() {
            0 => return Err(SecretError::Empty),
            length if length > MAX_SECRET_BYTES => return Err(SecretError::TooLong(length)),
            _ => {}
        }
        let kid = key.id().to_owned();
        let payload = Payload { msg: secret, aad: &associated_data(place, &kid) };
        let cipher = XChaCha20Poly1305::new((&*key.derive(place)).into());
        // Cannot fail, since the lengths were checked above.
        let sealed = cipher.encrypt(&XNonce::from(nonce), payload);
        let sealed = sealed.map_err(|_| SecretError::TooLong(secret.len()))?;
        Ok(Envelope { kid, nonce, sealed })
    }

    /// Opens a credential.
    ///
    /// # Errors
    /// [`SecretError::UnknownKey`] and [`SecretError::DoesNotOpen`].
    pub fn open(&self, place: &Place<'_>, envelope: &Envelope) -> Result<SecretValue, SecretError> {
        let kid = || envelope.kid.clone();
        let key = self.find(&envelope.kid).ok_or_else(|| SecretError::UnknownKey { kid: kid() })?;
        let aad = associated_data(place, &envelope.kid);
        let payload = Payload { msg: &envelope.sealed, aad: &aad };
        let cipher = XChaCha20Poly1305::new((&*key.derive(place)).into());
        let opened = cipher.decrypt(&XNonce::from(envelope.nonce), payload);
        opened.map(SecretValue::new).map_err(|_| SecretError::DoesNotOpen { kid: kid() })
    }

    /// Seals a credential again with the first key; `None` if it already uses that key.
    ///
    /// # Errors
    /// As [`MasterKeys::open`] and [`MasterKeys::seal`].
    pub fn rekey(&self, place: &Place<'_>, envelope: &Envelope) -> Result<Option<Envelope>, SecretError> {
        let opened = self.open(place, envelope)?;
        if self.active().is_some_and(|key| key.id() == envelope.kid) {
            return Ok(None);
        }
        self.seal(place, opened.expose()).map(Some)
    }
}

/// Returns the associated data of a credential. Each part is prefixed with its length, so that the encoding is
/// unambiguous.
fn associated_data(place: &Place<'_>, kid: &str) -> Vec<u8> {
    let mut data = b"toolwright credential 1".to_vec();
    add_scope(&mut data, place);
    for part in [place.node, place.field, kid] {
        add(&mut data, part);
    }
    data
}

/// Adds the organization and the run.
pub(super) fn add_scope(data: &mut Vec<u8>, place: &Place<'_>) {
    data.push(u8::from(place.org.is_some()));
    add(data, place.org.unwrap_or_default());
    add(data, place.run);
}

fn add(data: &mut Vec<u8>, part: &str) {
    data.extend((part.len() as u64).to_be_bytes());
    data.extend(part.as_bytes());
}

impl Envelope {
    /// Returns the id of its key.
    pub fn kid(&self) -> &str {
        &self.kid
    }

    /// Parses the stored text.
    ///
    /// # Errors
    /// [`SecretError::NotSealed`] for plain text and anything else that is not an envelope,
    /// [`SecretError::Newer`].
    pub fn parse(stored: &str) -> Result<Self, SecretError> {
        let written: Written = serde_json::from_str(stored).map_err(|_| SecretError::NotSealed)?;
        written.read()
    }

    /// Returns the text to store.
    pub fn to_text(&self) -> String {
        // Serializing an object of strings cannot fail.
        serde_json::to_string(&Written::from(self)).unwrap_or_default()
    }
}

/// The stored form.
#[derive(Serialize, Deserialize)]
struct Written {
    v: u32,
    kid: String,
    nonce: String,
    sealed: String,
}

impl Written {
    fn read(self) -> Result<Envelope, SecretError> {
        if self.v > VERSION {
            return Err(SecretError::Newer(self.v));
        }
        let is_kid = self.kid.len() == KEY_ID_CHARS && self.kid.bytes().all(|byte| byte.is_ascii_hexdigit());
        let longest = (MAX_SECRET_BYTES + TAG_BYTES).div_ceil(3) * 4;
        if self.v != VERSION || !is_kid || self.nonce.len() > NONCE_BYTES * 2 || self.sealed.len() > longest {
            return Err(SecretError::NotSealed);
        }
        let nonce = base64::decode(&self.nonce).ok().and_then(|nonce| nonce.try_into().ok());
        let sealed = base64::decode(&self.sealed).ok().filter(|sealed| sealed.len() > TAG_BYTES);
        let (nonce, sealed) = nonce.zip(sealed).ok_or(SecretError::NotSealed)?;
        Ok(Envelope { kid: self.kid, nonce, sealed })
    }
}

impl From<&Envelope> for Written {
    fn from(envelope: &Envelope) -> Self {
        Self {
            v: VERSION,
            kid: envelope.kid.clone(),
            nonce: base64::encode(&envelope.nonce),
            sealed: base64::encode(&envelope.sealed),
        }
    }
}

impl Serialize for Envelope {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Written::from(self).serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        // Errors of the parser could quote the text.
        let written = Written::deserialize(deserializer)
            .map_err(|_| serde::de::Error::custom(SecretError::NotSealed))?;
        written.read().map_err(serde::de::Error::custom)
    }
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Envelope").field("kid", &self.kid).finish_non_exhaustive()
    }
}
