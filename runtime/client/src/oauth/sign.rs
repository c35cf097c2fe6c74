//! Signatures with ES256: assertions of a client, and proofs that a token is in the right hands.

use std::time::{SystemTime, UNIX_EPOCH};

use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use toolwright_core::content::base64;

use super::text::{base64url, random};

/// How long an assertion is good.
const LIFETIME: u64 = 300;

/// A private key on the curve P-256.
pub(super) struct Key(EcdsaKeyPair);

impl Key {
    /// A new key, and how it is kept: PKCS #8 in base64.
    pub(super) fn generate() -> Result<(Self, String), String> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let document = document.map_err(|_| "no key can be made".to_owned())?;
        Ok((Self::from_pkcs8(document.as_ref())?, base64::encode(document.as_ref())))
    }

    /// A key that was kept.
    pub(super) fn from_base64(text: &str) -> Result<Self, String> {
        let bytes = base64::decode(text).map_err(|_| "the private key is not base64".to_owned())?;
        Self::from_pkcs8(&bytes)
    }

    /// A key in PEM (RFC 7468), as `PRIVATE KEY`.
    pub(super) fn from_pem(pem: &str) -> Result<Self, String> {
        let lines = pem.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("-----"));
        let text: String = lines.collect();
        Self::from_base64(&text).map_err(|problem| format!("{problem}, or not in PEM"))
    }

    fn from_pkcs8(bytes: &[u8]) -> Result<Self, String> {
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes, &SystemRandom::new());
        key.map(Self).map_err(|_| "the private key is not one of PKCS #8 on the curve P-256".to_owned())
    }

    /// An assertion of a client about itself (RFC 7523 §3).
    pub(super) fn assertion(&self, client: &str, audience: &str) -> Result<String, String> {
        let now = now();
        let claims = json!({
            "iss": client, "sub": client, "aud": audience, "jti": random()?, "iat": now, "exp": now + LIFETIME,
        });
        self.sign(&json!({"alg": "ES256", "typ": "JWT"}), &claims)
    }

    /// A proof for one request (RFC 9449 §4.2).
    pub(super) fn proof(
        &self,
        verb: &str,
        url: &str,
        token: Option<&str>,
        nonce: Option<&str>,
    ) -> Result<String, String> {
        let url = url.split(['?', '#']).next().unwrap_or_default();
        let mut claims = json!({"jti": random()?, "htm": verb, "htu": url, "iat": now()});
        if let Some(token) = token {
            claims["ath"] = base64url(digest(&SHA256, token.as_bytes()).as_ref()).into();
        }
        if let Some(nonce) = nonce {
            claims["nonce"] = nonce.into();
        }
        // An uncompressed point: 4, and two coordinates of 32 bytes each.
        let point = self.0.public_key().as_ref();
        let (x, y) = point[1..].split_at(32);
        let jwk = json!({"kty": "EC", "crv": "P-256", "x": base64url(x), "y": base64url(y)});
        self.sign(&json!({"alg": "ES256", "typ": "dpop+jwt", "jwk": jwk}), &claims)
    }

    fn sign(&self, header: &Value, claims: &Value) -> Result<String, String> {
        let text = format!(
            "{}.{}",
            base64url(header.to_string().as_bytes()),
            base64url(claims.to_string().as_bytes())
        );
        let signature = self.0.sign(&SystemRandom::new(), text.as_bytes());
        let signature = signature.map_err(|_| "nothing can be signed".to_owned())?;
        Ok(format!("{text}.{}", base64url(signature.as_ref())))
    }
}

/// The challenge for a verifier (RFC 7636 §4.2).
pub(super) fn challenge(verifier: &str) -> String {
    base64url(digest(&SHA256, verifier.as_bytes()).as_ref())
}

fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The example of RFC 7636, appendix B.
    #[test]
    fn a_challenge_is_the_digest_of_its_verifier() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn a_proof_has_what_the_server_checks() {
        let proof =
            Key::generate().unwrap().0.proof("POST", "https://e/x?y=1", Some("t"), Some("n")).unwrap();
        let part = |at: usize| {
            let text = proof.split('.').nth(at).unwrap().replace('-', "+").replace('_', "/");
            let padded = format!("{text}{}", "=".repeat((4 - text.len() % 4) % 4));
            serde_json::from_slice::<Value>(&base64::decode(&padded).unwrap()).unwrap()
        };
        assert_eq!((&part(0)["typ"], &part(0)["jwk"]["crv"]), (&json!("dpop+jwt"), &json!("P-256")));
        let claims = part(1);
        assert_eq!(
            (&claims["htm"], &claims["htu"], &claims["nonce"]),
            (&json!("POST"), &json!("https://e/x"), &json!("n"))
        );
        assert!(claims["ath"].is_string() && claims["jti"].is_string());
        assert!(Key::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----").is_err());
    }
}
