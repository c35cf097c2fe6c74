//! Where the crate `toolwright` is: in a clone, or in the registry.

use std::fmt;
use std::fs;
use std::path::{Component, Path, PathBuf};

use toml::{Table, Value};

use crate::error::{Error, ModuleError};
use crate::exit::Exit;

/// The crate in a clone of Toolwright's repository.
const IN_CLONE: &str = "runtime/toolwright";

/// How many folders beside the new one are looked at.
const MAX_SIBLINGS: usize = 1_000;

/// What a new package depends on.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Dependency {
    /// The crate in this folder, absolute or relative to the new package.
    Path(PathBuf),
    /// The version of this program, from the registry.
    Published,
}

/// Why the dependency cannot be written.
#[derive(Debug, thiserror::Error)]
enum DependencyError {
    #[error(
        "no crate `toolwright` in {}: pass a clone of Toolwright's repository, or its folder {IN_CLONE}", .folder.display()
    )]
    NotToolwright { folder: PathBuf },
}

impl From<DependencyError> for Error {
    fn from(error: DependencyError) -> Self {
        Self::Module(ModuleError::new(Exit::Usage, error))
    }
}

impl Dependency {
    /// Finds the crate for a package that will be created at `package`: in the folder that the user gave, in the clone that
    /// this program was built from, in a clone or workspace around or beside the package or the current directory, or else
    /// in the registry.
    ///
    /// # Errors
    /// [`Error::Read`] if the given folder does not exist, and an error if it does not contain the crate.
    pub(super) fn find(given: Option<&Path>, package: &Path) -> Result<Self, Error> {
        if let Some(folder) = given {
            let read =
                folder.canonicalize().map_err(|source| Error::Read { file: folder.to_owned(), source })?;
            let found = of_clone(&read);
            return Ok(Self::Path(
                found.ok_or_else(|| DependencyError::NotToolwright { folder: folder.to_owned() })?,
            ));
        }
        let this_program = Path::new(env!("CARGO_MANIFEST_DIR"));
        Ok(Self::search(package, std::env::current_dir().ok().as_deref(), this_program))
    }

    /// The same for no given folder, in the current directory `here`; the source of this program is, or was, in
    /// `this_program`.
    fn search(package: &Path, here: Option<&Path>, this_program: &Path) -> Self {
        // In the registry, the crates of a workspace are not in its folders, so nothing is found for an installed program.
        if let Some(found) = this_program.parent().and_then(of_clone) {
            return Self::Path(found);
        }
        let Ok(package) = std::path::absolute(package) else { return Self::Published };
        let places = [package.parent(), here];
        let found = places.into_iter().flatten().find_map(near);
        found.map_or(Self::Published, |found| Self::Path(relative(&package, &found)))
    }

    /// Returns the value of `toolwright = …` in a Cargo.toml.
    pub(super) fn to_toml(&self, features: &[&str]) -> String {
        let source = match self {
            Self::Path(path) => format!("path = {}", text(path)),
            Self::Published => {
                let version = Value::from(env!("CARGO_PKG_VERSION")).to_string();
                if features.is_empty() {
                    return version;
                }
                format!("version = {version}")
            }
        };
        if features.is_empty() {
            return format!("{{ {source} }}");
        }
        let features: Vec<_> = features.iter().map(|feature| format!("{feature:?}")).collect();
        format!("{{ {source}, features = [{}] }}", features.join(", "))
    }

    /// Returns the step of a CI job that installs `cargo mcp`.
    pub(super) fn to_ci_step(&self) -> String {
        match self {
            Self::Published => {
                format!("      - run: cargo install toolwright-cli@{} --locked", env!("CARGO_PKG_VERSION"))
            }
            Self::Path(path) => {
                let clone = path.ancestors().nth(2).unwrap_or(path).join("cli");
                // A JSON string is a YAML string.
                let command =
                    serde_json::json!(format!("cargo install --path '{}' --locked", clone.display()));
                format!(
                    "      # `toolwright` in Cargo.toml is a path: before the steps that build, check out Toolwright there, \
                     or depend\n      # on a published version and install `toolwright-cli`.\n      - run: {command}"
                )
            }
        }
    }
}

impl fmt::Display for Dependency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Path(path) => write!(f, "the crate toolwright in {}", path.display()),
            Self::Published => write!(f, "toolwright {} from the registry", env!("CARGO_PKG_VERSION")),
        }
    }
}

/// Formats a path for a Cargo.toml, which has `/` on every system.
fn text(path: &Path) -> Value {
    let text = path.to_string_lossy();
    Value::from(if cfg!(windows) { text.replace('\\', "/") } else { text.into_owned() })
}

