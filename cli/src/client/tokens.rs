//! Stores tokens between commands.

use std::env;
use std::path::PathBuf;

use toolwright_client::{FileTokenStore, OAuth, StoreKey};

/// The environment variable with the path of the token file.
const FILE: &str = "CARGO_MCP_TOKENS";
/// The environment variable with the encryption key of the file.
const KEY: &str = "CARGO_MCP_TOKENS_KEY";
/// The advice if a server requires a login.
const ADVICE: &str = "run `cargo mcp login` with the same server";

/// Finds the token file: that of [`FILE`], or else one in the user's data folder. `None` if there is no such folder.
///
/// # Errors
/// The key is invalid.
fn find() -> Result<Option<FileTokenStore>, String> {
    let path = path_variable(FILE).or_else(|| Some(data_folder()?.join("cargo-mcp/tokens.json")));
    let Some(store) = path.map(FileTokenStore::new) else { return Ok(None) };
    let Some(key) = env::var_os(KEY).filter(|key| !key.is_empty()) else { return Ok(Some(store)) };
    let key = StoreKey::from_base64(&key.to_string_lossy()).map_err(|why| format!("{KEY}: {why}"))?;
    Ok(Some(store.encrypted(key)))
}

/// Returns the token file, for a login.
///
/// # Errors
/// There is no folder for it, or the key is invalid.
pub(super) fn store() -> Result<FileTokenStore, String> {
    find()?.ok_or_else(|| format!("there is no folder to keep tokens in: set {FILE} to a file"))
}

/// Loads the tokens of earlier logins, for commands that are not interactive.
///
/// # Errors
/// The key is invalid.
pub(crate) fn load() -> Result<Option<OAuth>, String> {
    Ok(find()?.map(|store| OAuth::stored(ADVICE).store(store)))
}

fn path_variable(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn data_folder() -> Option<PathBuf> {
    if cfg!(windows) {
        return path_variable("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return Some(path_variable("HOME")?.join("Library/Application Support"));
    }
    // Relative paths are invalid (XDG Base Directory Specification, "Environment variables").
    path_variable("XDG_DATA_HOME")
        .filter(|path| path.is_absolute())
        .or_else(|| Some(path_variable("HOME")?.join(".local/share")))
}
