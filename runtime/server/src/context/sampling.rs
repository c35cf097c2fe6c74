//! Sampling: requests to the client's model (2026-07-28, client/sampling).

use super::Context;
use crate::input_requests::{InputRequestError, Sampled, Sampling};

impl Context {
    /// Requests a completion from the client's model.
    ///
    /// # Errors
    /// [`InputRequestError`].
    pub async fn sample(&self, key: &str, sampling: Sampling) -> Result<Sampled, InputRequestError> {
        self.ask_for(key, sampling.into_request(), Sampled::read).await
    }
}
