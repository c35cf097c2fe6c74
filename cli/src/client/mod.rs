//! Commands that query a running server: `list`, `call`, `get`, `read`, `ping`, `import` and `login`.

pub(crate) mod arguments;
mod call;
mod exit;
mod import;
mod list;
mod login;
mod target;
mod tokens;

use std::net::SocketAddr;
use std::process::ExitCode;

use clap::Args;
use serde_json::value::RawValue;
use toolwright_client::agent::{AgentError, InternalError};
use toolwright_client::config::ConfigError;
use toolwright_client::{Client, ClientError, ErrorKind};
use toolwright_core::manifest::visible;
use toolwright_server::ServeError;

use crate::error::Error;
use crate::escape::quote_lines;
use crate::shell::{self, Shell};

pub(crate) use call::CallArgs;
pub(crate) use exit::RequestExit;
pub(crate) use import::ImportArgs;
pub(crate) use list::ListArgs;
pub(crate) use login::LoginArgs;
pub(crate) use target::{SERVERS, ServerArgs, builder, command_spec, url_spec, wait_for, with_logins};

/// Returns what `--help` shows below the flags of a command: examples, the ways to name a server, and exit codes.
pub(crate) fn help(examples: &str) -> String {
    format!("{examples}\n\nServers:\n{SERVERS}\n\n{}", RequestExit::HELP)
}

/// Returns the same for commands whose servers are in files.
pub(crate) fn help_without_servers(examples: &str) -> String {
    format!("{examples}\n\n{}", RequestExit::HELP)
}

