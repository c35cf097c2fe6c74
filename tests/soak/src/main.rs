//! A server over HTTP at full load: `cargo run --release -p soak -- SECONDS`.
//!
//! Eight clients send what clients send, good and bad, each as fast as it is answered: calls on their own and in sessions,
//! events, streams that are not read completely, sessions that are not ended, large strings, panics and invalid messages. One wrong
//! answer fails the run, and so does memory that still grows after the first half.

mod client;
mod mix;
mod server;

use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use test_http::program::Program;

/// The argument that runs this program as the server.
const SERVE: &str = "serve";

const CLIENTS: usize = 8;

/// The combined counts of all clients.
#[derive(Debug, Default)]
struct Tally {
    requests: AtomicU64,
    stop: AtomicBool,
}

fn main() -> Result<ExitCode, Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [SERVE] => server::serve().map(|()| ExitCode::SUCCESS),
        [seconds] => soak(Duration::from_secs(seconds.parse()?)),
        _ => Err("usage: soak SECONDS".into()),
    }
}

fn soak(time: Duration) -> Result<ExitCode, Box<dyn std::error::Error>> {
    let program = Program::start(Command::new(std::env::current_exe()?).arg(SERVE));
    let (address, tally) = (program.address(), &Tally::default());
    let (memory, failures) = thread::scope(|scope| {
        let clients: Vec<_> =
            (0..CLIENTS).map(|number| scope.spawn(move || mix::run(address, number, tally))).collect();
        let memory = watch(&program, time, tally);
        tally.stop.store(true, Ordering::Relaxed);
        let ended =
            clients.into_iter().map(|client| client.join().map_err(|_| "a client panicked".to_owned()));
        let failures: Vec<String> = ended.filter_map(|ended| ended.and_then(|ended| ended).err()).collect();
        (memory, failures)
    });
    let requests = tally.requests.load(Ordering::Relaxed);
    println!("{requests} requests, {} a second", requests / time.as_secs().max(1));
    let status = program.end_by("TERM");
    let [_, second, third, fourth] = quarters(&memory?);
    println!("most memory by quarter, from the second: {second}, {third}, {fourth} KiB");
    let mut problems = failures;
    if !status.success() {
        problems.push(format!("the server exited with {status}"));
    }
    // A tenth and two MiB: what an allocator keeps for later differs from moment to moment.
    if fourth > second + second / 10 + 2_048 {
        problems.push(format!("memory grows: {second} KiB became {fourth} KiB"));
    }
    for problem in &problems {
        println!("{problem}");
    }
    Ok(if problems.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Reads the server's memory four times a second until the time is over or a client has failed.
fn watch(program: &Program, time: Duration, tally: &Tally) -> Result<Vec<u64>, String> {
    const PAUSE: Duration = Duration::from_millis(250);
    let (start, mut memory) = (Instant::now(), Vec::new());
    while start.elapsed() < time && !tally.stop.load(Ordering::Relaxed) {
        thread::sleep(PAUSE);
        memory.push(resident_kib(program.id())?);
        if memory.len() % 40 == 0 {
            println!(
                "{:>4} s  {:>9} requests  {:>7} KiB",
                start.elapsed().as_secs(),
                tally.requests.load(Ordering::Relaxed),
                memory.last().copied().unwrap_or_default()
            );
        }
    }
    Ok(memory)
}

/// The most of each quarter.
fn quarters(memory: &[u64]) -> [u64; 4] {
    let quarter = memory.len().div_ceil(4).max(1);
    let most = |number: usize| memory.chunks(quarter).nth(number).and_then(|part| part.iter().max().copied());
    [0, 1, 2, 3].map(|number| most(number).unwrap_or_default())
}

/// The resident memory of a process (proc(5), `VmRSS`).
fn resident_kib(process: u32) -> Result<u64, String> {
    let status =
        std::fs::read_to_string(format!("/proc/{process}/status")).map_err(|error| error.to_string())?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().strip_suffix(" kB")?.parse().ok())
        .ok_or_else(|| "the server is gone".to_owned())
}
