//! Adds and removes prompts and resources at run time.

use toolwright_core::arguments::StringArguments;
use toolwright_core::prompt::{IntoPromptResult, Prompt};
use toolwright_core::resource::{IntoResourceResult, Resource, ResourceTemplate};

use super::Service;
use crate::auth::Access;
use crate::error::BuildError;
use crate::features::{PromptEntry, Registry, RequestHandler, ResourceEntry, Resources, TemplateEntry};
use crate::pagination::{Listed, View};
use crate::subscriptions::Changed;

/// Changes at run time. Subscribed peers that can see a change are notified of it.
impl Service {
    /// Adds a prompt, as [`Server::prompt`](crate::Server::prompt) does.
    ///
    /// # Errors
    /// [`BuildError::Feature`] if the prompt is invalid, its name is taken, or the server was built without prompts, as
    /// declared to clients. See [`Server::with_prompts`](crate::Server::with_prompts).
    pub fn add_prompt<P, H>(&self, prompt: Prompt, handler: H) -> Result<(), BuildError>
    where
        H: RequestHandler<P, Input: StringArguments, Output: IntoPromptResult>,
    {
        let name = prompt.name.clone();
        let entry = PromptEntry::new(prompt, handler)?;
        let prompts = self.prompts().ok_or_else(|| not_offered_error("prompt", name, "with_prompts"))?;
        self.notify_of(Changed::Prompts, &*prompts.add(entry, "prompt")?);
        Ok(())
    }

    /// Removes a prompt; returns false if there is none with this name.
    pub fn remove_prompt(&self, name: &str) -> bool {
        let removed = self.prompts().and_then(|prompts| prompts.remove(name));
        removed.map(|prompt| self.notify_of(Changed::Prompts, &*prompt)).is_some()
    }

    /// Adds a resource, as [`Server::resource`](crate::Server::resource) does.
    ///
    /// # Errors
    /// [`BuildError::Feature`] if the resource is invalid, its URI is taken, or the server was built without resources,
    /// as declared to clients. See [`Server::with_resources`](crate::Server::with_resources).
    pub fn add_resource<P, H>(&self, resource: Resource, handler: H) -> Result<(), BuildError>
    where
        H: RequestHandler<P, Input = (), Output: IntoResourceResult>,
    {
        let uri = resource.uri.clone();
        let entry = ResourceEntry::new(resource, handler)?;
        let resources =
            self.resources().ok_or_else(|| not_offered_error("resource", uri, "with_resources"))?;
        self.notify_of(Changed::Resources, &*resources.fixed.add(entry, "resource")?);
        Ok(())
    }

    /// Removes a resource; returns false if there is none with this URI.
    pub fn remove_resource(&self, uri: &str) -> bool {
        let removed = self.resources().and_then(|resources| resources.fixed.remove(uri));
        removed.map(|resource| self.notify_of(Changed::Resources, &*resource)).is_some()
    }

    /// Adds a resource template, as [`Server::resource_template`](crate::Server::resource_template) does. Peers are
    /// notified that the list of resources has changed, since the protocol has no separate notification.
    ///
    /// # Errors
    /// See [`Service::add_resource`].
    pub fn add_resource_template<P, H>(
        &self,
        template: ResourceTemplate,
        handler: H,
    ) -> Result<(), BuildError>
    where
        H: RequestHandler<P, Input: StringArguments, Output: IntoResourceResult>,
    {
        let form = template.uri_template.clone();
        let entry = TemplateEntry::new(template, handler)?;
        let resources =
            self.resources().ok_or_else(|| not_offered_error("resource template", form, "with_resources"))?;
        self.notify_of(Changed::Resources, &*resources.templates.add(entry, "resource template")?);
        Ok(())
    }

    /// Removes a resource template; returns false if there is none with this URI template.
    pub fn remove_resource_template(&self, uri_template: &str) -> bool {
        let removed = self.resources().and_then(|resources| resources.templates.remove(uri_template));
        removed.map(|template| self.notify_of(Changed::Resources, &*template)).is_some()
    }

    /// Notifies subscribers of the resource at `uri` that may read it that its contents have changed. A notification
    /// that a slow reader has not received yet is not repeated.
    pub fn notify_resource_updated(&self, uri: &str) {
        if self.resources().is_some() {
            self.shared().notify(Changed::Resource(uri));
        }
    }

    /// Notifies the peers that can see the entry that was added or removed.
    fn notify_of(&self, changed: Changed<'_>, entry: &impl Listed) {
        let rule = &self.shared().features().rule;
        let sees = |access: &Access| View { context_path: None, access, rule }.sees(entry);
        self.shared().notify_if(changed, sees);
    }

    fn prompts(&self) -> Option<&Registry<PromptEntry>> {
        self.shared().features().prompts()
    }

    fn resources(&self) -> Option<&Resources> {
        self.shared().features().resources()
    }
}

fn not_offered_error(what: &'static str, name: String, setting: &str) -> BuildError {
    let reason = format!("the server was built without any; build it with `Server::{setting}`");
    BuildError::Feature { what, name, reason }
}
