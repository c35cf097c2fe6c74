//! Customers.

use schemars::JsonSchema;
use serde::Serialize;

use super::{Address, PaymentMethod};
use crate::ids::{OrderId, PaymentMethodId, UserId};

/// A customer.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct User {
    /// The customer's id.
    pub user_id: UserId,
    /// The customer's name.
    pub name: Name,
    /// The customer's e-mail address.
    pub email: String,
    /// Where the customer lives; new orders go there.
    pub address: Address,
    /// How the customer can pay and be paid back.
    pub payment_methods: Vec<PaymentMethod>,
    /// The customer's orders, oldest first.
    pub orders: Vec<OrderId>,
}

impl User {
    /// The payment method with this id, if it is the customer's.
    pub fn payment_method(&self, id: &PaymentMethodId) -> Option<&PaymentMethod> {
        self.payment_methods.iter().find(|method| method.id() == id)
    }

    /// The same, to change it.
    pub(crate) fn payment_method_mut(&mut self, id: &PaymentMethodId) -> Option<&mut PaymentMethod> {
        self.payment_methods.iter_mut().find(|method| method.id() == id)
    }
}

/// A person's name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Name {
    /// First name.
    pub first: String,
    /// Last name.
    pub last: String,
}
