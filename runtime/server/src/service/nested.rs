//! Implements [`Provider`] for services, so that servers nest.
//!
//! The outer server checks scopes and lists the inner server's definitions; per-caller rules (`Server::show_if`,
//! providers that list per caller) are applied by the inner server.

use std::collections::HashMap;
use std::sync::{Arc, MutexGuard, PoisonError};

use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::BoxFuture;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::error;
#[cfg(feature = "tasks")]
use toolwright_core::protocol::{ErrorObject, Task};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};
use toolwright_core::revision::Revision;

use super::{Service, Shared};
use crate::auth::Access;
use crate::completion::Completion;
use crate::context::Context;
use crate::features::{CompleteParams, outcome_of};
use crate::pagination::{List, Listed, View};
#[cfg(feature = "tasks")]
use crate::provider::TaskRequest;
use crate::provider::{
    Change, Changes, CompletionRequest, Outcome, PromptRequest, Provider, ProviderCapabilities,
    ResourceRequest, ToolRequest,
};
#[cfg(feature = "skills")]
use crate::provider::{Directory, DirectoryRequest, ProvidedSkill};
use crate::subscriptions::{Changed, Watch};
use crate::tool::{Started, ToolEntry};

impl Service {
    fn view<'a>(&'a self, access: &'a Access) -> View<'a> {
        View { context_path: None, access, rule: &self.shared().features().rule }
    }

    /// The entries that a caller sees, regardless of scopes, which the outer server checks.
    fn list_visible<T: Listed>(&self, list: &List<T>, caller: &Access) -> Arc<[T::Wire]> {
        let view = self.view(caller);
        let entries = list.entries().iter();
        let seen = entries.filter(|entry| entry.offer().is_none_or(|offer| view.admits(offer)));
        seen.map(|entry| entry.to_wire(Revision::NEWEST).into_owned()).collect()
    }
}

impl Provider for Service {
    fn attach(&self, changes: Changes) {
        self.shared().add_parent(changes);
    }

    fn capabilities(&self) -> ProviderCapabilities {
        let features = self.shared().features();
        ProviderCapabilities {
            prompts: features.prompts().is_some(),
            resources: features.resources().is_some(),
            completions: features.completes(),
            lists_by_caller: features.lists_by_caller(),
            tasks: cfg!(feature = "tasks") && features.has_tasks_elsewhere(),
            #[cfg(feature = "skills")]
            skills: self.shared().has_skills(),
            #[cfg(not(feature = "skills"))]
            skills: false,
        }
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        self.shared().table_for(caller).definitions().cloned().collect()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        // The outer server has the tools in its own table, and checks scopes there.
        let Some(entry) = self.shared().tool(request.name, cx.access()) else {
            return Box::pin(std::future::ready(error::unknown("tool", request.name).into()));
        };
        let cx = cx.in_context(request.context_path.map(str::to_owned));
        match self.shared().middleware().call_tool(&entry, request.arguments, &cx) {
            Started::Ready(outcome) => Box::pin(std::future::ready(outcome)),
            Started::Running(running) if !cx.accepts_task() => running,
            Started::Running(running) => Box::pin(async move { of_provider(&entry, running.await) }),
        }
    }

