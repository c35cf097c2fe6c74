//! What the shop allows and refuses, one rule after the other.

use retail::ids::{PaymentMethodId, ProductId, UserId};
use retail::model::{CancelReason, Order, OrderStatus, PaymentKind, PaymentState, Replacement};
use retail::money::Money;
use retail::store::{MAX_TRANSFERS, RuleError, Store};

use crate::support::{
    find_order, find_variant, gift_card, is_gift_card, item_id, new_address, order_id, paid_with, replacement,
};

#[test]
fn a_cancelled_order_stays_cancelled_and_is_not_cancelled_again() {
    let mut store = Store::default();
    let (order, _) = find_order(&store, OrderStatus::Pending, |_, _| true);

    store.cancel_order(&order.order_id, CancelReason::NoLongerNeeded).unwrap();
    let read_back = store.order(&order.order_id).unwrap().clone();
    assert_eq!(read_back.status, OrderStatus::Cancelled);
    assert_eq!(read_back.cancel_reason, Some(CancelReason::NoLongerNeeded));
    assert_eq!(read_back.paid(), Money::ZERO);

    let again = store.cancel_order(&order.order_id, CancelReason::OrderedByMistake).unwrap_err();
    assert_eq!(
        again,
        RuleError::NotPending { order: order.order_id.clone(), status: OrderStatus::Cancelled }
    );
    assert_eq!(
        again.to_string(),
        format!("order {} is cancelled; only a pending order can be modified or cancelled", order.order_id)
    );
    assert_eq!(*store.order(&order.order_id).unwrap(), read_back);
}

#[test]
fn a_gift_card_is_refunded_at_once_and_other_methods_later() {
    let mut store = Store::default();
    let by_gift_card = |store: &Store, wanted: bool| {
        find_order(store, OrderStatus::Pending, |order, user| {
            is_gift_card(user.payment_method(&paid_with(order)).unwrap()) == wanted
        })
    };

    let (order, user) = by_gift_card(&store, true);
    let cancelled = store.cancel_order(&order.order_id, CancelReason::NoLongerNeeded).unwrap();
    let refund = cancelled.payments.last().unwrap();
    assert_eq!((refund.kind, refund.state), (PaymentKind::Refund, PaymentState::Settled));
    let (_, before) = gift_card(&user).unwrap();
    let (_, after) = gift_card(store.user(&user.user_id).unwrap()).unwrap();
    assert_eq!(after, before + order.total());

    let (order, user) = by_gift_card(&store, false);
    let cancelled = store.cancel_order(&order.order_id, CancelReason::NoLongerNeeded).unwrap();
    let refund = cancelled.payments.last().unwrap();
    assert_eq!((refund.kind, refund.state), (PaymentKind::Refund, PaymentState::OnItsWay));
    assert_eq!(refund.amount, order.total());
    assert_eq!(*store.user(&user.user_id).unwrap(), user);
}

#[test]
fn only_pending_orders_are_modified() {
    let mut store = Store::default();
    for status in
        [OrderStatus::Processed, OrderStatus::Shipped, OrderStatus::Delivered, OrderStatus::Cancelled]
    {
        let (order, _) = find_order(&store, status, |_, _| true);
        let (id, method) = (&order.order_id, paid_with(&order));
        let refused = Some(RuleError::NotPending { order: id.clone(), status });
        assert_eq!(store.cancel_order(id, CancelReason::NoLongerNeeded).err(), refused);
        assert_eq!(store.modify_order_address(id, new_address()).err(), refused);
        assert_eq!(store.modify_order_payment(id, &method).err(), refused);
        assert_eq!(store.modify_order_items(id, &[], &method).err(), refused);
    }
}

#[test]
fn only_delivered_orders_are_returned_or_exchanged() {
    let mut store = Store::default();
    for status in [OrderStatus::Pending, OrderStatus::Processed, OrderStatus::Shipped, OrderStatus::Cancelled]
    {
        let (order, _) = find_order(&store, status, |_, _| true);
        let (id, method) = (&order.order_id, paid_with(&order));
        let refused = Some(RuleError::NotDelivered { order: id.clone(), status });
        assert_eq!(store.return_items(id, Vec::new(), &method).err(), refused);
        assert_eq!(store.exchange_items(id, Vec::new(), &method).err(), refused);
    }
}

#[test]
fn changing_an_orders_address_keeps_the_customers() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |_, _| true);
    store.modify_order_address(&order.order_id, new_address()).unwrap();
    assert_eq!(store.order(&order.order_id).unwrap().address, new_address());
    assert_eq!(store.user(&user.user_id).unwrap().address, user.address);
}

