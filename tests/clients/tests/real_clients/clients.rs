//! Clients that are programs of their own.

use serde_json::Value;
use tokio::process::Command;

use crate::plan::{Era, Plan, Report};
use crate::process::{run, run_ok, start, wait};
use crate::servers::{installed, script};

/// The Python client of one line of releases, `v1` or `v2`.
pub(crate) async fn python(line: &str, plan: &Plan) -> Report {
    let mut command = Command::new(installed(&format!("python-{line}")).join("bin/python"));
    command.arg(script(&format!("python/{line}.py"))).arg(plan.to_json());
    Report::parse(&run_ok(&mut command).await)
}

/// The TypeScript client of one line of releases, `v1` or `v2`.
pub(crate) async fn node(line: &str, plan: &Plan) -> Report {
    let mut command = node_command();
    command.arg(script(&format!("node/{line}.cjs"))).arg(plan.to_json());
    Report::parse(&run_ok(&mut command).await)
}

/// The Inspector's command line. It makes one request a run, and cancels by ending.
pub(crate) async fn inspector(plan: &Plan) -> Report {
    let shop = &plan.server;
    let initialized = inspect(plan, &["--method", "initialize"], shop).await;
    let listed = inspect(plan, &["--method", "tools/list"], shop).await;
    let mut results = Vec::new();
    for call in &plan.calls {
        results.push(inspect(plan, &tool_call(call.name, &call.arguments.to_string()), shop).await);
    }

    let long = tool_call("sleep", r#"{"milliseconds":30000}"#);
    let client = start(&mut inspector_command(plan, &long, &plan.slow_server));
    plan.wait_for_line("started").await;
    interrupt(client.id().expect("the client still runs")).await;
    wait(client).await;
    plan.wait_for_line("cancelled").await;
    let short = tool_call("sleep", r#"{"milliseconds":1}"#);
    let after_cancel = inspect(plan, &short, &plan.slow_server).await;

    let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
    Report {
        protocol: initialized["protocolVersion"].as_str().unwrap_or_default().to_owned(),
        server: initialized["serverInfo"]["name"].as_str().map(str::to_owned),
        tools: listed["tools"].as_array().into_iter().flatten().filter_map(name).collect(),
        results,
        after_cancel,
    }
}

/// One run of the Inspector: the result it printed. It exits with 5 when a result has `isError`.
async fn inspect(plan: &Plan, arguments: &[&str], server: &[String]) -> Value {
    let finished = run(&mut inspector_command(plan, arguments, server)).await;
    let printed: Value = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}:\n{}\n{}", finished.stdout, finished.stderr));
    let result = printed["result"].clone();
    assert_eq!(finished.success, result["isError"] != true, "{arguments:?}: {}", finished.stderr);
    result
}

fn inspector_command(plan: &Plan, arguments: &[&str], server: &[String]) -> Command {
    let mut command = node_command();
    command
        .arg(
            installed("node")
                .join("node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js"),
        )
        .args(["--cli", "--quiet", "--format", "json", "--protocol-era"])
        .arg(match plan.era {
            Era::Modern => "modern",
            Era::Legacy => "legacy",
        })
        .args(arguments)
        .arg("--")
        .args(server)
        // It keeps a catalogue of servers in the home directory.
        .env("HOME", plan.directory());
    command
}

fn tool_call<'a>(tool: &'a str, arguments: &'a str) -> [&'a str; 6] {
    ["--method", "tools/call", "--tool-name", tool, "--tool-args-json", arguments]
}

/// The pinned Node.js, which finds the pinned packages.
fn node_command() -> Command {
    let modules = installed("node").join("node_modules");
    let mut command = Command::new(modules.join("node/bin/node"));
    command.env("NODE_PATH", &modules);
    command
}

/// What Ctrl-C sends, to the client alone.
async fn interrupt(pid: u32) {
    let mut command = Command::new("kill");
    command.arg("-INT").arg(pid.to_string());
    run_ok(&mut command).await;
}
