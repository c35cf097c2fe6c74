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

/// What stands in front of every key, so that scanners for secrets know one.
pub const SERVICE_KEY_PREFIX: &str = "twsk_";

/// What a service may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Right {
    /// Open, renew and end runs; register and remove nodes.
    Register,
    /// Get session tokens for agents.
    Sessions,
    /// Get session tokens that reach every node of a run. An operator's.
    AllNodes,
    /// Revoke tokens.
    Revoke,
    /// Look at runs and calls, and at the state and the metrics of the gateway.
    Read,
}

/// Of which organizations a service may touch the runs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub enum Orgs {
    /// Of this one; none is one of its own.
    Only(Option<String>),
    /// Of all: each request says which.
    All,
}

/// A service, without its key.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ServiceKey {
    /// Its name.
    pub name: String,
    /// SHA-256 of its key, in hexadecimal.
    pub digest: String,
    /// Its organizations.
    pub orgs: Orgs,
    /// What it may do.
    pub rights: BTreeSet<Right>,
}

/// The services that may use the internal API.
#[derive(Debug, Clone, Default)]
pub struct ServiceKeys {
    verifier: ApiKeys,
    services: HashMap<String, ServiceKey>,
}

/// Why a file of service keys cannot be used.
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
    /// These services.
    ///
    /// # Errors
    /// The name of one whose digest is none, or that is there twice, and why.
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

    /// Those of a file; none if there is no file.
    ///
    /// # Errors
    /// What is wrong with the file.
    pub fn open(path: &Path) -> Result<Self, ServiceKeyError> {
        let wrong = |why: String| ServiceKeyError { path: path.to_owned(), why };
        Self::new(read(path)?.services).map_err(wrong)
    }

    /// Makes a key for a service, adds it to the file, and gives the key: it is kept nowhere.
    ///
    /// # Errors
    /// What is wrong with the file, or with the name.
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

    /// Whether there is no service.
    pub fn is_empty(&self) -> bool {
        self.services.is_empty()
    }

    /// The service that has this key. Takes the same time whichever it is.
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
