//! Tokens in a file that only its owner can read, and that is encrypted where there is a key.

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

use super::store::{StoreGuard, TokenStore, put};
use crate::config::{BoxFuture, Secret};

/// The largest file that is read or written: 4 MiB.
pub const MAX_TOKEN_FILE: usize = 4 << 20;
/// How long another program is waited for that holds the lock: as long as a user may take to log in.
pub const LOCK_TIMEOUT: Duration = Duration::from_mins(5);
/// How often is seen whether the lock is free.
const PAUSE: Duration = Duration::from_millis(20);
const VERSION: u64 = 1;

/// Keeps tokens in a file, which programs can share.
///
/// The file and its folder are created when something is saved first, and only their owner may read them (modes 0600 and
/// 0700, on Unix); a file that others may read is refused. It is replaced as a whole, so that a crash leaves the old one. Beside it, a
/// file with `.lock` at the end of its name keeps programs from refreshing a token at the same time.
///
/// Without a key, whoever reads the disk has the tokens. With one ([`FileTokenStore::encrypted`]), what is kept for each issuer is
/// sealed with ChaCha20-Poly1305 (RFC 8439) under a random nonce, together with the name of the issuer, which is readable.
///
/// ```no_run
/// use toolwright_client::{FileTokenStore, OAuth, StoreKey};
///
/// # fn example() -> Result<(), Box<dyn std::error::Error>> {
/// // 32 random bytes in base64, as from `openssl rand -base64 32`.
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

/// The key of an encrypted store: 32 bytes that nobody can guess.
#[derive(Clone)]
pub struct StoreKey([u8; 32]);

impl StoreKey {
    /// A key from random bytes. A password is none.
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// A key that is written in base64 (RFC 4648 §4), with white space around it.
    ///
    /// # Errors
    /// Where the text is not 32 bytes in base64.
    pub fn from_base64(text: &str) -> Result<Self, String> {
        let bytes = base64::decode(text.trim()).ok().and_then(|bytes| bytes.try_into().ok());
        bytes.map(Self).ok_or_else(|| {
            "the key of the token store is not 32 bytes in base64; make one with `openssl rand -base64 32`".to_owned()
        })
    }

    fn cipher(&self) -> Result<LessSafeKey, String> {
        let key = UnboundKey::new(&CHACHA20_POLY1305, &self.0);
        key.map(LessSafeKey::new).map_err(|_| "the key of the token store cannot be used".to_owned())
    }

    fn seal(&self, issuer: &str, text: &str) -> Result<String, String> {
        let mut nonce = [0; NONCE_LEN];
        SystemRandom::new().fill(&mut nonce).map_err(|_| "the system has no random numbers".to_owned())?;
        let mut sealed = text.as_bytes().to_vec();
        let unique = Nonce::assume_unique_for_key(nonce);
        let done = self.cipher()?.seal_in_place_append_tag(unique, Aad::from(issuer), &mut sealed);
        done.map_err(|_| "the tokens cannot be encrypted".to_owned())?;
        Ok(base64::encode(&[&nonce[..], &sealed].concat()))
    }