/// Why a command has no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum RequestError {
    #[error(transparent)]
    Client(#[from] ClientError),
    #[error("{0}")]
    Usage(String),
    #[error(transparent)]
    Agent(Box<AgentError>),
    #[error(transparent)]
    Config(Box<ConfigError>),
    #[error("the request to the gateway failed: {0}")]
    Internal(Box<InternalError>),
    #[error(transparent)]
    Other(#[from] Error),
    #[error("the runtime cannot be started")]
    Runtime(#[from] std::io::Error),
    #[error("cannot listen at {0}: choose another address, or end what listens there")]
    Listen(SocketAddr, #[source] std::io::Error),
    #[error("the program did not answer at {url}: {problem}\n{}", quote_lines(.output))]
    NoAnswer { url: String, problem: String, output: String },
    #[error("the connection to the client failed")]
    Serve(#[from] ServeError),
}

impl From<&RequestError> for RequestExit {
    fn from(error: &RequestError) -> Self {
        match error {
            RequestError::Client(error) => error.kind().into(),
            RequestError::Agent(error) => match &**error {
                AgentError::Gateway(error) => error.kind().into(),
                AgentError::Session { .. } => Self::Connect,
                AgentError::ToolsNotReady { .. } => Self::Timeout,
                _ => Self::Usage,
            },
            RequestError::Internal(error) => match &**error {
                InternalError::Unreachable(_) => Self::Connect,
                InternalError::Invalid(_) => Self::Usage,
                _ => Self::Protocol,
            },
            RequestError::Usage(_) | RequestError::Config(_) => Self::Usage,
            RequestError::NoAnswer { .. } => Self::Connect,
            RequestError::Other(_)
            | RequestError::Runtime(_)
            | RequestError::Listen(..)
            | RequestError::Serve(_) => Self::File,
        }
    }
}

/// How a result is printed.
#[derive(Debug, Args)]
pub(crate) struct FormArgs {
    /// Print the response of the server as JSON
    #[arg(long, conflicts_with = "text")]
    pub(crate) json: bool,
    /// Print text for people and scripts; the default
    #[arg(long)]
    pub(crate) text: bool,
}

#[derive(Debug, Args)]
pub(crate) struct GetArgs {
    /// The server, unless a command follows `--`, and the name of the prompt, then its arguments as NAME=VALUE
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct ReadArgs {
    /// The server, unless a command follows `--`, and the URI of the resource
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

#[derive(Debug, Args)]
pub(crate) struct PingArgs {
    /// The server, unless a command follows `--`
    #[arg(value_name = "SERVER")]
    words: Vec<String>,
    #[command(flatten)]
    form: FormArgs,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl GetArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp get https://example.com/mcp greet name=Ada   a prompt, filled in
  cargo mcp get greet name=Ada -- ./server               of a command";
}

impl ReadArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp read https://example.com/mcp file:///a.txt   a resource
  cargo mcp read file:///a.txt -- ./server               of a command";
}

impl PingArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp ping https://example.com/mcp   does it answer, and what is it?
  cargo mcp ping -- npx -y some-server";
}

/// Prints the error of a command, if any, and returns its exit code.
pub(crate) fn exit(result: Result<RequestExit, RequestError>, shell: Shell) -> ExitCode {
    match result {
        Ok(exit) => exit.into(),
        Err(error) => {
            shell::error(&error);
            if matches!(&error, RequestError::Client(error) if error.kind() == ErrorKind::Timeout) {
                shell.note(&"--timeout and --start-timeout say how long this command waits");
            }
            RequestExit::from(&error).into()
        }
    }
}

/// `cargo mcp list`.
pub(crate) fn list(args: &ListArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    list::run(args, shell)
}

/// `cargo mcp import`.
pub(crate) fn import(args: &ImportArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    import::run(args, shell)
}

/// `cargo mcp login`.
pub(crate) fn login(args: &LoginArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    login::run(args, shell)
}

/// `cargo mcp call`.
pub(crate) fn call(args: &CallArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    call::run(args, shell)
}

/// `cargo mcp get`: gets a prompt.
pub(crate) fn get(args: &GetArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (target, words) = args.server.split(&args.words)?;
    let [word, arguments @ ..] = words else {
        return Err(RequestError::Usage("no prompt is specified".to_owned()));
    };
    let (spec, tokens, name) = target.choose(word)?;
    let arguments = arguments::parse_strings(arguments).map_err(RequestError::Usage)?;
    let params = serde_json::json!({"name": name, "arguments": arguments});
    target::with_client((spec, tokens), &args.server, shell, async |client: Client| {
        let result = client.request("prompts/get", params).await?;
        print(&result, &args.form, "messages", |message| {
            let role = message["role"].as_str().unwrap_or("someone");
            format!("{role}: {}", render_block(&message["content"]))
        })?;
        Ok(RequestExit::Ok)
    })
}

/// `cargo mcp read`: reads a resource.
pub(crate) fn read(args: &ReadArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (target, words) = args.server.split(&args.words)?;
    let [word] = words else { return Err(RequestError::Usage("specify one resource".to_owned())) };
    let (spec, tokens, uri) = target.choose(word)?;
    let params = serde_json::json!({"uri": uri});
    target::with_client((spec, tokens), &args.server, shell, async |client: Client| {
        let result = client.request("resources/read", params).await?;
        print(&result, &args.form, "contents", |contents| match contents["text"].as_str() {
            Some(text) => text.to_owned(),
            None => format!("[{} bytes of base64]", contents["blob"].as_str().map_or(0, str::len)),
        })?;
        Ok(RequestExit::Ok)
    })
}

/// `cargo mcp ping`: checks whether a server responds, and shows what it is.
pub(crate) fn ping(args: &PingArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let (target, words) = args.server.split(&args.words)?;
    if let [word, ..] = words {
        return Err(RequestError::Usage(format!("unexpected argument `{word}`")));
    }
    target::with_each(target, &args.server, shell, async |_, client: Client| {
        let started = std::time::Instant::now();
        client.ping().await?;
        let took = started.elapsed();
        let server = client.server().await?;
        let (name, version) = (server.name().unwrap_or("a server"), server.version().unwrap_or_default());
        if args.form.json {
            let about = serde_json::json!({
                "revision": server.revision.as_str(),
                "info": server.info,
                "capabilities": server.capabilities,
                "instructions": server.instructions,
                "milliseconds": took.as_secs_f64() * 1000.0,
            });
            shell::print_json(&format!("{about:#}\n"))?;
        } else {
            let line = format!("{name} {version} responds in {took:.1?} ({})\n", server.revision);
            shell::print(&visible(line.trim_end()).replace("  ", " "))?;
            shell::print("\n")?;
        }
        Ok(RequestExit::Ok)
    })
}

/// Prints a result: as received, or the entries of one of its lists in readable form.
fn print(
    result: &RawValue,
    form: &FormArgs,
    member: &str,
    show: impl Fn(&serde_json::Value) -> String,
) -> Result<(), Error> {
    let value: serde_json::Value = serde_json::from_str(result.get()).unwrap_or_default();
    if form.json {
        return shell::print_json(&format!("{value:#}\n"));
    }
    let entries = value[member].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts: Vec<_> = entries.iter().map(show).collect();
    shell::print(&(texts.join("\n\n") + "\n"))
}

/// Renders a content block as text.
fn render_block(value: &serde_json::Value) -> String {
    toolwright_core::content::ContentBlock::from(value.clone()).to_text().into_owned()
}
