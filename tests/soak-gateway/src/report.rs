//! The figures of a run, and whether they agree with the ledger.

use std::collections::BTreeMap;
use std::time::Duration;

use serde_json::Value;

use crate::faults::Kills;
use crate::ledger::Ledger;
use crate::load::{Call, Calls};
use crate::outcome::Attempt;
use crate::setup::Memory;
use crate::tools::Tool;

/// The most memory that a process may have in KiB. Workers and upstream servers need far less.
const MOST_MEMORY: [(&str, u64); 3] =
    [("gateways", 256 << 10), ("workers", 128 << 10), ("upstreams", 64 << 10)];

/// What happened.
pub(crate) struct Report {
    pub(crate) seconds: u64,
    pub(crate) kills: Kills,
    pub(crate) calls: Calls,
    pub(crate) ledger: Ledger,
    pub(crate) before: Memory,
    pub(crate) after: Memory,
    /// The largest of the run.
    pub(crate) most: Memory,
    /// The state of each call with an unknown outcome whose id is known.
    pub(crate) records: Vec<(usize, Value)>,
    pub(crate) problems: Vec<String>,
}

impl Report {
    pub(crate) fn print(&self) {
        let done = self.calls.all.iter().filter(|call| call.end == Attempt::Done).count();
        let total = self.calls.all.len();
        let rate = total / usize::try_from(self.seconds.max(1)).unwrap_or(1);
        println!("{total} calls, {rate} a second, {} not started in time; {done} done", self.calls.skipped);
        println!("{} effects in the ledger", self.ledger.total());
        println!(
            "\n{:<14} {:>8} {:>8} {:>8} {:>9} {:>9} {:>9}",
            "tool", "calls", "done", "unknown", "p50 ms", "p99 ms", "max ms"
        );
        for (tool, _) in Tool::ALL {
            self.print_tool(tool);
        }
        print_counts("unknown outcomes", &self.unknown_by_kind());
        print_counts("of these, by the record of the call", &self.states());
        print_counts("repeated calls", &self.calls.retries);
        let kills = self.kills.iter().map(|(fault, count)| (fault.describe().to_owned(), *count)).collect();
        print_counts("faults", &kills);
        println!("\n{:<14} {:>12} {:>12} {:>12}", "resident KiB", "at the start", "at the end", "most");
        for (kind, after) in &self.after {
            let most =
                |memory: &Memory| memory.get(kind).and_then(|all| all.iter().max()).copied().unwrap_or(0);
            let now = after.iter().max().copied().unwrap_or(0);
            println!("{kind:<14} {:>12} {now:>12} {:>12}", most(&self.before), most(&self.most));
        }
        println!();
    }

    fn print_tool(&self, tool: Tool) {
        let calls: Vec<&Call> = self.calls.all.iter().filter(|call| call.tool == tool).collect();
        let mut times: Vec<Duration> =
            calls.iter().filter(|call| call.end == Attempt::Done).map(|call| call.took).collect();
        times.sort();
        let unknown = calls.iter().filter(|call| matches!(call.end, Attempt::Unknown(..))).count();
        let at = |part: f64| {
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                clippy::cast_precision_loss,
                reason = "an index"
            )]
            let place = ((times.len() as f64 * part) as usize).min(times.len().saturating_sub(1));
            times.get(place).map_or(0.0, |took| took.as_secs_f64() * 1_000.0)
        };
        println!(
            "{:<14} {:>8} {:>8} {unknown:>8} {:>9.1} {:>9.1} {:>9.1}",
            tool.public_name(),
            calls.len(),
            times.len(),
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }

    fn unknown_by_kind(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for call in &self.calls.all {
            if let Attempt::Unknown(kind, _) = &call.end {
                *counts.entry(format!("{} ({})", kind, call.tool.public_name())).or_default() += 1;
            }
        }
        counts
    }

    fn states(&self) -> BTreeMap<String, u64> {
        let mut counts = BTreeMap::new();
        for (_, record) in &self.records {
            *counts.entry(record["state"].as_str().unwrap_or("not known").to_owned()).or_default() += 1;
        }
        counts
    }

    /// Everything that must not have happened.
    pub(crate) fn failures(&self) -> Vec<String> {
        let mut failures = self.problems.clone();
        for call in &self.calls.all {
            let effects = self.ledger.count(call.key);
            let is_right = match &call.end {
                Attempt::Done if call.tool.is_repeatable() => effects >= 1,
                Attempt::Done => effects == 1,
                Attempt::Unknown(..) => effects <= 1,
                Attempt::Retry(_) | Attempt::Failed(_) => false,
            };
            if !is_right {
                failures.push(format!("{call:?} has {effects} effects"));
            }
        }
        for (key, record) in &self.records {
            let effects = self.ledger.count(*key);
            if record["state"] == "done" && effects != 1 || record["state"] == "cancelled" && effects != 0 {
                failures
                    .push(format!("the record of the call {key} is {record}, and it has {effects} effects"));
            }
        }
        let done = self.calls.all.iter().filter(|call| call.end == Attempt::Done).count();
        if done * 10 < self.calls.all.len() * 9 || done < 100 {
            failures.push(format!("only {done} of {} calls are done", self.calls.all.len()));
        }
        for (kind, limit) in MOST_MEMORY {
            if let Some(most) =
                self.most.get(kind).and_then(|all| all.iter().max()).filter(|most| **most > limit)
            {
                failures.push(format!("one of the {kind} has {most} KiB, {limit} are allowed"));
            }
        }
        let more = failures.len().saturating_sub(30);
        failures.truncate(30);
        if more > 0 {
            failures.push(format!("and {more} more"));
        }
        failures
    }
}

fn print_counts(title: &str, counts: &BTreeMap<String, u64>) {
    println!("\n{title}");
    for (name, count) in counts {
        println!("  {name:<40} {count:>8}");
    }
    if counts.is_empty() {
        println!("  none");
    }
}
