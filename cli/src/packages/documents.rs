//! Combines the answers of programs into one manifest per server.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use toolwright_core::manifest::answer::{LinkedFeatures, LinkedTool, LinkedToolset, Origin};
use toolwright_core::manifest::{Manifest, ManifestError, visible};

use super::query::ProgramAnswer;
use super::workspace::Workspace;
use crate::error::Error;

/// The manifests of all servers, sorted by server name, and entries without a manifest.
#[derive(Debug)]
pub(super) struct Documents {
    pub(super) documents: Vec<Document>,
    /// Entries without a manifest: tools outside of the toolsets of their package, and declarations for unknown
    /// servers.
    pub(super) orphans: Vec<Orphan>,
}

/// The manifest of one server.
#[derive(Debug, Clone)]
pub(crate) struct Document {
    pub(crate) manifest: Manifest,
    /// The source locations of it and its tools.
    pub(crate) sources: Sources,
}

/// The source locations of the tools of a document, which are not part of the manifest.
#[derive(Debug, Clone)]
pub(crate) struct Sources {
    /// The location of the toolset, or of the first tool.
    pub(crate) server: Origin,
    /// The tools by name.
    pub(crate) tools: BTreeMap<String, LinkedTool>,
    /// The directory that paths are relative to.
    pub(crate) root: PathBuf,
    /// Information from the package's Cargo.toml.
    pub(crate) about: About,
    /// `[workspace.metadata]` and `[package.metadata]` of the package, each with its description.
    pub(crate) metadata: Vec<(String, serde_json::Value)>,
    /// The URL of the server, if it was queried.
    pub(crate) server_uri: Option<String>,
}

/// Information from the package's Cargo.toml.
#[derive(Debug, Clone, Default)]
pub(crate) struct About {
    pub(crate) description: Option<String>,
    pub(crate) repository: Option<String>,
    pub(crate) homepage: Option<String>,
    pub(crate) documentation: Option<String>,
    pub(crate) keywords: Vec<String>,
    pub(crate) license: Option<String>,
    pub(crate) authors: Vec<String>,
    /// What `cargo publish` and `cargo install` would do with it; `None` for a package of another workspace.
    pub(crate) release: Option<Release>,
}

/// Information about a package for registries.
#[derive(Debug, Clone, Default)]
pub(crate) struct Release {
    /// Whether it may be published in cargo's registry.
    pub(crate) is_public: bool,
    /// Whether it has a program that `cargo install` installs.
    pub(crate) has_program: bool,
    /// The text of its README, as published.
    pub(crate) readme: Option<String>,
}

/// An entry without a manifest.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Orphan {
    Tool { name: String, origin: Origin },
    Features { what: String, server: String, origin: Origin },
}

impl std::fmt::Display for Orphan {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Tool { name, origin } => write!(
                f,
                "the tool `{}` is in no toolset, so it is in no manifest\n  --> {origin}:{}\n  add it to the enum that \
                 derives `Toolset`, or remove its derive",
                visible(name),
                origin.column
            ),
            Self::Features { what, server, origin } => write!(
                f,
                "the {what} of this declaration are for the server `{}`, which has no manifest\n  --> {origin}:{}\n  name \
                 a toolset after `for`, or leave it out",
                visible(server),
                origin.column
            ),
        }
    }
}

/// Creates the documents of `packages`. If none of these derives a tool, for example because one only serves the tools
/// of a library, those of every package in the programs.
///
/// # Errors
/// [`Error::NoTools`] naming `places`, [`Error::SeveralPrograms`], [`Error::Manifest`].
pub(super) fn from_answers(
    answers: &[ProgramAnswer],
    packages: &[String],
    places: &[String],
) -> Result<Documents, Error> {
    let toolsets = distinct(answers.iter().flat_map(|answered| &answered.answer.toolsets));
    let tools = distinct(answers.iter().flat_map(|answered| &answered.answer.tools));
    let features = distinct(answers.iter().flat_map(|answered| &answered.answer.features));
    let features: Vec<LinkedFeatures> = features.into_iter().cloned().collect();
    let linked: BTreeSet<&str> = toolsets
        .iter()
        .map(|set| set.origin.package.as_str())
        .chain(tools.iter().map(|tool| tool.origin.package.as_str()))
        .chain(features.iter().map(LinkedFeatures::package))
        .collect();
    let meant: BTreeSet<&str> =
        linked.iter().copied().filter(|name| packages.iter().any(|package| package == name)).collect();
    let packages = if meant.is_empty() { linked } else { meant };

    let mut found = Documents { documents: Vec::new(), orphans: Vec::new() };
    for package in packages {
        let own: Vec<_> = toolsets.iter().filter(|set| set.origin.package == package).collect();
        let loose: Vec<_> = tools
            .iter()
            .filter(|tool| tool.origin.package == package && !is_in_a_toolset(tool, &toolsets))
            .collect();
        for set in &own {
            found.documents.push(of_toolset(set, &tools, &features)?);
        }
        if own.is_empty() {
            check_programs_agree(package, answers, &toolsets)?;
            found.documents.extend(of_loose_tools(package, &loose, &features)?);
        } else {
            found.orphans.extend(loose.iter().map(|tool| Orphan::Tool {
                name: tool.definition.name.clone(),
                origin: tool.origin.clone(),
            }));
        }
        found.orphans.extend(features_without_server(package, &found.documents, &features));
    }
    if found.documents.is_empty() {
        return Err(Error::NoTools { places: places.to_owned() });
    }
    found.documents.sort_by(|left, right| left.key().cmp(&right.key()));
    Ok(found)
}

