//! Where tokens are kept between commands.

use std::env;
use std::path::PathBuf;

use toolwright_client::{FileTokenStore, OAuth, StoreKey};

/// The file, if the user chooses one.
const FILE: &str = "CARGO_MCP_TOKENS";
/// What it is encrypted with, if at all.
const KEY: &str = "CARGO_MCP_TOKENS_KEY";
/// What to do where a server wants a login.
const ADVICE: &str = "run `cargo mcp login` with the same server";

/// The file of tokens: that of [`FILE`], else one in the user's folder for data. None if there is no such folder.
///
/// # Errors
/// Where the key is invalid.
fn find() -> Result<Option<FileTokenStore>, String> {
    let path = set(FILE).or_else(|| Some(data_folder()?.join("cargo-mcp/tokens.json")));
    let Some(store) = path.map(FileTokenStore::new) else { return Ok(None) };
    let Some(key) = env::var_os(KEY).filter(|key| !key.is_empty()) else { return Ok(Some(store)) };
    let key = StoreKey::from_base64(&key.to_string_lossy()).map_err(|why| format!("{KEY}: {why}"))?;
    Ok(Some(store.encrypted(key)))
}

/// The file of tokens, for a login.
///
/// # Errors
/// Where there is no place for it, or the key is invalid.
pub(super) fn store() -> Result<FileTokenStore, String> {
    find()?.ok_or_else(|| format!("there is no folder to keep tokens in: set {FILE} to a file"))
}

/// The tokens of earlier logins, for commands that do not ask the user.
///
/// # Errors
/// Where the key is invalid.
pub(crate) fn stored() -> Result<Option<OAuth>, String> {
    Ok(find()?.map(|store| OAuth::stored(ADVICE).store(store)))
}

fn set(name: &str) -> Option<PathBuf> {
    env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}

fn data_folder() -> Option<PathBuf> {
    if cfg!(windows) {
        return set("LOCALAPPDATA");
    }
    if cfg!(target_os = "macos") {
        return Some(set("HOME")?.join("Library/Application Support"));
    }
    // A relative path is not one (XDG Base Directory Specification, "Environment variables").
    set("XDG_DATA_HOME").filter(|path| path.is_absolute()).or_else(|| Some(set("HOME")?.join(".local/share")))
}
