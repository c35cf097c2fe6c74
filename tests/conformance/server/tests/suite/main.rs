//! The official conformance suite against the server of this package: the scenarios of `tests/conformance/scenarios.txt`,
//! one test per revision. The suite's own exit status leaves out warnings, so its checks are evaluated here.

mod list;
mod server;
mod suite;

use list::Listed;
use server::Server;
use suite::{Status, Suite};

/// The key, in place of a revision, for scenarios of extensions.
const EXTENSION: &str = "extension";

/// Runs the scenarios of `revision`.
fn conforms(revision: &str) {
    let listed = Listed::of(revision);
    assert_checks(revision, &Server::start(), |scenario, check, status| {
        status == listed.expected(scenario, check)
    });
}

/// Runs what the list has for `revision` through `cargo mcp gateway`, which uses the newest revision with the server. Nothing fails;
/// how a stream is framed and closed is between neighbours, so what the suite only reports may differ.
fn conforms_through_a_gateway(revision: &str) {
    let server = Server::start();
    let is_good = |_: &str, _: &str, status| !matches!(status, Status::Failure | Status::Warning);
    assert_checks(revision, &server.behind_a_gateway(), is_good);
}

fn assert_checks(revision: &str, server: &Server, is_good: impl Fn(&str, &str, Status) -> bool) {
    let listed = Listed::of(revision);
    // The suite takes no revision for an extension.
    let of_suite = Some(revision).filter(|revision| *revision != EXTENSION);
    let results = Suite::new(of_suite, server.url()).run();

    let (mut passed, mut problems) = (0, Vec::new());
    if of_suite.is_some() {
        let new = results.scenarios().filter(|name| listed.scenarios().all(|listed| listed != *name));
        problems.extend(new.map(|name| format!("{name} is not in the list of scenarios")));
    }
    for scenario in listed.scenarios() {
        let checks = results.of(scenario);
        for (check, outcome) in checks {
            if outcome.status == Status::Success {
                passed += 1;
            }
            if !is_good(scenario, check, outcome.status) {
                problems.push(format!("{scenario}, {check}: {outcome}"));
            }
        }
        let missing = |check: &&str| !is_good(scenario, check, Status::Success);
        for check in listed.excused(scenario).filter(|check| !checks.contains_key(*check)).filter(missing) {
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

#[test]
fn revision_2025_11_25_through_a_gateway() {
    conforms_through_a_gateway("2025-11-25");
}

#[test]
fn revision_2026_07_28_through_a_gateway() {
    conforms_through_a_gateway("2026-07-28");
}

#[test]
fn extensions_through_a_gateway() {
    conforms_through_a_gateway(EXTENSION);
}
