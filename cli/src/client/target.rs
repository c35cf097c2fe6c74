//! Selects servers, and configures the client.

use std::ffi::OsString;
use std::io::IsTerminal as _;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use clap::Args;
use toolwright_client::config::{
    Config, ConfigReader, HttpSpec, Problem, ServerSpec, Severity, StdioSpec, Tokens, TransportSpec,
};
use toolwright_client::{Client, ClientBuilder, Event};
use toolwright_core::manifest::visible;
use toolwright_core::names;
use toolwright_core::revision::Revision;

use super::{RequestError, RequestExit, tokens};
use crate::shell::{self, Shell};

/// The ways to name a server, for `--help`.
pub(crate) const SERVERS: &str = "  FILE            a configuration file; its tools are called SERVER__TOOL
  https://…       a server over Streamable HTTP, or HTTP+SSE
  -- COMMAND …    a server on standard input and output, in the last place";

/// Maximum number of bytes of a server's standard error to show.
const MAX_STDERR: usize = 64 << 10;

/// The selected servers, and the settings of the client.
#[derive(Debug, Args)]
pub(crate) struct ServerArgs {
    /// A header of every request over HTTP, such as 'Authorization: Bearer …'
    #[arg(long, value_name = "NAME: VALUE")]
    header: Vec<String>,
    /// Timeout in seconds without a response and without progress [default: 60, or the file's]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    timeout: Option<u64>,
    /// Timeout in seconds for the start of the server [default: 60, or the file's]
    #[arg(long, value_name = "SECONDS", value_parser = clap::value_parser!(u64).range(1..=86_400))]
    start_timeout: Option<u64>,
    /// Use this revision of the protocol, such as 2025-11-25
    #[arg(long, value_name = "DATE", value_parser = parse_revision)]
    revision: Option<Revision>,
    /// The name of the client; servers may show different lists to different clients
    #[arg(long, value_name = "NAME/VERSION", default_value = "mcp-client/1.0.0")]
    client: String,
    #[command(flatten)]
    pub(crate) output: crate::flags::OutputArgs,
    /// The command of a server
    #[arg(last = true, value_name = "COMMAND")]
    command: Vec<OsString>,
}

/// The selected server or servers.
#[derive(Debug)]
pub(super) enum Target {
    /// One server.
    Server(Box<ServerSpec>),
    /// The servers of a file, whose tools are called `SERVER__TOOL`.
    File(Box<Config>),
}

fn parse_revision(text: &str) -> Result<Revision, String> {
    Revision::from_name(text).ok_or_else(|| {
        let known: Vec<_> = Revision::ALL.iter().map(|revision| revision.as_str()).collect();
        format!("supported revisions: {}", known.join(", "))
    })
}

impl ServerArgs {
    /// Returns the target, and the remaining arguments.
    pub(super) fn split<'a>(&self, words: &'a [String]) -> Result<(Target, &'a [String]), RequestError> {
        if !self.command.is_empty() {
            let spec = command_spec(&self.command).map_err(RequestError::Usage)?;
            return Ok((Target::Server(Box::new(spec)), words));
        }
        let usage = |why: &str| RequestError::Usage(format!("{why}; specify one of\n{SERVERS}"));
        let [server, rest @ ..] = words else { return Err(usage("no server is specified")) };
        if server.contains("://") {
            return Ok((Target::Server(Box::new(url_spec(server))), rest));
        }
        if !Path::new(server).is_file() {
            return Err(usage(&format!("`{server}` is neither a URL nor a file")));
        }
        let config =
            ConfigReader::new().read(server).map_err(|error| RequestError::Config(Box::new(error)))?;
        for problem in config.problems() {
            shell::warning(&visible(&format_problem(server, problem)));
        }
        Ok((Target::File(Box::new(config)), rest))
    }

    /// Returns the implementation info of the client.
    pub(super) fn client(&self) -> &str {
        &self.client
    }

    pub(super) fn complete(&self, spec: &mut ServerSpec) -> Result<(), RequestError> {
        if let TransportSpec::Http(HttpSpec { headers, .. }) = &mut spec.transport {
            for header in &self.header {
                // The value is not repeated: it may be secret.
                let (name, value) = header.split_once(':').ok_or_else(|| {
                    RequestError::Usage("a header has no colon: write 'NAME: VALUE'".to_owned())
                })?;
                headers.set(name.trim(), value.trim());
            }
        }
        if let Some(seconds) = self.timeout {
            spec.request_timeout = Duration::from_secs(seconds);
        }
        if let Some(seconds) = self.start_timeout {
            spec.start_timeout = Duration::from_secs(seconds);
        }
        Ok(())
    }
}

/// Formats a problem of a file, with its location and its consequence.
fn format_problem(file: &str, problem: &Problem) -> String {
    let mut text = format!("{file}:{}:{}: {}", problem.line, problem.column, problem.message);
    if let Some(help) = problem.help.as_deref().filter(|help| !help.is_empty()) {
        text = format!("{text}; {help}");
    }
    match &problem.server {
        Some(server) if problem.severity == Severity::Error => {
            format!("{text} (the server `{server}` is omitted)")
        }
        _ => text,
    }
}

impl Target {
    /// Returns the server and the name in an argument `SERVER__NAME`.
    pub(super) fn choose(self, word: &str) -> Result<(ServerSpec, Tokens, &str), RequestError> {
        match self {
            Target::Server(spec) => Ok((*spec, Tokens::new(), word)),
            Target::File(config) => {
                let (server, name) = names::split(word).ok_or_else(|| {
                    RequestError::Usage(format!("`{word}` does not name a server: write SERVER__NAME"))
                })?;
                let spec = config.server(server).map_err(|error| RequestError::Usage(error.to_string()))?;
                Ok((spec.clone(), config.tokens().clone(), name))
            }
        }
    }
}

