//! The shop's data: invented by a seeded generator, the same on each run and machine.
//!
//! Ids count up from 1, so `#W0000001` always exists. The statuses of the orders repeat every ten orders
//! (see `orders.rs`), so `#W0000001` is pending and `#W0000002` is delivered.

mod orders;
mod places;
mod products;
mod random;
mod users;

use std::collections::BTreeMap;

use crate::ids::{OrderId, ProductId, UserId};
use crate::model::{Order, Product, User};
use random::Random;

/// The seed of the shop that [`crate::server`] serves.
pub const SEED: u64 = 2026;

/// How many customers there are.
pub const USERS: usize = 500;
/// How many orders there are.
pub const ORDERS: usize = 1_000;
/// How many products there are.
pub const PRODUCTS: usize = 50;

/// Everything that a shop starts with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Data {
    /// The customers.
    pub users: BTreeMap<UserId, User>,
    /// The products.
    pub products: BTreeMap<ProductId, Product>,
    /// The orders.
    pub orders: BTreeMap<OrderId, Order>,
}

/// Invents a shop: the same seed gives the same shop.
pub fn generate(seed: u64) -> Data {
    let mut random = Random::new(seed);
    let products = products::generate(&mut random);
    let mut users = users::generate(&mut random);
    let orders = orders::generate(&mut random, &mut users, &products);

    Data {
        users: users.into_iter().map(|user| (user.user_id.clone(), user)).collect(),
        products: products.into_iter().map(|product| (product.product_id.clone(), product)).collect(),
        orders: orders.into_iter().map(|order| (order.order_id.clone(), order)).collect(),
    }
}
