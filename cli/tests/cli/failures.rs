//! Failures, each with its exit code and the next step.

use std::env;
use std::fs;

use crate::common::{folder, manifest, manifest_with, scratch, target};

#[test]
fn a_package_without_tools_is_reported_and_not_run() {
    let run = manifest("members", "-p plain").ended(5);
    run.says(&["no tools in package `plain`", "derive(toolwright::Tool)"]);
    assert!(!folder("members").join("plain/main-ran").exists());
}

#[test]
fn a_build_failure_is_shown_once_with_the_command_to_repeat_it() {
    let run = manifest("broken", "--release").ended(3);
    assert_eq!(run.stderr.matches("mismatched types").count(), 1, "{}", run.stderr);
    run.says(&["the build failed (exit status: 101)", "build --release"]);
}

#[test]
fn invalid_definitions_are_reported_with_their_tool() {
    let run = manifest("panics", "").ended(4);
    assert_eq!(run.stdout, "");
    run.says(&[
        "did not list its tools",
        "the definition of the tool `fails` at src/main.rs:",
        "no default today",
    ]);
}

#[test]
fn a_file_without_toolwright_is_not_run() {
    let scratch = scratch();
    let script = scratch.path().join("script");
    fs::write(&script, "#!/bin/sh\necho ran > ran\n").unwrap();
    let run = manifest_with(scratch.path(), "--artifact script", |_| {}).ended(4);
    run.says(&["script does not use Toolwright"]);
    assert!(!scratch.path().join("ran").exists());
    manifest_with(scratch.path(), "--artifact missing", |_| {}).ended(6).says(&["cannot read", "missing"]);
}

/// The bytes of the marker elsewhere in a program do not count.
#[test]
fn a_program_with_only_the_marker_bytes_is_not_run() {
    let run = manifest("marked", "").ended(5);
    run.says(&["no tools in package `marked`"]);
    let program = target().join("debug/marked");
    assert!(fs::read(&program).unwrap().windows(20).any(|part| part == b"toolwright: this pro"));
    let scratch = scratch();
    let artifact = format!("--artifact {}", program.display());
    manifest_with(scratch.path(), &artifact, |_| {}).ended(4).says(&["does not use Toolwright"]);
    assert!(!scratch.path().join("main-ran").exists() && !folder("marked").join("main-ran").exists());
}

#[test]
fn a_program_that_does_not_answer_is_ended_in_time() {
    let run = manifest("stuck", "--timeout 1").ended(4);
    assert!(!run.stderr.contains('\u{1b}'), "{}", run.stderr);
    run.says(&[
        "did not list its tools within 1 seconds (--timeout) and was killed",
        "\n  | waiting\n  | ::warning::for \\u{1b}[2Jever\n",
    ]);
    manifest("stuck", "--timeout 0").ended(2);
    manifest("stuck", "--timeout 99999999999").ended(2);
}

#[test]
fn a_folder_without_a_package_is_reported() {
    let outside = tempfile::tempdir().unwrap();
    manifest_with(outside.path(), "", |_| {}).ended(3).says(&["could not find `Cargo.toml`"]);
}

#[test]
fn unknown_packages_and_features_name_the_known_ones() {
    manifest("members", "-p tolls").ended(2).says(&["unknown package `tolls`", "tools"]);
    manifest("library", "-F repots").ended(2).says(&["no feature `repots`", "reports"]);
    manifest("members", "-p plain --lib").ended(2).says(&["has no library"]);
}

#[test]
fn wrong_flags_end_with_the_usage_code() {
    manifest("program", "--out a --check b").ended(2).says(&["cannot be used with"]);
    manifest("program", "--artifact a --release").ended(2).says(&["cannot be used with"]);
}

#[test]
fn the_help_lists_the_exit_codes() {
    let run = manifest("program", "--help").ok();
    assert!(run.stdout.contains("Exit codes:\n  0    success"), "{}", run.stdout);
}

#[test]
fn another_cargo_mcp_first_on_the_path_is_noted() {
    let scratch = scratch();
    let other = scratch.path().join(format!("cargo-mcp{}", env::consts::EXE_SUFFIX));
    fs::write(&other, "").unwrap();
    let path = |folder: &std::path::Path| {
        let old = env::var_os("PATH").unwrap();
        env::join_paths(std::iter::once(folder.to_owned()).chain(env::split_paths(&old))).unwrap()
    };
    let run = manifest_with(&folder("program"), "", |command| {
        command.env("PATH", path(scratch.path()));
    });
    run.ok().says(&["note: another cargo-mcp is first on the PATH", other.to_str().unwrap()]);

    let own = std::path::Path::new(env!("CARGO_BIN_EXE_cargo-mcp")).parent().unwrap();
    let run = manifest_with(&folder("program"), "", |command| {
        command.env("PATH", path(own));
    });
    assert!(!run.ok().stderr.contains("another cargo-mcp"));
}
