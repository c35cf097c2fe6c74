//! Random sequences of changes: the store stays consistent.

use std::collections::BTreeMap;

use proptest::prelude::*;
use retail::ids::{OrderId, PaymentMethodId};
use retail::model::{CancelReason, Order, OrderStatus, Replacement, User};
use retail::money::Money;
use retail::store::{RuleError, Store};

use crate::support::new_address;

/// What a step does; the numbers choose an item, a variant or a payment method, modulo how many there are.
#[derive(Debug, Clone, Copy)]
enum Change {
    Cancel,
    Address,
    Payment { method: usize },
    Items { item: usize, variant: usize, method: usize },
    Return { item: usize, method: usize },
    Exchange { item: usize, variant: usize, method: usize },
}

fn change() -> impl Strategy<Value = Change> {
    let (item, variant, method) = (0..5_usize, 0..10_usize, 0..4_usize);
    prop_oneof![
        1 => Just(Change::Cancel),
        1 => Just(Change::Address),
        4 => method.clone().prop_map(|method| Change::Payment { method }),
        2 => (item.clone(), variant.clone(), method.clone())
            .prop_map(|(item, variant, method)| Change::Items { item, variant, method }),
        1 => (item.clone(), method.clone()).prop_map(|(item, method)| Change::Return { item, method }),
        1 => (item, variant, method)
            .prop_map(|(item, variant, method)| Change::Exchange { item, variant, method }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_store_is_consistent_after_any_changes(steps in prop::collection::vec((0..30_usize, change()), 1..120)) {
        let start = Store::default();
        let mut store = Store::default();
        let ids: Vec<OrderId> = start.orders().take(30).map(|order| order.order_id.clone()).collect();

        for (number, change) in steps {
            let id = &ids[number];
            let before = order_and_user(&store, id);
            let refused = apply(&mut store, id, change).is_err();
            let after = order_and_user(&store, id);
            if refused {
                prop_assert_eq!(&before, &after, "a refused {:?} changed something", change);
            }
            check_order(&start.order(id).unwrap().clone(), &after.0)?;
        }
        check_gift_cards(&start, &store)?;
    }
}

fn apply(store: &mut Store, id: &OrderId, change: Change) -> Result<(), RuleError> {
    let (order, user) = order_and_user(store, id);
    let item = |index: usize| order.items[index % order.items.len()].clone();
    let replacement = |item_index: usize, variant_index: usize| {
        let item = item(item_index);
        let variants = &store.product(&item.product_id).unwrap().variants;
        let variant = &variants[variant_index % variants.len()];
        Replacement { item_id: item.item_id, new_item_id: variant.item_id.clone() }
    };
    // One more than the customer has: a method that is not theirs.
    let method = |index: usize| {
        user.payment_methods
            .get(index % (user.payment_methods.len() + 1))
            .map_or_else(|| PaymentMethodId::new("paypal_0000000"), |method| method.id().clone())
    };

    match change {
        Change::Cancel => store.cancel_order(id, CancelReason::NoLongerNeeded)?,
        Change::Address => store.modify_order_address(id, new_address())?,
        Change::Payment { method: index } => store.modify_order_payment(id, &method(index))?,
        Change::Items { item, variant, method: index } => {
            let replacement = replacement(item, variant);
            store.modify_order_items(id, &[replacement], &method(index))?
        }
        Change::Return { item: index, method: method_index } => {
            store.return_items(id, vec![item(index).item_id], &method(method_index))?
        }
        Change::Exchange { item, variant, method: index } => {
            let replacement = replacement(item, variant);
            store.exchange_items(id, vec![replacement], &method(index))?
        }
    };
    Ok(())
}

/// An order keeps its products, and what was paid for it is what it costs.
fn check_order(start: &Order, now: &Order) -> Result<(), TestCaseError> {
    let products = |order: &Order| order.items.iter().map(|item| item.product_id.clone()).collect::<Vec<_>>();
    prop_assert_eq!(products(start), products(now));

    let expected = match now.status {
        OrderStatus::Cancelled => Money::ZERO,
        OrderStatus::ReturnRequested => now.total() - now.return_request.as_ref().unwrap().refund,
        OrderStatus::ExchangeRequested => now.total() + now.exchange.as_ref().unwrap().price_difference,
        _ => now.total(),
    };
    prop_assert_eq!(now.paid(), expected);
    prop_assert!(now.payments.iter().all(|payment| payment.amount > Money::ZERO));
    if now.status == OrderStatus::Pending {
        prop_assert!(now.paid_by_method().values().all(|paid| *paid > Money::ZERO));
    }
    Ok(())
}

/// No gift card is overdrawn, and what left one was paid for an order.
fn check_gift_cards(start: &Store, now: &Store) -> Result<(), TestCaseError> {
    let balances_at_start = balances(start);
    let (paid_at_start, paid_now) = (paid_by_method(start), paid_by_method(now));
    for (card, balance) in balances(now) {
        prop_assert!(balance >= Money::ZERO, "{} has {}", card, balance);
        let paid =
            |by_method: &BTreeMap<PaymentMethodId, Money>| by_method.get(&card).copied().unwrap_or_default();
        prop_assert_eq!(
            balance + paid(&paid_now),
            balances_at_start[&card] + paid(&paid_at_start),
            "money of {} appeared or vanished",
            card
        );
    }
    Ok(())
}

fn balances(store: &Store) -> BTreeMap<PaymentMethodId, Money> {
    store
        .users()
        .flat_map(|user| &user.payment_methods)
        .filter_map(|method| Some((method.id().clone(), method.balance()?)))
        .collect()
}

fn paid_by_method(store: &Store) -> BTreeMap<PaymentMethodId, Money> {
    let mut paid = BTreeMap::<_, Money>::new();
    for payment in store.orders().flat_map(|order| &order.payments) {
        *paid.entry(payment.payment_method_id.clone()).or_default() += payment.signed_amount();
    }
    paid
}

fn order_and_user(store: &Store, id: &OrderId) -> (Order, User) {
    let order = store.order(id).expect("orders are never deleted").clone();
    let user = store.user(&order.user_id).expect("customers are never deleted").clone();
    (order, user)
}