#[test]
fn a_customer_gets_a_new_address_and_the_orders_keep_theirs() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |_, _| true);
    store.modify_user_address(&user.user_id, new_address()).unwrap();
    assert_eq!(store.user(&user.user_id).unwrap().address, new_address());
    assert_eq!(store.order(&order.order_id).unwrap().address, order.address);
}

#[test]
fn another_method_pays_the_order_and_the_old_one_is_refunded() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |order, user| {
        gift_card(user).is_some_and(|(card, balance)| card != paid_with(order) && balance >= order.total())
    });
    let (card, balance) = gift_card(&user).unwrap();

    let modified = store.modify_order_payment(&order.order_id, &card).unwrap().clone();
    assert_eq!(modified.paid_by_method().into_iter().collect::<Vec<_>>(), [(card.clone(), order.total())]);
    assert_eq!(gift_card(store.user(&user.user_id).unwrap()), Some((card.clone(), balance - order.total())));

    let again = store.modify_order_payment(&order.order_id, &card).unwrap_err();
    assert_eq!(again, RuleError::SamePaymentMethod { order: order.order_id.clone(), method: card });
}

#[test]
fn a_gift_card_pays_no_more_than_it_has() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |order, user| {
        gift_card(user).is_some_and(|(card, balance)| card != paid_with(order) && balance < order.total())
    });
    let (card, balance) = gift_card(&user).unwrap();
    let refused = store.modify_order_payment(&order.order_id, &card).unwrap_err();
    assert_eq!(refused, RuleError::BalanceTooLow { method: card, balance, needed: order.total() });
    assert_eq!(*store.order(&order.order_id).unwrap(), order);
}

#[test]
fn payment_methods_of_others_are_refused() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |_, _| true);
    let stranger = store.users().find(|other| other.user_id != user.user_id).unwrap();
    let method = stranger.payment_methods[0].id().clone();
    let refused = store.modify_order_payment(&order.order_id, &method).unwrap_err();
    assert_eq!(refused, RuleError::NotTheirPaymentMethod { user: user.user_id, method });
}

#[test]
fn items_are_modified_once_and_the_difference_is_paid() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |order, user| {
        !is_gift_card(user.payment_method(&paid_with(order)).unwrap())
            && find_variant(&store, &order.items[0], |variant| variant.price > order.items[0].price).is_some()
    });
    let old = &order.items[0];
    let new = find_variant(&store, old, |variant| variant.price > old.price).unwrap();
    let method = paid_with(&order);

    let modified =
        store.modify_order_items(&order.order_id, &[replacement(old, &new)], &method).unwrap().clone();
    assert_eq!(modified.items.len(), order.items.len());
    assert_eq!(modified.items[0].item_id, new.item_id);
    assert_eq!(modified.items[1..], order.items[1..]);
    assert_eq!(modified.payments.last().unwrap().amount, new.price - old.price);
    assert_eq!(modified.paid(), modified.total());
    assert_eq!(store.user(&user.user_id).unwrap().orders, user.orders);

    let back = Replacement { item_id: new.item_id.clone(), new_item_id: old.item_id.clone() };
    let again = store.modify_order_items(&order.order_id, &[back], &method).unwrap_err();
    assert_eq!(again, RuleError::ItemsModifiedAlready(order.order_id.clone()));

    let cancelled = store.cancel_order(&order.order_id, CancelReason::OrderedByMistake).unwrap();
    assert_eq!(cancelled.paid(), Money::ZERO);
}

#[test]
fn a_cheaper_item_brings_money_back_to_where_it_came_from() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Pending, |order, user| {
        user.payment_methods.len() > 1
            && find_variant(&store, &order.items[0], |variant| variant.price < order.items[0].price).is_some()
    });
    let old = &order.items[0];
    let new = find_variant(&store, old, |variant| variant.price < old.price).unwrap();
    let other = user.payment_methods.iter().find(|method| *method.id() != paid_with(&order)).unwrap();

    let modified = store.modify_order_items(&order.order_id, &[replacement(old, &new)], other.id()).unwrap();
    let refund = modified.payments.last().unwrap();
    assert_eq!(refund.kind, PaymentKind::Refund);
    assert_eq!(refund.payment_method_id, paid_with(&order));
    assert_eq!(refund.amount, old.price - new.price);
}

