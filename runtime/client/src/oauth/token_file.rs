//! Tokens in a file that only its owner can read, optionally encrypted.

use std::fmt;
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::Duration;

use ring::aead::{Aad, CHACHA20_POLY1305, LessSafeKey, NONCE_LEN, Nonce, UnboundKey};
use ring::rand::{SecureRandom as _, SystemRandom};
use serde_json::{Map, Value, json};
use tokio::time::{Instant, sleep};
use toolwright_core::content::base64;

use super::store::{StoreGuard, TokenStore, insert};
use crate::config::{BoxFuture, Secret};

/// The maximum size of a token file: 4 MiB.
pub const MAX_TOKEN_FILE_BYTES: usize = 4 << 20;
/// How long to wait for another program that holds the lock: 5 minutes, as long as a user may take to log in.
pub const LOCK_TIMEOUT: Duration = Duration::from_mins(5);
/// The interval at which the lock is polled.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);
/// The version of the file format.
const VERSION: u64 = 1;

/// Stores tokens in a file, which programs can share.
///
/// The file and its folder are created on the first save, and only their owner can read them (modes 0600 and 0700, on Unix); a
/// file that others can read is rejected. The file is replaced atomically, so that a crash leaves the old one. A second file,
/// with the suffix `.lock`, prevents programs from refreshing a token at the same time.
///
/// By default the tokens are not encrypted. With a key ([`FileTokenStore::encrypted`]), the entry of each issuer is sealed with
/// ChaCha20-Poly1305 (RFC 8439) under a random nonce, with the issuer as associated data. The issuers themselves are not encrypted.
///
/// ```no_run
/// use toolwright_client::{FileTokenStore, OAuth, StoreKey};
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// // 32 random bytes in base64, for example from `openssl rand -base64 32`.
/// let key = StoreKey::from_base64(&std::env::var("TOKENS_KEY")?)?;
/// let store = FileTokenStore::new("my-agent/tokens.json").encrypted(key);
/// let oauth = OAuth::client_credentials("id", "secret").store(store);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct FileTokenStore {
    path: PathBuf,
    key: Option<StoreKey>,
}

/// The key of an encrypted store: 32 random bytes.
#[derive(Clone)]
pub struct StoreKey([u8; 32]);

impl StoreKey {
    /// Creates a key from random bytes. Do not use a password.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Decodes a key in base64 (RFC 4648 §4), ignoring surrounding whitespace.
    ///
    /// # Errors
    /// If `text` is not 32 bytes in base64.
    pub fn from_base64(text: &str) -> Result<Self, String> {
        let bytes = base64::decode(text.trim()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| {
            "the key of the token store is not 32 bytes in base64; generate one with `openssl rand -base64 32`".to_owned()
        })
    }

    fn cipher(&self) -> Result<LessSafeKey, String> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.0);
        key.map(LessSafeKey::new).map_err(|_| "the key of the token store is not accepted".to_owned())
    }

    fn seal(&self, issuer: &str, text: &str) -> Result<String, String> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new()
            .fill(&mut nonce)
            .map_err(|_| "the system's random number generator failed".to_owned())?;
        let mut sealed = text.as_bytes().to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        let result = self.cipher()?.seal_in_place_append_tag(unique, Aad::from(issuer), &mut sealed);
        result.map_err(|_| "the tokens cannot be encrypted".to_owned())?;
        Ok(base64::encode(&[&nonce[..], &sealed].concat()))
    }

    /// Decrypts the entry of an issuer; `None` if the key is wrong or the entry was modified.
    fn open(&self, issuer: &str, sealed: &str) -> Option<String> {
        let mut bytes = base64::decode(sealed).ok()?;
        let nonce = Nonce::try_assume_unique_for_key(bytes.get(..NONCE_LEN)?).ok()?;
        let opened =
            self.cipher().ok()?.open_within(nonce, Aad::from(issuer), &mut bytes, NONCE_LEN..).ok()?;
        String::from_utf8(opened.to_vec()).ok()
    }
}

impl fmt::Debug for StoreKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("StoreKey")
    }
}

