//! The file of callers' API keys.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;
use toolwright_server::auth::{ApiKeys, Principal, TokenVerifier as _};

use super::grant::scope_of;
use crate::followed::{Files, FromFile};
use crate::key_file;
use crate::scope::Scope;

/// Maximum number of keys in a file.
pub const MAX_CALLER_KEYS: usize = 1_000;
/// Maximum size of a file of keys: 4 MiB.
pub const MAX_CALLER_KEYS_BYTES: u64 = 4 << 20;
/// Maximum length of a caller's name: 128 bytes.
pub const MAX_CALLER_NAME_BYTES: usize = 128;

/// A key in the file, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[non_exhaustive]
pub struct CallerKey {
    /// The name of the caller.
    pub name: String,
    /// The SHA-256 digest of the key, in hexadecimal.
    pub digest: String,
    /// Whether it grants all servers.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub all: bool,
    /// The granted servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub servers: Option<BTreeSet<String>>,
    /// The granted tools, by their public names; if absent, all tools of the servers.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<BTreeSet<String>>,
    /// When it was created, in seconds since 1970.
    pub created: u64,
    /// When it expires, in seconds since 1970; if absent, never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires: Option<u64>,
}

impl CallerKey {
    /// Returns what the key grants.
    ///
    /// # Errors
    /// It names nothing, or `all` together with servers.
    pub fn scope(&self) -> Result<Scope, &'static str> {
        scope_of(self.all, self.servers.as_ref(), self.tools.as_ref())
    }

    /// Returns whether the key has expired at this time since 1970.
    pub fn has_expired(&self, now: Duration) -> bool {
        self.expires.is_some_and(|expires| now.as_secs() >= expires)
    }
}

/// The contents of a file.
#[derive(Default)]
pub(super) struct KeySet {
    pub(super) keys: Vec<CallerKey>,
    verifier: ApiKeys,
    callers: HashMap<String, Caller>,
}

#[derive(Clone)]
pub(super) struct Caller {
    pub(super) key: CallerKey,
    pub(super) principal: Principal,
    /// Ends the streams of the caller.
    end: CancellationToken,
}

#[derive(Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    callers: Vec<CallerKey>,
}

impl KeySet {
    fn new(keys: Vec<CallerKey>, previous: Option<&Self>) -> Result<Self, String> {
        if keys.len() > MAX_CALLER_KEYS {
            return Err(format!("it has {} keys, {MAX_CALLER_KEYS} are allowed", keys.len()));
        }
        let mut set = Self::default();
        for key in &keys {
            check_name(&key.name)?;
            let scope = key.scope().map_err(|why| format!("the key of `{}`: {why}", key.name))?;
            let no_scopes: [&str; 0] = [];
            let verifier = std::mem::take(&mut set.verifier).digest(&key.name, &key.digest, no_scopes);
            set.verifier = verifier.map_err(|error| error.to_string())?;
            let known = previous.and_then(|previous| previous.callers.get(&key.name));
            let caller = match known.filter(|known| known.key == *key) {
                Some(same) => same.clone(),
                None => Caller::new(key.clone(), scope),
            };
            set.callers.insert(key.name.clone(), caller);
        }
        set.keys = keys;
        Ok(set)
    }

    /// Finds the caller with a key, in time that does not depend on the key.
    pub(super) async fn find(&self, key: &str) -> Option<Caller> {
        let principal = self.verifier.verify(key).await.ok()?;
        self.callers.get(principal.subject()).cloned()
    }
}

impl Caller {
    fn new(key: CallerKey, scope: Scope) -> Self {
        let end = CancellationToken::new();
        let claims = Map::from_iter([("sub".to_owned(), Value::from(key.name.as_str()))]);
        let principal = Principal::new(&key.name).with_claims(claims);
        let principal = principal.with_extension(Arc::new(scope)).with_end(end.clone());
        Self { key, principal, end }
    }
}

impl FromFile for KeySet {
    type Context = ();

    fn load(path: &Path, (): &(), files: &mut Files, previous: Option<&Self>) -> Result<Self, String> {
        let text = match files.read_private(path, MAX_CALLER_KEYS_BYTES) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error.to_string()),
        };
        let Written { callers } = parse(&text)?;
        Self::new(callers, previous)
    }

    fn retire(&self, next: &Self) {
        for (name, caller) in &self.callers {
            if next.callers.get(name).is_none_or(|kept| kept.key != caller.key) {
                caller.end.cancel();
            }
        }
    }

    fn tick(&self, now: Duration) {
        for caller in self.callers.values().filter(|caller| caller.key.has_expired(now)) {
            caller.end.cancel();
        }
    }
}

fn parse(text: &str) -> Result<Written, String> {
    serde_json::from_str(text).map_err(|error| error.to_string())
}

/// Changes the file, while no other process does.
pub(super) fn change(
    path: &Path,
    change: impl FnOnce(&mut Vec<CallerKey>) -> Result<(), String>,
) -> Result<(), String> {
    key_file::change_private(path, MAX_CALLER_KEYS_BYTES, |text| {
        let mut written = text.map_or_else(|| Ok(Written::default()), parse)?;
        change(&mut written.callers)?;
        KeySet::new(written.callers.clone(), None)?;
        serde_json::to_string_pretty(&written).map_err(|error| error.to_string())
    })
}

fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > MAX_CALLER_NAME_BYTES || name.contains(char::is_control) {
        let max = MAX_CALLER_NAME_BYTES;
        return Err(format!("the name of a caller has 1 to {max} bytes, without control characters"));
    }
    Ok(())
}
