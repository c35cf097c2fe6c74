//! The official conformance suite against the server of this package: the scenarios of `tests/conformance/scenarios.txt`,
//! one test a revision. The suite's own exit status leaves out warnings, so its checks are judged here.

mod list;
mod server;
mod suite;

use list::Listed;
use server::Server;
use suite::{Status, Suite};

/// What the list has in the place of a revision, for scenarios of extensions.
const EXTENSION: &str = "extension";

/// Runs what the list has for `revision`.
fn conforms(revision: &str) {
    let listed = Listed::of(revision);
    let server = Server::start();
    // The suite takes no revision for an extension.
    let suite = Suite::new(Some(revision).filter(|revision| *revision != EXTENSION), server.url());

    let (mut passed, mut problems) = (0, Vec::new());
    for scenario in listed.scenarios() {
        let checks = suite.run(scenario);
        for (check, outcome) in &checks {
            if outcome.status == Status::Success {
                passed += 1;
            }
            if outcome.status != listed.expected(scenario, check) {
                problems.push(format!("{scenario}, {check}: {outcome}"));
            }
        }
        for check in listed.excused(scenario).filter(|check| !checks.contains_key(*check)) {
            problems.push(format!("{scenario}, {check}: it is excused, and the suite does not make it"));
        }
    }
    println!("{revision}: {} scenarios, {passed} checks passed", listed.scenarios().count());
    assert!(problems.is_empty(), "{revision}:\n{}", problems.join("\n"));
}

#[test]
fn revision_2025_03_26() {
    conforms("2025-03-26");
}

#[test]
fn revision_2025_06_18() {
    conforms("2025-06-18");
}

#[test]
fn revision_2025_11_25() {
    conforms("2025-11-25");
}

#[test]
fn revision_2026_07_28() {
    conforms("2026-07-28");
}

#[test]
fn extensions() {
    conforms(EXTENSION);
}
