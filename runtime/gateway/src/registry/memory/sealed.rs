//! The sealed credentials of runs in memory.

use std::future::ready;

use toolwright_server::BoxFuture;

use super::{MemoryStore, Run};
use crate::secrets::{MAX_RUN_SEALED_BYTES, Sealed, SecretStore, sealed_bytes};
use crate::store::{RunId, StoreError};

impl MemoryStore {
    /// Accesses a run of its organization without incrementing its revision.
    fn with_run<T>(
        &self,
        id: &RunId,
        act: impl FnOnce(&mut Run) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        act(self.state().run_of(id)?)
    }
}

impl Run {
    fn put_sealed(&mut self, node: &str, sealed: &Sealed) -> Result<(), StoreError> {
        let others = self.sealed.iter().filter(|(other, _)| *other != node);
        let bytes: usize = others.map(|(_, sealed)| sealed_bytes(sealed)).sum();
        if !sealed.is_empty() && bytes + sealed_bytes(sealed) > MAX_RUN_SEALED_BYTES {
            return Err(StoreError::Full {
                what: "bytes of credentials in a run",
                limit: MAX_RUN_SEALED_BYTES,
            });
        }
        if sealed.is_empty() {
            self.sealed.remove(node);
        } else {
            self.sealed.insert(node.to_owned(), sealed.clone());
        }
        Ok(())
    }
}

impl SecretStore for MemoryStore {
    fn put_sealed<'a>(
        &'a self,
        run: &'a RunId,
        node: &'a str,
        sealed: &'a Sealed,
    ) -> BoxFuture<'a, Result<(), StoreError>> {
        Box::pin(ready(self.with_run(run, |run| run.put_sealed(node, sealed))))
    }

    fn sealed<'a>(&'a self, run: &'a RunId, node: &'a str) -> BoxFuture<'a, Result<Sealed, StoreError>> {
        Box::pin(ready(self.with_run(run, |run| Ok(run.sealed.get(node).cloned().unwrap_or_default()))))
    }

    fn replace_sealed<'a>(
        &'a self,
        run: &'a RunId,
        node: &'a str,
        was: &'a Sealed,
        now: &'a Sealed,
    ) -> BoxFuture<'a, Result<bool, StoreError>> {
        Box::pin(ready(self.with_run(run, |run| {
            if run.sealed.get(node) != Some(was) {
                return Ok(false);
            }
            run.put_sealed(node, now).map(|()| true)
        })))
    }

    fn sealed_nodes<'a>(&'a self, run: &'a RunId) -> BoxFuture<'a, Result<Vec<String>, StoreError>> {
        Box::pin(ready(self.with_run(run, |run| Ok(run.sealed.keys().cloned().collect()))))
    }

    fn runs_with_sealed(&self) -> BoxFuture<'_, Result<Vec<RunId>, StoreError>> {
        let state = self.state();
        let sealed = state.runs.iter().filter(|(_, run)| !run.sealed.is_empty());
        let mut runs: Vec<_> = sealed.map(|(name, run)| RunId::new(run.org.as_deref(), name)).collect();
        runs.sort_by(|one, other| one.run.cmp(&other.run));
        Box::pin(ready(Ok(runs)))
    }
}
