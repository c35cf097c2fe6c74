//! The revisions of the protocol.

/// A revision of the Model Context Protocol, oldest first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Revision {
    /// 2024-11-05: the first one.
    V2024_11_05,
    /// 2025-03-26: annotations, audio, batches.
    V2025_03_26,
    /// 2025-06-18: titles, structured results, resource links; no batches any more.
    V2025_06_18,
    /// 2025-11-25: icons; the last one with a handshake.
    V2025_11_25,
    /// 2026-07-28: stateless, metadata on every request.
    V2026_07_28,
}

impl Revision {
    /// All revisions, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];

    /// The newest revision that starts with `initialize`.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;

    /// The newest revision.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// The revision's name on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The revision of this name, if there is one.
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|revision| revision.as_str() == name)
    }

    /// Whether requests carry their own metadata instead of a session (2026-07-28, basic/versioning "Terminology").
    pub const fn is_modern(self) -> bool {
        matches!(self, Self::V2026_07_28)
    }
}

impl std::fmt::Display for Revision {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.as_str())
    }
}
