//! Keys of the authorization server: one of each kind, created at startup.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::rsa::PublicKeyComponents;
use ring::signature::{
    ECDSA_P256_SHA256_FIXED_SIGNING, EcdsaKeyPair, Ed25519KeyPair, KeyPair, RSA_PKCS1_SHA256, RsaKeyPair,
};
use serde_json::{Value, json};

/// Making an RSA key takes seconds; this one signs tokens of tests and nothing else.
const RSA_KEY: &[u8] = include_bytes!("../fixtures/rsa-of-the-tests.der");

/// A private key with its `kid`.
#[derive(Debug)]
pub(crate) struct Signer {
    pub(crate) kid: String,
    key: PrivateKey,
}

#[derive(Debug)]
enum PrivateKey {
    Ed25519(Ed25519KeyPair),
    P256(EcdsaKeyPair),
    Rsa(RsaKeyPair),
}

impl Signer {
    /// A key of the kind that goes with an algorithm.
    pub(crate) fn new(algorithm: &str, kid: &str) -> Self {
        let random = SystemRandom::new();
        let key = match algorithm {
            "EdDSA" => {
                let document = Ed25519KeyPair::generate_pkcs8(&random).expect("a key");
                PrivateKey::Ed25519(Ed25519KeyPair::from_pkcs8(document.as_ref()).expect("a key"))
            }
            "ES256" => {
                let curve = &ECDSA_P256_SHA256_FIXED_SIGNING;
                let document = EcdsaKeyPair::generate_pkcs8(curve, &random).expect("a key");
                let key = EcdsaKeyPair::from_pkcs8(curve, document.as_ref(), &random);
                PrivateKey::P256(key.expect("a key"))
            }
            "RS256" => PrivateKey::Rsa(RsaKeyPair::from_pkcs8(RSA_KEY).expect("a key")),
            other => panic!("no key for {other}"),
        };
        Self { kid: kid.to_owned(), key }
    }

    pub(crate) fn algorithm(&self) -> &'static str {
        match self.key {
            PrivateKey::Ed25519(_) => "EdDSA",
            PrivateKey::P256(_) => "ES256",
            PrivateKey::Rsa(_) => "RS256",
        }
    }

    pub(crate) fn sign(&self, text: &str) -> Vec<u8> {
        let random = SystemRandom::new();
        match &self.key {
            PrivateKey::Ed25519(key) => key.sign(text.as_bytes()).as_ref().to_vec(),
            PrivateKey::P256(key) => key.sign(&random, text.as_bytes()).expect("signed").as_ref().to_vec(),
            PrivateKey::Rsa(key) => {
                let mut signature = vec![0; key.public().modulus_len()];
                key.sign(&RSA_PKCS1_SHA256, &random, text.as_bytes(), &mut signature).expect("signed");
                signature
            }
        }
    }

    /// The public key as a member of a set.
    pub(crate) fn jwk(&self) -> Value {
        let text = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
        match &self.key {
            PrivateKey::Ed25519(key) => {
                let x = text(key.public_key().as_ref());
                json!({"kty": "OKP", "crv": "Ed25519", "kid": self.kid, "x": x})
            }
            PrivateKey::P256(key) => {
                let (x, y) = key.public_key().as_ref()[1..].split_at(32);
                json!({"kty": "EC", "crv": "P-256", "kid": self.kid, "x": text(x), "y": text(y)})
            }
            PrivateKey::Rsa(key) => {
                let public = PublicKeyComponents::<Vec<u8>>::from(key.public());
                let (n, e) = (text(&public.n), text(&public.e));
                json!({"kty": "RSA", "kid": self.kid, "use": "sig", "n": n, "e": e})
            }
        }
    }
}
