//! Master keys: loading them, and deriving keys from them.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use ring::hkdf::{HKDF_SHA256, KeyType, Salt};
use toolwright_client::config::Secret;
use toolwright_core::content::base64;
use toolwright_core::manifest::visible;
use zeroize::Zeroizing;

use super::envelope::{Place, add_scope};
use crate::hex::hex;
use crate::private_file::{MAX_PRIVATE_FILE_BYTES, PrivateFileError, read_private_file, read_text};

/// Maximum number of master keys.
pub const MAX_KEYS: usize = 16;
/// Timeout of a command that prints keys: 10 seconds.
pub const COMMAND_TIMEOUT: Duration = Duration::from_secs(10);

const KEY_BYTES: usize = 32;
/// Minimum number of distinct bytes in a key: 32 random bytes have fewer with a probability below 10^-20.
const LEAST_DISTINCT: usize = 12;
/// Length of a key id in hexadecimal digits.
pub(super) const KEY_ID_CHARS: usize = 16;

/// The keys that credentials are sealed with: the first seals, all of them open.
///
/// Keys are 32 random bytes each, in base64 or hexadecimal digits, one a line. To rotate, put a new key in front, seal all
/// credentials again ([`MasterKeys::rekey`]), then remove the old one. The id of a key is derived from the key.
#[derive(Clone, Default)]
pub struct MasterKeys(Vec<MasterKey>);

#[derive(Clone)]
pub(super) struct MasterKey {
    id: String,
    bytes: Zeroizing<[u8; KEY_BYTES]>,
}

/// Errors of loading master keys. Messages name the setting, but contain no part of a key.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// A setting is empty or a placeholder.
    #[error(
        "`{0}` is empty or a placeholder such as `${{KEY}}`: set it to 32 random bytes in base64, as `openssl rand -base64 32` prints them"
    )]
    Placeholder(String),
    /// A setting does not contain valid keys.
    #[error(
        "`{0}` is not 32 random bytes in base64 or hexadecimal digits, one key a line: make one with `openssl rand -base64 32`"
    )]
    Form(String),
    /// A setting contains a key twice, or more than [`MAX_KEYS`].
    #[error("`{0}` has a key twice, or more than {MAX_KEYS} keys")]
    Count(String),
    /// Other users can read the file.
    #[error("others can read {} (mode {mode:o}): run `chmod 600` on it, and replace the key if others may have read it", visible(&.path.display().to_string()))]
    Readable {
        /// The file.
        path: PathBuf,
        /// Its permissions.
        mode: u32,
    },
    /// A file cannot be read.
    #[error("cannot read the master key in {}", visible(&.path.display().to_string()))]
    File {
        /// The file.
        path: PathBuf,
        /// The cause.
        source: io::Error,
    },
    /// A command fails to print keys.
    #[error("the command `{}` of the master key failed: {problem}", visible(.program))]
    Command {
        /// The program.
        program: String,
        /// The cause.
        problem: String,
    },
    /// The system provides no random numbers.
    #[error("the system provides no random numbers")]
    NoRandomness,
}

impl MasterKeys {
    /// Creates an empty set: nothing can be sealed or opened.
    pub fn none() -> Self {
        Self::default()
    }

    /// Generates one key in memory, for tests and for runs that end with the process.
    ///
    /// # Errors
    /// [`KeyError::NoRandomness`].
    pub fn generate() -> Result<Self, KeyError> {
        let mut bytes = Zeroizing::new([0; KEY_BYTES]);
        getrandom::fill(&mut *bytes).map_err(|_| KeyError::NoRandomness)?;
        Ok(Self(vec![MasterKey::new(bytes)]))
    }

    /// Parses keys from a text, one per line. `setting` is its name in errors.
    ///
    /// # Errors
    /// [`KeyError::Placeholder`], [`KeyError::Form`] and [`KeyError::Count`].
    pub fn from_text(setting: &str, text: &str) -> Result<Self, KeyError> {
        let mut keys: Vec<MasterKey> = Vec::new();
        if Secret::new(text).is_placeholder() {
            return Err(KeyError::Placeholder(setting.to_owned()));
        }
        for line in text.lines().map(str::trim).filter(|line| !line.is_empty()) {
            if Secret::new(line).is_placeholder() {
                return Err(KeyError::Placeholder(setting.to_owned()));
            }
            let bytes = read_key(line).ok_or_else(|| KeyError::Form(setting.to_owned()))?;
            let key = MasterKey::new(bytes);
            if keys.len() == MAX_KEYS || keys.iter().any(|other| other.id == key.id) {
                return Err(KeyError::Count(setting.to_owned()));
            }
            keys.push(key);
        }
        Ok(Self(keys))
    }

    /// Reads keys from a [private file](read_private_file).
    ///
    /// # Errors
    /// [`KeyError::File`], [`KeyError::Readable`], and as [`MasterKeys::from_text`].
    pub fn from_file(path: &Path) -> Result<Self, KeyError> {
        let text = read_private_file(path).map_err(|error| match error {
            PrivateFileError::Readable(mode) => KeyError::Readable { path: path.to_owned(), mode },
            PrivateFileError::Io(source) => KeyError::File { path: path.to_owned(), source },
        })?;
        Self::from_text(&path.display().to_string(), &text)
    }

