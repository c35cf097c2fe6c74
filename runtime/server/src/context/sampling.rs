//! Sampling: asking the client's model (2026-07-28, client/sampling).

use super::Context;
use crate::input::{AskError, Sampled, Sampling};

impl Context {
    /// Has the client's model write something.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn sample(&self, key: &str, sampling: Sampling) -> Result<Sampled, AskError> {
        self.ask_for(key, sampling.into_question(), Sampled::read).await
    }
}
