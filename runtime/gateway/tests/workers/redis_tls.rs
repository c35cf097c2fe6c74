//! Redis over TLS, with certificates that the test makes.

use std::path::Path;
use std::process::{Command, Stdio};

use rcgen::{BasicConstraints, CertificateParams, IsCa, Issuer, KeyPair};
use toolwright_gateway::redis::{RedisError, RedisStore};
use toolwright_gateway::registry::{RUN_TTL, RegistryStore as _, RunId};

use crate::redis_server::{Keeps, RedisServer};

const ADDRESS: &str = "TEST_TLS_REDIS";

/// What the process below does: connects over TLS. Does nothing in a run of the tests, which do not set `ADDRESS`.
#[tokio::test]
async fn this_program_connects_over_tls_if_asked_to() {
    let Ok(url) = std::env::var(ADDRESS) else { return };
    let refused = match RedisStore::connect(&url).await {
        Ok(store) => {
            store.open(&RunId::new(None, "run-1"), RUN_TTL).await.unwrap();
            println!("opened");
            return;
        }
        Err(refused) => refused,
    };
    assert!(matches!(refused, RedisError::Unavailable(_)));
    println!("refused: {refused}");
}

/// The output of a process that trusts the certificates in a file.
fn connect(url: &str, roots: &Path) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "redis_tls::this_program_connects_over_tls_if_asked_to", "--nocapture"])
        .env(ADDRESS, url)
        .env("SSL_CERT_FILE", roots)
        .env_remove("SSL_CERT_DIR")
        .stdin(Stdio::null())
        .output()
        .unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn redis_is_reached_over_tls_if_its_certificate_is_trusted() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let authority = |name: &str| {
        let mut params = CertificateParams::new([]).unwrap();
        params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
        params.distinguished_name.push(rcgen::DnType::CommonName, name);
        let key = KeyPair::generate().unwrap();
        let pem = params.self_signed(&key).unwrap().pem();
        (Issuer::new(params, key), pem)
    };
    let ((issuer, trusted), (_, untrusted)) = (authority("one"), authority("other"));
    let key = KeyPair::generate().unwrap();
    let certificate =
        CertificateParams::new(["localhost".to_owned()]).unwrap().signed_by(&key, &issuer).unwrap();
    let (trusted, untrusted) = (write("trusted.pem", &trusted), write("untrusted.pem", &untrusted));
    let certificate = write("certificate.pem", &certificate.pem());
    let key = write("key.pem", &key.serialize_pem());
    let server = RedisServer::start_with_tls(Keeps::Nothing, &certificate, &key);

    let output = connect(&server.tls_url("localhost"), &trusted);
    assert!(output.contains("opened"), "{output}");
    let output = connect(&server.tls_url("localhost"), &untrusted);
    assert!(output.contains("refused") && !output.contains("opened"), "{output}");
    let output = connect(&server.tls_url("127.0.0.1"), &trusted);
    assert!(output.contains("refused") && !output.contains("opened"), "the name is another: {output}");
}
