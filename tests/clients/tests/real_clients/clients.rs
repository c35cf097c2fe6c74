//! Clients that run as separate programs.

use serde_json::Value;
use tokio::process::Command;

use crate::plan::{Era, Plan, Report};
use crate::process::{run, run_ok, start, wait};
use crate::servers::{Server, installed, script};

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

/// The Inspector's command line. It makes one request a run, and cancels by leaving.
pub(crate) async fn inspector(plan: &Plan) -> Report {
    let shop = &plan.server;
    let initialized = inspect(plan, &["--method", "initialize"], shop).await;
    let listed = inspect(plan, &["--method", "tools/list"], shop).await;
    let mut results = Vec::new();
    for call in &plan.calls {
        results.push(inspect(plan, &tool_call(call.name, &call.arguments.to_string()), shop).await);
    }

    let duration =
        if plan.long_call == "cancelled" { r#"{"milliseconds":30000}"# } else { r#"{"milliseconds":3000}"# };
    let long = tool_call("sleep", duration);
    let client = start(&mut inspector_command(plan, &long, &plan.slow_server));
    plan.wait_for_line("started").await;
    interrupt(client.id().expect("the client still runs")).await;
    wait(client).await;
    plan.wait_for_line(plan.long_call).await;
    let short = tool_call("sleep", r#"{"milliseconds":1}"#);
    let after_cancel = inspect(plan, &short, &plan.slow_server).await;
    let prompt = ["--method", "prompts/get", "--prompt-name", "lullaby", "--prompt-args", "name=Ada"];
    let prompt = inspect(plan, &prompt, &plan.slow_server).await;
    let resource = ["--method", "resources/read", "--uri", "sleeper://nights"];
    let resource = inspect(plan, &resource, &plan.slow_server).await;

    let name = |tool: &Value| tool["name"].as_str().map(str::to_owned);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    Report {
        protocol: text(&initialized["protocolVersion"]),
        server: initialized["serverInfo"]["name"].as_str().map(str::to_owned),
        tools: listed["tools"].as_array().into_iter().flatten().filter_map(name).collect(),
        results,
        after_cancel,
        prompt: text(&prompt["messages"][0]["content"]["text"]),
        resource: text(&resource["contents"][0]["text"]),
        heard: None,
    }
}

/// One run of the Inspector: the result it printed. It exits with 5 when a result has `isError`.
async fn inspect(plan: &Plan, arguments: &[&str], server: &Server) -> Value {
    let finished = run(&mut inspector_command(plan, arguments, server)).await;
    let printed: Value = serde_json::from_str(&finished.stdout)
        .unwrap_or_else(|error| panic!("{arguments:?}: {error}:\n{}\n{}", finished.stdout, finished.stderr));
    let result = printed["result"].clone();
    assert_eq!(finished.success, result["isError"] != true, "{arguments:?}: {}", finished.stderr);
    result
}

fn inspector_command(plan: &Plan, arguments: &[&str], server: &Server) -> Command {
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
        .args(server.words())
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
