//! Real clients in front of a gateway of real servers.

use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use serde_json::{Value, json};
use test_http::client::Call;
use test_servers::installed;
use tokio::process::Command;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::plan::{Endpoint, Era, Plan, Report};
use crate::running::{Files, Running, mcp};
use crate::rust_client;

/// The time limit for a client.
const LIMIT: Duration = Duration::from_mins(1);
/// How many clients run at once: each is a process that needs a core for a second.
const AT_ONCE: usize = 4;

/// The clients, in each era that they support.
#[derive(Debug, Clone, Copy)]
enum Client {
    Python1,
    Python2(Era),
    FastMcp(Era),
    TypeScript1,
    TypeScript2(Era),
    Inspector(Era),
    Rmcp(Era),
}

const ALL: [Client; 12] = [
    Client::Python1,
    Client::Python2(Era::Modern),
    Client::Python2(Era::Legacy),
    Client::FastMcp(Era::Modern),
    Client::FastMcp(Era::Legacy),
    Client::TypeScript1,
    Client::TypeScript2(Era::Modern),
    Client::TypeScript2(Era::Legacy),
    Client::Inspector(Era::Modern),
    Client::Inspector(Era::Legacy),
    Client::Rmcp(Era::Modern),
    Client::Rmcp(Era::Legacy),
];

impl Client {
    fn era(self) -> Era {
        match self {
            Self::Python1 | Self::TypeScript1 => Era::Legacy,
            Self::Python2(era)
            | Self::FastMcp(era)
            | Self::TypeScript2(era)
            | Self::Inspector(era)
            | Self::Rmcp(era) => era,
        }
    }

    /// Carries out a plan, or returns why it cannot.
    async fn run(self, plan: &Plan) -> Result<Report, String> {
        let mut command = match self {
            Self::Python1 => python("python-v1", "python_1.py"),
            Self::Python2(_) => python("python-v2", "python_2.py"),
            Self::FastMcp(_) => python("fastmcp", "fastmcp_client.py"),
            Self::TypeScript1 => node(&script("typescript_1.cjs")),
            Self::TypeScript2(_) => node(&script("typescript_2.cjs")),
            Self::Inspector(_) => return inspect_all(plan).await,
            Self::Rmcp(_) => return rust_client::run(plan).await,
        };
        let printed = output(command.arg(plan.to_json())).await?;
        serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))
    }
}

/// Runs all clients with plans of their own, which must succeed.
async fn run_all(clients: &[Client], plan: impl Fn(Era) -> Plan) {
    let places = Arc::new(Semaphore::new(AT_ONCE));
    let mut running = JoinSet::new();
    for &client in clients {
        let (plan, places) = (plan(client.era()), Arc::clone(&places));
        running.spawn(async move {
            let _place = places.acquire().await.unwrap();
            let name = format!("{client:?}");
            let report = tokio::time::timeout(LIMIT, client.run(&plan)).await;
            let report = report.unwrap_or_else(|_| panic!("{name} does not end"));
            plan.check(&name, &report.unwrap_or_else(|error| panic!("{name}: {error}")));
        });
    }
    while let Some(ended) = running.join_next().await {
        if let Err(error) = ended {
            std::panic::resume_unwind(error.into_panic());
        }
    }
}

fn python(environment: &str, name: &str) -> Command {
    let mut command = Command::new(installed::installed(environment).join("bin/python"));
    command.arg(script(name));
    command
}

/// The pinned Node.js, which finds the pinned packages.
fn node(script: &str) -> Command {
    let modules = installed::installed("clients/node").join("node_modules");
    let mut command = Command::new(modules.join("node/bin/node"));
    command.env("NODE_PATH", &modules).arg(script);
    command
}

