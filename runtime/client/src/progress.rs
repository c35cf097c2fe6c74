//! Progress of requests.

use serde::Deserialize;
use serde_json::value::RawValue;

/// How far a request has come (2026-07-28, basic/patterns/progress).
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[non_exhaustive]
pub struct Progress {
    /// How much is done; it grows from one notice to the next.
    pub progress: f64,
    /// How much there is to do, if that is known.
    #[serde(default)]
    pub total: Option<f64>,
    /// What is being done, for people.
    #[serde(default)]
    pub message: Option<String>,
}

/// The request that progress is of, and the progress.
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