    #[cfg(feature = "tasks")]
    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        let found = serde_json::from_str::<(usize, String)>(request.id)
            .ok()
            .and_then(|(number, id)| Some((self.shared().features().provider_of_tasks(number)?.clone(), id)));
        Box::pin(async move {
            let Some((provider, id)) = found else { return Err(error::unknown("task", request.id)) };
            provider.0.task(TaskRequest { id: &id, ..request }, cx).await
        })
    }

    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        let prompts = self.shared().features().prompts();
        prompts.map(|prompts| self.list_visible(&prompts.list_for(caller), caller)).unwrap_or_default()
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let prompts = self.shared().features().prompts();
        let entry = prompts.and_then(|prompts| prompts.list_for(cx.access()).get(request.name).cloned());
        let Some(entry) = entry.filter(|entry| self.view(cx.access()).sees(&**entry)) else {
            return Box::pin(std::future::ready(error::unknown("prompt", request.name).into()));
        };
        let middleware = self.shared().middleware();
        let filled = middleware.get_prompt(entry, request.name, request.arguments, cx);
        let revision = cx.revision();
        Box::pin(async move { outcome_of(filled.await, None, revision) })
    }

    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        let resources = self.shared().features().resources();
        resources
            .map(|resources| self.list_visible(&resources.fixed.list_for(caller), caller))
            .unwrap_or_default()
    }

    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        let resources = self.shared().features().resources();
        resources
            .map(|resources| self.list_visible(&resources.templates.list_for(caller), caller))
            .unwrap_or_default()
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let (uri, revision) = (request.uri, cx.revision());
        let resources = self.shared().features().resources();
        let found = resources.and_then(|resources| resources.find_in(uri, self.view(cx.access())));
        let Some(found) = found else {
            return Box::pin(std::future::ready(error::unknown_resource(uri, revision).into()));
        };
        let read = self.shared().middleware().read_resource(found, uri, cx);
        Box::pin(async move { outcome_of(read.await, Some(uri), revision) })
    }

    fn watch_resource(&self, uri: &str) {
        self.shared().watch_for_parent(uri);
    }

    fn unwatch_resource(&self, uri: &str) {
        self.shared().unwatch_for_parent(uri);
    }

    #[cfg(feature = "skills")]
    fn skills(&self, caller: &Access) -> Arc<[ProvidedSkill]> {
        let own = self.shared().extensions().skills();
        let merged = self.shared().skills_for(own.as_deref(), caller);
        let skills = merged.as_ref().or(own.as_ref().map(|own| &own.skills));
        let entries = skills.map(|skills| self.list_visible(skills, caller)).unwrap_or_default();
        let read = entries.iter().filter_map(|entry| serde_json::from_str(entry.get()).ok());
        read.filter_map(ProvidedSkill::new).collect()
    }

    #[cfg(feature = "skills")]
    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        let (own, view) = (self.shared().extensions().skills(), self.view(cx.access()));
        if let Some(children) = own.as_ref().and_then(|own| own.directory(request.uri)) {
            let seen = children.entries().iter().filter(|child| view.sees(&***child));
            let resources: Vec<Resource> = seen.map(|child| child.resource().clone()).collect();
            if !resources.is_empty() {
                return Box::pin(std::future::ready(Outcome::Result(Directory::new(resources))));
            }
        }
        self.shared().read_provided_directory(request.uri, request.cursor, cx)
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        let params = CompleteParams::of(&request);
        let completed = self.shared().features().complete(params, cx.clone(), self.view(cx.access()));
        let revision = cx.revision();
        Box::pin(async move { outcome_of(completed.await, None, revision) })
    }
}

/// Adds the provider of a tool to the id of its task.
fn of_provider(entry: &ToolEntry, outcome: Outcome) -> Outcome {
    match (outcome, entry.provider) {
        (Outcome::Created(mut task), Some(number)) => {
            task.task_id = serde_json::json!([number, task.task_id]).to_string();
            Outcome::Created(task)
        }
        (outcome, _) => outcome,
    }
}

impl Shared {
    /// Registers an outer server, which is notified of changes from now on.
    fn add_parent(&self, changes: Changes) {
        self.parents.lock().unwrap_or_else(PoisonError::into_inner).push(changes);
    }

    /// Notifies the outer servers.
    pub(super) fn notify_parents(&self, changed: Changed<'_>) {
        let change = match changed {
            Changed::Tools => Change::Tools,
            Changed::Prompts => Change::Prompts,
            Changed::Resources => Change::Resources,
            Changed::Resource(uri) => Change::Resource(uri),
            #[cfg(feature = "tasks")]
            Changed::Task(_) | Changed::ProviderTask(_) => return,
        };
        let parents = self.parents.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for parent in &parents {
            parent.notify(change);
        }
    }

    /// Informs the outer servers of changed capabilities.
    pub(super) fn notify_parents_of_capabilities(&self) {
        let parents = self.parents.lock().unwrap_or_else(PoisonError::into_inner).clone();
        for parent in &parents {
            parent.capabilities();
        }
    }

    /// An outer server has subscribed to a resource.
    fn watch_for_parent(&self, uri: &str) {
        if let Some(watch) = self.begin_watch(uri, &Access::Trusted) {
            self.watched_by_parents().entry(uri.into()).or_default().push(watch);
        }
    }

    /// An outer server has unsubscribed.
    fn unwatch_for_parent(&self, uri: &str) {
        let mut all = self.watched_by_parents();
        let Some(of_uri) = all.get_mut(uri) else { return };
        let gone = of_uri.pop();
        if of_uri.is_empty() {
            all.remove(uri);
        }
        drop((all, gone));
    }

    fn watched_by_parents(&self) -> MutexGuard<'_, HashMap<Box<str>, Vec<Watch>>> {
        self.watched_by_parents.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
