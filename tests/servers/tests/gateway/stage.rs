//! What the commands of docs/gateway.md find: programs, files, free ports and a Redis server.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use test_http::transcript::Session;
use test_programs::{cargo_mcp, worker};

use crate::running::Files;

/// The page.
pub(crate) const PAGE: &str = include_str!("../../../../docs/gateway.md");
/// The addresses in the page: of the gateway, its internal API, Redis and a remote server.
pub(crate) const ADDRESSES: [&str; 4] =
    ["127.0.0.1:8080", "127.0.0.1:8081", "127.0.0.1:6379", "127.0.0.1:9000"];

const LIMIT: Duration = Duration::from_secs(20);

/// The headings of the page with their sections, up to the next heading.
pub(crate) fn sections() -> Vec<(&'static str, &'static str)> {
    let mut sections = Vec::new();
    let mut rest = PAGE;
    while let Some(at) = rest.find("\n## ").into_iter().chain(rest.find("\n### ")).min() {
        rest = rest[at..].trim_start_matches(['\n', '#']);
        let (title, text) = rest.split_once('\n').unwrap_or_default();
        let end = text.find("\n## ").into_iter().chain(text.find("\n### ")).min().unwrap_or(text.len());
        sections.push((title.trim(), &text[..end]));
        rest = text;
    }
    sections
}

/// The text of a section.
pub(crate) fn section(title: &str) -> &'static str {
    let found = sections().into_iter().find(|(name, _)| *name == title);
    found.unwrap_or_else(|| panic!("the page has no section `{title}`")).1
}

/// A folder with the files that the page assumes, and programs under their names.
pub(crate) struct Stage {
    files: Files,
    pub(crate) ports: [u16; 4],
}

impl Stage {
    pub(crate) fn new() -> Self {
        let files = Files::new().with_files(true);
        let folder = files.folder.path();
        let first_json = |title| {
            let (_, block) = section(title).split_once("```json\n").unwrap();
            block.split_once("```").unwrap().0
        };
        std::fs::write(folder.join("workflow.json"), first_json("Workflows")).unwrap();
        std::fs::write(folder.join("policy.json"), first_json("Policy")).unwrap();
        // `cargo`, as readers of the page have it, but without building.
        let script = format!(
            "#!/bin/sh\ncase \"$*\" in\nmcp*) exec '{}' \"$@\" ;;\n'run -q -p worker'*) shift 4; [ \"$1\" = -- ] && shift; exec '{}' \"$@\" ;;\nesac\nexit 9\n",
            cargo_mcp().display(),
            worker().display()
        );
        std::fs::create_dir(folder.join("bin")).unwrap();
        std::fs::write(folder.join("bin/cargo"), script).unwrap();
        let made = Command::new("chmod").arg("+x").arg(folder.join("bin/cargo")).status().unwrap();
        assert!(made.success());
        Self { files, ports: free_ports() }
    }

    pub(crate) fn folder(&self) -> &Path {
        self.files.folder.path()
    }

    /// A shell in the folder, for which the addresses of the page are free ones.
    pub(crate) fn session(&self) -> Session<'_> {
        let path = std::env::var("PATH").unwrap();
        let path = format!("{}:{path}", self.folder().join("bin").display());
        let session = Session::new(self.folder()).variable("PATH", &path);
        let session = session.variable("HOME", self.folder().to_str().unwrap());
        let session = session.replace("--port 6379", &format!("--port {}", self.ports[2]));
        ADDRESSES
            .iter()
            .zip(self.ports)
            .fold(session, |session, (shown, port)| session.replace(shown, &format!("127.0.0.1:{port}")))
    }

    pub(crate) async fn assert_gone(&self) {
        self.files.mark.assert_gone().await;
    }
}

/// Ports that are free now. They are not among those that the system gives to connections, so that they stay so.
fn free_ports() -> [u16; 4] {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    for _ in 0..100 {
        let number = std::process::id().wrapping_mul(31).wrapping_add(COUNT.fetch_add(1, Ordering::Relaxed));
        let first = 20_000 + u16::try_from(number % 2_500).unwrap() * 4;
        let ports = [first, first + 1, first + 2, first + 3];
        if ports.iter().all(|port| TcpListener::bind(("127.0.0.1", *port)).is_ok()) {
            return ports;
        }
    }
    panic!("there are no free ports");
}

/// A program that ends with the test.
pub(crate) struct Process(pub(crate) Child);

impl Process {
    pub(crate) fn start(command: &mut Command) -> Self {
        command.stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.spawn().unwrap_or_else(|error| panic!("{command:?} does not start: {error}")))
    }

    /// Sends SIGTERM, and waits for the end.
    pub(crate) fn end(mut self) {
        let told = Command::new("kill").args(["-TERM", &self.0.id().to_string()]).status().unwrap();
        assert!(told.success());
        let start = Instant::now();
        loop {
            if let Some(status) = self.0.try_wait().unwrap() {
                assert!(status.success(), "{status}");
                return;
            }
            assert!(start.elapsed() < LIMIT, "the program goes on after SIGTERM");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Both fail if it has ended.
        _ = self.0.kill();
        _ = self.0.wait();
    }
}

/// Starts a Redis server with these words, on this port and with a folder of its own in `folder`.
pub(crate) fn start_redis(folder: &Path, port: u16, words: &[String]) -> Process {
    let data: PathBuf = folder.join("redis-data");
    std::fs::create_dir_all(&data).unwrap();
    let mut command = Command::new("redis-server");
    command.args(words).args(["--port", &port.to_string(), "--bind", "127.0.0.1"]).arg("--dir").arg(&data);
    let mut server = Process::start(&mut command);
    let start = Instant::now();
    while TcpStream::connect(("127.0.0.1", port)).is_err() {
        let ended = server.0.try_wait().unwrap();
        assert!(ended.is_none() && start.elapsed() < LIMIT, "redis-server does not listen: {ended:?}");
        std::thread::sleep(Duration::from_millis(10));
    }
    server
}
