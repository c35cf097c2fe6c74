//! Bytes as hexadecimal text, and ids of random bytes.

use std::fmt::Write as _;

/// Two digits for each byte, in lower case.
pub(crate) fn hex(bytes: impl IntoIterator<Item = u8>) -> String {
    bytes.into_iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// The bytes that hexadecimal text of either case stands for; none if it is no such text.
pub(crate) fn unhex(text: &str) -> Option<Vec<u8>> {
    let digits = text.as_bytes();
    // Signs are digits to `from_str_radix`.
    if !digits.len().is_multiple_of(2) || !digits.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    (0..digits.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).ok()).collect()
}

/// `BYTES` bytes from the system: with 16 or more, an id that nobody can guess.
///
/// # Errors
/// Where the system gives no random numbers.
pub(crate) fn random_id<const BYTES: usize>() -> Result<String, getrandom::Error> {
    let mut random = [0; BYTES];
    getrandom::fill(&mut random)?;
    Ok(hex(random))
}
