//! Public tool names, which satisfy the length and character limits of clients.

use std::borrow::Cow;

use super::{LIMIT, is_allowed};
use crate::schema::Profile;

/// Maximum length of a name in the portable profile, in characters: the limit of every common model provider.
pub const PORTABLE_LIMIT: usize = 64;

/// Converts `name` for a client: to `^[a-zA-Z0-9_-]{1,64}$` in the portable profile, to the rule of the
/// protocol ([`super::check`]) in the faithful one.
///
/// A valid name is not changed. Otherwise each invalid character is replaced by `-`, and `-` and a digest of
/// the original are appended, after truncating the name if necessary. Different names thus stay different, and
/// the result depends only on the original.
///
/// The digest is 64-bit FNV-1a, as 13 letters and digits. It is not resistant to deliberate collisions:
/// [`super::PublicNames`] reports those.
pub fn public_name(name: &str, profile: Profile) -> Cow<'_, str> {
    let limit = limit(profile);
    if !name.is_empty() && name.len() <= limit && name.chars().all(|character| fits(character, profile)) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(with_digest(&sanitize(name, profile), name, limit))
}

/// Returns a name for a tool whose name is taken: the valid part of `name`, with a digest of it and `identity`,
/// which distinguishes the two. It depends only on these two strings.
pub fn distinct_name(name: &str, identity: &str, profile: Profile) -> String {
    let original = format!("{name}\0{identity}");
    with_digest(&sanitize(name, profile), &original, limit(profile))
}

/// Replaces each invalid character with `-`.
fn sanitize(name: &str, profile: Profile) -> String {
    name.chars().map(|character| if fits(character, profile) { character } else { '-' }).collect()
}

fn fits(character: char, profile: Profile) -> bool {
    is_allowed(character) && (character != '.' || profile == Profile::Faithful)
}

/// Appends the digest of `original` to `base`, truncating it if necessary.
pub(super) fn with_digest(base: &str, original: &str, limit: usize) -> String {
    // All characters are ASCII here, so bytes are characters.
    let base = &base[..base.len().min(limit - DIGEST_LENGTH - 1)];
    let digest = digest(original);
    if base.is_empty() { digest } else { format!("{base}-{digest}") }
}

pub(super) fn limit(profile: Profile) -> usize {
    match profile {
        Profile::Portable => PORTABLE_LIMIT,
        Profile::Faithful => LIMIT,
    }
}

const DIGEST_LENGTH: usize = 13;

/// 64-bit FNV-1a, in lower-case base32 (RFC 4648), highest bits first.
fn digest(text: &str) -> String {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = text.bytes().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    (0..DIGEST_LENGTH).rev().map(|place| char::from(ALPHABET[(hash >> (5 * place) & 31) as usize])).collect()
}