impl Documents {
    /// Adds source locations, and the metadata of the workspace's packages.
    pub(super) fn in_workspace(mut self, workspace: &Workspace) -> Self {
        for document in &mut self.documents {
            workspace.root().clone_into(&mut document.sources.root);
            document.sources.about = workspace.about(&document.sources.server.package);
            document.sources.metadata = workspace.metadata_of(&document.sources.server.package);
        }
        self
    }
}

/// Returns all documents, or the one of the server with this name, which must be unique.
///
/// # Errors
/// [`Error::UnknownServer`], [`Error::OneNameForSeveral`].
pub(super) fn select_server(documents: Vec<Document>, server: Option<&str>) -> Result<Vec<Document>, Error> {
    let Some(name) = server else { return Ok(documents) };
    let known = documents.iter().map(|document| format!("`{}`", document.server())).collect();
    let selected: Vec<_> = documents.into_iter().filter(|document| document.server() == name).collect();
    match selected.as_slice() {
        [] => Err(Error::UnknownServer { name: name.to_owned(), known }),
        [_] => Ok(selected),
        several => Err(name_conflict(several)),
    }
}

impl Sources {
    /// If two tools have the same name, the later one is used.
    fn new<'a>(server: &Origin, tools: impl Iterator<Item = &'a &'a LinkedTool>) -> Self {
        let tools = tools.map(|tool| (tool.definition.name.clone(), (**tool).clone())).collect();
        Self {
            server: server.clone(),
            tools,
            root: PathBuf::new(),
            about: About::default(),
            metadata: Vec::new(),
            server_uri: None,
        }
    }

    /// Creates a document of a server with unknown source; `uri` is its URL.
    pub(crate) fn of_server(server: &Origin, uri: Option<String>) -> Self {
        Self { server_uri: uri, ..Self::new(server, std::iter::empty()) }
    }

    /// Returns a string of `[package.metadata.mcp]`, or else of `[workspace.metadata.mcp]`.
    pub(crate) fn package_metadata(&self, key: &str) -> Option<String> {
        let said = |(_, metadata): &(String, serde_json::Value)| {
            metadata.get("mcp")?.get(key)?.as_str().map(str::to_owned)
        };
        self.metadata.iter().rev().find_map(said)
    }
}

impl Document {
    /// The server's name.
    pub(crate) fn server(&self) -> &str {
        &self.manifest.server.name
    }

    /// Where the toolset is derived.
    pub(crate) fn place(&self) -> String {
        format!("`{}` ({})", self.server(), self.sources.server)
    }

    fn key(&self) -> (&str, &Origin) {
        (self.server(), &self.sources.server)
    }
}

/// Keeps the tools that can be used in the application context at `path`, and the servers that have any.
///
/// # Errors
/// [`Error::NothingInContext`].
pub(super) fn in_context(documents: Vec<Document>, path: &str) -> Result<Vec<Document>, Error> {
    let tools = documents.iter().flat_map(|document| &document.manifest.tools);
    let known: BTreeSet<_> =
        tools.filter_map(|tool| tool.context()).map(|context| format!("`{context}`")).collect();
    let mut documents = documents;
    for document in &mut documents {
        document.manifest.tools.retain(|tool| tool.is_visible_in(path));
    }
    documents.retain(|document| !document.manifest.tools.is_empty());
    if documents.is_empty() {
        return Err(Error::NothingInContext { path: path.to_owned(), known: known.into_iter().collect() });
    }
    Ok(documents)
}

