//! Keys of the services that use the internal API.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use toolwright_server::auth::{ApiKeys, TokenVerifier as _};

use crate::hex::hex;
use crate::random;

/// The prefix of all keys, which secret scanners can detect.
pub const SERVICE_KEY_PREFIX: &str = "twsk_";

/// The minimum interval between checks of the file for changes.
const LOOK: Duration = Duration::from_secs(1);

/// The permissions of a service.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Right {
    /// Open, renew and end runs; register and remove nodes.
    Register,
    /// Get session tokens for agents.
    Sessions,
    /// Get session tokens for all nodes of a run; for operators.
    AllNodes,
    /// Revoke tokens.
    Revoke,
    /// Read runs and calls, and the status and metrics of the gateway.
    Read,
}

/// The organizations whose runs a service may access.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Orgs {
    /// This one; `None` is distinct from all named ones.
    Only(Option<String>),
    /// All: each request names one.
    All,
}

/// A service, without its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceKey {
    /// Its name.
    pub name: String,
    /// The SHA-256 digest of its key, in hexadecimal.
    pub digest: String,
    /// Its organizations.
    pub orgs: Orgs,
    /// Its permissions.
    pub rights: BTreeSet<Right>,
}

/// The services that may use the internal API.
///
/// Services from a file follow it: one that is added may use a running gateway immediately, and one that is
/// removed no longer may after a second. If the file becomes invalid, the known services stay in use.
#[derive(Clone)]
pub struct ServiceKeys(Arc<Shared>);

struct Shared {
    file: Option<PathBuf>,
    state: Mutex<State>,
}

struct State {
    services: Arc<Services>,
    stamp: Option<Stamp>,
    looked: Instant,
}

/// When a file was written, and its length; `None` if it does not exist.
type Stamp = Option<(SystemTime, u64)>;

#[derive(Default)]
struct Services {
    verifier: ApiKeys,
    by_name: HashMap<String, Arc<ServiceKey>>,
}

/// Errors of a file of service keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the service keys in {path} cannot be used: {why}")]
pub struct ServiceKeyError {
    path: PathBuf,
    why: String,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    services: Vec<ServiceKey>,
}

impl ServiceKeys {
    /// Creates a set of services.
    ///
    /// # Errors
    /// Returns the name of a service whose digest is invalid or whose name is a duplicate, and the reason.
    pub fn new(services: impl IntoIterator<Item = ServiceKey>) -> Result<Self, String> {
        Ok(Self::of(Services::new(services)?, None, None))
    }

    /// Reads a file; returns an empty set if it does not exist yet.
    ///
    /// # Errors
    /// Returns what is wrong with the file.
    pub fn open(path: &Path) -> Result<Self, ServiceKeyError> {
        let failed = |error: io::Error| wrong(path, error.to_string());
        // Before reading, so that a later change is not missed.
        let stamp = stamp(path).map_err(failed)?;
        let services = Services::new(read(path)?.services).map_err(|why| wrong(path, why))?;
        Ok(Self::of(services, Some(path.to_owned()), Some(stamp)))
    }

    fn of(services: Services, file: Option<PathBuf>, stamp: Option<Stamp>) -> Self {
        let state = State { services: Arc::new(services), stamp, looked: Instant::now() };
        Self(Arc::new(Shared { file, state: Mutex::new(state) }))
    }

