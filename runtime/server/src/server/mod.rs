//! Building a server.

mod extensions;
mod features;
mod handlers;

use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;
use std::time::Duration;

use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};
use toolwright_core::link::ServerOf;
use toolwright_core::protocol::Implementation;
use toolwright_core::toolset::Toolset;

use crate::auth::Access;
use crate::error::BuildError;
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
use crate::error::ServeError;
use crate::extensions::ExtensionParts;
use crate::features::FeatureParts;
use crate::handler::{ToolFunction, ToolHandler};
use crate::input_requests::StateKeys;
use crate::limits::Limits;
use crate::middleware::{Middleware, Stack};
use crate::provider::{DynProvider, Provider};
use crate::router::{Dispatch, Router};
use crate::service::{Parts, Service};
use crate::tool::ToolEntry;
#[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
use crate::transport::Transport;

pub use handlers::Handlers;

/// How long clients may cache a list; they are notified of changes before that.
const DEFAULT_LIST_TTL: Duration = Duration::from_mins(5);

/// A server under construction: the state that handlers share, and the tools, prompts and resources that it offers.
///
/// Name and version default to those of the package that derives the first toolset; the derive or [`Server::name`] can
/// override them.
pub struct Server<S> {
    state: Arc<S>,
    name: Option<String>,
    version: Option<String>,
    title: Option<String>,
    instructions: Option<String>,
    limits: Limits,
    list_ttl: Duration,
    credentials: Vec<(String, Box<RawValue>)>,
    /// Adds the tools of each call of `tools`, once all settings are known.
    toolsets: Vec<AddTools<S>>,
    /// The manifest's servers for these toolsets.
    servers: Vec<ServerOf>,
    providers: Vec<DynProvider>,
    checks_outputs: bool,
    features: FeatureParts,
    state_keys: Option<StateKeys>,
    middleware: Stack,
    extensions: ExtensionParts,
}

type AddTools<S> = Box<dyn FnOnce(&Arc<S>, &[(String, Box<RawValue>)]) -> Added + Send + Sync>;

/// Entries of a toolset, or what is wrong with it.
type Added = Result<Vec<ToolEntry>, BuildError>;

