//! Who called what, and the outcome: one record for each request that reaches a server or a worker.
//!
//! `record` is what is written of a request, and `file` writes it to a file that is rotated. A record has the digest of the arguments
//! and never the arguments, nothing of results, and no token.

mod file;
mod record;

pub use file::{AuditFile, MAX_QUEUED_RECORDS};
pub use record::{AuditRecord, MAX_TEXT_BYTES, Outcome};

/// Takes the records of requests.
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
    /// Takes a record. It is called when a request has ended, on the thread that answers it, so it must not block.
    fn record(&self, record: &AuditRecord);
}
