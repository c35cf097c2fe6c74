//! What each case may cost.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::measured::Measured;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/limits.toml");

const HEAD: &str = "\
# The most that one repetition of each case may cost: what was measured and a tenth, or one allocation.
# Written by `cargo run --release -p bench-limits -- update`.

";

/// The limits of all cases, by name.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Limits(BTreeMap<String, Limit>);

#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Limit {
    instructions: u64,
    allocations: u64,
}

impl Limits {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        Ok(toml::from_str(&text).map_err(|error| format!("{FILE}: {error}"))?)
    }

    pub(crate) fn write(&self) -> Result<(), Box<dyn Error>> {
        Ok(std::fs::write(FILE, format!("{HEAD}{}", toml::to_string(self)?))?)
    }

    /// Limits a tenth, and at least one allocation, above the measurements.
    pub(crate) fn above(measured: &[Measured]) -> Self {
        let limit = |case: &Measured| Limit {
            instructions: case.instructions + case.instructions / 10,
            allocations: case.allocations + (case.allocations / 10).max(1),
        };
        Self(measured.iter().map(|case| (case.name.to_owned(), limit(case))).collect())
    }

    /// One line for each case over its limit, and for each name that appears on one side only.
    pub(crate) fn failures(&self, measured: &[Measured]) -> Vec<String> {
        let mut failures = Vec::new();
        for case in measured {
            let name = case.name;
            let Some(limit) = self.0.get(name) else {
                failures.push(format!("{name} has no limit"));
                continue;
            };
            for (what, found, allowed) in [
                ("instructions", case.instructions, limit.instructions),
                ("allocations", case.allocations, limit.allocations),
            ] {
                if found > allowed {
                    failures.push(format!("{name} takes {found} {what}, {allowed} are allowed"));
                }
            }
        }
        let is_measured = |name: &str| measured.iter().any(|case| case.name == name);
        let gone = self.0.keys().filter(|name| !is_measured(name));
        failures.extend(gone.map(|name| format!("{name} has a limit and is not measured")));
        failures
    }

    pub(crate) fn table(&self, measured: &[Measured]) -> String {
        let mut table = format!(
            "{:<28}{:>12}{:>12}{:>13}{:>8}\n",
            "case", "instructions", "limit", "allocations", "limit"
        );
        for case in measured {
            let limit = self.0.get(case.name);
            let shown =
                |limit: Option<u64>| limit.map_or_else(|| "none".to_owned(), |limit| limit.to_string());
            let _ = writeln!(
                table,
                "{:<28}{:>12}{:>12}{:>13}{:>8}",
                case.name,
                case.instructions,
                shown(limit.map(|limit| limit.instructions)),
                case.allocations,
                shown(limit.map(|limit| limit.allocations)),
            );
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use crate::measured::Measured;

    fn case(name: &'static str, instructions: u64, allocations: u64) -> Measured {
        Measured { name, instructions, allocations }
    }

    #[test]
    fn only_cases_over_their_limit_fail() {
        let limits = Limits::above(&[case("call", 1_000, 20)]);
        assert_eq!(limits.failures(&[case("call", 1_100, 22)]), [""; 0]);
        assert_eq!(
            limits.failures(&[case("call", 1_101, 23)]),
            ["call takes 1101 instructions, 1100 are allowed", "call takes 23 allocations, 22 are allowed"]
        );
    }

    #[test]
    fn every_case_has_a_limit_and_vice_versa() {
        let limits = Limits::above(&[case("call", 1_000, 20)]);
        assert_eq!(
            limits.failures(&[case("list", 1, 1)]),
            ["list has no limit", "call has a limit and is not measured"]
        );
    }
}
