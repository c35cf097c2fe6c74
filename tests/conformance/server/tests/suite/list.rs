//! Which scenarios are run, and which checks of them need not succeed.

use std::collections::BTreeSet;

use crate::suite::Status;

const LIST: &str = include_str!("../../../scenarios.txt");

/// The lines of one revision.
pub(crate) struct Listed {
    scenarios: BTreeSet<&'static str>,
    excused: Vec<Excused>,
}

struct Excused {
    scenario: &'static str,
    check: &'static str,
    status: Status,
}

impl Listed {
    /// The scenarios of `revision`.
    pub(crate) fn of(revision: &str) -> Self {
        let mut listed = Self { scenarios: BTreeSet::new(), excused: Vec::new() };
        let lines = LIST.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        for line in lines {
            let words: Vec<&str> = line.split_whitespace().collect();
            match words[..] {
                [of, scenario] if of == revision => {
                    assert!(listed.scenarios.insert(scenario), "`{line}` appears twice");
                }
                [of, scenario, check, status, _, ..] if of == revision => {
                    let status =
                        excuse(status).unwrap_or_else(|| panic!("`{line}`: no check may be {status}"));
                    assert!(listed.scenarios.contains(scenario), "`{line}`: name the scenario first");
                    listed.excused.push(Excused { scenario, check, status });
                }
                [_, _] | [_, _, _, _, _, ..] => {}
                _ => panic!(
                    "`{line}` is neither `REVISION SCENARIO` nor `REVISION SCENARIO CHECK STATUS REASON…`"
                ),
            }
        }
        assert!(!listed.scenarios.is_empty(), "the list has nothing for {revision}");
        listed
    }

    /// The scenarios, sorted.
    pub(crate) fn scenarios(&self) -> impl Iterator<Item = &'static str> {
        self.scenarios.iter().copied()
    }

    /// The expected outcome of a check.
    pub(crate) fn expected(&self, scenario: &str, check: &str) -> Status {
        let excused =
            self.excused.iter().find(|excused| (excused.scenario, excused.check) == (scenario, check));
        excused.map_or(Status::Success, |excused| excused.status)
    }

    /// The checks of a scenario that need not succeed.
    pub(crate) fn excused<'a>(&'a self, scenario: &'a str) -> impl Iterator<Item = &'static str> + 'a {
        self.excused.iter().filter(move |excused| excused.scenario == scenario).map(|excused| excused.check)
    }
}

/// The accepted outcomes of a check other than success; never a failure or a warning.
fn excuse(status: &str) -> Option<Status> {
    match status {
        "INFO" => Some(Status::Info),
        "SKIPPED" => Some(Status::Skipped),
        _ => None,
    }
}
