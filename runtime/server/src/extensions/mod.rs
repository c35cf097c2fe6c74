//! Extensions of the protocol: their negotiation, and the server's declarations (2026-07-28, basic "Capabilities";
//! extensions/overview "Negotiation").

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
    /// The settings from [`Server::extension`](crate::Server::extension), by identifier.
    declared: Map<String, Value>,
    /// `None` if the server offers no skills.
    #[cfg(feature = "skills")]
    pub(crate) skills: Option<RwLock<Arc<Catalog>>>,
    /// Orders replacements of skills, which are first read from folders.
    #[cfg(feature = "skills")]
    pub(crate) replacements: crate::refresh_order::RefreshOrder,
    /// `None` if no tool of the server can become a task.
    #[cfg(feature = "tasks")]
    pub(crate) tasks: Option<ServerTasks>,
}

/// The extensions of providers.
#[derive(Debug, Clone, Copy, Default)]
#[cfg_attr(
    not(all(feature = "skills", feature = "tasks")),
    expect(dead_code, reason = "each concerns one extension")
)]
pub(crate) struct Elsewhere {
    pub(crate) skills: bool,
    pub(crate) tasks: bool,
}

impl Extensions {
    /// The value of `capabilities.extensions`; `None` if there are no extensions. `elsewhere` says which
    /// of them providers have.
    #[cfg_attr(
        not(feature = "tasks"),
        expect(unused_variables, reason = "only tasks depend on the revision and on providers")
    )]
    pub(crate) fn capabilities(&self, revision: Revision, elsewhere: Elsewhere) -> Option<Value> {
        let own: &[Option<(&str, Value)>] = &[
            #[cfg(feature = "skills")]
            (self.skills.is_some() || elsewhere.skills)
                .then(|| (SKILLS, serde_json::json!({"directoryRead": true}))),
            // "Servers MUST NOT treat this capability as enabling tasks under" earlier revisions (SEP-2663 "Backward
            // Compatibility").
            #[cfg(feature = "tasks")]
            (revision.has_tasks() && (self.tasks.is_some() || elsewhere.tasks))
                .then(|| (TASKS, Map::new().into())),
        ];
        let own =
            own.iter().flatten().map(|(identifier, settings)| ((*identifier).to_owned(), settings.clone()));
        let extensions: Map<String, Value> = self.declared.clone().into_iter().chain(own).collect();
        (!extensions.is_empty()).then_some(Value::Object(extensions))
    }

    /// Replaces the skills with `catalog`, unless a replacement that began after `refresh` is already in place.
    /// `resources` are those of the new skills.
    ///
    /// # Errors
    /// A resource has the URI of another one; nothing has changed in that case.
    #[cfg(feature = "skills")]
    pub(crate) fn replace_skills(
        &self,
        refresh: crate::refresh_order::Refresh,
        catalog: Catalog,
        resources: Vec<ResourceEntry>,
        all: &Resources,
    ) -> Result<(), BuildError> {
        let Some(skills) = &self.skills else { return Ok(()) };
        // Held for both steps, so that two replacements do not interleave.
        let mut skills = skills.write().unwrap_or_else(PoisonError::into_inner);
        if !self.replacements.is_newest(refresh) {
            return Ok(());
        }
        all.fixed.replace(|uri| skills.uris.contains(uri), resources, "resource")?;
        *skills = Arc::new(catalog);
        Ok(())
    }

    /// The current skills; `None` if the server offers none.
    #[cfg(feature = "skills")]
    pub(crate) fn skills(&self) -> Option<Arc<Catalog>> {
        let skills = self.skills.as_ref()?;
        Some(Arc::clone(&skills.read().unwrap_or_else(PoisonError::into_inner)))
    }
}

/// The `ClientCapabilities` that a client would have to declare.
#[cfg(feature = "tasks")]
pub(crate) fn required(extension: &str) -> Value {
    serde_json::json!({"extensions": {extension: {}}})
}
