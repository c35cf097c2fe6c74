//! Our client, with its server as a separate process, which is not counted.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};
use std::rc::Rc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tokio::task::LocalSet;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientError};
use toolwright_core::protocol::ContentBlock;
use toolwright_core::revision::Revision;
use toolwright_macros::Tool;
use toolwright_server::{BuildError, Context, ServeError, Server, Service};

use crate::server_cases::{self, Others};

/// The argument that makes this program a client, followed by the name of a case, a count, and optionally an
/// address.
pub(crate) const CALL: &str = "call";
/// The arguments that make this program the server of these cases: on stdio, with a number of additional tools, and over
/// HTTP.
pub(crate) const SERVE: &str = "serve-client";
pub(crate) const SERVE_HTTP: &str = "serve-client-http";

/// The size of an echoed text, in bytes.
const ECHOED: usize = 256 << 10;
/// The repeated part of an echoed text.
const LINE: &str = "The tool said \"done\" after it had read all of the sixty lines.\n";
/// How many calls are in flight together.
const IN_FLIGHT: u64 = 64;
/// How many clients are held together.
const HELD: u64 = 500;

/// One thing to measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    revision: Revision,
    is_http: bool,
    what: What,
}

/// What a client repeats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum What {
    /// A call that is answered at once.
    Call,
    /// A call that reports progress, which over HTTP is answered with an event stream.
    Progress,
    /// Calls of which [`IN_FLIGHT`] are open.
    InFlight,
    /// A call with a text of [`ECHOED`] bytes, which comes back.
    Echo,
    /// A list of this many tools and the called one.
    List { other_tools: usize },
    /// The whole of a client: it starts the server, connects, and closes the connection.
    Start,
    /// Another client that stays connected; what it needs of memory is measured.
    Hold,
}

const LEGACY: Case =
    Case { name: "client_call_legacy", revision: Revision::NEWEST_LEGACY, is_http: false, what: What::Call };
const MODERN: Case = Case { name: "client_call_modern", revision: Revision::NEWEST, ..LEGACY };
const HTTP_LEGACY: Case = Case { name: "client_call_http_legacy", is_http: true, ..LEGACY };
const HTTP_MODERN: Case = Case { name: "client_call_http_modern", is_http: true, ..MODERN };

pub(crate) const CASES: [Case; 15] = [
    LEGACY,
    MODERN,
    HTTP_LEGACY,
    HTTP_MODERN,
    Case { name: "client_events_legacy", what: What::Progress, ..HTTP_LEGACY },
    Case { name: "client_events_modern", what: What::Progress, ..HTTP_MODERN },
    Case { name: "client_64_in_flight", what: What::InFlight, ..MODERN },
    Case { name: "client_64_in_flight_http", what: What::InFlight, ..HTTP_MODERN },
    Case { name: "client_echo_256k", what: What::Echo, ..MODERN },
    Case { name: "client_echo_256k_http", what: What::Echo, ..HTTP_MODERN },
    // A list of 2026-07-28 has a lifetime, during which it is not requested again.
    Case { name: "client_list_1000_tools", what: What::List { other_tools: 999 }, ..LEGACY },
    Case { name: "client_start_legacy", what: What::Start, ..LEGACY },
    Case { name: "client_start_modern", what: What::Start, ..MODERN },
    Case { name: "client_held_http_legacy", what: What::Hold, ..HTTP_LEGACY },
    Case { name: "client_held_http_modern", what: What::Hold, ..HTTP_MODERN },
];

impl Case {
    pub(crate) fn repetitions(&self) -> [u64; 2] {
        match self.what {
            What::Call | What::Progress | What::InFlight => [512, 1_024],
            What::Echo | What::List { .. } | What::Start => [10, 20],
            What::Hold => [0, HELD],
        }
    }

    /// Runs `command`, this program, as the client.
    pub(crate) fn run(&self, mut command: Command, repetitions: u64) -> Result<(), Box<dyn Error>> {
        self.with_server(|url| {
            command.args([CALL, self.name, &repetitions.to_string()]).args(url);
            let status = command.status()?;
            if status.success() { Ok(()) } else { Err(format!("it ended with {status}").into()) }
        })
    }

    /// The memory of one repetition, of a case that measures memory.
    pub(crate) fn resident_bytes(&self) -> Result<Option<u64>, Box<dyn Error>> {
        if self.what != What::Hold {
            return Ok(None);
        }
        self.with_server(|url| {
            let held = HELD.to_string();
            let output = Command::new(std::env::current_exe()?)
                .args([CALL, self.name, &held])
                .args(url)
                .stderr(Stdio::inherit())
                .output()?;
            Ok(Some(String::from_utf8(output.stdout)?.trim().parse()?))
        })
    }

    /// Starts the server over HTTP, if the case has one, and stops it afterwards.
    fn with_server<T>(
        &self,
        measure: impl FnOnce(Option<String>) -> Result<T, Box<dyn Error>>,
    ) -> Result<T, Box<dyn Error>> {
        if !self.is_http {
            return measure(None);
        }
        let mut serving = Command::new(std::env::current_exe()?);
        let mut server = serving.arg(SERVE_HTTP).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut address = String::new();
        let read = server.stdout.take().map(|output| BufReader::new(output).read_line(&mut address));
        let measured = match read {
            Some(Ok(_)) => measure(Some(format!("http://{}/mcp", address.trim()))),
            _ => Err("the server printed no address".into()),
        };
        // It ends with its input.
        drop(server.stdin.take());
        server.wait()?;
        measured
    }
}

