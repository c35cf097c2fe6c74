//! Every scenario over every transport, in every revision that it has: a cell that is not tried needs its reason here.

use std::fmt::Write as _;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::thread;

use test_transports::front::Front;
use test_transports::scenarios::{self, Scenario};
use test_transports::transports::{self, Transport};
use toolwright::Revision;

/// What does not apply: transport, scenario, why.
const NOT_TRIED: [(&str, &str, &str); 14] = [
    (
        "in process",
        "oversize",
        "messages are values of the same process, and the limit is of bytes that are read",
    ),
    (
        "in process",
        "graceful end",
        "nothing is served: the client is the connection, and ends by being dropped",
    ),
    ("jsonrpsee", "oversize", "the limit is that of the jsonrpsee server that the table is merged into"),
    ("jsonrpsee", "graceful end", "the end is that of the jsonrpsee server that the table is merged into"),
    ("jsonrpsee", "progress", "a method of the table has one answer, and no way to send anything before it"),
    ("in process", "escaped members", "messages are values of the same process, which writes them itself"),
    ("in process", "retyped ids", "the client gives ids itself, and returns them unchanged"),
    (
        "in process",
        "silent notifications",
        "a notification of the client has an object, and no way for an answer",
    ),
    (
        "in process",
        "repeated members",
        "messages are values of the same process, which have no duplicate members",
    ),
    ("jsonrpsee", "retyped ids", "the ids of messages are jsonrpsee's matter, and it has no cancellation"),
    ("jsonrpsee", "silent notifications", "a message without an id is jsonrpsee's matter"),
    ("jsonrpsee", "repeated members", "the members of a message are jsonrpsee's matter"),
    (
        "jsonrpsee",
        "resource updated",
        "a method of the table cannot send notifications of the protocol's own form",
    ),
    (
        "jsonrpsee",
        "list changed",
        "a method of the table cannot send notifications of the protocol's own form",
    ),
];

fn reason(transport: &Transport, scenario: &Scenario) -> Option<&'static str> {
    NOT_TRIED
        .iter()
        .find(|(name, tried, _)| *name == transport.name && *tried == scenario.name)
        .map(|(_, _, reason)| *reason)
}

const PROGRAM: &str = env!("CARGO_BIN_EXE_stage-server");

#[test]
fn a_server_behaves_alike_on_every_transport() {
    assert_alike(transports::all(PROGRAM, Front::Stage));
}

/// All that clients of both eras get comes from a provider: a server that is nested, or a client of one in either era. What
/// older revisions have in another form is tried without one.
#[test]
fn a_server_behind_another_answers_alike() {
    const CLIENTS: [&str; 2] = ["2025-11-25", "2026-07-28"];
    let clients = [Revision::V2025_11_25, Revision::V2026_07_28].map(Front::Client);
    for front in [Front::Service].into_iter().chain(clients) {
        let transports = transports::all(PROGRAM, front).into_iter();
        let of_both_eras = |row: &Transport| CLIENTS.contains(&row.revision) || row.name == "http+sse";
        assert_alike(transports.filter(of_both_eras).collect());
    }
}

fn assert_alike(transports: Vec<Transport>) {
    // Each waits more than it works.
    let rows: Vec<_> = transports
        .into_iter()
        .map(|transport| {
            let row = thread::spawn(move || scenarios::ALL.map(|scenario| cell(&transport, &scenario)));
            (transport, row)
        })
        .collect();
    let (mut table, mut failed) = (String::new(), Vec::new());
    for (transport, row) in rows {
        let row = row.join().expect("a failure in a cell is caught");
        let cells: Vec<_> = row.iter().map(|cell| cell.as_ref().map_or("FAILED", |cell| *cell)).collect();
        let (name, revision, cells) = (transport.name, transport.revision, cells.join("  "));
        writeln!(table, "{name:<10} {revision}  {cells}").expect("a text takes all");
        for (scenario, cell) in scenarios::ALL.iter().zip(row) {
            if let Err(why) = cell {
                let Transport { name, revision, front, .. } = transport;
                failed.push(format!("{name} {revision}, {}, in front: {front:?}: {why}", scenario.name));
            }
        }
    }
    let names: Vec<_> = scenarios::ALL.iter().map(|scenario| scenario.name).collect();
    println!("{:<22} {}\n{table}", "", names.join(", "));
    for (transport, scenario, reason) in NOT_TRIED {
        println!("- {transport}, {scenario}: {reason}");
    }
    assert!(failed.is_empty(), "{table}\n{}", failed.join("\n"));
}

/// Tries one scenario on one transport.
fn cell(transport: &Transport, scenario: &Scenario) -> Result<&'static str, String> {
    if reason(transport, scenario).is_some() {
        return Ok("-");
    }
    let tried = catch_unwind(AssertUnwindSafe(|| (scenario.run)(transport, &transport.start())));
    tried.map(|()| "ok").map_err(|panic| {
        let text = panic.downcast_ref::<String>().map(String::as_str);
        text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no text").to_owned()
    })
}

#[test]
fn every_reason_is_about_a_cell_of_the_table() {
    let transports = transports::all("", Front::Stage);
    for (transport, scenario, _) in NOT_TRIED {
        assert!(transports.iter().any(|row| row.name == transport), "{transport}");
        assert!(scenarios::ALL.iter().any(|column| column.name == scenario), "{scenario}");
    }
}
