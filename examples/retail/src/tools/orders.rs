//! Looking at orders, and changing those that have not been packed yet.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Json, Tool, ToolError};

use crate::Retail;
use crate::ids::{OrderId, PaymentMethodId};
use crate::model::{Address, CancelReason, Order, Replacement};

/// Shows an order: its status, address, items with prices, parcels, payments and refunds.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Order details", read_only, idempotent, open_world = false, tags("orders"))]
pub struct GetOrderDetails {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
    pub order_id: OrderId,
}

impl Handler<GetOrderDetails> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: GetOrderDetails, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().order(&input.order_id)?.clone()))
    }
}

/// Cancels a pending order and refunds what was paid: to a gift card at once, to other payment methods in 5 to 7
/// business days. It cannot be undone: name the order to the customer and ask for the reason first.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Cancel a pending order",
    destructive,
    idempotent,
    open_world = false,
    tags("orders"),
    was("cancel_order")
)]
pub struct CancelPendingOrder {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
    pub order_id: OrderId,
    /// Why the customer cancels; there are no other reasons.
    #[mcp(example = "no longer needed")]
    pub reason: CancelReason,
}

impl Handler<CancelPendingOrder> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: CancelPendingOrder, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().cancel_order(&input.order_id, input.reason)?.clone()))
    }
}

/// Sends a pending order to another address. The customer's own address stays as it is.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Change the address of a pending order",
    destructive,
    idempotent,
    open_world = false,
    tags("orders")
)]
pub struct ModifyPendingOrderAddress {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
    pub order_id: OrderId,
    /// The new address, all of it.
    #[serde(flatten)]
    pub address: Address,
}

impl Handler<ModifyPendingOrderAddress> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: ModifyPendingOrderAddress, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().modify_order_address(&input.order_id, input.address)?.clone()))
    }
}

/// Replaces items of a pending order by other available variants of the same products. It can be done once for
/// an order: collect all changes and ask the customer to confirm them first. If the new items cost less, the
/// difference goes back to where the order was paid from.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Change the items of a pending order",
    destructive,
    idempotent,
    open_world = false,
    tags("orders")
)]
pub struct ModifyPendingOrderItems {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
    pub order_id: OrderId,
    /// Each item to replace, once, with the item to have in its place. The other items stay.
    #[mcp(min_items = 1, max_items = 20)]
    pub replacements: Vec<Replacement>,
    /// The customer's payment method that pays if the new items cost more; a gift card must have enough left.
    #[mcp(pattern = r"^(credit_card|gift_card|paypal)_\d{7}$", example = "paypal_0000001")]
    pub payment_method_id: PaymentMethodId,
}

impl Handler<ModifyPendingOrderItems> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: ModifyPendingOrderItems, _cx: &Context) -> Self::Output {
        let ModifyPendingOrderItems { order_id, replacements, payment_method_id } = input;
        Ok(Json(self.store().modify_order_items(&order_id, &replacements, &payment_method_id)?.clone()))
    }
}

/// Pays a pending order with another payment method of the same customer. What was paid goes back to where it
/// came from: to a gift card at once, otherwise in 5 to 7 business days.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Change the payment of a pending order",
    destructive,
    idempotent,
    open_world = false,
    tags("orders", "payments")
)]
pub struct ModifyPendingOrderPayment {
    /// The order: `#W` and seven digits.
    #[mcp(pattern = r"^#W\d{7}$", example = "#W0000001")]
    pub order_id: OrderId,
    /// The payment method to use instead; a gift card must have enough left for the whole order.
    #[mcp(pattern = r"^(credit_card|gift_card|paypal)_\d{7}$", example = "credit_card_0000001")]
    pub payment_method_id: PaymentMethodId,
}

impl Handler<ModifyPendingOrderPayment> for Retail {
    type Output = Result<Json<Order>, ToolError>;

    async fn call(&self, input: ModifyPendingOrderPayment, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().modify_order_payment(&input.order_id, &input.payment_method_id)?.clone()))
    }
}
