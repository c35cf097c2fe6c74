//! Where a call went, from the provider that knows it to its audit record.

use std::sync::{Arc, Mutex, PoisonError};

use toolwright_server::Context;

/// The node of a call, and its id on the call bus. Attached to the context of a call of a run, whose tools are looked up only
/// when it is made.
#[derive(Debug, Clone, Default)]
pub(crate) struct Route(Arc<Mutex<Parts>>);

#[derive(Debug, Clone, Default)]
struct Parts {
    node: Option<String>,
    call: Option<String>,
}

impl Route {
    /// Attaches a route to a call, unless it has one, and returns it. Returns `None` if another value is attached.
    pub(crate) fn attach(cx: &Context) -> Option<Self> {
        if cx.extension::<Self>().is_none() {
            drop(cx.clone().with_extension(Arc::new(Self::default())));
        }
        cx.extension().cloned()
    }

    /// Notes the node that owns the tool, if the call has a route.
    pub(crate) fn note_node(cx: &Context, node: &str) {
        Self::change(cx, |parts| parts.node = Some(node.to_owned()));
    }

    /// Notes the id on the call bus, if the call has a route.
    pub(crate) fn note_call(cx: &Context, call: &str) {
        Self::change(cx, |parts| parts.call = Some(call.to_owned()));
    }

    fn change(cx: &Context, change: impl FnOnce(&mut Parts)) {
        if let Some(Self(parts)) = cx.extension() {
            change(&mut parts.lock().unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Returns the node and the id, as far as they were noted.
    pub(crate) fn take(&self) -> (Option<String>, Option<String>) {
        let Parts { node, call } =
            std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner));
        (node, call)
    }
}