impl FileTokenStore {
    /// Creates a store in the file at `path`, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), key: None }
    }

    /// Encrypts the file. A file that was written without this key is rejected.
    pub fn encrypted(mut self, key: StoreKey) -> Self {
        self.key = Some(key);
        self
    }

    fn read(&self) -> Result<Vec<(String, Value)>, String> {
        let path = self.path.display();
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("cannot read the tokens in {path}: {error}")),
        };
        check_permissions(&file, &self.path)?;
        let mut text = String::new();
        let read = file.take(MAX_TOKEN_FILE_BYTES as u64 + 1).read_to_string(&mut text);
        read.map_err(|error| format!("cannot read the tokens in {path}: {error}"))?;
        if text.len() > MAX_TOKEN_FILE_BYTES {
            return Err(format!("{path} is larger than 4 MiB; use another file for tokens"));
        }
        let invalid =
            || format!("{path} is not a valid token file; delete it and log in again, or use another file");
        let document: Value = serde_json::from_str(&text).map_err(|_| invalid())?;
        if document["version"] != VERSION {
            return Err(invalid());
        }
        let issuers = document["issuers"].as_object().ok_or_else(invalid)?;
        Ok(issuers.iter().map(|(issuer, value)| (issuer.clone(), value.clone())).collect())
    }

    fn load_blocking(&self, issuer: &str) -> Result<Option<Secret>, String> {
        let entry = self.read()?.into_iter().find(|(name, _)| name == issuer);
        let Some((_, value)) = entry else { return Ok(None) };
        let path = self.path.display();
        match (&self.key, value) {
            (None, Value::Object(credentials)) => Ok(Some(Value::Object(credentials).to_string().into())),
            (Some(key), Value::String(sealed)) => {
                let opened = key.open(issuer, &sealed).map(Into::into);
                opened.map(Some).ok_or_else(|| {
                    format!("the tokens in {path} cannot be decrypted: use the key that they were encrypted with, or delete the file and log in again")
                })
            }
            (None, _) => Err(format!("the tokens in {path} are encrypted: the key is required")),
            (Some(_), _) => {
                Err(format!("the tokens in {path} are not encrypted: delete the file and log in again"))
            }
        }
    }

    fn save_blocking(&self, issuer: &str, credentials: &Secret) -> Result<(), String> {
        let mut issuers = self.read()?;
        let value = match &self.key {
            Some(key) => key.seal(issuer, credentials.expose())?.into(),
            None => serde_json::from_str(credentials.expose()).map_err(|error| error.to_string())?,
        };
        insert(&mut issuers, issuer, value);
        let issuers: Map<String, Value> = issuers.into_iter().collect();
        let text = format!("{:#}\n", json!({"version": VERSION, "issuers": issuers}));
        let path = self.path.display();
        if text.len() > MAX_TOKEN_FILE_BYTES {
            return Err(format!("{path} would be larger than 4 MiB; use another file for tokens"));
        }
        self.replace(&text).map_err(|error| format!("cannot save the tokens in {path}: {error}"))
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        // The caller holds the lock, so no other program uses this file.
        let new = with_suffix(&self.path, ".new");
        _ = fs::remove_file(&new);
        let mut file = private_options().create_new(true).open(&new)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
        fs::rename(&new, &self.path)
    }

    async fn acquire_lock(&self) -> Result<StoreGuard, String> {
        let path = with_suffix(&self.path, ".lock");
        let failed = |error: io::Error| format!("cannot lock {}: {error}", path.display());
        create_parent_folder(&self.path).map_err(failed)?;
        let file = private_options().create(true).truncate(false).open(&path).map_err(failed)?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(StoreGuard::new(file)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= deadline => {
                    return Err(format!(
                        "another program has locked {} for {} minutes: complete its login, or stop it",
                        path.display(),
                        LOCK_TIMEOUT.as_secs() / 60
                    ));
                }
                Err(TryLockError::WouldBlock) => sleep(LOCK_POLL_INTERVAL).await,
            }
        }
    }
}

impl TokenStore for FileTokenStore {
    fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>> {
        Box::pin(self.acquire_lock())
    }

    fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>> {
        let (store, issuer) = (self.clone(), issuer.to_owned());
        Box::pin(run_blocking(move || store.load_blocking(&issuer)))
    }

    fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>> {
        let (store, issuer, credentials) = (self.clone(), issuer.to_owned(), credentials.clone());
        Box::pin(run_blocking(move || store.save_blocking(&issuer, &credentials)))
    }
}

/// Runs file operations on a thread where they may block.
async fn run_blocking<T: Send + 'static>(
    operation: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(operation).await.map_err(|error| error.to_string())?
}

/// Appends a suffix to the file name.
fn with_suffix(path: &Path, suffix: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(suffix);
    name.into()
}

