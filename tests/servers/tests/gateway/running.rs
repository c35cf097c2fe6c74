//! A running gateway, and the servers that it joins.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;
use test_programs::cargo_mcp;
use test_servers::installed::{self, Listening, Program};
use test_servers::processes::Mark;

/// The time limit for the end of a gateway.
const LIMIT: Duration = Duration::from_secs(10);

/// A folder with the file of a gateway, and what its servers need.
pub(crate) struct Files {
    pub(crate) folder: TempDir,
    pub(crate) mark: Mark,
    servers: serde_json::Map<String, Value>,
    /// Servers over HTTP, which end with the test.
    listening: Vec<Listening>,
}

impl Files {
    pub(crate) fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("note.txt"), "milk and bread").unwrap();
        Self { folder, mark: Mark::new(), servers: serde_json::Map::new(), listening: Vec::new() }
    }

    /// Adds a server that the gateway starts and waits for.
    pub(crate) fn required(self, name: &str, program: &Program) -> Self {
        self.with(name, program, true)
    }

    /// Adds a server that the gateway starts.
    pub(crate) fn with(mut self, name: &str, program: &Program, is_required: bool) -> Self {
        let (variable, mark) = self.mark.variable();
        let entry = json!({
            "command": program.words[0], "args": program.words[1..], "required": is_required,
            "env": {variable: mark, "INSTALLED": installed::modules()},
        });
        self.servers.insert(name.to_owned(), entry);
        self.write()
    }

    /// Adds a server over HTTP.
    pub(crate) fn listening(mut self, name: &str, program: &Program) -> Self {
        let server = Listening::start(program);
        self.servers.insert(name.to_owned(), json!({"url": server.url("/mcp"), "required": true}));
        self.listening.push(server);
        self.write()
    }

    /// Adds the official server for files, for the folder.
    pub(crate) fn with_files(self, is_required: bool) -> Self {
        let path = self.folder.path().canonicalize().unwrap();
        let program = installed::npm("filesystem", &[path.to_str().unwrap()]);
        self.with("files", &program, is_required)
    }

    fn write(self) -> Self {
        let text = json!({"mcpServers": self.servers}).to_string();
        std::fs::write(self.path(), text).unwrap();
        self
    }

    /// The file of the gateway.
    pub(crate) fn path(&self) -> std::path::PathBuf {
        self.folder.path().join(".mcp.json")
    }
}

/// A gateway over HTTP, which ends with the test.
pub(crate) struct Running {
    child: Child,
    pub(crate) url: String,
}

impl Running {
    /// Starts it, and waits until it listens.
    pub(crate) fn start(folder: &Path, more: &[&str]) -> Self {
        let mut command = Command::new(cargo_mcp());
        command.args(["mcp", "gateway", "--config", ".mcp.json", "--http", "127.0.0.1:0"]).args(more);
        let mut child = command.current_dir(folder).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(child.stderr.take().unwrap()).lines();
        let mut said = String::new();
        let url = lines.find_map(|line| {
            let line = line.unwrap();
            said.push_str(&line);
            said.push('\n');
            Some(line.split_once("listening at ")?.1.to_owned())
        });
        // Its later output must not fill the pipe.
        std::thread::spawn(move || lines.for_each(drop));
        Self { child, url: url.unwrap_or_else(|| panic!("the gateway ended:\n{said}")) }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // It ends its servers on SIGTERM.
        let told = Command::new("kill").args(["-TERM", &self.child.id().to_string()]).status();
        let start = Instant::now();
        while told.as_ref().is_ok_and(std::process::ExitStatus::success) && start.elapsed() < LIMIT {
            if self.child.try_wait().is_ok_and(|ended| ended.is_some()) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        // Both fail if it has ended.
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

/// Runs `cargo mcp` in a folder, and returns what it prints.
pub(crate) fn mcp(folder: &Path, words: &[&str]) -> String {
    let output = Command::new(cargo_mcp()).arg("mcp").args(words).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}
