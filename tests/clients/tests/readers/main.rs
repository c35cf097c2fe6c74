//! What `cargo mcp` writes, read by programs and schemas of others. `tests/setup.sh` installs them.

#[cfg(unix)]
mod bundle;
mod sarif;
mod typescript;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// Runs `cargo mcp` with these arguments.
fn cargo_mcp(args: &[&str]) -> Output {
    Command::new(test_programs::cargo_mcp()).arg("mcp").args(args).output().expect("cargo mcp starts")
}

/// The manifest of the retail example.
fn retail() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/retail/mcp.json")
}

/// The text of a path.
fn text(path: &Path) -> &str {
    path.to_str().expect("the path is UTF-8")
}

/// The packages for Node.js, of which this one must be installed.
fn node_modules(package: &str) -> PathBuf {
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/node/node_modules");
    assert!(modules.join(package).exists(), "{package} is not installed: run tests/setup.sh");
    modules
}
