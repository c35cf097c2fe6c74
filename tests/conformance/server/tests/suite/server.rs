//! The server under test, in a separate process.

use std::io::{BufRead, BufReader, Read};
use std::process::{Child, Command, Stdio};

use serde_json::json;
use tempfile::TempDir;
use test_programs::cargo_mcp;

/// A running server; dropping it ends the process.
pub(crate) struct Server {
    process: Child,
    url: String,
    /// The folder with its configuration.
    _folder: Option<TempDir>,
}

impl Server {
    /// Starts it on a port that the system chooses, and waits until it listens.
    pub(crate) fn start() -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_conformance-server"));
        let mut process = command.env("PORT", "0").stdout(Stdio::piped()).spawn().expect("the server starts");
        let url = read_url(process.stdout.take().expect("piped"), "");
        Self { process, url, _folder: None }
    }

    /// Starts `cargo mcp gateway` in front of this one.
    pub(crate) fn behind_a_gateway(&self) -> Self {
        let folder = tempfile::tempdir().expect("a folder can be created");
        let config = json!({"mcpServers": {"fixture": {"url": self.url}}}).to_string();
        std::fs::write(folder.path().join(".mcp.json"), config).expect("the folder can be written");
        let mut command = Command::new(cargo_mcp());
        command.args(["mcp", "gateway", "--config", ".mcp.json", "--http", "127.0.0.1:0", "--plain-names"]);
        let command = command.current_dir(folder.path()).stderr(Stdio::piped());
        let mut process = command.spawn().expect("the gateway starts");
        let url = read_url(process.stderr.take().expect("piped"), "listening at ");
        Self { process, url, _folder: Some(folder) }
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

/// Reads the URL that a server writes after `before`. What it writes later is dropped.
fn read_url(output: impl Read + Send + 'static, before: &str) -> String {
    let mut lines = BufReader::new(output).lines().map_while(Result::ok);
    let url = lines.find_map(|line| Some(line[line.find(before)? + before.len()..].trim().to_owned()));
    std::thread::spawn(move || lines.for_each(drop));
    url.filter(|url| url.starts_with("http://")).expect("the server listens")
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited by itself, which the suite has detected.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
