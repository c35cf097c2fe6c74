//! rmcp, the official Rust SDK, as a client.

use rmcp::model::{CallToolRequest, CallToolRequestParams, ClientRequest, ProtocolVersion};
use rmcp::service::{PeerRequestOptions, RunningService};
use rmcp::transport::TokioChildProcess;
use rmcp::{ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::timeout;

use crate::plan::{Era, Plan, Report};
use crate::process::LIMIT;

type Client = RunningService<RoleClient, ()>;

/// Carries out the plan, within a minute.
pub(crate) async fn run(plan: &Plan) -> Report {
    timeout(LIMIT, carry_out(plan)).await.expect("the client ends within a minute")
}

async fn carry_out(plan: &Plan) -> Report {
    let mut shop = connect(plan.era, &plan.server).await;
    let tools = shop.list_all_tools().await.expect("the tools are listed");
    let mut results = Vec::new();
    for call in &plan.calls {
        results.push(call_tool(&shop, params(call.name, &call.arguments)).await);
    }
    let peer = shop.peer_info().expect("the server is known after the handshake");
    shop.close().await.expect("the server ends");

    let mut slow = connect(plan.era, &plan.slow_server).await;
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(sleep(30_000)));
    let running = slow
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .expect("the call is sent");
    plan.wait_for_line("started").await;
    running.cancel(Some("no longer needed".to_owned())).await.expect("the cancellation is sent");
    plan.wait_for_line("cancelled").await;
    let after_cancel = call_tool(&slow, sleep(1)).await;
    slow.close().await.expect("the server ends");

    Report {
        protocol: peer.protocol_version.to_string(),
        server: peer.server_info.as_ref().map(|server| server.name.clone()),
        tools: tools.iter().map(|tool| tool.name.to_string()).collect(),
        results,
        after_cancel,
    }
}

async fn connect(era: Era, server: &[String]) -> Client {
    let mut command = Command::new(&server[0]);
    command.args(&server[1..]);
    let transport = TokioChildProcess::new(command).expect("the server starts");
    let lifecycle = match era {
        Era::Modern => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    ().serve_with_lifecycle(transport, lifecycle).await.expect("the handshake succeeds")
}

async fn call_tool(client: &Client, params: CallToolRequestParams) -> Value {
    let result = client.call_tool(params).await.expect("the call is answered");
    serde_json::to_value(result).expect("a result is JSON")
}

fn sleep(milliseconds: u32) -> CallToolRequestParams {
    params("sleep", &json!({ "milliseconds": milliseconds }))
}

fn params(tool: &str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().expect("arguments are an object").clone();
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}
