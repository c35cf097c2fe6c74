//! Signing keys of session tokens, and their rotation.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::hmac;
use ring::signature::{ED25519, Ed25519KeyPair, KeyPair as _, UnparsedPublicKey};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::SessionTokens;
use crate::key_file::{self, Stamp};
use crate::random;
use toolwright_server::StateKeys;
use toolwright_server::auth::Clock;

/// How long a key must have been [`KeyState::VerifyOnly`] before it may be retired, so that all of its tokens
/// have expired: the maximum lifetime of tokens plus the clock skew, an hour and 30 seconds.
pub const KEY_OVERLAP: Duration =
    Duration::from_secs(SessionTokens::MAX_LIFETIME.as_secs() + SessionTokens::CLOCK_SKEW.as_secs());

/// The minimum interval between checks of the key file for changes.
const LOOK: Duration = Duration::from_secs(1);
/// Maximum size of a key file: 64 KiB.
const MAX_FILE: u64 = 64 << 10;

/// The keys of a gateway: the active key signs, the next one is already published, and the previous one still
/// verifies.
///
/// Gateways that share a key file accept each other's tokens. A running gateway reloads a changed file within a
/// second, so rotation is safe at any time: a key is published before it signs.
#[derive(Clone)]
pub struct KeyRing(Arc<Shared>);

struct Shared {
    file: Option<PathBuf>,
    state: Mutex<State>,
}

struct State {
    keys: Vec<Key>,
    stamp: Option<Stamp>,
    looked: Instant,
}

struct Key {
    kid: String,
    state: KeyState,
    since: u64,
    seed: [u8; 32],
    pair: Ed25519KeyPair,
}

/// The role of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum KeyState {
    /// Published, will sign next.
    Next,
    /// Signs.
    Active,
    /// Only verifies tokens that it signed before.
    VerifyOnly,
}

/// A key, without its secret.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct KeyStatus {
    /// Its id.
    pub kid: String,
    /// Its role.
    pub state: KeyState,
    /// The start of this role, in seconds since 1970.
    pub since: u64,
}

/// Errors of signing keys.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The file cannot be read or written.
    #[error("the keys in {path} cannot be used: {why}")]
    File {
        /// The file.
        path: PathBuf,
        /// The problem and how to solve it.
        why: String,
    },
    /// The last rotation is too recent.
    #[error(
        "tokens that the last key has signed may still be in use for {0} seconds; rotate then, or force it to end them now"
    )]
    TooSoon(u64),
    /// The system provides no random numbers.
    #[error("the system provides no random numbers")]
    NoRandomness,
}

/// A key in the file.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    kid: String,
    state: KeyState,
    since: u64,
    seed: String,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WrittenKeys {
    keys: Vec<Written>,
}

impl Key {
    fn generate(state: KeyState, since: u64) -> Result<Self, KeyError> {
        let (kid, seed) = (random::name(), random::bytes());
        let (kid, seed) = kid.zip(seed).ok_or(KeyError::NoRandomness)?;
        Self::new(kid, state, since, seed).ok_or(KeyError::NoRandomness)
    }

    fn new(kid: String, state: KeyState, since: u64, seed: [u8; 32]) -> Option<Self> {
        let pair = Ed25519KeyPair::from_seed_unchecked(&seed).ok()?;
        Some(Self { kid, state, since, seed, pair })
    }

    fn read(written: Written) -> Option<Self> {
        let seed = URL_SAFE_NO_PAD.decode(&written.seed).ok()?.try_into().ok()?;
        Self::new(written.kid, written.state, written.since, seed)
    }
}

impl KeyRing {
    /// Generates keys in memory: tokens are only valid in this process.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`].
    pub fn generate() -> Result<Self, KeyError> {
        Ok(Self::of(None, new_keys()?, None))
    }

    /// Opens a key file, or creates it. Only the owner may have access.
    ///
    /// # Errors
    /// [`KeyError::File`] if other users can read the file, or it is not a key file.
    pub fn open(path: impl Into<PathBuf>) -> Result<Self, KeyError> {
        let path = path.into();
        if !path.exists() {
            let keys = new_keys()?;
            // If two processes create it at once, one succeeds and both use its keys.
            match write(&path, &keys, true) {
                Ok(()) => {}
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(in_file(&path, error.to_string())),
            }
        }
        let (keys, stamp) = read(&path)?;
        Ok(Self::of(Some(path), keys, Some(stamp)))
    }

