//! The two servers under test: where their binaries are.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

/// The slow server of this package.
pub(crate) fn slow_server() -> PathBuf {
    PathBuf::from(env!("CARGO_BIN_EXE_slow-server"))
}

/// The `retail` example, built when it is not up to date. Cargo hands a test only the binaries of its own
/// package, so it is asked.
pub(crate) fn retail() -> PathBuf {
    let output = Command::new(env!("CARGO"))
        .args(["build", "--quiet", "--package", "retail", "--message-format", "json-render-diagnostics"])
        .current_dir(workspace())
        .output()
        .expect("cargo starts");
    assert!(output.status.success(), "retail does not build:\n{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout)
        .expect("cargo writes UTF-8")
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == "retail")
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
        .expect("cargo names the binary of retail")
}

/// What `tests/setup.sh` installed as `name`.
pub(crate) fn installed(name: &str) -> PathBuf {
    let path = workspace().join("target/clients").join(name);
    assert!(path.exists(), "{} is not installed: run tests/setup.sh", path.display());
    path
}

/// A script of this package.
pub(crate) fn script(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

fn workspace() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}
