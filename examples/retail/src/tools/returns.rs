//! Sending back items of delivered orders.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Json, Tool, ToolError};

use crate::Retail;
use crate::ids::{ItemId, OrderId, PaymentMethodId};
use crate::model::{Order, Replacement};

/// Takes back items of a delivered order for a refund. An order can be returned or exchanged once: collect all
/// items and ask the customer to confirm them first.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Return items of a delivered order",
    destructive,
    idempotent,
    open_world = false,
    tags("orders", "returns")
)]
pub struct ReturnDeliveredOrderItems {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000002")]
    pub order_id: OrderId,
    /// The items of the order that go back, each once.
    #[mcp(min_items = 1, max_items = 20, example = ["2000000090"])]
    pub item_ids: Vec<ItemId>,
    /// Where the refund goes: the payment method that paid the order, or a gift card of the customer.
    #[mcp(pattern = r"^(credit_card|gift_card|paypal)_\d{7}$", example = "paypal_0000002")]
    pub payment_method_id: PaymentMethodId,
}

impl Handler<ReturnDeliveredOrderItems> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: ReturnDeliveredOrderItems, _cx: &Context) -> Self::Output {
        let ReturnDeliveredOrderItems { order_id, item_ids, payment_method_id } = input;
        Ok(Json(self.store().return_items(&order_id, item_ids, &payment_method_id)?.clone()))
    }
}

/// Exchanges items of a delivered order for other available variants of the same products. An order can be
/// returned or exchanged once: collect all items and ask the customer to confirm them first. If the new items cost
/// less, the difference goes back to where the order was paid from.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Exchange items of a delivered order",
    destructive,
    idempotent,
    open_world = false,
    tags("orders", "returns")
)]
pub struct ExchangeDeliveredOrderItems {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000002")]
    pub order_id: OrderId,
    /// Each item to send back, once, with the item to have in its place. The other items stay.
    #[mcp(min_items = 1, max_items = 20)]
    pub replacements: Vec<Replacement>,
    /// The customer's payment method that pays if the new items cost more; a gift card must have enough left.
    #[mcp(pattern = r"^(credit_card|gift_card|paypal)_\d{7}$", example = "paypal_0000002")]
    pub payment_method_id: PaymentMethodId,
}

impl Handler<ExchangeDeliveredOrderItems> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: ExchangeDeliveredOrderItems, _cx: &Context) -> Self::Output {
        let ExchangeDeliveredOrderItems { order_id, replacements, payment_method_id } = input;
        Ok(Json(self.store().exchange_items(&order_id, replacements, &payment_method_id)?.clone()))
    }
}