    fn of(file: Option<PathBuf>, keys: Vec<Key>, stamp: Option<Stamp>) -> Self {
        let state = State { keys, stamp, looked: Instant::now() };
        Self(Arc::new(Shared { file, state: Mutex::new(state) }))
    }

    /// Returns the keys without their secrets.
    pub fn status(&self) -> Vec<KeyStatus> {
        let state = self.state(false);
        let status = |key: &Key| KeyStatus { kid: key.kid.clone(), state: key.state, since: key.since };
        state.keys.iter().map(status).collect()
    }

    /// Returns the public keys as a JWK set (RFC 7517, RFC 8037), for other verifiers.
    pub fn jwks(&self) -> Value {
        let state = self.state(false);
        let key = |key: &Key| {
            json!({
                "kty": "OKP", "crv": "Ed25519", "alg": super::ALGORITHM, "use": "sig", "kid": key.kid,
                "x": URL_SAFE_NO_PAD.encode(key.pair.public_key().as_ref()),
            })
        };
        json!({"keys": state.keys.iter().map(key).collect::<Vec<_>>()})
    }

    /// Returns keys for [`Server::state_keys`](toolwright_server::Server::state_keys), derived from these: with them,
    /// the ids of forwarded tasks and the state of input requests stay valid after a restart, and at every gateway with
    /// the same key file. They are those of this moment; a server that was started before a rotation still opens what
    /// the next key seals, and what a retired key has sealed is lost.
    pub fn state_keys(&self) -> StateKeys {
        let state = self.state(true);
        let derived = |key: &Key| {
            let tag = hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &key.seed), b"toolwright state key 1");
            let mut bytes = [0; 32];
            bytes.copy_from_slice(tag.as_ref());
            bytes
        };
        let (active, others): (Vec<&Key>, Vec<&Key>) =
            state.keys.iter().partition(|key| key.state == KeyState::Active);
        let mut all = active.into_iter().chain(others).map(derived);
        // A key file has an active key.
        let current = StateKeys::new(all.next().unwrap_or_default());
        all.fold(current, StateKeys::or)
    }

    /// Rotates by one step: the next key signs, the active key becomes verify-only, the previous verify-only key
    /// is retired, and a new next key is generated. `force` retires a key even if its tokens may still be valid.
    ///
    /// # Errors
    /// [`KeyError::TooSoon`], and [`KeyError::File`] if the file cannot be written; the keys stay unchanged
    /// then.
    pub fn rotate(&self, force: bool) -> Result<Vec<KeyStatus>, KeyError> {
        let now = Clock::default().now().as_secs();
        {
            let mut state = self.state(true);
            let leaves = state.keys.iter().filter(|key| key.state == KeyState::VerifyOnly);
            let free = leaves.map(|key| key.since.saturating_add(KEY_OVERLAP.as_secs())).max().unwrap_or(0);
            if free > now && !force {
                return Err(KeyError::TooSoon(free - now));
            }
            let mut keys = vec![Key::generate(KeyState::Next, now)?];
            for key in &state.keys {
                let next = match key.state {
                    KeyState::Next => KeyState::Active,
                    KeyState::Active => KeyState::VerifyOnly,
                    KeyState::VerifyOnly => continue,
                };
                keys.extend(Key::new(key.kid.clone(), next, now, key.seed));
            }
            if let Some(path) = &self.0.file {
                write(path, &keys, false).map_err(|error| in_file(path, error.to_string()))?;
                state.stamp = key_file::stamp(path).ok();
            }
            state.keys = keys;
        }
        Ok(self.status())
    }

    /// Signs with the active key.
    pub(super) fn with_signer<T>(
        &self,
        make: impl FnOnce(&str, &dyn Fn(&[u8]) -> Vec<u8>) -> T,
    ) -> Result<T, KeyError> {
        let state = self.state(false);
        let active = state.keys.iter().find(|key| key.state == KeyState::Active);
        let path = self.0.file.as_deref().unwrap_or(Path::new("memory"));
        let key = active.ok_or_else(|| in_file(path, "none of them is active; rotate them".to_owned()))?;
        Ok(make(&key.kid, &|message| key.pair.sign(message).as_ref().to_vec()))
    }

    /// Returns whether the key with this id signed a message.
    pub(super) fn is_signed(&self, kid: &str, message: &[u8], signature: &[u8]) -> bool {
        let public = |state: &State| {
            let key = state.keys.iter().find(|key| key.kid == kid);
            key.map(|key| UnparsedPublicKey::new(&ED25519, key.pair.public_key().as_ref().to_vec()))
        };
        // Two steps, so that no lock is held while a signature is verified.
        let key = public(&self.state(false));
        key.is_some_and(|key| key.verify(message, signature).is_ok())
    }

    /// Returns the keys, reloaded if the file has changed.
    fn state(&self, at_once: bool) -> MutexGuard<'_, State> {
        let mut state = self.0.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(path) = &self.0.file
            && (at_once || state.looked.elapsed() >= LOOK)
        {
            state.looked = Instant::now();
            // If the file cannot be read, the known keys stay in use.
            if key_file::stamp(path).ok() != state.stamp
                && let Ok((keys, stamp)) = read(path)
            {
                (state.keys, state.stamp) = (keys, Some(stamp));
            }
        }
        state
    }
}

