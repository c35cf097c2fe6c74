//! The credentials of nodes: sealed when a node is registered, opened for the servers that the gateway connects
//! to.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use toolwright_client::config::Secret;

use super::entry::{Backend, Entry};
use super::live::{Registry, Shared};
use super::store::Snapshot;
use crate::secrets::{MAX_CREDENTIALS, MasterKeys, Place, Sealed, SecretError, SecretStore};
use crate::store::{RunId, StoreError};

/// The store of sealed credentials, and the keys.
#[derive(Clone)]
pub(super) struct Vault {
    pub(super) store: Arc<dyn SecretStore>,
    pub(super) keys: MasterKeys,
}

/// The decrypted headers of remote nodes, or the errors.
pub(super) type OpenedHeaders = HashMap<String, Result<Vec<(String, Secret)>, String>>;

/// Errors of registering a node with credentials.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RegisterError {
    /// The credentials cannot be sealed.
    #[error(transparent)]
    Secret(#[from] SecretError),
    /// A name or value is invalid for the node.
    #[error("the credential `{name}` of the node `{node}` cannot be used: {why}")]
    Invalid {
        /// The node.
        node: String,
        /// The name.
        name: String,
        /// The reason, without the value.
        why: &'static str,
    },
    /// The store rejects the node.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Registry {
    /// Registers a node with its credentials, by field name: headers of a remote node, or inputs of a component,
    /// which become bound. Each is sealed for this organization, run, node and field, and is never part of the
    /// entry.
    ///
    /// With `None`, a node keeps its credentials; so does a credential whose value is masked, such as `****`, so
    /// that an entry can be read, changed and sent back. An empty map removes all of them. Returns the new
    /// revision.
    ///
    /// # Errors
    /// [`RegisterError`]; [`SecretError::NoKey`] if the registry has no
    /// [credentials](super::RegistryBuilder::credentials).
    pub async fn register(
        &self,
        run: &RunId,
        mut entry: Entry,
        credentials: Option<BTreeMap<String, Secret>>,
    ) -> Result<u64, RegisterError> {
        entry.sealed.clear();
        let vault = self.0.vault.as_ref();
        if vault.is_none() && credentials.as_ref().is_some_and(|credentials| !credentials.is_empty()) {
            return Err(SecretError::NoKey.into());
        }
        if let Some(vault) = vault {
            // Nothing is stored for a node that cannot be registered.
            entry.check().map_err(|error| StoreError::Invalid(error.to_string()))?;
            let former = vault.store.sealed(run, &entry.node).await?;
            let sealed = match credentials {
                Some(credentials) => vault.seal(run, &entry, credentials, &former)?,
                None => former.clone(),
            };
            entry.sealed = sealed.keys().cloned().collect();
            if matches!(entry.backend, Backend::Component { .. }) {
                entry.bound.extend(entry.sealed.iter().cloned());
            }
            if sealed != former {
                entry.check().map_err(|error| StoreError::Invalid(error.to_string()))?;
                vault.store.put_sealed(run, &entry.node, &sealed).await?;
            }
        }
        Ok(self.0.store.register(run, entry).await?)
    }
}

impl Vault {
    fn seal(
        &self,
        run: &RunId,
        entry: &Entry,
        credentials: BTreeMap<String, Secret>,
        former: &Sealed,
    ) -> Result<Sealed, RegisterError> {
        let node = entry.node.as_str();
        let invalid =
            |name: &str, why| RegisterError::Invalid { node: node.to_owned(), name: name.to_owned(), why };
        let mut sealed = Sealed::new();
        for (name, value) in credentials {
            if sealed.len() >= MAX_CREDENTIALS {
                return Err(invalid(&name, "a node has 32 credentials at most"));
            }
            check_name(&entry.backend, &name, value.expose()).map_err(|why| invalid(&name, why))?;
            let envelope = match former.get(&name) {
                Some(envelope) if is_masked(value.expose()) => envelope.clone(),
                None if is_masked(value.expose()) => {
                    return Err(invalid(&name, "it is masked, and there is none yet: send the real one"));
                }
                _ if value.is_placeholder() => {
                    return Err(invalid(&name, "it is empty or a placeholder: send the real one"));
                }
                _ => {
                    let place = Place { org: run.org.as_deref(), run: &run.run, node, field: &name };
                    self.keys.seal(&place, value.expose().as_bytes())?
                }
            };
            sealed.insert(name, envelope);
        }
        Ok(sealed)
    }

    /// Returns the decrypted headers of a node.
    async fn open_headers(
        &self,
        run: &RunId,
        entry: &Entry,
    ) -> Result<Result<Vec<(String, Secret)>, String>, StoreError> {
        let sealed = self.store.sealed(run, &entry.node).await?;
        let open = |name: &String| {
            let Some(envelope) = sealed.get(name) else {
                return Err(format!("its credential `{name}` is missing: register the node again with it"));
            };
            let place = Place { org: run.org.as_deref(), run: &run.run, node: &entry.node, field: name };
            let opened = self.keys.open(&place, envelope).map_err(|error| format!("`{name}`: {error}"))?;
            let text = opened.expose_str().ok_or_else(|| format!("its credential `{name}` is not text"))?;
            Ok((name.clone(), Secret::new(text)))
        };
        Ok(entry.sealed.iter().map(open).collect())
    }
}

impl Shared {
    /// Returns the decrypted headers of the remote nodes of a run.
    pub(super) async fn open_headers(
        &self,
        run: &str,
        snapshot: &Snapshot,
    ) -> Result<OpenedHeaders, StoreError> {
        let mut opened = OpenedHeaders::new();
        let id = RunId::new(snapshot.state.org.as_deref(), run);
        for entry in &snapshot.entries {
            if entry.sealed.is_empty() || !matches!(entry.backend, Backend::Remote { .. }) {
                continue;
            }
            let headers = match &self.vault {
                Some(vault) => vault.open_headers(&id, entry).await?,
                None => Err("this gateway has no master key, which its credentials need".to_owned()),
            };
            opened.insert(entry.node.clone(), headers);
        }
        Ok(opened)
    }
}

/// Returns whether a value is a mask that interfaces show instead of a secret.
fn is_masked(value: &str) -> bool {
    let value = value.trim();
    let is_dots =
        |text: &str| text.chars().count() >= 3 && text.chars().all(|char| matches!(char, '*' | '•' | '●'));
    value == "[secret]" || is_dots(value.strip_prefix("Bearer ").unwrap_or(value))
}

fn check_name(backend: &Backend, name: &str, value: &str) -> Result<(), &'static str> {
    match backend {
        Backend::Remote { headers, .. } => {
            if http::HeaderName::from_bytes(name.as_bytes()).is_err() {
                return Err("it is not the name of a header");
            }
            if headers.keys().any(|header| header.eq_ignore_ascii_case(name)) {
                return Err("the node has a header of this name already: leave one of them out");
            }
            if http::HeaderValue::from_str(value).is_err() {
                return Err("it cannot be sent in a header");
            }
            Ok(())
        }
        Backend::Component { .. } => {
            super::entry::check_id("the name", name).map_err(|_| "a name has 1 to 200 bytes and no spaces")
        }
        Backend::Local { .. } => {
            Err("a node that the gateway starts has its credentials in the gateway's configuration")
        }
    }
}
