//! API keys of callers, for simple cases without sessions.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::digest::{SHA256, digest};
use toolwright_server::BoxFuture;
use toolwright_server::auth::{Clock, Principal, Rejected, TokenVerifier};

use super::key_set::{CallerKey, KeySet, change};
use crate::followed::Followed;
use crate::hex::sha256;
use crate::random;

/// The prefix of all keys, which secret scanners can detect.
pub const CALLER_KEY_PREFIX: &str = "twck_";
/// Length of the random part and of the checksum in base64.
const RANDOM_CHARS: usize = 43;
const CHECKSUM_CHARS: usize = 6;

/// The API keys of callers, in a file that only its owner may read. It contains digests, not keys.
///
/// A key is `twck_`, 32 random bytes and a checksum of 4 bytes, both in base64url, so that a scanner or a gateway
/// recognizes an incomplete one without knowing the keys. Its bearer may use the servers and tools of the gateway's
/// configuration that the key names, never the nodes of runs. A presented key is compared with all of them in constant
/// time. Changes of the file are applied within a second; an invalid file changes nothing, a missing one has no keys.
/// When a key is removed or expires, its open subscriptions end, and its running calls continue.
///
/// The principal's subject is the caller's name, by which policies and the audit log know it.
///
/// ```
/// use toolwright_gateway::callers::{CallerKeyRequest, CallerKeys};
///
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// # let folder = tempfile::tempdir()?;
/// let file = folder.path().join("callers.json");
/// let key = CallerKeys::add(&file, &CallerKeyRequest::new("nightly").servers(["files"]))?;
/// assert!(key.starts_with("twck_"));
///
/// let keys = CallerKeys::open(&file)?;
/// assert_eq!(keys.list()[0].name, "nightly");
/// CallerKeys::remove(&file, "nightly")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct CallerKeys {
    followed: Arc<Followed<KeySet>>,
}

/// The key to create with [`CallerKeys::add`].
#[derive(Debug, Clone)]
pub struct CallerKeyRequest {
    name: String,
    all: bool,
    servers: Option<BTreeSet<String>>,
    tools: Option<BTreeSet<String>>,
    lifetime: Option<Duration>,
}

/// Errors of a file of keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the API keys in {}: {why}", .path.display())]
pub struct CallerKeyError {
    path: PathBuf,
    why: String,
}

impl CallerKeyRequest {
    /// Requests a key for a caller. It grants nothing until servers, tools or all are named.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), all: false, servers: None, tools: None, lifetime: None }
    }

    /// Grants these servers.
    pub fn servers(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.servers = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Grants only these tools, by their public names such as `files__read`, and no prompts and resources. With
    /// servers, a tool must be of one of them.
    pub fn tools(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.tools = Some(names.into_iter().map(Into::into).collect());
        self
    }

    /// Grants all servers; excludes [`CallerKeyRequest::servers`].
    pub fn all(mut self) -> Self {
        self.all = true;
        self
    }

    /// Sets how long the key is valid. By default, it does not expire.
    pub fn lifetime(mut self, lifetime: Duration) -> Self {
        self.lifetime = Some(lifetime);
        self
    }

    fn key(&self, digest: String, now: Duration) -> CallerKey {
        let expires = self.lifetime.map(|lifetime| now.saturating_add(lifetime).as_secs());
        let (all, servers, tools) = (self.all, self.servers.clone(), self.tools.clone());
        CallerKey { name: self.name.clone(), digest, all, servers, tools, created: now.as_secs(), expires }
    }
}

impl CallerKeys {
    /// Opens a file of keys, which may not exist yet.
    ///
    /// # Errors
    /// Others can read the file, it is not a file of keys, or it has more than [`MAX_CALLER_KEYS`](super::MAX_CALLER_KEYS).
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, CallerKeyError> {
        let path = path.into();
        let followed = Followed::open(path.clone(), ()).map_err(|why| CallerKeyError { path, why })?;
        Ok(Self { followed })
    }

    /// Sets the clock, for tests.
    pub fn clock(self, clock: Clock) -> Self {
        self.followed.set_clock(clock);
        self
    }

    /// Sets a callback for changes of the file, with the problem of an invalid one. It must not block.
    pub fn on_reload(self, hear: impl Fn(Result<(), &str>) + Send + Sync + 'static) -> Self {
        self.followed.on_reload(Box::new(hear));
        self
    }

    /// Returns the keys, in the order of their creation.
    pub fn list(&self) -> Vec<CallerKey> {
        self.followed.current().keys.clone()
    }

