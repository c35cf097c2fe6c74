//! Idempotency keys, with which a client may make a call again without a second effect.

use serde::{Deserialize, Serialize};
use serde_json::Value;
use toolwright_core::manifest::to_canonical_json;

use super::bus::{Call, CallError};
use crate::hex::sha256;

/// Maximum length of an idempotency key: 255 bytes.
pub const MAX_IDEMPOTENCY_KEY_BYTES: usize = 255;

/// The idempotency key of a call, as buses compare it: within an organization, a run, a node and a tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct IdempotencyKey {
    /// A digest of the key and its scope.
    pub name: String,
    /// A digest of the arguments as canonical JSON (RFC 8785), so the order of members does not matter.
    pub arguments: String,
}

impl IdempotencyKey {
    /// Creates the key of a call, whose organization, run, node, tool and arguments are set.
    ///
    /// # Errors
    /// [`CallError::InvalidKey`] if the key is empty or has more than [`MAX_IDEMPOTENCY_KEY_BYTES`].
    pub fn new(call: &Call, key: &str) -> Result<Self, CallError> {
        if key.is_empty() || key.len() > MAX_IDEMPOTENCY_KEY_BYTES {
            return Err(CallError::InvalidKey);
        }
        // As JSON, so that no two scopes have the same text.
        let scope = serde_json::json!([call.org, call.run, call.node, call.tool, key]);
        let arguments: Value = serde_json::from_str(call.arguments.get()).unwrap_or_default();
        Ok(Self { name: digest_of(&scope), arguments: digest_of(&arguments) })
    }
}

fn digest_of(value: &Value) -> String {
    sha256(to_canonical_json(value).as_bytes())
}
