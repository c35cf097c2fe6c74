//! Orders.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::{Address, Payment};
use crate::ids::{ItemId, OrderId, PaymentMethodId, ProductId, UserId};
use crate::money::Money;

/// An order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Order {
    /// The order's id.
    pub order_id: OrderId,
    /// Who ordered.
    pub user_id: UserId,
    /// How far the order is.
    pub status: OrderStatus,
    /// Where the order goes.
    pub address: Address,
    /// What was ordered.
    pub items: Vec<OrderItem>,
    /// Whether the items were modified already, which can be done once.
    pub items_modified: bool,
    /// The parcels, once the order has left the shop.
    pub fulfillments: Vec<Fulfillment>,
    /// All payments and refunds, oldest first.
    pub payments: Vec<Payment>,
    /// Why the order was cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cancel_reason: Option<CancelReason>,
    /// What the customer sends back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub return_request: Option<ReturnRequest>,
    /// What the customer gets instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exchange: Option<Exchange>,
}

impl Order {
    /// The item with this id, if the order has it.
    pub fn item(&self, id: &ItemId) -> Option<&OrderItem> {
        self.items.iter().find(|item| item.item_id == *id)
    }

    /// What the items cost.
    pub fn total(&self) -> Money {
        self.items.iter().map(|item| item.price).sum()
    }

    /// What was paid less refunds.
    pub fn paid(&self) -> Money {
        self.payments.iter().map(Payment::signed_amount).sum()
    }

    /// What each payment method has paid less its refunds; methods with a balance of zero are left out.
    pub fn paid_by_method(&self) -> BTreeMap<PaymentMethodId, Money> {
        let mut paid = BTreeMap::<_, Money>::new();
        for payment in &self.payments {
            *paid.entry(payment.payment_method_id.clone()).or_default() += payment.signed_amount();
        }
        paid.retain(|_, amount| *amount != Money::ZERO);
        paid
    }
}

/// How far an order is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum OrderStatus {
    /// Placed; can be modified and cancelled.
    Pending,
    /// Being packed.
    Processed,
    /// On its way.
    Shipped,
    /// With the customer; can be returned or exchanged.
    Delivered,
    /// Cancelled.
    Cancelled,
    /// Delivered, and items go back for a refund.
    ReturnRequested,
    /// Delivered, and items go back for others.
    ExchangeRequested,
}

impl fmt::Display for OrderStatus {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pending => "pending",
            Self::Processed => "processed",
            Self::Shipped => "shipped",
            Self::Delivered => "delivered",
            Self::Cancelled => "cancelled",
            Self::ReturnRequested => "waiting for returned items",
            Self::ExchangeRequested => "waiting for exchanged items",
        })
    }
}

/// One item of an order, with the price at the time of ordering.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct OrderItem {
    /// The variant.
    pub item_id: ItemId,
    /// The product it is a variant of.
    pub product_id: ProductId,
    /// The product's name.
    pub name: String,
    /// What tells this variant from the others.
    pub options: BTreeMap<String, String>,
    /// What it cost.
    pub price: Money,
}

/// One parcel.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Fulfillment {
    /// The carrier's number.
    pub tracking_id: String,
    /// What is in the parcel.
    pub item_ids: Vec<ItemId>,
}

/// Why an order is cancelled.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum CancelReason {
    /// The customer does not need it any more.
    #[serde(rename = "no longer needed")]
    NoLongerNeeded,
    /// The customer did not mean to order it.
    #[serde(rename = "ordered by mistake")]
    OrderedByMistake,
}

/// One item and the one to have in its place.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Replacement {
    /// The item of the order.
    pub item_id: ItemId,
    /// The item to have in its place: another available variant of the same product.
    pub new_item_id: ItemId,
}

/// Items that a customer sends back for a refund.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ReturnRequest {
    /// What goes back.
    pub item_ids: Vec<ItemId>,
    /// What the customer gets for it.
    pub refund: Money,
    /// Where the refund goes.
    pub payment_method_id: PaymentMethodId,
}

/// Items that a customer sends back for others.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Exchange {
    /// What goes back and what comes for it.
    pub replacements: Vec<Replacement>,
    /// What the new items cost more; negative where the customer gets money back.
    pub price_difference: Money,
}
