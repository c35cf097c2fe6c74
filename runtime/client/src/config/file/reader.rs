//! The reader of configuration files.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use toolwright_core::suggest::nearest;

use super::build::FileKind;
use super::expand::{MAX_EXPANDED_SIZE, Scope};
use super::inputs::{GetInput, Input};
use super::node::Node;
use super::problem::{ConfigError, MAX_PROBLEMS, Problem, Severity};
use super::secrets::find_secrets;
use super::sections::{Sections, Servers, read_inputs, read_tokens, token_names};
use super::{MAX_FILE_SIZE, MAX_SMALL_FILE_SIZE, Source, json, toml, yaml};
use crate::config::{Secret, ServerSpec, Tokens};

/// Reads configuration files.
///
/// ```
/// use toolwright_client::config::{ConfigReader, TransportSpec};
///
/// let text = r#"{
///     // JSON with comments
///     "mcpServers": {
///         "files": {"command": "files-server", "env": {"KEY": "${API_KEY}"}},
///         "shop": {"url": "https://shop.example/mcp", "headers": {"Authorization": "Bearer ${TOKEN:-none}"}},
///     },
/// }"#;
/// let reader = ConfigReader::new().with_variable("API_KEY", "s3cret");
/// let config = reader.read_text("mcp.json", text)?.require_valid()?;
/// assert!(matches!(config.server("files")?.transport, TransportSpec::Stdio(_)));
///
/// // All problems are reported at once.
/// let text = r#"{"mcpServers": {"files": {"comand": "a"}, "shop": {"url": "https://${HOST_NAME_}/"}}}"#;
/// let error = reader.read_text("mcp.json", text)?.require_valid().unwrap_err().to_string();
/// assert!(error.contains("unknown member `comand`, did you mean `command`?"), "{error}");
/// assert!(error.contains("mcp.json:1:68: server \"shop\": `url`: the variable `HOST_NAME_` is not set"), "{error}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct ConfigReader<'a> {
    variables: BTreeMap<String, OsString>,
    inputs: BTreeMap<String, Secret>,
    ask: Option<Box<GetInput<'a>>>,
    tokens: Tokens,
    workspace: Option<PathBuf>,
    is_check_only: bool,
    /// Whether variables and files need not exist.
    keeps_variables: bool,
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
    /// Creates a reader with the environment variables of this process.
    pub fn new() -> Self {
        let variables =
            std::env::vars_os().filter_map(|(name, value)| Some((name.into_string().ok()?, value)));
        Self { variables: variables.collect(), ..Self::without_environment() }
    }

    /// Creates a reader without environment variables.
    pub fn without_environment() -> Self {
        Self {
            variables: BTreeMap::new(),
            inputs: BTreeMap::new(),
            ask: None,
            tokens: Tokens::new(),
            workspace: None,
            is_check_only: false,
            keeps_variables: false,
        }
    }

    /// Adds a variable. The environment of the process does not change.
    pub fn with_variable(mut self, name: impl Into<String>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// Sets the value of an input. By default, it comes from the variable [`Input::variable`].
    pub fn with_input(mut self, id: impl Into<String>, value: impl Into<Secret>) -> Self {
        self.inputs.insert(id.into(), value.into());
        self
    }

    /// Sets a function that prompts the user for inputs without a value; it is called once per input.
    pub fn ask(mut self, ask: impl Fn(&Input) -> Option<Secret> + 'a) -> Self {
        self.ask = Some(Box::new(ask));
        self
    }

    /// Adds tokens that the program provides, for `${runtime:NAME}`.
    pub fn with_tokens(mut self, tokens: Tokens) -> Self {
        self.tokens = tokens;
        self
    }

    /// Sets the folder for `${workspaceFolder}` and relative paths. By default, it is the folder of the file, or its parent for
    /// files in `.vscode` and `.cursor`.
    pub fn workspace(mut self, folder: impl Into<PathBuf>) -> Self {
        self.workspace = Some(folder.into());
        self
    }

    /// Accepts inputs without a value, for a check of the file.
    pub fn check_only(mut self) -> Self {
        self.is_check_only = true;
        self
    }

    /// Accepts variables without a value and missing env files, for a file that is not used on this machine.
    pub(super) fn keep_variables(mut self) -> Self {
        self.keeps_variables = true;
        self
    }

    /// Reads a file: TOML if its name ends with `.toml`, YAML with `.yaml` or `.yml`, otherwise JSON. It must be UTF-8, or UTF-16
    /// with a byte order mark.
    ///
    /// # Errors
    /// [`ConfigError::Read`], [`ConfigError::Size`], and [`ConfigError::Invalid`] for syntax errors. Other problems are in
    /// [`Config::problems`].
    pub fn read(&self, path: impl AsRef<Path>) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let failed = |source: io::Error| ConfigError::Read { path: path.to_owned(), source };
        // The path may be a pipe without an end, such as `/dev/stdin`, which is read up to the limit.
        let limit = Format::from_path(path).limit();
        let mut bytes = Vec::new();
        let file = File::open(path).map_err(failed)?;
        file.take(limit as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
        if bytes.len() > limit {
            return Err(ConfigError::Size { path: path.to_owned(), limit });
        }
        self.read_text(path, &decode(bytes).map_err(failed)?)
    }

    /// Reads the text of a file. `path` determines the format and the folder for relative paths; the file need not exist.
    ///
    /// # Errors
    /// [`ConfigError::Size`], and [`ConfigError::Invalid`] for syntax errors.
    pub fn read_text(&self, path: impl AsRef<Path>, text: &str) -> Result<Config, ConfigError> {
        let path = path.as_ref();
        let format = Format::from_path(path);
        if text.len() > format.limit() {
            return Err(ConfigError::Size { path: path.to_owned(), limit: format.limit() });
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut source = Source::new(path.display().to_string(), text.to_owned());
        let root = match format.parse(text) {
            Ok(root) => root,
            Err(problem) => {
                let problems = vec![(*problem).located(&source)];
                source.redact_values();
                return Err(ConfigError::Invalid { file: Box::new(source), problems });
            }
        };
        source.redact(find_secrets(&root, text));
        Ok(self.build_config(&root, source, format))
    }

    fn build_config(&self, root: &Node, source: Source, format: Format) -> Config {
        let mut problems = Vec::new();
        root.report_duplicates(&mut problems);
        let sections = Sections::find(root, format.file_kind(), &mut problems);
        let folder = self.folder(Path::new(source.name()));
        let inputs = read_inputs(sections.inputs, &mut problems);
        let mut names: Vec<String> = token_names(sections.tokens).map(str::to_owned).collect();
        names.extend(self.tokens.names().map(str::to_owned));
        let get_input = |input: &Input| self.get_input(input);
        let mut scope = Scope {
            variables: &self.variables,
            inputs: &inputs,
            get_input: &get_input,
            tokens: &[],
            workspace: folder.clone(),
            is_check_only: self.is_check_only,
            keeps_variables: self.keeps_variables,
            remaining_bytes: Cell::new(MAX_EXPANDED_SIZE),
        };
        let text = source.text();
        let tokens = read_tokens(sections.tokens, &scope, text, &folder, self.tokens.clone(), &mut problems);
        scope.tokens = &names;
        let servers = Servers::read(&sections, &scope, text, &folder, &mut problems);

        problems.sort_by_key(|problem| problem.span.start);
        problems.truncate(MAX_PROBLEMS);
        let problems = problems.into_iter().map(|problem| problem.located(&source)).collect();
        Config {
            servers: servers.valid,
            invalid_servers: servers.invalid,
            disabled_servers: servers.disabled,
            tokens,
            problems,
            source,
        }
    }

    fn get_input(&self, input: &Input) -> Option<Secret> {
        if let Some(value) = self.inputs.get(&input.id) {
            return Some(value.clone());
        }
        let variable = self.variables.get(&input.variable()).and_then(|value| value.to_str());
        if let Some(value) = variable {
            return Some(Secret::new(value));
        }
        if self.is_check_only { None } else { self.ask.as_ref()?(input) }
    }

    /// Returns the folder of the file, or its parent for files of editors; absolute if possible.
    fn folder(&self, path: &Path) -> PathBuf {
        if let Some(workspace) = &self.workspace {
            return workspace.clone();
        }
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        let folder = path.parent().unwrap_or(Path::new("/"));
        let is_of_editor = folder.file_name().is_some_and(|name| name == ".vscode" || name == ".cursor");
        folder.parent().filter(|_| is_of_editor).unwrap_or(folder).to_owned()
    }
}

/// The content of a configuration file.
#[derive(Debug, Clone)]
pub struct Config {
    servers: Vec<ServerSpec>,
    invalid_servers: Vec<String>,
    disabled_servers: Vec<String>,
    tokens: Tokens,
    problems: Vec<Problem>,
    source: Source,
}

impl Config {
    /// Returns the valid servers, in the order of the file.
    pub fn servers(&self) -> &[ServerSpec] {
        &self.servers
    }

    /// Returns the server with this name.
    ///
    /// # Errors
    /// [`ServerLookupError`], if the server is unknown, disabled or invalid.
    pub fn server(&self, name: &str) -> Result<&ServerSpec, ServerLookupError> {
        if let Some(server) = self.servers.iter().find(|server| server.name == name) {
            return Ok(server);
        }
        let name = name.to_owned();
        if self.disabled_servers.contains(&name) {
            return Err(ServerLookupError::Disabled { name });
        }
        if self.invalid_servers.contains(&name) {
            let errors = self.problems.iter().filter(|problem| {
                problem.severity == Severity::Error && problem.server.as_deref() == Some(name.as_str())
            });
            let problems: Vec<_> = errors
                .map(|problem| format!("{}:{}: {}", problem.line, problem.column, problem.message))
                .collect();
            return Err(ServerLookupError::Invalid { name, problems: problems.join("; ") });
        }
        let available: Vec<&str> = self.servers.iter().map(|server| server.name.as_str()).collect();
        let suggestion = nearest(&name, available.iter().copied()).map(str::to_owned);
        let available = if available.is_empty() { "none".to_owned() } else { available.join(", ") };
        Err(ServerLookupError::Unknown { name, suggestion, available })
    }

    /// Returns the names of the servers whose entries have errors.
    pub fn invalid_servers(&self) -> &[String] {
        &self.invalid_servers
    }

    /// Returns the names of the disabled servers.
    pub fn disabled_servers(&self) -> &[String] {
        &self.disabled_servers
    }

    /// Returns the token providers for the values of these servers.
    pub fn tokens(&self) -> &Tokens {
        &self.tokens
    }

    /// Returns the problems, in the order of the file; at most [`MAX_PROBLEMS`].
    pub fn problems(&self) -> &[Problem] {
        &self.problems
    }

    /// Returns the text of the file, for diagnostics.
    pub fn source(&self) -> &Source {
        &self.source
    }

    /// Returns the configuration if it has no errors, for programs that need all of their servers.
    ///
    /// # Errors
    /// [`ConfigError::Invalid`] with all errors.
    pub fn require_valid(self) -> Result<Self, ConfigError> {
        let errors = self.problems.iter().filter(|problem| problem.severity == Severity::Error);
        let problems: Vec<_> = errors.cloned().collect();
        if problems.is_empty() {
            return Ok(self);
        }
        Err(ConfigError::Invalid { file: Box::new(self.source), problems })
    }
}

/// An error of [`Config::server`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ServerLookupError {
    /// No server has this name.
    #[error(
        "unknown server `{name}`; available: {available}{}",
        .suggestion.as_ref().map(|name| format!("; did you mean `{name}`?")).unwrap_or_default()
    )]
    Unknown {
        /// The name.
        name: String,
        /// A similar name that exists.
        suggestion: Option<String>,
        /// The names of the servers, separated by commas.
        available: String,
    },
    /// The server is disabled.
    #[error("the server `{name}` is disabled: remove `disabled` from its entry")]
    Disabled {
        /// The name.
        name: String,
    },
    /// The entry of the server has errors.
    #[error("the server `{name}` is invalid: {problems}")]
    Invalid {
        /// The name.
        name: String,
        /// Its errors, with line and column.
        problems: String,
    },
}

/// The format of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Toml,
    Yaml,
}

impl Format {
    pub(super) fn from_path(path: &Path) -> Self {
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

    /// Returns whether other clients read files in this format.
    pub(super) fn file_kind(self) -> FileKind {
        match self {
            Self::Json => FileKind::Shared,
            Self::Toml | Self::Yaml => FileKind::Native,
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

/// Decodes UTF-8, or UTF-16 with a byte order mark, which some Windows programs write.
fn decode(bytes: Vec<u8>) -> io::Result<String> {
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
