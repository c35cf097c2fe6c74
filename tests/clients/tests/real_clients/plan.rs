//! The plan that every client follows, its report, and the expected contents of the report.
//!
//! A script gets the plan as one JSON argument and prints the report as one line of JSON. The plan:
//! `server` and `slowServer` (each a `command` with its arguments, or a `url`), `slowLog` (the file in which the slow
//! server writes `started`, then `cancelled` or `finished`), `era` (`modern` or `legacy`) and `calls`. The client lists
//! the tools of `server` and makes the calls. On `slowServer` it gets the prompt `lullaby`, watches the resource
//! `sleeper://nights`, starts a long call of `sleep`, cancels it when the log says that it runs, calls `sleep` once more,
//! shortly and with progress notifications, waits for an update of the resource, and reads it.

use std::path::Path;
use std::time::Duration;

use retail::data::{self, SEED};
use retail::ids::OrderId;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::time::{sleep, timeout};

use crate::servers::{self, Server};

const TOOLS: [&str; 15] = [
    "calculate",
    "cancel_pending_order",
    "exchange_delivered_order_items",
    "find_user_id_by_email",
    "find_user_id_by_name_zip",
    "get_order_details",
    "get_product_details",
    "get_user_details",
    "list_all_product_types",
    "modify_pending_order_address",
    "modify_pending_order_items",
    "modify_pending_order_payment",
    "modify_user_address",
    "return_delivered_order_items",
    "transfer_to_human_agents",
];

/// The revisions fall into two eras: up to 2025-11-25 a connection begins with `initialize`, from 2026-07-28 on
/// each request is self-contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Era {
    Modern,
    Legacy,
}

impl Era {
    /// The newest revision of the era, which is what all these clients prefer.
    fn protocol(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

/// A client's plan.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) server: Server,
    pub(crate) slow_server: Server,
    slow_log: String,
    pub(crate) era: Era,
    pub(crate) calls: Vec<Call>,
    /// The outcome of the long call: `cancelled`, or `finished` if the client cannot cancel it.
    #[serde(skip)]
    pub(crate) long_call: &'static str,
    /// How many calls the slow server has finished in the end.
    #[serde(skip)]
    finished: &'static str,
    #[serde(skip)]
    directory: TempDir,
}

/// One tool call, and the expected result.
#[derive(Debug, Serialize)]
pub(crate) struct Call {
    pub(crate) name: &'static str,
    pub(crate) arguments: Value,
    #[serde(skip)]
    expected: Expected,
    /// Whether the expectation rests on an earlier call.
    #[serde(skip)]
    reads_back: bool,
}

#[derive(Debug)]
enum Expected {
    /// A success whose text contains this.
    Text(String),
    /// An error that the model can read, whose text contains this.
    Error(&'static str),
}

/// A client's report.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Report {
    /// The revision that was negotiated.
    pub(crate) protocol: String,
    /// The name that the server gave itself.
    pub(crate) server: Option<String>,
    /// The tools' names, in the order of the list.
    pub(crate) tools: Vec<String>,
    /// The result of each call of the plan.
    pub(crate) results: Vec<Value>,
    /// The result of the call that followed the cancelled one.
    pub(crate) after_cancel: Value,
    /// The text of the prompt.
    pub(crate) prompt: String,
    /// The text of the resource, read after the last call.
    pub(crate) resource: String,
    /// What only long-running clients see: the Inspector makes one request per run.
    pub(crate) heard: Option<Heard>,
}

/// The notifications that a client received.
#[derive(Debug, Clone, Default, Deserialize)]
pub(crate) struct Heard {
    /// The progress of the last call: progress, total and message.
    pub(crate) progress: Vec<(f64, f64, String)>,
    /// The URIs of changed resources.
    pub(crate) updated: Vec<String>,
}

impl Plan {
    /// The plan for clients that start their servers and speak to them over stdio.
    pub(crate) fn over_stdio(era: Era) -> Self {
        Self::new(era, |program, arguments, _| Server::command(program, arguments))
    }

    /// The plan for clients of servers that listen already.
    pub(crate) fn over_http(era: Era) -> Self {
        Self::new(era, Server::listening)
    }

    /// `server` makes one of a program, its arguments, and those that let it listen.
    fn new(era: Era, server: impl Fn(&Path, &[&str], &[&str]) -> Server) -> Self {
        let directory = TempDir::new().expect("a directory for the log");
        let log = directory.path().join("slow.log");
        std::fs::write(&log, "").expect("the log can be written");
        let slow_log = log.to_str().expect("paths of the build are UTF-8").to_owned();
        Self {
            server: server(test_programs::retail(), &[], &["--http", "127.0.0.1:0"]),
            slow_server: server(&servers::slow_server(), &[&slow_log], &["127.0.0.1:0"]),
            slow_log,
            era,
            calls: calls(),
            long_call: "cancelled",
            finished: "1",
            directory,
        }
    }

