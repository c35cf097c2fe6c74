//! Keys of the services that use the internal API.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use serde::{Deserialize, Serialize};
use toolwright_server::auth::{ApiKeys, TokenVerifier as _};

use crate::hex::hex;
use crate::random;

/// The prefix of all keys, which secret scanners can detect.
pub const SERVICE_KEY_PREFIX: &str = "twsk_";

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
#[derive(Debug, Clone, Default)]
pub struct ServiceKeys {
    verifier: ApiKeys,
    services: HashMap<String, ServiceKey>,
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
        let mut keys = Self::default();
        for service in services {
            let scopes: [&str; 0] = [];
            let verifier = keys.verifier.digest(&service.name, &service.digest, scopes);
            keys.verifier = verifier.map_err(|error| error.to_string())?;
            keys.services.insert(service.name.clone(), service);
        }
        Ok(keys)
    }

    /// Reads a file; returns an empty set if it does not exist.
    ///
    /// # Errors
    /// Returns what is wrong with the file.
    pub fn open(path: &Path) -> Result<Self, ServiceKeyError> {
        let wrong = |why: String| ServiceKeyError { path: path.to_owned(), why };
        Self::new(read(path)?.services).map_err(wrong)
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
        let wrong = |why: String| ServiceKeyError { path: path.to_owned(), why };
        let random = random::bytes::<32>().ok_or_else(|| wrong("there are no random numbers".to_owned()))?;
        let key = format!("{SERVICE_KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(random));
        let hexadecimal = hex(digest(&SHA256, key.as_bytes()).as_ref());
        let mut written = read(path)?;
        written.services.push(ServiceKey { name: name.to_owned(), digest: hexadecimal, orgs, rights });
        Self::new(written.services.clone()).map_err(wrong)?;
        let text = serde_json::to_string_pretty(&written).map_err(|error| wrong(error.to_string()))?;
        std::fs::write(path, text).map_err(|error| wrong(error.to_string()))?;
        Ok(key)
    }

    /// Returns whether there are no services.
    pub fn is_empty(&self) -> bool {
        self.services.is_empty()
    }

    /// Returns the service with this key, in time that does not depend on the key.
    pub(super) async fn find(&self, key: &str) -> Option<&ServiceKey> {
        let principal = self.verifier.verify(key).await.ok()?;
        self.services.get(principal.subject())
    }
}

fn read(path: &Path) -> Result<Written, ServiceKeyError> {
    let wrong = |why: String| ServiceKeyError { path: path.to_owned(), why };
    match std::fs::read_to_string(path) {
        Ok(text) => serde_json::from_str(&text).map_err(|error| wrong(error.to_string())),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Written::default()),
        Err(error) => Err(wrong(error.to_string())),
    }
}