#[test]
fn a_dearer_item_needs_enough_on_the_gift_card() {
    let mut store = Store::default();
    let dearest = |store: &Store, order: &Order| {
        let product = store.product(&order.items[0].product_id).unwrap();
        product
            .variants
            .iter()
            .filter(|variant| variant.available)
            .max_by_key(|variant| variant.price)
            .cloned()
    };
    let (order, user) = find_order(&store, OrderStatus::Delivered, |order, user| {
        let difference = dearest(&store, order).unwrap().price - order.items[0].price;
        gift_card(user).is_some_and(|(_, balance)| balance < difference)
    });
    let new = dearest(&store, &order).unwrap();
    let (card, balance) = gift_card(&user).unwrap();
    let needed = new.price - order.items[0].price;

    let refused =
        store.exchange_items(&order.order_id, vec![replacement(&order.items[0], &new)], &card).unwrap_err();
    assert_eq!(refused, RuleError::BalanceTooLow { method: card, balance, needed });
    assert_eq!(*store.order(&order.order_id).unwrap(), order);
}

#[test]
fn replacements_are_available_variants_of_one_product() {
    let mut store = Store::default();
    let unavailable = |store: &Store, order: &Order| {
        let product = store.product(&order.items[0].product_id).unwrap();
        product.variants.iter().find(|v| !v.available && v.item_id != order.items[0].item_id).cloned()
    };
    let (order, _) = find_order(&store, OrderStatus::Delivered, |order, _| {
        order.items.len() > 1 && unavailable(&store, order).is_some()
    });
    let [old, other] = &order.items[..2] else { unreachable!("the order has two items") };
    let good = replacement(old, &find_variant(&store, old, |_| true).unwrap());
    let sold_out = unavailable(&store, &order).unwrap();
    let swap = |from: &str, to: &str| Replacement { item_id: item_id(from), new_item_id: item_id(to) };

    let cases = [
        (vec![], RuleError::NoItems),
        (vec![good.clone(), good.clone()], RuleError::ItemListedTwice(old.item_id.clone())),
        (
            vec![swap("0000000000", good.new_item_id.as_str())],
            RuleError::NotInOrder { order: order.order_id.clone(), item: item_id("0000000000") },
        ),
        (
            vec![good.clone(), swap(other.item_id.as_str(), "0000000000")],
            RuleError::UnknownItem(item_id("0000000000")),
        ),
        (vec![swap(old.item_id.as_str(), old.item_id.as_str())], RuleError::SameItem(old.item_id.clone())),
        (
            vec![swap(old.item_id.as_str(), other.item_id.as_str())],
            RuleError::OtherProduct {
                new_item: other.item_id.clone(),
                product: old.name.clone(),
                product_id: old.product_id.clone(),
            },
        ),
        (vec![replacement(old, &sold_out)], RuleError::NotAvailable(sold_out.item_id.clone())),
    ];
    for (replacements, expected) in cases {
        let refused = store.exchange_items(&order.order_id, replacements, &paid_with(&order)).unwrap_err();
        assert_eq!(refused, expected);
        assert_eq!(*store.order(&order.order_id).unwrap(), order);
    }
}

#[test]
fn an_order_is_returned_or_exchanged_once() {
    let (order, _) = find_order(&Store::default(), OrderStatus::Delivered, |order, user| {
        !is_gift_card(user.payment_method(&paid_with(order)).unwrap())
    });
    let id = &order.order_id;
    let method = paid_with(&order);
    let items = vec![order.items[0].item_id.clone()];

    let mut store = Store::default();
    let swap = vec![replacement(&order.items[0], &find_variant(&store, &order.items[0], |_| true).unwrap())];
    let returned = store.return_items(id, items.clone(), &method).unwrap();
    assert_eq!(returned.status, OrderStatus::ReturnRequested);
    assert_eq!(returned.return_request.as_ref().unwrap().refund, order.items[0].price);
    assert_eq!(returned.paid(), order.total() - order.items[0].price);
    let refused = Some(RuleError::NotDelivered { order: id.clone(), status: OrderStatus::ReturnRequested });
    assert_eq!(store.return_items(id, items.clone(), &method).err(), refused);
    assert_eq!(store.exchange_items(id, swap.clone(), &method).err(), refused);

    let mut store = Store::default();
    let exchanged = store.exchange_items(id, swap.clone(), &method).unwrap();
    assert_eq!(exchanged.status, OrderStatus::ExchangeRequested);
    assert_eq!(exchanged.items, order.items);
    assert_eq!(exchanged.exchange.as_ref().unwrap().replacements, swap);
    let refused = Some(RuleError::NotDelivered { order: id.clone(), status: OrderStatus::ExchangeRequested });
    assert_eq!(store.exchange_items(id, swap, &method).err(), refused);
    assert_eq!(store.return_items(id, items, &method).err(), refused);
}

