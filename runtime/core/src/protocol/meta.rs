//! Keys of `_meta` (2026-07-28, basic "_meta"): those of the protocol and those of Toolwright.

use serde_json::{Map, Value};

/// The revision of a request: a string.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The capabilities of the client that makes a request: an object.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// The client's implementation info: an object.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// The minimum log level of a request: a string.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The server's implementation info: an object.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The subscription that a notification belongs to: the id of the `subscriptions/listen` request.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The task that a message belongs to; 2025-11-25 only.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// The token for progress notifications: a string or an integer.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The scopes that a caller needs: an array of strings.
pub const SCOPES: &str = "io.toolwright/scopes";
/// Former names: an array of strings.
pub const WAS: &str = "io.toolwright/was";
/// Categories for users: an array of strings.
pub const TAGS: &str = "io.toolwright/tags";
/// The application context of a command: a string.
pub const CONTEXT: &str = "io.toolwright/context";
/// Whether calls become tasks: `optional` or `required`.
pub const TASK: &str = "io.toolwright/task";
/// The application context of a request: a string.
pub const CONTEXT_PATH: &str = "io.toolwright/contextPath";
/// The workflow run node that registered a tool: a string.
pub const NODE: &str = "io.toolwright/node";
/// The gateway server that a tool or prompt belongs to: a string.
pub const SERVER: &str = "io.toolwright/server";
/// The number of resources that a subscription watches, if its acknowledgment does not list them: an integer.
pub const WATCHED_RESOURCES: &str = "io.toolwright/watchedResources";

/// The outcome of a call at a gateway: an object with `kind`, `retryable` and `call_id`. A server drops what its providers write
/// under the prefix `io.toolwright`, so a gateway uses a different one.
pub const FAULT: &str = "io.toolwright.gateway/fault";
/// How often a gateway attempted a call, if more than once: an integer.
pub const ATTEMPT: &str = "io.toolwright.gateway/attempt";
/// The idempotency key of a call at a gateway: a string of 1 to 255 bytes, chosen by the client. Within a run, calls of a tool
/// with the same key are one call.
pub const IDEMPOTENCY_KEY: &str = "io.toolwright.gateway/idempotencyKey";

/// The prefix of the keys that a gateway writes into results.
pub const GATEWAY_PREFIX: &str = "io.toolwright.gateway/";

/// Returns whether a gateway writes this key into results; such keys from upstream servers are dropped.
pub fn is_of_gateway(key: &str) -> bool {
    key.starts_with(GATEWAY_PREFIX)
}

/// Returns whether a key is reserved for the protocol or Toolwright and must not be set by others (2026-07-28,
/// basic "_meta": prefixes whose second label is `modelcontextprotocol` or `mcp`).
pub fn is_reserved(key: &str) -> bool {
    let Some(end) = memchr::memchr(b'/', key.as_bytes()) else { return key == PROGRESS_TOKEN };
    let prefix = &key.as_bytes()[..end];
    let is_of_protocol =
        || matches!(prefix.split(|byte| *byte == b'.').nth(1), Some(b"modelcontextprotocol" | b"mcp"));
    prefix == b"io.toolwright" || is_of_protocol()
}

/// Returns the scopes that `_meta` of a tool, prompt, resource or resource template requires, all of them
/// ([`SCOPES`]).
///
/// An entry that is not a string counts as a scope that no caller has, so that a mistake never grants access.
pub fn scopes_in(meta: Option<&Map<String, Value>>) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match meta.and_then(|meta| meta.get(SCOPES)) {
        None => Vec::new(),
        Some(Value::Array(scopes)) => scopes.iter().map(text).collect(),
        Some(other) => vec![text(other)],
    }
}

/// Adds required scopes to `_meta`.
pub(crate) fn add_scopes<S: Into<String>>(
    meta: &mut Option<Map<String, Value>>,
    scopes: impl IntoIterator<Item = S>,
) {
    let mut all = scopes_in(meta.as_ref());
    all.extend(scopes.into_iter().map(Into::into));
    meta.get_or_insert_default().insert(SCOPES.to_owned(), all.into());
}