/// Returns the server at a URL.
pub(crate) fn url_spec(url: &str) -> ServerSpec {
    url.into()
}

/// Returns the server that a command starts, with the environment of the user.
///
/// # Errors
/// An argument is not valid UTF-8.
pub(crate) fn command_spec(words: &[OsString]) -> Result<ServerSpec, String> {
    let text = |word: &OsString| {
        word.clone().into_string().map_err(|word| format!("{} is not UTF-8", word.to_string_lossy()))
    };
    let words = words.iter().map(text).collect::<Result<Vec<_>, _>>()?;
    let mut words = words.into_iter();
    let mut spec = StdioSpec::new(words.next().unwrap_or_default());
    spec.args.extend(words.map(Into::into));
    spec.inherit_env = true;
    Ok(spec.into())
}

/// Creates a client that uses the tokens of earlier logins.
pub(crate) fn with_logins() -> ClientBuilder {
    match tokens::load() {
        Ok(Some(stored)) => Client::builder().oauth(stored),
        Ok(None) => Client::builder(),
        Err(why) => {
            shell::warning(&format!("{why}; tokens of earlier logins are not used"));
            Client::builder()
        }
    }
}

/// Creates a client that shows log messages and uses the tokens of earlier logins.
pub(crate) fn builder(name: &str, shell: Shell) -> ClientBuilder {
    let (name, version) = name.split_once('/').unwrap_or((name, "1.0.0"));
    let left = AtomicUsize::new(MAX_STDERR);
    with_logins().name(name, version).on_event(move |event| match event {
        Event::Stderr(line) => {
            let before = left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                Some(left.saturating_sub(line.len() + 1))
            });
            // This always succeeds.
            let before = before.unwrap_or_default();
            if before > 0 {
                shell::text(&line);
            }
            if before > 0 && before <= line.len() + 1 {
                shell::text("(further output of the server is not shown)");
            }
        }
        Event::Log { original, data, .. } => {
            let text = data.as_str().map_or_else(|| data.to_string(), str::to_owned);
            shell::text(&format!("{original}: {text}"));
        }
        Event::Warning(text) => shell::warning(&visible(&text)),
        _ => shell.running(&format!("{event:?}")),
    })
}

/// Connects to one server, and disconnects after `run`.
pub(super) fn with_client<F: Future<Output = Result<RequestExit, RequestError>>>(
    server: (ServerSpec, Tokens),
    args: &ServerArgs,
    shell: Shell,
    run: impl FnOnce(Client) -> F,
) -> Result<RequestExit, RequestError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(run_connected(server, args, shell, run))
}

/// Does the same with every server. Those of a file are independent: if one that is not `required` fails, a
/// warning is shown and the others are used; if all fail, the last error is returned.
pub(super) fn with_each<F: Future<Output = Result<RequestExit, RequestError>>>(
    target: Target,
    args: &ServerArgs,
    shell: Shell,
    mut run: impl FnMut(Option<String>, Client) -> F,
) -> Result<RequestExit, RequestError> {
    let config = match target {
        Target::Server(spec) => {
            return with_client((*spec, Tokens::new()), args, shell, |client| run(None, client));
        }
        Target::File(config) => config,
    };
    if config.servers().is_empty() {
        return Err(RequestError::Usage("the file has no usable server".to_owned()));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let (mut any_succeeded, mut last) = (false, None);
        for spec in config.servers() {
            let (name, is_required) = (spec.name.clone(), spec.required);
            let server = (spec.clone(), config.tokens().clone());
            match run_connected(server, args, shell, |client| run(Some(name), client)).await {
                Ok(_) => any_succeeded = true,
                Err(error) if is_required => return Err(error),
                Err(error) => {
                    shell::warning(&visible(&error.to_string()));
                    last = Some(error);
                }
            }
        }
        match last {
            Some(error) if !any_succeeded => Err(error),
            _ => Ok(RequestExit::Ok),
        }
    })
}

async fn run_connected<F: Future<Output = Result<RequestExit, RequestError>>>(
    (mut spec, tokens): (ServerSpec, Tokens),
    args: &ServerArgs,
    shell: Shell,
    run: impl FnOnce(Client) -> F,
) -> Result<RequestExit, RequestError> {
    args.complete(&mut spec)?;
    shell.running(&spec.name);
    let mut builder = builder(&args.client, shell).tokens(tokens);
    if let Some(revision) = args.revision {
        builder = builder.revision(revision);
    }
    let [start, response] = [spec.start_timeout, spec.request_timeout].map(|limit| limit.as_secs());
    let starts = format!("waiting for the server to start, up to {start} seconds (--start-timeout)");
    let client = wait_for(shell, &starts, builder.connect(spec)).await?;
    let responds =
        format!("waiting up to {response} seconds without a response and without progress (--timeout)");
    let result = wait_for(shell, &responds, run(client.clone())).await;
    client.close().await;
    result
}

/// The time after which a command says what it waits for.
const PATIENCE: Duration = Duration::from_secs(4);

/// Waits for a server, and says so once if it takes long: a server that waits for input, or writes its messages elsewhere,
/// looks like one that is slow.
pub(crate) async fn wait_for<T>(shell: Shell, what: &str, work: impl Future<Output = T>) -> T {
    let mut work = std::pin::pin!(work);
    tokio::select! {
        done = &mut work => return done,
        () = tokio::time::sleep(PATIENCE) => {}
    }
    shell.note(&format_args!("nothing yet after {} seconds; {what}", PATIENCE.as_secs()));
    work.await
}

/// Returns whether standard error is a terminal.
pub(super) fn is_interactive() -> bool {
    std::io::stderr().is_terminal()
}
