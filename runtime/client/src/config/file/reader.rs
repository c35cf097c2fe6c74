//! Reading a file from its bytes to its servers.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use toolwright_core::suggest::nearest;

use super::build::Home;
use super::expand::{MAX_EXPANDED_SIZE, Scope};
use super::inputs::{Answer, Input};
use super::layout::{Document, Servers, inputs, token_names, tokens};
use super::node::Node;
use super::problem::{ConfigError, MAX_PROBLEMS, Problem, Severity};
use super::secrets::secrets;
use super::{MAX_FILE_SIZE, MAX_SMALL_FILE_SIZE, Source, json, toml, yaml};
use crate::config::{Secret, ServerSpec, Tokens};

/// Reads configuration files.
///
/// ```
/// use toolwright_client::config::{ConfigReader, TransportSpec};
///
/// let text = r#"{
///     // JSON with comments, as editors write it
///     "mcpServers": {
///         "files": {"command": "files-server", "env": {"KEY": "${API_KEY}"}},
///         "shop": {"url": "https://shop.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN:-none}"}},
///     },
/// }"#;
/// let reader = ConfigReader::new().with_variable("API_KEY", "s3cret");
/// let config = reader.read_text("mcp.json", text)?.complete()?;
/// assert!(matches!(config.server("files")?.transport, TransportSpec::Stdio(_)));
///
/// // Everything that is wrong is told at once.
/// let text = r#"{"mcpServers": {"files": {"comand": "a"}, "shop": {"url": "https://${HOST_NAME_}/"}}}"#;
/// let error = reader.read_text("mcp.json", text)?.complete().unwrap_err().to_string();
/// assert!(error.contains("unknown member `comand`, did you mean `command`?"), "{error}");
/// assert!(error.contains("mcp.json:1:68: server \"shop\": `url`: the variable `HOST_NAME_` is not set"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ConfigReader<'a> {
    variables: BTreeMap<String, OsString>,
    answers: BTreeMap<String, Secret>,
    ask: Option<Box<Answer<'a>>>,
    tokens: Tokens,
    workspace: Option<PathBuf>,
    is_check: bool,
    /// Whether nothing is looked up, so that only what is written matters.
    leaves_variables: bool,
}

impl fmt::Debug for ConfigReader<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ConfigReader").field("workspace", &self.workspace).finish_non_exhaustive()
    }
}

impl Default for ConfigReader<'_> {
    fn default() -> Self {
        Self::new()
    }
}

impl<'a> ConfigReader<'a> {
    /// A reader that knows the variables of this process's environment.
    pub fn new() -> Self {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self { variables: variables.collect(), ..Self::without_environment() }
    }

    /// A reader that knows no variables but those that are given.
    pub fn without_environment() -> Self {
        Self {
            variables: BTreeMap::new(),
            answers: BTreeMap::new(),
            ask: None,
            tokens: Tokens::new(),
            workspace: None,
            is_check: false,
            leaves_variables: false,
        }
    }

    /// The reader with one more variable, for this file only: the process's environment stays as it is.
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// The reader with the value of an input. Without one, its variable (see [`Input::variable`]) is looked at.
    pub fn with_input(mut self, id: impl Into<String>, value: impl Into<Secret>) -> Self {
        self.answers.insert(id.into(), value.into());
        self
    }

    /// The reader with someone who is asked for the inputs that nothing else answers, each once.
    pub fn ask(mut self, ask: impl Fn(&Input) -> Option<Secret> + 'a) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// The reader with tokens that the program itself provides, for `${runtime:NAME}`.
    pub fn with_tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// The reader with another folder for `${workspaceFolder}` and for relative paths. Otherwise it is the file's, or for
    /// files in `.vscode` and `.cursor` the folder above it.
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(folder.into());
        self
    }

    /// The reader as a check needs it: inputs without an answer are no problems, since they are asked for later.
    pub fn check_only(mut self) -> Self {
        self.is_check = true;
        self
    }

    /// The reader for a file that is not used here: variables and files need not be there.
    pub(super) fn leave_variables(mut self) -> Self {
        self.leaves_variables = true;
        self
    }

