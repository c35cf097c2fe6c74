//! What each case may cost.

use std::collections::BTreeMap;
use std::error::Error;
use std::fmt::Write as _;

use serde::{Deserialize, Serialize};

use crate::measured::{Measured, Unit};

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/limits.toml");

const HEAD: &str = "\
# The most that one repetition of each case may cost: what was measured and a tenth, or one allocation, or one page.
# Written by `cargo run --release -p bench-limits -- update`.

";

/// The limits of all cases, by name.
#[derive(Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub(crate) struct Limits(BTreeMap<String, BTreeMap<Unit, u64>>);

impl Limits {
    pub(crate) fn read() -> Result<Self, Box<dyn Error>> {
        let text = std::fs::read_to_string(FILE).map_err(|error| format!("{FILE}: {error}"))?;
        Ok(toml::from_str(&text).map_err(|error| format!("{FILE}: {error}"))?)
    }

    pub(crate) fn write(&self) -> Result<(), Box<dyn Error>> {
        Ok(std::fs::write(FILE, format!("{HEAD}{}", toml::to_string(self)?))?)
    }

    /// Limits a tenth, and at least one allocation or page, above the measurements.
    pub(crate) fn above(measured: &[Measured]) -> Self {
        let limits = |case: &Measured| {
            let limit = |(unit, cost): (&Unit, &u64)| {
                (*unit, cost + (cost / 10).max(unit.least_margin(case.repetitions)))
            };
            (case.name.to_owned(), case.costs.iter().map(limit).collect())
        };
        Self(measured.iter().map(limits).collect())
    }

    /// One line for each case over its limit, and for each name that appears on one side only.
    pub(crate) fn failures(&self, measured: &[Measured]) -> Vec<String> {
        let mut failures = Vec::new();
        for case in measured {
            let name = case.name;
            let Some(limits) = self.0.get(name) else {
                failures.push(format!("{name} has no limit"));
                continue;
            };
            for (unit, found) in &case.costs {
                match limits.get(unit) {
                    None => failures.push(format!("{name} has no limit of {unit}")),
                    Some(allowed) if found > allowed => {
                        failures.push(format!("{name} takes {found} {unit}, {allowed} are allowed"));
                    }
                    Some(_) => {}
                }
            }
        }
        let is_measured = |name: &str| measured.iter().any(|case| case.name == name);
        let gone = self.0.keys().filter(|name| !is_measured(name));
        failures.extend(gone.map(|name| format!("{name} has a limit and is not measured")));
        failures
    }

    pub(crate) fn table(&self, measured: &[Measured]) -> String {
        let mut table = format!("{:<30}{:<14}{:>12}{:>12}\n", "case", "unit", "measured", "limit");
        for case in measured {
            for (unit, cost) in &case.costs {
                let limit = self.0.get(case.name).and_then(|limits| limits.get(unit));
                let limit = limit.map_or_else(|| "none".to_owned(), ToString::to_string);
                let _ = writeln!(table, "{:<30}{:<14}{cost:>12}{limit:>12}", case.name, unit.to_string());
            }
        }
        table
    }
}

#[cfg(test)]
mod tests {
    use super::Limits;
    use crate::measured::{Measured, Unit};

    fn case(name: &'static str, instructions: u64, allocations: u64) -> Measured {
        let costs = [(Unit::Instructions, instructions), (Unit::Allocations, allocations)];
        Measured { name, repetitions: 100, costs: costs.into() }
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
    fn memory_has_a_margin_of_a_page() {
        let held =
            |bytes| [Measured { name: "held", repetitions: 100, costs: [(Unit::Bytes, bytes)].into() }];
        let limits = Limits::above(&held(10_000));
        assert_eq!(limits.failures(&held(14_096)), [""; 0]);
        assert_eq!(limits.failures(&held(14_097)), ["held takes 14097 bytes, 14096 are allowed"]);
        assert_eq!(limits.failures(&[case("held", 1, 1)]).len(), 2, "units without a limit");
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
