//! Hexadecimal encoding, and random ids.

use std::fmt::Write as _;

/// Encodes bytes in lowercase hexadecimal.
pub(crate) fn hex(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Decodes hexadecimal text of either case; `None` if it is invalid.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    // `from_str_radix` accepts signs.
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// Returns an id of `BYTES` random bytes from the system; with 16 or more, it cannot be guessed.
///
/// # Errors
/// The system's random number generator failed.
pub(crate) fn random_id<const BYTES: usize>() -> Result<String, getrandom::Error> {
    let mut random = [0; BYTES];
    getrandom::fill(&mut random)?;
    Ok(hex(random))
}
