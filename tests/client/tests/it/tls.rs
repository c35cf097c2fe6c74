//! Servers over TLS, with certificates that are made here: the right one, and ones with a fault each.

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

/// An authority, and its certificate in PEM.
struct Authority {
    issuer: Issuer<'static, KeyPair>,
    pem: String,
}

impl Authority {
    fn new(name: &str) -> Self {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        Self { issuer: Issuer::new(params, key), pem }
    }

    /// A server that has a certificate for `name`, valid in these years, in front of `plain`.
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
        // Ended with the test's runtime.
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                let (acceptor, plain) = (acceptor.clone(), plain.clone());
                tokio::spawn(async move {
                    let Ok(mut stream) = acceptor.accept(stream).await else { return };
                    let Ok(mut behind) = TcpStream::connect(plain).await else { return };
                    _ = copy_bidirectional(&mut stream, &mut behind).await;
                });
            }
        });
        address
    }
}

/// What `ask` prints, and what it says, where the file has the only authorities that are known.
async fn ask(url: String, authorities: &Path) -> (String, String) {
    let mut command = tokio::process::Command::new(env!("CARGO_BIN_EXE_ask"));
    command.arg(url).env("SSL_CERT_FILE", authorities).env_remove("SSL_CERT_DIR").kill_on_drop(true);
    let output = tokio::time::timeout(Duration::from_secs(30), command.output()).await.unwrap().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (text(&output.stdout), text(&output.stderr))
}

#[tokio::test(flavor = "multi_thread")]
async fn certificates_are_checked_and_what_is_wrong_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let plain = Fixture::start(modern);
    let (known, unknown) = (Authority::new("known"), Authority::new("unknown"));
    let authorities = folder.path().join("authorities.pem");
    std::fs::write(&authorities, &known.pem).unwrap();

    let good = known.serve("localhost", (2020, 2120), &plain).await;
    let (printed, said) = ask(format!("https://localhost:{}/mcp", good.port()), &authorities).await;
    assert_eq!((printed.as_str(), said.as_str()), ("echo\n", ""));

    for (authority, name, years, cause, next) in [
        (&unknown, "localhost", (2020, 2120), "an authority that this system does not know", "SSL_CERT_FILE"),
        (
            &known,
            "localhost",
            (2020, 2021),
            "its certificate has expired",
            "renew the certificate of the server",
        ),
        (&known, "localhost", (2119, 2120), "is not valid yet", "correct the clock of this machine"),
        (
            &known,
            "shop.example",
            (2020, 2120),
            "is not for `localhost`",
            "use a name that the certificate is for",
        ),
    ] {
        let server = authority.serve(name, years, &plain).await;
        let url = format!("https://localhost:{}/mcp", server.port());
        let (_, said) = ask(url.clone(), &authorities).await;
        for part in ["Connect: ", &url, cause, next] {
            assert!(said.contains(part), "{name} {years:?}: no `{part}` in: {said}");
        }
    }
    // Nothing was sent to servers that are not who they should be.
    assert_eq!(plain.methods(), ["server/discover", "tools/list"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_no_tls_is_explained() {
    let folder = tempfile::tempdir().unwrap();
    let authorities = folder.path().join("authorities.pem");
    std::fs::write(&authorities, Authority::new("known").pem).unwrap();
    let plain = Fixture::start(modern);
    let (_, said) = ask(plain.url.replace("http://", "https://"), &authorities).await;
    assert!(
        said.contains("closed the connection during the handshake") && said.contains("check that the port"),
        "{said}"
    );
    let mail = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = mail.local_addr().unwrap();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = mail.accept().await {
            _ = stream.write_all(b"220 mail.example ESMTP\r\n").await;
            tokio::time::sleep(Duration::from_secs(5)).await;
        }
    });
    let (_, said) = ask(format!("https://{address}/"), &authorities).await;
    assert!(said.contains("what it answers is not TLS") && said.contains("check the port"), "{said}");

    std::fs::write(&authorities, "").unwrap();
    let (_, said) = ask("https://localhost:1/".to_owned(), &authorities).await;
    assert!(said.contains("Connect: "), "{said}");
    let (_, said) = ask(plain.url.replace("http://", "https://"), &authorities).await;
    assert!(said.contains("no certificates of authorities") && said.contains("SSL_CERT_FILE"), "{said}");
}
