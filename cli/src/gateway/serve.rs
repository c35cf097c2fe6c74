//! Runs the gateway: the servers of a file, and the runs of workflows.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use tokio_util::sync::CancellationToken;
use toolwright_client::config::{Config, ConfigReader, ServerSpec};
use toolwright_client::{ClientBuilder, Event};
use toolwright_core::manifest::visible;
use toolwright_gateway::audit::AuditFile;
use toolwright_gateway::callers::{CallerKeys, Callers, Issuers};
use toolwright_gateway::calls::MemoryBus;
use toolwright_gateway::internal::{InternalApi, ServiceKeys};
use toolwright_gateway::pins::Pins;
use toolwright_gateway::policy::Policy;
use toolwright_gateway::redis::{RedisBus, RedisError, RedisStore};
use toolwright_gateway::registry::{MemoryStore, Registry, RegistryBuilder};
use toolwright_gateway::secrets::{MasterKeys, SecretStore};
use toolwright_gateway::tokens::SessionTokens;
use toolwright_gateway::{Controlled, Controls, Gateway, GatewayError, UpstreamState};
use toolwright_server::auth::Protection;
use toolwright_server::{
    BuildError, Http, HttpConfig, Limits, Server, Service, StateKeys, Stdio, Transport, shutdown_signal,
};

use super::args::ServeArgs;
use super::pins::pin_file_error;
use super::reload::{Reloader, Watched, revision};
use super::state::{StateFolder, store_url, usage};
use super::telemetry::Telemetry;
use crate::client::{RequestError, RequestExit, with_logins};
use crate::shell::{self, Shell};

/// The path of the gateway over HTTP.
const PATH: &str = "/mcp/gateway";
/// The instructions for models.
const INSTRUCTIONS: &str = "Tools and prompts are called SERVER__NAME, after the server that has them.";
/// Timeout for running requests of services during shutdown.
const DRAIN: Duration = Duration::from_secs(5);

/// The endpoints for callers with tokens, and for services.
struct ProtectedEndpoints {
    registry: Registry,
    tokens: Arc<SessionTokens>,
    services: ServiceKeys,
    keys: CallerKeys,
    issuers: Option<Issuers>,
    state_keys: StateKeys,
    url: String,
}

/// Runs the gateway until the client disconnects, or a signal arrives.
///
/// # Errors
/// An invalid file, a `required` server that cannot be reached, an address that is unavailable, unusable keys.
pub(super) fn run(args: &ServeArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    if let Some(address) = args.http.filter(|address| !address.ip().is_loopback() && args.state.is_none()) {
        return Err(usage(format!(
            "{address} can be reached from other machines, and the gateway asks callers for no token: add --state FOLDER, and make \
             tokens with `cargo mcp gateway sessions mint`"
        )));
    }
    if let Some(address) = args.http.filter(|address| !address.ip().is_loopback() && args.url.is_none()) {
        return Err(usage(format!(
            "callers do not know the gateway by {address}: say with --url which address they use, such as \
             https://gateway.example/mcp/gateway, since their tokens name it"
        )));
    }
    let watched = |file: &Option<std::path::PathBuf>| file.as_deref().map(Watched::new);
    let files = [&args.config, &args.pins, &args.policy].map(watched);
    let config = args.config.as_deref().map(read).transpose()?;
    let pinned = args.pins.as_deref().map(Pins::read).transpose().map_err(pin_file_error)?;
    let threads = args.threads.unwrap_or_else(default_threads).get();
    // A runtime with a single thread uses this one.
    let mut runtime = match threads {
        1 => tokio::runtime::Builder::new_current_thread(),
        _ => tokio::runtime::Builder::new_multi_thread(),
    };
    let runtime = runtime.worker_threads(threads).enable_all().build()?;
    let controls = controls(args)?;
    let telemetry = Telemetry::start(args, &controls, runtime.handle())?;
    runtime.block_on(async {
        let observed = (controls, &telemetry);
        let served = serve(args, config.as_ref(), pinned, (files, observed), shell).await;
        // Its requests need the runtime.
        _ = tokio::task::spawn_blocking(move || telemetry.finish()).await;
        served
    })
}

/// Returns the default of `--threads`: half of the cores, since servers, workers and stores often share them. A thread that is
/// woken for a little work takes a core from them: with two threads on two cores, a call to a child takes a quarter more CPU time
/// than with one, and 16 connections make about as many calls per second.
fn default_threads() -> NonZeroUsize {
    let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
    NonZeroUsize::new(cores / 2).unwrap_or(NonZeroUsize::MIN)
}

