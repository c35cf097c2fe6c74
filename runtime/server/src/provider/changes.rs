//! How a provider says that something of it has changed.

use std::fmt;
use std::sync::Arc;

/// Says to a server that something of its provider has changed: see [`Provider::attach`](super::Provider::attach).
///
/// Each method lists again what has changed and notifies the clients that listen and see it. They may be called from any
/// thread, and from several at once: what was listed for the call that began last stays in force. When the server is gone,
/// they do nothing.
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

    /// The list of tools has changed. A tool with a name that is taken is left out, and standard error says so.
    pub fn tools(&self) {
        self.notify(Change::Tools);
    }

    /// The list of prompts has changed.
    pub fn prompts(&self) {
        self.notify(Change::Prompts);
    }

    /// The list of resources or that of resource templates has changed.
    pub fn resources(&self) {
        self.notify(Change::Resources);
    }

    /// What [`Provider::capabilities`](super::Provider::capabilities) returns has changed. From now on the server declares
    /// that to clients that connect, and to those that ask with `server/discover`; clients that are connected, and listen,
    /// get the list-changed notifications of what has come or gone. The method must not be called from within
    /// `capabilities`.
    pub fn capabilities(&self) {
        self.notify(Change::Capabilities);
    }

    /// The contents of the resource at `uri` have changed.
    pub fn resource_updated(&self, uri: &str) {
        self.notify(Change::Resource(uri));
    }
}

impl fmt::Debug for Changes {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Changes")
    }
}
