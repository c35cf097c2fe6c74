//! A server of rmcp, the official Rust SDK: on standard streams, or over HTTP at the port that `PORT` names. What it offers is described
//! in `tests/it/case.rs`.

use std::error::Error;
use std::sync::Arc;

use rmcp::handler::server::router::prompt::PromptRouter;
use rmcp::handler::server::router::tool::ToolRouter;
use rmcp::handler::server::wrapper::{Json, Parameters};
use rmcp::model::{
    CallToolResult, ContentBlock, ListResourcesResult, PaginatedRequestParams, PromptMessage,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, Role,
    ServerCapabilities, ServerConfig,
};
use rmcp::service::RequestContext;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService, stdio};
use rmcp::{
    ErrorData, RoleServer, ServerHandler, ServiceExt, prompt, prompt_handler, prompt_router, tool,
    tool_handler, tool_router,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

const STOCK: &str = "shop://stock";

#[derive(Deserialize, JsonSchema)]
struct Pair {
    a: i64,
    b: i64,
}

#[derive(Deserialize, JsonSchema)]
struct Failure {
    reason: String,
}

/// What is ordered.
#[derive(Deserialize, JsonSchema)]
struct Item {
    /// The article.
    #[schemars(regex(pattern = "^[A-Z]"))]
    #[expect(dead_code, reason = "what an article costs does not depend on it")]
    sku: String,
    #[serde(default = "one")]
    #[schemars(range(min = 1, max = 99))]
    count: u32,
}

#[derive(Deserialize, JsonSchema, Default)]
#[serde(rename_all = "lowercase")]
enum Speed {
    Fast,
    #[default]
    Cheap,
}

#[derive(Deserialize, JsonSchema)]
struct Order {
    items: Vec<Item>,
    #[serde(default)]
    #[expect(dead_code, reason = "what an article costs does not depend on it")]
    speed: Speed,
    note: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum State {
    Open,
}

#[derive(Serialize, JsonSchema)]
struct Receipt {
    total: f64,
    state: State,
    note: Option<String>,
}

fn one() -> u32 {
    1
}

#[derive(Deserialize, JsonSchema)]
struct Guest {
    name: String,
}

#[derive(Clone)]
struct Shop {
    tool_router: ToolRouter<Self>,
    prompt_router: PromptRouter<Self>,
}

impl Shop {
    fn new() -> Self {
        Self { tool_router: Self::tool_router(), prompt_router: Self::prompt_router() }
    }
}

#[expect(clippy::unused_self, reason = "the router calls methods")]
#[tool_router]
impl Shop {
    #[tool(description = "Adds two numbers.")]
    fn add(&self, Parameters(Pair { a, b }): Parameters<Pair>) -> String {
        (a + b).to_string()
    }

    #[tool(description = "Orders articles.")]
    fn order(&self, Parameters(Order { items, note, .. }): Parameters<Order>) -> Json<Receipt> {
        let count: u32 = items.iter().map(|item| item.count).sum();
        Json(Receipt { total: 2.5 * f64::from(count), state: State::Open, note })
    }

    #[tool(description = "Fails.")]
    fn fail(&self, Parameters(Failure { reason }): Parameters<Failure>) -> CallToolResult {
        CallToolResult::error(vec![ContentBlock::text(reason)])
    }
}

#[expect(clippy::unused_self, reason = "the router calls methods")]
#[prompt_router]
impl Shop {
    #[prompt(description = "Greets someone.")]
    fn greet(&self, Parameters(Guest { name }): Parameters<Guest>) -> Vec<PromptMessage> {
        vec![PromptMessage::new_text(Role::User, format!("Say hello to {name}."))]
    }
}

#[tool_handler(router = self.tool_router)]
#[prompt_handler(router = self.prompt_router)]
impl ServerHandler for Shop {
    fn get_info(&self) -> ServerConfig {
        let capabilities =
            ServerCapabilities::builder().enable_tools().enable_prompts().enable_resources().build();
        ServerConfig::new(capabilities)
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Ok(ListResourcesResult::with_all_items(vec![Resource::new(STOCK, "stock")]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        if request.uri != STOCK {
            return Err(ErrorData::resource_not_found("there is no such resource", None));
        }
        Ok(ReadResourceResult::new(vec![ResourceContents::text("7 apples", STOCK)]).into())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let Ok(port) = std::env::var("PORT") else {
        Shop::new().serve(stdio()).await?.waiting().await?;
        return Ok(());
    };
    let sessions = Arc::new(LocalSessionManager::default());
    let service =
        StreamableHttpService::new(|| Ok(Shop::new()), sessions, StreamableHttpServerConfig::default());
    let listener = tokio::net::TcpListener::bind(format!("127.0.0.1:{port}")).await?;
    axum::serve(listener, axum::Router::new().nest_service("/mcp", service)).await?;
    Ok(())
}
