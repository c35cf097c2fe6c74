//! The clients: where their configuration is, and what it looks like.
//!
//! Sources: "Connect to local MCP servers" of modelcontextprotocol.io (Claude Desktop), code.claude.com/docs/en/mcp (Claude
//! Code), cursor.com/docs/mcp, code.visualstudio.com/docs/copilot/reference/mcp-configuration, and the page on MCP of
//! docs.windsurf.com.

use std::env;
use std::path::PathBuf;

use clap::ValueEnum;

use super::InstallError;
use super::args::Scope;

/// A client with a configuration file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Client {
    ClaudeDesktop,
    ClaudeCode,
    Cursor,
    #[value(name = "vscode")]
    VsCode,
    Windsurf,
}

/// The folders that files of clients are in.
#[derive(Debug, Default)]
pub(super) struct Folders {
    /// The home folder.
    home: Option<PathBuf>,
    /// Where programs keep the settings of the user: `~/.config`, `~/Library/Application Support` or `%APPDATA%`.
    settings: Option<PathBuf>,
    /// `CLAUDE_CONFIG_DIR`, which replaces the home folder for Claude Code.
    claude_code: Option<PathBuf>,
}

impl Folders {
    /// Finds the folders as the clients do.
    pub(super) fn from_environment() -> Self {
        let set = |name: &str| env::var_os(name).map(PathBuf::from).filter(|path| path.is_absolute());
        let home = env::home_dir().filter(|path| path.is_absolute());
        let below_home = |path: &str| home.as_ref().map(|home| home.join(path));
        let settings = if cfg!(windows) {
            set("APPDATA").or_else(|| below_home("AppData/Roaming"))
        } else if cfg!(target_vendor = "apple") {
            below_home("Library/Application Support")
        } else {
            set("XDG_CONFIG_HOME").or_else(|| below_home(".config"))
        };
        Self { settings, claude_code: set("CLAUDE_CONFIG_DIR"), home }
    }
}

impl Client {
    /// Its name for people.
    pub(super) fn display_name(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "Claude Desktop",
            Self::ClaudeCode => "Claude Code",
            Self::Cursor => "Cursor",
            Self::VsCode => "VS Code",
            Self::Windsurf => "Windsurf",
        }
    }

    /// The member of the file that has the servers.
    pub(super) fn section(self) -> &'static str {
        if self == Self::VsCode { "servers" } else { "mcpServers" }
    }

    /// Whether the client writes the member `type` of a server itself.
    pub(super) fn writes_type(self) -> bool {
        matches!(self, Self::ClaudeCode | Self::VsCode)
    }

    /// The member with the URL of an HTTP server, if the file can have one.
    pub(super) fn url_member(self) -> Option<&'static str> {
        match self {
            // Remote servers are connectors of the account.
            Self::ClaudeDesktop => None,
            Self::ClaudeCode | Self::Cursor | Self::VsCode => Some("url"),
            Self::Windsurf => Some("serverUrl"),
        }
    }

    /// What a user does after a change.
    pub(super) fn next_step(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "quit Claude Desktop and start it again",
            Self::ClaudeCode => "start `claude`, and see the server with /mcp",
            Self::Cursor => "open the settings of Cursor, and enable the server under MCP",
            Self::VsCode => "run the command `MCP: List Servers` in VS Code, and start the server",
            Self::Windsurf => "refresh the MCP servers in Windsurf's Cascade panel",
        }
    }

    /// Returns the file for a user, or for a project in the current directory.
    pub(super) fn file(self, scope: Scope, folders: &Folders) -> Result<PathBuf, InstallError> {
        let home = |path: &str| {
            let home = folders.home.as_ref().ok_or(InstallError::NoFolder { variable: "HOME" })?;
            Ok(home.join(path))
        };
        let settings = |path: &str| {
            let variable = if cfg!(windows) { "APPDATA" } else { "HOME" };
            let folder = folders.settings.as_ref().ok_or(InstallError::NoFolder { variable })?;
            Ok(folder.join(path))
        };
        match (self, scope) {
            (Self::ClaudeDesktop, Scope::User) => settings("Claude/claude_desktop_config.json"),
            (Self::ClaudeCode, Scope::User) => match &folders.claude_code {
                Some(folder) => Ok(folder.join(".claude.json")),
                None => home(".claude.json"),
            },
            (Self::ClaudeCode, Scope::Project) => Ok(".mcp.json".into()),
            (Self::Cursor, Scope::User) => home(".cursor/mcp.json"),
            (Self::Cursor, Scope::Project) => Ok(".cursor/mcp.json".into()),
            (Self::VsCode, Scope::User) => settings("Code/User/mcp.json"),
            (Self::VsCode, Scope::Project) => Ok(".vscode/mcp.json".into()),
            (Self::Windsurf, Scope::User) => home(".codeium/windsurf/mcp_config.json"),
            (Self::ClaudeDesktop | Self::Windsurf, Scope::Project) => {
                Err(InstallError::NoProjectScope { client: self.display_name() })
            }
        }
    }
}