    /// Creates a key for a service, adds the service to the file, and returns the key, which is not stored.
    ///
    /// # Errors
    /// Returns what is wrong with the file or the name.
    pub fn add(
        path: &Path,
        name: &str,
        orgs: Orgs,
        rights: BTreeSet<Right>,
    ) -> Result<String, ServiceKeyError> {
        let wrong = |why: String| wrong(path, why);
        let random = random::bytes::<32>().ok_or_else(|| wrong("there are no random numbers".to_owned()))?;
        let key = format!("{SERVICE_KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        let hexadecimal = hex(digest(&SHA256, key.as_bytes()).as_ref());
        let mut written = read(path)?;
        written.services.push(ServiceKey { name: name.to_owned(), digest: hexadecimal, orgs, rights });
        Services::new(written.services.clone()).map_err(wrong)?;
        let text = serde_json::to_string_pretty(&written).map_err(|error| wrong(error.to_string()))?;
        fs::write(path, text).map_err(|error| wrong(error.to_string()))?;
        Ok(key)
    }

    /// Returns whether there are no services.
    pub fn is_empty(&self) -> bool {
        self.services(false).by_name.is_empty()
    }

    /// Returns the service with this key, in time that does not depend on the key.
    pub(super) async fn find(&self, key: &str) -> Option<Arc<ServiceKey>> {
        let known = self.services(false);
        if let Some(service) = known.find(key).await {
            return Some(service);
        }
        // The service may be new.
        let services = self.services(true);
        if Arc::ptr_eq(&known, &services) { None } else { services.find(key).await }
    }

    /// Returns the services, reloaded if the file has changed.
    fn services(&self, at_once: bool) -> Arc<Services> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &self.0.file
            && (at_once || state.looked.elapsed() >= LOOK)
        {
            state.looked = Instant::now();
            if let Ok(stamp) = stamp(path)
                && state.stamp != Some(stamp)
                && let Ok(written) = read(path)
                && let Ok(services) = Services::new(written.services)
            {
                (state.services, state.stamp) = (Arc::new(services), Some(stamp));
            }
        }
        Arc::clone(&state.services)
    }
}

impl Services {
    fn new(services: impl IntoIterator<Item = ServiceKey>) -> Result<Self, String> {
        let mut keys = Self::default();
        for service in services {
            let scopes: [&str; 0] = [];
            let verifier = keys.verifier.digest(&service.name, &service.digest, scopes);
            keys.verifier = verifier.map_err(|error| error.to_string())?;
            keys.by_name.insert(service.name.clone(), Arc::new(service));
        }
        Ok(keys)
    }

    async fn find(&self, key: &str) -> Option<Arc<ServiceKey>> {
        let principal = self.verifier.verify(key).await.ok()?;
        self.by_name.get(principal.subject()).cloned()
    }
}

impl Default for ServiceKeys {
    fn default() -> Self {
        Self::of(Services::default(), None, None)
    }
}

impl fmt::Debug for ServiceKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let services = self.services(false);
        f.debug_tuple("ServiceKeys").field(&services.by_name.keys().collect::<BTreeSet<_>>()).finish()
    }
}

fn wrong(path: &Path, why: String) -> ServiceKeyError {
    ServiceKeyError { path: path.to_owned(), why }
}

fn stamp(path: &Path) -> io::Result<Stamp> {
    match fs::metadata(path) {
        Ok(metadata) => Ok(Some((metadata.modified()?, metadata.len()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

fn read(path: &Path) -> Result<Written, ServiceKeyError> {
    match fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| wrong(path, error.to_string())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Written::default()),
        Err(error) => Err(wrong(path, error.to_string())),
    }
}

#[cfg(test)]
mod tests {
    use super::{LOOK, Orgs, Right, ServiceKeys};

    #[tokio::test]
    async fn a_running_gateway_follows_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services.json");
        let keys = ServiceKeys::open(&file).unwrap();
        let add = |name| ServiceKeys::add(&file, name, Orgs::All, [Right::Read].into()).unwrap();
        let (engine, operator) = (add("engine"), add("operator"));
        assert_eq!(keys.find(&engine).await.unwrap().name, "engine");
        std::fs::write(&file, "rubbish").unwrap();
        std::thread::sleep(LOOK);
        assert!(keys.find(&operator).await.is_some(), "what is known stays");
        std::fs::remove_file(&file).unwrap();
        std::thread::sleep(LOOK);
        assert!(keys.find(&operator).await.is_none(), "a removed service is rejected");
    }
}
