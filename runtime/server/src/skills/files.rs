//! The files of all skills, by their path below `skill://`.

use std::collections::BTreeMap;

use super::limits::Budget;
use crate::error::BuildError;

/// The file that makes a folder a skill.
pub(super) const SKILL_MD: &str = "SKILL.md";

/// Files by path, such as `acme/refunds/SKILL.md`.
#[derive(Debug, Default)]
pub(super) struct Files(BTreeMap<String, Vec<u8>>);

impl Files {
    /// Adds a file.
    ///
    /// # Errors
    /// [`BuildError::Feature`] if the path is invalid or taken, or there are too many bytes.
    pub(super) fn add(
        &mut self,
        place: &str,
        contents: Vec<u8>,
        budget: &mut Budget,
    ) -> Result<(), BuildError> {
        let refuse =
            |reason: String| BuildError::Feature { what: "file of a skill", name: place.to_owned(), reason };
        check_place(place).map_err(refuse)?;
        budget.take(contents.len()).map_err(refuse)?;
        if self.0.insert(place.to_owned(), contents).is_some() {
            return Err(refuse("another file has the same path".to_owned()));
        }
        Ok(())
    }

    /// The paths of all skills, that is, of the folders with a `SKILL.md`.
    pub(super) fn skills(&self) -> impl Iterator<Item = &str> {
        self.0.keys().filter_map(|place| match place.rsplit_once('/') {
            Some((skill, SKILL_MD)) => Some(skill),
            _ => None,
        })
    }

    /// The files in a folder and below it.
    pub(super) fn below(&self, folder: &str) -> impl Iterator<Item = &str> {
        let start = format!("{folder}/");
        self.0
            .range(start.clone()..)
            .map(|(place, _)| place.as_str())
            .take_while(move |place| place.starts_with(&start))
    }

    pub(super) fn get(&self, place: &str) -> Option<&[u8]> {
        self.0.get(place).map(Vec::as_slice)
    }

    pub(super) fn places(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    pub(super) fn into_contents(self) -> BTreeMap<String, Vec<u8>> {
        self.0
    }
}

/// Checks a path: names separated by `/`, none of which leads elsewhere.
fn check_place(place: &str) -> Result<(), String> {
    const MAX_BYTES: usize = 1_024;
    if place.len() > MAX_BYTES {
        return Err(format!("a path may have at most {MAX_BYTES} bytes"));
    }
    for name in place.split('/') {
        if name.is_empty() || name == "." || name == ".." {
            return Err(
                "a path consists of names separated by single `/`, none of which is `.` or `..`".to_owned()
            );
        }
        if name.contains(|letter: char| letter.is_control() || letter == '\\') {
            return Err("a path must not contain control characters or `\\`".to_owned());
        }
    }
    Ok(())
}

/// The URI of a path: `skill://` and the path, percent-encoded as RFC 3986 requires.
pub(super) fn uri_of(place: &str) -> String {
    use std::fmt::Write as _;
    let mut uri = String::with_capacity(8 + place.len());
    uri.push_str("skill://");
    for byte in place.bytes() {
        // `pchar` of RFC 3986 3.3, without `:` and `@`: the first name is in the position of an
        // authority.
        let is_plain = byte.is_ascii_alphanumeric() || b"-._~!$&'()*+,;=/".contains(&byte);
        if is_plain {
            uri.push(char::from(byte));
        } else {
            let _ = write!(uri, "%{byte:02X}");
        }
    }
    uri
}

#[cfg(test)]
mod tests {
    use super::{check_place, uri_of};

    #[test]
    fn paths_cannot_escape_the_folder() {
        for place in ["a", "a/b.md", "a b/ü.md", "a/..b", "a/%2e%2e/b"] {
            assert!(check_place(place).is_ok(), "{place}");
        }
        for place in ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "a/.", "a\\b", "a\0b", "a\nb"] {
            assert!(check_place(place).is_err(), "{place:?}");
        }
        assert!(check_place(&"a".repeat(1_025)).is_err());
    }

    #[test]
    fn uris_are_percent_encoded() {
        for (place, uri) in [
            ("acme/refunds/SKILL.md", "skill://acme/refunds/SKILL.md"),
            ("a/my file?.md", "skill://a/my%20file%3F.md"),
            ("a/ü", "skill://a/%C3%BC"),
            ("a:b@c/100%", "skill://a%3Ab%40c/100%25"),
        ] {
            assert_eq!(uri_of(place), uri);
        }
    }
}
