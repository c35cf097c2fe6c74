//! The servers that `tests/setup.sh` installed, and how to start them.

use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use toolwright_client::config::StdioSpec;

/// The time limit for a server to listen.
const TIMEOUT: Duration = Duration::from_secs(20);

/// A program with its arguments.
#[derive(Debug, Clone)]
pub struct Program {
    /// Its path, followed by the arguments.
    pub words: Vec<String>,
}

impl Program {
    /// Creates a program.
    ///
    /// # Panics
    /// If its path is not UTF-8.
    pub fn new(program: &Path, arguments: &[&str]) -> Self {
        let program = program.to_str().expect("paths of the build are UTF-8");
        Self { words: [&[program], arguments].concat().into_iter().map(str::to_owned).collect() }
    }

    /// Returns the spec of a server on standard streams.
    pub fn on_stdio(&self) -> StdioSpec {
        let spec = StdioSpec::new(self.words[0].as_str()).env("INSTALLED", modules().display().to_string());
        self.words[1..].iter().fold(spec, |spec, word| spec.arg(word.as_str()))
    }
}

/// Returns the path of an installed server, or client (`python-v1`, `python-v2` and `clients/node`).
///
/// # Panics
/// If it is not installed.
pub fn installed(name: &str) -> PathBuf {
    let target = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target"));
    let path = match name.strip_prefix("clients/") {
        Some(name) => target.join("clients").join(name),
        None if name.starts_with("python-v") => target.join("clients").join(name),
        None => target.join("servers").join(name),
    };
    assert!(path.exists(), "{} is not installed: run tests/setup.sh", path.display());
    path
}

/// Returns the folder with the packages of the Node.js script.
///
/// # Panics
/// If it is not installed.
pub fn modules() -> PathBuf {
    installed("node")
}

/// Returns the path of a script of this package.
fn script(name: &str) -> String {
    format!("{}/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Returns a server from npm: `name` is its name after `server-`.
///
/// # Panics
/// If it is not installed.
pub fn npm(name: &str, arguments: &[&str]) -> Program {
    let modules = installed("node").join("node_modules");
    let entry = modules.join(format!("@modelcontextprotocol/server-{name}/dist/index.js"));
    let entry = entry.to_str().expect("paths of the build are UTF-8");
    Program::new(&modules.join("node/bin/node"), &[&[entry], arguments].concat())
}

/// Returns the server of the official TypeScript SDK.
///
/// # Panics
/// If it is not installed.
pub fn typescript() -> Program {
    Program::new(&installed("node").join("node_modules/node/bin/node"), &[&script("node/shop.mjs")])
}

/// Returns the server of the official Python SDK (`python-v1`, `python-v2`) or of `fastmcp`.
///
/// # Panics
/// If it is not installed.
pub fn python(environment: &str) -> Program {
    Program::new(&installed(environment).join("bin/python"), &[&script("python/shop.py")])
}

/// A running server over HTTP, which is killed on drop.
#[derive(Debug)]
pub struct Listening {
    child: Child,
    port: u16,
}

impl Listening {
    /// Starts the program with a free port in `PORT`, and waits until it listens.
    ///
    /// # Panics
    /// If it does not.
    pub fn start(program: &Program) -> Self {
        // Another program may bind the port first.
        for _ in 0..3 {
            let port = TcpListener::bind("127.0.0.1:0")
                .and_then(|free| free.local_addr())
                .expect("a free port")
                .port();
            let child = Command::new(&program.words[0])
                .args(&program.words[1..])
                .env("PORT", port.to_string())
                .env("INSTALLED", modules())
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .unwrap_or_else(|error| panic!("{program:?} does not start: {error}"));
            let mut server = Self { child, port };
            if server.listens() {
                return server;
            }
        }
        panic!("{program:?} does not listen");
    }

    fn listens(&mut self) -> bool {
        let start = Instant::now();
        while start.elapsed() < TIMEOUT {
            if self.child.try_wait().expect("a child can be waited for").is_some() {
                return false;
            }
            if TcpStream::connect(("127.0.0.1", self.port)).is_ok() {
                return true;
            }
            sleep(Duration::from_millis(20));
        }
        false
    }

    /// Returns a URL of the server.
    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }
}

impl Drop for Listening {
    fn drop(&mut self) {
        // Both fail if the program has already exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
