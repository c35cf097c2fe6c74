//! The name under which a client sees a tool: short enough and of the right characters, or made so.

use std::borrow::Cow;

use super::{LIMIT, is_allowed};
use crate::schema::Profile;

/// The longest name in the portable profile, in characters: what every common model provider takes.
pub const PORTABLE_LIMIT: usize = 64;

/// `name` as a client takes it: `^[a-zA-Z0-9_-]{1,64}$` in the portable profile, the protocol's own rule
/// ([`super::check`]) in the faithful one.
///
/// A name that fits stays as it is. In any other, each character that does not fit becomes `-`, and `-` with a digest
/// of the full original follows; the part before it is cut to make room. So different originals keep different names,
/// which depend on nothing but the original.
///
/// The digest is 64 bits of FNV-1a, in 13 letters and digits. It tells names apart and does not protect against
/// someone who searches for a second name with the same digest: [`super::PublicNames`] reports those.
pub fn public_name(name: &str, profile: Profile) -> Cow<'_, str> {
    let limit = limit(profile);
    if !name.is_empty() && name.len() <= limit && name.chars().all(|character| fits(character, profile)) {
        return Cow::Borrowed(name);
    }
    Cow::Owned(with_digest(&fitting(name, profile), name, limit))
}

/// A name for the tool `name` where another one has that name already: what fits of it, with a digest of the name and of
/// `identity`, which says what tells the two apart. It depends on these two texts and on nothing else.
pub fn distinct_name(name: &str, identity: &str, profile: Profile) -> String {
    let original = format!("{name}\0{identity}");
    with_digest(&fitting(name, profile), &original, limit(profile))
}

/// `name` with `-` for each character that does not fit.
fn fitting(name: &str, profile: Profile) -> String {
    name.chars().map(|character| if fits(character, profile) { character } else { '-' }).collect()
}

fn fits(character: char, profile: Profile) -> bool {
    is_allowed(character) && (character != '.' || profile == Profile::Faithful)
}

/// `base`, cut to leave room, with the digest of `original`.
pub(super) fn with_digest(base: &str, original: &str, limit: usize) -> String {
    // All characters are ASCII here, so that bytes are characters.
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

/// FNV-1a with 64 bits, in the base32 alphabet of RFC 4648 in lower case, highest bits first.
fn digest(text: &str) -> String {
    const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0100_0000_01b3;
    const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
    let hash = text.bytes().fold(OFFSET_BASIS, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(PRIME));
    (0..DIGEST_LENGTH).rev().map(|place| char::from(ALPHABET[(hash >> (5 * place) & 31) as usize])).collect()
}
