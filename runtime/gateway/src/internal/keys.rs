//! Keys of the services that use the internal API.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use serde::{Deserialize, Serialize};
use toolwright_server::auth::{ApiKeys, TokenVerifier as _};

use crate::followed::{Files, Followed, FromFile};
use crate::hex::sha256;
use crate::{key_file, random};

/// The prefix of all keys, which secret scanners can detect.
pub const SERVICE_KEY_PREFIX: &str = "twsk_";
/// Maximum size of a file of service keys: 1 MiB.
pub const MAX_SERVICE_KEYS_BYTES: u64 = 1 << 20;

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
pub struct ServiceKeys(Source);

#[derive(Clone)]
enum Source {
    Fixed(Arc<Services>),
    File(Arc<Followed<Services>>),
}

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
        Ok(Self(Source::Fixed(Arc::new(Services::new(services)?))))
    }

    /// Reads a file of at most [`MAX_SERVICE_KEYS_BYTES`], which only its owner may read; returns an empty set if it does
    /// not exist yet.
    ///
    /// # Errors
    /// Returns what is wrong with the file.
    pub fn open(path: &Path) -> Result<Self, ServiceKeyError> {
        let followed = Followed::open(path.to_owned(), ()).map_err(|why| wrong(path, why))?;
        Ok(Self(Source::File(followed)))
    }

    /// Creates a key for a service, adds the service to the file, and returns the key, which is not stored. The file is
    /// replaced atomically, with mode 0600, and processes that add services at the same time wait for each other.
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
        let digest = sha256(key.as_bytes());
        let service = ServiceKey { name: name.to_owned(), digest, orgs, rights };
        let changed = key_file::change_private(path, MAX_SERVICE_KEYS_BYTES, |text| {
            let mut written = text.map_or_else(|| Ok(Written::default()), parse)?;
            written.services.push(service);
            Services::new(written.services.iter().cloned())?;
            serde_json::to_string_pretty(&written).map_err(|error| error.to_string())
        });
        changed.map_err(wrong)?;
        Ok(key)
    }

    /// Returns whether there are no services.
    pub fn is_empty(&self) -> bool {
        self.services().by_name.is_empty()
    }

    /// Returns the service with this key, in time that does not depend on the key.
    pub(super) async fn find(&self, key: &str) -> Option<Arc<ServiceKey>> {
        let known = self.services();
        match (known.find(key).await, &self.0) {
            // The service may be new.
            (None, Source::File(followed)) => followed.latest().find(key).await,
            (found, _) => found,
        }
    }

    fn services(&self) -> Arc<Services> {
        match &self.0 {
            Source::Fixed(services) => Arc::clone(services),
            Source::File(followed) => followed.current(),
        }
    }
}

impl FromFile for Services {
    type Context = ();

    fn load(path: &Path, (): &(), files: &mut Files, _previous: Option<&Self>) -> Result<Self, String> {
        match files.read_private(path, MAX_SERVICE_KEYS_BYTES) {
            Ok(text) => Self::new(parse(&text)?.services),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(error.to_string()),
        }
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
        Self(Source::Fixed(Arc::default()))
    }
}

impl fmt::Debug for ServiceKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let services = self.services();
        f.debug_tuple("ServiceKeys").field(&services.by_name.keys().collect::<BTreeSet<_>>()).finish()
    }
}

fn wrong(path: &Path, why: String) -> ServiceKeyError {
    ServiceKeyError { path: path.to_owned(), why }
}

fn parse(text: &str) -> Result<Written, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::{MAX_SERVICE_KEYS_BYTES, Orgs, Right, ServiceKeys};
    use crate::followed::INTERVAL;

    #[tokio::test]
    async fn a_running_gateway_follows_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services.json");
        let keys = ServiceKeys::open(&file).unwrap();
        let add = |name| ServiceKeys::add(&file, name, Orgs::All, [Right::Read].into()).unwrap();
        let (engine, operator) = (add("engine"), add("operator"));
        assert_eq!(keys.find(&engine).await.unwrap().name, "engine");
        std::fs::write(&file, "rubbish").unwrap();
        std::thread::sleep(INTERVAL);
        assert!(keys.find(&operator).await.is_some(), "what is known stays");
        std::fs::remove_file(&file).unwrap();
        std::thread::sleep(INTERVAL);
        assert!(keys.find(&operator).await.is_none(), "a removed service is rejected");
    }
    #[test]
    fn services_added_at_the_same_time_are_all_kept() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services.json");
        let add = |name: &str| ServiceKeys::add(&file, name, Orgs::All, [Right::Read].into());
        std::thread::scope(|threads| {
            for number in 0..16 {
                threads.spawn(move || add(&format!("service-{number}")).unwrap());
            }
        });
        let written: super::Written = super::parse(&std::fs::read_to_string(&file).unwrap()).unwrap();
        assert_eq!(written.services.len(), 16);
        let leftover = std::fs::read_dir(folder.path()).unwrap().count();
        assert_eq!(leftover, 2, "the file and its lock");
        let duplicate = add("service-3").unwrap_err().to_string();
        assert!(duplicate.contains("service-3"), "{duplicate}");
    }

    #[cfg(unix)]
    #[test]
    fn only_the_owner_can_read_the_file() {
        use std::os::unix::fs::PermissionsExt as _;

        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services.json");
        ServiceKeys::add(&file, "engine", Orgs::All, [Right::Read].into()).unwrap();
        let mode = std::fs::metadata(&file).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
        let refused = ServiceKeys::open(&file).unwrap_err().to_string();
        assert!(refused.contains("chmod 600"), "{refused}");
    }

    #[test]
    fn a_file_that_is_too_long_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("services.json");
        let add = |name: &str| ServiceKeys::add(&file, name, Orgs::All, [Right::Read].into());
        add("engine").unwrap();
        let bytes = usize::try_from(MAX_SERVICE_KEYS_BYTES).unwrap();
        let error = add(&"n".repeat(bytes)).unwrap_err().to_string();
        assert!(error.contains("more than 1048576 bytes"), "{error}");
        let mut text = std::fs::read_to_string(&file).unwrap();
        text.push_str(&" ".repeat(bytes));
        std::fs::write(&file, text).unwrap();
        let error = ServiceKeys::open(&file).unwrap_err().to_string();
        assert!(error.contains("more than 1048576 bytes"), "{error}");
    }
}