fn create_parent_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Returns options that create files which only their owner can read.
fn private_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(unix)]
fn check_permissions(file: &File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = path.display();
    let metadata = file.metadata().map_err(|error| format!("cannot read the tokens in {path}: {error}"))?;
    let mode = metadata.permissions().mode() & 0o777;
    let others = mode & 0o077;
    if others == 0 {
        return Ok(());
    }
    Err(format!("other users can read the tokens in {path} (mode {mode:o}): run `chmod 600 {path}`"))
}

#[cfg(not(unix))]
fn check_permissions(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://as.example";

    fn key(byte: u8) -> StoreKey {
        StoreKey::new([byte; 32])
    }

    async fn load_error(store: &FileTokenStore) -> String {
        store.load(ISSUER).await.unwrap_err()
    }

    #[tokio::test]
    async fn credentials_are_loaded_for_their_issuer_only() {
        let folder = tempfile::tempdir().unwrap();
        for (name, sealed) in [("plain/tokens.json", None), ("sealed.json", Some(key(1)))] {
            let path = folder.path().join(name);
            let store = FileTokenStore { path: path.clone(), key: sealed.clone() };
            assert_eq!(store.load(ISSUER).await.unwrap(), None);
            let guard = store.lock().await.unwrap();
            store.save(ISSUER, &r#"{"token":"s3cret"}"#.into()).await.unwrap();
            store.save("https://other.example", &r#"{"token":"0ther"}"#.into()).await.unwrap();
            drop(guard);
            let again = FileTokenStore { path: path.clone(), key: sealed.clone() };
            assert_eq!(again.load(ISSUER).await.unwrap().unwrap().expose(), r#"{"token":"s3cret"}"#);
            assert_eq!(again.load("https://as.example/").await.unwrap(), None);
            let text = fs::read_to_string(&path).unwrap();
            assert_eq!(text.contains("s3cret"), sealed.is_none(), "{text}");
            assert!(!format!("{store:?}").contains("s3cret"));
        }
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn only_the_owner_can_read_the_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/tokens.json");
        let store = FileTokenStore::new(&path);
        let _guard = store.lock().await.unwrap();
        store.save(ISSUER, &"{}".into()).await.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&path), mode(&with_suffix(&path, ".lock")), mode(path.parent().unwrap())),
            (0o600, 0o600, 0o700)
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let error = load_error(&store).await;
        assert!(error.contains("mode 640") && error.contains("chmod 600"), "{error}");
        assert!(store.save(ISSUER, &"{}".into()).await.is_err());
    }

    #[tokio::test]
    async fn errors_explain_what_is_wrong_with_a_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let plain = FileTokenStore::new(&path);
        let sealed = FileTokenStore::new(&path).encrypted(key(1));
        sealed.save(ISSUER, &"{}".into()).await.unwrap();
        assert!(load_error(&plain).await.contains("are encrypted: the key is required"));
        let other = FileTokenStore::new(&path).encrypted(key(2));
        assert!(load_error(&other).await.contains("use the key that they were encrypted with"));

        // The entry of one issuer is not accepted for another.
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(ISSUER, "https://evil.example")).unwrap();
        assert!(sealed.load("https://evil.example").await.unwrap_err().contains("cannot be decrypted"));

        fs::remove_file(&path).unwrap();
        plain.save(ISSUER, &"{}".into()).await.unwrap();
        assert!(load_error(&sealed).await.contains("are not encrypted"));
        for text in ["", "[]", "{\"version\": 2, \"issuers\": {}}", "{\"version\": 1}"] {
            fs::write(&path, text).unwrap();
            assert!(load_error(&plain).await.contains("is not a valid token file"), "{text}");
        }
        fs::write(&path, " ".repeat(MAX_TOKEN_FILE_BYTES + 1)).unwrap();
        assert!(load_error(&plain).await.contains("larger than 4 MiB"));
        assert!(plain.save(ISSUER, &"{}".into()).await.is_err());
    }

    #[tokio::test]
    async fn the_lock_is_exclusive() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let guard = FileTokenStore::new(&path).lock().await.unwrap();
        let other = FileTokenStore::new(&path);
        assert!(tokio::time::timeout(Duration::from_millis(100), other.lock()).await.is_err());
        drop(guard);
        other.lock().await.unwrap();
    }

    #[test]
    fn keys_are_decoded() {
        assert!(StoreKey::from_base64(&format!(" {}\n", base64::encode(&[7; 32]))).is_ok());
        for text in ["", "password", &base64::encode(&[7; 31])] {
            assert!(StoreKey::from_base64(text).unwrap_err().contains("openssl rand -base64 32"), "{text}");
        }
        assert_eq!(format!("{:?}", key(1)), "StoreKey");
    }
}
