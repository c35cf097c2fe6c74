//! `cargo mcp gateway keys`.

use toolwright_gateway::internal::{Orgs, ServiceKeys};
use toolwright_gateway::tokens::{KeyState, KeyStatus};

use toolwright_core::manifest::visible;
use toolwright_gateway::redis::RedisSecrets;
use toolwright_gateway::secrets::MasterKeys;

use super::args::{RekeyArgs, RotateArgs, ServiceArgs, ShowKeysArgs};
use super::state::{StateFolder, store_url, usage};
use crate::client::{RequestError, RequestExit};
use crate::shell::{self, Shell};

/// Prints the signing keys.
pub(super) fn show(args: &ShowKeysArgs) -> Result<RequestExit, RequestError> {
    let keys = StateFolder::open(&args.state.state)?.signing_keys()?;
    if args.jwks {
        shell::print(&format!("{}\n", keys.jwks()))?;
    } else {
        print_keys(&keys.status())?;
    }
    Ok(RequestExit::Ok)
}

/// Rotates the keys.
pub(super) fn rotate(args: &RotateArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let keys = StateFolder::open(&args.state.state)?.signing_keys()?;
    print_keys(&keys.rotate(args.force).map_err(usage)?)?;
    shell.note(&"gateways that run take the keys up within a second");
    Ok(RequestExit::Ok)
}

/// Creates a key for a service.
pub(super) fn service(args: &ServiceArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let folder = StateFolder::open(&args.state.state)?;
    let orgs = if args.all_orgs { Orgs::All } else { Orgs::Only(args.org.clone()) };
    let rights = args.rights.iter().copied().map(Into::into).collect();
    let key = ServiceKeys::add(&folder.services_file(), &args.name, orgs, rights).map_err(usage)?;
    shell::print(&format!("{key}\n"))?;
    shell.note(&"this is the only time that the key is shown; running gateways accept it");
    Ok(RequestExit::Ok)
}

/// Seals all credentials again with the first master key. Exits with 1 if some cannot be opened.
pub(super) fn rekey(args: &RekeyArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let keys = MasterKeys::from_file(&args.master_keys).map_err(usage)?;
    let url = store_url(args.store.as_deref(), args.store_file.as_deref())?.unwrap_or_default();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let rekeyed = runtime.block_on(async {
        let store = RedisSecrets::connect(&url).await.map_err(|error| usage(format!("--store: {error}")))?;
        keys.rekey_store(&store).await.map_err(usage)
    })?;
    for (run, name, error) in &rekeyed.failed {
        shell::warning(&visible(&format!("{} {name}: {error}", run.run)));
    }
    shell::print(&format!("{} rekeyed, {} unchanged\n", rekeyed.rekeyed, rekeyed.unchanged))?;
    if rekeyed.failed.is_empty() {
        shell.note(&"the other master keys can be removed once every gateway and worker has the first");
        return Ok(RequestExit::Ok);
    }
    Ok(RequestExit::Tool)
}

fn print_keys(keys: &[KeyStatus]) -> Result<(), RequestError> {
    let lines = keys.iter().map(|key| {
        let state = match key.state {
            KeyState::Next => "next",
            KeyState::Active => "active",
            _ => "verify-only",
        };
        format!("{}  {state}\n", key.kid)
    });
    shell::print(&lines.collect::<String>())?;
    Ok(())
}
