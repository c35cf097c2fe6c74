//! Payment methods, payments and refunds.

use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::PaymentMethodId;
use crate::money::Money;

/// How a customer can pay and be paid back.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum PaymentMethod {
    /// A credit card.
    CreditCard {
        /// The method's id.
        payment_method_id: PaymentMethodId,
        /// Who issued the card.
        brand: CardBrand,
        /// The last four digits of the card's number.
        last_four: String,
    },
    /// A gift card of the shop.
    GiftCard {
        /// The method's id.
        payment_method_id: PaymentMethodId,
        /// What is left on the card; never negative.
        balance: Money,
    },
    /// A `PayPal` account.
    Paypal {
        /// The method's id.
        payment_method_id: PaymentMethodId,
    },
}

impl PaymentMethod {
    /// The method's id.
    pub fn id(&self) -> &PaymentMethodId {
        match self {
            Self::CreditCard { payment_method_id, .. }
            | Self::GiftCard { payment_method_id, .. }
            | Self::Paypal { payment_method_id } => payment_method_id,
        }
    }

    /// What is left on a gift card; `None` for other methods, whose limit the shop does not know.
    pub fn balance(&self) -> Option<Money> {
        match self {
            Self::GiftCard { balance, .. } => Some(*balance),
            Self::CreditCard { .. } | Self::Paypal { .. } => None,
        }
    }
}

/// Who issued a credit card.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CardBrand {
    /// Visa.
    Visa,
    /// Mastercard.
    Mastercard,
    /// American Express.
    Amex,
}

/// Money that moved for an order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Payment {
    /// Which way the money goes.
    pub kind: PaymentKind,
    /// How much; never negative.
    pub amount: Money,
    /// The customer's payment method.
    pub payment_method_id: PaymentMethodId,
    /// Whether the money has arrived.
    pub state: PaymentState,
}

impl Payment {
    /// The amount with its sign: negative for a refund.
    pub fn signed_amount(&self) -> Money {
        match self.kind {
            PaymentKind::Payment => self.amount,
            PaymentKind::Refund => -self.amount,
        }
    }
}

/// Which way money goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentKind {
    /// From the customer to the shop.
    Payment,
    /// From the shop to the customer.
    Refund,
}

/// Whether money has arrived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum PaymentState {
    /// It has: payments, and refunds to a gift card.
    Settled,
    /// It will in 5 to 7 business days: refunds to a credit card or a `PayPal` account.
    OnItsWay,
}
