//! Skills that are replaced while the server runs.

use super::Service;
use crate::error::BuildError;
use crate::extensions::SKILLS;
use crate::skills::Skills;
use crate::subscriptions::Changed;

impl Service {
    /// Offers other skills in place of those that the server has now, and tells every peer that listens. Requests that
    /// are answered meanwhile see the old ones or the new ones. Of several replacements at once the one that began last
    /// stays.
    ///
    /// # Errors
    /// [`BuildError::Feature`] for skills that cannot be served, and for a server that was built without
    /// [`Server::skills`](crate::Server::skills): clients were told so. The old ones stay then.
    pub fn replace_skills(&self, skills: Skills) -> Result<(), BuildError> {
        let shared = self.shared();
        let (extensions, resources) = (shared.extensions(), shared.features().resources());
        let Some(resources) = resources.filter(|_| extensions.skills.is_some()) else {
            return Err(BuildError::Feature {
                what: "extension",
                name: SKILLS.to_owned(),
                reason: "the server was built without skills; build it with `Server::skills`, even if there are none yet"
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
