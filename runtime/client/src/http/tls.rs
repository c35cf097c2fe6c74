//! TLS with the certificates of the system.

use std::sync::{Arc, OnceLock};

use rustls::{ClientConfig, RootCertStore};
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
        return Err(format!(
            "no certificates of authorities are found on this system{why}; set SSL_CERT_FILE"
        ));
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|error| error.to_string())?
        .with_root_certificates(roots)
        .with_no_client_auth();
    Ok(TlsConnector::from(Arc::new(config)))
}
