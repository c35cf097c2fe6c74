//! What can be done with a delivered order.

use std::collections::BTreeSet;

use super::{RuleError, Store, payments};
use crate::ids::{ItemId, OrderId, PaymentMethodId};
use crate::model::{Exchange, Order, OrderStatus, Replacement, ReturnRequest};
use crate::money::Money;

impl Store {
    /// Takes back items of a delivered order; the refund goes to a method that paid the order or to a gift card.
    pub fn return_items(
        &mut self,
        id: &OrderId,
        item_ids: Vec<ItemId>,
        method: &PaymentMethodId,
    ) -> Result<&Order, RuleError> {
        let (order, user) = self.order_and_user_mut(id)?;
        require_delivered(order)?;
        let refund = price_of(order, &item_ids)?;
        let is_gift_card = payments::find_method(user, method)?.balance().is_some();
        if !is_gift_card && !order.paid_by_method().contains_key(method) {
            return Err(RuleError::RefundElsewhere { order: id.clone(), method: method.clone() });
        }

        payments::refund_to(user, order, method, refund);
        order.status = OrderStatus::ReturnRequested;
        order.return_request = Some(ReturnRequest { item_ids, refund, payment_method_id: method.clone() });
        Ok(order)
    }

    /// Swaps items of a delivered order for other variants; `method` pays if the new ones cost more.
    pub fn exchange_items(
        &mut self,
        id: &OrderId,
        replacements: Vec<Replacement>,
        method: &PaymentMethodId,
    ) -> Result<&Order, RuleError> {
        let order = self.order(id)?;
        require_delivered(order)?;
        let price_difference = self.plan_replacements(order, &replacements)?.price_difference;
        payments::check_payment(self.user(&order.user_id)?, method, price_difference)?;

        let (order, user) = self.order_and_user_mut(id)?;
        payments::settle_difference(user, order, method, price_difference);
        order.status = OrderStatus::ExchangeRequested;
        order.exchange = Some(Exchange { replacements, price_difference });
        Ok(order)
    }
}

fn require_delivered(order: &Order) -> Result<(), RuleError> {
    match order.status {
        OrderStatus::Delivered => Ok(()),
        status => Err(RuleError::NotDelivered { order: order.order_id.clone(), status }),
    }
}

fn price_of(order: &Order, item_ids: &[ItemId]) -> Result<Money, RuleError> {
    if item_ids.is_empty() {
        return Err(RuleError::NoItems);
    }
    let mut seen = BTreeSet::new();
    let mut price = Money::ZERO;
    for id in item_ids {
        if !seen.insert(id) {
            return Err(RuleError::ItemListedTwice(id.clone()));
        }
        let item = order
            .item(id)
            .ok_or_else(|| RuleError::NotInOrder { order: order.order_id.clone(), item: id.clone() })?;
        price += item.price;
    }
    Ok(price)
}