    /// What was sealed for this issuer; none with another key, or after a change.
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
    /// Tokens in this file, which need not exist yet.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self { path: path.into(), key: None }
    }

    /// The same, encrypted. A file that was written without the key, or with another one, is refused.
    pub fn encrypted(mut self, key: StoreKey) -> Self {
        self.key = Some(key);
        self
    }

    fn read(&self) -> Result<Vec<(String, Value)>, String> {
        let shown = self.path.display();
        let file = match File::open(&self.path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(format!("the tokens in {shown} cannot be read: {error}")),
        };
        check_mode(&file, &self.path)?;
        let mut text = String::new();
        let read = file.take(MAX_TOKEN_FILE as u64 + 1).read_to_string(&mut text);
        read.map_err(|error| format!("the tokens in {shown} cannot be read: {error}"))?;
        if text.len() > MAX_TOKEN_FILE {
            return Err(format!("{shown} has more than 4 MiB; name another file for tokens"));
        }
        let odd =
            || format!("{shown} is not a file of tokens; delete it and log in again, or name another file");
        let document: Value = serde_json::from_str(&text).map_err(|_| odd())?;
        if document["version"] != VERSION {
            return Err(odd());
        }
        let issuers = document["issuers"].as_object().ok_or_else(odd)?;
        Ok(issuers.iter().map(|(issuer, value)| (issuer.clone(), value.clone())).collect())
    }

    fn load_now(&self, issuer: &str) -> Result<Option<Secret>, String> {
        let found = self.read()?.into_iter().find(|(name, _)| name == issuer);
        let Some((_, value)) = found else { return Ok(None) };
        let shown = self.path.display();
        match (&self.key, value) {
            (None, Value::Object(credentials)) => Ok(Some(Value::Object(credentials).to_string().into())),
            (Some(key), Value::String(sealed)) => {
                let opened = key.open(issuer, &sealed).map(Into::into);
                opened.map(Some).ok_or_else(|| {
                    format!("the tokens in {shown} cannot be decrypted: give the key that they were written with, or delete the file and log in again")
                })
            }
            (None, _) => Err(format!("the tokens in {shown} are encrypted: give the key")),
            (Some(_), _) => {
                Err(format!("the tokens in {shown} are not encrypted: delete the file and log in again"))
            }
        }
    }

    fn save_now(&self, issuer: &str, credentials: &Secret) -> Result<(), String> {
        let mut issuers = self.read()?;
        let value = match &self.key {
            Some(key) => key.seal(issuer, credentials.expose())?.into(),
            None => serde_json::from_str(credentials.expose()).map_err(|error| error.to_string())?,
        };
        put(&mut issuers, issuer, value);
        let issuers: Map<String, Value> = issuers.into_iter().collect();
        let text = format!("{:#}\n", json!({"version": VERSION, "issuers": issuers}));
        let shown = self.path.display();
        if text.len() > MAX_TOKEN_FILE {
            return Err(format!("{shown} would have more than 4 MiB; name another file for tokens"));
        }
        self.replace(&text).map_err(|error| format!("the tokens cannot be kept in {shown}: {error}"))
    }

    fn replace(&self, text: &str) -> io::Result<()> {
        // The lock is held, so that nobody else has a file of this name.
        let new = beside(&self.path, ".new");
        _ = fs::remove_file(&new);
        let mut file = private().create_new(true).open(&new)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all())?;
        fs::rename(&new, &self.path)
    }

    async fn locked(&self) -> Result<StoreGuard, String> {
        let path = beside(&self.path, ".lock");
        let shown = path.display();
        let failed = |error: io::Error| format!("{shown} cannot be locked: {error}");
        make_folder(&self.path).map_err(failed)?;
        let file = private().create(true).truncate(false).open(&path).map_err(failed)?;
        let end = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(StoreGuard::new(file)),
                Err(TryLockError::Error(error)) => return Err(failed(error)),
                Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                    return Err(format!(
                        "another program has held {shown} for {} minutes: end its login, or end it",
                        LOCK_TIMEOUT.as_secs() / 60
                    ));
                }
                Err(TryLockError::WouldBlock) => sleep(PAUSE).await,
            }
        }
    }
}

impl TokenStore for FileTokenStore {
    fn lock(&self) -> BoxFuture<'_, Result<StoreGuard, String>> {
        Box::pin(self.locked())
    }

    fn load<'a>(&'a self, issuer: &'a str) -> BoxFuture<'a, Result<Option<Secret>, String>> {
        let (store, issuer) = (self.clone(), issuer.to_owned());
        Box::pin(beside_the_runtime(move || store.load_now(&issuer)))
    }

    fn save<'a>(&'a self, issuer: &'a str, credentials: &'a Secret) -> BoxFuture<'a, Result<(), String>> {
        let (store, issuer, credentials) = (self.clone(), issuer.to_owned(), credentials.clone());
        Box::pin(beside_the_runtime(move || store.save_now(&issuer, &credentials)))
    }
}

/// Files may be slow.
async fn beside_the_runtime<T: Send + 'static>(
    act: impl FnOnce() -> Result<T, String> + Send + 'static,
) -> Result<T, String> {
    tokio::task::spawn_blocking(act).await.map_err(|error| error.to_string())?
}