    /// The plan for a client that makes one request a run, and cancels by leaving.
    pub(crate) fn one_request_a_run(mut self) -> Self {
        match (&self.server, self.era) {
            // Each run has its own server, which keeps no state.
            (Server::Command { .. }, _) => {
                self.calls.retain(|call| !call.reads_back);
                self.finished = "0";
            }
            (Server::Listening { .. }, Era::Modern) => {}
            // Leaving is not cancelling here (2025-11-25, basic/transports).
            (Server::Listening { .. }, Era::Legacy) => (self.long_call, self.finished) = ("finished", "2"),
        }
        self
    }

    /// The plan as a script reads it.
    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a plan is JSON")
    }

    /// A directory that lives as long as the plan.
    pub(crate) fn directory(&self) -> &Path {
        self.directory.path()
    }

    /// Waits until the slow server has written this line.
    pub(crate) async fn wait_for_line(&self, line: &str) {
        let written = async {
            while !self.log().iter().any(|written| written == line) {
                sleep(Duration::from_millis(20)).await;
            }
        };
        timeout(Duration::from_secs(30), written)
            .await
            .unwrap_or_else(|_| panic!("the slow server never wrote `{line}`, only {:?}", self.log()));
    }

    /// Compares a report with the expectations.
    pub(crate) fn check(&self, report: &Report) {
        assert_eq!(report.protocol, self.era.protocol());
        assert_eq!(report.server.as_deref(), Some("retail"));
        assert_eq!(report.tools, TOOLS);
        assert_eq!(report.results.len(), self.calls.len());
        for (call, result) in self.calls.iter().zip(&report.results) {
            call.expected.check(call.name, result);
        }
        Expected::Text("finished".to_owned()).check("sleep", &report.after_cancel);
        assert_eq!(self.log(), ["started", self.long_call, "started", "finished"]);
        assert_eq!(report.prompt, "Sleep well, Ada.");
        assert_eq!(report.resource, self.finished);
        if let Some(heard) = &report.heard {
            assert_eq!(heard.progress, [(1.0, 2.0, "half of it is over".to_owned())]);
            assert_eq!(heard.updated, ["sleeper://nights"]);
        }
    }

    fn log(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.slow_log).expect("the log can be read");
        text.lines().map(str::to_owned).collect()
    }
}

impl Report {
    /// The report that a script printed.
    pub(crate) fn parse(printed: &str) -> Self {
        serde_json::from_str(printed).unwrap_or_else(|error| panic!("no report: {error}:\n{printed}"))
    }
}

impl Expected {
    fn check(&self, tool: &str, result: &Value) {
        let text = result["content"][0]["text"].as_str().unwrap_or_default();
        let is_error = result["isError"] == true;
        match self {
            Self::Text(part) => assert!(!is_error && text.contains(part), "{tool}: no `{part}` in {result}"),
            Self::Error(part) => {
                assert!(is_error && text.contains(part), "{tool}: no error `{part}` in {result}");
            }
        }
    }
}

/// Five calls that depend on each other, one that shows what they changed, and one with invalid arguments.
fn calls() -> Vec<Call> {
    let shop = data::generate(SEED);
    let order = &shop.orders[&OrderId::new("#W0000001")];
    let user = &shop.users[&order.user_id];
    let (order_id, user_id) = (order.order_id.as_str(), user.user_id.as_str());
    let text = |text: &str| Expected::Text(text.to_owned());
    vec![
        call("find_user_id_by_email", json!({ "email": user.email }), text(user_id)),
        call("get_user_details", json!({ "user_id": user_id }), text(&user.email)),
        call("get_order_details", json!({ "order_id": order_id }), text(user_id)),
        call("calculate", json!({ "expression": "(19.99 + 5) * 3" }), text("74.97")),
        call(
            "cancel_pending_order",
            json!({ "order_id": order_id, "reason": "no longer needed" }),
            text("cancelled"),
        ),
        Call {
            reads_back: true,
            ..call("get_order_details", json!({ "order_id": order_id }), text("cancelled"))
        },
        call("get_order_details", json!({ "order_id": 1 }), Expected::Error("order_id")),
    ]
}

fn call(name: &'static str, arguments: Value, expected: Expected) -> Call {
    Call { name, arguments, expected, reads_back: false }
}