/// Returns a text as it is.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate = toolwright_core, read_only)]
struct Echo {
    /// The text.
    text: String,
}

/// The arguments of [`Echo`], not copied.
#[derive(Serialize)]
struct EchoArguments<'a> {
    text: &'a str,
}

/// Reports progress once.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(crate = toolwright_core, read_only)]
struct Report {
    /// Of two.
    done: u32,
}

pub(crate) fn service(other_tools: usize) -> Result<Service, BuildError> {
    let report = async |Report { done }: Report, cx: Context| {
        cx.progress(done.into(), Some(2.0), None).await;
        "reported"
    };
    Server::new(())
        .tool(server_cases::add)
        .tool(async |Echo { text }: Echo| text)
        .tool(report)
        .provider(Others::new(other_tools))
        .name("bench")
        .build()
}

/// Serves on stdio until the input ends.
pub(crate) fn serve(other_tools: usize) -> Result<(), ServeError> {
    server_cases::serve_on_stdio(&service(other_tools)?)
}

/// The measured program: repeats what the case measures, over a client that has listed the tools.
pub(crate) fn repeat(name: &str, times: u64, url: Option<&str>) -> Result<(), Box<dyn Error>> {
    let case = CASES.into_iter().find(|case| case.name == name).ok_or("no such case")?;
    let server = match url {
        Some(url) => url.into(),
        None => case.child()?,
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    LocalSet::new().block_on(&runtime, async {
        if case.what == What::Start {
            for _ in 0..times {
                case.connect(&server).await?.close().await;
            }
            return Ok(());
        }
        let client = case.connect(&server).await?;
        client.list_tools().await?;
        match case.what {
            What::InFlight => call_in_parallel(&client, times).await,
            What::Hold => case.hold(&server, times).await?,
            _ => {
                let text: String = LINE.chars().cycle().take(ECHOED).collect();
                for _ in 0..times {
                    case.request(&client, &text).await?;
                }
            }
        }
        client.close().await;
        Ok::<_, Box<dyn Error>>(())
    })
}

impl Case {
    /// The server that a client starts.
    fn child(&self) -> Result<ServerSpec, std::io::Error> {
        let other_tools = match self.what {
            What::List { other_tools } => other_tools,
            _ => 0,
        };
        let program = std::env::current_exe()?.display().to_string();
        Ok(StdioSpec::new(program).arg(SERVE).arg(other_tools.to_string()).into())
    }

    async fn connect(&self, server: &ServerSpec) -> Result<Client, ClientError> {
        Client::builder().revision(self.revision).connect(server.clone()).await
    }

    async fn request(&self, client: &Client, text: &str) -> Result<(), ClientError> {
        match self.what {
            What::Echo => {
                let result = client.call("echo", EchoArguments { text }).await?;
                let echoed = result.content.first().and_then(ContentBlock::as_text);
                assert!(!result.is_error && echoed == Some(text));
            }
            What::Progress => {
                let mut reported = 0.0;
                let call = client.call("report", json!({"done": 1}));
                call.on_progress(|progress| reported = progress.progress).await?;
                assert!((reported - 1.0).abs() < 0.1, "no progress was reported");
            }
            What::List { other_tools } => assert!(client.list_tools().await?.len() > other_tools),
            _ => add(client).await?,
        }
        Ok(())
    }

    /// Prints how much memory each of `times` further clients needs.
    async fn hold(&self, server: &ServerSpec, times: u64) -> Result<(), Box<dyn Error>> {
        let before = resident_bytes()?;
        let mut held = Vec::new();
        for _ in 0..times {
            let client = self.connect(server).await?;
            add(&client).await?;
            held.push(client);
        }
        println!("{}", resident_bytes()?.saturating_sub(before) / times.max(1));
        Ok(())
    }
}

async fn add(client: &Client) -> Result<(), ClientError> {
    let result = client.call("add", json!({"a": 1234, "b": 7})).await?;
    assert!(!result.is_error && result.as_text().contains("1241"), "{result:?}");
    Ok(())
}

async fn call_in_parallel(client: &Client, times: u64) {
    let client = Rc::new(client.clone());
    let callers: Vec<_> = (0..IN_FLIGHT)
        .map(|_| {
            let client = Rc::clone(&client);
            tokio::task::spawn_local(async move {
                for _ in 0..times / IN_FLIGHT {
                    add(&client).await.expect("a call succeeds");
                }
            })
        })
        .collect();
    for caller in callers {
        caller.await.expect("no caller panics");
    }
}

/// The memory of this process that is resident (proc(5), `statm`).
fn resident_bytes() -> Result<u64, Box<dyn Error>> {
    let pages = std::fs::read_to_string("/proc/self/statm")?;
    let resident: u64 = pages.split(' ').nth(1).ok_or("statm has a second number")?.parse()?;
    Ok(resident * 4096)
}
