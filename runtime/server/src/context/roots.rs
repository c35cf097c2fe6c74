//! Roots: asking for the client's folders (2026-07-28, client/roots).

use super::Context;
use crate::input::{AskError, Question, Root};

impl Context {
    /// The folders that the client works in.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>, AskError> {
        self.ask_for(key, Question::roots(), Root::read_list).await
    }
}
