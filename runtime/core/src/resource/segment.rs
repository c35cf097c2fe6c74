//! Strings that are a single path segment.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;
use std::path::Path;
use std::str::FromStr;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Serialize};

/// A single path segment, for a variable of a [`UriTemplate`](super::UriTemplate) or an argument that names a file.
///
/// The value of a variable may contain anything, since percent-encoding is decoded: `..%2F..%2Fsecret` becomes
/// `../../secret`. Deserializing this type rejects strings that are empty, contain `/`, `\`, `:` or a control
/// character such as NUL, or consist of dots and spaces only, on all operating systems. `folder.join(segment)`
/// therefore stays in the folder. The file may not exist, or may be a link to elsewhere.
///
/// ```
/// use toolwright_core::resource::PathSegment;
///
/// let segment: PathSegment = "report 2026.pdf".parse()?;
/// assert_eq!(std::path::Path::new("shared").join(&segment), std::path::Path::new("shared/report 2026.pdf"));
/// assert!("../secret".parse::<PathSegment>().is_err());
/// # Ok::<(), toolwright_core::resource::PathSegmentError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String")]
pub struct PathSegment(String);

/// Why a string is not a [`PathSegment`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "a path segment must not contain `/`, `\\`, `:` or control characters, and not consist of dots and spaces only"
)]
pub struct PathSegmentError;

/// Characters that are not allowed in names on any operating system, as a regular expression class.
macro_rules! barred {
    () => {
        r"/\\:\x00-\x1f\x7f"
    };
}

/// The same rule for the schema: at least one character that is neither forbidden nor a dot or space.
const PATTERN: &str = concat!("^[^", barred!(), "]*[^", barred!(), r". ]", "[^", barred!(), "]*$");

impl PathSegment {
    /// Returns the string.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for PathSegment {
    type Error = PathSegmentError;

    fn try_from(text: String) -> Result<Self, PathSegmentError> {
        let is_barred = |next: char| next.is_ascii_control() || matches!(next, '/' | '\\' | ':');
        // Windows strips trailing dots and spaces, so `. .` and `...` may mean `..` there.
        let is_name = text.chars().any(|next| !matches!(next, '.' | ' '));
        if text.contains(is_barred) || !is_name { Err(PathSegmentError) } else { Ok(Self(text)) }
    }
}

impl FromStr for PathSegment {
    type Err = PathSegmentError;

    fn from_str(text: &str) -> Result<Self, PathSegmentError> {
        text.to_owned().try_into()
    }
}

impl From<PathSegment> for String {
    fn from(segment: PathSegment) -> Self {
        segment.0
    }
}

impl Deref for PathSegment {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl AsRef<str> for PathSegment {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl AsRef<Path> for PathSegment {
    fn as_ref(&self) -> &Path {
        self.0.as_ref()
    }
}

impl fmt::Display for PathSegment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl JsonSchema for PathSegment {
    fn inline_schema() -> bool {
        true
    }

    fn schema_name() -> Cow<'static, str> {
        "PathSegment".into()
    }

    fn schema_id() -> Cow<'static, str> {
        concat!(module_path!(), "::PathSegment").into()
    }

    fn json_schema(_generator: &mut SchemaGenerator) -> Schema {
        json_schema!({"type": "string", "pattern": PATTERN})
    }
}

#[cfg(test)]
mod tests {
    use regex_lite::Regex;
    use serde_json::json;

    use super::{PATTERN, PathSegment};

    #[test]
    fn only_single_names_are_segments() {
        let pattern = Regex::new(PATTERN).expect("a pattern");
        for (text, good) in [
            ("a", true),
            ("report 2026.pdf", true),
            (".env", true),
            ("..a", true),
            ("a..", true),
            ("größe%2F", true),
            ("-", true),
            ("", false),
            (".", false),
            ("..", false),
            ("...", false),
            (". .", false),
            (" ", false),
            ("/", false),
            ("/etc/passwd", false),
            ("a/b", false),
            ("a/", false),
            ("..\\a", false),
            ("C:", false),
            ("C:a", false),
            ("a:b", false),
            ("a\0", false),
            ("a\nb", false),
            ("\u{7f}", false),
        ] {
            assert_eq!(text.parse::<PathSegment>().is_ok(), good, "{text:?}");
            assert_eq!(serde_json::from_value::<PathSegment>(json!(text)).is_ok(), good, "{text:?}");
            assert_eq!(pattern.is_match(text), good, "{text:?} by the schema");
        }
    }

    #[test]
    fn a_segment_stays_in_its_folder() {
        let folder = std::path::Path::new("folder");
        let segment: PathSegment = "..a".parse().expect("a name");
        assert_eq!(folder.join(&segment).parent(), Some(folder));
        assert_eq!(
            (segment.len(), segment.to_string(), String::from(segment)),
            (3, "..a".to_owned(), "..a".to_owned())
        );
    }
}
