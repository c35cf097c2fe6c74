//! The definitions of a running server.

use std::ffi::OsString;
use std::time::Duration;

use toolwright_client::config::ServerSpec;
use toolwright_client::{Client, ClientError};
use toolwright_core::manifest::Kind;

use super::ServerDefinitions;
use crate::client::{builder, command_spec, url_spec, wait_for};
use crate::shell::Shell;

/// Timeout for starting a server and its first response; a server that does not support the request may not
/// respond (2026-07-28, basic/transports/stdio "Backward Compatibility").
const PROBE: Duration = Duration::from_secs(5);
/// Timeout of one response, regardless of progress.
const ANSWER: Duration = Duration::from_secs(30);
/// Maximum size of a message, and of all pages of a list.
const BYTES: usize = 16 << 20;
/// Maximum number of pages of a list.
const PAGES: usize = 1_000;
/// The client name: a common one, since a server can show different lists to different clients.
const NAME: &str = "mcp-client/1.0.0";

/// Starts a server, queries it, and ends it, within `timeout`.
pub(super) fn over_stdio(
    words: &[OsString],
    timeout: Duration,
    shell: Shell,
) -> Result<ServerDefinitions, String> {
    ask(command_spec(words)?, timeout, shell)
}

/// Queries a server over HTTP, within `timeout`.
pub(super) fn over_http(url: &str, timeout: Duration, shell: Shell) -> Result<ServerDefinitions, String> {
    ask(url_spec(url), timeout, shell)
}

fn ask(mut server: ServerSpec, timeout: Duration, shell: Shell) -> Result<ServerDefinitions, String> {
    (server.request_timeout, server.start_timeout) = (ANSWER, ANSWER);
    let builder = builder(NAME, shell).probe_timeout(PROBE).max_duration(ANSWER);
    let builder = builder.max_message_bytes(BYTES).max_list_bytes(BYTES).max_pages(PAGES);
    let client = builder.connect_lazy(server);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|error| error.to_string())?;
    runtime.block_on(async {
        let waits = format!("waiting for the server, up to {} seconds in all (--timeout)", timeout.as_secs());
        let work = tokio::time::timeout(timeout, definitions(&client));
        let definitions = wait_for(shell, &waits, work).await;
        client.close().await;
        match definitions {
            Ok(definitions) => definitions,
            Err(_) => {
                Err(format!("it is not done within {} seconds, which --timeout gives it", timeout.as_secs()))
            }
        }
    })
}

async fn definitions(client: &Client) -> Result<ServerDefinitions, String> {
    let problem = |error: ClientError| format!("{}; {}", error.problem(), error.advice());
    let server = client.server().await.map_err(problem)?;
    let mut definitions = ServerDefinitions {
        server: server.info,
        instructions: server.instructions,
        ..ServerDefinitions::default()
    };
    for kind in Kind::ALL {
        // A list that the server does not support is known to be empty.
        definitions.kinds.insert(kind);
        let entries = client.entries(kind).await.map_err(problem)?;
        definitions.extend(kind, entries.into()).map_err(|error| error.to_string())?;
    }
    Ok(definitions)
}
