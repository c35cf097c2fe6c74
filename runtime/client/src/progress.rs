//! Progress notifications.

use serde::Deserialize;
use serde_json::value::RawValue;

/// The progress of a request (2026-07-28, basic/patterns/progress).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; it increases with each notification.
    pub progress: f64,
    /// How much there is to do, if known.
    #[serde(default)]
    pub total: Option<f64>,
    /// A message about the current step.
    #[serde(default)]
    pub message: Option<String>,
}

/// Parses a progress notification; returns the id of its request and the progress.
pub(crate) fn read_progress(params: &str) -> Option<(u64, Progress)> {
    #[derive(Deserialize)]
    struct Params<'a> {
        #[serde(borrow, rename = "progressToken")]
        token: &'a RawValue,
    }
    let token = serde_json::from_str::<Params<'_>>(params).ok()?.token.get();
    let progress = serde_json::from_str(params).ok()?;
    Some((token.trim_matches('"').parse().ok()?, progress))
}
