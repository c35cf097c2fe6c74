//! Times of calls and lists over stdio: `cargo bench -p toolwright-server --features stdio --bench calls`.
//!
//! The server is this program, started a second time, and gets 64 messages at once, so that what waking a process
//! costs is shared by all of them. Times depend on the machine and on what else runs; what must not grow is held by the counts of
//! `tests/bench-limits`.

mod cases;

use std::error::Error;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use cases::{CALL_LEGACY, CALL_MODERN, CALL_OF_1000, Case, LIST_1000, SERVE};
use criterion::{Criterion, Throughput};

/// So many fit into a pipe, whatever the case.
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
        let mut peer = Peer::start(&case)?;
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

/// A running server.
struct Peer {
    process: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    answer: Vec<u8>,
}

impl Peer {
    fn start(case: &Case) -> Result<Self, Box<dyn Error>> {
        let mut process = Command::new(std::env::current_exe()?)
            .args([SERVE, &case.other_tools.to_string()])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()?;
        let input = process.stdin.take().ok_or("no input")?;
        let output = BufReader::new(process.stdout.take().ok_or("no output")?);
        let mut peer = Self { process, input, output, answer: Vec::new() };
        peer.ask(case.opening, usize::from(!case.opening.is_empty()))?;
        Ok(peer)
    }

    /// Sends messages and reads their answers.
    fn ask(&mut self, messages: &str, answers: usize) -> Result<(), Box<dyn Error>> {
        self.input.write_all(messages.as_bytes())?;
        for _ in 0..answers {
            self.answer.clear();
            self.output.read_until(b'\n', &mut self.answer)?;
            if !self.answer.starts_with(br#"{"jsonrpc":"2.0","id":"#) {
                return Err(format!("not an answer: {}", String::from_utf8_lossy(&self.answer)).into());
            }
        }
        Ok(())
    }

    fn stop(self) -> Result<(), Box<dyn Error>> {
        let Self { mut process, input, .. } = self;
        drop(input);
        process.wait()?;
        Ok(())
    }
}
