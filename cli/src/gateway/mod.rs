//! `cargo mcp gateway`: the servers of a configuration file as one server.

mod reload;

use std::net::SocketAddr;
use std::path::{Path, PathBuf};

use clap::Args;
use toolwright_client::config::{Config, ConfigReader, ServerSpec};
use toolwright_client::{Client, ClientBuilder, Event};
use toolwright_core::manifest::visible;
use toolwright_gateway::{Gateway, GatewayError, UpstreamState};
use toolwright_server::{Http, Server, Service, Stdio, Transport};

use crate::client::{RequestError, RequestExit};
use crate::flags::OutputArgs;
use crate::shell::{self, Shell};

/// Where the gateway is served over HTTP.
const PATH: &str = "/mcp/gateway";

#[derive(Debug, Args)]
pub(crate) struct GatewayArgs {
    /// The file that names the servers
    #[arg(long, value_name = "FILE")]
    config: PathBuf,
    /// Listen at this address of this machine, such as 127.0.0.1:8080, in place of standard input and output
    #[arg(long, value_name = "ADDRESS")]
    http: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) output: OutputArgs,
}

impl GatewayArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp gateway --config .vscode/mcp.json
                                       for a client that starts it
  cargo mcp gateway --config .mcp.json --http 127.0.0.1:8080
                                       at http://127.0.0.1:8080/mcp/gateway

FILE is JSON with `mcpServers` or `servers`, our TOML, or an agent's YAML. It is read again when it changes: servers that stay
as they are keep their connections. Tools and prompts are called SERVER__NAME.";
}

/// Runs the command until the client leaves, or a signal ends it.
///
/// # Errors
/// An invalid file, a server that is `required` and cannot be reached, an address that cannot be listened at.
pub(crate) fn run(args: &GatewayArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    if let Some(address) = args.http.filter(|address| !address.ip().is_loopback()) {
        return Err(RequestError::Usage(format!(
            "{address} can be reached from other machines, and the gateway asks callers for no token: listen at 127.0.0.1, and put \
             a proxy in front that checks them"
        )));
    }
    let config = read(&args.config)?;
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    runtime.block_on(serve(args, &config, shell))
}

async fn serve(args: &GatewayArgs, config: &Config, shell: Shell) -> Result<RequestExit, RequestError> {
    // Before anything is started, since the address may be in use.
    let listen = |address| Http::bind(address).map_err(|error| RequestError::Listen(address, error));
    let http = args.http.map(listen).transpose()?;
    let gateway = Gateway::connect(config.servers().iter().cloned(), clients(config)).await.map_err(
        |error| match error {
            GatewayError::Required(error) => RequestError::Client(error),
            other => RequestError::Usage(other.to_string()),
        },
    )?;
    report(&gateway, shell);
    let service = service(gateway.clone()).map_err(|error| RequestError::Usage(error.to_string()))?;
    let transport: Transport = match http {
        Some(http) => {
            shell.note(&format!("listening at http://{}{PATH}", http.local_addr()?));
            http.path(PATH).into()
        }
        None => Stdio.into(),
    };
    let following = tokio::spawn(reload::follow(args.config.clone(), gateway.clone(), shell));
    let served = service.serve_until(transport, terminated()).await;
    following.abort();
    gateway.close().await;
    served?;
    Ok(RequestExit::Ok)
}

fn service(gateway: Gateway) -> Result<Service, toolwright_server::BuildError> {
    Server::new(())
        .name("toolwright-gateway")
        .version(env!("CARGO_PKG_VERSION"))
        .instructions("Tools and prompts are called SERVER__NAME, after the server that has them.")
        .provider(gateway)
        .build()
}

/// The servers of a file, with a warning for each problem that does not keep them from being used.
fn read(file: &Path) -> Result<Config, RequestError> {
    let config = ConfigReader::new().read(file).map_err(|error| RequestError::Config(Box::new(error)))?;
    for problem in config.problems() {
        let place = format!("{}:{}:{}", file.display(), problem.line, problem.column);
        shell::warning(&visible(&format!("{place}: {}", problem.message)));
    }
    Ok(config)
}

/// The clients of the servers. What a server says beside its answers goes to standard error, after its name.
fn clients(config: &Config) -> impl Fn(&ServerSpec) -> ClientBuilder + Send + Sync + 'static {
    let tokens = config.tokens().clone();
    move |spec| {
        let name = spec.name.clone();
        let builder = Client::builder().name("toolwright-gateway", env!("CARGO_PKG_VERSION"));
        builder.tokens(tokens.clone()).on_event(move |event| match event {
            Event::Stderr(line) => shell::text(&format!("{name}: {line}")),
            Event::Warning(text) => shell::warning(&visible(&format!("{name}: {text}"))),
            _ => {}
        })
    }
}

/// Says which servers are there.
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

/// Waits for Ctrl-C or, on Unix, SIGTERM.
async fn terminated() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    _ = tokio::signal::ctrl_c().await;
}
