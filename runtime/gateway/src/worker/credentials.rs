//! Credentials for the tool calls of a worker.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_server::Context;
use zeroize::Zeroizing;

use crate::calls::{Call, Finish};
use crate::registry::{RunId, StoreError};
use crate::secrets::{MasterKeys, Place, SecretError, SecretStore, SecretValue};

/// Minimum length of credentials that are redacted from results: 8 bytes. Shorter ones may occur by coincidence.
const MIN_REDACTED: usize = 8;

/// The credential store of a worker, and its keys.
#[derive(Clone)]
pub(super) struct Vault {
    pub(super) store: Arc<dyn SecretStore>,
    pub(super) keys: MasterKeys,
}

/// The credentials of the node whose tool is called, for handlers that run in a [`Worker`](crate::Worker) with
/// [credentials](crate::Worker::credentials).
///
/// They are limited to the organization, run and node of the call, can only be opened while the call runs, and
/// are redacted from its result. A call over a connection has none.
///
/// ```
/// use toolwright_core::result::ToolError;
/// use toolwright_gateway::worker::Credentials;
/// use toolwright_server::Context;
///
/// /// Asks a service that wants a key.
/// async fn ask(ip: String, cx: &Context) -> Result<String, ToolError> {
///     let credentials = Credentials::of(cx).ok_or_else(|| ToolError::new("this tool runs in workers only"))?;
///     let key = credentials.open("apiKey").await.map_err(|error| ToolError::new(error.to_string()))?;
///     let _header = key.expose_str().map(|key| format!("Bearer {key}"));
///     Ok(format!("{ip}: 0"))
/// }
/// # let _ = ask;
/// ```
pub struct Credentials {
    vault: Vault,
    run: RunId,
    node: String,
    is_over: AtomicBool,
    /// The opened values, which are redacted from the result.
    opened: Mutex<Vec<Zeroizing<String>>>,
}

/// Errors of opening credentials. Messages contain no secrets.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The node has no credential with this name.
    #[error("the node `{node}` has no credential `{field}`: register it with its `credentials`")]
    Missing {
        /// The node.
        node: String,
        /// The name.
        field: String,
    },
    /// It cannot be opened.
    #[error("the credential `{field}` of the node `{node}` cannot be used: {source}")]
    Sealed {
        /// The node.
        node: String,
        /// The name.
        field: String,
        /// The cause.
        source: SecretError,
    },
    /// The store does not answer, or the run has ended.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The call has ended, so its credentials can no longer be opened.
    #[error("the call has ended")]
    Ended,
}

impl Credentials {
    pub(super) fn new(vault: Vault, call: &Call) -> Option<Self> {
        Some(Self {
            vault,
            run: RunId { org: call.org.clone(), run: call.run.clone()? },
            node: call.node.clone(),
            is_over: AtomicBool::new(false),
            opened: Mutex::default(),
        })
    }

    /// Returns the credentials of the call of a context; `None` unless it runs in a worker with credentials.
    pub fn of(cx: &Context) -> Option<&Self> {
        cx.extension::<Self>()
    }

    /// Opens a credential by the name of its field. Drop the value as soon as possible: it is overwritten when
    /// it is dropped.
    ///
    /// # Errors
    /// [`CredentialError`].
    pub async fn open(&self, field: &str) -> Result<SecretValue, CredentialError> {
        if self.is_over.load(Ordering::Acquire) {
            return Err(CredentialError::Ended);
        }
        let named = || (self.node.clone(), field.to_owned());
        let sealed = self.vault.store.sealed(&self.run, &self.node).await?;
        let Some(envelope) = sealed.get(field) else {
            let (node, field) = named();
            return Err(CredentialError::Missing { node, field });
        };
        let place = Place { org: self.run.org.as_deref(), run: &self.run.run, node: &self.node, field };
        let opened = self.vault.keys.open(&place, envelope).map_err(|source| {
            let (node, field) = named();
            CredentialError::Sealed { node, field, source }
        })?;
        if let Some(text) = opened.expose_str().filter(|text| text.len() >= MIN_REDACTED) {
            let mut known = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            if !known.iter().any(|known| known.as_str() == text) {
                known.push(Zeroizing::new(text.to_owned()));
            }
        }
        Ok(opened)
    }

    /// Ends access to the credentials, and redacts the opened ones from the result.
    pub(super) fn end(&self, finish: Finish) -> Finish {
        self.is_over.store(true, Ordering::Release);
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        opened.iter().fold(finish, |finish, secret| redact(finish, secret))
    }
}

/// Redacts a secret from the result of a call.
fn redact(finish: Finish, secret: &str) -> Finish {
    // The secret in its JSON string form, without quotes.
    let Ok(quoted) = serde_json::to_string(secret).map(Zeroizing::new) else { return finish };
    let written = &quoted[1..quoted.len() - 1];
    match finish {
        Finish::Result(result) if result.get().contains(written) => {
            let text = result.get().replace(written, "[secret]");
            serde_json::value::RawValue::from_string(text).map_or(Finish::Result(result), Finish::Result)
        }
        Finish::Error(mut error) => {
            error.message = error.message.replace(secret, "[secret]");
            if let Some(data) = error.data.as_ref().filter(|data| data.get().contains(written)) {
                let text = data.get().replace(written, "[secret]");
                error.data = serde_json::value::RawValue::from_string(text).ok();
            }
            Finish::Error(error)
        }
        other => other,
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials")
            .field("run", &self.run)
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}
