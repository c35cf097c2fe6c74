//! Connections within one process: the messages of [`lines`](crate::lines), without a byte stream.

use std::fmt;
use std::sync::Arc;

use crate::outbox::Outbox;

/// A server in this process that clients can connect to. Cheap to clone.
///
/// Servers convert into one, and clients take one, so that neither crate depends on the other.
///
/// ```
/// use std::sync::Arc;
///
/// use toolwright_wire::memory::{MemoryChannel, MemoryServer};
/// use toolwright_wire::outbox::Outbox;
///
/// let echo = MemoryServer::new("echo", || {
///     MemoryChannel::new(Arc::new(Outbox::new(1024)), |message, answers| {
///         answers.extend_from_slice(message);
///         answers.push(b'\n');
///     })
/// });
/// let mut answers = Vec::new();
/// echo.open().receive(b"{}", &mut answers);
/// assert_eq!((echo.name(), &*answers), ("echo", &b"{}\n"[..]));
/// ```
#[derive(Clone)]
pub struct MemoryServer {
    name: Arc<str>,
    open: Arc<dyn Fn() -> MemoryChannel + Send + Sync>,
}

/// One connection to a [`MemoryServer`]. Dropping it ends the connection.
pub struct MemoryChannel {
    receive: Box<Receive>,
    outbox: Arc<Outbox>,
}

type Receive = dyn Fn(&[u8], &mut Vec<u8>) + Send + Sync;

impl MemoryServer {
    /// Creates a server that opens each connection with `open`. Errors of clients call it `name`.
    pub fn new(name: impl Into<Arc<str>>, open: impl Fn() -> MemoryChannel + Send + Sync + 'static) -> Self {
        Self { name: name.into(), open: Arc::new(open) }
    }

    /// Returns the name of the server in errors.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Opens a connection.
    pub fn open(&self) -> MemoryChannel {
        (self.open)()
    }
}

impl MemoryChannel {
    /// Creates a connection. `receive` handles one message at a time and appends immediate responses to a
    /// buffer: whole messages, each followed by a line feed. All other messages of the server go through
    /// `outbox`. When the connection is dropped, `receive` is dropped and the outbox is closed.
    pub fn new(outbox: Arc<Outbox>, receive: impl Fn(&[u8], &mut Vec<u8>) + Send + Sync + 'static) -> Self {
        Self { receive: Box::new(receive), outbox }
    }

    /// Passes a message or a batch to the server, and appends its immediate responses to `answers`.
    pub fn receive(&self, message: &[u8], answers: &mut Vec<u8>) {
        (self.receive)(message, answers);
    }

    /// Returns the queue of other messages of the server: later responses, requests and notifications.
    pub fn outbox(&self) -> &Arc<Outbox> {
        &self.outbox
    }
}

impl Drop for MemoryChannel {
    fn drop(&mut self) {
        // The end of the connection cannot be reported to anyone.
        self.outbox.close();
    }
}

impl fmt::Debug for MemoryServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("MemoryServer").field("name", &self.name).finish_non_exhaustive()
    }
}

impl fmt::Debug for MemoryChannel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("MemoryChannel")
    }
}
