//! The answer of a program to `cargo mcp manifest`: everything that is linked into it.
//!
//! The program and `cargo-mcp` may use different versions of Toolwright, so the answer contains its version and
//! is plain JSON. `cargo-mcp` creates the manifests from it.

use serde::{Deserialize, Serialize};

use super::{Entry, Kind, Manifest, ManifestError, Server};
use crate::definition::ToolDefinition;

/// The version of the format; incremented when older readers would misinterpret the answer.
pub const VERSION: u32 = 1;

/// All derived tools and toolsets of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct Answer {
    /// The version of the format: [`VERSION`].
    pub answer_version: u32,
    /// The version of `toolwright-core` in the program.
    pub toolwright: String,
    /// The toolsets, sorted by origin.
    pub toolsets: Vec<LinkedToolset>,
    /// The tools, including those outside of toolsets, sorted by origin.
    pub tools: Vec<LinkedTool>,
    /// The declared prompts, resources and templates, sorted by origin; empty if the program does not report them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<LinkedFeatures>,
}

/// The prompts, resources or templates of one declaration.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedFeatures {
    /// The location of the declaration.
    pub origin: Origin,
    /// The server that they are declared for; by default that of the declaring package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerOf>,
    /// The list that they belong to.
    pub kind: Kind,
    /// The definitions.
    pub entries: Vec<Entry>,
}

/// A server, identified by the package that derives its toolset and by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerOf {
    /// The package.
    pub package: String,
    /// The server's name.
    pub name: String,
}

impl LinkedFeatures {
    /// Returns whether they belong to the server with this name, whose toolset or tools `package` derives.
    pub fn are_of(&self, package: &str, server: &str) -> bool {
        match &self.server {
            Some(of) => of.package == package && of.name == server,
            None => self.origin.package == package,
        }
    }

    /// Returns the package of the server.
    pub fn package(&self) -> &str {
        self.server.as_ref().map_or(&self.origin.package, |of| &of.package)
    }
}

/// One toolset of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedToolset {
    /// The location of the derive.
    pub origin: Origin,
    /// `name = "…"`; defaults to the name of the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `version = "…"`; defaults to the version of the package.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// `title = "…"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// `instructions = "…"`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub instructions: Option<String>,
    /// The definitions of its tools.
    pub tools: Vec<ToolDefinition>,
}

/// One tool of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedTool {
    /// The location of the derive.
    pub origin: Origin,
    /// The locations of its fields; empty if the program does not report them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldOrigin>,
    /// Its definition.
    pub definition: ToolDefinition,
}

/// The location of a field, in the same file as its tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct FieldOrigin {
    /// The JSON name.
    pub name: String,
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1.
    pub column: u32,
}

/// The location of a derive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    /// The package name (`CARGO_PKG_NAME`).
    pub package: String,
    /// The package version.
    pub version: String,
    /// The source file, as passed to the compiler.
    pub file: String,
    /// The line, starting at 1.
    pub line: u32,
    /// The column, starting at 1.
    pub column: u32,
}

impl Answer {
    /// Parses the answer of a program.
    ///
    /// # Errors
    /// [`AnswerError::Newer`] if the program uses a version of Toolwright that this one cannot read,
    /// [`AnswerError::NotAnAnswer`] for any other text.
    pub fn from_json(text: &str) -> Result<Self, AnswerError> {
        /// The members of every version.
        #[derive(Deserialize)]
        #[serde(rename_all = "camelCase")]
        struct Version {
            answer_version: u32,
            toolwright: String,
        }
        let version: Version = serde_json::from_str(text)?;
        if version.answer_version > VERSION {
            return Err(AnswerError::Newer { theirs: version.toolwright, ours: env!("CARGO_PKG_VERSION") });
        }
        Ok(serde_json::from_str(text)?)
    }
}

impl LinkedToolset {
    /// Creates the manifest of the set's server. Name and version default to those of the package.
    ///
    /// # Errors
    /// Those of [`Manifest::new`] and [`Manifest::with`].
    pub fn manifest(&self, features: &[LinkedFeatures]) -> Result<Manifest, ManifestError> {
        let version = self.version.as_ref().unwrap_or(&self.origin.version);
        let server = Server { title: self.title.clone(), ..Server::new(self.server(), version) };
        let manifest = Manifest::new(server, self.instructions.clone(), self.tools.clone())?;
        with_features(manifest, &self.origin.package, features)
    }

    /// Returns the name of the set's server.
    pub fn server(&self) -> &str {
        self.name.as_ref().unwrap_or(&self.origin.package)
    }

    /// Returns whether the set contains a tool with this name.
    pub fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|definition| definition.name == name)
    }
}

impl Origin {
    /// Creates the manifest of tools outside of toolsets: the package is the server.
    ///
    /// # Errors
    /// Those of [`Manifest::new`] and [`Manifest::with`].
    pub fn manifest_of(
        &self,
        tools: Vec<ToolDefinition>,
        features: &[LinkedFeatures],
    ) -> Result<Manifest, ManifestError> {
        let server = Server::new(&self.package, &self.version);
        with_features(Manifest::new(server, None, tools)?, &self.package, features)
    }
}

/// Adds the declarations of its server to a manifest.
///
/// # Errors
/// Those of [`Manifest::with`].
pub fn with_features(
    manifest: Manifest,
    package: &str,
    features: &[LinkedFeatures],
) -> Result<Manifest, ManifestError> {
    let server = manifest.server.name.clone();
    let mut own = features.iter().filter(|features| features.are_of(package, &server));
    own.try_fold(manifest, |manifest, features| {
        manifest.with(features.kind, features.entries.iter().cloned())
    })
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}", self.file, self.line)
    }
}

/// Why a text is not an answer.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum AnswerError {
    /// The program uses a later version of Toolwright.
    #[error(
        "the program is built with Toolwright {theirs}, but this is {ours}: use a cargo-mcp of the program's version"
    )]
    Newer {
        /// The program's version.
        theirs: String,
        /// The version of this library.
        ours: &'static str,
    },
    /// Invalid JSON, or a member is missing or has the wrong type.
    #[error("the answer of the program is invalid: {0}")]
    NotAnAnswer(#[from] serde_json::Error),
}
