//! Sets of public keys (RFC 7517).

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::Deserialize;
use serde_json::Value;

use super::jws::Algorithm;

/// The maximum number of keys of a set: 64. Issuers have a handful, and a token without `kid` is checked against
/// each.
const MAX_KEYS: usize = 64;

/// The usable keys of an issuer.
#[derive(Debug, Default)]
pub(super) struct KeySet(Vec<Member>);

#[derive(Debug)]
struct Member {
    kid: Option<String>,
    /// The only algorithm to use the key with, if specified.
    alg: Option<String>,
    key: Key,
}

/// A public key.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// Modulus and exponent, big-endian.
    Rsa { n: Vec<u8>, e: Vec<u8> },
    /// A point in the encoding that signatures of the curve use.
    Curve { curve: Curve, point: Vec<u8> },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Curve {
    P256,
    P384,
    Ed25519,
}

/// A key set as it is sent. Keys are parsed one by one, since an unknown kind must not invalidate the others (RFC
/// 7517 §5).
#[derive(Debug, Deserialize)]
pub(super) struct JwkSet {
    keys: Vec<Value>,
}

#[derive(Deserialize)]
struct Jwk {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    usage: Option<String>,
    key_ops: Option<Vec<String>>,
    crv: Option<String>,
    n: Option<String>,
    e: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl KeySet {
    /// Selects the keys that can verify signatures.
    pub(super) fn of(set: JwkSet) -> Self {
        let jwks = set.keys.into_iter().filter_map(|key| serde_json::from_value::<Jwk>(key).ok());
        Self(jwks.filter_map(Member::of).take(MAX_KEYS).collect())
    }

    /// Returns the keys that may have signed a token: those with its `kid`, or all if it has none.
    pub(super) fn fitting(&self, kid: Option<&str>, algorithm: Algorithm) -> impl Iterator<Item = &Key> {
        let is_it = move |member: &&Member| {
            let alg = member.alg.as_deref();
            kid.is_none_or(|kid| member.kid.as_deref() == Some(kid))
                && alg.is_none_or(|alg| Algorithm::from_name(alg) == Some(algorithm))
                && algorithm.accepts(&member.key)
        };
        self.0.iter().filter(is_it).map(|member| &member.key)
    }
}

impl Member {
    fn of(jwk: Jwk) -> Option<Self> {
        // Both members restrict the use of a key (RFC 7517 §4.2 and §4.3), and both have to allow it.
        let is_for_signatures = jwk.usage.as_deref().is_none_or(|usage| usage == "sig");
        let verifies =
            jwk.key_ops.as_ref().is_none_or(|operations| operations.iter().any(|it| it == "verify"));
        if !is_for_signatures || !verifies {
            return None;
        }
        let key = Key::of(&jwk)?;
        Some(Self { kid: jwk.kid, alg: jwk.alg, key })
    }
}

impl Key {
    /// Parses a key of a supported kind (RFC 7518 §6, RFC 8037 §2). Secret keys (`kty` is `oct`) are not supported.
    fn of(jwk: &Jwk) -> Option<Self> {
        let bytes = |member: &Option<String>| URL_SAFE_NO_PAD.decode(member.as_ref()?).ok();
        let curve = |curve, length: usize| {
            let (x, y) = (bytes(&jwk.x)?, bytes(&jwk.y)?);
            let has_length = x.len() == length && y.len() == length;
            // Uncompressed point (SEC 1, section 2.3.3).
            has_length.then(|| Self::Curve { curve, point: [&[4], &*x, &*y].concat() })
        };
        match (jwk.kty.as_str(), jwk.crv.as_deref()) {
            ("RSA", _) => Some(Self::Rsa { n: number(&bytes(&jwk.n)?), e: number(&bytes(&jwk.e)?) }),
            ("EC", Some("P-256")) => curve(Curve::P256, 32),
            ("EC", Some("P-384")) => curve(Curve::P384, 48),
            ("OKP", Some("Ed25519")) => Some(Self::Curve { curve: Curve::Ed25519, point: bytes(&jwk.x)? }),
            _ => None,
        }
    }
}

/// Strips the leading zeros that some issuers write (RFC 7518 §6.3.1.1).
fn number(bytes: &[u8]) -> Vec<u8> {
    bytes.iter().copied().skip_while(|byte| *byte == 0).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Algorithm, KeySet};

    #[test]
    fn keys_for_other_uses_are_ignored() {
        for (more, good) in [
            (json!({}), true),
            (json!({"use": "sig"}), true),
            (json!({"key_ops": ["verify"]}), true),
            (json!({"use": "sig", "key_ops": ["sign", "verify"]}), true),
            (json!({"use": "enc"}), false),
            (json!({"key_ops": ["sign"]}), false),
            (json!({"key_ops": ["encrypt", "wrapKey"]}), false),
            (json!({"key_ops": []}), false),
            (json!({"key_ops": "verify"}), false),
            (json!({"use": "sig", "key_ops": ["deriveBits"]}), false),
            (json!({"use": "enc", "key_ops": ["verify"]}), false),
        ] {
            let mut key =
                json!({"kty": "OKP", "crv": "Ed25519", "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"});
            if let (Some(key), Value::Object(more)) = (key.as_object_mut(), more.clone()) {
                key.extend(more);
            }
            let set = serde_json::from_value(json!({"keys": [key]})).expect("a set");
            let fits = KeySet::of(set).fitting(None, Algorithm::EdDsa).next().is_some();
            assert_eq!(fits, good, "{more}");
        }
    }
}