/// Returns the crate if the folder is a clone of the repository, or the crate itself.
fn of_clone(folder: &Path) -> Option<PathBuf> {
    let is_toolwright = |folder: &Path| {
        let package = cargo_toml(folder)?.get("package")?.get("name")?.as_str() == Some("toolwright");
        package.then(|| folder.to_owned())
    };
    is_toolwright(folder).or_else(|| is_toolwright(&folder.join(IN_CLONE)))
}

/// Returns the crate that a package or workspace in this folder depends on by path.
fn of_dependent(folder: &Path) -> Option<PathBuf> {
    let cargo_toml = cargo_toml(folder)?;
    let workspace = cargo_toml.get("workspace").and_then(|workspace| workspace.get("dependencies"));
    let tables = [workspace, cargo_toml.get("dependencies")];
    let path =
        tables.into_iter().flatten().find_map(|table| table.get("toolwright")?.get("path")?.as_str())?;
    of_clone(&folder.join(path).canonicalize().ok()?)
}

fn cargo_toml(folder: &Path) -> Option<Table> {
    fs::read_to_string(folder.join("Cargo.toml")).ok()?.parse().ok()
}

/// Returns the crate of the clone or workspace that contains the folder, or is directly in it.
fn near(folder: &Path) -> Option<PathBuf> {
    let of = |folder: &Path| of_clone(folder).or_else(|| of_dependent(folder));
    folder.ancestors().find_map(of).or_else(|| {
        let mut beside: Vec<_> = fs::read_dir(folder).ok()?.flatten().take(MAX_SIBLINGS).collect();
        beside.sort_by_key(fs::DirEntry::file_name);
        beside.iter().find_map(|entry| of(&entry.path()))
    })
}

/// Returns `to` relative to the folder `from`; both are absolute.
fn relative(from: &Path, to: &Path) -> PathBuf {
    let (from, to): (Vec<_>, Vec<_>) = (from.components().collect(), to.components().collect());
    let common = from.iter().zip(&to).take_while(|(left, right)| left == right).count();
    // Nothing in common, such as another drive: there is no relative path.
    if to[..common].iter().all(|one| !matches!(one, Component::RootDir)) {
        return to.iter().collect();
    }
    let up = from[common..].iter().map(|_| Component::ParentDir);
    up.chain(to[common..].iter().copied()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Writes a Cargo.toml.
    fn write(folder: &Path, text: &str) {
        fs::create_dir_all(folder).unwrap();
        fs::write(folder.join("Cargo.toml"), text).unwrap();
    }

    #[test]
    fn a_clone_or_workspace_around_or_beside_is_found() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().canonicalize().unwrap();
        let nowhere = root.join("registry/toolwright-cli-0.1.0");
        let search = |package: &str| Dependency::search(&root.join(package), None, &nowhere);
        assert_eq!(search("a/shop"), Dependency::Published);

        write(&root.join("a/clone/runtime/toolwright"), "[package]\nname = \"toolwright\"\n");
        // Another crate in a folder of the same name is not it.
        write(&root.join("b/other/runtime/toolwright"), "[package]\nname = \"other\"\n");
        write(
            &root.join("c/team"),
            "[workspace.dependencies]\ntoolwright = { path = \"../../a/clone/runtime/toolwright\" }\n",
        );
        for (package, expected) in [
            ("a/shop", Some("../clone/runtime/toolwright")),
            ("a/clone/examples/shop", Some("../../runtime/toolwright")),
            ("b/shop", None),
            ("c/shop", Some("../../a/clone/runtime/toolwright")),
            ("c/team/shop", Some("../../../a/clone/runtime/toolwright")),
        ] {
            let expected = expected.map_or(Dependency::Published, |path| Dependency::Path(path.into()));
            assert_eq!(search(package), expected, "{package}");
        }

        let from_there = Dependency::search(&root.join("b/shop"), Some(&root.join("a")), &nowhere);
        assert_eq!(from_there, Dependency::Path("../../a/clone/runtime/toolwright".into()));
        let of_program = Dependency::search(&root.join("b/shop"), None, &root.join("a/clone/cli"));
        assert_eq!(of_program, Dependency::Path(root.join("a/clone/runtime/toolwright")));
    }

    #[test]
    fn a_dependency_is_written_as_cargo_reads_it() {
        let version = env!("CARGO_PKG_VERSION");
        assert_eq!(Dependency::Published.to_toml(&[]), format!("\"{version}\""));
        let path = Dependency::Path("a \"b\"/toolwright".into());
        for (dependency, features) in
            [(&Dependency::Published, &["http"][..]), (&path, &[]), (&path, &["a", "b"])]
        {
            let line = format!("toolwright = {}", dependency.to_toml(features));
            let table: Table = line.parse().unwrap();
            let value = &table["toolwright"];
            let expected = if dependency == &path { "path" } else { "version" };
            assert!(value.get(expected).is_some(), "{line}");
            let found = value.get("features").and_then(Value::as_array).map_or(0, Vec::len);
            assert_eq!(found, features.len(), "{line}");
        }
    }
}
