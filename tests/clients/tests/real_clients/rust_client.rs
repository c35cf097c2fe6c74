//! rmcp, the official Rust SDK, as a client.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rmcp::model::{
    CallToolRequest, CallToolRequestParams, ClientRequest, GetPromptRequestParams, ProgressNotificationParam,
    ProtocolVersion, ReadResourceRequestParams, ResourceUpdatedNotificationParam, ServerNotification,
    SubscribeRequestParams, SubscriptionFilter,
};
use rmcp::service::{NotificationContext, PeerRequestOptions, RunningService, Subscription};
use rmcp::transport::{StreamableHttpClientTransport, TokioChildProcess};
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt, RoleClient};
use serde_json::{Value, json};
use tokio::process::Command;
use tokio::time::{sleep, timeout};

use crate::plan::{Era, Heard, Plan, Report};
use crate::process::LIMIT;
use crate::servers::Server;

const NIGHTS: &str = "sleeper://nights";

type Client = RunningService<RoleClient, Ears>;

/// Runs the plan, within a minute.
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
    let subscription = watch(&slow, plan.era).await;
    let request = ClientRequest::CallToolRequest(CallToolRequest::new(sleep_for(30_000)));
    let running = slow
        .send_cancellable_request(request, PeerRequestOptions::no_options())
        .await
        .expect("the call is sent");
    plan.wait_for_line("started").await;
    running.cancel(Some("no longer needed".to_owned())).await.expect("the cancellation is sent");
    plan.wait_for_line("cancelled").await;
    let after_cancel = call_tool(&slow, sleep_for(20)).await;
    let heard = slow.service().clone();
    if let Some(subscription) = subscription {
        heard.await_update_of(subscription).await;
    }
    let heard = heard.in_the_end().await;
    let resource =
        slow.read_resource(ReadResourceRequestParams::new(NIGHTS)).await.expect("the resource is read");
    let mut lullaby = GetPromptRequestParams::new("lullaby");
    lullaby.arguments = json!({ "name": "Ada" }).as_object().cloned();
    let prompt = slow.get_prompt(lullaby).await.expect("the prompt is there");
    slow.close().await.expect("the server ends");

    let text = |value: Value| value.as_str().unwrap_or_default().to_owned();
    Report {
        protocol: peer.protocol_version.to_string(),
        server: peer.server_info.as_ref().map(|server| server.name.clone()),
        tools: tools.iter().map(|tool| tool.name.to_string()).collect(),
        results,
        after_cancel,
        prompt: text(json!(prompt)["messages"][0]["content"]["text"].take()),
        resource: text(json!(resource)["contents"][0]["text"].take()),
        heard: Some(heard),
    }
}

async fn connect(era: Era, server: &Server) -> Client {
    let lifecycle = match era {
        Era::Modern => {
            ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
        }
        Era::Legacy => ClientLifecycleMode::Initialize,
    };
    let ears = Ears::default();
    let client = match server {
        Server::Command { command } => {
            let mut program = Command::new(&command[0]);
            program.args(&command[1..]);
            let transport = TokioChildProcess::new(program).expect("the server starts");
            ears.serve_with_lifecycle(transport, lifecycle).await
        }
        Server::Listening { url, .. } => {
            let transport = StreamableHttpClientTransport::from_uri(url.as_str());
            ears.serve_with_lifecycle(transport, lifecycle).await
        }
    };
    client.expect("the handshake succeeds")
}

/// Subscribes to the resource. In the modern era updates arrive on the subscription, else in the client's handler.
async fn watch(client: &Client, era: Era) -> Option<Subscription> {
    if era == Era::Modern {
        let filter = SubscriptionFilter::builder().resource_subscriptions([NIGHTS]).build();
        return Some(client.listen(filter).await.expect("the subscription is acknowledged"));
    }
    #[expect(deprecated, reason = "older revisions have nothing else")]
    client.subscribe(SubscribeRequestParams::new(NIGHTS)).await.expect("the resource is watched");
    None
}

async fn call_tool(client: &Client, params: CallToolRequestParams) -> Value {
    let result = client.call_tool(params).await.expect("the call is answered");
    serde_json::to_value(result).expect("a result is JSON")
}

fn sleep_for(milliseconds: u32) -> CallToolRequestParams {
    params("sleep", &json!({ "milliseconds": milliseconds }))
}

fn params(tool: &str, arguments: &Value) -> CallToolRequestParams {
    let arguments = arguments.as_object().expect("arguments are an object").clone();
    CallToolRequestParams::new(tool.to_owned()).with_arguments(arguments)
}

/// Records notifications.
#[derive(Debug, Clone, Default)]
struct Ears(Arc<Mutex<Heard>>);

impl Ears {
    fn change<T>(&self, change: impl FnOnce(&mut Heard) -> T) -> T {
        change(&mut self.0.lock().expect("no test panics while it holds the lock"))
    }

    async fn await_update_of(&self, mut subscription: Subscription) {
        let notification = subscription.next().await.expect("the subscription goes on");
        let Some(ServerNotification::ResourceUpdatedNotification(updated)) = notification else {
            panic!("not an update of the resource, but {notification:?}");
        };
        self.change(|heard| heard.updated.push(updated.params.uri));
    }

    /// The notifications, once the update of the resource has arrived, which may be after the answer of the call.
    async fn in_the_end(&self) -> Heard {
        while self.change(|heard| heard.updated.is_empty()) {
            sleep(Duration::from_millis(20)).await;
        }
        self.change(|heard| heard.clone())
    }
}

impl ClientHandler for Ears {
    async fn on_progress(&self, progress: ProgressNotificationParam, _: NotificationContext<RoleClient>) {
        let message = progress.message.unwrap_or_default();
        let total = progress.total.unwrap_or_default();
        self.change(|heard| heard.progress.push((progress.progress, total, message)));
    }

    async fn on_resource_updated(
        &self,
        updated: ResourceUpdatedNotificationParam,
        _: NotificationContext<RoleClient>,
    ) {
        self.change(|heard| heard.updated.push(updated.uri));
    }
}
