//! The invented data.

use std::collections::BTreeSet;

use retail::data::{self, ORDERS, PRODUCTS, SEED, USERS};
use retail::model::{OrderStatus, PaymentMethod};
use retail::money::Money;

#[test]
fn there_are_500_users_1000_orders_and_50_products() {
    let data = data::generate(SEED);
    assert_eq!((USERS, ORDERS, PRODUCTS), (500, 1_000, 50));
    assert_eq!(data.users.len(), USERS);
    assert_eq!(data.orders.len(), ORDERS);
    assert_eq!(data.products.len(), PRODUCTS);
}

#[test]
fn the_seed_decides_everything() {
    assert_eq!(data::generate(SEED), data::generate(SEED));
    assert_ne!(data::generate(SEED), data::generate(SEED + 1));
}

#[test]
fn ids_have_the_form_that_the_tools_ask_for() {
    let digits = |text: &str, count: usize| text.len() == count && text.bytes().all(|b| b.is_ascii_digit());
    let data = data::generate(SEED);

    for id in data.orders.keys() {
        assert!(id.as_str().strip_prefix("#W").is_some_and(|number| digits(number, 7)), "{id}");
    }
    for id in data.users.keys() {
        let parts: Vec<&str> = id.as_str().split('_').collect();
        let [first, last, number] = parts[..] else { panic!("{id}") };
        assert!(first.bytes().chain(last.bytes()).all(|b| b.is_ascii_lowercase()), "{id}");
        assert!(digits(number, 4), "{id}");
    }
    for product in data.products.values() {
        assert!(digits(product.product_id.as_str(), 10), "{}", product.product_id);
        for variant in &product.variants {
            assert!(digits(variant.item_id.as_str(), 10), "{}", variant.item_id);
        }
    }
}

#[test]
fn customers_can_be_told_apart_and_can_pay() {
    let data = data::generate(SEED);
    let emails: BTreeSet<&str> = data.users.values().map(|user| user.email.as_str()).collect();
    assert_eq!(emails.len(), USERS);

    for user in data.users.values() {
        assert!((1..=3).contains(&user.payment_methods.len()), "{}", user.user_id);
        assert!(!user.orders.is_empty(), "{}", user.user_id);
    }
    let has_kind = |wanted: fn(&PaymentMethod) -> bool| {
        data.users.values().filter(|user| user.payment_methods.iter().any(wanted)).count()
    };
    assert!(has_kind(|method| matches!(method, PaymentMethod::CreditCard { .. })) > 100);
    assert!(has_kind(|method| matches!(method, PaymentMethod::GiftCard { .. })) > 100);
    assert!(has_kind(|method| matches!(method, PaymentMethod::Paypal { .. })) > 100);
}

#[test]
fn products_have_variants_to_swap() {
    let data = data::generate(SEED);
    let mut items = BTreeSet::new();
    for product in data.products.values() {
        let options: BTreeSet<_> = product.variants.iter().map(|variant| &variant.options).collect();
        assert_eq!(options.len(), product.variants.len(), "{}", product.name);
        assert!(product.variants.iter().filter(|variant| variant.available).count() >= 2, "{}", product.name);
        for variant in &product.variants {
            assert!(variant.price > Money::ZERO, "{}", variant.item_id);
            assert!(items.insert(&variant.item_id), "{} is used twice", variant.item_id);
        }
    }
    let all = || data.products.values().flat_map(|product| &product.variants);
    assert!(all().any(|variant| !variant.available));
}

#[test]
fn orders_fit_their_customers_and_products() {
    let data = data::generate(SEED);
    for order in data.orders.values() {
        let user = &data.users[&order.user_id];
        assert_eq!(user.orders.iter().filter(|id| **id == order.order_id).count(), 1);

        let ids: BTreeSet<_> = order.items.iter().map(|item| &item.item_id).collect();
        assert_eq!(ids.len(), order.items.len(), "{}", order.order_id);
        for item in &order.items {
            let variant = data.products[&item.product_id].variant(&item.item_id).expect("a known item");
            assert_eq!((&item.options, item.price), (&variant.options, variant.price));
        }

        let cancelled = order.status == OrderStatus::Cancelled;
        assert_eq!(order.paid(), if cancelled { Money::ZERO } else { order.total() });
        assert_eq!(order.cancel_reason.is_some(), cancelled);
        for payment in &order.payments {
            assert!(user.payment_method(&payment.payment_method_id).is_some(), "{}", order.order_id);
        }

        let sent = matches!(order.status, OrderStatus::Shipped | OrderStatus::Delivered);
        assert_eq!(order.fulfillments.len(), usize::from(sent), "{}", order.order_id);
    }
    let listed: usize = data.users.values().map(|user| user.orders.len()).sum();
    assert_eq!(listed, ORDERS);
}
