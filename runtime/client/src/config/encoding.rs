//! How the bytes of a program that is started are read and written.

use toolwright_core::suggest::nearest;

/// An encoding of text. UTF-8 is what the protocol asks for; the others are for programs that write what their system does.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Encoding {
    /// UTF-8.
    #[default]
    Utf8,
    /// UTF-16, low byte first.
    Utf16Le,
    /// UTF-16, high byte first.
    Utf16Be,
    /// ISO 8859-1.
    Latin1,
    /// ISO 8859-15: Latin-1 with the euro sign.
    Latin9,
    /// The code page of Windows in Western Europe and America.
    Windows1252,
    /// ASCII: everything else is an error.
    Ascii,
}

/// What configuration files may call an encoding, without case, `-`, `_` and spaces.
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
    /// The names to choose from.
    pub const NAMES: [&'static str; 7] =
        ["utf-8", "utf-16le", "utf-16be", "iso-8859-1", "iso-8859-15", "windows-1252", "ascii"];

    /// The encoding that a label means: the names of [`Encoding::NAMES`] and the common other ones, such as `latin-1`
    /// and `cp1252`, in any case.
    pub fn from_label(label: &str) -> Option<Self> {
        let plain: String = label.chars().filter(|c| !matches!(c, '-' | '_' | ' ')).collect();
        let plain = plain.to_ascii_lowercase();
        LABELS.iter().find(|(known, _)| *known == plain).map(|(_, encoding)| *encoding)
    }

    /// Its name.
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

    /// The name that may be meant by an unknown label.
    pub fn suggest(label: &str) -> Option<&'static str> {
        nearest(label, Self::NAMES)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_label_of_itself() {
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
