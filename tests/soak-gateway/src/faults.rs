//! Kills a process every few seconds, and starts it again.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::task::JoinSet;
use tokio::time::{Instant, interval};

use crate::processes::{Process, signal};
use crate::random::Random;
use crate::setup::Site;

/// Longer than the lease of a worker, which is ten seconds.
const PAUSE: Duration = Duration::from_secs(12);

/// What is done to a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Fault {
    KillWorker,
    /// Stopped until its leases have ended, then continued.
    PauseWorker,
    KillGateway,
    KillUpstream,
    /// Killed, and started again with its file.
    KillRedis,
    /// The same, but shut down gracefully.
    StopRedis,
}

impl Fault {
    const ALL: [(Self, usize); 6] = [
        (Self::KillWorker, 30),
        (Self::PauseWorker, 10),
        (Self::KillGateway, 20),
        (Self::KillUpstream, 25),
        (Self::KillRedis, 8),
        (Self::StopRedis, 7),
    ];

    pub(crate) fn describe(self) -> &'static str {
        match self {
            Self::KillWorker => "worker, kill -9",
            Self::PauseWorker => "worker, stopped for 12 s",
            Self::KillGateway => "gateway, kill -9",
            Self::KillUpstream => "upstream server, kill -9",
            Self::KillRedis => "Redis, kill -9",
            Self::StopRedis => "Redis, SIGTERM",
        }
    }
}

/// How often each was done.
pub(crate) type Kills = BTreeMap<Fault, u64>;

/// Injects faults until `ends`. All processes run again when it returns.
pub(crate) async fn inject(site: &Arc<Site>, mut random: Random, every: Duration, ends: Instant) -> Kills {
    let (mut kills, mut recovering) = (Kills::new(), JoinSet::new());
    let (mut ticks, mut observed) = (interval(every), interval(Duration::from_secs(1)));
    ticks.tick().await;
    while Instant::now() < ends {
        tokio::select! {
            () = tokio::time::sleep_until(ends) => break,
            _ = observed.tick() => {
                site.restart_ended();
                site.observe();
            }
            _ = ticks.tick() => {
                let Some(fault) = random.choose(&Fault::ALL) else { continue };
                let (number, site) = (random.below(usize::MAX), Arc::clone(site));
                *kills.entry(fault).or_default() += 1;
                recovering.spawn_blocking(move || apply(&site, fault, number));
            }
        }
    }
    while recovering.join_next().await.is_some() {}
    site.restart_ended();
    kills
}

/// Does it to the process with this number among those of its kind.
fn apply(site: &Site, fault: Fault, number: usize) {
    let done = match fault {
        Fault::KillWorker => replace_worker(site, number),
        Fault::PauseWorker => {
            let worker = site.processes().workers.iter().flatten().nth(number % 4).map(Process::id);
            if let Some(worker) = worker {
                signal(worker, "STOP");
                std::thread::sleep(PAUSE);
                signal(worker, "CONT");
            }
            Ok(())
        }
        Fault::KillGateway => {
            let number = number % site.ports.len();
            let killed = site.processes().gateways[number].take();
            killed.map_or(Ok(()), |mut gateway| {
                gateway.kill();
                site.keep_gateway(number)
            })
        }
        Fault::KillUpstream => {
            let upstreams = site.upstreams();
            if !upstreams.is_empty() {
                let upstream = upstreams[number % upstreams.len()];
                signal(upstream, "KILL");
                site.forget_upstream(upstream);
            }
            Ok(())
        }
        Fault::KillRedis | Fault::StopRedis => {
            let stopped = site.processes().redis.take();
            stopped.map_or(Ok(()), |mut redis| {
                if fault == Fault::KillRedis {
                    redis.kill();
                } else {
                    redis.terminate();
                }
                site.start_redis().map(|redis| site.processes().redis = Some(redis))
            })
        }
    };
    if let Err(error) = done {
        site.report(format!("after {}: {error}", fault.describe()));
    }
}

fn replace_worker(site: &Site, number: usize) -> Result<(), crate::Failure> {
    let number = number % site.processes().workers.len();
    let killed = site.processes().workers[number].take();
    killed.map_or(Ok(()), |mut worker| {
        worker.kill();
        site.start_worker().map(|worker| site.processes().workers[number] = Some(worker))
    })
}
