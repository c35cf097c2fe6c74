//! The folder with the keys of a gateway.

use std::path::{Path, PathBuf};

use toolwright_gateway::internal::ServiceKeys;
use toolwright_gateway::tokens::{KeyRing, SessionTokens};

use crate::client::RequestError;

/// The folder, and what is in it.
pub(super) struct StateFolder(PathBuf);

impl StateFolder {
    /// This folder, which is made if there is none. Only its owner may look into a new one.
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

    /// The keys that sign session tokens.
    pub(super) fn signing_keys(&self) -> Result<KeyRing, RequestError> {
        KeyRing::open(self.0.join("signing-keys.json")).map_err(usage)
    }

    /// The tokens of the gateway that is known by an address.
    pub(super) fn tokens(&self, url: &str) -> Result<SessionTokens, RequestError> {
        Ok(SessionTokens::new(self.signing_keys()?, url))
    }

    /// The file with the services that may use the internal API.
    pub(super) fn services_file(&self) -> PathBuf {
        self.0.join("services.json")
    }

    /// These services.
    pub(super) fn services(&self) -> Result<ServiceKeys, RequestError> {
        ServiceKeys::open(&self.services_file()).map_err(usage)
    }
}

/// A mistake of the user's.
pub(super) fn usage(error: impl Into<Box<dyn std::error::Error>>) -> RequestError {
    RequestError::Usage(error.into().to_string())
}
