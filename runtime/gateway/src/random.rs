//! Names that nobody can guess.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Random bytes; none where the system has no randomness.
pub(crate) fn bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}

/// A name of 128 random bits.
pub(crate) fn name() -> Option<String> {
    Some(URL_SAFE_NO_PAD.encode(bytes::<16>()?))
}
