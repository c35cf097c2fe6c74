//! ES256 signatures: client assertions, and `DPoP` proofs.

use std::time::{SystemTime, UNIX_EPOCH};

use ring::digest::{SHA256, digest};
use ring::rand::SystemRandom;
use ring::signature::{ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, KeyPair as _};
use serde_json::{Value, json};
use toolwright_core::content::base64;

use super::encoding::{base64url, random_token};

/// The lifetime of an assertion, in seconds.
const ASSERTION_LIFETIME: u64 = 300;

/// A private key on the curve P-256.
pub(super) struct SigningKey(EcdsaKeyPair);

impl SigningKey {
    /// Generates a key; also returns it as PKCS #8 in base64.
    pub(super) fn generate() -> Result<(Self, String), String> {
        let random = SystemRandom::new();
        let document = EcdsaKeyPair::generate_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, &random);
        let document = document.map_err(|_| "the generation of a key failed".to_owned())?;
        Ok((Self::from_pkcs8(document.as_ref())?, base64::encode(document.as_ref())))
    }

    /// Decodes a key in PKCS #8 and base64.
    pub(super) fn from_base64(text: &str) -> Result<Self, String> {
        let bytes = base64::decode(text).map_err(|_| "the private key is not valid base64".to_owned())?;
        Self::from_pkcs8(&bytes)
    }

    /// Decodes a key in PEM (RFC 7468), with the label `PRIVATE KEY`.
    pub(super) fn from_pem(pem: &str) -> Result<Self, String> {
        let lines = pem.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("-----"));
        let text: String = lines.collect();
        Self::from_base64(&text).map_err(|problem| format!("{problem}, or not in PEM format"))
    }

    fn from_pkcs8(bytes: &[u8]) -> Result<Self, String> {
        let key = EcdsaKeyPair::from_pkcs8(&ECDSA_P256_SHA256_FIXED_SIGNING, bytes, &SystemRandom::new());
        key.map(Self).map_err(|_| "the private key is not a PKCS #8 key on the curve P-256".to_owned())
    }

    /// Signs an assertion that authenticates a client (RFC 7523 §3).
    pub(super) fn sign_assertion(&self, client: &str, audience: &str) -> Result<String, String> {
        let now = now();
        let claims = json!({
            "iss": client, "sub": client, "aud": audience, "jti": random_token()?, "iat": now, "exp": now + ASSERTION_LIFETIME,
        });
        self.sign(&json!({"alg": "ES256", "typ": "JWT"}), &claims)
    }

    /// Signs a `DPoP` proof for one request (RFC 9449 §4.2).
    pub(super) fn sign_proof(
        &self,
        method: &str,
        url: &str,
        token: Option<&str>,
        nonce: Option<&str>,
    ) -> Result<String, String> {
        let url = url.split(['?', '#']).next().unwrap_or_default();
        let mut claims = json!({"jti": random_token()?, "htm": method, "htu": url, "iat": now()});
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

    /// Signs a JWT in compact form (RFC 7515 §3.1).
    fn sign(&self, header: &Value, claims: &Value) -> Result<String, String> {
        let input = format!(
            "{}.{}",
            base64url(header.to_string().as_bytes()),
            base64url(claims.to_string().as_bytes())
        );
        let signature = self.0.sign(&SystemRandom::new(), input.as_bytes());
        let signature = signature.map_err(|_| "the private key failed to sign".to_owned())?;
        Ok(format!("{input}.{}", base64url(signature.as_ref())))
    }
}

/// Returns the PKCE challenge for a verifier (RFC 7636 §4.2).
pub(super) fn pkce_challenge(verifier: &str) -> String {
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
    fn the_pkce_challenge_matches_the_example_of_the_rfc() {
        let verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
        assert_eq!(pkce_challenge(verifier), "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM");
    }

    #[test]
    fn a_dpop_proof_has_the_required_claims() {
        let proof = SigningKey::generate()
            .unwrap()
            .0
            .sign_proof("POST", "https://e/x?y=1", Some("t"), Some("n"))
            .unwrap();
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
        assert!(
            SigningKey::from_pem("-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----").is_err()
        );
    }
}
