//! TLS of the built-in servers, with a certificate and a key in PEM files.
//!
//! `rustls` with `ring`, as in the client. The protocol is HTTP/1.1 (ALPN `http/1.1`), as without TLS.

mod door;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{Error, ServerConfig};

use crate::log;

pub(super) use door::Door;

/// Maximum size of a file.
const MAX_FILE_BYTES: u64 = 1 << 20;

/// How often the files are checked for changes, at most: each minute.
const CHECK_EVERY: Duration = Duration::from_mins(1);

/// The certificate and the key of a server, for [`Http::tls`](crate::Http::tls). Requires the feature `tls`. Cheap to clone;
/// clones share the certificate.
///
/// Both are files in PEM, at most 1 MiB each: the certificate of the server first, followed by those of the authorities between
/// it and a root; and its private key, in PKCS #8, PKCS #1 or SEC 1, without a password. TLS 1.2 and 1.3 are supported, and
/// clients need no certificate.
///
/// Renewed files are read without a restart: a new connection checks once per minute whether a file has another time of
/// modification. If what is found is invalid, a warning is written to standard error and the previous certificate stays in use,
/// until the files change again. [`Tls::reload`] reads them immediately. Open connections keep the certificate that they
/// started with.
///
/// ```no_run
/// # async fn example(service: toolwright_server::Service) -> Result<(), Box<dyn std::error::Error>> {
/// use toolwright_server::{Http, HttpConfig, Tls};
///
/// let tls = Tls::from_pem_files("/etc/mcp/fullchain.pem", "/etc/mcp/privkey.pem")?;
/// let http = Http::bind("0.0.0.0:443")?.tls(tls).config(HttpConfig::new().allow_host("mcp.example.com"));
/// service.serve(http).await?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Tls(Arc<Files>);

struct Files {
    certificate: PathBuf,
    key: PathBuf,
    loaded: Mutex<Loaded>,
}

struct Loaded {
    config: Arc<ServerConfig>,
    /// When the files were modified.
    modified: [Option<SystemTime>; 2],
    checked: Instant,
}

/// A certificate or key cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file cannot be read, or is larger than 1 MiB.
    #[error("{} cannot be read: {source}", path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// The system's error.
        source: io::Error,
    },
    /// The file has no certificate.
    #[error("{} has no certificate; it must have a block `-----BEGIN CERTIFICATE-----` (PEM)", path.display())]
    NoCertificate {
        /// The file.
        path: PathBuf,
    },
    /// The file has no private key that can be used.
    #[error(
        "{} has no private key; it must have a block `-----BEGIN PRIVATE KEY-----` (PEM) without a password", path.display()
    )]
    NoKey {
        /// The file.
        path: PathBuf,
    },
    /// A file is not valid.
    #[error("{} is not valid: {reason}", path.display())]
    Invalid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The key does not belong to the certificate.
    #[error(
        "the key in {} does not belong to the first certificate in {}; use the key that the certificate was requested with, \
         and put the certificate of the server before those of authorities",
        key.display(), certificate.display()
    )]
    Mismatch {
        /// The file with the certificate.
        certificate: PathBuf,
        /// The file with the key.
        key: PathBuf,
    },
}

impl Tls {
    /// Reads a certificate chain and its private key. See [`Tls`] for the form of the files.
    ///
    /// # Errors
    /// [`TlsError`], if a file is missing or invalid, or the key belongs to another certificate.
    pub fn from_pem_files(certificate: impl AsRef<Path>, key: impl AsRef<Path>) -> Result<Self, TlsError> {
        let (certificate, key) = (certificate.as_ref().to_owned(), key.as_ref().to_owned());
        // Before reading, so that no change is missed.
        let modified = [modified(&certificate), modified(&key)];
        let config = load(&certificate, &key)?;
        let loaded = Mutex::new(Loaded { config, modified, checked: Instant::now() });
        Ok(Self(Arc::new(Files { certificate, key, loaded })))
    }

    /// Reads the files again, for new connections.
    ///
    /// # Errors
    /// As for [`Tls::from_pem_files`]; then the previous certificate stays in use.
    pub fn reload(&self) -> Result<(), TlsError> {
        let mut loaded = self.loaded();
        self.read(&mut loaded, self.modified())
    }

    /// The configuration of a new connection.
    pub(super) fn current(&self) -> Arc<ServerConfig> {
        self.at(Instant::now())
    }

    fn at(&self, now: Instant) -> Arc<ServerConfig> {
        let mut loaded = self.loaded();
        if now.saturating_duration_since(loaded.checked) >= CHECK_EVERY {
            loaded.checked = now;
            let modified = self.modified();
            if modified != loaded.modified
                && let Err(error) = self.read(&mut loaded, modified)
            {
                log::warn(format_args!("the previous TLS certificate stays in use: {error}"));
            }
        }
        Arc::clone(&loaded.config)
    }

    fn read(&self, loaded: &mut Loaded, modified: [Option<SystemTime>; 2]) -> Result<(), TlsError> {
        // Also if they are invalid, so that they are read once.
        loaded.modified = modified;
        loaded.config = load(&self.0.certificate, &self.0.key)?;
        Ok(())
    }

    fn modified(&self) -> [Option<SystemTime>; 2] {
        [modified(&self.0.certificate), modified(&self.0.key)]
    }

    fn loaded(&self) -> MutexGuard<'_, Loaded> {
        self.0.loaded.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Tls {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Files { certificate, key, .. } = &*self.0;
        f.debug_struct("Tls").field("certificate", certificate).field("key", key).finish_non_exhaustive()
    }
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|metadata| metadata.modified()).ok()
}

fn load(certificate: &Path, key: &Path) -> Result<Arc<ServerConfig>, TlsError> {
    let chain = CertificateDer::pem_slice_iter(&contents(certificate)?).collect::<Result<Vec<_>, _>>();
    let chain = chain.map_err(|error| invalid(certificate, &error))?;
    if chain.is_empty() {
        return Err(TlsError::NoCertificate { path: certificate.to_owned() });
    }
    let private = PrivateKeyDer::from_pem_slice(&contents(key)?).map_err(|error| match error {
        rustls::pki_types::pem::Error::NoItemsFound => TlsError::NoKey { path: key.to_owned() },
        error => invalid(key, &error),
    })?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let signing = provider.key_provider.load_private_key(private.clone_key());
    signing.map_err(|error| invalid(key, &error))?;
    let config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .and_then(|builder| builder.with_no_client_auth().with_single_cert(chain, private));
    let mut config = config.map_err(|error| match error {
        Error::InconsistentKeys(_) => {
            TlsError::Mismatch { certificate: certificate.to_owned(), key: key.to_owned() }
        }
        error => invalid(certificate, &error),
    })?;
    config.alpn_protocols = vec![b"http/1.1".to_vec()];
    Ok(Arc::new(config))
}

/// Reads a file, whose size is bounded.
fn contents(path: &Path) -> Result<Vec<u8>, TlsError> {
    let read = || {
        let mut bytes = Vec::new();
        File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 > MAX_FILE_BYTES {
            return Err(io::Error::new(io::ErrorKind::FileTooLarge, "it is larger than 1 MiB"));
        }
        Ok(bytes)
    };
    read().map_err(|source| TlsError::Read { path: path.to_owned(), source })
}

fn invalid(path: &Path, reason: &impl fmt::Display) -> TlsError {
    TlsError::Invalid { path: path.to_owned(), reason: reason.to_string() }
}
