//! Benchmarks calls and lists over stdio: `cargo bench -p toolwright-server --features stdio --bench calls`.
//!
//! The server is this program, started a second time. It receives 64 messages at once, so that they share the cost
//! of waking a process. Times depend on the machine and its load; the counts in `tests/bench-limits` hold the
//! limits.

mod cases;

use std::error::Error;
use std::process::Command;

use cases::peer::Peer;
use cases::{CALL_LEGACY, CALL_MODERN, CALL_OF_1000, LIST_1000, SERVE};
use criterion::{Criterion, Throughput};

/// The number of messages that fit into a pipe in every case.
const IN_FLIGHT: usize = 64;

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    if arguments.next().as_deref() == Some(SERVE) {
        let other_tools = arguments.next().ok_or("how many other tools?")?.parse()?;
        return Ok(cases::serve(other_tools)?);
    }
    let mut criterion = Criterion::default().configure_from_args();
    for (case, in_flight) in
        [(CALL_LEGACY, IN_FLIGHT), (CALL_MODERN, IN_FLIGHT), (CALL_OF_1000, IN_FLIGHT), (LIST_1000, 1)]
    {
        let mut peer = Peer::start(Command::new(std::env::current_exe()?), &case)?;
        let messages = case.message.repeat(in_flight);
        let mut group = criterion.benchmark_group("stdio");
        group.throughput(Throughput::Elements(in_flight as u64));
        group.bench_function(case.name, |bencher| {
            bencher.iter(|| peer.ask(&messages, in_flight).expect("the server answers"));
        });
        group.finish();
        peer.stop()?;
    }
    criterion.final_summary();
    Ok(())
}