/// Returns the error for several documents with the same server name.
pub(crate) fn name_conflict(documents: &[Document]) -> Error {
    Error::OneNameForSeveral {
        name: documents.first().map(|document| document.server().to_owned()).unwrap_or_default(),
        places: documents.iter().map(|document| document.sources.server.to_string()).collect(),
    }
}

/// Two programs of a package link the same library, so most entries occur more than once.
fn distinct<'a, T: PartialEq>(entries: impl Iterator<Item = &'a T>) -> Vec<&'a T> {
    entries.fold(Vec::new(), |mut distinct, entry| {
        if !distinct.contains(&entry) {
            distinct.push(entry);
        }
        distinct
    })
}

/// Compares by name: the definition may differ, since a toolset knows a tool's output and adds parameters.
fn is_in_a_toolset(tool: &LinkedTool, toolsets: &[&LinkedToolset]) -> bool {
    toolsets.iter().any(|set| set.has(&tool.definition.name))
}

fn of_toolset(
    set: &LinkedToolset,
    tools: &[&LinkedTool],
    features: &[LinkedFeatures],
) -> Result<Document, Error> {
    let manifest = set.manifest(features).map_err(no_manifest(set.server()))?;
    // Compares by name: a program may link a tool with the same name of another package, which may come first.
    let own = |tool: &&&LinkedTool| tool.origin.package == set.origin.package;
    let (own, others): (Vec<&&LinkedTool>, Vec<_>) = tools.iter().partition(own);
    Ok(Document { manifest, sources: Sources::new(&set.origin, others.into_iter().chain(own)) })
}

/// Returns the server of a package without toolsets, with its tools and declarations.
fn of_loose_tools(
    package: &str,
    tools: &[&&LinkedTool],
    features: &[LinkedFeatures],
) -> Result<Option<Document>, Error> {
    let declared = || features.iter().find(|features| features.are_of(package, package));
    let Some(origin) = tools.first().map(|tool| &tool.origin).or_else(|| declared().map(|one| &one.origin))
    else {
        return Ok(None);
    };
    let manifest = origin
        .manifest_of(tools.iter().map(|tool| tool.definition.clone()).collect(), features)
        .map_err(no_manifest(&origin.package))?;
    Ok(Some(Document { manifest, sources: Sources::new(origin, tools.iter().copied()) }))
}

fn no_manifest(server: &str) -> impl FnOnce(ManifestError) -> Error {
    let server = server.to_owned();
    move |source| Error::Manifest { server, source }
}

/// Returns the declarations for servers of the package without a document, such as that of a tool.
fn features_without_server(
    package: &str,
    documents: &[Document],
    features: &[LinkedFeatures],
) -> Vec<Orphan> {
    let is_lost = |features: &&LinkedFeatures| {
        features.server.as_ref().is_some_and(|of| {
            of.package == package && documents.iter().all(|document| document.server() != of.name)
        })
    };
    let orphan = |features: &LinkedFeatures| Orphan::Features {
        what: features.kind.to_string(),
        server: features.server.as_ref().map(|of| of.name.clone()).unwrap_or_default(),
        origin: features.origin.clone(),
    };
    features.iter().filter(is_lost).map(orphan).collect()
}

/// Tools without a toolset belong to one server only if each program with some of them has all.
fn check_programs_agree(
    package: &str,
    answers: &[ProgramAnswer],
    toolsets: &[&LinkedToolset],
) -> Result<(), Error> {
    let loose_in = |answered: &ProgramAnswer| -> Vec<Origin> {
        let tools = answered.answer.tools.iter();
        tools
            .filter(|tool| tool.origin.package == package && !is_in_a_toolset(tool, toolsets))
            .map(|tool| tool.origin.clone())
            .collect()
    };
    let mut with_tools =
        answers.iter().map(|answered| (answered, loose_in(answered))).filter(|(_, tools)| !tools.is_empty());
    let Some((first, tools)) = with_tools.next() else { return Ok(()) };
    let others: Vec<_> = with_tools.collect();
    if others.iter().all(|(_, other)| *other == tools) {
        return Ok(());
    }
    let programs = std::iter::once(first).chain(others.iter().map(|(answered, _)| *answered));
    Err(Error::SeveralPrograms {
        package: package.to_owned(),
        programs: programs.map(|answered| answered.program.clone()).collect(),
    })
}
