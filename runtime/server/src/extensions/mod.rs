//! Extensions of the protocol: which there are, who declares them, and what a server has of them (2026-07-28, basic
//! "Capabilities"; extensions/overview "Negotiation").

mod builder;

use std::sync::Arc;
#[cfg(feature = "skills")]
use std::sync::{PoisonError, RwLock};

use serde_json::{Map, Value, json};

#[cfg(feature = "skills")]
use crate::error::BuildError;
#[cfg(feature = "skills")]
use crate::features::{ResourceEntry, Resources};
#[cfg(feature = "skills")]
use crate::skills::Catalog;

pub(crate) use builder::ExtensionParts;

/// Agent Skills as resources (SEP-2640).
#[cfg(feature = "skills")]
pub(crate) const SKILLS: &str = "io.modelcontextprotocol/skills";

/// The extensions of a server.
#[derive(Debug, Default)]
pub(crate) struct Extensions {
    /// What [`Server::extension`](crate::Server::extension) was told, by identifier.
    declared: Map<String, Value>,
    /// Absent where the server offers no skills.
    #[cfg(feature = "skills")]
    pub(crate) skills: Option<RwLock<Arc<Catalog>>>,
}

impl Extensions {
    /// The value of `capabilities.extensions`; none if there are none.
    pub(crate) fn capabilities(&self) -> Option<Value> {
        let mut extensions = self.declared.clone();
        #[cfg(feature = "skills")]
        if self.skills.is_some() {
            extensions.insert(SKILLS.to_owned(), json!({"directoryRead": true}));
        }
        (!extensions.is_empty()).then_some(Value::Object(extensions))
    }

    /// Offers `catalog` in place of the skills now. `resources` are those of the new skills.
    ///
    /// # Errors
    /// Where a resource has the address of another one; nothing has changed then.
    #[cfg(feature = "skills")]
    pub(crate) fn replace_skills(
        &self,
        catalog: Catalog,
        resources: Vec<ResourceEntry>,
        all: &Resources,
    ) -> Result<(), BuildError> {
        let Some(skills) = &self.skills else { return Ok(()) };
        // Held over both, so that two replacements do not mix.
        let mut skills = skills.write().unwrap_or_else(PoisonError::into_inner);
        all.fixed.replace(|uri| skills.uris.contains(uri), resources, "resource")?;
        *skills = Arc::new(catalog);
        Ok(())
    }

    /// The skills now; none if the server offers none.
    #[cfg(feature = "skills")]
    pub(crate) fn skills(&self) -> Option<Arc<Catalog>> {
        let skills = self.skills.as_ref()?;
        Some(Arc::clone(&skills.read().unwrap_or_else(PoisonError::into_inner)))
    }
}
