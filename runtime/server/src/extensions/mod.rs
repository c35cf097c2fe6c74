//! Extensions of the protocol: which there are, who declares them, and what a server has of them (2026-07-28, basic
//! "Capabilities"; extensions/overview "Negotiation").

mod parts;

#[cfg(feature = "skills")]
use std::sync::{Arc, PoisonError, RwLock};

use serde_json::{Map, Value};
use toolwright_core::revision::Revision;

#[cfg(feature = "skills")]
use crate::error::BuildError;
#[cfg(feature = "skills")]
use crate::features::{ResourceEntry, Resources};
#[cfg(feature = "skills")]
use crate::skills::Catalog;
#[cfg(feature = "tasks")]
use crate::tasks::ServerTasks;

pub(crate) use parts::ExtensionParts;

pub(crate) use toolwright_core::protocol::extension::{SKILLS, TASKS};

/// The extensions of a server.
#[derive(Debug, Default)]
pub(crate) struct Extensions {
    /// What [`Server::extension`](crate::Server::extension) was told, by identifier.
    declared: Map<String, Value>,
    /// Absent where the server offers no skills.
    #[cfg(feature = "skills")]
    pub(crate) skills: Option<RwLock<Arc<Catalog>>>,
    /// The replacements of skills, which are read from folders first.
    #[cfg(feature = "skills")]
    pub(crate) replacements: crate::refresh_order::RefreshOrder,
    /// Absent where no tool of the server can become a task.
    #[cfg(feature = "tasks")]
    pub(crate) tasks: Option<ServerTasks>,
}

impl Extensions {
    /// The value of `capabilities.extensions`; none if there are none.
    #[cfg_attr(not(feature = "tasks"), expect(unused_variables, reason = "only tasks are of one revision"))]
    pub(crate) fn capabilities(&self, revision: Revision) -> Option<Value> {
        let own: &[Option<(&str, Value)>] = &[
            #[cfg(feature = "skills")]
            self.skills.as_ref().map(|_| (SKILLS, serde_json::json!({"directoryRead": true}))),
            // "Servers MUST NOT treat this capability as enabling tasks under" earlier revisions (SEP-2663 "Backward
            // Compatibility").
            #[cfg(feature = "tasks")]
            self.tasks.as_ref().filter(|_| revision.has_tasks()).map(|_| (TASKS, Map::new().into())),
        ];
        let own =
            own.iter().flatten().map(|(identifier, settings)| ((*identifier).to_owned(), settings.clone()));
        let extensions: Map<String, Value> = self.declared.clone().into_iter().chain(own).collect();
        (!extensions.is_empty()).then_some(Value::Object(extensions))
    }

    /// Offers `catalog` in place of the skills now, unless a replacement that began after `refresh` is in place already.
    /// `resources` are those of the new skills.
    ///
    /// # Errors
    /// Where a resource has the address of another one; nothing has changed then.
    #[cfg(feature = "skills")]
    pub(crate) fn replace_skills(
        &self,
        refresh: crate::refresh_order::Refresh,
        catalog: Catalog,
        resources: Vec<ResourceEntry>,
        all: &Resources,
    ) -> Result<(), BuildError> {
        let Some(skills) = &self.skills else { return Ok(()) };
        // Held over both, so that two replacements do not mix.
        let mut skills = skills.write().unwrap_or_else(PoisonError::into_inner);
        if !self.replacements.is_newest(refresh) {
            return Ok(());
        }
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

/// What a client would have to declare, as `ClientCapabilities` of the schema.
#[cfg(feature = "tasks")]
pub(crate) fn required(extension: &str) -> Value {
    serde_json::json!({"extensions": {extension: {}}})
}
