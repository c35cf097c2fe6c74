//! A manifest shows the very definitions that the server lists.
#![cfg(feature = "in-process")]

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::to_value;
use toolwright::{
    Client, Context, Handler, Json, Server, Service, Tool, ToolError, Toolset, client::ListedTool,
    definition::ToolDefinition, toolset,
};

/// Shows an order.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Order details", read_only, tags("orders"), context = "orders", was("find_order"))]
struct GetOrder {
    /// The order's number.
    #[mcp(minimum = 1, example = 7)]
    order: u32,
    /// The server's key.
    #[mcp(credential)]
    key: String,
}

/// Lists all orders.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct AllOrders;

/// An order.
#[derive(Debug, Serialize, JsonSchema)]
struct Order {
    /// The order's number.
    number: u32,
}

#[derive(Debug)]
struct Shop;

impl Handler<GetOrder> for Shop {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: GetOrder, _cx: &Context) -> Self::Output {
        if input.key.is_empty() {
            return Err(ToolError::new("the server has no key"));
        }
        Ok(Json(Order { number: input.order }))
    }
}

impl Handler<AllOrders> for Shop {
    type Output = Result<Json<Vec<Order>>, ToolError>;

    async fn call(&self, _input: AllOrders, _cx: &Context) -> Self::Output {
        Ok(Json(Vec::new()))
    }
}

/// Plain tools, not in the order of their names.
#[derive(Debug, Toolset)]
#[mcp(name = "plain", handler = Shop)]
enum Plain {
    GetOrder(GetOrder),
    AllOrders(AllOrders),
}

/// The same tools with the parameters of a workflow.
#[derive(Debug, Toolset)]
#[mcp(name = "workflow", handler = Shop, workflow)]
enum Workflow {
    GetOrder(GetOrder),
    AllOrders(AllOrders),
}

// As reported in kintone/mcp-server#568.
#[tokio::test]
async fn the_manifest_shows_what_the_server_lists() {
    let server = || Server::new(Shop).credential("key", "from the vault");
    check::<Plain>(&server().tools::<Plain>().build().expect("the tools are right")).await;
    check::<Workflow>(&server().tools::<Workflow>().build().expect("the tools are right")).await;
}

async fn check<T: Toolset>(service: &Service) {
    let name = T::METADATA.name.expect("both sets have a name");
    let listed = Client::in_process(service).list_tools().await.expect("the server lists its tools");
    let listed: Vec<ToolDefinition> = listed.iter().map(ListedTool::definition).collect();
    assert_eq!(listed.len(), 2, "{name}");
    assert_same(&listed, &toolset::definitions_of::<T>());

    let mut linked = toolwright::__private::TOOLSETS.iter().filter(|set| set.metadata.name == Some(name));
    let answered = linked.next().expect("the set is linked");
    assert_same(&listed, &(answered.definitions)());
}

/// Compares the JSON, so that the order of members counts as well.
fn assert_same(listed: &[ToolDefinition], shown: &[ToolDefinition]) {
    let text = |tools| to_value(tools).expect("definitions are JSON").to_string();
    assert_eq!(text(listed), text(shown));
}