    /// Creates a key, adds it to the file, and returns it; it is not stored. Several processes may do so at once.
    ///
    /// # Errors
    /// The name exists, is empty, longer than [`MAX_CALLER_NAME_BYTES`](super::MAX_CALLER_NAME_BYTES) or has control characters; nothing is granted;
    /// or the file cannot be used.
    pub fn add(path: &Path, request: &CallerKeyRequest) -> Result<String, CallerKeyError> {
        let wrong = |why: String| CallerKeyError { path: path.to_owned(), why };
        let key = new_key().ok_or_else(|| wrong("there are no random numbers".to_owned()))?;
        let added = change(path, |keys| {
            keys.push(request.key(digest_of(&key), Clock::default().now()));
            Ok(())
        });
        added.map(|()| key).map_err(wrong)
    }

    /// Removes the key of a caller from the file.
    ///
    /// # Errors
    /// There is no such key, or the file cannot be used.
    pub fn remove(path: &Path, name: &str) -> Result<(), CallerKeyError> {
        let removed = change(path, |keys| {
            let count = keys.len();
            keys.retain(|key| key.name != name);
            if keys.len() < count {
                return Ok(());
            }
            let names: Vec<&str> = keys.iter().map(|key| key.name.as_str()).collect();
            let names = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
            Err(format!("there is no caller `{name}`; available: {names}"))
        });
        removed.map_err(|why| CallerKeyError { path: path.to_owned(), why })
    }

    /// Returns whether a token has the form of a key.
    pub(super) fn is_key(token: &str) -> bool {
        token.starts_with(CALLER_KEY_PREFIX)
    }

    async fn check(&self, token: &str) -> Result<Principal, Rejected> {
        if !is_whole(token) {
            return Err(Rejected::invalid("the API key is incomplete or mistyped"));
        }
        let known = self.followed.current().find(token).await;
        let found = match known {
            Some(caller) => Some(caller),
            // It may be new.
            None => self.followed.latest().find(token).await,
        };
        let caller = found.ok_or_else(|| Rejected::invalid("the API key is unknown, or was removed"))?;
        if caller.key.has_expired(self.followed.now()) {
            return Err(Rejected::invalid("the API key has expired"));
        }
        Ok(caller.principal)
    }
}

impl TokenVerifier for CallerKeys {
    fn verify<'a>(&'a self, token: &'a str) -> BoxFuture<'a, Result<Principal, Rejected>> {
        Box::pin(self.check(token))
    }

    fn sends_tokens(&self) -> bool {
        false
    }
}

impl fmt::Debug for CallerKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("CallerKeys").field(&self.followed).finish()
    }
}

fn new_key() -> Option<String> {
    let random = format!("{CALLER_KEY_PREFIX}{}", URL_SAFE_NO_PAD.encode(random::bytes::<32>()?));
    let checksum = checksum(&random);
    Some(format!("{random}{checksum}"))
}

/// Returns the checksum of the prefix and the random part.
fn checksum(random: &str) -> String {
    URL_SAFE_NO_PAD.encode(&digest(&SHA256, random.as_bytes()).as_ref()[..4])
}

fn is_whole(key: &str) -> bool {
    let length = CALLER_KEY_PREFIX.len() + RANDOM_CHARS;
    key.len() == length + CHECKSUM_CHARS
        && key.split_at_checked(length).is_some_and(|(random, sum)| checksum(random) == sum)
}

