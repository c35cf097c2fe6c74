//! TLS with the root certificates of the system.

use std::io;
use std::sync::{Arc, OnceLock};

use rustls::{CertificateError, ClientConfig, Error, RootCertStore};
use tokio_rustls::TlsConnector;

/// Created once, since there are hundreds of root certificates.
static CONNECTOR: OnceLock<Result<TlsConnector, String>> = OnceLock::new();

/// Returns the connector for TLS connections.
///
/// # Errors
/// If the system has no root certificates.
pub(crate) fn connector() -> Result<TlsConnector, String> {
    CONNECTOR.get_or_init(create_connector).clone()
}

fn create_connector() -> Result<TlsConnector, String> {
    let mut roots = RootCertStore::empty();
    let loaded = rustls_native_certs::load_native_certs();
    roots.add_parsable_certificates(loaded.certs);
    if roots.is_empty() {
        let reason = loaded.errors.first().map(|error| format!(" ({error})")).unwrap_or_default();
        return Err(format!("no root certificates were found on this system{reason}"));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}

/// Explains why the TLS handshake with a server failed, and what to do about it.
pub(crate) fn explain(error: &io::Error, host: &str) -> (String, &'static str) {
    let inner = error.get_ref().and_then(|inner| inner.downcast_ref::<Error>());
    let (problem, advice) = match inner {
        Some(Error::InvalidCertificate(problem)) => return explain_certificate(problem, host),
        Some(Error::InvalidMessage(_)) => (
            "its response is not TLS".to_owned(),
            "check the port, or use http:// if the server does not use TLS",
        ),
        Some(Error::AlertReceived(alert)) => (
            format!("it aborted the handshake ({alert:?})"),
            "check which TLS versions and client certificates the server requires",
        ),
        None if error.kind() == io::ErrorKind::UnexpectedEof => (
            "it closed the connection during the handshake".to_owned(),
            "check that the port serves https://",
        ),
        _ => (error.to_string(), "check that the port serves https://"),
    };
    (problem, advice)
}

fn explain_certificate(problem: &CertificateError, host: &str) -> (String, &'static str) {
    match problem {
        CertificateError::UnknownIssuer => (
            "its certificate is signed by an authority that this system does not trust".to_owned(),
            "add the certificate of the authority to the system, or to the file in SSL_CERT_FILE",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            "its certificate has expired".to_owned(),
            "renew the certificate of the server, or correct the clock of this machine",
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => (
            "its certificate is not valid yet".to_owned(),
            "correct the clock of this machine, or renew the certificate of the server",
        ),
        CertificateError::NotValidForName => (
            format!("its certificate is not valid for `{host}`"),
            "use a host name that the certificate is valid for",
        ),
        CertificateError::NotValidForNameContext { presented, .. } => (
            format!("its certificate is not valid for `{host}`, but for {}", presented.join(", ")),
            "use a host name that the certificate is valid for",
        ),
        problem => {
            (format!("its certificate is not accepted: {problem}"), "renew the certificate of the server")
        }
    }
}
