//! Encodings of the standard streams of a server process.

use toolwright_core::suggest::nearest;

/// A text encoding. The protocol requires UTF-8; the others are for programs that use the encoding of their system.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-16, little-endian.
    Utf16Le,
    /// UTF-16, big-endian.
    Utf16Be,
    /// ISO 8859-1.
    Latin1,
    /// ISO 8859-15: Latin-1 with the euro sign.
    Latin9,
    /// Windows-1252, the Windows code page for Western Europe and America.
    Windows1252,
    /// ASCII; other bytes are errors.
    Ascii,
}

/// The labels of configuration files, in lower case and without `-`, `_` and spaces.
const LABELS: [(&str, Encoding); 20] = [
    ("utf8", Encoding::Utf8),
    ("utf16", Encoding::Utf16Le),
    ("utf16le", Encoding::Utf16Le),
    ("utf16be", Encoding::Utf16Be),
    ("latin1", Encoding::Latin1),
    ("l1", Encoding::Latin1),
    ("iso88591", Encoding::Latin1),
    ("88591", Encoding::Latin1),
    ("cp819", Encoding::Latin1),
    ("latin9", Encoding::Latin9),
    ("iso885915", Encoding::Latin9),
    ("885915", Encoding::Latin9),
    ("windows1252", Encoding::Windows1252),
    ("cp1252", Encoding::Windows1252),
    ("xcp1252", Encoding::Windows1252),
    ("1252", Encoding::Windows1252),
    ("ascii", Encoding::Ascii),
    ("usascii", Encoding::Ascii),
    ("646", Encoding::Ascii),
    ("unicode", Encoding::Utf16Le),
];

impl Encoding {
    /// The names of the encodings.
    pub const NAMES: [&'static str; 7] =
        ["utf-8", "utf-16le", "utf-16be", "iso-8859-1", "iso-8859-15", "windows-1252", "ascii"];

    /// Returns the encoding with this label: a name in [`Encoding::NAMES`] or a common alias, such as `latin-1` or `cp1252`,
    /// ignoring case.
    pub fn from_label(label: &str) -> Option<Self> {
        let normalized: String = label.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect();
        let normalized = normalized.to_ascii_lowercase();
        LABELS.iter().find(|(known, _)| *known == normalized).map(|(_, encoding)| *encoding)
    }

    /// Returns the name of the encoding.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf8 => "utf-8",
            Self::Utf16Le => "utf-16le",
            Self::Utf16Be => "utf-16be",
            Self::Latin1 => "iso-8859-1",
            Self::Latin9 => "iso-8859-15",
            Self::Windows1252 => "windows-1252",
            Self::Ascii => "ascii",
        }
    }

    /// Returns the name that is most similar to an unknown label.
    pub fn suggest(label: &str) -> Option<&'static str> {
        nearest(label, Self::NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_are_found_by_name_and_alias() {
        for name in Encoding::NAMES {
            assert_eq!(Encoding::from_label(name).map(Encoding::name), Some(name));
        }
        for (label, name) in [("UTF8", "utf-8"), ("Latin_1", "iso-8859-1"), ("CP1252", "windows-1252")] {
            assert_eq!(Encoding::from_label(label).map(Encoding::name), Some(name), "{label}");
        }
        assert_eq!(Encoding::from_label("utf-7"), None);
        assert_eq!(Encoding::suggest("utf-7"), Some("utf-8"));
    }
}
