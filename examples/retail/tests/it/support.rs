//! Finding customers and orders with the properties that a test needs.

use retail::ids::{ItemId, OrderId, PaymentMethodId};
use retail::model::{
    Address, Country, Order, OrderItem, OrderStatus, PaymentMethod, Replacement, User, Variant,
};
use retail::money::Money;
use retail::store::Store;

/// The first order of a status whose customer and items are as `wanted`.
pub(crate) fn find_order(
    store: &Store,
    status: OrderStatus,
    wanted: impl Fn(&Order, &User) -> bool,
) -> (Order, User) {
    store
        .orders()
        .filter(|order| order.status == status)
        .map(|order| (order, store.user(&order.user_id).expect("an order has a customer")))
        .find(|(order, user)| wanted(order, user))
        .map(|(order, user)| (order.clone(), user.clone()))
        .expect("the data has such an order")
}

/// An available variant of the item's product that is as `wanted`.
pub(crate) fn find_variant(
    store: &Store,
    item: &OrderItem,
    wanted: impl Fn(&Variant) -> bool,
) -> Option<Variant> {
    let product = store.product(&item.product_id).expect("an item has a product");
    product
        .variants
        .iter()
        .find(|variant| variant.available && variant.item_id != item.item_id && wanted(variant))
        .cloned()
}

pub(crate) fn replacement(item: &OrderItem, variant: &Variant) -> Replacement {
    Replacement { item_id: item.item_id.clone(), new_item_id: variant.item_id.clone() }
}

/// The customer's gift card and what is left on it.
pub(crate) fn gift_card(user: &User) -> Option<(PaymentMethodId, Money)> {
    user.payment_methods.iter().find_map(|method| Some((method.id().clone(), method.balance()?)))
}

/// What the order was paid with, where that was one method.
pub(crate) fn paid_with(order: &Order) -> PaymentMethodId {
    order.payments[0].payment_method_id.clone()
}

pub(crate) fn is_gift_card(method: &PaymentMethod) -> bool {
    method.balance().is_some()
}

pub(crate) fn order_id(text: &str) -> OrderId {
    OrderId::new(text)
}

pub(crate) fn item_id(text: &str) -> ItemId {
    ItemId::new(text)
}

pub(crate) fn new_address() -> Address {
    Address {
        address1: "1 Harbor Drive".to_owned(),
        address2: String::new(),
        city: "Portland".to_owned(),
        state: "OR".to_owned(),
        country: Country::UnitedStates,
        zip: "97209".to_owned(),
    }
}
