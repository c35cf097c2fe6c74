//! What a program answers when `cargo mcp manifest` asks it: everything that is linked into it.
//!
//! The program and the `cargo-mcp` that asks may come from different versions of Toolwright, so the answer names
//! its own version and keeps to plain JSON. Manifests are made from it by the asking side.

use serde::{Deserialize, Serialize};

use super::{Entry, Kind, Manifest, ManifestError, Server};
use crate::definition::ToolDefinition;

/// The version of the answer's form; it rises when a reader of the former version would misunderstand the answer.
pub const VERSION: u32 = 1;

/// Every derived tool and toolset of one program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Answer {
    /// The version of the answer's form: [`VERSION`].
    pub answer_version: u32,
    /// The version of `toolwright-core` in the program.
    pub toolwright: String,
    /// The toolsets, sorted by origin.
    pub toolsets: Vec<LinkedToolset>,
    /// The tools, in a toolset or not, sorted by origin.
    pub tools: Vec<LinkedTool>,
    /// The declared prompts, resources and templates, sorted by origin; empty in the answers of programs that do not say
    /// it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub features: Vec<LinkedFeatures>,
}

/// The prompts, resources or templates that one declaration holds.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedFeatures {
    /// Where they are declared.
    pub origin: Origin,
    /// The server that they are declared for; that of the declaring package, if it is not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<ServerOf>,
    /// Which list they belong to.
    pub kind: Kind,
    /// The definitions.
    pub entries: Vec<Entry>,
}

/// A server, by the package that derives its toolset and its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ServerOf {
    /// The package.
    pub package: String,
    /// The server's name.
    pub name: String,
}

impl LinkedFeatures {
    /// Whether the server of this name has them, whose toolset, or else tools, this package derives.
    pub fn are_of(&self, package: &str, server: &str) -> bool {
        match &self.server {
            Some(of) => of.package == package && of.name == server,
            None => self.origin.package == package,
        }
    }

    /// The package whose server has them.
    pub fn package(&self) -> &str {
        self.server.as_ref().map_or(&self.origin.package, |of| &of.package)
    }
}

/// One toolset of a program.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct LinkedToolset {
    /// Where it is derived.
    pub origin: Origin,
    /// `name = "…"`, instead of the package's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// `version = "…"`, instead of the package's.
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
    /// Where it is derived.
    pub origin: Origin,
    /// Where its fields are defined; empty in the answers of programs that do not say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub fields: Vec<FieldOrigin>,
    /// Its definition.
    pub definition: ToolDefinition,
}

/// The place of a field of a tool, in the file of the tool.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FieldOrigin {
    /// The name in JSON.
    pub name: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

/// The place of a derive.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Origin {
    /// The package, by `CARGO_PKG_NAME`.
    pub package: String,
    /// The package's version.
    pub version: String,
    /// The source file, as the compiler was given it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1.
    pub column: u32,
}

impl Answer {
    /// Reads the answer of a program.
    ///
    /// # Errors
    /// [`AnswerError::Newer`] if the program has a Toolwright that this one cannot read, and
    /// [`AnswerError::NotAnAnswer`] for any other text.
    pub fn from_json(text: &str) -> Result<Self, AnswerError> {
        /// The members that every version has.
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
    /// The manifest of the set's server. Its name and version are the package's where the set says nothing.
    ///
    /// # Errors
    /// Those of [`Manifest::new`] and [`Manifest::with`].
    pub fn manifest(&self, features: &[LinkedFeatures]) -> Result<Manifest, ManifestError> {
        let version = self.version.as_ref().unwrap_or(&self.origin.version);
        let server = Server { title: self.title.clone(), ..Server::new(self.server(), version) };
        let manifest = Manifest::new(server, self.instructions.clone(), self.tools.clone())?;
        with_features(manifest, &self.origin.package, features)
    }

    /// The name of the set's server.
    pub fn server(&self) -> &str {
        self.name.as_ref().unwrap_or(&self.origin.package)
    }

    /// Whether a tool of this name is in the set.
    pub fn has(&self, name: &str) -> bool {
        self.tools.iter().any(|definition| definition.name == name)
    }
}

impl Origin {
    /// The manifest of tools that are in no toolset: without one, the package is the server.
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

/// The manifest with what is declared for its server.
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
    /// The program has a later Toolwright.
    #[error(
        "the program is built with Toolwright {theirs}, but this is {ours}: use a cargo-mcp of the program's version"
    )]
    Newer {
        /// The program's version.
        theirs: String,
        /// This library's version.
        ours: &'static str,
    },
    /// Not JSON, or a member is missing or of another type.
    #[error("the program's answer cannot be read: {0}")]
    NotAnAnswer(#[from] serde_json::Error),
}