async fn serve(
    args: &ServeArgs,
    config: Option<&Config>,
    pinned: Option<Pins>,
    ([config_file, pins_file, policy_file], (controls, telemetry)): (
        [Option<Watched>; 3],
        (Controls, &Telemetry),
    ),
    shell: Shell,
) -> Result<RequestExit, RequestError> {
    // First, since the address may be in use.
    let listen = |address| Http::bind(address).map_err(|error| RequestError::Listen(address, error));
    let http = args.http.map(listen).transpose()?;
    let internal = match args.internal {
        Some(address) => {
            let listener = InternalApi::bind(address).await;
            Some(listener.map_err(|error| RequestError::Listen(address, error))?)
        }
        None => None,
    };
    let guarded = match (&args.state, &http) {
        (Some(folder), Some(http)) => Some(ProtectedEndpoints::open(folder, args, http, shell).await?),
        _ => None,
    };
    let gateway = connect(config).await?;
    let gateway = if args.plain_names { gateway.plain_names().map_err(usage)? } else { gateway };
    if let Some(pinned) = pinned {
        gateway.set_pins(pinned, args.pin_mode.into(), shell::warning);
    }
    if config.is_some() {
        report(&gateway, shell);
    }
    let gateway = if guarded.is_some() { gateway.by_scope() } else { gateway };
    let registry = guarded.as_ref().map(|guarded| guarded.registry.clone());
    let service = service(gateway.clone(), guarded.as_ref(), (&controls, telemetry), args).map_err(usage)?;
    let draining = CancellationToken::new();
    let stop_asked = shutdown_signal();
    let transport: Transport = match http {
        Some(http) => {
            shell.note(&format!("listening at http://{}{PATH}", http.local_addr()?));
            let http = http.path(PATH);
            match &guarded {
                Some(guarded) => http.config(guarded.protect()?).into(),
                None => http.into(),
            }
        }
        None => Stdio.into(),
    };
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let internal = guarded.zip(internal).map(|(guarded, listener)| {
        let address = listener.local_addr().map(|address| address.to_string()).unwrap_or_default();
        shell.note(&format!("services at http://{address}/internal"));
        if guarded.services.is_empty() {
            shell::warning(&"no service has a key yet; make one with `cargo mcp gateway keys service`");
        }
        let api = InternalApi::new(guarded.registry, guarded.tokens, guarded.services);
        let api = api.observing(gateway.clone(), controls.clone()).draining(draining.clone());
        tokio::spawn(api.serve(listener, async { drop(stopped.await) }))
    });
    let followed = Reloader {
        gateway: gateway.clone(),
        controls,
        config: config_file,
        pins: pins_file.map(|file| (file, args.pin_mode.into())),
        policy: policy_file,
        shell,
    };
    let following = tokio::spawn(followed.follow());
    let served = service
        .serve_until(transport, async {
            stop_asked.await;
            draining.cancel();
        })
        .await;
    following.abort();
    _ = stop.send(());
    if let Some(internal) = internal {
        // Requests received before the signal are answered.
        _ = tokio::time::timeout(DRAIN, internal).await;
    }
    if let Some(registry) = registry {
        registry.close().await;
    }
    gateway.close().await;
    served?;
    Ok(RequestExit::Ok)
}

impl ProtectedEndpoints {
    async fn open(folder: &Path, args: &ServeArgs, http: &Http, shell: Shell) -> Result<Self, RequestError> {
        let folder = StateFolder::open(folder)?;
        let url = match &args.url {
            Some(url) => url.clone(),
            None => format!("http://{}{PATH}", http.local_addr()?),
        };
        let store = store_url(args.store.as_deref(), args.store_file.as_deref())?;
        let (registry, secrets): (RegistryBuilder, Arc<dyn SecretStore>) = if let Some(url) = &store {
            let redis_error = |error: RedisError| usage(format!("--store: {error}"));
            let store = RedisStore::connect(url).await.map_err(redis_error)?;
            let bus = RedisBus::connect(url).await.map_err(redis_error)?;
            let secrets = Arc::new(store.secrets());
            (Registry::builder(store).bus(bus), secrets)
        } else {
            let store = Arc::new(MemoryStore::new());
            (Registry::with_store(Arc::clone(&store) as _).bus(MemoryBus::new()), store)
        };
        let registry = match &args.master_keys {
            Some(file) => registry.credentials(secrets, MasterKeys::from_file(file).map_err(usage)?),
            None => registry,
        };
        let registry = registry.start();
        let keys = folder.callers()?.on_reload(move |outcome| report_reload("API keys", outcome, shell));
        let issuers =
            args.oauth.as_deref().map(|file| Issuers::open(file, &url)).transpose().map_err(usage)?;
        let issuers =
            issuers.map(|issuers| issuers.on_reload(move |outcome| report_reload("issuers", outcome, shell)));
        let (tokens, services) = (Arc::new(folder.tokens(&url)?), folder.services()?);
        let state_keys = folder.signing_keys()?.state_keys();
        Ok(Self { registry, tokens, services, keys, issuers, state_keys, url })
    }

