//! Why the shop refuses something.

use crate::ids::{ItemId, OrderId, PaymentMethodId, ProductId, UserId};
use crate::model::OrderStatus;
use crate::money::Money;

/// Why the shop refuses something; the messages tell a model what to do next.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum RuleError {
    /// No customer has this id.
    #[error("no customer has the id {0}; find the id with find_user_id_by_email or find_user_id_by_name_zip")]
    UnknownUser(UserId),
    /// No product has this id.
    #[error("no product has the id {0}; list_all_product_types lists all of them")]
    UnknownProduct(ProductId),
    /// No order has this id.
    #[error("no order has the id {0}; get_user_details lists a customer's orders")]
    UnknownOrder(OrderId),
    /// No customer has this e-mail address.
    #[error("no customer has this e-mail address; check the spelling or use find_user_id_by_name_zip")]
    NoSuchEmail,
    /// No customer has this name and ZIP code.
    #[error("no customer has this name and ZIP code; check the spelling or use find_user_id_by_email")]
    NoSuchNameAndZip,
    /// More than one customer has this name and ZIP code.
    #[error(
        "several customers have this name and ZIP code; ask for the e-mail address and use find_user_id_by_email"
    )]
    SeveralWithNameAndZip,

    /// The order has left the state in which it can be modified or cancelled.
    #[error("order {order} is {status}; only a pending order can be modified or cancelled")]
    NotPending {
        /// The order.
        order: OrderId,
        /// Its status.
        status: OrderStatus,
    },
    /// The order is not with the customer, or was returned or exchanged before.
    #[error("order {order} is {status}; only a delivered order can be returned or exchanged, and only once")]
    NotDelivered {
        /// The order.
        order: OrderId,
        /// Its status.
        status: OrderStatus,
    },
    /// The items of the order were modified before.
    #[error(
        "the items of order {0} were modified already, which can be done once; the order can still be cancelled"
    )]
    ItemsModifiedAlready(OrderId),

    /// The list of items is empty.
    #[error("name one item of the order at least")]
    NoItems,
    /// The same item appears twice in the list.
    #[error("item {0} is listed twice; list each item of the order once")]
    ItemListedTwice(ItemId),
    /// The order does not have the item.
    #[error("order {order} has no item {item}; get_order_details lists its items")]
    NotInOrder {
        /// The order.
        order: OrderId,
        /// The item.
        item: ItemId,
    },
    /// No product has a variant with this id.
    #[error("no product has an item {0}; get_product_details lists the items of a product")]
    UnknownItem(ItemId),
    /// The new item is the old one.
    #[error("item {0} would be replaced by itself; choose another variant")]
    SameItem(ItemId),
    /// The new item is a variant of another product.
    #[error(
        "item {new_item} is not a variant of {product}; choose one that get_product_details lists for {product_id}"
    )]
    OtherProduct {
        /// The item that was asked for.
        new_item: ItemId,
        /// The name of the product that it has to be a variant of.
        product: String,
        /// The id of that product.
        product_id: ProductId,
    },
    /// The new item cannot be ordered.
    #[error("item {0} is not available; choose one that get_product_details shows as available")]
    NotAvailable(ItemId),

    /// The payment method is not the customer's.
    #[error("customer {user} has no payment method {method}; get_user_details lists them")]
    NotTheirPaymentMethod {
        /// The customer.
        user: UserId,
        /// The method.
        method: PaymentMethodId,
    },
    /// The order is paid with this method already.
    #[error("order {order} is paid with {method} already; choose another payment method")]
    SamePaymentMethod {
        /// The order.
        order: OrderId,
        /// The method.
        method: PaymentMethodId,
    },
    /// There is not enough on the gift card.
    #[error("gift card {method} has {balance} left and {needed} is needed; choose another payment method")]
    BalanceTooLow {
        /// The gift card.
        method: PaymentMethodId,
        /// What is on it.
        balance: Money,
        /// What should be paid.
        needed: Money,
    },
    /// The refund of a return cannot go there.
    #[error(
        "the refund of order {order} can go to the payment method that paid it or to a gift card, not to {method}"
    )]
    RefundElsewhere {
        /// The order.
        order: OrderId,
        /// The method that was asked for.
        method: PaymentMethodId,
    },

    /// Too many conversations wait for a person.
    #[error("no person is free and the line is full; ask the customer to come back later")]
    NoHumanAvailable,
}