/// The path with something more at its end.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

fn make_folder(path: &Path) -> io::Result<()> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else { return Ok(()) };
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

/// Writes files that nobody else may read, from the first moment on.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

#[cfg(unix)]
fn check_mode(file: &File, path: &Path) -> Result<(), String> {
    use std::os::unix::fs::PermissionsExt as _;
    let shown = path.display();
    let known = file.metadata().map_err(|error| format!("the tokens in {shown} cannot be read: {error}"))?;
    let mode = known.permissions().mode() & 0o777;
    let others = mode & 0o077;
    if others == 0 {
        return Ok(());
    }
    Err(format!("other users may read the tokens in {shown} (mode {mode:o}): run `chmod 600 {shown}`"))
}

#[cfg(not(unix))]
fn check_mode(_: &File, _: &Path) -> Result<(), String> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const ISSUER: &str = "https://as.example";

    fn key(byte: u8) -> StoreKey {
        StoreKey::new([byte; 32])
    }

    async fn problem(store: &FileTokenStore) -> String {
        store.load(ISSUER).await.unwrap_err()
    }

    #[tokio::test]
    async fn what_is_saved_is_loaded_by_its_issuer_alone() {
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
    async fn nobody_else_may_read_the_files() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("new/tokens.json");
        let store = FileTokenStore::new(&path);
        let _guard = store.lock().await.unwrap();
        store.save(ISSUER, &"{}".into()).await.unwrap();
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(
            (mode(&path), mode(&beside(&path, ".lock")), mode(path.parent().unwrap())),
            (0o600, 0o600, 0o700)
        );
        fs::set_permissions(&path, fs::Permissions::from_mode(0o640)).unwrap();
        let refused = problem(&store).await;
        assert!(refused.contains("mode 640") && refused.contains("chmod 600"), "{refused}");
        assert!(store.save(ISSUER, &"{}".into()).await.is_err());
    }

    #[tokio::test]
    async fn a_file_that_cannot_be_used_is_explained() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let plain = FileTokenStore::new(&path);
        let sealed = FileTokenStore::new(&path).encrypted(key(1));
        sealed.save(ISSUER, &"{}".into()).await.unwrap();
        assert!(problem(&plain).await.contains("are encrypted: give the key"));
        let other = FileTokenStore::new(&path).encrypted(key(2));
        assert!(problem(&other).await.contains("give the key that they were written with"));

        // What was kept for one issuer is not taken for another.
        let text = fs::read_to_string(&path).unwrap();
        fs::write(&path, text.replace(ISSUER, "https://evil.example")).unwrap();
        assert!(sealed.load("https://evil.example").await.unwrap_err().contains("cannot be decrypted"));

        fs::remove_file(&path).unwrap();
        plain.save(ISSUER, &"{}".into()).await.unwrap();
        assert!(problem(&sealed).await.contains("are not encrypted"));
        for text in ["", "[]", "{\"version\": 2, \"issuers\": {}}", "{\"version\": 1}"] {
            fs::write(&path, text).unwrap();
            assert!(problem(&plain).await.contains("is not a file of tokens"), "{text}");
        }
        fs::write(&path, " ".repeat(MAX_TOKEN_FILE + 1)).unwrap();
        assert!(problem(&plain).await.contains("more than 4 MiB"));
        assert!(plain.save(ISSUER, &"{}".into()).await.is_err());
    }

    #[tokio::test]
    async fn one_holder_at_a_time_has_the_file() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tokens.json");
        let held = FileTokenStore::new(&path).lock().await.unwrap();
        let other = FileTokenStore::new(&path);
        assert!(tokio::time::timeout(Duration::from_millis(100), other.lock()).await.is_err());
        drop(held);
        other.lock().await.unwrap();
    }

    #[test]
    fn a_key_is_read() {
        assert!(StoreKey::from_base64(&format!(" {}\n", base64::encode(&[7; 32]))).is_ok());
        for text in ["", "password", &base64::encode(&[7; 31])] {
            assert!(StoreKey::from_base64(text).unwrap_err().contains("openssl rand -base64 32"), "{text}");
        }
        assert_eq!(format!("{:?}", key(1)), "StoreKey");
    }
}
