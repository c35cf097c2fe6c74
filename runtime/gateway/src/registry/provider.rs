//! The registry as a provider: lists and calls.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use toolwright_core::definition::ToolDefinition;
use toolwright_core::future::boxed;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::{ErrorObject, Task, error, meta};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Changes, Completion, CompletionRequest, Context, Directory, DirectoryRequest, Outcome,
    PromptRequest, ProvidedSkill, Provider, ProviderCapabilities, ResourceRequest, TaskRequest, ToolRequest,
};

use super::live::Registry;
use super::sessions::{Agent, Confirmed, Listed};
use super::store::TokenId;
use crate::audit::Route;
use crate::gateway::{Gateway, server_of};
use crate::scope::EntryId;
use crate::store::StoreError;
use crate::tokens::Permission;

impl Provider for Registry {
    fn attach(&self, changes: Changes) {
        self.0.attach(changes);
    }

    fn capabilities(&self) -> ProviderCapabilities {
        let capabilities = ProviderCapabilities::TOOLS.with_prompts().with_resources().with_completions();
        capabilities.with_tasks().with_skills().with_lists_by_caller()
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        agent(caller).map(Agent::tools).unwrap_or_default()
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        boxed(move || async move {
            let Some(agent) = agent(cx.access()) else {
                return error::unknown("tool", request.name).into();
            };
            match self.call(agent, request, cx).await {
                Ok(outcome) => outcome,
                Err(error) => error.into(),
            }
        })
    }

    // Only servers of runs have tasks; workers have none. Ids are bound to the run, which is part of the principal.
    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        let unknown = error::unknown("task", request.id);
        Box::pin(self.ask(cx, unknown, Err, move |gateway| gateway.task(request, cx)))
    }

    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        servers(caller).map(|gateway| gateway.prompts(caller)).unwrap_or_default()
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        let unknown = error::unknown("prompt", request.name);
        Box::pin(self.ask(cx, unknown, Outcome::from, move |gateway| gateway.get_prompt(request, cx)))
    }

    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        servers(caller).map(|gateway| gateway.resources(caller)).unwrap_or_default()
    }

    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        servers(caller).map(|gateway| gateway.resource_templates(caller)).unwrap_or_default()
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        let unknown = error::unknown_resource(request.uri, cx.revision());
        Box::pin(self.ask(cx, unknown, Outcome::from, move |gateway| gateway.read_resource(request, cx)))
    }

    // Resources of runs cannot be watched: a server is only notified of a URI, which two runs may share.

    fn skills(&self, caller: &Access) -> Arc<[ProvidedSkill]> {
        servers(caller).map(|gateway| gateway.skills(caller)).unwrap_or_default()
    }

    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        let unknown = error::unknown("directory", request.uri);
        Box::pin(self.ask(cx, unknown, Outcome::from, move |gateway| gateway.read_directory(request, cx)))
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        let unknown = error::invalid_params("nothing here has the prompt or the template of the reference");
        Box::pin(self.ask(cx, unknown, Outcome::from, move |gateway| gateway.complete(request, cx)))
    }
}

/// Returns the servers of the run of a caller that may see lists.
fn servers(caller: &Access) -> Option<&Gateway> {
    let agent = agent(caller).filter(|agent| agent.may_list())?;
    agent.run.gateway()
}

impl Registry {
    /// Asks the servers of the run of a caller with a valid token, until the token is revoked. The answer is `unknown` if
    /// there are no servers.
    async fn ask<'a, T>(
        &'a self,
        cx: &'a Context,
        unknown: ErrorObject,
        refuse: fn(ErrorObject) -> T,
        ask: impl FnOnce(&'a Gateway) -> BoxFuture<'a, T> + Send,
    ) -> T {
        let Some(agent) = agent(cx.access()) else { return refuse(unknown) };
        if !agent.claims.permits(Permission::Call) {
            return refuse(no_permission());
        }
        if let Err(error) = self.admit(agent, cx).await {
            return refuse(error);
        }
        let Some(gateway) = agent.run.gateway() else { return refuse(unknown) };
        tokio::select! {
            answer = ask(gateway) => answer,
            () = agent.revoked() => refuse(super::call::revoked()),
        }
    }

