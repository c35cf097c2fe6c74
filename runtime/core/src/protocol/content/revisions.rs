//! Converts blocks for peers of older revisions.

use std::borrow::Cow;

use serde_json::Map;

use super::ContentBlock;
use super::parts::{Extras, ResourceContents, TextContent};
use crate::protocol::Revision;

impl ContentBlock {
    /// Returns the block for a peer of `revision`: unchanged, or a text block if the revision lacks the type.
    ///
    /// Audio was added in 2025-03-26, resource links in 2025-06-18. The text names the original block, with the
    /// URI of a link, and keeps its annotations. Unknown blocks are not changed, since the peer may understand
    /// them.
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
    /// Returns the contents for a peer of `revision`; `_meta` was added in 2025-06-18.
    pub fn for_revision(&self, revision: Revision) -> Cow<'_, Self> {
        if revision.has_titles() || self.meta.is_none() {
            return Cow::Borrowed(self);
        }
        Cow::Owned(Self { meta: None, ..self.clone() })
    }
}
