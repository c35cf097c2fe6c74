//! Two gateways, four workers and a Redis under load, of which one is killed every few seconds:
//! `cargo run --release -p soak-gateway -- SECONDS [SEED]`, after `cargo build --release -p toolwright-cli`.
//!
//! Clients make about 1,000 calls a second and repeat a call only if its error says that it may be repeated. What the tools do is
//! written to a ledger, a file outside of all of these processes. At the end, each successful call must be in the ledger once, each
//! call with an unknown outcome at most once, and nothing twice, except for calls of the read-only tool. Prints the numbers of
//! calls, errors and kills, latencies and memory.

mod faults;
mod internal;
mod ledger;
mod load;
mod outcome;
mod processes;
mod random;
mod report;
mod setup;
mod tools;

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use tokio::time::Instant;

use crate::ledger::Ledger;
use crate::random::Random;
use crate::setup::Site;

type Failure = Box<dyn std::error::Error>;

/// The arguments that run this program as a worker, and as an upstream server.
const WORK: &str = "work";
const SERVE: &str = "serve";

/// Session tokens are valid for 15 minutes.
const MAX_SECONDS: u64 = 840;

fn main() -> Result<ExitCode, Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [WORK, redis, ledger] => runtime.block_on(tools::work(redis, &PathBuf::from(ledger)))?,
        [SERVE, ledger, folder] => runtime.block_on(tools::serve(&PathBuf::from(ledger), folder.as_ref()))?,
        [seconds] => return runtime.block_on(soak(seconds.parse()?, random::seed())),
        [seconds, seed] => return runtime.block_on(soak(seconds.parse()?, seed.parse()?)),
        _ => return Err("usage: soak-gateway SECONDS [SEED]".into()),
    }
    Ok(ExitCode::SUCCESS)
}

async fn soak(seconds: u64, seed: u64) -> Result<ExitCode, Failure> {
    if seconds > MAX_SECONDS {
        return Err(
            format!("at most {MAX_SECONDS} seconds: the tokens of the clients are not renewed").into()
        );
    }
    println!("{seconds} s, seed {seed}");
    let site = Arc::new(Site::start()?);
    let load = load::Load::start(&site, seed);
    // The first calls are made before anything is killed.
    tokio::time::sleep(Duration::from_secs(2)).await;
    let before = site.memory();
    let ends = Instant::now() + Duration::from_secs(seconds);
    let every = Duration::from_secs(if seconds < 120 { 3 } else { 5 });
    let kills = faults::inject(&site, Random::new(seed), every, ends).await;
    let calls = load.finish().await;
    let after = site.memory();
    let records = records(&site, &calls).await;
    let site = Arc::into_inner(site).ok_or("the site is still in use")?;
    let (problems, most, ledger) = (site.problems(), site.most_memory(), Ledger::read(&site.ledger())?);
    site.stop();
    let report = report::Report { seconds, kills, calls, ledger, before, after, most, records, problems };
    report.print();
    let failures = report.failures();
    for failure in &failures {
        println!("FAILED: {failure}");
    }
    println!("to repeat it: soak-gateway {seconds} {seed}");
    Ok(if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The records of calls with an unknown outcome, after all leases have ended.
async fn records(site: &Site, calls: &load::Calls) -> Vec<(usize, serde_json::Value)> {
    let ids: Vec<_> = calls.all.iter().filter_map(|call| Some((call.key, call.end.id()?))).collect();
    if ids.is_empty() {
        return Vec::new();
    }
    tokio::time::sleep(toolwright_gateway::calls::LEASE + Duration::from_secs(1)).await;
    ids.into_iter().map(|(key, id)| (key, site.record(id).unwrap_or_default())).collect()
}
