use std::fs;
use std::time::{Duration, SystemTime};

use rcgen::{CertifiedKey, KeyPair, generate_simple_self_signed};
use rustls::ServerConfig;
use tempfile::TempDir;

use super::*;

/// A folder with `cert.pem` and `key.pem`.
struct Folder(TempDir);

impl Folder {
    fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a folder"));
        folder.renew();
        folder
    }

    /// Writes another certificate and its key.
    fn renew(&self) {
        let CertifiedKey { cert, signing_key } =
            generate_simple_self_signed(["localhost".to_owned()]).expect("a certificate");
        self.write("cert.pem", &cert.pem());
        self.write("key.pem", &signing_key.serialize_pem());
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.0.path().join(name), text).expect("it is written");
    }

    /// Sets when a file was modified, in seconds from now.
    fn touch(&self, name: &str, seconds: u64) {
        let file = File::options().append(true).open(self.0.path().join(name)).expect("a file");
        file.set_modified(SystemTime::now() + Duration::from_secs(seconds)).expect("it is set");
    }

    fn load(&self) -> Result<Tls, TlsError> {
        Tls::from_pem_files(self.0.path().join("cert.pem"), self.0.path().join("key.pem"))
    }
}

#[test]
fn errors_name_the_file_and_what_to_do() {
    let folder = Folder::new();
    let (cert, key) = ["cert.pem", "key.pem"]
        .map(|name| fs::read_to_string(folder.0.path().join(name)).expect("a file"))
        .into();
    let other = KeyPair::generate().expect("a key").serialize_pem();
    let garbage = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
    let no_key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    let locked = "-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n";
    let big = "x".repeat((1 << 20) + 1);
    for (cert, key, expected) in [
        ("", key.as_str(), "cert.pem has no certificate; it must have a block `-----BEGIN CERTIFICATE-----`"),
        (&key, &cert, "cert.pem has no certificate"),
        (garbage, &key, "cert.pem is not valid: "),
        ("-----BEGIN CERTIFICATE-----\n", &key, "cert.pem is not valid: "),
        (&big, &key, "cert.pem cannot be read: it is larger than 1 MiB"),
        (&cert, "", "key.pem has no private key; it must have a block `-----BEGIN PRIVATE KEY-----`"),
        (&cert, locked, "key.pem has no private key"),
        (&cert, no_key, "key.pem is not valid: "),
        (&cert, &other, "key.pem does not belong to the first certificate in "),
    ] {
        folder.write("cert.pem", cert);
        folder.write("key.pem", key);
        let error = folder.load().expect_err(expected).to_string();
        assert!(error.contains(expected), "not `{expected}`: {error}");
        let secret = key.lines().nth(1).filter(|line| line.len() > 8);
        assert!(secret.is_none_or(|line| !error.contains(line)), "{error}");
    }
    fs::remove_file(folder.0.path().join("key.pem")).expect("it is removed");
    let error = folder.load().expect_err("missing").to_string();
    assert!(error.contains("key.pem cannot be read: No such file"), "{error}");
}

fn same(one: &Arc<ServerConfig>, other: &Arc<ServerConfig>) -> bool {
    Arc::ptr_eq(one, other)
}

#[test]
fn renewed_files_are_used_within_a_minute() {
    let folder = Folder::new();
    let tls = folder.load().expect("valid files");
    let start = Instant::now();
    let at = |seconds: u64| tls.at(start + Duration::from_secs(seconds));
    let first = at(0);
    assert!(same(&first, &at(61)), "nothing has changed");
    folder.renew();
    folder.touch("cert.pem", 10);
    assert!(same(&first, &at(100)), "it was checked recently");
    let second = at(122);
    assert!(!same(&first, &second));
    folder.write("cert.pem", "half written");
    folder.touch("cert.pem", 20);
    assert!(same(&second, &at(183)), "invalid files change nothing");
    folder.renew();
    folder.touch("key.pem", 30);
    assert!(!same(&second, &at(244)), "until they are valid");
}

#[test]
fn files_can_be_read_again_immediately() {
    let folder = Folder::new();
    let tls = folder.load().expect("valid files");
    let first = tls.current();
    folder.renew();
    tls.reload().expect("valid files");
    let second = tls.current();
    assert!(!same(&first, &second));
    folder.write("key.pem", "");
    assert!(matches!(tls.reload(), Err(TlsError::NoKey { .. })));
    assert!(same(&second, &tls.current()));
}
