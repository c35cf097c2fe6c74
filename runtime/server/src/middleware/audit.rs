//! An audit log in JSON lines.

use std::fmt;
use std::io::Write;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use serde::Serialize;

use super::{Ending, Invocation, InvocationResult, Middleware, Next};
use crate::hex::hex;
use crate::log;
use crate::provider::Outcome;

/// Maximum length of a name, URI or subject in bytes; longer ones are truncated.
const MAX_NAME: usize = 512;

/// Writes a line of JSON for each completed tool call, prompt and resource read: the time, the request, the
/// caller, the outcome and the duration. Arguments and results are omitted, since they may contain secrets;
/// equal arguments have equal digests.
///
/// | member | value |
/// | --- | --- |
/// | `time` | when it ended: RFC 3339, UTC, with milliseconds |
/// | `method`, `name` | `tools/call` and the tool, `prompts/get` and the prompt, `resources/read` and the URI |
/// | `issuer`, `subject`, `client` | the caller according to its token; omitted if unknown |
/// | `request` | the JSON-RPC id of the request as JSON text |
/// | `arguments` | `sha256:` and the digest of the arguments as received; omitted without arguments |
/// | `ending` | as [`Ending::as_str`] |
/// | `code` | the code of a protocol error |
/// | `ms` | how long it took, in milliseconds |
///
/// Each line is written immediately, by the thread that completes the request: use a writer that does not block for
/// long. The first write error is reported on standard error; requests are not affected.
///
/// ```
/// use toolwright_server::Server;
/// use toolwright_server::middleware::AuditLog;
///
/// # let directory = std::env::temp_dir();
/// # let path = directory.join("toolwright-audit-example.jsonl");
/// let file = std::fs::OpenOptions::new().create(true).append(true).open(path)?;
/// let service = Server::new(()).middleware(AuditLog::new(file)).build()?;
/// # let _ = service;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct AuditLog(Arc<Sink>);

struct Sink {
    writer: Mutex<Box<dyn Write + Send>>,
    has_failed: AtomicBool,
}

impl AuditLog {
    /// Creates a log that writes to `writer`, and flushes it after each line.
    pub fn new(writer: impl Write + Send + 'static) -> Self {
        Self(Arc::new(Sink { writer: Mutex::new(Box::new(writer)), has_failed: AtomicBool::new(false) }))
    }
}

impl Middleware for AuditLog {
    async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
        let sink = Arc::clone(&self.0);
        next.observe(invocation, move |invocation, ending, elapsed| sink.write(invocation, ending, elapsed))
            .await
    }
}

#[derive(Serialize)]
struct Line<'a> {
    time: String,
    method: &'static str,
    name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    issuer: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    subject: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    client: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    request: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    arguments: Option<String>,
    ending: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    code: Option<i64>,
    ms: u64,
}

impl Sink {
    fn write(&self, invocation: &Invocation, ending: Ending, elapsed: Duration) {
        let cx = invocation.context();
        let principal = cx.principal();
        let line = Line {
            time: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            method: invocation.method(),
            name: shorten(invocation.name()),
            issuer: principal.and_then(|principal| principal.issuer()).map(shorten),
            subject: principal.map(|principal| shorten(principal.subject())),
            client: principal.and_then(|principal| principal.client_id()).map(shorten),
            request: cx.request_id().map(shorten),
            arguments: invocation.arguments().map(|arguments| {
                format!("sha256:{}", hex(hmac_sha256::Hash::hash(arguments.get().as_bytes())))
            }),
            ending: ending.as_str(),
            code: ending.status_code(),
            ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        };
        let Ok(mut text) = serde_json::to_string(&line) else { return };
        text.push('\n');
        let mut writer = self.writer.lock().unwrap_or_else(PoisonError::into_inner);
        if let Err(error) = writer.write_all(text.as_bytes()).and_then(|()| writer.flush())
            && !self.has_failed.swap(true, Ordering::Relaxed)
        {
            log::warn(format_args!("the audit log cannot be written, and lines are missing: {error}"));
        }
    }
}

fn shorten(text: &str) -> &str {
    &text[..text.floor_char_boundary(MAX_NAME)]
}

impl fmt::Debug for AuditLog {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AuditLog")
    }
}
