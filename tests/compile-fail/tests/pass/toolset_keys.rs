//! Every key of a toolset, and calls through the set.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use toolwright::{Context, Handler, Json, Tool, ToolError, Toolset};

#[derive(Tool, Deserialize, JsonSchema)]
struct GetOrder {
    id: u32,
}

#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(was("list", "all_orders"))]
struct ListOrders<Filter> {
    filter: Option<Filter>,
}

#[derive(Serialize, JsonSchema)]
struct Order {
    id: u32,
}

struct Shop;

impl Handler<GetOrder> for Shop {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: GetOrder, _: &Context) -> Self::Output {
        Ok(Json(Order { id: input.id }))
    }
}

impl Handler<ListOrders<String>> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: ListOrders<String>, _: &Context) -> Self::Output {
        Ok(input.filter.unwrap_or_default())
    }
}

#[derive(Toolset)]
#[mcp(
    name = "shop",
    version = "2.0.0",
    title = "The shop",
    instructions = "Look up an order before you change it.",
    handler = Shop,
    workflow,
    crate = toolwright
)]
enum ShopTools {
    GetOrder(GetOrder),
    ListOrders(ListOrders<String>),
}

/// Without any key, and with handlers of another type.
#[derive(Toolset)]
enum Plain {
    GetOrder(GetOrder),
}

/// A server without tools yet.
#[derive(Toolset)]
enum Nothing {}

fn main() {
    let metadata = ShopTools::METADATA;
    assert_eq!(metadata.name, Some("shop"));
    assert_eq!(metadata.version, Some("2.0.0"));
    assert_eq!(metadata.title, Some("The shop"));
    assert_eq!(metadata.instructions, Some("Look up an order before you change it."));
    assert!(metadata.workflow && metadata.handler_known);
    assert_eq!(ShopTools::PACKAGE.name, env!("CARGO_PKG_NAME"));

    let definitions = ShopTools::definitions();
    let names: Vec<&str> = definitions.iter().map(|definition| definition.name.as_str()).collect();
    assert_eq!(names, ["get_order", "list_orders"]);
    assert!(definitions[0].output_schema.is_some(), "the handler gives it");
    assert!(definitions[1].output_schema.is_none());

    let plain = Plain::METADATA;
    assert!((plain.name, plain.workflow, plain.handler_known) == (None, false, false));
    assert!(Plain::definitions()[0].output_schema.is_none());

    let arguments = RawValue::from_string(r#"{"id": 7}"#.to_owned()).unwrap();
    assert!(matches!(ShopTools::decode("get_order", Some(&arguments)), Ok(ShopTools::GetOrder(order)) if order.id == 7));
    for former in ["list_orders", "list", "all_orders"] {
        assert!(matches!(ShopTools::decode(former, None), Ok(ShopTools::ListOrders(_))), "{former}");
    }
    assert!(ShopTools::decode("get_order", None).is_err());
    assert!(ShopTools::decode("cancel", None).is_err());
    assert!(Nothing::definitions().is_empty() && Nothing::decode("get_order", None).is_err());
    assert!(matches!(Plain::decode("get_order", Some(&arguments)), Ok(Plain::GetOrder(_))));
}
