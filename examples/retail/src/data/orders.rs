//! Invented orders.

use super::random::Random;
use super::{ORDERS, places};
use crate::ids::OrderId;
use crate::model::{
    CancelReason, Fulfillment, Order, OrderItem, OrderStatus, Payment, PaymentKind, PaymentMethod,
    PaymentState, Product, User,
};
use crate::money::Money;

/// The statuses of ten orders in a row, over and over.
const STATUSES: [OrderStatus; 10] = [
    OrderStatus::Pending,
    OrderStatus::Delivered,
    OrderStatus::Processed,
    OrderStatus::Pending,
    OrderStatus::Delivered,
    OrderStatus::Cancelled,
    OrderStatus::Pending,
    OrderStatus::Delivered,
    OrderStatus::Shipped,
    OrderStatus::Delivered,
];

/// All orders; each is also listed with its customer, and every customer has at least one.
pub(super) fn generate(random: &mut Random, users: &mut [User], products: &[Product]) -> Vec<Order> {
    let mut orders = Vec::with_capacity(ORDERS);
    for index in 0..ORDERS {
        let buyer = if index < users.len() { index } else { random.index(users.len()) };
        let user = &mut users[buyer];
        let order = order(random, index, user, products);
        user.orders.push(order.order_id.clone());
        orders.push(order);
    }
    orders
}

fn order(random: &mut Random, index: usize, user: &User, products: &[Product]) -> Order {
    let status = STATUSES[index % STATUSES.len()];
    let items = items(random, products);
    let total = items.iter().map(|item| item.price).sum();
    let method = random.pick(&user.payment_methods);
    let address = if random.chance(80) { user.address.clone() } else { places::address(random) };

    let mut order = Order {
        order_id: OrderId::new(format!("#W{:07}", index + 1)),
        user_id: user.user_id.clone(),
        status,
        address,
        items,
        items_modified: false,
        fulfillments: Vec::new(),
        payments: vec![payment(method, PaymentKind::Payment, total)],
        cancel_reason: None,
        return_request: None,
        exchange: None,
    };
    match status {
        OrderStatus::Cancelled => {
            order.payments.push(payment(method, PaymentKind::Refund, total));
            order.cancel_reason =
                Some(*random.pick(&[CancelReason::NoLongerNeeded, CancelReason::OrderedByMistake]));
        }
        OrderStatus::Shipped
        | OrderStatus::Delivered
        | OrderStatus::ReturnRequested
        | OrderStatus::ExchangeRequested => order.fulfillments.push(parcel(random, &order.items)),
        OrderStatus::Pending | OrderStatus::Processed => {}
    }
    order
}

/// One to five items, each of another product: the ids of an order's items are unique.
fn items(random: &mut Random, products: &[Product]) -> Vec<OrderItem> {
    let mut choice: Vec<&Product> = products.iter().collect();
    random.shuffle(&mut choice);
    choice.truncate(random.index(5) + 1);
    choice
        .into_iter()
        .map(|product| {
            let variant = random.pick(&product.variants);
            OrderItem {
                item_id: variant.item_id.clone(),
                product_id: product.product_id.clone(),
                name: product.name.clone(),
                options: variant.options.clone(),
                price: variant.price,
            }
        })
        .collect()
}

/// Refunds in the generated past have arrived, whatever the method.
fn payment(method: &PaymentMethod, kind: PaymentKind, amount: Money) -> Payment {
    Payment { kind, amount, payment_method_id: method.id().clone(), state: PaymentState::Settled }
}

fn parcel(random: &mut Random, items: &[OrderItem]) -> Fulfillment {
    Fulfillment {
        tracking_id: format!("{:06}{:06}", random.number(100_000..=999_999), random.number(0..=999_999)),
        item_ids: items.iter().map(|item| item.item_id.clone()).collect(),
    }
}
