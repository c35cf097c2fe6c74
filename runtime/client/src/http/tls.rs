//! TLS with the certificates of the system.

use std::io;
use std::sync::{Arc, OnceLock};

use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use tokio_rustls::TlsConnector;

/// Read once: there are hundreds of certificates.
static CONNECTOR: OnceLock<Result<TlsConnector, String>> = OnceLock::new();

/// What opens connections over TLS.
///
/// # Errors
/// Where the system has no certificates.
pub(crate) fn connector() -> Result<TlsConnector, String> {
    CONNECTOR.get_or_init(make).clone()
}

fn make() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    let found = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(found.certs);
    if roots.is_empty() {
        let why = found.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(format!("no certificates of authorities are found on this system{why}"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Why a server cannot be spoken to over TLS, and what to do about it.
pub(crate) fn explain(error: &io::Error, host: &str) -> (String, &'static str) {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let (problem, advice) = match inner {
        Some(Error::InvalidCertificate(problem)) => return certificate(problem, host),
        Some(Error::InvalidMessage(_)) => (
            "what it answers is not TLS".to_owned(),
            "check the port, or use http:// if the server is meant to have no TLS",
        ),
        Some(Error::AlertReceived(alert)) => (
            format!("it refuses the handshake ({alert:?})"),
            "see which versions of TLS, and which certificates of clients, the server wants",
        ),
        None if error.kind() == io::ErrorKind::UnexpectedEof => (
            "it closed the connection during the handshake".to_owned(),
            "check that the port is one for https://",
        ),
        _ => (error.to_string(), "check that the port is one for https://"),
    };
    (problem, advice)
}

fn certificate(problem: &CertificateError, host: &str) -> (String, &'static str) {
    match problem {
        CertificateError::UnknownIssuer => (
            "its certificate is signed by an authority that this system does not know".to_owned(),
            "add the authority to the certificates of the system, or to the file that SSL_CERT_FILE names",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            "its certificate has expired".to_owned(),
            "renew the certificate of the server, or correct the clock of this machine",
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
            "its certificate is not valid yet".to_owned(),
            "correct the clock of this machine, or renew the certificate of the server",
        ),
        CertificateError::NotValidForName => {
            (format!("its certificate is not for `{host}`"), "use a name that the certificate is for")
        }
        CertificateError::NotValidForNameContext { presented, .. } => (
            format!("its certificate is not for `{host}`, but for {}", presented.join(", ")),
            "use a name that the certificate is for",
        ),
        problem => {
            (format!("its certificate is not accepted: {problem}"), "renew the certificate of the server")
        }
    }
}
