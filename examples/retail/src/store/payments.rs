//! Moving money between a customer and the shop.

use super::RuleError;
use crate::ids::PaymentMethodId;
use crate::model::{Order, Payment, PaymentKind, PaymentMethod, PaymentState, User};
use crate::money::Money;

/// The customer's payment method with this id.
pub(super) fn find_method<'a>(user: &'a User, id: &PaymentMethodId) -> Result<&'a PaymentMethod, RuleError> {
    user.payment_method(id)
        .ok_or_else(|| RuleError::NotTheirPaymentMethod { user: user.user_id.clone(), method: id.clone() })
}

/// Refuses a payment that `method` cannot make: one that is not the customer's, or more than a gift card has.
pub(super) fn check_payment(user: &User, method: &PaymentMethodId, amount: Money) -> Result<(), RuleError> {
    match find_method(user, method)?.balance() {
        Some(balance) if balance < amount => {
            Err(RuleError::BalanceTooLow { method: method.clone(), balance, needed: amount })
        }
        _ => Ok(()),
    }
}

/// Takes a difference in price from `method`; one in the customer's favour goes back to where the order was
/// paid from. Call [`check_payment`] first.
pub(super) fn settle_difference(
    user: &mut User,
    order: &mut Order,
    method: &PaymentMethodId,
    difference: Money,
) {
    if difference > Money::ZERO {
        charge(user, order, method, difference);
    } else {
        refund(user, order, -difference);
    }
}

/// Takes `amount` from `method`. Call [`check_payment`] first.
pub(super) fn charge(user: &mut User, order: &mut Order, method: &PaymentMethodId, amount: Money) {
    if let Some(PaymentMethod::GiftCard { balance, .. }) = user.payment_method_mut(method) {
        *balance -= amount;
    }
    order.payments.push(Payment {
        kind: PaymentKind::Payment,
        amount,
        payment_method_id: method.clone(),
        state: PaymentState::Settled,
    });
}

/// Gives `amount` back to the methods that paid the order, to none more than it has paid.
pub(super) fn refund(user: &mut User, order: &mut Order, amount: Money) {
    let mut left = amount;
    for (method, paid) in order.paid_by_method() {
        let part = left.min(paid);
        if part > Money::ZERO {
            refund_to(user, order, &method, part);
            left -= part;
        }
    }
}

/// Gives `amount` to `method`: a gift card has it immediately, other methods in some days.
pub(super) fn refund_to(user: &mut User, order: &mut Order, method: &PaymentMethodId, amount: Money) {
    let state = match user.payment_method_mut(method) {
        Some(PaymentMethod::GiftCard { balance, .. }) => {
            *balance += amount;
            PaymentState::Settled
        }
        _ => PaymentState::OnItsWay,
    };
    order.payments.push(Payment {
        kind: PaymentKind::Refund,
        amount,
        payment_method_id: method.clone(),
        state,
    });
}
