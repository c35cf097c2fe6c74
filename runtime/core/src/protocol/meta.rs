//! Keys of `_meta` (2026-07-28, basic "_meta"): those of the protocol, and those that Toolwright writes and reads.

use serde_json::{Map, Value};

/// The revision of a request: a string.
pub const PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// The capabilities of the client that makes a request: an object.
pub const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// Who makes a request: an object.
pub const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// From which level on a request wants log messages: a string.
pub const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// Who gives a result: an object.
pub const SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// Which subscription a notification belongs to: the id of its request.
pub const SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// Which task a message belongs to; 2025-11-25 only.
pub const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";
/// What notifications of progress are to name: a string or an integer.
pub const PROGRESS_TOKEN: &str = "progressToken";

/// The scopes a caller needs: an array of strings.
pub const SCOPES: &str = "io.toolwright/scopes";
/// Former names: an array of strings.
pub const WAS: &str = "io.toolwright/was";
/// Categories for people: an array of strings.
pub const TAGS: &str = "io.toolwright/tags";
/// The application context a command belongs to: a string.
pub const CONTEXT: &str = "io.toolwright/context";
/// Whether calls become tasks: `optional` or `required`.
pub const TASK: &str = "io.toolwright/task";
/// The application context that a request is made in: a string.
pub const CONTEXT_PATH: &str = "io.toolwright/contextPath";
/// The node of a workflow run that a tool was registered by: a string.
pub const NODE: &str = "io.toolwright/node";
/// The server of a gateway's configuration that a tool or a prompt is of: a string.
pub const SERVER: &str = "io.toolwright/server";
/// How many resources a subscription watches, where its acknowledgment does not repeat them: an integer.
pub const WATCHED_RESOURCES: &str = "io.toolwright/watchedResources";

/// What happened to a call at a gateway: an object with `kind`, `retryable` and `call_id`. What providers write under the prefix
/// `io.toolwright` is dropped by the server that they are part of, so a gateway has another one.
pub const FAULT: &str = "io.toolwright.gateway/fault";
/// How often a gateway had a call made, if more than once: an integer.
pub const ATTEMPT: &str = "io.toolwright.gateway/attempt";

/// Whether a key is one that a gateway writes into results: what servers behind it write there is dropped.
pub fn is_of_gateway(key: &str) -> bool {
    key.starts_with("io.toolwright.gateway/")
}

/// Whether a key is the protocol's own or Toolwright's: what others write under it is not theirs to say (2026-07-28, basic
/// "_meta": prefixes whose second label is `modelcontextprotocol` or `mcp`).
pub fn is_reserved(key: &str) -> bool {
    let Some((prefix, _)) = key.split_once('/') else { return key == PROGRESS_TOKEN };
    prefix == "io.toolwright" || matches!(prefix.split('.').nth(1), Some("modelcontextprotocol" | "mcp"))
}

/// The scopes that the `_meta` of a tool, a prompt, a resource or a resource template says that a caller needs, all of them
/// ([`SCOPES`]).
///
/// An entry that is not a string counts as a scope that no caller has: a mistake must not open anything.
pub fn scopes_in(meta: Option<&Map<String, Value>>) -> Vec<String> {
    let text = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    match meta.and_then(|meta| meta.get(SCOPES)) {
        None => Vec::new(),
        Some(Value::Array(scopes)) => scopes.iter().map(text).collect(),
        Some(other) => vec![text(other)],
    }
}

/// Adds scopes to those that `_meta` says that a caller needs.
pub(crate) fn add_scopes<S: Into<String>>(
    meta: &mut Option<Map<String, Value>>,
    scopes: impl IntoIterator<Item = S>,
) {
    let mut all = scopes_in(meta.as_ref());
    all.extend(scopes.into_iter().map(Into::into));
    meta.get_or_insert_default().insert(SCOPES.to_owned(), all.into());
}
