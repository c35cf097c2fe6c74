//! The selected packages, and their targets.

use std::collections::BTreeSet;
use std::env;
use std::path::{Path, PathBuf};

use cargo_metadata::{DependencyKind, Metadata, Package, Target, TargetKind};

use super::build::Cargo;
use super::documents::{About, Release};
use super::lock::CargoLock;
use super::query::ProgramAnswer;
use crate::error::Error;
use crate::flags::PackageArgs;
use crate::text_file;

/// The user's workspace.
#[derive(Debug)]
pub(super) struct Workspace {
    /// `cargo metadata --no-deps`: the members and their targets. It is fast, since dependencies are not
    /// resolved.
    metadata: Metadata,
}

impl Workspace {
    /// Loads the workspace of the current folder or of `--manifest-path`.
    pub(super) fn load(cargo: &Cargo<'_>) -> Result<Self, Error> {
        Ok(Self { metadata: cargo.metadata()? })
    }

    /// The folder of the workspace's Cargo.toml.
    pub(super) fn root(&self) -> &Path {
        self.metadata.workspace_root.as_std_path()
    }

    /// Returns cargo's target folder, unless `--target-dir` is given.
    pub(super) fn target_directory(&self) -> &Path {
        self.metadata.target_directory.as_std_path()
    }

    /// The `metadata` tables of the workspace and of this package, each with its name.
    pub(super) fn metadata_of(&self, package: &str) -> Vec<(String, serde_json::Value)> {
        let mut metadata =
            vec![("[workspace.metadata.mcp.lint]".to_owned(), self.metadata.workspace_metadata.clone())];
        let package = self.members().find(|member| member.name.as_str() == package);
        metadata.extend(package.map(|package| {
            (format!("[package.metadata.mcp.lint] of `{}`", package.name), package.metadata.clone())
        }));
        metadata
    }

    /// Returns information from the package's Cargo.toml; empty for a package of another workspace.
    pub(super) fn about(&self, package: &str) -> About {
        let Some(package) = self.members().find(|member| member.name.as_str() == package) else {
            return About::default();
        };
        About {
            description: package.description.clone(),
            repository: package.repository.clone(),
            homepage: package.homepage.clone(),
            documentation: package.documentation.clone(),
            keywords: package.keywords.clone(),
            license: package.license.clone(),
            authors: package.authors.clone(),
            release: Some(release(package)),
        }
    }

    /// The names of the members.
    pub(super) fn names(&self) -> Vec<String> {
        self.members().map(|package| package.name.to_string()).collect()
    }

    fn members(&self) -> impl Iterator<Item = &Package> {
        self.metadata.packages.iter().filter(|package| self.metadata.workspace_members.contains(&package.id))
    }
}

fn release(package: &Package) -> Release {
    let may_go_there = |registries: &Vec<String>| registries.iter().any(|registry| registry == "crates-io");
    Release {
        // No list means every registry, an empty one none.
        is_public: package.publish.as_ref().is_none_or(may_go_there),
        has_program: package.targets.iter().any(Target::is_bin),
        readme: package.readme().and_then(|path| text_file::read(path.as_std_path()).ok()),
    }
}

/// The selected packages.
#[derive(Debug)]
pub(super) struct Selection<'a> {
    workspace: &'a Workspace,
    packages: Vec<&'a Package>,
    args: &'a PackageArgs,
}

impl<'a> Selection<'a> {
    /// Follows cargo's rules: `--workspace`, else `-p`, else the package of the folder, else the default members.
    pub(super) fn new(workspace: &'a Workspace, args: &'a PackageArgs) -> Result<Self, Error> {
        let flags = &args.packages;
        let mut packages = if flags.workspace || flags.all {
            workspace.members().collect()
        } else if flags.package.is_empty() {
            default_packages(workspace, args)?
        } else {
            flags.package.iter().map(|name| member(workspace, name)).collect::<Result<_, _>>()?
        };
        packages.retain(|package| !flags.exclude.iter().any(|name| package.name.as_str() == name));
        Ok(Self { workspace, packages, args })
    }

    /// Returns whether these are all members, because neither `default-members` nor the current folder select any.
    pub(super) fn is_unspecific(&self) -> bool {
        self.packages.len() > 1
            && self.workspace.metadata.workspace_default_members.len() == self.workspace.members().count()
    }

    /// Returns the names of the packages that may have tools, as far as Cargo.lock or Cargo.toml say so.
    pub(super) fn with_toolwright(&self) -> Vec<String> {
        let lock = CargoLock::read(self.workspace.root());
        let mut seen = BTreeSet::new();
        let members = self.packages.iter().filter(|package| {
            // A new lock file may lack members.
            let is_locked =
                lock.as_ref().is_some_and(|lock| lock.depends_on(&package.name, "toolwright-core"));
            seen.clear();
            is_locked || self.declares_toolwright(package, &mut seen)
        });
        members.map(|package| package.name.to_string()).collect()
    }

