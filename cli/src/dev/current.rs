//! The provider in front of the program that runs now.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use std::time::Duration;

use serde::Serialize;
use tokio::sync::watch;
use tokio::time::timeout;
use toolwright_core::definition::ToolDefinition;
use toolwright_core::prompt::{Prompt, PromptResult};
use toolwright_core::protocol::{ErrorObject, Task, error};
use toolwright_core::resource::{Resource, ResourceResult, ResourceTemplate};
use toolwright_core::result::ToolResult;
use toolwright_gateway::Proxy;
use toolwright_server::auth::Access;
use toolwright_server::{
    BoxFuture, Changes, Completion, CompletionRequest, Context, Directory, DirectoryRequest, Outcome,
    PromptRequest, ProvidedSkill, Provider, ProviderCapabilities, ResourceRequest, TaskRequest, ToolRequest,
};

/// How long a request waits for a build. Many clients give up after a minute.
const MAX_WAIT: Duration = Duration::from_secs(50);

/// Forwards to the program that runs now. Requests that arrive during a build wait for its end.
#[derive(Clone)]
pub(super) struct Current(Arc<Shared>);

/// What happens to requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum State {
    /// They are forwarded.
    Running,
    /// They wait.
    Building,
    /// They fail: no program runs.
    Stopped,
}

struct Shared {
    proxy: RwLock<Arc<Proxy>>,
    state: watch::Sender<State>,
    listeners: Mutex<Vec<Changes>>,
    watched: Mutex<BTreeSet<String>>,
}

impl Current {
    pub(super) fn new(proxy: Arc<Proxy>) -> Self {
        Self(Arc::new(Shared {
            proxy: RwLock::new(proxy),
            state: watch::Sender::new(State::Running),
            listeners: Mutex::default(),
            watched: Mutex::default(),
        }))
    }

    /// Decides what happens to requests.
    pub(super) fn set(&self, state: State) {
        self.0.state.send_replace(state);
    }

    pub(super) fn proxy(&self) -> Arc<Proxy> {
        Arc::clone(&self.0.proxy.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// Forwards to another program from now on, and notifies clients of the lists that differ.
    pub(super) fn replace(&self, new: &Arc<Proxy>) {
        let listeners = self.0.listeners().clone();
        for changes in &listeners {
            new.attach(changes.clone());
        }
        for uri in self.0.watched().iter() {
            new.watch_resource(uri);
        }
        let old = std::mem::replace(
            &mut *self.0.proxy.write().unwrap_or_else(PoisonError::into_inner),
            Arc::clone(new),
        );
        let all = &Access::Trusted;
        let differences = [
            differ(&old.tools(all), &new.tools(all)),
            differ(&old.prompts(all), &new.prompts(all)),
            differ(&old.resources(all), &new.resources(all))
                || differ(&old.resource_templates(all), &new.resource_templates(all))
                || differ(&old.skills(all), &new.skills(all)),
        ];
        for changes in &listeners {
            if old.capabilities() != new.capabilities() {
                changes.capabilities();
            }
            let lists: [fn(&Changes); 3] = [Changes::tools, Changes::prompts, Changes::resources];
            lists.iter().zip(differences).filter(|(_, differs)| *differs).for_each(|(list, _)| list(changes));
        }
    }

    /// Returns the program, after the build that runs; an error if that takes too long.
    async fn after_build(&self) -> Result<Arc<Proxy>, String> {
        let mut states = self.0.state.subscribe();
        let state = match timeout(MAX_WAIT, states.wait_for(|state| *state != State::Building)).await {
            Ok(Ok(state)) => *state,
            _ => State::Building,
        };
        match state {
            State::Running => Ok(self.proxy()),
            State::Building => Err(format!(
                "the server is being built, which takes more than {} seconds; try again later",
                MAX_WAIT.as_secs()
            )),
            State::Stopped => {
                Err("the server has exited or did not start, as the output of `cargo mcp dev` shows; it is \
                                   started again when a source changes"
                    .to_owned())
            }
        }
    }
}

impl Shared {
    fn listeners(&self) -> MutexGuard<'_, Vec<Changes>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn watched(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Compares lists as clients see them.
fn differ<T: Serialize>(old: &[T], new: &[T]) -> bool {
    serde_json::to_string(old).ok() != serde_json::to_string(new).ok()
}

fn busy<T>(why: &str) -> Outcome<T> {
    error::internal(why).into()
}

impl Provider for Current {
    fn attach(&self, changes: Changes) {
        self.proxy().attach(changes.clone());
        self.0.listeners().push(changes);
    }

    fn capabilities(&self) -> ProviderCapabilities {
        self.proxy().capabilities()
    }

    fn tools(&self, caller: &Access) -> Arc<[ToolDefinition]> {
        self.proxy().tools(caller)
    }

    fn call_tool<'a>(&'a self, request: ToolRequest<'a>, cx: &'a Context) -> BoxFuture<'a, Outcome> {
        Box::pin(async move {
            match self.after_build().await {
                Ok(proxy) => proxy.call_tool(request, cx).await,
                // The model reads it.
                Err(why) => ToolResult::error(why).into(),
            }
        })
    }

    fn task<'a>(
        &'a self,
        request: TaskRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Result<Option<Task>, ErrorObject>> {
        Box::pin(async move { self.proxy().task(request, cx).await })
    }

    fn prompts(&self, caller: &Access) -> Arc<[Prompt]> {
        self.proxy().prompts(caller)
    }

    fn get_prompt<'a>(
        &'a self,
        request: PromptRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<PromptResult>> {
        Box::pin(async move {
            match self.after_build().await {
                Ok(proxy) => proxy.get_prompt(request, cx).await,
                Err(why) => busy(&why),
            }
        })
    }

    fn resources(&self, caller: &Access) -> Arc<[Resource]> {
        self.proxy().resources(caller)
    }

    fn resource_templates(&self, caller: &Access) -> Arc<[ResourceTemplate]> {
        self.proxy().resource_templates(caller)
    }

    fn read_resource<'a>(
        &'a self,
        request: ResourceRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<ResourceResult>> {
        Box::pin(async move {
            match self.after_build().await {
                Ok(proxy) => proxy.read_resource(request, cx).await,
                Err(why) => busy(&why),
            }
        })
    }

    fn watch_resource(&self, uri: &str) {
        self.0.watched().insert(uri.to_owned());
        self.proxy().watch_resource(uri);
    }

    fn unwatch_resource(&self, uri: &str) {
        self.0.watched().remove(uri);
        self.proxy().unwatch_resource(uri);
    }

    fn skills(&self, caller: &Access) -> Arc<[ProvidedSkill]> {
        self.proxy().skills(caller)
    }

    fn read_directory<'a>(
        &'a self,
        request: DirectoryRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Directory>> {
        Box::pin(async move {
            match self.after_build().await {
                Ok(proxy) => proxy.read_directory(request, cx).await,
                Err(why) => busy(&why),
            }
        })
    }

    fn complete<'a>(
        &'a self,
        request: CompletionRequest<'a>,
        cx: &'a Context,
    ) -> BoxFuture<'a, Outcome<Completion>> {
        Box::pin(async move {
            match self.after_build().await {
                Ok(proxy) => proxy.complete(request, cx).await,
                Err(why) => busy(&why),
            }
        })
    }
}
