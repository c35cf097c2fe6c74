//! Blocks for peers of older revisions of the protocol.

use std::borrow::Cow;

use serde_json::Map;

use super::ContentBlock;
use super::parts::{Extras, ResourceContents, TextContent};
use crate::protocol::Revision;

impl ContentBlock {
    /// The block for a peer of `revision`: itself, or a text in its place where the revision does not have the type.
    ///
    /// Recordings came with 2025-03-26, resource links with 2025-06-18. The text says what stood there, with the
    /// address of a link, and keeps the annotations of the block. Unknown blocks stay, since the peer may
    /// understands them.
    pub fn for_revision(&self, revision: Revision) -> Cow<'_, Self> {
        let since = match self {
            Self::Audio(_) => Revision::V2025_03_26,
            Self::ResourceLink(_) => Revision::V2025_06_18,
            Self::Text(_) | Self::Image(_) | Self::Resource(_) | Self::Unknown(_) => Revision::ALL[0],
        };
        if revision >= since {
            return Cow::Borrowed(self);
        }
        let extras = self.extras().map(|extras| Box::new(Extras { other: Map::new(), ..extras.clone() }));
        Cow::Owned(Self::Text(TextContent { text: self.to_text().into_owned(), extras }))
    }
}

impl ResourceContents {
    /// The contents with the members that the revision has: `_meta` came with 2025-06-18.
    pub fn for_revision(&self, revision: Revision) -> Cow<'_, Self> {
        if revision.has_titles() || self.meta.is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { meta: None, ..self.clone() })
    }
}
