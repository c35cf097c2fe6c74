//! The handle through which a provider reports changes.

use std::fmt;
use std::sync::Arc;

/// Informs a server of its provider's changes; see [`Provider::attach`](super::Provider::attach).
///
/// Each method reads the changed list again, and notifies the subscribed clients that can see the change. The methods
/// can be called from any thread, and concurrently: the list of the call that began last wins. They do nothing once the
/// server is gone.
#[derive(Clone)]
pub struct Changes(Arc<dyn Fn(Change<'_>) + Send + Sync>);

/// What has changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Change<'a> {
    Tools,
    Prompts,
    Resources,
    Resource(&'a str),
    Capabilities,
}

impl Changes {
    pub(crate) fn new(tell: impl Fn(Change<'_>) + Send + Sync + 'static) -> Self {
        Self(Arc::new(tell))
    }

    pub(crate) fn notify(&self, change: Change<'_>) {
        (self.0)(change);
    }

    /// Reports that the list of tools has changed. A tool whose name is taken is skipped and logged to standard error.
    pub fn tools(&self) {
        self.notify(Change::Tools);
    }

    /// Reports that the list of prompts has changed.
    pub fn prompts(&self) {
        self.notify(Change::Prompts);
    }

    /// Reports that the list of resources or resource templates has changed.
    pub fn resources(&self) {
        self.notify(Change::Resources);
    }

    /// Reports that the return value of [`Provider::capabilities`](super::Provider::capabilities) has changed. The
    /// server declares the new capabilities to clients that connect or send `server/discover`; connected clients are
    /// notified that the affected lists have changed. Must not be called from within `capabilities`.
    pub fn capabilities(&self) {
        self.notify(Change::Capabilities);
    }

    /// Reports that the contents of the resource at `uri` have changed.
    pub fn resource_updated(&self, uri: &str) {
        self.notify(Change::Resource(uri));
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Changes")
    }
}
