//! The credentials of the node whose tool a worker is called for.

use std::fmt;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use toolwright_server::Context;
use zeroize::Zeroizing;

use crate::calls::{Call, Finish};
use crate::registry::{RunId, StoreError};
use crate::secrets::{MasterKeys, Place, SecretError, SecretStore, SecretValue};

/// The shortest credential that is taken out of results: 8 bytes. A shorter one could be part of anything.
const MIN_REDACTED: usize = 8;

/// Where a worker finds credentials, and the keys that open them.
#[derive(Clone)]
pub(super) struct Vault {
    pub(super) store: Arc<dyn SecretStore>,
    pub(super) keys: MasterKeys,
}

/// The credentials of the node whose tool is called: for a handler that runs in a [`Worker`](crate::Worker) with
/// [credentials](crate::Worker::credentials).
///
/// They are those of the call's organization, run and node and of no other, they can be opened as long as the call runs, and they
/// are taken out of its result, should a handler put one in. A call that comes over a connection has none.
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
    /// What was opened, to be taken out of the result.
    opened: Mutex<Vec<Zeroizing<String>>>,
}

/// Why a credential cannot be used. The texts hold nothing secret.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum CredentialError {
    /// The node has no credential of this name.
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
        /// Why.
        source: SecretError,
    },
    /// The store does not answer, or the run has ended.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The call has ended, and with it the right to open the credentials.
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

    /// The credentials of the call that a context is of; none unless it runs in a worker that has credentials.
    pub fn of(cx: &Context) -> Option<&Self> {
        cx.extension::<Self>()
    }

    /// Opens a credential by the name of its field. Keep the value no longer than needed: it is overwritten when it is dropped.
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

    /// The call has ended: nothing can be opened any more, and what was is taken out of the result.
    pub(super) fn end(&self, finish: Finish) -> Finish {
        self.is_over.store(true, Ordering::Release);
        let opened = std::mem::take(&mut *self.opened.lock().unwrap_or_else(PoisonError::into_inner));
        opened.iter().fold(finish, |finish, secret| redact(finish, secret))
    }
}

/// The end of a call without a secret.
fn redact(finish: Finish, secret: &str) -> Finish {
    // As it stands in a string of JSON, without the quotes around it.
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
