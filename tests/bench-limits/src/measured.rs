//! What each case costs.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt;
use std::path::Path;
use std::sync::{Mutex, PoisonError};

use serde::{Deserialize, Serialize};

use crate::callgrind::{self, Counts};
use crate::server_cases::peer::Peer;
use crate::server_cases::{CALL_LEGACY, CALL_MODERN, CALL_OF_1000, Case, LIST_1000};
use crate::{REPEAT, agent_cases, client, core_cases, hooks, over_http};

/// The costs of one repetition of a case.
#[derive(Debug, Clone)]
pub(crate) struct Measured {
    pub(crate) name: &'static str,
    /// Over how many repetitions they are averages.
    pub(crate) repetitions: u64,
    pub(crate) costs: BTreeMap<Unit, u64>,
}

/// What is counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Unit {
    /// Executed outside the kernel.
    Instructions,
    /// Requests of memory.
    Allocations,
    /// Memory of the process that is resident.
    Bytes,
}

impl Unit {
    /// By how much two measurements of the same program may differ at least. The start of a process differs by some
    /// allocations.
    pub(crate) fn least_margin(self, repetitions: u64) -> u64 {
        match self {
            Self::Instructions => 0,
            Self::Allocations => (64 / repetitions).max(1),
            Self::Bytes => 4096,
        }
    }
}

impl fmt::Display for Unit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Instructions => "instructions",
            Self::Allocations => "allocations",
            Self::Bytes => "bytes",
        })
    }
}

/// The same call with one tool and with 1,000.
pub(crate) const PER_TOOL: [&str; 2] = [CALL_MODERN.name, CALL_OF_1000.name];

/// A case and the two numbers of repetitions that are compared.
struct Job {
    name: &'static str,
    what: What,
    repetitions: [u64; 2],
}

enum What {
    /// A case of the core or of agents, by its name.
    Repeated,
    /// A message over stdio.
    Stdio(Case),
    /// A request over HTTP.
    Http(over_http::Case),
    /// Our client.
    Client(client::Case),
}

/// Starting a process takes millions of instructions, which differ by some thousands from run to run (the seeds of hash
/// tables, threads); so a call is repeated often enough for that not to matter.
fn jobs() -> Vec<Job> {
    let served = |name, case, repetitions| Job { name, what: What::Stdio(case), repetitions };
    let requested =
        |case: over_http::Case| Job { name: case.name, what: What::Http(case), repetitions: [500, 1_000] };
    let mut jobs = vec![
        served(LIST_1000.name, LIST_1000, [20, 40]),
        // The first list is rendered, all others come from the cache.
        served("list_1000_tools_first", LIST_1000, [0, 1]),
        served(CALL_OF_1000.name, CALL_OF_1000, [1_000, 2_000]),
        served(CALL_MODERN.name, CALL_MODERN, [1_000, 2_000]),
        served(CALL_LEGACY.name, CALL_LEGACY, [1_000, 2_000]),
        served(hooks::LAYER.name, hooks::LAYER, [1_000, 2_000]),
        served(hooks::SPANS.name, hooks::SPANS, [1_000, 2_000]),
        requested(over_http::LEGACY),
        requested(over_http::MODERN),
    ];
    jobs.extend(client::CASES.into_iter().map(|case| Job {
        name: case.name,
        what: What::Client(case),
        repetitions: case.repetitions(),
    }));
    jobs.extend(core_cases::CASES.into_iter().map(|case| {
        let repetitions = if case.name.starts_with("arguments") { [500, 1_000] } else { [10, 20] };
        Job { name: case.name, what: What::Repeated, repetitions }
    }));
    jobs.extend(agent_cases::CASES.into_iter().map(|case| Job {
        name: case.name,
        what: What::Repeated,
        repetitions: [1, 3],
    }));
    jobs
}

/// Measures all cases, two at a time; profiles go to `folder`.
pub(crate) fn all(folder: &Path) -> Result<Vec<Measured>, Box<dyn Error>> {
    std::fs::create_dir_all(folder)?;
    let jobs = jobs();
    let waiting = Mutex::new(jobs.iter());
    let take = || waiting.lock().unwrap_or_else(PoisonError::into_inner).next();
    let work = || {
        let mut measured = Vec::new();
        while let Some(job) = take() {
            // Errors of another thread have to be converted.
            measured.push(job.measure(folder).map_err(|error| format!("{}: {error}", job.name))?);
        }
        Ok::<_, String>(measured)
    };
    let mut measured = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mut measured = work()?;
        measured.extend(other.join().map_err(|_| "measuring panicked".to_owned())??);
        Ok::<_, String>(measured)
    })?;
    measured.sort_by_key(|case| jobs.iter().position(|job| job.name == case.name));
    Ok(measured)
}

impl Job {
    fn measure(&self, folder: &Path) -> Result<Measured, Box<dyn Error>> {
        if let What::Client(case) = &self.what
            && let Some(bytes) = case.resident_bytes()?
        {
            let costs = [(Unit::Bytes, bytes)].into();
            return Ok(Measured { name: self.name, repetitions: self.repetitions[1], costs });
        }
        let [few, many] = self.repetitions;
        let (less, more) = (self.count(few, folder)?, self.count(many, folder)?);
        let repetitions = many - few;
        // Rounded: a buffer that grows once in a run is nothing that each repetition costs.
        let each = |less: u64, more: u64| (more.saturating_sub(less) + repetitions / 2) / repetitions;
        let costs = [
            (Unit::Instructions, each(less.instructions, more.instructions)),
            (Unit::Allocations, each(less.allocations, more.allocations)),
        ];
        Ok(Measured { name: self.name, repetitions, costs: costs.into() })
    }

    fn count(&self, repetitions: u64, folder: &Path) -> Result<Counts, Box<dyn Error>> {
        let profile = folder.join(format!("{}-{repetitions}.callgrind", self.name));
        let mut command = callgrind::command(&profile)?;
        match &self.what {
            What::Repeated => {
                let status = command.args([REPEAT, self.name, &repetitions.to_string()]).status()?;
                if !status.success() {
                    return Err(format!("it ended with {status}").into());
                }
            }
            // One message at a time: each costs a read and a write, and no answer waits for the next.
            What::Stdio(case) => {
                let mut peer = Peer::start(command, case)?;
                for _ in 0..repetitions {
                    peer.ask(case.message, 1)?;
                }
                peer.stop()?;
            }
            What::Client(case) => case.run(command, repetitions)?,
            What::Http(case) => {
                let mut peer = over_http::Peer::start(command, case)?;
                for _ in 0..repetitions {
                    peer.ask()?;
                }
                peer.stop()?;
            }
        }
        Counts::of(&profile)
    }
}
