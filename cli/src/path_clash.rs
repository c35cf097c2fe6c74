//! Detects another `cargo-mcp` that comes first on the PATH: another published package has a program with this name.

use std::env;
use std::path::{Path, PathBuf};

/// Returns the other program, if `cargo mcp` or `cargo-mcp` on this PATH would not start the running one.
pub(crate) fn find() -> Option<Clash> {
    let running = env::current_exe().ok()?.canonicalize().ok()?;
    let first = first_on_path(&env::var_os("PATH")?)?;
    clash(&first, &running)
}

/// A program that precedes the running one on the PATH.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Clash {
    first: PathBuf,
    running: PathBuf,
}

fn first_on_path(path: &std::ffi::OsStr) -> Option<PathBuf> {
    let name = format!("cargo-mcp{}", env::consts::EXE_SUFFIX);
    env::split_paths(path).map(|folder| folder.join(&name)).find(|file| file.is_file())
}

/// Returns the clash, if any; links to the running program are none.
fn clash(first: &Path, running: &Path) -> Option<Clash> {
    let is_running = first.canonicalize().is_ok_and(|file| file == running);
    (!is_running).then(|| Clash { first: first.to_owned(), running: running.to_owned() })
}

impl std::fmt::Display for Clash {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "another cargo-mcp is first on the PATH, so `cargo mcp` may start that one: {}\n  this is: {}\n  \
             put this one's folder first, or uninstall the other",
            self.first.display(),
            self.running.display()
        )
    }
}