fn digest_of(key: &str) -> String {
    sha256(key.as_bytes())
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};
    use std::time::Duration;

    use toolwright_server::auth::{Clock, TokenVerifier as _};

    use super::super::MAX_CALLER_KEYS;
    use super::{CallerKeyRequest, CallerKeys, checksum};

    fn file() -> (tempfile::TempDir, PathBuf) {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("callers.json");
        (folder, file)
    }

    fn request(name: &str) -> CallerKeyRequest {
        CallerKeyRequest::new(name).servers(["files"])
    }

    #[tokio::test]
    async fn near_misses_of_a_key_are_rejected() {
        let (_folder, file) = file();
        let key = CallerKeys::add(&file, &request("ada")).unwrap();
        CallerKeys::add(&file, &request("ben")).unwrap();
        let keys = CallerKeys::open(&file).unwrap();
        assert_eq!(keys.verify(&key).await.unwrap().subject(), "ada");
        assert!(!std::fs::read_to_string(&file).unwrap().contains(&key));
        let digest = keys.list()[0].digest.clone();
        // With a valid checksum, but other random bytes.
        let other = format!("twck_{}", "A".repeat(43));
        let forged = format!("{other}{}", checksum(&other));
        let mut misses = vec![String::new(), "twck_".to_owned(), digest, key.to_uppercase(), forged];
        misses.push(format!("{key}A"));
        misses.push(format!("twsk_{}", &key[5..]));
        misses.extend((0..key.len()).map(|length| key[..length].to_owned()));
        for place in 5..key.len() {
            let other = if key.as_bytes()[place] == b'A' { "B" } else { "A" };
            misses.push(format!("{}{other}{}", &key[..place], &key[place + 1..]));
        }
        for miss in misses {
            assert!(keys.verify(&miss).await.is_err(), "{miss}");
        }
        assert!(!format!("{keys:?}").contains(&key));
    }

    #[tokio::test]
    async fn keys_expire_to_the_second() {
        let (_folder, file) = file();
        let key = CallerKeys::add(&file, &request("ada").lifetime(Duration::from_mins(1))).unwrap();
        let seconds = Arc::new(AtomicU64::new(0));
        let now = Arc::clone(&seconds);
        let clock = Clock::new(move || Duration::from_secs(now.load(Ordering::SeqCst)));
        let keys = CallerKeys::open(&file).unwrap().clock(clock);
        let expires = keys.list()[0].expires.unwrap();
        for (at, is_good) in [(expires - 1, true), (expires, false), (u64::MAX, false)] {
            seconds.store(at, Ordering::SeqCst);
            assert_eq!(keys.verify(&key).await.is_ok(), is_good, "{at}");
        }
    }

    #[test]
    fn names_and_grants_are_checked() {
        let (_folder, file) = file();
        CallerKeys::add(&file, &request("ada")).unwrap();
        for (wrong, why) in [
            (request("ada"), "duplicate"),
            (request(""), "1 to 128"),
            (request(&"x".repeat(129)), "1 to 128"),
            (request("a\nb"), "control"),
            (CallerKeyRequest::new("ben"), "grants nothing"),
            (request("ben").all(), "exclude"),
        ] {
            let error = CallerKeys::add(&file, &wrong).unwrap_err().to_string();
            assert!(error.contains(why), "{error}");
        }
        let error = CallerKeys::remove(&file, "eve").unwrap_err().to_string();
        assert!(error.contains("`eve`") && error.contains("ada"), "{error}");
        assert_eq!(CallerKeys::open(&file).unwrap().list().len(), 1, "nothing was written");
        CallerKeys::remove(&file, "ada").unwrap();
        assert!(CallerKeys::remove(&file, "ada").is_err());
    }

    #[test]
    fn files_that_are_too_long_or_misspelt_are_rejected() {
        let (_folder, file) = file();
        CallerKeys::add(&file, &request("ada")).unwrap();
        let text = std::fs::read_to_string(&file).unwrap();
        for (from, to) in [("servers", "server"), ("callers", "keys"), ("\"digest\": \"", "\"digest\": \"x")]
        {
            std::fs::write(&file, text.replace(from, to)).unwrap();
            assert!(CallerKeys::open(&file).is_err(), "{to}");
        }
        let digest = |number: usize| format!("{number:064x}");
        let key = |number| serde_json::json!({"name": format!("n{number}"), "digest": digest(number), "all": true, "created": 0});
        let write = |count: usize| {
            let keys: Vec<_> = (0..count).map(key).collect();
            std::fs::write(&file, serde_json::json!({"callers": keys}).to_string()).unwrap();
        };
        write(MAX_CALLER_KEYS);
        CallerKeys::open(&file).unwrap();
        assert!(CallerKeys::add(&file, &request("one more")).unwrap_err().to_string().contains("allowed"));
        write(MAX_CALLER_KEYS + 1);
        assert!(CallerKeys::open(&file).unwrap_err().to_string().contains("allowed"));
    }

    #[test]
    fn keys_that_are_added_at_once_are_all_there() {
        let (_folder, file) = file();
        std::thread::scope(|scope| {
            for number in 0..8 {
                let file = &file;
                scope.spawn(move || CallerKeys::add(file, &request(&format!("n{number}"))).unwrap());
            }
        });
        assert_eq!(CallerKeys::open(&file).unwrap().list().len(), 8);
    }

    #[cfg(unix)]
    #[test]
    fn files_that_others_can_read_are_rejected() {
        use std::os::unix::fs::PermissionsExt as _;
        let (_folder, file) = file();
        CallerKeys::add(&file, &request("ada")).unwrap();
        assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o620)).unwrap();
        for error in [
            CallerKeys::open(&file).unwrap_err(),
            CallerKeys::add(&file, &request("ben")).unwrap_err(),
            CallerKeys::remove(&file, "ada").unwrap_err(),
        ] {
            assert!(error.to_string().contains("chmod 600"), "{error}");
        }
    }
}