    async fn call(
        &self,
        agent: &Agent,
        request: ToolRequest<'_>,
        cx: &Context,
    ) -> Result<Outcome, ErrorObject> {
        if !agent.claims.permits(Permission::Call) {
            return Err(no_permission());
        }
        self.admit(agent, cx).await?;
        let unknown = || error::unknown("tool", request.name);
        let view = agent.run.view();
        if let Some(tool) = view.tool(request.name) {
            if !agent.admits(&tool.node, request.name) {
                return Err(unknown());
            }
            Route::note_node(cx, &tool.node);
            return Ok(self.0.call_worker(agent, tool, request, cx).await);
        }
        let gateway = agent.run.gateway().ok_or_else(unknown)?;
        let tools = gateway.tools(&Access::Trusted);
        let tool = tools.iter().find(|tool| tool.name == request.name).ok_or_else(unknown)?;
        let node = server_of(tool).unwrap_or_default();
        if !agent.admits(node, request.name) {
            return Err(unknown());
        }
        Route::note_node(cx, node);
        let revoked = agent.revoked();
        tokio::select! {
            outcome = gateway.call_tool(request, cx) => Ok(outcome),
            () = revoked => Err(super::call::revoked()),
        }
    }

    /// Returns whether the token is still valid: a connection may be older than its last verification.
    async fn admit(&self, agent: &Agent, cx: &Context) -> Result<(), ErrorObject> {
        let claims = &agent.claims;
        let expired = |why: &str| error::invalid_request(&format!("{why}; connect again with another token"));
        claims.check_times(self.0.clock.now()).map_err(|rejected| expired(rejected.reason()))?;
        let confirmed = cx.access().principal().and_then(|principal| principal.extension::<Confirmed>());
        if confirmed.is_some_and(Confirmed::take) {
            return Ok(());
        }
        let run = claims.run.as_deref().unwrap_or_default();
        let id = TokenId { id: &claims.jti, issued_at: claims.iat };
        let state = self.0.store.recent_state(run, id).await.map_err(|error| error.to_rpc())?;
        let state = state.ok_or_else(|| StoreError::NoRun(run.to_owned()).to_rpc())?;
        if !claims.is_good_for(&state) {
            return Err(super::call::revoked());
        }
        self.0.live(run, &state).await.map(drop).map_err(|error| error.to_rpc())
    }
}

fn no_permission() -> ErrorObject {
    error::invalid_request("the token has no permission to call tools (`tools:call`)")
}

fn agent(caller: &Access) -> Option<&Agent> {
    caller.principal()?.extension::<Agent>()
}

impl Agent {
    fn admits(&self, node: &str, tool: &str) -> bool {
        let (org, run) = (self.claims.org.as_deref(), self.claims.run.as_deref());
        self.scope.admits(&EntryId { org, run, node, tool })
    }

    /// Returns whether the token is valid for the current run, and permits lists.
    fn may_list(&self) -> bool {
        let view = self.run.view();
        self.claims.epoch.as_deref() == Some(&view.state.epoch)
            && self.claims.org == view.state.org
            && self.claims.permits(Permission::List)
    }

    /// Returns the tools that the agent sees; the same list as long as the run is unchanged.
    fn tools(&self) -> Arc<[ToolDefinition]> {
        if !self.may_list() {
            return Arc::default();
        }
        let view = self.run.view();
        let of_servers = self.run.gateway().map(|gateway| gateway.tools(&Access::Trusted));
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = |listed: &&Listed| {
            Arc::ptr_eq(&listed.view, &view)
                && match (&listed.of_servers, &of_servers) {
                    (Some(one), Some(other)) => Arc::ptr_eq(one, other),
                    (None, None) => true,
                    _ => false,
                }
        };
        if let Some(same) = listed.as_ref().filter(is_same) {
            return Arc::clone(&same.list);
        }
        let workers = view.tools.iter().map(|tool| (tool.node.as_str(), &tool.definition));
        let servers = of_servers.iter().flat_map(|tools| tools.iter());
        let servers = servers.map(|tool| (server_of(tool).unwrap_or_default(), tool));
        let mut list = HashMap::new();
        for (node, tool) in workers.chain(servers).filter(|(node, tool)| self.admits(node, &tool.name)) {
            // A worker tool takes precedence over a server tool with the same name.
            list.entry(&tool.name).or_insert_with(|| {
                let mut tool = tool.clone();
                let members = tool.meta.get_or_insert_default();
                members.insert(meta::NODE.to_owned(), node.into());
                tool
            });
        }
        let mut list: Vec<ToolDefinition> = list.into_values().collect();
        list.sort_by(|one, other| one.name.cmp(&other.name));
        let list: Arc<[ToolDefinition]> = list.into();
        *listed = Some(Listed { view, of_servers, list: Arc::clone(&list) });
        list
    }
}
