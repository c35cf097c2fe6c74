//! The server under test, in a separate process.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

/// A running server; dropping it ends the process.
pub(crate) struct Server {
    process: Child,
    url: String,
}

impl Server {
    /// Starts it on a port that the system chooses, and waits until it listens.
    pub(crate) fn start() -> Self {
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_conformance-server")).env("PORT", "0"))
    }

    /// Starts a proxy in front of this one, which speaks `revision` to it.
    pub(crate) fn behind_a_proxy(&self, revision: &str) -> Self {
        Self::spawn(Command::new(env!("CARGO_BIN_EXE_conformance-proxy")).args([self.url(), revision]))
    }

    fn spawn(command: &mut Command) -> Self {
        let mut process =
            command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().expect("the server starts");
        let mut url = String::new();
        let read = BufReader::new(process.stdout.take().expect("piped")).read_line(&mut url);
        let server = Self { process, url: url.trim().to_owned() };
        read.expect("the server says where it listens");
        assert!(server.url.starts_with("http://"), "the server ended before it listened");
        server
    }

    pub(crate) fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have exited by itself, which the suite has detected.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}