fn script(name: &str) -> String {
    format!("{}/clients/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// Runs a client to its end, and returns what it prints, or what it reports.
async fn output(command: &mut Command) -> Result<String, String> {
    let child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .unwrap_or_else(|error| panic!("{command:?} does not start: {error}"));
    let output = child.wait_with_output().await.unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let printed = text(&output.stdout);
    // The Inspector exits with 5 when a result has `isError`, and prints it.
    if output.status.success() || !printed.is_empty() { Ok(printed) } else { Err(text(&output.stderr)) }
}

/// The Inspector's command line, which makes one request a run, so it makes few.
async fn inspect_all(plan: &Plan) -> Result<Report, String> {
    let initialized = inspect(plan, &["--method", "initialize"]).await?;
    let listed = inspect(plan, &["--method", "tools/list"]).await?;
    let mut results = Vec::new();
    for call in &plan.calls {
        let arguments = call.arguments.to_string();
        let words = ["--method", "tools/call", "--tool-name", &call.name, "--tool-args-json", &arguments];
        results.push(match inspect(plan, &words).await {
            Ok(result) => result["content"][0]["text"].as_str().unwrap_or_default().to_owned(),
            Err(error) => error,
        });
    }
    let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
    let mut report = Report {
        protocol: initialized["protocolVersion"].as_str().unwrap_or_default().to_owned(),
        tools: listed["tools"].as_array().into_iter().flatten().filter_map(name).collect(),
        results,
        progress: None,
        elicited: None,
        prompt: None,
        resource: None,
    };
    if plan.is_whole {
        let prompt =
            ["--method", "prompts/get", "--prompt-name", &plan.prompt.name, "--prompt-args", "city=Oslo"];
        let prompt = inspect(plan, &prompt).await?;
        report.prompt = prompt["messages"][0]["content"]["text"].as_str().map(str::to_owned);
        let resource = inspect(plan, &["--method", "resources/read", "--uri", plan.resource]).await?;
        report.resource = resource["contents"][0]["text"].as_str().map(str::to_owned);
    }
    Ok(report)
}

async fn inspect(plan: &Plan, arguments: &[&str]) -> Result<Value, String> {
    let home = tempfile::tempdir().unwrap();
    let launcher = "node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js";
    let mut command = node(installed::installed("clients/node").join(launcher).to_str().unwrap());
    command.args(["--cli", "--quiet", "--format", "json", "--protocol-era"]);
    command.arg(if plan.era == Era::Modern { "modern" } else { "legacy" }).args(arguments);
    match &plan.server {
        Endpoint::Command { command: words } => command.arg("--").args(words),
        Endpoint::Url { url, headers } => {
            for (name, value) in headers.as_object().into_iter().flatten() {
                command.args(["--header", &format!("{name}: {}", value.as_str().unwrap_or_default())]);
            }
            command.args(["--transport", "http", "--"]).arg(url)
        }
    };
    // It keeps a catalogue of servers in the home directory.
    let printed = output(command.env("HOME", home.path())).await?;
    let document: Value = serde_json::from_str(&printed).map_err(|error| format!("{error}: {printed}"))?;
    Ok(document["result"].clone())
}

#[tokio::test(flavor = "multi_thread")]
async fn real_clients_use_real_servers_over_http() {
    // Over HTTP, so that it says which call its input requests belong to: several clients call it at once.
    let files = Files::new()
        .listening("everything", &installed::npm("everything", &["streamableHttp"]))
        .listening("fast", &installed::python("fastmcp"))
        .with_files(true)
        .required("shop", &installed::python("python-v1"));
    let gateway = Running::start(files.folder.path(), &[]);
    run_all(&ALL, |era| Plan::of_four(&files, Endpoint::url(&gateway.url), era)).await;
    files.mark.assert_running();
    drop(gateway);
    files.mark.assert_gone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn real_clients_start_a_gateway_of_real_servers() {
    let files = Files::new()
        .required("everything", &installed::npm("everything", &[]))
        .required("shop", &installed::typescript());
    // The Inspector starts a gateway for each request.
    let clients: Vec<_> = ALL.into_iter().filter(|client| !matches!(client, Client::Inspector(_))).collect();
    run_all(&clients, |era| Plan::of_two(Endpoint::command(&files), era)).await;
    files.mark.assert_gone().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn real_clients_see_what_their_token_names() {
    let files = Files::new()
        .required("everything", &installed::npm("everything", &[]))
        .required("shop", &installed::typescript());
    let gateway = Running::start(files.folder.path(), &["--state", "state"]);
    let mint = ["gateway", "sessions", "mint", "--state", "state", "--url", &gateway.url, "--server", "shop"];
    let token = mcp(files.folder.path(), &mint);
    let token = token.trim();
    run_all(&ALL, |era| Plan::of_a_shop(Endpoint::with_token(&gateway.url, token), era)).await;

    let wrong = format!("{}x", &token[..token.len() - 1]);
    for client in ALL {
        let plan = Plan::of_a_shop(Endpoint::with_token(&gateway.url, &wrong), client.era());
        // How an error is worded is the client's affair.
        assert!(client.run(&plan).await.is_err(), "{client:?} connects with a wrong token");
    }
    challenges(&gateway.url, &wrong);
}

/// Checks that a wrong token is answered with a challenge (RFC 6750 section 3; 2026-07-28,
/// basic/authorization#protected-resource-metadata-discovery-requirements).
fn challenges(url: &str, token: &str) {
    let (address, path) = url.trim_start_matches("http://").split_once('/').unwrap();
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}});
    let request = Call::new(address.parse().unwrap(), "POST", &format!("/{path}"))
        .header("Content-Type", "application/json")
        .header("Accept", "application/json, text/event-stream");
    let response = request.header("Authorization", &format!("Bearer {token}")).body(&body).send();
    assert_eq!(response.status, 401);
    let challenge = response.header("www-authenticate").unwrap();
    assert!(challenge.starts_with("Bearer ") && challenge.contains("error=\"invalid_token\""), "{challenge}");
}
