//! The plan that every client follows at a gateway, its report, and the expected contents of the report.
//!
//! A script gets the plan as one JSON argument and prints the report as one line of JSON. It connects to `server` (a
//! `command` with its arguments, or a `url` with `headers`) in the `era` (`modern` or `legacy`), lists the tools and makes
//! the `calls`. If the plan is whole, it also calls the tool `long` with progress, calls the tool `elicit`, which asks for a
//! name that is `Ada`, gets the `prompt` and reads the `resource`.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use test_programs::cargo_mcp;

use crate::running::Files;

/// The revisions fall into two eras: up to 2025-11-25 a connection begins with `initialize`, from 2026-07-28 on each
/// request is self-contained.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Era {
    Modern,
    Legacy,
}

impl Era {
    /// The newest revision of the era, which is what all these clients prefer.
    pub(crate) fn protocol(self) -> &'static str {
        match self {
            Self::Modern => "2026-07-28",
            Self::Legacy => "2025-11-25",
        }
    }
}

/// How a client connects to the gateway.
#[derive(Debug, Clone, Serialize)]
#[serde(untagged)]
pub(crate) enum Endpoint {
    Command { command: Vec<String> },
    Url { url: String, headers: Value },
}

impl Endpoint {
    pub(crate) fn url(url: &str) -> Self {
        Self::Url { url: url.to_owned(), headers: json!({}) }
    }

    pub(crate) fn with_token(url: &str, token: &str) -> Self {
        Self::Url { url: url.to_owned(), headers: json!({"Authorization": format!("Bearer {token}")}) }
    }

    /// A gateway that the client starts.
    pub(crate) fn command(files: &Files) -> Self {
        let program = cargo_mcp().to_str().expect("paths of the build are UTF-8");
        let file = files.path();
        let words = [program, "mcp", "gateway", "-q", "--config", file.to_str().unwrap()];
        Self::Command { command: words.map(str::to_owned).into() }
    }
}

/// A client's plan.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Plan {
    pub(crate) server: Endpoint,
    pub(crate) era: Era,
    pub(crate) calls: Vec<Call>,
    pub(crate) is_whole: bool,
    pub(crate) long: Call,
    pub(crate) elicit: &'static str,
    pub(crate) prompt: Call,
    pub(crate) resource: &'static str,
    /// The first names of the tools, one for each server.
    #[serde(skip)]
    servers: Vec<&'static str>,
}

/// A tool call or a prompt, with a part of the expected text.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Call {
    pub(crate) name: String,
    pub(crate) arguments: Value,
    #[serde(skip)]
    expected: &'static str,
}

/// A client's report.
#[derive(Debug, Deserialize)]
pub(crate) struct Report {
    /// The revision that was negotiated.
    pub(crate) protocol: String,
    /// The names of the tools.
    pub(crate) tools: Vec<String>,
    /// The text of each call's result, or `error: ` and the message of a protocol error.
    pub(crate) results: Vec<String>,
    /// The progress of the long call. One-request clients receive none.
    pub(crate) progress: Option<Vec<f64>>,
    /// The result of the call that asks for a name. Not all clients can be asked.
    pub(crate) elicited: Option<String>,
    pub(crate) prompt: Option<String>,
    pub(crate) resource: Option<String>,
}

impl Plan {
    fn new(server: Endpoint, era: Era, servers: &[&'static str], calls: Vec<Call>) -> Self {
        Self {
            server,
            era,
            calls,
            is_whole: true,
            long: call(
                "everything__trigger-long-running-operation",
                json!({"duration": 0.1, "steps": 2}),
                "completed",
            ),
            elicit: "everything__trigger-elicitation-request",
            prompt: call("everything__args-prompt", json!({"city": "Oslo"}), "What's weather in Oslo?"),
            resource: "shop://stock",
            servers: servers.into(),
        }
    }

    /// At a gateway with the servers `everything` and `shop`.
    pub(crate) fn of_two(server: Endpoint, era: Era) -> Self {
        let calls = vec![
            call("everything__get-sum", json!({"a": 19, "b": 23}), "is 42"),
            call("shop__add", json!({"a": 19, "b": 23}), "42"),
            call("shop__nothing", json!({}), "unknown tool"),
        ];
        Self::new(server, era, &["everything__echo", "shop__add"], calls)
    }

    /// At a gateway with the servers `everything`, `files`, `shop` and `fast`.
    pub(crate) fn of_four(files: &Files, server: Endpoint, era: Era) -> Self {
        let mut plan = Self::of_two(server, era);
        plan.servers.extend(["files__read_text_file", "fast__add"]);
        let note = files.folder.path().canonicalize().unwrap().join("note.txt");
        plan.calls.push(call("files__read_text_file", json!({"path": note}), "milk and bread"));
        plan.calls.push(call("fast__fail", json!({"reason": "the shop is closed"}), "the shop is closed"));
        plan
    }

    /// At a gateway with the servers `everything` and `shop`, with a token that grants `shop`.
    pub(crate) fn of_a_shop(server: Endpoint, era: Era) -> Self {
        let calls = vec![
            call("shop__add", json!({"a": 19, "b": 23}), "42"),
            call("everything__get-sum", json!({"a": 19, "b": 23}), "unknown tool"),
        ];
        Self { is_whole: false, ..Self::new(server, era, &["shop__add"], calls) }
    }

    pub(crate) fn to_json(&self) -> String {
        serde_json::to_string(self).unwrap()
    }

    /// Compares a report with what is expected.
    pub(crate) fn check(&self, client: &str, report: &Report) {
        assert_eq!(report.protocol, self.era.protocol(), "{client}");
        for name in &self.servers {
            assert!(
                report.tools.iter().any(|tool| tool == name),
                "{client} sees no {name}: {:?}",
                report.tools
            );
        }
        let prefixes: Vec<_> = self.servers.iter().filter_map(|name| name.split("__").next()).collect();
        let of_others =
            |tool: &&String| !prefixes.iter().any(|prefix| tool.starts_with(&format!("{prefix}__")));
        assert_eq!(report.tools.iter().find(of_others), None, "{client} sees a tool of another server");
        assert_eq!(report.results.len(), self.calls.len(), "{client}: {:?}", report.results);
        for (call, result) in self.calls.iter().zip(&report.results) {
            // The Inspector looks into the list before it calls a tool.
            let is_unlisted = call.expected == "unknown tool" && result.contains("tool_not_found");
            assert!(is_unlisted || result.contains(call.expected), "{client}, {}: {result}", call.name);
        }
        if !self.is_whole {
            return;
        }
        assert_eq!(report.prompt.as_deref(), Some(self.prompt.expected), "{client}");
        assert_eq!(report.resource.as_deref(), Some("7 apples"), "{client}");
        if let Some(progress) = &report.progress {
            // The TypeScript SDK drops a notification that it reads together with the result of its request: it handles
            // notifications a moment later, when the request is no longer known.
            assert!(!progress.is_empty() && [1.0, 2.0].starts_with(progress), "{client}: {progress:?}");
        }
        if let Some(elicited) = &report.elicited {
            assert!(elicited.contains("Name: Ada"), "{client}: {elicited}");
        }
    }
}

fn call(name: &str, arguments: Value, expected: &'static str) -> Call {
    Call { name: name.to_owned(), arguments, expected }
}
