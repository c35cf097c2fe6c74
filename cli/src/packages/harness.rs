//! Generates programs that only link libraries, so that a library package can be queried.
//!
//! A *harness* is a package with an empty `main` that links one library. All harnesses of a run are members of
//! one generated workspace under `<target>/toolwright/`, built by one `cargo build` into the user's target
//! folder, so that dependencies are not built twice. Everything that affects the build is copied from the user's
//! workspace: the lock file, `[patch]`, `[profile]` and the resolver. The libraries still inherit from their own
//! workspace.

use std::ffi::OsString;
use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

use cargo_metadata::Package;
use toml::{Table, Value};

use super::build::{Cargo, Program};
use super::lock::CargoLock;
use super::workspace::{Library, Workspace};
use crate::error::Error;
use crate::flags::BuildArgs;
use crate::text_file;

/// The built harnesses.
#[derive(Debug)]
pub(super) struct Harness {
    pub(super) programs: Vec<Program>,
    _lock: File,
}

/// Builds a harness for each library.
pub(super) fn build(
    cargo: &Cargo<'_>,
    workspace: &Workspace,
    libraries: &[Library<'_>],
) -> Result<Harness, Error> {
    let args = &cargo.args.build;
    let target = args.target_dir.as_deref().unwrap_or(workspace.target_directory());
    let target =
        std::path::absolute(target).map_err(|source| Error::Read { file: target.to_owned(), source })?;
    let files = files(workspace, libraries, args)?;
    let parent = target.join("toolwright");
    let lock = lock(&parent)?;
    let folder = write(&parent, &files)?;

    let mut flags: Vec<OsString> = vec![
        "--workspace".into(),
        "--manifest-path".into(),
        folder.join("Cargo.toml").into(),
        "--target-dir".into(),
        target.into(),
    ];
    // Not --locked: the user's lock file does not contain the harness. `check_lock` replaces it.
    if args.offline || args.frozen {
        flags.push("--offline".into());
    }
    flags.extend(args.profile_flags());
    let programs = cargo.build(&flags)?;
    let harness = Harness { programs, _lock: lock };
    if (args.locked || args.frozen)
        && let Err(error) = check_lock(workspace.root(), &folder)
    {
        harness.remove_programs();
        return Err(error);
    }
    Ok(harness)
}

impl Harness {
    /// Removes the programs from the folder with the user's programs, so that it is as after `cargo build`. They
    /// stay in cargo's `deps` folder, from where the next run restores them without building.
    pub(super) fn remove_programs(&self) {
        for program in &self.programs {
            for file in
                [program.file.clone(), program.file.with_extension("d"), program.file.with_extension("pdb")]
            {
                // A file that cannot be removed is harmless.
                _ = fs::remove_file(file);
            }
        }
    }
}

/// A file to write: its path relative to the harness's folder, and its text.
type GeneratedFile = (PathBuf, String);

fn files(
    workspace: &Workspace,
    libraries: &[Library<'_>],
    args: &BuildArgs,
) -> Result<Vec<GeneratedFile>, Error> {
    let mut files = vec![("Cargo.toml".into(), root_manifest(workspace.root(), libraries)?)];
    for library in libraries {
        let folder = PathBuf::from(library.package.name.as_str());
        files.push((folder.join("Cargo.toml"), member_manifest(library.package, args)?));
        files.push((folder.join("main.rs"), "extern crate library as _;\nfn main() {}\n".to_owned()));
    }
    if let Ok(lock) = fs::read_to_string(workspace.root().join("Cargo.lock")) {
        files.push(("Cargo.lock".into(), lock));
    }
    Ok(files)
}

/// The workspace of the harnesses.
fn root_manifest(users_root: &Path, libraries: &[Library<'_>]) -> Result<String, Error> {
    let file = users_root.join("Cargo.toml");
    let text = fs::read_to_string(&file).map_err(|source| Error::Read { file: file.clone(), source })?;
    let users: Table = toml::from_str(&text).map_err(|source| Error::Toml { file, source })?;

    let members = libraries.iter().map(|library| library.package.name.to_string()).collect::<Vec<_>>();
    let workspace = Table::from_iter([
        ("members".to_owned(), Value::from(members)),
        ("resolver".to_owned(), Value::from(resolver(&users))),
    ]);
    let mut root = Table::from_iter([("workspace".to_owned(), Value::Table(workspace))]);
    if let Some(profile) = users.get("profile") {
        root.insert("profile".to_owned(), profile.clone());
    }
    if let Some(patch) = users.get("patch") {
        let mut patch = patch.clone();
        make_paths_absolute(&mut patch, users_root);
        root.insert("patch".to_owned(), patch);
    }
    Ok(root.to_string())
}

/// Returns the resolver of the user's workspace, explicit or from the edition of its root package.
fn resolver(users: &Table) -> String {
    let text = |table: Option<&Value>, key: &str| Some(table?.get(key)?.as_str()?.to_owned());
    let (workspace, package) = (users.get("workspace"), users.get("package"));
    let said = text(workspace, "resolver").or_else(|| text(package, "resolver"));
    said.unwrap_or_else(|| {
        let inherited = || text(workspace?.get("package"), "edition");
        // A workspace without a root package uses the oldest resolver.
        let edition = package.and_then(|_| text(package, "edition").or_else(inherited));
        match edition.as_deref() {
            None | Some("2015" | "2018") => "1",
            Some("2021") => "2",
            Some(_) => "3",
        }
        .to_owned()
    })
}

/// `[patch.source.name] path = "…"` is relative to the user's Cargo.toml.
fn make_paths_absolute(patch: &mut Value, root: &Path) {
    let sources = patch.as_table_mut().into_iter().flat_map(|sources| sources.iter_mut());
    for (_, names) in sources {
        for (_, details) in names.as_table_mut().into_iter().flat_map(|names| names.iter_mut()) {
            if let Some(Value::String(path)) = details.get_mut("path") {
                *path = root.join(&*path).to_string_lossy().into_owned();
            }
        }
    }
}

/// Generates one harness: a package that depends on one library, with the features that the user selected.
fn member_manifest(package: &Package, args: &BuildArgs) -> Result<String, Error> {
    let folder = package.manifest_path.parent().unwrap_or(&package.manifest_path);
    let dependency = Table::from_iter([
        ("package".to_owned(), Value::from(package.name.as_str())),
        ("path".to_owned(), Value::from(folder.as_str())),
        ("default-features".to_owned(), Value::from(!args.features.no_default_features)),
        ("features".to_owned(), Value::from(features(package, args)?)),
    ]);
    let name = format!("toolwright-harness-{}", package.name);
    let program = Table::from_iter([
        ("name".to_owned(), Value::from(name.as_str())),
        ("path".to_owned(), Value::from("main.rs")),
    ]);
    let about = Table::from_iter([
        ("name".to_owned(), Value::from(name.as_str())),
        ("version".to_owned(), Value::from("0.0.0")),
        ("edition".to_owned(), Value::from("2021")),
        ("publish".to_owned(), Value::from(false)),
    ]);
    let manifest = Table::from_iter([
        ("package".to_owned(), Value::Table(about)),
        ("bin".to_owned(), Value::Array(vec![Value::Table(program)])),
        (
            "dependencies".to_owned(),
            Value::Table(Table::from_iter([("library".to_owned(), Value::Table(dependency))])),
        ),
    ]);
    Ok(manifest.to_string())
}

/// Returns the enabled features, sorted, since a different order would cause a rebuild.
fn features(package: &Package, args: &BuildArgs) -> Result<Vec<String>, Error> {
    let mut features: Vec<String> = if args.features.all_features {
        package.features.keys().cloned().collect()
    } else {
        args.feature_names()
            .filter_map(|name| feature(package, name).transpose())
            .collect::<Result<_, _>>()?
    };
    features.sort();
    features.dedup();
    Ok(features)
}

/// Returns the feature of the package that `name` refers to: `None` for one of another package
/// (`package/feature`).
fn feature(package: &Package, name: &str) -> Result<Option<String>, Error> {
    let (of, name) = name.split_once('/').map_or((None, name), |(of, name)| (Some(of), name));
    match of {
        Some(of) if package.name.as_str() != of => {
            let is_dependency = package.dependencies.iter().any(|dependency| {
                dependency.rename.as_deref().unwrap_or(&dependency.name) == of.trim_end_matches('?')
            });
            if is_dependency {
                let feature = format!("{of}/{name}");
                return Err(Error::DependencyFeature { package: package.name.to_string(), feature });
            }
            Ok(None)
        }
        _ if package.features.contains_key(name) => Ok(Some(name.to_owned())),
        _ => Err(Error::UnknownFeature {
            package: package.name.to_string(),
            feature: name.to_owned(),
            known: package.features.keys().cloned().collect(),
        }),
    }
}

/// Writes the files to a folder named after their digest, so that a repeated run finds the existing build.
fn write(parent: &Path, files: &[GeneratedFile]) -> Result<PathBuf, Error> {
    let mut hasher = DefaultHasher::new();
    files.hash(&mut hasher);
    let folder = parent.join(format!("{:016x}", hasher.finish()));
    for (path, text) in files {
        let file = folder.join(path);
        // Cargo adds the harness to its copy of the lock file, so an existing one is kept.
        if file.is_file() {
            continue;
        }
        text_file::write(&file, text)?;
    }
    Ok(folder)
}

/// Locks the target folder: a run must not remove the programs of another one before they were queried.
fn lock(parent: &Path) -> Result<File, Error> {
    let path = parent.join("lock");
    let locked = fs::create_dir_all(parent).and_then(|()| File::create(&path)).and_then(|file| {
        file.lock()?;
        Ok(file)
    });
    locked.map_err(|source| Error::Write { file: path, source })
}

/// Implements `--locked` for a harness: it may only use external packages that the user's lock file contains.
fn check_lock(root: &Path, folder: &Path) -> Result<(), Error> {
    let Some(built) = CargoLock::read(folder) else { return Ok(()) };
    let missing = match CargoLock::read(root) {
        Some(users) => built.not_in(&users),
        None => vec!["anything: it does not exist".to_owned()],
    };
    if missing.is_empty() { Ok(()) } else { Err(Error::Locked { missing }) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_resolver(manifest: &str, expected: &str) {
        assert_eq!(resolver(&toml::from_str(manifest).unwrap()), expected, "{manifest}");
    }

    #[test]
    fn the_resolver_is_the_one_of_the_users_workspace() {
        check_resolver("[workspace]\nresolver = \"2\"", "2");
        check_resolver("[package]\nresolver = \"1\"\nedition = \"2024\"", "1");
        check_resolver("[package]\nedition = \"2024\"", "3");
        check_resolver("[package]\nedition = \"2021\"", "2");
        check_resolver("[package]\nname = \"old\"", "1");
        check_resolver("[workspace]\nmembers = []", "1");
        check_resolver("[workspace.package]\nedition = \"2024\"\n[package]\nedition.workspace = true", "3");
    }

    #[test]
    fn patches_and_profiles_are_copied_with_absolute_paths() {
        let users = tempfile::tempdir().unwrap();
        let text = "[patch.crates-io]\nserde = { path = \"vendored/serde\" }\nother = { git = \"https://x\" }\n\
                    [profile.release]\nlto = \"fat\"";
        fs::write(users.path().join("Cargo.toml"), text).unwrap();
        let root: Table = root_manifest(users.path(), &[]).unwrap().parse().unwrap();
        assert_eq!(root["profile"]["release"]["lto"].as_str(), Some("fat"));
        let serde = root["patch"]["crates-io"]["serde"]["path"].as_str().unwrap();
        assert_eq!(Path::new(serde), users.path().join("vendored/serde"));
        assert_eq!(root["patch"]["crates-io"]["other"]["git"].as_str(), Some("https://x"));
    }
}
