//! rmcp, the official Rust SDK, as a client.

use std::sync::{Arc, Mutex};

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, ElicitRequestParams,
    ElicitResult, ElicitationAction, GetPromptRequestParams, Implementation, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams,
};
use rmcp::service::{NotificationContext, RequestContext};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::process::Command;

use crate::plan::{Call, Endpoint, Era, Plan, Report};

/// Carries out a plan, or returns why it cannot.
pub(crate) async fn run(plan: &Plan) -> Result<Report, String> {
    let lifecycle = match plan.era {
        Era::Modern => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    let answers = Answers::default();
    let connected = match &plan.server {
        Endpoint::Command { command } => {
            let mut program = Command::new(&command[0]);
            program.args(&command[1..]);
            let transport = TokioChildProcess::new(program).map_err(|error| error.to_string())?;
            answers.clone().serve_with_lifecycle(transport, lifecycle).await
        }
        Endpoint::Url { url, headers } => {
            let mut config = StreamableHttpClientTransportConfig::with_uri(url.as_str());
            if let Some(token) =
                headers["Authorization"].as_str().and_then(|value| value.strip_prefix("Bearer "))
            {
                config = config.auth_header(token);
            }
            let transport = StreamableHttpClientTransport::from_config(config);
            answers.clone().serve_with_lifecycle(transport, lifecycle).await
        }
    };
    let mut client = connected.map_err(|error| format!("{error:?}"))?;
    let tools = client.list_all_tools().await.map_err(|error| error.to_string())?;
    let mut results = Vec::new();
    for call in &plan.calls {
        let result = client.call_tool(params(call)).await;
        results.push(result.map_or_else(|error| format!("error: {error}"), |result| text_of(&result)));
    }
    let mut report = Report {
        protocol: client.peer_info().map(|peer| peer.protocol_version.to_string()).unwrap_or_default(),
        tools: tools.iter().map(|tool| tool.name.to_string()).collect(),
        results,
        progress: None,
        elicited: None,
        prompt: None,
        resource: None,
    };
    if plan.is_whole {
        client.call_tool(params(&plan.long)).await.map_err(|error| error.to_string())?;
        report.progress = Some(answers.0.lock().unwrap().clone());
        let asked = client.call_tool(CallToolRequestParams::new(plan.elicit)).await;
        report.elicited = Some(text_of(&asked.map_err(|error| error.to_string())?));
        let mut prompt = GetPromptRequestParams::new(plan.prompt.name.clone());
        prompt.arguments = plan.prompt.arguments.as_object().cloned();
        let prompt = client.get_prompt(prompt).await.map_err(|error| error.to_string())?;
        report.prompt = text(&json!(prompt)["messages"][0]["content"]["text"]);
        let resource = client.read_resource(ReadResourceRequestParams::new(plan.resource)).await;
        report.resource = text(&json!(resource.map_err(|error| error.to_string())?)["contents"][0]["text"]);
    }
    client.close().await.map_err(|error| error.to_string())?;
    Ok(report)
}

fn params(call: &Call) -> CallToolRequestParams {
    let arguments = call.arguments.as_object().cloned().unwrap_or_default();
    CallToolRequestParams::new(call.name.clone()).with_arguments(arguments)
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

fn text_of(result: &CallToolResult) -> String {
    let result = json!(result);
    let parts = result["content"].as_array().into_iter().flatten();
    parts.filter_map(|part| part["text"].as_str()).collect::<Vec<_>>().join("\n")
}

/// Gives the name that it is asked for, and records progress.
#[derive(Debug, Clone, Default)]
struct Answers(Arc<Mutex<Vec<f64>>>);

impl ClientHandler for Answers {
    async fn create_elicitation(
        &self,
        _: ElicitRequestParams,
        _: RequestContext<RoleClient>,
    ) -> Result<ElicitResult, ErrorData> {
        Ok(ElicitResult::new(ElicitationAction::Accept).with_content(json!({"name": "Ada"})))
    }

    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        self.0.lock().unwrap().push(progress.progress);
    }

    fn get_info(&self) -> ClientConfig {
        ClientConfig::new(
            ClientCapabilities::builder().enable_elicitation().build(),
            Implementation::new("toolwright-tests", "1.0.0"),
        )
    }
}