    /// Reads keys from an environment variable.
    ///
    /// # Errors
    /// As [`MasterKeys::from_text`]; a variable that is not set is a [`KeyError::Placeholder`].
    pub fn from_env(variable: &str) -> Result<Self, KeyError> {
        let text = Zeroizing::new(std::env::var(variable).unwrap_or_default());
        Self::from_text(variable, &text)
    }

    /// Runs a command that prints keys, such as that of a password manager. It blocks for [`COMMAND_TIMEOUT`] at most.
    ///
    /// # Errors
    /// [`KeyError::Command`], and as [`MasterKeys::from_text`].
    pub fn from_command<'a>(
        program: &str,
        arguments: impl IntoIterator<Item = &'a str>,
    ) -> Result<Self, KeyError> {
        let failed = |problem: String| KeyError::Command { program: program.to_owned(), problem };
        let mut command = Command::new(program);
        command.args(arguments).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::inherit());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let text = wait(&mut child).map_err(failed)?;
        Self::from_text(&format!("the output of {program}"), &text)
    }

    /// Adds keys that only open credentials, unless they are already present.
    #[must_use]
    pub fn with_previous(mut self, previous: Self) -> Self {
        for key in previous.0 {
            if self.find(&key.id).is_none() {
                self.0.push(key);
            }
        }
        self
    }

    /// Returns the ids of the keys; the first key seals.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.0.iter().map(MasterKey::id)
    }

    /// Returns whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub(super) fn active(&self) -> Option<&MasterKey> {
        self.0.first()
    }

    pub(super) fn find(&self, id: &str) -> Option<&MasterKey> {
        self.0.iter().find(|key| key.id == id)
    }
}

impl MasterKey {
    fn new(bytes: Zeroizing<[u8; KEY_BYTES]>) -> Self {
        let mut id = [0_u8; KEY_ID_CHARS / 2];
        expand(&bytes, b"toolwright key id 1", &mut id);
        let id = hex(&id);
        Self { id, bytes }
    }

    pub(super) fn id(&self) -> &str {
        &self.id
    }

    /// Derives the key of an organization and a run.
    pub(super) fn derive(&self, place: &Place<'_>) -> Zeroizing<[u8; KEY_BYTES]> {
        let mut purpose = b"toolwright credential key 1".to_vec();
        add_scope(&mut purpose, place);
        let mut key = Zeroizing::new([0; KEY_BYTES]);
        expand(&self.bytes, &purpose, &mut *key);
        key
    }
}

/// HKDF-SHA-256 without a salt: the master key is already random (RFC 5869 §3.1).
fn expand(master: &[u8; KEY_BYTES], info: &[u8], key: &mut [u8]) {
    let prk = Salt::new(HKDF_SHA256, &[]).extract(master);
    let filled = prk.expand(&[info], Length(key.len())).and_then(|okm| okm.fill(key));
    filled.expect("8 or 32 bytes are fewer than HKDF's limit of 8,160");
}

struct Length(usize);

impl KeyType for Length {
    fn len(&self) -> usize {
        self.0
    }
}

/// Parses a key in its text form.
fn read_key(text: &str) -> Option<Zeroizing<[u8; KEY_BYTES]>> {
    let decoded = if text.len() == KEY_BYTES * 2 && text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        let digits = text.as_bytes().chunks(2).map(|pair| std::str::from_utf8(pair).ok());
        digits.map(|pair| u8::from_str_radix(pair?, 16).ok()).collect::<Option<Vec<u8>>>()?
    } else {
        let standard = text.trim_end_matches('=').replace('-', "+").replace('_', "/") + "=";
        base64::decode(&standard).ok()?
    };
    let decoded = Zeroizing::new(decoded);
    let bytes: [u8; KEY_BYTES] = decoded.as_slice().try_into().ok()?;
    let bytes = Zeroizing::new(bytes);
    let distinct: std::collections::HashSet<u8> = bytes.iter().copied().collect();
    (distinct.len() >= LEAST_DISTINCT).then_some(bytes)
}

/// Reads the output of a child.
fn wait(child: &mut Child) -> Result<Zeroizing<String>, String> {
    let (send, receive) = mpsc::channel();
    let output = child.stdout.take();
    thread::spawn(move || _ = send.send(output.map(|output| read_text(output, MAX_PRIVATE_FILE_BYTES))));
    let read = receive.recv_timeout(COMMAND_TIMEOUT);
    if read.is_err() {
        // The child may have exited already.
        _ = child.kill();
        _ = child.wait();
        return Err(format!("it printed no key within {COMMAND_TIMEOUT:?}"));
    }
    let status = child.wait().map_err(|error| error.to_string())?;
    match read {
        Ok(Some(Ok(text))) if status.success() => Ok(text),
        Ok(Some(Err(error))) if error.kind() == io::ErrorKind::FileTooLarge => {
            Err(format!("its output cannot be read: {error}"))
        }
        _ if !status.success() => Err(status.to_string()),
        _ => Err("its output is not text".to_owned()),
    }
}

impl fmt::Debug for MasterKeys {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.ids()).finish()
    }
}
