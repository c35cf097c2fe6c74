//! `cargo mcp gateway sessions`.

use std::io::Read as _;
use std::time::Duration;

use toolwright_gateway::Selection;
use toolwright_gateway::tokens::{Permission, SessionRequest, SessionTokens};

use toolwright_client::agent::Revoke;

use super::args::{InspectArgs, MintArgs, RevokeArgs};
use super::internal;
use super::state::{StateFolder, usage};
use crate::client::{RequestError, RequestExit};
use crate::shell::{self, Shell};

/// Maximum number of bytes to read of a token.
const MAX_TOKEN: u64 = 16 << 10;

/// Prints a new token.
pub(super) fn mint(args: &MintArgs) -> Result<RequestExit, RequestError> {
    let lifetime = Duration::from_secs(args.minutes.saturating_mul(60));
    if lifetime.is_zero() || lifetime > SessionTokens::MAX_LIFETIME {
        return Err(usage("a token is good for 1 to 60 minutes; agents get another one then"));
    }
    let tokens = StateFolder::open(&args.state.state)?.tokens(&args.url)?.lifetime(lifetime);
    let mut request = SessionRequest::new(&args.agent);
    if args.all {
        request = request.permit(Permission::RunAll);
    } else {
        request = request.nodes(Selection::only(&args.servers));
    }
    if !args.tools.is_empty() {
        request = request.tools(Selection::only(&args.tools));
    }
    let minted = tokens.mint(&request).map_err(usage)?;
    shell::print(&format!("{}\n", minted.token))?;
    Ok(RequestExit::Ok)
}

/// Prints the claims of a token.
pub(super) fn inspect(args: &InspectArgs) -> Result<RequestExit, RequestError> {
    let mut token = String::new();
    match args.file.as_deref().filter(|file| file.as_os_str() != "-") {
        Some(file) => std::fs::File::open(file)
            .and_then(|file| file.take(MAX_TOKEN).read_to_string(&mut token))
            .map_err(|error| usage(format!("{} cannot be read: {error}", file.display())))?,
        None => std::io::stdin().take(MAX_TOKEN).read_to_string(&mut token)?,
    };
    let tokens = StateFolder::open(&args.state.state)?.tokens(&args.url)?;
    let claims = tokens.check(token.trim()).map_err(|rejected| usage(rejected.reason()))?;
    shell::print(&format!("{}\n", serde_json::to_string_pretty(&claims).unwrap_or_default()))?;
    Ok(RequestExit::Ok)
}

/// Revokes tokens through the internal API.
pub(super) fn revoke(args: &RevokeArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let what = match (&args.token, &args.run) {
        (Some(token), _) => Revoke::Token(token.clone()),
        (None, Some(run)) => Revoke::Run { run: run.clone(), org: args.org.clone() },
        (None, None) => Revoke::Org(args.org.clone()),
    };
    internal::ask(&args.api, async |api| api.revoke(&what).await)?;
    shell.note(&"revoked; what is open with it ends within seconds");
    Ok(RequestExit::Ok)
}
