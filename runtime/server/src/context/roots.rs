//! Roots: the client's folders (2026-07-28, client/roots).

use super::Context;
use crate::input_requests::{InputRequestError, KnownRequest, Root};

impl Context {
    /// Requests the folders that the client works in.
    ///
    /// # Errors
    /// [`InputRequestError`].
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>, InputRequestError> {
        self.ask_for(key, KnownRequest::roots(), Root::read_list).await
    }
}
