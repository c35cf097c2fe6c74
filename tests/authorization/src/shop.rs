//! A service to protect, whose tools, prompts and resources need different scopes.

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;
use toolwright::auth::{Principal, Protection, TokenVerifier};
use toolwright::{
    Context, Handler, HttpConfig, Json, Limits, Prompt, ResourceTemplate, Server, Service, Tool, ToolError,
    Toolset,
    completion::{CompletionContext, Reference},
};

/// The shop's resource identifier.
pub const RESOURCE: &str = "https://shop.example/mcp";

/// Who is asking.
#[derive(Tool, Deserialize, JsonSchema)]
pub struct Whoami {}

/// Lists the orders.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes("orders:read"))]
pub struct ListOrders {}

/// Cancels an order.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes("orders:write", "orders:cancel"), was("void_order"))]
pub struct CancelOrder {
    /// Where the order is kept.
    #[mcp(header = "Region")]
    #[serde(rename = "region")]
    _region: String,
}

/// The tools of the shop.
#[derive(Toolset)]
#[mcp(name = "shop", title = "The shop", handler = Shop)]
pub enum ShopTools {
    /// Who is asking.
    Whoami(Whoami),
    /// Lists the orders.
    ListOrders(ListOrders),
    /// Cancels an order.
    CancelOrder(CancelOrder),
}

/// The shop.
#[derive(Debug)]
pub struct Shop;

impl Handler<Whoami> for Shop {
    type Output = Result<Json<serde_json::Value>, ToolError>;

    async fn call(&self, _: Whoami, cx: &Context) -> Self::Output {
        // So that tests also cover a handler that waits.
        tokio::task::yield_now().await;
        Ok(Json(about(cx)))
    }
}

impl Handler<ListOrders> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, _: ListOrders, _: &Context) -> Self::Output {
        Ok("order 1".to_owned())
    }
}

impl Handler<CancelOrder> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, _: CancelOrder, _: &Context) -> Self::Output {
        Ok("cancelled".to_owned())
    }
}

/// What a handler knows about its caller.
fn about(cx: &Context) -> serde_json::Value {
    #[derive(Deserialize)]
    struct Claims {
        tenant: Option<String>,
    }
    let Some(principal) = cx.principal() else { return json!({}) };
    json!({
        "subject": principal.subject(),
        "issuer": principal.issuer(),
        "client": principal.client_id(),
        "scopes": principal.scopes().collect::<Vec<_>>(),
        "tenant": principal.claims::<Claims>().ok().and_then(|claims| claims.tenant),
    })
}

#[derive(Deserialize, JsonSchema)]
struct Item {
    // `complete` suggests it.
    item: String,
}

/// The shop as a service; its prompt, its resources and its completion say who asks.
///
/// # Panics
/// If the tools are invalid.
pub fn service() -> Service {
    with_limits(Limits::default())
}

/// The same with other limits.
///
/// # Panics
/// As [`service`].
pub fn with_limits(limits: Limits) -> Service {
    let told = |item: Item, cx: Context| async move { format!("{} for {}", item.item, subject(&cx)) };
    Server::new(Shop)
        .tools::<ShopTools>()
        .prompt(Prompt::new("advise"), told)
        .complete(Reference::prompt("advise"), "item", async |_: String, cx: CompletionContext| {
            vec![subject(&cx.request)]
        })
        .resource_template(ResourceTemplate::new("shop://items/{item}", "items"), told)
        .limits(limits)
        .build()
        .expect("the tools are right")
}

fn subject(cx: &Context) -> String {
    cx.principal().map_or("nobody", Principal::subject).to_owned()
}

/// The settings of an endpoint that is protected by this verifier and names no authorization server.
///
/// # Panics
/// Never: the resource identifier is valid.
pub fn protected(verifier: impl TokenVerifier) -> HttpConfig {
    HttpConfig::new().protect(protection(verifier))
}

/// What [`protected`] requires of callers.
///
/// # Panics
/// As [`protected`].
pub fn protection(verifier: impl TokenVerifier) -> Protection {
    Protection::new(RESOURCE, verifier).expect("a resource identifier")
}