    /// Returns the endpoint with token verification, for its public host name.
    fn protect(&self) -> Result<HttpConfig, RequestError> {
        let sessions = self.registry.verifier(Arc::clone(&self.tokens));
        let mut callers = Callers::new().sessions(sessions).keys(self.keys.clone());
        if let Some(issuers) = &self.issuers {
            callers = callers.issuers(issuers.clone());
        }
        let config = HttpConfig::new().protect(Protection::new(&self.url, callers).map_err(usage)?);
        let host = self.url.split("://").nth(1).and_then(|rest| rest.split('/').next());
        Ok(config.allow_host(host.unwrap_or_default()))
    }
}

/// Reports that a file of callers has changed.
fn report_reload(what: &str, outcome: Result<(), &str>, shell: Shell) {
    match outcome {
        Ok(()) => shell.note(&format!("the {what} were reloaded")),
        Err(why) => shell::warning(&visible(&format!("{why}; the {what} are unchanged"))),
    }
}

/// The policy and the audit.
fn controls(args: &ServeArgs) -> Result<Controls, RequestError> {
    let controls = Controls::new();
    if let Some(file) = &args.policy {
        controls
            .set_policy(Policy::read(file).map_err(|error| usage(format!("{}: {error}", file.display())))?);
    }
    if let Some(file) = &args.audit {
        let audit = AuditFile::builder(file).open();
        let audit = audit
            .map_err(|error| usage(format!("the audit {} cannot be opened: {error}", file.display())))?;
        controls.set_audit(Arc::new(audit));
    }
    if let Some(file) = &args.config {
        controls.set_configuration(&revision(file));
    }
    Ok(controls)
}

async fn connect(config: Option<&Config>) -> Result<Gateway, RequestError> {
    let Some(config) = config else { return Ok(Gateway::new()) };
    let gateway = Gateway::connect(config.servers().iter().cloned(), clients(config)).await;
    gateway.map_err(|error| match error {
        GatewayError::Required(error) => RequestError::Client(error),
        other => usage(other),
    })
}

fn service(
    gateway: Gateway,
    guarded: Option<&ProtectedEndpoints>,
    (controls, telemetry): (&Controls, &Telemetry),
    args: &ServeArgs,
) -> Result<Service, BuildError> {
    let grace = Duration::from_secs(args.grace);
    let server = Server::new(())
        .limits(Limits { shutdown_grace: grace, ..Limits::default() })
        .name("toolwright-gateway")
        .version(env!("CARGO_PKG_VERSION"));
    let server = telemetry.observe(server);
    let instructions = if args.plain_names { gateway.instructions() } else { Some(INSTRUCTIONS.to_owned()) };
    let server = match instructions {
        Some(instructions) => server.instructions(instructions),
        None => server,
    };
    let server = server.provider(Controlled::new(gateway, controls));
    match guarded {
        Some(guarded) => {
            let registry = Controlled::new(guarded.registry.clone(), controls);
            server.provider(registry).state_keys(guarded.state_keys.clone()).build()
        }
        None => server.build(),
    }
}

/// Returns the servers of a file, with a warning for each tolerable problem.
pub(super) fn read(file: &Path) -> Result<Config, RequestError> {
    let config = ConfigReader::new().read(file).map_err(|error| RequestError::Config(Box::new(error)))?;
    for problem in config.problems() {
        let place = format!("{}:{}:{}", file.display(), problem.line, problem.column);
        shell::warning(&visible(&format!("{place}: {}", problem.message)));
    }
    Ok(config)
}

/// Creates the clients of the servers. Log messages of a server go to standard error, prefixed with its name.
pub(super) fn clients(config: &Config) -> impl Fn(&ServerSpec) -> ClientBuilder + Send + Sync + 'static {
    let tokens = config.tokens().clone();
    move |spec| {
        let name = spec.name.clone();
        let builder = with_logins().name("toolwright-gateway", env!("CARGO_PKG_VERSION"));
        builder.tokens(tokens.clone()).on_event(move |event| match event {
            Event::Stderr(line) => shell::text(&format!("{name}: {line}")),
            Event::Warning(text) => shell::warning(&visible(&format!("{name}: {text}"))),
            _ => {}
        })
    }
}

/// Reports the connected servers.
fn report(gateway: &Gateway, shell: Shell) {
    let status = gateway.status();
    let up = status.iter().filter(|server| matches!(server.state, UpstreamState::Up)).count();
    shell.note(&format!("{up} of {} servers are connected", status.len()));
    for server in status {
        match server.state {
            UpstreamState::Failed(why) => {
                shell::warning(&visible(&format!("{}: {why}; it will be tried again", server.name)));
            }
            UpstreamState::Connecting => shell.note(&format!("{} is still starting", server.name)),
            _ => {}
        }
    }
}
