//! Replaces skills at run time.

use super::Service;
use crate::error::BuildError;
use crate::extensions::SKILLS;
use crate::skills::Skills;
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
