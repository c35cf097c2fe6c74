//! A client to compare with those of other libraries:
//! `bench-toolwright-client stdio|http legacy|modern CALLS CONCURRENCY [KIND] -- SERVER ARGUMENT…|URL`.
//!
//! Connects, lists all tools, makes CALLS calls over one client with CONCURRENCY of them open, prints one line of JSON, and
//! stays until its standard input ends. KIND is the size of a text for `echo`; `list`; `hold`, where each call is a further
//! client that stays open; without it `add` is called.

use std::cell::{Cell, RefCell};
use std::error::Error;
use std::io::Read as _;
use std::rc::Rc;
use std::time::{Duration, Instant};

use serde::Serialize;
use serde_json::json;
use tokio::task::LocalSet;
use toolwright::Revision;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientError};

/// Of very many calls, only some times are stored, so that they do not count as the client's memory.
const KEPT: u64 = 20_000;
/// The repeated part of the echoed text.
const LINE: &str = "The tool said \"done\" after it had read all of the sixty lines.\n";

struct Plan {
    revision: Revision,
    calls: u64,
    kind: Kind,
    server: ServerSpec,
    tools: Cell<usize>,
    next: Cell<u64>,
    wrong: Cell<u64>,
    times: RefCell<Vec<Duration>>,
    held: RefCell<Vec<Client>>,
}

enum Kind {
    Add,
    Echo(String),
    List,
    Hold,
}

#[derive(Serialize)]
struct Add {
    a: u64,
    b: u64,
}

#[derive(Serialize)]
struct Echo<'a> {
    text: &'a str,
}

impl Plan {
    fn read(arguments: &[String]) -> Option<(Self, usize)> {
        let at = arguments.iter().position(|word| word == "--")?;
        let (words, target) = (&arguments[..at], &arguments[at + 1..]);
        let [transport, era, calls, concurrency, kind @ ..] = words else { return None };
        let server = if transport == "stdio" {
            let (program, arguments) = target.split_first()?;
            arguments
                .iter()
                .fold(StdioSpec::new(program.as_str()), |spec, word| spec.arg(word.as_str()))
                .into()
        } else {
            ServerSpec::from(target.first()?.as_str())
        };
        let kind = match kind.first().map(String::as_str) {
            None => Kind::Add,
            Some("list") => Kind::List,
            Some("hold") => Kind::Hold,
            Some(bytes) => Kind::Echo(LINE.chars().cycle().take(bytes.parse().ok()?).collect()),
        };
        let plan = Self {
            revision: if era == "modern" { Revision::NEWEST } else { Revision::NEWEST_LEGACY },
            calls: calls.parse().ok()?,
            kind,
            server,
            tools: Cell::new(0),
            next: Cell::new(1),
            wrong: Cell::new(0),
            times: RefCell::default(),
            held: RefCell::default(),
        };
        Some((plan, concurrency.parse().ok()?))
    }

    async fn connect(&self) -> Result<Client, ClientError> {
        Client::builder().revision(self.revision).connect(self.server.clone()).await
    }

    async fn work(self: Rc<Self>, client: Client) {
        loop {
            let number = self.next.replace(self.next.get() + 1);
            if number > self.calls {
                return;
            }
            let start = Instant::now();
            let is_right = self.one(&client, number).await.unwrap_or(false);
            if number.is_multiple_of(self.calls / KEPT + 1) {
                self.times.borrow_mut().push(start.elapsed());
            }
            self.wrong.set(self.wrong.get() + u64::from(!is_right));
        }
    }

    async fn one(&self, client: &Client, number: u64) -> Result<bool, ClientError> {
        match &self.kind {
            Kind::Add => add(client, number).await,
            Kind::Echo(text) => {
                let result = client.call("echo", Echo { text }).await?;
                Ok(!result.is_error && result.content[0].as_text() == Some(text))
            }
            Kind::List => Ok(client.list_tools().await?.len() == self.tools.get()),
            Kind::Hold => {
                let further = self.connect().await?;
                let is_right = add(&further, number).await;
                self.held.borrow_mut().push(further);
                is_right
            }
        }
    }
}

async fn add(client: &Client, number: u64) -> Result<bool, ClientError> {
    let result = client.call("add", Add { a: number, b: 1 }).await?;
    let sum = result.content.first().and_then(|block| block.as_text()).and_then(|text| text.parse().ok());
    Ok(!result.is_error && sum == Some(number + 1))
}

async fn run(plan: Rc<Plan>, concurrency: usize) -> Result<Client, ClientError> {
    let start = Instant::now();
    let client = plan.connect().await?;
    let connected = start.elapsed();
    let start = Instant::now();
    plan.tools.set(client.list_tools().await?.len());
    let listed = start.elapsed();
    let start = Instant::now();
    let workers: Vec<_> =
        (0..concurrency).map(|_| tokio::task::spawn_local(Rc::clone(&plan).work(client.clone()))).collect();
    for worker in workers {
        // A panic shows itself.
        _ = worker.await;
    }
    let wall = start.elapsed();
    let mut times = plan.times.take();
    times.sort_unstable();
    let at = |percent: usize| times.get(times.len() * percent / 100).map(|time| time.as_secs_f64() * 1e6);
    let line = json!({
        "calls": plan.calls, "wrong": plan.wrong.get(), "tools": plan.tools.get(),
        "connect_us": connected.as_secs_f64() * 1e6, "list_us": listed.as_secs_f64() * 1e6,
        "p50_us": at(50), "p99_us": at(99), "wall_s": wall.as_secs_f64(),
    });
    println!("{line}");
    Ok(client)
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let usage = "write stdio|http legacy|modern CALLS CONCURRENCY [KIND] -- SERVER";
    let (plan, concurrency) = Plan::read(&arguments).ok_or(usage)?;
    let plan = Rc::new(plan);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let client = LocalSet::new().block_on(&runtime, run(Rc::clone(&plan), concurrency))?;
    std::io::stdin().read_to_end(&mut Vec::new())?;
    drop((plan, client));
    Ok(())
}
