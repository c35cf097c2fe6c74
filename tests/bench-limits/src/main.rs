//! Limits on instructions, allocations and memory of frequent operations: `cargo run --release -p bench-limits`.
//!
//! Every case of `runtime/core/benches`, `runtime/agent/benches` and `runtime/server/benches`, and our client's calls and
//! lists, runs under callgrind twice, with a different
//! number of repetitions; the difference is what one repetition costs. Counts of instructions hardly depend on the
//! machine and on what else runs, so they can be compared with `limits.toml`. A case over its limit fails the run;
//! so does a call that costs more among 1,000 tools than alone, or with spans that no subscriber
//! receives than without.
//!
//! After a change that makes something faster, or slower for a good reason: `cargo run --release -p bench-limits -- update`
//! writes new limits, a tenth above what was measured. The profiles stay in `target/bench-limits`;
//! `callgrind_annotate` reads them.

mod callgrind;
mod client;
mod hooks;
mod limits;
mod measured;
mod over_http;

use std::error::Error;
use std::path::Path;
use std::process::{Command, ExitCode};

use limits::Limits;
use measured::{Measured, PER_TOOL, Unit};

#[path = "../../../runtime/agent/benches/cases/mod.rs"]
mod agent_cases;
#[path = "../../../runtime/core/benches/cases/mod.rs"]
mod core_cases;
#[path = "../../../runtime/server/benches/cases/mod.rs"]
mod server_cases;

/// The argument that makes this program run one case of the core or of agents, followed by its name and a count.
const REPEAT: &str = "repeat";

fn main() -> Result<ExitCode, Box<dyn Error>> {
    if cfg!(debug_assertions) {
        return Err("what is counted is optimised code: cargo run --release -p bench-limits".into());
    }
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => check(),
        ["update"] => update(),
        [REPEAT, case, times] => repeat(case, times.parse()?),
        [client::CALL, case, times, ref url @ ..] => {
            client::repeat(case, times.parse()?, url.first().copied())?;
            Ok(ExitCode::SUCCESS)
        }
        [client::SERVE, other_tools] => {
            client::serve(other_tools.parse()?)?;
            Ok(ExitCode::SUCCESS)
        }
        [server_cases::SERVE, other_tools] => {
            server_cases::serve(other_tools.parse()?)?;
            Ok(ExitCode::SUCCESS)
        }
        [hooks::SERVE_LAYER, _] => {
            hooks::serve_with_layer()?;
            Ok(ExitCode::SUCCESS)
        }
        [hooks::SERVE_SPANS, _] => {
            hooks::serve_with_spans()?;
            Ok(ExitCode::SUCCESS)
        }
        [over_http::SERVE] => {
            over_http::serve(&server_cases::service(0)?)?;
            Ok(ExitCode::SUCCESS)
        }
        [client::SERVE_HTTP] => {
            over_http::serve(&client::service(0)?)?;
            Ok(ExitCode::SUCCESS)
        }
        _ => Err("usage: bench-limits [update]".into()),
    }
}

/// The measured program, for a case of the core or of agents.
fn repeat(name: &str, times: u64) -> Result<ExitCode, Box<dyn Error>> {
    let of_core = core_cases::CASES.into_iter().map(|case| (case.name, case.prepare));
    let of_agents = agent_cases::CASES.into_iter().map(|case| (case.name, case.prepare));
    let case = of_core.chain(of_agents).find(|(known, _)| *known == name);
    let (_, prepare) = case.ok_or("no such case")?;
    let mut run = prepare();
    for _ in 0..times {
        run();
    }
    Ok(ExitCode::SUCCESS)
}

fn check() -> Result<ExitCode, Box<dyn Error>> {
    let limits = Limits::read()?;
    let measured = measure()?;
    let mut failures = limits.failures(&measured);
    println!("{}", limits.table(&measured));
    failures.extend(growth_with_tools(&measured));
    failures.extend(hooks::growth_with_spans(&measured));
    if failures.is_empty() {
        return Ok(ExitCode::SUCCESS);
    }
    println!("{}", failures.join("\n"));
    println!("if that is intended, update the limits: cargo run --release -p bench-limits -- update");
    Ok(ExitCode::FAILURE)
}

fn update() -> Result<ExitCode, Box<dyn Error>> {
    let measured = measure()?;
    let limits = Limits::above(&measured);
    limits.write()?;
    println!("{}", limits.table(&measured));
    Ok(ExitCode::SUCCESS)
}

fn measure() -> Result<Vec<Measured>, Box<dyn Error>> {
    if Command::new("valgrind").arg("--version").output().is_err() {
        return Err("valgrind is missing: tests/setup.sh valgrind".into());
    }
    measured::all(Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/bench-limits")))
}

/// The cost of a call must not depend on the number of tools.
fn growth_with_tools(measured: &[Measured]) -> Option<String> {
    let [alone, among_many] =
        PER_TOOL.map(|name| measured.iter().find(|case| case.name == name)?.costs.get(&Unit::Instructions));
    let (alone, among_many) = (alone?, among_many?);
    (among_many * 100 > alone * 105).then(|| {
        format!(
            "a call takes {alone} instructions with 1 tool and {among_many} with 1,000: more than 5 % apart"
        )
    })
}
