//! The clients: about 1,000 calls a second, each at one gateway and, if it is repeated, at the other one.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, MissedTickBehavior, interval};
use toolwright_client::Client;
use toolwright_client::config::{HttpSpec, ServerSpec};

use crate::outcome::Attempt;
use crate::random::Random;
use crate::setup::Site;
use crate::tools::Tool;

/// Calls that are started every ten milliseconds.
const CALLS: usize = 10;
const TICK: Duration = Duration::from_millis(10);
/// The most calls in progress. While there are as many, none is started.
const MOST: usize = 2_000;
/// How long a client waits for a response.
const TIMEOUT: Duration = Duration::from_secs(40);
/// How long a call is repeated.
const PATIENCE: Duration = Duration::from_mins(1);

/// The clients, while they make calls.
pub(crate) struct Load {
    stop: Arc<AtomicBool>,
    task: JoinHandle<Calls>,
}

/// The end of a call.
#[derive(Debug)]
pub(crate) struct Call {
    pub(crate) key: usize,
    pub(crate) tool: Tool,
    pub(crate) end: Attempt,
    pub(crate) took: Duration,
}

/// All calls.
#[derive(Debug, Default)]
pub(crate) struct Calls {
    pub(crate) all: Vec<Call>,
    /// By kind, how often a call was repeated.
    pub(crate) retries: BTreeMap<String, u64>,
    /// How many calls were not started in time.
    pub(crate) skipped: u64,
}

/// The clients of both gateways, for one token each.
struct Clients {
    workers: Vec<Client>,
    desk: Vec<Client>,
}

impl Clients {
    fn new(site: &Site) -> Self {
        let [workers, desk] = [0, 1].map(|token| {
            let gateways = 0..site.ports.len();
            gateways.map(|gateway| client(&site.url_of(gateway), &site.tokens[token])).collect()
        });
        Self { workers, desk }
    }

    fn of(&self, tool: Tool, number: usize) -> &Client {
        let clients = if tool == Tool::Desk { &self.desk } else { &self.workers };
        &clients[number % clients.len()]
    }
}

fn client(url: &str, token: &str) -> Client {
    let mut http = HttpSpec::new(url);
    http.headers.set("Authorization", format!("Bearer {token}"));
    http.timeout = TIMEOUT;
    let mut spec = ServerSpec::new("gateway", http);
    spec.request_timeout = TIMEOUT;
    Client::builder().connect_lazy(spec)
}

impl Load {
    pub(crate) fn start(site: &Arc<Site>, seed: u64) -> Self {
        let stop = Arc::new(AtomicBool::new(false));
        let task = tokio::spawn(run(Clients::new(site), Random::new(seed ^ 0xCA11), Arc::clone(&stop)));
        Self { stop, task }
    }

    /// Starts no more calls, and waits for the others.
    pub(crate) async fn finish(self) -> Calls {
        self.stop.store(true, Ordering::Relaxed);
        self.task.await.unwrap_or_default()
    }
}

async fn run(clients: Clients, mut random: Random, stop: Arc<AtomicBool>) -> Calls {
    let (clients, room, retries) =
        (Arc::new(clients), Arc::new(Semaphore::new(MOST)), Arc::new(Retries::default()));
    let (mut calls, mut running, mut key) = (Calls::default(), JoinSet::new(), 0);
    let mut ticks = interval(TICK);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Burst);
    while !stop.load(Ordering::Relaxed) {
        ticks.tick().await;
        while let Some(Ok(call)) = running.try_join_next() {
            calls.all.push(call);
        }
        for _ in 0..CALLS {
            let Some(tool) = random.choose(&Tool::ALL) else { continue };
            let Ok(place) = Arc::clone(&room).try_acquire_owned() else {
                calls.skipped += 1;
                continue;
            };
            let (clients, retries) = (Arc::clone(&clients), Arc::clone(&retries));
            running.spawn(async move {
                let call = make(&clients, tool, key, &retries).await;
                drop(place);
                call
            });
            key += 1;
        }
    }
    while let Some(Ok(call)) = running.join_next().await {
        calls.all.push(call);
    }
    calls.all.sort_by_key(|call| call.key);
    calls.retries = retries.0.lock().await.clone();
    calls
}

#[derive(Default)]
struct Retries(tokio::sync::Mutex<BTreeMap<String, u64>>);

impl Retries {
    async fn count(&self, kind: &str) {
        *self.0.lock().await.entry(kind.to_owned()).or_default() += 1;
    }
}

/// Makes a call until it is done, its outcome is unknown, or it must not be repeated.
async fn make(clients: &Clients, tool: Tool, key: usize, retries: &Retries) -> Call {
    let (start, mut pause, mut number) = (Instant::now(), Duration::from_millis(50), key);
    let expected = format!("done {key}");
    let end = loop {
        let call = clients.of(tool, number).call(tool.public_name(), json!({"key": key})).timeout(TIMEOUT);
        let kind = match Attempt::of(call.await, &expected) {
            Attempt::Retry(kind) => kind,
            // A client knows which tools are read-only.
            Attempt::Unknown(kind, _) if tool.is_repeatable() => kind,
            end => break end,
        };
        if start.elapsed() > PATIENCE {
            break Attempt::Failed(format!("it is still refused: {kind}"));
        }
        retries.count(&kind).await;
        tokio::time::sleep(pause).await;
        pause = (pause * 2).min(Duration::from_secs(1));
        number += 1;
    };
    Call { key, tool, end, took: start.elapsed() }
}
