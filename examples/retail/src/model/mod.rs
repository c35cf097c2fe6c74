//! What the shop knows: customers, products and orders.

mod address;
mod order;
mod payment;
mod product;
mod user;

pub use address::{Address, Country};
pub use order::{
    CancelReason, Exchange, Fulfillment, Order, OrderItem, OrderStatus, Replacement, ReturnRequest,
};
pub use payment::{CardBrand, Payment, PaymentKind, PaymentMethod, PaymentState};
pub use product::{Product, ProductType, Variant};
pub use user::{Name, User};
