//! Programs of this repository that tests start. Cargo only tells a test the binaries of its own package.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The variable with the folder in which `tests/run.sh` has built all programs, with the features of the whole
/// workspace. Without it, Cargo is asked to build these here.
const FOLDER: &str = "TEST_PROGRAMS";

/// The programs, and the packages that they belong to.
const PROGRAMS: [(&str, &str); 3] =
    [("cargo-mcp", "toolwright-cli"), ("retail", "retail"), ("worker", "worker")];

/// Returns the path of `cargo-mcp`.
///
/// # Panics
/// If it is not there and does not build.
pub fn cargo_mcp() -> &'static Path {
    &paths()[0]
}

/// Returns the path of the example `retail`.
///
/// # Panics
/// If it is not there and does not build.
pub fn retail() -> &'static Path {
    &paths()[1]
}

/// Returns the path of the example `worker`.
///
/// # Panics
/// If it is not there and does not build.
pub fn worker() -> &'static Path {
    &paths()[2]
}

/// Returns the folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

fn paths() -> &'static [PathBuf] {
    static PATHS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    PATHS.get_or_init(|| env::var_os(FOLDER).map_or_else(build, |folder| find(Path::new(&folder))))
}

fn find(folder: &Path) -> Vec<PathBuf> {
    let path = |(program, _)| {
        let path = folder.join(program).with_extension(env::consts::EXE_EXTENSION);
        assert!(path.exists(), "there is no {}, where ${FOLDER} says that programs are", path.display());
        path
    };
    PROGRAMS.map(path).into()
}

/// Builds all of them at once, and with all features, so that they are the same whichever a test asks for.
fn build() -> Vec<PathBuf> {
    let mut command = Command::new(env!("CARGO"));
    command.args(["build", "--quiet", "--all-features", "--message-format", "json-render-diagnostics"]);
    for (program, package) in PROGRAMS {
        command.args(["--package", package, "--bin", program]);
    }
    // Variables of this test would make build scripts run again, and what depends on them.
    let of_test = env::vars().map(|(name, _)| name).filter(|name| name.starts_with("CARGO_MANIFEST_"));
    of_test.for_each(|name| _ = command.env_remove(name));
    let output = command.current_dir(repository()).output().expect("cargo starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
    let messages: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let path = |program| {
        let mut executables = messages.iter().filter(|message| message["target"]["name"] == program);
        executables.find_map(|message| message["executable"].as_str().map(PathBuf::from))
    };
    PROGRAMS.map(|(program, _)| path(program).expect("cargo names the binary")).into()
}
