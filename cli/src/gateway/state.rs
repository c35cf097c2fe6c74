//! The folder with the keys of a gateway.

use std::path::{Path, PathBuf};

use toolwright_gateway::callers::CallerKeys;
use toolwright_gateway::internal::ServiceKeys;
use toolwright_gateway::tokens::{KeyRing, SessionTokens};

use crate::client::RequestError;

/// The folder and its contents.
pub(super) struct StateFolder(PathBuf);

impl StateFolder {
    /// Opens the folder, or creates it so that only its owner has access.
    pub(super) fn open(path: &Path) -> Result<Self, RequestError> {
        if !path.exists() {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            let made = builder.create(path);
            made.map_err(|error| usage(format!("the folder {} cannot be made: {error}", path.display())))?;
        }
        Ok(Self(path.to_owned()))
    }

    /// Returns the keys that sign session tokens.
    pub(super) fn signing_keys(&self) -> Result<KeyRing, RequestError> {
        KeyRing::open(self.0.join("signing-keys.json")).map_err(usage)
    }

    /// Returns the tokens of the gateway with this URL.
    pub(super) fn tokens(&self, url: &str) -> Result<SessionTokens, RequestError> {
        Ok(SessionTokens::new(self.signing_keys()?, url))
    }

    /// Returns the file with the services that may use the internal API.
    pub(super) fn services_file(&self) -> PathBuf {
        self.0.join("services.json")
    }

    /// Returns the file with the API keys of callers.
    pub(super) fn callers_file(&self) -> PathBuf {
        self.0.join("callers.json")
    }

    /// Opens these keys.
    pub(super) fn callers(&self) -> Result<CallerKeys, RequestError> {
        CallerKeys::open(self.callers_file()).map_err(usage)
    }

    /// Reads these services.
    pub(super) fn services(&self) -> Result<ServiceKeys, RequestError> {
        ServiceKeys::open(&self.services_file()).map_err(usage)
    }
}

/// Returns the URL of a store, from the command line or from a file that only its owner can read.
pub(super) fn store_url(url: Option<&str>, file: Option<&Path>) -> Result<Option<String>, RequestError> {
    let Some(file) = file else { return Ok(url.map(str::to_owned)) };
    let text = toolwright_gateway::read_private_file(file)
        .map_err(|error| usage(format!("--store-file {}: {error}", file.display())))?;
    Ok(Some(text.trim().to_owned()))
}

/// Returns a usage error.
pub(super) fn usage(error: impl Into<Box<dyn std::error::Error>>) -> RequestError {
    RequestError::Usage(error.into().to_string())
}
