//! Roots: the client's folders.

use serde::Deserialize;
use serde_json::value::RawValue;

use super::object;

/// A folder that the client works in (2026-07-28, client/roots "Root").
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[non_exhaustive]
pub struct Root {
    /// The folder's URI: `file://…`.
    pub uri: String,
    /// The display name.
    #[serde(default)]
    pub name: Option<String>,
}

impl Root {
    pub(crate) fn read_list(answer: &RawValue) -> Result<Vec<Self>, String> {
        #[derive(Deserialize)]
        struct ListRootsResult {
            roots: Vec<Root>,
        }
        object::<ListRootsResult>(answer).map(|result| result.roots)
    }
}
