//! Implements the provider.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError};

use serde_json::json;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::boxed;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::{ErrorObject, Task, error};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Changes, Completion, CompletionRequest, Context, Directory, DirectoryRequest, Outcome,
    PromptRequest, ProvidedSkill, Provider, ProviderCapabilities, Reference, ResourceRequest, TaskRequest,
    ToolRequest,
};

use super::member::Member;
use super::merged::{Found, Source, origin};
use super::{Gateway, Shared};
use crate::proxy::Proxy;

impl Provider for Gateway {
    fn attach(&self, changes: Changes) {
        self.0.listeners.lock().unwrap_or_else(PoisonError::into_inner).push(changes.clone());
        for (_, proxy) in self.0.connected() {
            proxy.attach(changes.clone());
        }
    }

    fn capabilities(&self) -> ProviderCapabilities {
        let mut capabilities =
            ProviderCapabilities::TOOLS.with_prompts().with_resources().with_completions().with_tasks();
        capabilities.skills = self.0.connected().iter().any(|(_, proxy)| proxy.capabilities().skills);
        if self.0.filters_by_scope.load(Ordering::Relaxed) {
            return capabilities.with_lists_by_caller();
        }
        capabilities
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        let up = self.0.connected().into_iter().filter(|(member, _)| member.spec().load_tools);
        let admitted = up.map(|(member, proxy)| {
            let tools = self.0.pinning.admit(member.name(), proxy.tools(caller));
            (member, tools)
        });
        let all = self.0.tools.list(admitted.collect(), self.0.naming());
        let visibility = self.0.visibility(caller);
        self.0.tools_by_scope.list(&visibility, all, |tool| {
            origin(tool.meta.as_ref()).is_some_and(|server| visibility.has(server, &tool.name))
        })
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        boxed(move || async move {
            let visibility = self.0.visibility(cx.access());
            let admits = |server: &str| visibility.has(server, request.name);
            let Some(Found { proxy, server, name }) = self.0.tools.find(request.name, admits) else {
                return error::unknown("tool", request.name).into();
            };
            let mut request: ToolRequest<'_> = request;
            request.name = &name;
            let mut outcome = proxy.call_tool(request, cx).await;
            if let Outcome::Created(task) = &mut outcome {
                task.task_id = id_of_task(&server, &task.task_id);
            }
            outcome
        })
    }

    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        Box::pin(async move {
            let unknown = || error::unknown("task", request.id);
            let (server, id) = serde_json::from_str::<(String, String)>(request.id).map_err(|_| unknown())?;
            if !self.0.visibility(cx.access()).has(&server, request.tool) {
                return Err(unknown());
            }
            let members = self.0.members();
            let member = members.iter().find(|member| member.name() == server).ok_or_else(unknown)?;
            let Some(proxy) = member.proxy() else {
                let fault = json!({"kind": "unavailable", "retryable": true});
                let why = "the server of the task is not connected; try again later";
                return Err(error::internal(why).with_data(&fault));
            };
            proxy.task(TaskRequest::new(&id, request.tool, request.action), cx).await
        })
    }

    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        let up = self.0.connected().into_iter().filter(|(member, _)| member.spec().load_prompts);
        let sources: Vec<Source<Prompt>> =
            up.map(|(member, proxy)| (member, proxy.prompts(caller))).collect();
        let (all, visibility) = (self.0.prompts.list(sources, self.0.naming()), self.0.visibility(caller));
        self.0.prompts_by_scope.list(&visibility, all, |prompt| {
            origin(prompt.meta.as_ref()).is_some_and(|server| visibility.has_all_of(server))
        })
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        Box::pin(async move {
            let Some((proxy, name)) = self.0.prompt(request.name, cx.access()) else {
                return error::unknown("prompt", request.name).into();
            };
            let mut request: PromptRequest<'_> = request;
            request.name = &name;
            proxy.get_prompt(request, cx).await
        })
    }

    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        let mut taken = HashSet::new();
        let up = self.0.connected_for(caller);
        let all = up.iter().flat_map(|(_, proxy)| proxy.resources(caller).to_vec());
        all.filter(|resource| taken.insert(resource.uri.clone())).collect()
    }

    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        let mut taken = HashSet::new();
        let up = self.0.connected_for(caller);
        let all = up.iter().flat_map(|(_, proxy)| proxy.resource_templates(caller).to_vec());
        all.filter(|template| taken.insert(template.uri_template.clone())).collect()
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        Box::pin(async move {
            for (_, proxy) in self.0.candidates_for(request.uri, cx.access()) {
                match proxy.read_resource(request, cx).await {
                    Outcome::Error(error) if error.code == cx.revision().resource_not_found_code() => {}
                    outcome => return outcome,
                }
            }
            error::unknown_resource(request.uri, cx.revision()).into()
        })
    }

    fn skills(&self, caller: &Access) -> Arc<[ProvidedSkill]> {
        let mut taken = HashSet::new();
        let up = self.0.connected_for(caller);
        let all = up.iter().flat_map(|(_, proxy)| proxy.skills(caller).to_vec());
        all.filter(|skill| taken.insert(skill.uri().to_owned())).collect()
    }

    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        Box::pin(async move {
            // A directory has the skills of one server, whose URIs begin with its own.
            let inside = format!("{}/", request.uri.trim_end_matches('/'));
            let mut up = self.0.connected_for(cx.access());
            up.retain(|(_, proxy)| proxy.capabilities().skills);
            let has = |proxy: &Proxy| {
                proxy.resources(cx.access()).iter().any(|resource| resource.uri.starts_with(&inside))
            };
            match up.iter().find(|(_, proxy)| has(proxy)) {
                Some((_, proxy)) => proxy.read_directory(request, cx).await,
                None => error::unknown("directory", request.uri).into(),
            }
        })
    }

    fn watch_resource(&self, uri: &str) {
        // Permission was checked before; the server asks on behalf of no particular caller.
        if let Some((member, proxy)) = self.0.candidates_for(uri, &Access::Trusted).into_iter().next() {
            proxy.watch_resource(uri);
            self.0.watched().insert(uri.to_owned(), member.name().to_owned());
        }
    }

    fn unwatch_resource(&self, uri: &str) {
        let Some(server) = self.0.watched().remove(uri) else { return };
        for (member, proxy) in self.0.connected() {
            if member.name() == server {
                proxy.unwatch_resource(uri);
            }
        }
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        Box::pin(async move {
            let found = match request.reference {
                Reference::Prompt { name } => {
                    let found = self.0.prompt(name, cx.access());
                    found.map(|(proxy, name)| (proxy, Reference::Prompt { name }))
                }
                Reference::Resource { uri } => {
                    let mut up = self.0.connected_for(cx.access()).into_iter();
                    let has = |proxy: &Proxy| {
                        proxy
                            .resource_templates(cx.access())
                            .iter()
                            .any(|template| template.uri_template == *uri)
                    };
                    up.find(|(_, proxy)| has(proxy)).map(|(_, proxy)| (proxy, request.reference.clone()))
                }
                _ => None,
            };
            let Some((proxy, reference)) = found else {
                return error::invalid_params(
                    "no server has the prompt or the resource template of the reference",
                )
                .into();
            };
            let CompletionRequest { argument, value, arguments, .. } = request;
            proxy.complete(CompletionRequest::new(&reference, argument, value, arguments), cx).await
        })
    }
}

