//! Packages outside the workspace, with the dependencies of a user and no others.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

#[test]
fn dependencies_may_be_renamed() {
    run("renamed", "tools_of_wright = { package = \"toolwright\", path = \"{toolwright}\" }");
}

#[test]
fn tools_can_be_described_without_a_server() {
    run("definitions_only", "toolwright = { path = \"{toolwright}\", default-features = false }");
}

/// Builds and runs `crates/NAME.rs` as the `main.rs` of a separate package.
fn run(name: &str, dependency: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let package = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let toolwright = root.join("runtime/toolwright");
    let dependency = dependency.replace("{toolwright}", &toolwright.to_string_lossy().replace('\\', "/"));
    let manifest = format!(
        "[package]\nname = \"user-crate\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n{dependency}\nschemars = \"1\"\nserde = {{ version = \"1\", features = [\"derive\"] }}\n"
    );
    fs::create_dir_all(package.join("src")).unwrap();
    fs::write(package.join("Cargo.toml"), manifest).unwrap();
    // The versions that the workspace is tested with, which are on this machine already.
    fs::copy(root.join("Cargo.lock"), package.join("Cargo.lock")).unwrap();
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/crates").join(name).with_extension("rs");
    fs::copy(source, package.join("src/main.rs")).unwrap();

    let output = Command::new(env!("CARGO"))
        .args(["run", "--quiet", "--offline"])
        .current_dir(&package)
        .env("CARGO_TARGET_DIR", PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("target"))
        .output()
        .unwrap();
    assert!(output.status.success(), "{name}: {}", String::from_utf8_lossy(&output.stderr));
}