    /// Reads a file: TOML if its name ends with `.toml`, YAML with `.yaml` or `.yml`, else JSON. It is UTF-8, or UTF-16 with
    /// a byte order mark.
    ///
    /// # Errors
    /// [`ConfigError::Read`] and [`ConfigError::Size`], and [`ConfigError::Invalid`] for what is not JSON, TOML or YAML at
    /// all. All else is in [`Config::problems`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let failed = |source: io::Error| ConfigError::Read { path: path.to_owned(), source };
        // A folder cannot be read, and a pipe may have no end: `/dev/stdin` and such are read up to the limit.
        let limit = Format::of(path).limit();
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() > limit {
            return Err(ConfigError::Size { path: path.to_owned(), limit });
        }
        self.read_text(path, &decoded(bytes).map_err(failed)?)
    }

    /// Reads the text of a file. `path` says which format it has and where relative paths begin; the file need not exist.
    ///
    /// # Errors
    /// [`ConfigError::Size`], and [`ConfigError::Invalid`] for what is not JSON, TOML or YAML at all.
    pub fn read_text(&self, path: impl AsRef<Path>, text: &str) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let format = Format::of(path);
        if text.len() > format.limit() {
            return Err(ConfigError::Size { path: path.to_owned(), limit: format.limit() });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut source = Source::new(path.display().to_string(), text.to_owned());
        let root = match format.parse(text) {
            Ok(root) => root,
            Err(problem) => {
                let problems = vec![(*problem).located(&source)];
                source.hide_values();
                return Err(ConfigError::Invalid { file: Box::new(source), problems });
            }
        };
        source.hide(secrets(&root, text));
        Ok(self.config(&root, source, format))
    }

    fn config(&self, root: &Node, source: Source, format: Format) -> Config {
        let mut problems = Vec::new();
        root.report_duplicates(&mut problems);
        let document = Document::of(root, format.home(), &mut problems);
        let folder = self.folder(Path::new(source.name()));
        let inputs = inputs(document.inputs, &mut problems);
        let mut names: Vec<String> = token_names(document.tokens).map(str::to_owned).collect();
        names.extend(self.tokens.names().map(str::to_owned));
        let answer = |input: &Input| self.answer(input);
        let mut scope = Scope {
            variables: &self.variables,
            inputs: &inputs,
            answer: &answer,
            tokens: &[],
            workspace: folder.clone(),
            is_check: self.is_check,
            leaves_variables: self.leaves_variables,
            left: Cell::new(MAX_EXPANDED_SIZE),
        };
        let text = source.text();
        let tokens = tokens(document.tokens, &scope, text, &folder, self.tokens.clone(), &mut problems);
        scope.tokens = &names;
        let servers = Servers::read(&document, &scope, text, &folder, &mut problems);

        problems.sort_by_key(|problem| problem.span.start);
        problems.truncate(MAX_PROBLEMS);
        let problems = problems.into_iter().map(|problem| problem.located(&source)).collect();
        Config {
            servers: servers.ready,
            refused: servers.refused,
            disabled: servers.disabled,
            tokens,
            problems,
            source,
        }
    }

    fn answer(&self, input: &Input) -> Option<Secret> {
        if let Some(value) = self.answers.get(&input.id) {
            return Some(value.clone());
        }
        let variable = self.variables.get(&input.variable()).and_then(|value| value.to_str());
        if let Some(value) = variable {
            return Some(Secret::new(value));
        }
        if self.is_check { None } else { self.ask.as_ref()?(input) }
    }

    /// The folder of the file, or the one above it, absolute if that can be found out.
    fn folder(&self, path: &Path) -> PathBuf {
        if let Some(workspace) = &self.workspace {
            return workspace.clone();
        }
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("/"));
        let is_editors = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
        folder.parent().filter(|_| is_editors).unwrap_or(folder).to_owned()
    }
}

/// What a file says.
#[derive(Debug, Clone)]
pub struct Config {
    servers: Vec<ServerSpec>,
    refused: Vec<String>,
    disabled: Vec<String>,
    tokens: Tokens,
    problems: Vec<Problem>,
    source: Source,
}

impl Config {
    /// The servers that can be used, in the order of the file.
    pub fn servers(&self) -> &[ServerSpec] {
        &self.servers
    }

