//! Environment variables of the program, which the client asks its user for: `[package.metadata.mcp.env]` in Cargo.toml.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use super::BundleError;
use crate::error::Error;

/// The variables of a package, by name.
#[derive(Debug, Default)]
pub(super) struct Settings(BTreeMap<String, Setting>);

/// A variable.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
struct Setting {
    /// What the user reads above the field.
    title: String,
    /// What the user reads below it.
    description: String,
    /// Whether the value is hidden, and kept in the keychain of the system.
    #[serde(default)]
    secret: bool,
    /// Whether the program does not work without it.
    #[serde(default)]
    required: bool,
    default: Option<String>,
}

impl Settings {
    /// Reads the table; a package without one has no settings.
    ///
    /// # Errors
    /// [`Error::Read`], [`Error::Toml`], [`BundleError::Settings`].
    pub(super) fn read(file: &Path) -> Result<Self, Error> {
        let text =
            fs::read_to_string(file).map_err(|source| Error::Read { file: file.to_owned(), source })?;
        let cargo_toml: toml::Table =
            text.parse().map_err(|source| Error::Toml { file: file.to_owned(), source })?;
        let path = ["metadata", "mcp", "env"];
        let table = path.iter().try_fold(cargo_toml.get("package"), |at, name| Some(at?.get(name)));
        let Some(Some(table)) = table else { return Ok(Self::default()) };
        let problem = |problem: String| BundleError::Settings { file: file.to_owned(), problem };
        let settings: BTreeMap<String, Setting> =
            table.clone().try_into().map_err(|error: toml::de::Error| problem(error.message().to_owned()))?;
        let is_name = |name: &String| {
            !name.starts_with(|first: char| first.is_ascii_digit())
                && name.chars().all(|one| one.is_ascii_alphanumeric() || one == '_')
        };
        if let Some(name) = settings.keys().find(|name| !is_name(name)) {
            return Err(problem(format!("{name:?} cannot be the name of a variable")).into());
        }
        Ok(Self(settings))
    }

    /// Adds the settings to the manifest of a bundle, and passes their values to the program.
    pub(super) fn apply(&self, manifest: &mut Value) {
        if self.0.is_empty() {
            return;
        }
        let (mut env, mut user_config) = (Map::new(), Map::new());
        for (name, setting) in &self.0 {
            let key = name.to_ascii_lowercase();
            env.insert(name.clone(), format!("${{user_config.{key}}}").into());
            let mut asked = json!({
                "type": "string",
                "title": setting.title,
                "description": setting.description,
                "required": setting.required,
                "sensitive": setting.secret,
            });
            if let Some(default) = &setting.default {
                asked["default"] = default.as_str().into();
            }
            user_config.insert(key, asked);
        }
        manifest["server"]["mcp_config"]["env"] = env.into();
        manifest["user_config"] = user_config.into();
    }
}
