//! The help desk, for the program and its tests.

mod desk;
mod store;

pub use desk::Desk;
pub use store::{Page, Status, Store, Ticket};
