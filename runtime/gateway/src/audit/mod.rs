//! Who called what, and the outcome: one record for each request that reaches a server or a worker.
//!
//! `record` defines the record of a request, `route` tells it where a call of a run went, and `file` writes records
//! to a rotated file. A record has a digest
//! of the arguments, but no arguments, results or tokens.

mod file;
mod record;
mod route;

pub use file::{AuditFile, MAX_QUEUED_RECORDS};
pub use record::{AuditRecord, MAX_TEXT_BYTES, Outcome};
pub(crate) use route::Route;

/// Receives the records of requests.
///
/// ```
/// use std::sync::Mutex;
///
/// use toolwright_gateway::audit::{AuditRecord, AuditSink};
///
/// /// Keeps the last record, as JSON.
/// #[derive(Default)]
/// struct Last(Mutex<Option<String>>);
///
/// impl AuditSink for Last {
///     fn record(&self, record: &AuditRecord) {
///         if let Ok(mut last) = self.0.lock() {
///             *last = serde_json::to_string(record).ok();
///         }
///     }
/// }
/// # let _ = Last::default();
/// ```
pub trait AuditSink: Send + Sync + 'static {
    /// Handles a record. It is called when a request ends, on the thread that answers it, so it must not block.
    fn record(&self, record: &AuditRecord);
}
