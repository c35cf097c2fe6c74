//! Programs of this repository that tests run.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use serde_json::Value;

/// The programs, and the packages that they belong to.
const BUILT: [(&str, &str); 2] = [("cargo-mcp", "toolwright-cli"), ("worker", "worker")];

/// Returns the path of `cargo-mcp`.
///
/// # Panics
/// If it does not build.
pub fn cargo_mcp() -> &'static Path {
    &built()[0]
}

/// Returns the path of the example `worker`.
///
/// # Panics
/// If it does not build.
pub fn worker() -> &'static Path {
    &built()[1]
}

/// Returns the folder of the repository.
pub fn repository() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// Builds all of them at once, so that features are the same whichever a test asks for. Cargo only tells a test the
/// binaries of its own package, so this runs Cargo.
fn built() -> &'static [PathBuf] {
    static PATHS: OnceLock<Vec<PathBuf>> = OnceLock::new();
    PATHS.get_or_init(|| {
        let mut command = Command::new(env!("CARGO"));
        command.args(["build", "--quiet", "--message-format", "json-render-diagnostics"]);
        for (program, package) in BUILT {
            command.args(["--package", package, "--bin", program]);
        }
        // Variables of this test would make build scripts run again, and what depends on them.
        let of_test =
            std::env::vars().map(|(name, _)| name).filter(|name| name.starts_with("CARGO_MANIFEST_"));
        of_test.for_each(|name| _ = command.env_remove(name));
        let output = command.current_dir(repository()).output().expect("cargo starts");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let lines = String::from_utf8(output.stdout).expect("cargo writes UTF-8");
        let messages: Vec<Value> = lines.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        let path = |program| {
            let mut executables = messages.iter().filter(|message| message["target"]["name"] == program);
            executables.find_map(|message| message["executable"].as_str().map(PathBuf::from))
        };
        BUILT.map(|(program, _)| path(program).expect("cargo names the binary")).into()
    })
}
