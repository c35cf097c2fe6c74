//! Protects bytes that a client stores: authenticated, and optionally encrypted.
//!
//! The functions of both modules bind the text to additional bytes, which are not part of the sealed output and are
//! required to open it.

pub(super) type Key = [u8; 32];

/// HMAC-SHA-256 (RFC 2104), prepended to the text, which stays readable.
#[cfg(any(test, not(feature = "encrypted-state")))]
pub(super) mod authenticated {
    use hmac_sha256::HMAC;

    use super::Key;

    const CODE_BYTES: usize = 32;

    /// Separates these codes from any other use of the key.
    const LABEL: &[u8] = b"toolwright requestState 1";

    #[expect(clippy::unnecessary_wraps, reason = "same signature as the encrypting function")]
    pub(in super::super) fn seal(key: &Key, text: &[u8], binding: &[u8]) -> Option<Vec<u8>> {
        Some([&hmac(key, text, binding).finalize(), text].concat())
    }

    pub(in super::super) fn open(key: &Key, sealed: &[u8], binding: &[u8]) -> Option<Vec<u8>> {
        let (code, text) = sealed.split_first_chunk::<CODE_BYTES>()?;
        // Comparison takes constant time.
        hmac(key, text, binding).finalize_verify(code).then(|| text.to_vec())
    }

    /// The lengths separate the binding from the text.
    fn hmac(key: &Key, text: &[u8], binding: &[u8]) -> HMAC {
        let mut hmac = HMAC::new(key);
        hmac.update(LABEL);
        hmac.update((binding.len() as u64).to_be_bytes());
        hmac.update(binding);
        hmac.update(text);
        hmac
    }
}

/// XChaCha20-Poly1305, with a random nonce prepended.
#[cfg(feature = "encrypted-state")]
pub(super) mod encrypted {
    use chacha20poly1305::aead::{Aead, Payload};
    use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce};

    use super::Key;

    const NONCE_BYTES: usize = 24;

    /// `None` if the system's random number generator fails.
    pub(in super::super) fn seal(key: &Key, text: &[u8], binding: &[u8]) -> Option<Vec<u8>> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce).ok()?;
        let payload = Payload { msg: text, aad: binding };
        let sealed = cipher(key).encrypt(&XNonce::from(nonce), payload).ok()?;
        Some([&nonce, &*sealed].concat())
    }

    pub(in super::super) fn open(key: &Key, sealed: &[u8], binding: &[u8]) -> Option<Vec<u8>> {
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE_BYTES>()?;
        cipher(key).decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: binding }).ok()
    }

    fn cipher(key: &Key) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&(*key).into())
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    const KEY: Key = [7; 32];

    type Seal = fn(&Key, &[u8], &[u8]) -> Option<Vec<u8>>;
    type Open = fn(&Key, &[u8], &[u8]) -> Option<Vec<u8>>;

    /// Checks the properties that every way of sealing needs.
    fn check(name: &str, seal: Seal, open: Open) {
        let sealed = seal(&KEY, b"text", b"binding").expect("sealed");
        assert_eq!(open(&KEY, &sealed, b"binding").as_deref(), Some(&b"text"[..]), "{name}");
        assert_eq!(open(&[8; 32], &sealed, b"binding"), None, "{name}: another key");
        for other in [&b"bindin"[..], b"bindings", b"", b"Binding"] {
            assert_eq!(open(&KEY, &sealed, other), None, "{name}: another binding");
        }
        // A byte that moves from the text to the binding, or back.
        let moved = seal(&KEY, b"gtext", b"bindin").expect("sealed");
        assert_eq!(open(&KEY, &moved, b"binding"), None, "{name}");
        for index in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[index] ^= 0x80;
            assert_eq!(open(&KEY, &changed, b"binding"), None, "{name}: byte {index}");
            assert_eq!(open(&KEY, &sealed[..index], b"binding"), None, "{name}: {index} bytes");
        }
    }

    #[test]
    fn authenticated_bytes_open_only_unmodified() {
        check("HMAC", super::authenticated::seal, super::authenticated::open);
    }

    /// RFC 4231, section 4.3: the function is the one that the RFC defines.
    #[test]
    fn the_code_is_hmac_sha_256() {
        let code = hmac_sha256::HMAC::mac(b"what do ya want for nothing?", b"Jefe");
        assert_eq!(code[..8], [0x5b, 0xdc, 0xc1, 0x46, 0xbf, 0x60, 0x75, 0x4e]);
        assert_eq!(code[24..], [0x9d, 0xec, 0x58, 0xb9, 0x64, 0xec, 0x38, 0x43]);
    }

    #[cfg(feature = "encrypted-state")]
    #[test]
    fn encrypted_bytes_open_only_unmodified_and_never_repeat() {
        use super::encrypted::{open, seal};
        check("XChaCha20-Poly1305", seal, open);
        let sealed = seal(&KEY, b"text", b"").expect("sealed");
        assert!(!sealed.windows(4).any(|window| window == b"text"));
        assert_ne!(seal(&KEY, b"text", b""), Some(sealed));
    }
}
