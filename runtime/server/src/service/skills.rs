//! Skills of the server and of its providers; replaces the former at run time.

use std::collections::HashSet;
use std::sync::Arc;

use serde_json::value::to_raw_value;
use toolwright_core::future::BoxFuture;
use toolwright_core::protocol::{ErrorObject, error as codes};

use super::{Service, Shared};
use crate::auth::Access;
use crate::context::Context;
use crate::error::{self, BuildError};
use crate::extensions::SKILLS;
use crate::pagination::List;
use crate::provider::{Directory, DirectoryRequest, DynProvider, Outcome, ProvidedSkill};
use crate::skills::{Catalog, SkillEntry, Skills};
use crate::subscriptions::Changed;

impl Service {
    /// Replaces the server's skills, and notifies subscribed peers. Concurrent requests see either the old or the new
    /// ones. Of several concurrent replacements, the one that began last wins.
    ///
    /// # Errors
    /// [`BuildError::Feature`] if the skills are invalid, or the server was built without
    /// [`Server::skills`](crate::Server::skills), as declared to clients. The old ones then remain.
    pub fn replace_skills(&self, skills: Skills) -> Result<(), BuildError> {
        let shared = self.shared();
        let (extensions, resources) = (shared.extensions(), shared.features().resources());
        let Some(resources) = resources.filter(|_| extensions.skills.is_some()) else {
            return Err(BuildError::Feature {
                what: "extension",
                name: SKILLS.to_owned(),
                reason: "the server was built without skills; call `Server::skills` when building it, even if there are none yet"
                    .to_owned(),
            });
        };
        let refresh = extensions.replacements.begin();
        let (catalog, entries) = skills.build(self.limits().max_skill_bytes, shared.list_ttl())?;
        extensions.replace_skills(refresh, catalog, entries, resources)?;
        shared.notify(Changed::Resources);
        Ok(())
    }
}

impl Shared {
    /// Whether the server or a provider offers skills.
    pub(crate) fn has_skills(&self) -> bool {
        self.extensions.skills.is_some() || self.features.providers_of_skills().next().is_some()
    }

    /// The skills of the server and its providers for a caller; `None` if no provider offers any, and the
    /// server's own are all.
    pub(crate) fn skills_for(&self, own: Option<&Catalog>, access: &Access) -> Option<List<SkillEntry>> {
        self.features.providers_of_skills().next()?;
        let mut entries = own.map(|own| own.skills.entries().to_vec()).unwrap_or_default();
        let mut taken: HashSet<String> = entries.iter().map(|entry| entry.uri().to_owned()).collect();
        for skill in self.provided_skills(access) {
            if taken.insert(skill.uri().to_owned())
                && let Ok(json) = to_raw_value(&skill)
            {
                entries.push(Arc::new(SkillEntry::new(skill.uri(), json)));
            }
        }
        let list = List::new(entries).ok()?;
        Some(if self.features.lists_by_caller() { list.of_caller() } else { list })
    }

    fn provided_skills<'a>(&'a self, access: &'a Access) -> impl Iterator<Item = ProvidedSkill> + 'a {
        let of = move |provider: &'a DynProvider| {
            let access = if provider.capabilities().lists_by_caller { access } else { &Access::Trusted };
            provider.0.skills(access).to_vec()
        };
        self.features.providers_of_skills().flat_map(of)
    }

    /// Reads a directory of the first provider that has it.
    pub(crate) fn read_provided_directory(
        &self,
        uri: &str,
        cursor: Option<&str>,
        cx: &Context,
    ) -> BoxFuture<'static, Outcome<Directory>> {
        let providers: Vec<DynProvider> = self.features.providers_of_skills().cloned().collect();
        let (uri, cursor, cx) = (uri.to_owned(), cursor.map(str::to_owned), cx.clone());
        Box::pin(async move {
            for provider in providers {
                let request = DirectoryRequest::new(&uri, cursor.as_deref());
                let mut outcome = provider.0.read_directory(request, &cx).await;
                if let Outcome::Raw(raw) = outcome {
                    outcome = raw.parse().map_or_else(
                        |problem| {
                            error::internal(&format!("the directory cannot be forwarded: {problem}")).into()
                        },
                        Outcome::Result,
                    );
                }
                let is_unknown = |error: &ErrorObject| {
                    matches!(
                        error.code,
                        codes::RESOURCE_NOT_FOUND | codes::INVALID_PARAMS | codes::METHOD_NOT_FOUND
                    )
                };
                if !matches!(&outcome, Outcome::Error(error) if is_unknown(error)) {
                    return outcome;
                }
            }
            error::unknown("directory", &uri).into()
        })
    }
}
