//! `cargo mcp gateway keys`.

use std::collections::BTreeSet;
use std::time::Duration;

use toolwright_gateway::Clock;
use toolwright_gateway::callers::{CallerKey, CallerKeyRequest, CallerKeys};
use toolwright_gateway::internal::{Orgs, ServiceKeys};
use toolwright_gateway::tokens::{KeyState, KeyStatus};

use toolwright_core::manifest::visible;
use toolwright_gateway::redis::RedisSecrets;
use toolwright_gateway::secrets::MasterKeys;

use super::args::{CallerArgs, RekeyArgs, RemoveArgs, RotateArgs, ServiceArgs, ShowKeysArgs};
use super::state::{StateFolder, store_url, usage};
use crate::client::{RequestError, RequestExit};
use crate::shell::{self, Shell};

const DAY: Duration = Duration::from_hours(24);

/// Prints the signing keys and the keys of callers.
pub(super) fn show(args: &ShowKeysArgs) -> Result<RequestExit, RequestError> {
    let folder = StateFolder::open(&args.state.state)?;
    let keys = folder.signing_keys()?;
    if args.jwks {
        shell::print(&format!("{}\n", keys.jwks()))?;
    } else {
        print_keys(&keys.status())?;
        let now = Clock::default().now();
        let callers = folder.callers()?.list();
        shell::print(&callers.iter().map(|key| describe(key, now)).collect::<String>())?;
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

/// Creates a key for a caller.
pub(super) fn caller(args: &CallerArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let folder = StateFolder::open(&args.state.state)?;
    let mut request = CallerKeyRequest::new(&args.name);
    if args.all {
        request = request.all();
    }
    if !args.servers.is_empty() {
        request = request.servers(&args.servers);
    }
    if !args.tools.is_empty() {
        request = request.tools(&args.tools);
    }
    if let Some(days) = args.days {
        request = request.lifetime(DAY * days);
    }
    let key = CallerKeys::add(&folder.callers_file(), &request).map_err(usage)?;
    shell::print(&format!("{key}\n"))?;
    shell.note(&"this is the only time that the key is shown; running gateways accept it");
    Ok(RequestExit::Ok)
}

/// Removes the key of a caller.
pub(super) fn remove(args: &RemoveArgs, shell: Shell) -> Result<RequestExit, RequestError> {
    let folder = StateFolder::open(&args.state.state)?;
    CallerKeys::remove(&folder.callers_file(), &args.name).map_err(usage)?;
    shell.note(&"removed; running gateways reject it within a second");
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

/// Returns a line about the key of a caller.
fn describe(key: &CallerKey, now: Duration) -> String {
    let list = |names: &Option<BTreeSet<String>>| {
        let names = names.as_ref().map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
        names.map(|names| if names.is_empty() { "none".to_owned() } else { names.join(", ") })
    };
    let mut line = format!("{}  caller", key.name);
    if key.all {
        line.push_str("  all servers");
    }
    for (what, names) in [("servers", &key.servers), ("tools", &key.tools)] {
        if let Some(names) = list(names) {
            line = format!("{line}  {what}: {names}");
        }
    }
    match key.expires {
        Some(_) if key.has_expired(now) => line.push_str("  expired"),
        Some(expires) => {
            let hours = (expires - now.as_secs()).div_ceil(3_600);
            let (count, unit) = if hours > 48 { (hours.div_ceil(24), "days") } else { (hours, "hours") };
            line = format!("{line}  expires within {count} {unit}");
        }
        None => {}
    }
    format!("{}\n", visible(&line))
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
