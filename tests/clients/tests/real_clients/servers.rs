//! The two servers under test: where their binaries are, and how clients get at them.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde::Serialize;
use test_http::program::Program;

/// How a client gets at a server.
#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum Server {
    /// It starts a program and speaks to it over stdio.
    Command { command: Vec<String> },
    /// It sends requests to a program that listens, which ends with the plan.
    Listening {
        url: String,
        #[serde(skip)]
        _program: Program,
    },
}

impl Server {
    pub(crate) fn command(program: &Path, arguments: &[&str]) -> Self {
        let program = program.to_str().expect("paths of the build are UTF-8");
        let command = [&[program], arguments].concat().into_iter().map(str::to_owned).collect();
        Self::Command { command }
    }

    pub(crate) fn listening(program: &Path, arguments: &[&str], listen: &[&str]) -> Self {
        let program = Program::start(Command::new(program).args(arguments).args(listen));
        Self::Listening { url: format!("http://{}/mcp", program.address()), _program: program }
    }

    /// The words that name the server on a command line.
    pub(crate) fn words(&self) -> &[String] {
        match self {
            Self::Command { command } => command,
            Self::Listening { url, .. } => std::slice::from_ref(url),
        }
    }
}

/// The slow server of this package.
pub(crate) fn slow_server() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_slow-server"))
}

/// What `tests/setup.sh` installed as `name`.
pub(crate) fn installed(name: &str) -> PathBuf {
    let path = test_programs::repository().join("target/clients").join(name);
    assert!(path.exists(), "{} is not installed: run tests/setup.sh", path.display());
    path
}

/// A script of this package.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}