    /// The server of this name.
    ///
    /// # Errors
    /// [`NoServer`] says why there is none.
    pub fn server(&self, name: &str) -> Result<&ServerSpec, NoServer> {
        if let Some(server) = self.servers.iter().find(|server| server.name == name) {
            return Ok(server);
        }
        let name = name.to_owned();
        if self.disabled.contains(&name) {
            return Err(NoServer::Disabled { name });
        }
        if self.refused.contains(&name) {
            let why = self.problems.iter().filter(|problem| {
                problem.severity == Severity::Error && problem.server.as_deref() == Some(name.as_str())
            });
            let why = why.map(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.message));
            return Err(NoServer::Refused { why: why.collect::<Vec<_>>().join("; "), name });
        }
        let known: Vec<&str> = self.servers.iter().map(|server| server.name.as_str()).collect();
        let near = nearest(&name, known.iter().copied()).map(str::to_owned);
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        Err(NoServer::Unknown { name, near, known })
    }

    /// The names of the servers that cannot be used, since something about them is wrong.
    pub fn refused(&self) -> &[String] {
        &self.refused
    }

    /// The names of the servers that are switched off.
    pub fn disabled(&self) -> &[String] {
        &self.disabled
    }

    /// The tokens that values of these servers ask for.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Everything that is wrong or may not be meant, in the order of the file; at most [`MAX_PROBLEMS`].
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// The file, to show problems in.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// The configuration if nothing in it is wrong: for programs that do without none of their servers.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with every problem that is an error.
    pub fn complete(self) -> Result<Self, ConfigError> {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let problems: Vec<_> = errors.cloned().collect();
        if problems.is_empty() {
            return Ok(self);
        }
        Err(ConfigError::Invalid { file: Box::new(self.source), problems })
    }
}

/// Why a configuration has no server of a name.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoServer {
    /// Nothing is called so.
    #[error(
        "unknown server `{name}`; available: {known}{}",
        .near.as_ref().map(|near| format!("; did you mean `{near}`?")).unwrap_or_default()
    )]
    Unknown {
        /// The name.
        name: String,
        /// The name that may be meant.
        near: Option<String>,
        /// What there is.
        known: String,
    },
    /// It is switched off.
    #[error("the server `{name}` is disabled: remove `disabled` from its entry")]
    Disabled {
        /// The name.
        name: String,
    },
    /// Something about it is wrong.
    #[error("the server `{name}` cannot be used: {why}")]
    Refused {
        /// The name.
        name: String,
        /// Its errors with line and column.
        why: String,
    },
}

/// How a file is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Toml,
    Yaml,
}

impl Format {
    pub(super) fn of(path: &Path) -> Self {
        let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
        match extension.to_ascii_lowercase().as_str() {
            "toml" => Self::Toml,
            "yaml" | "yml" => Self::Yaml,
            _ => Self::Json,
        }
    }

    fn limit(self) -> usize {
        match self {
            Self::Json => MAX_FILE_SIZE,
            Self::Toml | Self::Yaml => MAX_SMALL_FILE_SIZE,
        }
    }

    /// JSON is what other clients read as well, and write members of their own into.
    pub(super) fn home(self) -> Home {
        match self {
            Self::Json => Home::Shared,
            Self::Toml | Self::Yaml => Home::Own,
        }
    }

    pub(super) fn parse(self, text: &str) -> Result<Node, Box<Problem>> {
        match self {
            Self::Json => json::parse(text),
            Self::Toml => toml::parse(text),
            Self::Yaml => yaml::parse(text),
        }
    }
}

/// UTF-8, or UTF-16 with a byte order mark, as some editors and shells of Windows write it.
fn decoded(bytes: Vec<u8>) -> io::Result<String> {
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "it is neither UTF-8 nor UTF-16 text");
    let unit: fn([u8; 2]) -> u16 = match bytes.as_slice() {
        [0xff, 0xfe, ..] => u16::from_le_bytes,
        [0xfe, 0xff, ..] => u16::from_be_bytes,
        _ => return String::from_utf8(bytes).map_err(|_| invalid()),
    };
    let units = bytes[2..].chunks(2).map(|pair| <[u8; 2]>::try_from(pair).map(unit));
    let units = units.collect::<Result<Vec<u16>, _>>().map_err(|_| invalid())?;
    String::from_utf16(&units).map_err(|_| invalid())
}
