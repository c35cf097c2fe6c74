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

/// `BYTES` bytes from the system: with 16 or more, an id that nobody can guess.
///
/// # Errors
/// Where the system gives no random numbers.
pub(crate) fn random_id<const BYTES: usize>() -> Result<String, getrandom::Error> {
    let mut random = [0; BYTES];
    getrandom::fill(&mut random)?;
    Ok(hex(random))
}