    /// Returns whether a package depends on Toolwright in its Cargo.toml, or in that of members that it depends on.
    fn declares_toolwright(&self, package: &Package, seen: &mut BTreeSet<String>) -> bool {
        let linked =
            package.dependencies.iter().filter(|dependency| dependency.kind != DependencyKind::Development);
        linked.into_iter().any(|dependency| {
            let member = self.workspace.members().find(|member| member.name.as_str() == dependency.name);
            dependency.name.starts_with("toolwright")
                || member.is_some_and(|member| {
                    seen.insert(dependency.name.clone()) && self.declares_toolwright(member, seen)
                })
        })
    }

    /// Returns whether `cargo build` with the user's flags builds a program that can be queried.
    pub(super) fn builds_programs(&self) -> bool {
        let build = &self.args.build;
        if build.names_a_target() {
            return !build.lib;
        }
        self.packages.iter().any(|package| package.targets.iter().any(Target::is_bin))
    }

    /// Returns the libraries to query separately: with `--lib` those of all packages, with another target none,
    /// otherwise those of packages without a program that showed a tool.
    pub(super) fn libraries_without_answer(
        &self,
        answers: &[ProgramAnswer],
    ) -> Result<Vec<Library<'a>>, Error> {
        let build = &self.args.build;
        if build.names_a_target() && !build.lib {
            return Ok(Vec::new());
        }
        // In a workspace, only a library that may have tools justifies a program.
        let lock = (self.packages.len() > 1).then(|| CargoLock::read(self.workspace.root())).flatten();
        let can_have_tools = |package: &Package| {
            lock.as_ref().is_none_or(|lock| lock.depends_on(&package.name, "toolwright-core"))
        };
        let is_answered =
            |package: &Package| answers.iter().any(|answered| answered.has_tools_of(&package.name));
        let libraries: Vec<_> = self
            .packages
            .iter()
            .filter(|package| !is_answered(package) && can_have_tools(package))
            .filter_map(|package| Library::of(package))
            .collect();
        match self.packages.as_slice() {
            [package] if build.lib && libraries.is_empty() => {
                Err(Error::NoLibrary { package: package.name.to_string() })
            }
            _ => Ok(libraries),
        }
    }

    /// Returns the program that `default-run` names in the Cargo.toml of the only package.
    pub(super) fn default_program(&self) -> Option<&'a str> {
        match self.packages.as_slice() {
            [package] => package.default_run.as_deref(),
            _ => None,
        }
    }

    /// The folder of the only package.
    pub(super) fn folder(&self) -> Option<PathBuf> {
        match self.packages.as_slice() {
            [package] => Some(package.manifest_path.parent()?.as_std_path().to_owned()),
            _ => None,
        }
    }

    /// The names of the packages.
    pub(super) fn package_names(&self) -> Vec<String> {
        self.packages.iter().map(|package| package.name.to_string()).collect()
    }

    /// Describes where tools were searched, for messages.
    pub(super) fn places(&self) -> Vec<String> {
        self.packages.iter().map(|package| format!("package `{}`", package.name)).collect()
    }
}

/// A library that a program can link.
#[derive(Debug, Clone, Copy)]
pub(super) struct Library<'a> {
    /// Its package.
    pub(super) package: &'a Package,
}

impl<'a> Library<'a> {
    fn of(package: &'a Package) -> Option<Self> {
        let links =
            |kind: &TargetKind| matches!(kind, TargetKind::Lib | TargetKind::RLib | TargetKind::DyLib);
        package.targets.iter().any(|target| target.kind.iter().any(links)).then_some(Self { package })
    }
}

/// Returns the member with this name; `name@version` is cargo's longer form.
fn member<'a>(workspace: &'a Workspace, name: &str) -> Result<&'a Package, Error> {
    let plain = name.split_once('@').map_or(name, |(plain, _)| plain);
    workspace.members().find(|package| package.name.as_str() == plain).ok_or_else(|| Error::UnknownPackage {
        name: name.to_owned(),
        members: workspace.members().map(|package| package.name.to_string()).collect(),
    })
}

fn default_packages<'a>(workspace: &'a Workspace, args: &PackageArgs) -> Result<Vec<&'a Package>, Error> {
    let manifest = current_manifest(args)?;
    if manifest.parent() != workspace.root().canonicalize().ok().as_deref() {
        let here =
            |package: &&Package| package.manifest_path.canonicalize().is_ok_and(|path| path == manifest);
        if let Some(package) = workspace.members().find(here) {
            return Ok(vec![package]);
        }
    }
    let defaults = &workspace.metadata.workspace_default_members;
    Ok(workspace.members().filter(|package| defaults.contains(&package.id)).collect())
}

/// Returns the Cargo.toml that cargo starts from.
fn current_manifest(args: &PackageArgs) -> Result<PathBuf, Error> {
    if let Some(path) = &args.build.manifest_path {
        return path.canonicalize().map_err(|source| Error::Read { file: path.clone(), source });
    }
    let folder = env::current_dir().map_err(|source| Error::Read { file: ".".into(), source })?;
    let manifest = folder.ancestors().map(|folder| folder.join("Cargo.toml")).find(|path| path.is_file());
    manifest.and_then(|path| path.canonicalize().ok()).ok_or(Error::NoCargoToml { folder })
}
