//! Our client, with the server of the other cases as a separate process, which is not counted.

use std::error::Error;
use std::io::{BufRead as _, BufReader};
use std::process::{Command, Stdio};

use serde_json::json;
use toolwright_client::config::{ServerSpec, StdioSpec};
use toolwright_client::{Client, ClientError};
use toolwright_core::revision::Revision;

use crate::{over_http, server_cases};

/// The argument that makes this program a client, followed by the name of a case, a count, and optionally an
/// address.
pub(crate) const CALL: &str = "call";

/// One thing to measure.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    revision: Revision,
    is_http: bool,
    /// The tools besides the one that is called; if there are any, listing is repeated instead.
    other_tools: usize,
}

const CALL_LEGACY: Case =
    Case { name: "client_call_legacy", revision: Revision::NEWEST_LEGACY, is_http: false, other_tools: 0 };
const CALL_MODERN: Case = Case { name: "client_call_modern", revision: Revision::NEWEST, ..CALL_LEGACY };

pub(crate) const CASES: [Case; 5] = [
    CALL_LEGACY,
    CALL_MODERN,
    Case { name: "client_call_http_legacy", is_http: true, ..CALL_LEGACY },
    Case { name: "client_call_http_modern", is_http: true, ..CALL_MODERN },
    // A list of 2026-07-28 has a lifetime, during which it is not requested again.
    Case { name: "client_list_1000_tools", other_tools: 999, ..CALL_LEGACY },
];

impl Case {
    pub(crate) fn repetitions(&self) -> [u64; 2] {
        if self.other_tools > 0 { [10, 20] } else { [500, 1_000] }
    }

    /// Runs `command`, this program, as the client.
    pub(crate) fn run(&self, mut command: Command, repetitions: u64) -> Result<(), Box<dyn Error>> {
        command.args([CALL, self.name, &repetitions.to_string()]);
        let mut server = None;
        if self.is_http {
            let mut serving = Command::new(std::env::current_exe()?);
            let mut serving =
                serving.arg(over_http::SERVE).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
            let mut address = String::new();
            BufReader::new(serving.stdout.take().ok_or("no output")?).read_line(&mut address)?;
            command.arg(format!("http://{}/mcp", address.trim()));
            server = Some(serving);
        }
        let status = command.status();
        if let Some(mut server) = server {
            // It ends with its input.
            drop(server.stdin.take());
            server.wait()?;
        }
        let status = status?;
        if status.success() { Ok(()) } else { Err(format!("it ended with {status}").into()) }
    }
}

/// The measured program: lists the tools once, then repeats the call, or the list.
pub(crate) fn repeat(name: &str, times: u64, url: Option<&str>) -> Result<(), Box<dyn Error>> {
    let case = CASES.into_iter().find(|case| case.name == name).ok_or("no such case")?;
    let started = || -> Result<ServerSpec, std::io::Error> {
        let program = std::env::current_exe()?.display().to_string();
        let others = case.other_tools.to_string();
        Ok(StdioSpec::new(program).arg(server_cases::SERVE).arg(others).into())
    };
    let server = url.map_or_else(started, |url| Ok(url.into()))?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let client = Client::builder().revision(case.revision).connect(server).await?;
        let count = client.list_tools().await?.len();
        for _ in 0..times {
            if case.other_tools > 0 {
                assert_eq!(client.list_tools().await?.len(), count);
            } else {
                let result = client.call("add", json!({"a": 1234, "b": 7})).await?;
                assert!(!result.is_error && result.as_text().contains("1241"), "{result:?}");
            }
        }
        client.close().await;
        Ok::<_, ClientError>(())
    })?;
    Ok(())
}