/// Returns the id of a task of a server, unique in the gateway.
fn id_of_task(server: &str, id: &str) -> String {
    json!([server, id]).to_string()
}

impl Shared {
    /// Returns the connected servers.
    fn connected(&self) -> Vec<(Arc<Member>, Arc<Proxy>)> {
        let members = self.members();
        let up = members.iter().filter_map(|member| Some((Arc::clone(member), member.proxy()?)));
        up.collect()
    }

    /// Returns the connected servers that the caller has full access to.
    fn connected_for(&self, caller: &Access) -> Vec<(Arc<Member>, Arc<Proxy>)> {
        let (mut up, visibility) = (self.connected(), self.visibility(caller));
        up.retain(|(member, _)| visibility.has_all_of(member.name()));
        up
    }

    /// Returns the server of a prompt for a caller, and the prompt's name there.
    fn prompt(&self, public: &str, caller: &Access) -> Option<(Arc<Proxy>, String)> {
        let visibility = self.visibility(caller);
        let found = self.prompts.find(public, |server| visibility.has_all_of(server))?;
        Some((found.proxy, found.name))
    }

    /// Returns the servers that may have a resource: those that list it, then those with a template whose prefix
    /// matches, then the others, since a tool result may link to an unlisted resource.
    fn candidates_for(&self, uri: &str, caller: &Access) -> Vec<(Arc<Member>, Arc<Proxy>)> {
        let mut up = self.connected_for(caller);
        up.retain(|(_, proxy)| proxy.capabilities().resources);
        up.sort_by_cached_key(|(_, proxy)| {
            if proxy.resources(caller).iter().any(|resource| resource.uri == uri) {
                return 0;
            }
            let templates = proxy.resource_templates(caller);
            // The part before the first variable.
            let fixed = |template: &ResourceTemplate| {
                let fixed = template.uri_template.split('{').next();
                fixed.is_some_and(|fixed| uri.starts_with(fixed))
            };
            if templates.iter().any(fixed) { 1 } else { 2 }
        });
        up
    }

    fn watched(&self) -> MutexGuard<'_, HashMap<String, String>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Handles the connection of a server.
    pub(super) fn on_connected(&self, name: &str, proxy: &Arc<Proxy>) {
        for changes in self.listeners() {
            proxy.attach(changes);
        }
        let watched: Vec<_> =
            self.watched().iter().filter(|(_, at)| *at == name).map(|(uri, _)| uri.clone()).collect();
        for uri in &watched {
            proxy.watch_resource(uri);
        }
        self.notify_all();
    }
}