impl<S: Send + Sync + 'static> Server<S> {
    /// Creates a server whose handlers share `state`: a type that implements [`Handler`](crate::Handler), or a handler
    /// function.
    pub fn new(state: S) -> Self {
        Self {
            state: Arc::new(state),
            name: None,
            version: None,
            title: None,
            instructions: None,
            limits: Limits::default(),
            list_ttl: DEFAULT_LIST_TTL,
            credentials: Vec::new(),
            toolsets: Vec::new(),
            servers: Vec::new(),
            providers: Vec::new(),
            checks_outputs: true,
            features: FeatureParts::default(),
            state_keys: None,
            middleware: Stack::default(),
            extensions: ExtensionParts::default(),
        }
    }

    /// Creates a server with the tools, prompts and resources that `state` handles, as its `#[toolwright::handlers]` block
    /// says.
    pub fn of(state: S) -> Self
    where
        S: Handlers<Tools: Dispatch<S>>,
    {
        S::features(Self::new(state).tools::<S::Tools>())
    }

    /// Adds the tools of `T`, a derived toolset or a single tool. Can be called more than once.
    pub fn tools<T: Dispatch<S>>(mut self) -> Self {
        self.describe::<T>();
        self.toolsets.push(Box::new(|state, credentials| {
            let mut router = Router::new(Arc::clone(state), <T as Toolset>::METADATA, credentials.to_vec());
            T::bind(&mut router);
            router.finish()
        }));
        self
    }

    /// Offers one tool with its own function, which captures its state: an async function or closure of the
    /// tool, or of the tool and a [`Context`](crate::Context). See [`ToolHandler`] for how a closure shares state.
    pub fn tool<P: 'static, H: ToolHandler<P>>(mut self, handler: H) -> Self {
        self.describe::<H::Tool>();
        let function = Arc::new(ToolFunction(handler, PhantomData::<fn(P)>));
        self.toolsets.push(Box::new(move |_, credentials| {
            let mut router = Router::new(function, <H::Tool as Toolset>::METADATA, credentials.to_vec());
            router.add::<H::Tool>();
            router.finish()
        }));
        self
    }

    /// Takes name, version and the like from a toolset, unless they are set.
    fn describe<T: Toolset>(&mut self) {
        let (package, set) = (<T as Toolset>::PACKAGE, <T as Toolset>::METADATA);
        let text = |text: &str| text.to_owned();
        self.name.get_or_insert_with(|| set.name.unwrap_or(package.name).to_owned());
        self.version.get_or_insert_with(|| set.version.unwrap_or(package.version).to_owned());
        self.title = self.title.take().or_else(|| set.title.map(text));
        self.instructions = self.instructions.take().or_else(|| set.instructions.map(text));
        self.servers.push(ServerOf::new::<T>());
    }

    /// Adds a provider's tools, prompts and resources, which may change; see [`Provider::attach`].
    pub fn provider(mut self, provider: impl Provider) -> Self {
        self.providers.push(DynProvider::new(Arc::new(provider)));
        self
    }

    /// Sets whether the results of providers are validated against the output schemas of their tools; on by default.
    /// Each schema is compiled once, and results are parsed an additional time. An invalid result becomes one with
    /// `isError`, and is logged to standard error (2026-07-28, server/tools "Output Schema").
    ///
    /// A schema with a rule that cannot be checked, such as `unevaluatedProperties` or a pattern with look-ahead, is
    /// logged when it is first listed; its results only have to be present. `format` is not enforced.
    pub fn check_outputs(mut self, check: bool) -> Self {
        self.checks_outputs = check;
        self
    }

    /// Sets the server's name for programs.
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// Sets the server's version.
    pub fn version(mut self, version: impl Into<String>) -> Self {
        self.version = Some(version.into());
        self
    }

    /// Sets the server's display name.
    pub fn title(mut self, title: impl Into<String>) -> Self {
        self.title = Some(title.into());
        self
    }

    /// Sets instructions for models on how to use the server.
    pub fn instructions(mut self, instructions: impl Into<String>) -> Self {
        self.instructions = Some(instructions.into());
        self
    }

    /// Overrides [`Limits::default`].
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Sets how long clients may cache a list of tools, prompts or resources (2026-07-28, server/utilities/caching); 5
    /// minutes by default.
    pub fn list_ttl(mut self, ttl: Duration) -> Self {
        self.list_ttl = ttl;
        self
    }

    /// Runs `middleware` around every tool call, prompt and resource read, inside of middleware that was added before; see
    /// [the module `middleware`](crate::middleware).
    pub fn middleware(mut self, middleware: impl Middleware) -> Self {
        self.middleware.push(middleware);
        self
    }

    /// Sets the value of the fields named `name` that are marked `#[mcp(credential)]`.
    ///
    /// # Panics
    /// If `value` cannot be written as JSON, which strings and other plain values always can.
    pub fn credential(mut self, name: impl Into<String>, value: impl Serialize) -> Self {
        let value = to_raw_value(&value).expect("a credential is a plain value such as a string");
        self.credentials.push((name.into(), value));
        self
    }

    /// Sets the keys that seal the responses of clients between two rounds of input requests; see [`StateKeys`] for
    /// when they are needed.
    pub fn state_keys(mut self, keys: StateKeys) -> Self {
        self.state_keys = Some(keys);
        self
    }

    /// Validates all tools and builds the service.
    ///
    /// # Errors
    /// The first error found; see [`BuildError`].
    pub fn build(self) -> Result<Service, BuildError> {
        let mut typed = Vec::new();
        for add_tools in self.toolsets {
            typed.extend(add_tools(&self.state, &self.credentials)?.into_iter().map(Arc::new));
        }
        let mut features = self.features;
        let listed = self.providers.iter().flat_map(|provider| provider.0.tools(&Access::Trusted).to_vec());
        let has_tasks = typed.iter().any(|entry: &Arc<ToolEntry>| entry.task.is_some())
            || listed.into_iter().any(|tool| tool.task().is_some());
        let extensions = self.extensions.build(&mut features, &self.limits, self.list_ttl, has_tasks)?;
        let name = self.name.unwrap_or_else(|| "toolwright".to_owned());
        let mut info = Implementation::new(name, self.version.unwrap_or_else(|| "0.0.0".to_owned()));
        info.title = self.title;
        let features = features.build(&self.servers, &self.providers, self.limits.max_caller_lists)?;
        Service::new(Parts {
            info,
            instructions: self.instructions,
            limits: self.limits,
            list_ttl: self.list_ttl,
            typed,
            features,
            providers: self.providers,
            checks_outputs: self.checks_outputs,
            state_keys: self.state_keys,
            middleware: self.middleware,
            extensions,
        })
    }

    /// Builds the server and serves one transport until its peer disconnects.
    ///
    /// # Errors
    /// See [`Server::build`] and [`Service::serve`].
    #[cfg(any(feature = "stdio", feature = "socket", feature = "http"))]
    pub async fn serve(self, transport: impl Into<Transport>) -> Result<(), ServeError> {
        self.build()?.serve(transport).await
    }
}

impl<S> fmt::Debug for Server<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The state is user code, and credentials are secret.
        f.debug_struct("Server").field("name", &self.name).finish_non_exhaustive()
    }
}
