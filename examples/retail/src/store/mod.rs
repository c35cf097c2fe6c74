//! The shop's state and its rules.
//!
//! Every operation checks all rules before it changes anything, so a refused call has no effect.

mod delivered;
mod error;
mod payments;
mod pending;
mod replacements;

use std::collections::BTreeMap;

use crate::data::{self, Data};
use crate::ids::{ItemId, OrderId, ProductId, UserId};
use crate::model::{Address, Order, Product, ProductType, User};

pub use error::RuleError;

/// The maximum number of conversations that wait for a person.
pub const MAX_TRANSFERS: usize = 100;

/// Customers, products and orders, and what may be done with them.
#[derive(Debug)]
pub struct Store {
    users: BTreeMap<UserId, User>,
    products: BTreeMap<ProductId, Product>,
    orders: BTreeMap<OrderId, Order>,
    /// Which product an item is a variant of.
    product_of_item: BTreeMap<ItemId, ProductId>,
    /// The summaries of the conversations that wait for a person.
    transfers: Vec<String>,
}

impl Default for Store {
    fn default() -> Self {
        Self::new(data::generate(data::SEED))
    }
}

impl Store {
    /// A store that starts with `data`.
    pub fn new(data: Data) -> Self {
        let Data { users, products, orders } = data;
        let product_of_item = products
            .values()
            .flat_map(|product| {
                product.variants.iter().map(|variant| (variant.item_id.clone(), product.product_id.clone()))
            })
            .collect();
        Self { users, products, orders, product_of_item, transfers: Vec::new() }
    }

    /// All customers, sorted by id.
    pub fn users(&self) -> impl Iterator<Item = &User> {
        self.users.values()
    }

    /// All products, sorted by id.
    pub fn products(&self) -> impl Iterator<Item = &Product> {
        self.products.values()
    }

    /// All orders, sorted by id.
    pub fn orders(&self) -> impl Iterator<Item = &Order> {
        self.orders.values()
    }

    /// The customer with this id.
    pub fn user(&self, id: &UserId) -> Result<&User, RuleError> {
        self.users.get(id).ok_or_else(|| RuleError::UnknownUser(id.clone()))
    }

    /// The product with this id.
    pub fn product(&self, id: &ProductId) -> Result<&Product, RuleError> {
        self.products.get(id).ok_or_else(|| RuleError::UnknownProduct(id.clone()))
    }

    /// The order with this id.
    pub fn order(&self, id: &OrderId) -> Result<&Order, RuleError> {
        self.orders.get(id).ok_or_else(|| RuleError::UnknownOrder(id.clone()))
    }

    /// All kinds of products, sorted by name.
    pub fn product_types(&self) -> Vec<ProductType> {
        let mut types: Vec<ProductType> = self
            .products
            .values()
            .map(|product| ProductType { product_id: product.product_id.clone(), name: product.name.clone() })
            .collect();
        types.sort_by(|left, right| left.name.cmp(&right.name));
        types
    }

    /// The customer with this e-mail address; case is ignored.
    pub fn find_user_by_email(&self, email: &str) -> Result<&User, RuleError> {
        let email = email.trim();
        self.users.values().find(|user| user.email.eq_ignore_ascii_case(email)).ok_or(RuleError::NoSuchEmail)
    }

    /// The one customer with this name and ZIP code; case is ignored.
    pub fn find_user_by_name_and_zip(&self, first: &str, last: &str, zip: &str) -> Result<&User, RuleError> {
        let mut found = self.users.values().filter(|user| {
            user.name.first.eq_ignore_ascii_case(first.trim())
                && user.name.last.eq_ignore_ascii_case(last.trim())
                && user.address.zip == zip
        });
        let user = found.next().ok_or(RuleError::NoSuchNameAndZip)?;
        match found.next() {
            None => Ok(user),
            Some(_) => Err(RuleError::SeveralWithNameAndZip),
        }
    }

    /// Gives a customer a new address. Orders keep theirs.
    pub fn modify_user_address(&mut self, id: &UserId, address: Address) -> Result<&User, RuleError> {
        let user = self.users.get_mut(id).ok_or_else(|| RuleError::UnknownUser(id.clone()))?;
        user.address = address;
        Ok(user)
    }

    /// Queues a conversation for a person; returns its position in the queue, from 1.
    pub fn transfer_to_human(&mut self, summary: String) -> Result<usize, RuleError> {
        if self.transfers.len() >= MAX_TRANSFERS {
            return Err(RuleError::NoHumanAvailable);
        }
        self.transfers.push(summary);
        Ok(self.transfers.len())
    }

    /// The summaries of the conversations that wait for a person, the longest waiting first.
    pub fn transfers(&self) -> &[String] {
        &self.transfers
    }

    /// An order and its customer, both mutable.
    fn order_and_user_mut(&mut self, id: &OrderId) -> Result<(&mut Order, &mut User), RuleError> {
        let order = self.orders.get_mut(id).ok_or_else(|| RuleError::UnknownOrder(id.clone()))?;
        let user = self
            .users
            .get_mut(&order.user_id)
            .ok_or_else(|| RuleError::UnknownUser(order.user_id.clone()))?;
        Ok((order, user))
    }
}
