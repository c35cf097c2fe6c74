//! The files and packages of this repository, for its rules.

pub mod modules;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use cargo_metadata::{DependencyKind, Metadata, MetadataCommand, Package, PackageId};

/// The root of the repository.
pub fn root() -> &'static Path {
    Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../.."))
}

/// A text file of the repository.
#[derive(Debug)]
pub struct SourceFile {
    /// Its path from the root, with `/` between the parts.
    pub path: String,
    /// Its contents.
    pub text: String,
}

impl SourceFile {
    /// The lines of code, with their numbers from 1; lines that consist of a comment are skipped.
    pub fn code_lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.lines().filter(|(_, line)| !line.trim_start().starts_with("//"))
    }

    /// All lines, with their numbers from 1.
    pub fn lines(&self) -> impl Iterator<Item = (usize, &str)> {
        self.text.lines().enumerate().map(|(index, line)| (index + 1, line))
    }
}

/// The paths that Git tracks or would add, from the root.
///
/// # Panics
///
/// When Git does not list them, or lists none.
pub fn paths() -> Vec<String> {
    let output = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root())
        .output()
        .expect("git lists the files");
    assert!(output.status.success(), "git: {}", String::from_utf8_lossy(&output.stderr));
    let listed = String::from_utf8(output.stdout).expect("paths are UTF-8");
    let paths: Vec<String> =
        listed.split_terminator('\0').filter(|path| root().join(path).is_file()).map(str::to_owned).collect();
    assert!(!paths.is_empty(), "git lists no files");
    paths
}

/// The text files of the repository for whose path `wanted` holds. Lock files are written by tools and left out.
pub fn files(wanted: impl Fn(&str) -> bool) -> Vec<SourceFile> {
    paths()
        .into_iter()
        .filter(|path| !path.ends_with("Cargo.lock") && !path.ends_with("package-lock.json") && wanted(path))
        .filter_map(|path| Some(SourceFile { text: std::fs::read_to_string(root().join(&path)).ok()?, path }))
        .collect()
}

/// The Rust files of the repository for whose path `wanted` holds.
pub fn rust_files(wanted: impl Fn(&str) -> bool) -> Vec<SourceFile> {
    files(|path| has_extension(path, "rs") && wanted(path))
}

/// Whether a path ends in `.extension`.
pub fn has_extension(path: &str, extension: &str) -> bool {
    PathBuf::from(path).extension().is_some_and(|found| found == extension)
}

/// What cargo says about the workspace and everything that it depends on.
///
/// # Panics
///
/// When cargo says nothing.
pub fn metadata() -> Metadata {
    MetadataCommand::new()
        .manifest_path(root().join("Cargo.toml"))
        .exec()
        .expect("cargo describes the workspace")
}

/// The names of everything that a user of the package compiles: its dependencies and theirs, without itself.
///
/// # Panics
///
/// When the workspace has no such package.
pub fn dependency_closure(metadata: &Metadata, package: &str) -> BTreeSet<String> {
    let nodes = &metadata.resolve.as_ref().expect("cargo resolves the dependencies").nodes;
    let mut seen = BTreeSet::<&PackageId>::new();
    let mut waiting = vec![&member(metadata, package).id];
    while let Some(id) = waiting.pop() {
        let node = nodes.iter().find(|node| node.id == *id).expect("each package is resolved");
        let compiled = node.deps.iter().filter(|dependency| {
            dependency.dep_kinds.iter().any(|kind| kind.kind != DependencyKind::Development)
        });
        waiting.extend(compiled.map(|dependency| &dependency.pkg).filter(|id| seen.insert(id)));
    }
    seen.into_iter().map(|id| metadata[id].name.to_string()).collect()
}

/// A package of the workspace.
///
/// # Panics
///
/// When the workspace has no such package.
pub fn member<'a>(metadata: &'a Metadata, name: &str) -> &'a Package {
    let mut packages = metadata.workspace_packages().into_iter();
    packages.find(|package| package.name == name).unwrap_or_else(|| panic!("no package `{name}`"))
}
