//! Signed tokens in compact form (RFC 7515 §3.1), and their signature algorithms (RFC 7518 §3, RFC 8037).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::signature::{
    self, RsaParameters, RsaPublicKeyComponents, UnparsedPublicKey, VerificationAlgorithm,
};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::jwks::{Curve, Key};

/// A signature algorithm. All of them use public keys. Shared secrets are not supported, so a public key cannot be
/// mistaken for one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub enum Algorithm {
    /// RSA with PKCS #1 v1.5 and SHA-256.
    Rs256,
    /// RSA with PKCS #1 v1.5 and SHA-384.
    Rs384,
    /// RSA with PKCS #1 v1.5 and SHA-512.
    Rs512,
    /// RSA with PSS and SHA-256.
    Ps256,
    /// RSA with PSS and SHA-384.
    Ps384,
    /// RSA with PSS and SHA-512.
    Ps512,
    /// ECDSA on P-256 with SHA-256.
    Es256,
    /// ECDSA on P-384 with SHA-384.
    Es384,
    /// Ed25519.
    EdDsa,
}

/// The verification routine of an algorithm, with the kind of key that it needs.
enum Check {
    Rsa(&'static RsaParameters),
    Curve(Curve, &'static dyn VerificationAlgorithm),
}

impl Algorithm {
    const ALL: [(&'static str, Self); 9] = [
        ("RS256", Self::Rs256),
        ("RS384", Self::Rs384),
        ("RS512", Self::Rs512),
        ("PS256", Self::Ps256),
        ("PS384", Self::Ps384),
        ("PS512", Self::Ps512),
        ("ES256", Self::Es256),
        ("ES384", Self::Es384),
        ("EdDSA", Self::EdDsa),
    ];

    /// Looks up an algorithm by its name in headers; `Ed25519` is another name for `EdDSA` with that curve (RFC 9864
    /// §2.2).
    pub fn from_name(name: &str) -> Option<Self> {
        let name = if name == "Ed25519" { "EdDSA" } else { name };
        Self::ALL.into_iter().find(|(other, _)| *other == name).map(|(_, algorithm)| algorithm)
    }

    fn check(self) -> Check {
        match self {
            Self::Rs256 => Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA256),
            Self::Rs384 => Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA384),
            Self::Rs512 => Check::Rsa(&signature::RSA_PKCS1_2048_8192_SHA512),
            Self::Ps256 => Check::Rsa(&signature::RSA_PSS_2048_8192_SHA256),
            Self::Ps384 => Check::Rsa(&signature::RSA_PSS_2048_8192_SHA384),
            Self::Ps512 => Check::Rsa(&signature::RSA_PSS_2048_8192_SHA512),
            Self::Es256 => Check::Curve(Curve::P256, &signature::ECDSA_P256_SHA256_FIXED),
            Self::Es384 => Check::Curve(Curve::P384, &signature::ECDSA_P384_SHA384_FIXED),
            Self::EdDsa => Check::Curve(Curve::Ed25519, &signature::ED25519),
        }
    }

    /// Whether the algorithm can use the key.
    pub(super) fn accepts(self, key: &Key) -> bool {
        match (self.check(), key) {
            (Check::Rsa(_), Key::Rsa { .. }) => true,
            (Check::Curve(curve, _), Key::Curve { curve: other, .. }) => curve == *other,
            _ => false,
        }
    }
}

/// A signed token that is not verified yet.
pub(super) struct Jws<'a> {
    pub(super) header: Header,
    payload: Vec<u8>,
    /// The signed part: header and payload, as they were sent.
    signed: &'a str,
    signature: Vec<u8>,
}

/// The supported members of a header. Keys in the header (`jwk`, `jku`, `x5c`) are ignored: with them, a token would
/// vouch for itself.
#[derive(Deserialize)]
pub(super) struct Header {
    pub(super) alg: String,
    pub(super) kid: Option<String>,
    pub(super) typ: Option<String>,
    pub(super) crit: Option<Value>,
}

impl<'a> Jws<'a> {
    /// Splits a token; `None` if it is not a JWS in compact form.
    pub(super) fn parse(token: &'a str) -> Option<Self> {
        let (signed, signature) = token.rsplit_once('.')?;
        let (header, payload) = signed.split_once('.')?;
        let decode = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
        Some(Self {
            header: serde_json::from_slice(&decode(header)?).ok()?,
            payload: decode(payload)?,
            signed,
            signature: decode(signature)?,
        })
    }

    /// Parses the token's claims.
    pub(super) fn claims(&self) -> Option<Map<String, Value>> {
        serde_json::from_slice(&self.payload).ok()
    }

    pub(super) fn is_signed_by(&self, algorithm: Algorithm, key: &Key) -> bool {
        let signed = self.signed.as_bytes();
        match (algorithm.check(), key) {
            (Check::Rsa(parameters), Key::Rsa { n, e }) => {
                RsaPublicKeyComponents { n, e }.verify(parameters, signed, &self.signature).is_ok()
            }
            (Check::Curve(curve, check), Key::Curve { curve: of_key, point }) if curve == *of_key => {
                UnparsedPublicKey::new(check, point).verify(signed, &self.signature).is_ok()
            }
            _ => false,
        }
    }
}
