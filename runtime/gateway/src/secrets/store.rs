//! The interface of stores for sealed credentials.

use std::collections::BTreeMap;

use toolwright_server::BoxFuture;

use super::envelope::{Envelope, Place, SecretError};
use super::master::MasterKeys;
use crate::store::{RunId, StoreError};

/// Maximum number of credentials of a node.
pub const MAX_CREDENTIALS: usize = 32;
/// Maximum size of the sealed credentials of a run: 8 MiB.
pub const MAX_RUN_SEALED_BYTES: usize = 8 << 20;

/// The sealed credentials of a node, by the names of their fields.
pub type Sealed = BTreeMap<String, Envelope>;

/// Stores the sealed credentials of the nodes of runs, which are removed with their node or run. A store handles
/// envelopes, never plain text.
///
/// All implementations pass the same tests.
///
/// ```
/// use toolwright_gateway::registry::{MemoryStore, RUN_TTL, RegistryStore, RunId};
/// use toolwright_gateway::secrets::{MasterKeys, Place, Sealed, SecretStore};
///
/// # #[tokio::main(flavor = "current_thread")]
/// # async fn main() -> Result<(), Box<dyn std::error::Error>> {
/// let (store, keys) = (MemoryStore::new(), MasterKeys::generate()?);
/// let run = RunId::new(Some("acme"), "run-1");
/// store.open(&run, RUN_TTL).await?;
/// let place = Place { org: Some("acme"), run: "run-1", node: "abuseipdb", field: "apiKey" };
/// let sealed = Sealed::from([("apiKey".to_owned(), keys.seal(&place, b"s3cret")?)]);
/// store.put_sealed(&run, "abuseipdb", &sealed).await?;
/// let kept = store.sealed(&run, "abuseipdb").await?;
/// assert_eq!(keys.open(&place, &kept["apiKey"])?.expose(), b"s3cret");
/// # Ok(())
/// # }
/// ```
pub trait SecretStore: Send + Sync + 'static {
    /// Stores the credentials of a node, replacing previous ones; an empty map removes them.
    ///
    /// # Errors
    /// [`StoreError::Full`] if the run has more than [`MAX_RUN_SEALED_BYTES`], [`StoreError::NoRun`],
    /// [`StoreError::OtherOrganization`], [`StoreError::Unavailable`].
    fn put_sealed<'a>(
        &'a self,
        run: &'a RunId,
        node: &'a str,
        sealed: &'a Sealed,
    ) -> BoxFuture<'a, Result<(), StoreError>>;

    /// Returns the credentials of a node; empty if it has none.
    fn sealed<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<Sealed, StoreError>>;

    /// Replaces the credentials if they have not changed since they were read. Returns whether they were
    /// replaced.
    fn replace_sealed<'a>(
        &'a self,
        run: &'a RunId,
        node: &'a str,
        was: &'a Sealed,
        now: &'a Sealed,
    ) -> BoxFuture<'a, Result<bool, StoreError>>;

    /// Returns the nodes of a run that have credentials, sorted by name.
    fn sealed_nodes<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Vec<String>, StoreError>>;

    /// Returns the runs that have credentials, sorted by name.
    fn runs_with_sealed(&self) -> BoxFuture<'_, Result<Vec<RunId>, StoreError>>;
}

/// Returns the size of the credentials of a node.
pub(crate) fn sealed_bytes(sealed: &Sealed) -> usize {
    sealed.iter().map(|(field, envelope)| field.len() + envelope.to_text().len()).sum()
}

/// The result of [`MasterKeys::rekey_store`].
#[derive(Debug, Clone, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Rekeyed {
    /// The number of credentials that were sealed again with the first key.
    pub rekeyed: usize,
    /// The number of credentials that already used it.
    pub unchanged: usize,
    /// The credentials that cannot be opened and stay unchanged, with the errors.
    pub failed: Vec<(RunId, String, SecretError)>,
}

impl MasterKeys {
    /// Seals all credentials of a store again with the first key. Those that cannot be opened stay unchanged and
    /// are reported; runs that end meanwhile are skipped. Can be repeated at any time.
    ///
    /// # Errors
    /// Returns the error of the store.
    pub async fn rekey_store(&self, store: &dyn SecretStore) -> Result<Rekeyed, StoreError> {
        let mut all = Rekeyed::default();
        for run in store.runs_with_sealed().await? {
            let nodes = match store.sealed_nodes(&run).await {
                Ok(nodes) => nodes,
                Err(StoreError::NoRun(_)) => continue,
                Err(error) => return Err(error),
            };
            for node in nodes {
                self.rekey_node(store, &run, &node, &mut all).await?;
            }
        }
        Ok(all)
    }

    async fn rekey_node(
        &self,
        store: &dyn SecretStore,
        run: &RunId,
        node: &str,
        all: &mut Rekeyed,
    ) -> Result<(), StoreError> {
        // The credentials changed meanwhile and are read again.
        loop {
            let was = match store.sealed(run, node).await {
                Ok(was) => was,
                Err(StoreError::NoRun(_)) => return Ok(()),
                Err(error) => return Err(error),
            };
            let (mut now, mut seen) = (was.clone(), Rekeyed::default());
            for (field, envelope) in &mut now {
                let place = Place { org: run.org.as_deref(), run: &run.run, node, field };
                match self.rekey(&place, envelope) {
                    Ok(Some(resealed)) => {
                        *envelope = resealed;
                        seen.rekeyed += 1;
                    }
                    Ok(None) => seen.unchanged += 1,
                    Err(error) => seen.failed.push((run.clone(), format!("{node}/{field}"), error)),
                }
            }
            let is_done = seen.rekeyed == 0
                || match store.replace_sealed(run, node, &was, &now).await {
                    Err(StoreError::NoRun(_)) => return Ok(()),
                    replaced => replaced?,
                };
            if is_done {
                all.rekeyed += seen.rekeyed;
                all.unchanged += seen.unchanged;
                all.failed.extend(seen.failed);
                return Ok(());
            }
        }
    }
}
