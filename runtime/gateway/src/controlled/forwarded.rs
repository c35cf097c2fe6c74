//! Changes of the `_meta` that is forwarded.

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Map, Value};

use super::Controls;

/// Changes the members of `_meta`.
pub(super) type EditMeta = dyn Fn(&mut Map<String, Value>) + Send + Sync;

impl Controls {
    /// Sets a function that may change the `_meta` of each tool call, prompt request and resource read before it is forwarded
    /// to a server or a worker, such as its trace context (`traceparent`, `tracestate`). It runs within the span of the request,
    /// and gets the members as the client sent them; those that the protocol defines are not forwarded. Only the first function
    /// that is set is used.
    ///
    /// ```
    /// let controls = toolwright_gateway::Controls::new();
    /// controls.set_forwarded_meta(|members| {
    ///     members.shift_remove("traceparent");
    /// });
    /// ```
    pub fn set_forwarded_meta(&self, edit: impl Fn(&mut Map<String, Value>) + Send + Sync + 'static) {
        // A second one would have to wait for requests that use the first.
        _ = self.0.edit_meta.set(Box::new(edit));
    }

    /// Returns the `_meta` to forward, if it differs.
    pub(super) fn forwarded_meta(&self, meta: Option<&RawValue>) -> Option<Box<RawValue>> {
        let edit = self.0.edit_meta.get()?;
        let mut members: Map<String, Value> =
            meta.and_then(|meta| serde_json::from_str(meta.get()).ok()).unwrap_or_default();
        edit(&mut members);
        to_raw_value(&members).ok()
    }
}