fn new_keys() -> Result<Vec<Key>, KeyError> {
    let now = Clock::default().now().as_secs();
    Ok(vec![Key::generate(KeyState::Next, now)?, Key::generate(KeyState::Active, now)?])
}

fn in_file(path: &Path, why: String) -> KeyError {
    KeyError::File { path: path.to_owned(), why }
}

fn read(path: &Path) -> Result<(Vec<Key>, Stamp), KeyError> {
    let failed = |error: io::Error| in_file(path, error.to_string());
    let stamp = key_file::stamp(path).map_err(failed)?;
    let text = key_file::read_private(path, MAX_FILE).map_err(failed)?;
    let invalid = || in_file(path, "it is not a file of keys; remove it, and a new one is made".to_owned());
    let written: WrittenKeys = serde_json::from_str(&text).map_err(|_| invalid())?;
    let keys: Option<Vec<_>> = written.keys.into_iter().map(Key::read).collect();
    Ok((keys.ok_or_else(invalid)?, stamp))
}

/// Atomically writes a file that only its owner can read.
fn write(path: &Path, keys: &[Key], is_new: bool) -> io::Result<()> {
    let written = |key: &Key| Written {
        kid: key.kid.clone(),
        state: key.state,
        since: key.since,
        seed: URL_SAFE_NO_PAD.encode(key.seed),
    };
    let text = serde_json::to_string_pretty(&WrittenKeys { keys: keys.iter().map(written).collect() })?;
    key_file::write_private(path, &text, is_new)
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("KeyRing").field(&self.status()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::{KeyError, KeyRing, KeyState};
    use crate::scope::Selection;
    use crate::tokens::{SessionRequest, SessionTokens};

    fn states(keys: &KeyRing) -> Vec<KeyState> {
        keys.status().iter().map(|key| key.state).collect()
    }

    #[test]
    fn tokens_live_through_one_rotation() {
        let keys = KeyRing::generate().unwrap();
        let tokens = SessionTokens::new(keys.clone(), "https://g.example");
        let request = SessionRequest::new("a").run(None, "r", "e").nodes(Selection::only(["n"]));
        let old = tokens.mint(&request).unwrap().token;
        keys.rotate(false).unwrap();
        assert_eq!(states(&keys), [KeyState::Next, KeyState::Active, KeyState::VerifyOnly]);
        let new = tokens.mint(&request).unwrap().token;
        assert!(tokens.check(&old).is_ok() && tokens.check(&new).is_ok());
        assert!(matches!(keys.rotate(false), Err(KeyError::TooSoon(_))));
        keys.rotate(true).unwrap();
        assert!(tokens.check(&old).is_err() && tokens.check(&new).is_ok());
        assert_eq!(keys.jwks()["keys"].as_array().unwrap().len(), 3);
    }

    #[test]
    fn gateways_share_a_file_and_see_it_change() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        let (one, other) = (KeyRing::open(&path).unwrap(), KeyRing::open(&path).unwrap());
        assert_eq!(one.status(), other.status());
        one.rotate(false).unwrap();
        std::thread::sleep(super::LOOK);
        assert_eq!(one.status(), other.status());
        std::fs::write(&path, "rubbish").unwrap();
        std::thread::sleep(super::LOOK);
        assert_eq!(states(&one).len(), 3, "what is known stays");
        assert!(KeyRing::open(&path).unwrap_err().to_string().contains("not a file of keys"));
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left behind");
    }

    #[cfg(unix)]
    #[test]
    fn keys_that_others_can_read_are_refused() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys.json");
        KeyRing::open(&path).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        let error = KeyRing::open(&path).unwrap_err().to_string();
        assert!(error.contains("640") && error.contains("chmod 600"), "{error}");
    }
}
