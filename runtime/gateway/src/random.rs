//! Random ids that cannot be guessed.

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// Returns random bytes, or `None` if the system provides none.
pub(crate) fn bytes<const N: usize>() -> Option<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).ok()?;
    Some(bytes)
}

/// Returns an id of 128 random bits.
pub(crate) fn name() -> Option<String> {
    Some(URL_SAFE_NO_PAD.encode(bytes::<16>()?))
}

/// Returns a UUID of version 7 (RFC 9562 §5.7), which sorts by time.
pub(crate) fn uuid(milliseconds: u64) -> Option<String> {
    let mut bytes = bytes::<16>()?;
    bytes[..6].copy_from_slice(&milliseconds.to_be_bytes()[2..]);
    bytes[6] = bytes[6] & 0x0f | 0x70;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (place, byte) in bytes.into_iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for digit in [byte >> 4, byte & 0x0f] {
            text.push(char::from(b"0123456789abcdef"[usize::from(digit)]));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn uuids_have_their_version_and_the_order_of_time() {
        let (older, newer) = (super::uuid(0x0123_4567_89ab).unwrap(), super::uuid(0x0123_4567_89ac).unwrap());
        assert!(older.starts_with("01234567-89ab-7") && older < newer, "{older} {newer}");
        assert!(["8", "9", "a", "b"].contains(&&older[19..20]), "{older}");
        assert_eq!(older.len(), 36);
        assert_ne!(older, super::uuid(0x0123_4567_89ab).unwrap());
    }
}