#[test]
fn returns_are_refunded_to_the_payment_or_a_gift_card() {
    let mut store = Store::default();
    let (order, user) = find_order(&store, OrderStatus::Delivered, |order, user| {
        user.payment_methods.len() == 3 && !is_gift_card(user.payment_method(&paid_with(order)).unwrap())
    });
    let elsewhere = user
        .payment_methods
        .iter()
        .find(|method| !is_gift_card(method) && *method.id() != paid_with(&order))
        .unwrap();
    let items: Vec<_> = order.items.iter().map(|item| item.item_id.clone()).collect();

    let refused = store.return_items(&order.order_id, items.clone(), elsewhere.id()).unwrap_err();
    assert_eq!(
        refused,
        RuleError::RefundElsewhere { order: order.order_id.clone(), method: elsewhere.id().clone() }
    );

    let (card, balance) = gift_card(&user).unwrap();
    store.return_items(&order.order_id, items, &card).unwrap();
    assert_eq!(gift_card(store.user(&user.user_id).unwrap()), Some((card, balance + order.total())));
}

#[test]
fn returned_items_are_items_of_the_order_listed_once() {
    let mut store = Store::default();
    let (order, _) = find_order(&store, OrderStatus::Delivered, |_, _| true);
    let item = order.items[0].item_id.clone();
    let unknown = item_id("0000000000");
    let cases = [
        (vec![], RuleError::NoItems),
        (vec![item.clone(), item.clone()], RuleError::ItemListedTwice(item.clone())),
        (vec![item, unknown.clone()], RuleError::NotInOrder { order: order.order_id.clone(), item: unknown }),
    ];
    for (items, expected) in cases {
        let refused = store.return_items(&order.order_id, items, &paid_with(&order)).unwrap_err();
        assert_eq!(refused, expected);
        assert_eq!(*store.order(&order.order_id).unwrap(), order);
    }
}

#[test]
fn customers_are_found_by_email_or_by_name_and_zip() {
    let store = Store::default();
    let user = store.users().next().unwrap();
    assert_eq!(store.find_user_by_email(&user.email.to_uppercase()), Ok(user));
    assert_eq!(store.find_user_by_email("nobody@example.com"), Err(RuleError::NoSuchEmail));

    let (first, last, zip) = (&user.name.first, &user.name.last, &user.address.zip);
    assert_eq!(store.find_user_by_name_and_zip(&first.to_uppercase(), last, zip), Ok(user));
    assert_eq!(store.find_user_by_name_and_zip(first, last, "00000"), Err(RuleError::NoSuchNameAndZip));
}

#[test]
fn customers_with_the_same_name_and_zip_are_not_mixed_up() {
    let mut data = retail::data::generate(retail::data::SEED);
    let mut twin = data.users.values().next().unwrap().clone();
    twin.user_id = UserId::new("the_twin_9999");
    data.users.insert(twin.user_id.clone(), twin.clone());
    let store = Store::new(data);
    assert_eq!(
        store.find_user_by_name_and_zip(&twin.name.first, &twin.name.last, &twin.address.zip),
        Err(RuleError::SeveralWithNameAndZip)
    );
}

#[test]
fn unknown_ids_are_refused() {
    let mut store = Store::default();
    let (user, product, order) =
        (UserId::new("no_body_0000"), ProductId::new("0000000000"), order_id("#W0000000"));
    let method = PaymentMethodId::new("paypal_0000000");

    assert_eq!(store.user(&user).err(), Some(RuleError::UnknownUser(user.clone())));
    assert_eq!(
        store.modify_user_address(&user, new_address()).err(),
        Some(RuleError::UnknownUser(user.clone()))
    );
    assert_eq!(store.product(&product).err(), Some(RuleError::UnknownProduct(product)));

    let refused = Some(RuleError::UnknownOrder(order.clone()));
    assert_eq!(store.order(&order).err(), refused);
    assert_eq!(store.cancel_order(&order, CancelReason::NoLongerNeeded).err(), refused);
    assert_eq!(store.modify_order_address(&order, new_address()).err(), refused);
    assert_eq!(store.modify_order_payment(&order, &method).err(), refused);
    assert_eq!(store.modify_order_items(&order, &[], &method).err(), refused);
    assert_eq!(store.return_items(&order, Vec::new(), &method).err(), refused);
    assert_eq!(store.exchange_items(&order, Vec::new(), &method).err(), refused);
}

#[test]
fn product_types_are_sorted_by_name() {
    let types = Store::default().product_types();
    assert_eq!(types.len(), 50);
    assert!(types.is_sorted_by(|left, right| left.name < right.name));
}

#[test]
fn the_queue_for_a_person_is_bounded() {
    let mut store = Store::default();
    for place in 1..=MAX_TRANSFERS {
        assert_eq!(store.transfer_to_human("needs help".to_owned()), Ok(place));
    }
    assert_eq!(store.transfer_to_human("one too many".to_owned()), Err(RuleError::NoHumanAvailable));
    assert_eq!(store.transfers(), vec!["needs help"; MAX_TRANSFERS]);
}
