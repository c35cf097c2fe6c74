//! What the stores of runs and of secrets share: the id of a run, and the errors.

use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright_core::protocol::{ErrorObject, error};

/// The id of a run. Every write names the organization as well, and is rejected if it differs.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct RunId {
    /// The organization; `None` is distinct from all named ones.
    #[serde(default)]
    pub org: Option<String>,
    /// The run: unique among all organizations.
    pub run: String,
}

impl RunId {
    /// Creates the id of a run.
    pub fn new(org: Option<&str>, run: impl Into<String>) -> Self {
        Self { org: org.map(str::to_owned), run: run.into() }
    }
}

/// Errors of a store.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The store cannot be reached.
    #[error("the store of the gateway cannot be reached: {0}")]
    Unavailable(String),
    /// The run does not exist.
    #[error("the run `{0}` has ended, or its registry was lost: open it and register its nodes again")]
    NoRun(String),
    /// The run belongs to another organization.
    #[error("the run `{0}` belongs to another organization")]
    OtherOrganization(String),
    /// A limit is reached.
    #[error("there is no room for more than {limit} {what}")]
    Full {
        /// The limited resource.
        what: &'static str,
        /// The limit.
        limit: usize,
    },
    /// The value cannot be stored in this form.
    #[error("{0}")]
    Invalid(String),
}

impl StoreError {
    /// Returns the machine-readable name of the error, used as `kind` in the data of errors.
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Unavailable(_) => "store_unavailable",
            Self::NoRun(_) => "registry_lost",
            Self::OtherOrganization(_) => "other_organization",
            Self::Full { .. } => "overloaded",
            Self::Invalid(_) => "invalid",
        }
    }

    /// Returns whether the same operation may succeed later.
    pub fn is_retryable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::NoRun(_) | Self::Full { .. })
    }

    /// Converts into an error for callers, with `kind` and `retryable` in its data.
    pub fn to_rpc(&self) -> ErrorObject {
        let data = json!({"kind": self.kind(), "retryable": self.is_retryable()});
        error::internal(&self.to_string()).with_data(&data)
    }
}
