//! Servers over TLS, with certificates that the tests generate: a valid one, and invalid ones.

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::PrivatePkcs8KeyDer;
use test_client::http::{Fixture, modern};
use tokio::io::{AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;

/// A certificate authority, and its certificate in PEM.
struct CertificateAuthority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl CertificateAuthority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// Starts a TLS proxy for `plain`, with a certificate for `name` that is valid from the first to the second year.
    async fn serve(&self, name: &str, years: (i32, i32), plain: &Fixture) -> SocketAddr {
        let mut params = CertificateParams::new([name.to_owned()]).unwrap();
        params.not_before = date_time_ymd(years.0, 1, 1);
        params.not_after = date_time_ymd(years.1, 1, 1);
        let key = KeyPair::generate().unwrap();
        let certificate = params.signed_by(&key, &self.issuer).unwrap();
        let key = PrivatePkcs8KeyDer::from(key.serialize_der());
        let config = ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.der().clone()], key.into())
            .unwrap();
        let acceptor = TlsAcceptor::from(Arc::new(config));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let plain = plain.url.trim_start_matches("http://").trim_end_matches("/mcp").to_owned();
        // The task ends with the runtime of the test.
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, plain) = (acceptor.clone(), plain.clone());
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let Ok(mut upstream) = TcpStream::connect(plain).await else { return };
                    _ = copy_bidirectional(&mut stream, &mut upstream).await;
                });
            }
        });
        address
    }
}

/// Runs `list-tools` with the root certificates of a file, and returns its output and its error.
pub(crate) async fn list_tools(url: String, roots: &Path) -> (String, String) {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_list-tools"));
    command.arg(url).env("SSL_CERT_FILE", roots).env_remove("SSL_CERT_DIR").kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(30), command.output()).await.unwrap().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn invalid_certificates_are_rejected_with_the_reason() {
    let folder = tempfile::tempdir().unwrap();
    let plain = Fixture::start(modern);
    let trusted = CertificateAuthority::new("trusted");
    let untrusted = CertificateAuthority::new("untrusted");
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, &trusted.pem).unwrap();

    let valid = trusted.serve("localhost", (2020, 2120), &plain).await;
    let (printed, error) = list_tools(format!("https://localhost:{}/mcp", valid.port()), &roots).await;
    assert_eq!((printed.as_str(), error.as_str()), ("echo\n", ""));

    for (issuer, name, years, problem, advice) in [
        (
            &untrusted,
            "localhost",
            (2020, 2120),
            "an authority that this system does not trust",
            "SSL_CERT_FILE",
        ),
        (
            &trusted,
            "localhost",
            (2020, 2021),
            "its certificate has expired",
            "renew the certificate of the server",
        ),
        (&trusted, "localhost", (2119, 2120), "is not valid yet", "correct the clock of this machine"),
        (
            &trusted,
            "shop.example",
            (2020, 2120),
            "is not valid for `localhost`",
            "use a host name that the certificate is valid for",
        ),
    ] {
        let server = issuer.serve(name, years, &plain).await;
        let url = format!("https://localhost:{}/mcp", server.port());
        let (_, error) = list_tools(url.clone(), &roots).await;
        for part in ["Connect: ", &url, problem, advice] {
            assert!(error.contains(part), "{name} {years:?}: no `{part}` in: {error}");
        }
    }
    // No request was sent to a server with an invalid certificate.
    assert_eq!(plain.methods(), ["server/discover", "tools/list"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn errors_of_the_tls_handshake_are_explained() {
    let folder = tempfile::tempdir().unwrap();
    let roots = folder.path().join("roots.pem");
    std::fs::write(&roots, CertificateAuthority::new("trusted").pem).unwrap();
    let plain = Fixture::start(modern);
    let (_, error) = list_tools(plain.url.replace("http://", "https://"), &roots).await;
    assert!(
        error.contains("closed the connection during the handshake") && error.contains("check that the port"),
        "{error}"
    );
    let mail = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = mail.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = mail.accept().await {
            _ = stream.write_all(b"220 mail.example ESMTP\r\n").await;
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
    let (_, error) = list_tools(format!("https://{address}/"), &roots).await;
    assert!(error.contains("its response is not TLS") && error.contains("check the port"), "{error}");

    std::fs::write(&roots, "").unwrap();
    let (_, error) = list_tools("https://localhost:1/".to_owned(), &roots).await;
    assert!(error.contains("Connect: "), "{error}");
    let (_, error) = list_tools(plain.url.replace("http://", "https://"), &roots).await;
    assert!(error.contains("no root certificates") && error.contains("SSL_CERT_FILE"), "{error}");
}
