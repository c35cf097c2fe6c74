//! `cargo mcp login`: gets tokens with the consent of the user, and stores them for other commands.

use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use clap::Args;
use toolwright_client::OAuth;
use toolwright_client::config::{ServerSpec, Tokens};
use toolwright_core::manifest::visible;

use super::target::{Target, builder};
use super::{RequestError, RequestExit, ServerArgs, tokens};
use crate::shell::{self, Shell};

/// The client name that authorization servers show to the user.
const NAME: &str = "cargo mcp";

#[derive(Debug, Args)]
pub(crate) struct LoginArgs {
    /// The server; of a file, the servers to log in at, else all
    #[arg(value_name = "WORD", required = true)]
    words: Vec<String>,
    /// Where the browser is sent back to: http://127.0.0.1:PORT/callback, unless
    /// the file says so
    #[arg(long, value_name = "PORT", default_value_t = 9741, value_parser = clap::value_parser!(u16).range(1..))]
    port: u16,
    /// Show the address of the page, and open no browser
    #[arg(long)]
    no_browser: bool,
    #[command(flatten)]
    pub(crate) server: ServerArgs,
}

impl LoginArgs {
    /// What `--help` shows below the flags.
    pub(crate) const EXAMPLES: &str = "\
Examples:
  cargo mcp login https://example.com/mcp   in a browser; later commands need none
  cargo mcp login .mcp.json                 at each server of a file that wants it
  cargo mcp login .mcp.json shop            at this one

The page is opened with $BROWSER, or what the system opens URLs with. Tokens
are kept in the file $CARGO_MCP_TOKENS, else in the folder for data of the user,
which only the user can read; with $CARGO_MCP_TOKENS_KEY, 32 bytes in base64,
they are encrypted. To log out, delete the file.";
}

pub(super) fn run(args: &LoginArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let store = tokens::store().map_err(RequestError::Usage)?;
    let (target, words) = args.server.split(&args.words)?;
    let servers = select_servers(target, words)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let mut failed = None;
        for (mut spec, tokens) in servers {
            args.server.complete(&mut spec)?;
            let name = visible(&spec.name);
            let was_opened = Arc::new(AtomicBool::new(false));
            let login = configure_login(args, &was_opened, shell).store(store.clone());
            let builder = builder(args.server.client(), shell).tokens(tokens).oauth(login);
            match builder.connect(spec).await {
                Ok(client) => {
                    client.close().await;
                    let done =
                        if was_opened.load(Ordering::Relaxed) { "logged in" } else { "no login was needed" };
                    shell::print(&format!("{name}: {done}\n"))?;
                }
                Err(error) => {
                    shell::failure(&visible(&error.to_string()));
                    failed = Some(RequestExit::from(error.kind()));
                }
            }
        }
        Ok(failed.unwrap_or(RequestExit::Ok))
    })
}

/// Returns the servers to log in at. Programs that a file starts have no logins.
fn select_servers(target: Target, words: &[String]) -> Result<Vec<(ServerSpec, Tokens)>, RequestError> {
    let config = match (target, words) {
        (Target::Server(spec), []) => return Ok(vec![(*spec, Tokens::new())]),
        (Target::Server(_), [word, ..]) => {
            return Err(RequestError::Usage(format!("unexpected argument `{word}`")));
        }
        (Target::File(config), _) => config,
    };
    let find = |name: &String| config.server(name).map_err(|error| RequestError::Usage(error.to_string()));
    let chosen: Vec<&ServerSpec> = match words {
        [] => config.servers().iter().filter(|spec| spec.transport.name() != "stdio").collect(),
        names => names.iter().map(find).collect::<Result<_, _>>()?,
    };
    if chosen.is_empty() {
        return Err(RequestError::Usage("the file has no server over HTTP".to_owned()));
    }
    Ok(chosen.into_iter().map(|spec| (spec.clone(), config.tokens().clone())).collect())
}

fn configure_login(args: &LoginArgs, was_opened: &Arc<AtomicBool>, shell: Shell) -> OAuth {
    let (was_opened, opens) = (Arc::clone(was_opened), !args.no_browser);
    let oauth = OAuth::loopback(args.port, move |url| {
        was_opened.store(true, Ordering::Relaxed);
        shell::text(&format!("log in at {url}"));
        if opens && let Err(why) = open(url) {
            shell.note(&format!("no browser was opened ({why}): open the page yourself"));
        }
        Ok(())
    });
    oauth.client_name(NAME)
}

/// Opens a web page with `$BROWSER` or the system's opener, without a shell.
fn open(url: &str) -> Result<(), String> {
    let chosen = std::env::var("BROWSER").ok().filter(|chosen| !chosen.is_empty());
    let (program, before): (&str, &[&str]) = match &chosen {
        Some(chosen) => (chosen, &[]),
        None if cfg!(target_os = "macos") => ("open", &[]),
        None if cfg!(windows) => ("rundll32", &["url.dll,FileProtocolHandler"]),
        None => ("xdg-open", &[]),
    };
    let mut command = Command::new(program);
    command.args(before).arg(url).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.spawn().map(drop).map_err(|error| format!("{program}: {error}"))
}
