//! A Redis server of a test, on a free port and with a folder of its own.

use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use tempfile::TempDir;

/// How a server keeps what it has.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Keeps {
    /// In memory.
    Nothing,
    /// In a file, each write.
    Everything,
}

/// A server. It is killed, by its process id, when this is dropped.
pub(crate) struct RedisServer {
    process: Option<Child>,
    port: u16,
    keeps: Keeps,
    folder: TempDir,
    arguments: Vec<String>,
}

impl RedisServer {
    pub(crate) fn start(keeps: Keeps) -> Self {
        Self::start_with(keeps, &[])
    }

    pub(crate) fn start_with(keeps: Keeps, arguments: &[&str]) -> Self {
        // Another process may take the port in between: then another is tried.
        for _ in 0..5 {
            let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
            let mut server = Self {
                process: None,
                port,
                keeps,
                folder: tempfile::tempdir().unwrap(),
                arguments: arguments.iter().map(|&argument| argument.to_owned()).collect(),
            };
            if server.try_start() {
                return server;
            }
        }
        panic!("redis-server does not start");
    }

    /// Starts one that takes TLS as well, with a certificate and its key.
    #[cfg(feature = "redis-tls")]
    pub(crate) fn start_with_tls(keeps: Keeps, certificate: &Path, key: &Path) -> Self {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port().to_string();
        let (certificate, key) = (certificate.to_str().unwrap(), key.to_str().unwrap());
        let arguments = ["--tls-port", &port, "--tls-cert-file", certificate, "--tls-key-file", key];
        let more = ["--tls-auth-clients", "no", "--tls-ca-cert-file", certificate];
        Self::start_with(keeps, &[&arguments[..], &more[..]].concat())
    }

    #[cfg(feature = "redis-tls")]
    pub(crate) fn tls_url(&self, host: &str) -> String {
        format!("rediss://{host}:{}", self.arguments[1])
    }

    pub(crate) fn url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub(crate) fn url_of(&self, user: &str, password: &str) -> String {
        format!("redis://{user}:{password}@127.0.0.1:{}", self.port)
    }

    pub(crate) fn folder(&self) -> &Path {
        self.folder.path()
    }

    /// All that it keeps, as text.
    pub(crate) fn dump(&self) -> String {
        let cli = |words: &[&str]| {
            let output = Command::new("redis-cli").args(["-u", &self.url()]).args(words).output().unwrap();
            String::from_utf8_lossy(&output.stdout).into_owned()
        };
        let mut all = String::new();
        for key in cli(&["--scan"]).lines() {
            let read: &[&str] = match cli(&["type", key]).trim() {
                "string" => &["get", key],
                "hash" => &["hgetall", key],
                "zset" => &["zrange", key, "0", "-1"],
                "set" => &["smembers", key],
                "stream" => &["xrange", key, "-", "+"],
                other => panic!("{key} is a {other}"),
            };
            all += key;
            all += &cli(read);
        }
        all
    }

    /// Kills it, as `kill -9` does.
    pub(crate) fn kill(&mut self) {
        if let Some(mut process) = self.process.take() {
            process.kill().unwrap();
            process.wait().unwrap();
        }
    }

    /// Starts it again, with what it has kept.
    pub(crate) fn restart(&mut self) {
        self.kill();
        assert!(self.try_start(), "redis-server does not start again");
    }

    /// Stops it, as `kill -STOP` does; it answers nothing, and keeps its connections.
    pub(crate) fn pause(&self) {
        self.signal("STOP");
    }

    pub(crate) fn go_on(&self) {
        self.signal("CONT");
    }

    fn signal(&self, name: &str) {
        let id = self.process.as_ref().unwrap().id().to_string();
        let sent = Command::new("kill").args([&format!("-{name}"), id.as_str()]).status().unwrap();
        assert!(sent.success());
    }

    fn try_start(&mut self) -> bool {
        let append_only = if self.keeps == Keeps::Everything { "yes" } else { "no" };
        let process = Command::new("redis-server")
            .args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""])
            .args(["--appendonly", append_only, "--appendfsync", "always"])
            .args(["--dir".as_ref(), self.folder.path().as_os_str()])
            .args(&self.arguments)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        let process = process.expect("redis-server should be there: `tests/setup.sh redis` installs it");
        let ends = Instant::now() + Duration::from_secs(10);
        self.process = Some(process);
        while Instant::now() < ends {
            if self.process.as_mut().unwrap().try_wait().unwrap().is_some() {
                return false;
            }
            if self.answers() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        panic!("redis-server does not listen");
    }

    /// Whether it is Redis that answers: another process may have the port, or the connection may be one to itself.
    fn answers(&self) -> bool {
        let Ok(mut stream) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let mut first = [0];
        stream.set_read_timeout(Some(Duration::from_secs(1))).unwrap();
        let read = stream.write_all(b"PING\r\n").and_then(|()| stream.read_exact(&mut first));
        read.is_ok() && matches!(first, [b'+' | b'-'])
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.kill();
    }
}
