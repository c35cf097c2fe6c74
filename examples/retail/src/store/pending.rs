//! What can be done with a pending order.

use super::{RuleError, Store, payments};
use crate::ids::{OrderId, PaymentMethodId};
use crate::model::{Address, CancelReason, Order, OrderStatus, Replacement};

impl Store {
    /// Cancels a pending order and gives back what was paid.
    pub fn cancel_order(&mut self, id: &OrderId, reason: CancelReason) -> Result<&Order, RuleError> {
        let (order, user) = self.order_and_user_mut(id)?;
        require_pending(order)?;

        let paid = order.paid();
        payments::refund(user, order, paid);
        order.status = OrderStatus::Cancelled;
        order.cancel_reason = Some(reason);
        Ok(order)
    }

    /// Sends a pending order elsewhere.
    pub fn modify_order_address(&mut self, id: &OrderId, address: Address) -> Result<&Order, RuleError> {
        let (order, _) = self.order_and_user_mut(id)?;
        require_pending(order)?;

        order.address = address;
        Ok(order)
    }

    /// Pays a pending order with another method of the customer, and gives back what was paid before.
    pub fn modify_order_payment(
        &mut self,
        id: &OrderId,
        method: &PaymentMethodId,
    ) -> Result<&Order, RuleError> {
        let (order, user) = self.order_and_user_mut(id)?;
        require_pending(order)?;
        let paid_by_method = order.paid_by_method();
        if paid_by_method.keys().eq([method]) {
            return Err(RuleError::SamePaymentMethod { order: id.clone(), method: method.clone() });
        }
        // What the method itself has paid comes back to it first.
        let already_paid = paid_by_method.get(method).copied().unwrap_or_default();
        let total = order.paid();
        payments::check_payment(user, method, total - already_paid)?;

        payments::refund(user, order, total);
        payments::charge(user, order, method, total);
        Ok(order)
    }

    /// Swaps items of a pending order for other variants, once; `method` pays if the new ones cost more.
    pub fn modify_order_items(
        &mut self,
        id: &OrderId,
        replacements: &[Replacement],
        method: &PaymentMethodId,
    ) -> Result<&Order, RuleError> {
        let order = self.order(id)?;
        require_pending(order)?;
        if order.items_modified {
            return Err(RuleError::ItemsModifiedAlready(id.clone()));
        }
        let swap = self.plan_replacements(order, replacements)?;
        payments::check_payment(self.user(&order.user_id)?, method, swap.price_difference)?;

        let (order, user) = self.order_and_user_mut(id)?;
        for item in &mut order.items {
            if let Some(new_item) = swap.new_items.get(&item.item_id) {
                *item = new_item.clone();
            }
        }
        payments::settle_difference(user, order, method, swap.price_difference);
        order.items_modified = true;
        Ok(order)
    }
}

fn require_pending(order: &Order) -> Result<(), RuleError> {
    match order.status {
        OrderStatus::Pending => Ok(()),
        status => Err(RuleError::NotPending { order: order.order_id.clone(), status }),
    }
}
