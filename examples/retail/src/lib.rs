//! A retail shop's customer service as an MCP server: 15 tools over invented customers, products and orders.
//!
//! [`store`] holds the state and the rules and knows nothing about MCP; [`tools`] exposes them as tools.

pub mod ids;
pub mod money;

pub mod model;

pub mod data;

pub mod store;

pub mod calculate;

pub mod tools;

use std::sync::{Mutex, MutexGuard, PoisonError};

use toolwright::{Server, Toolset};

use store::Store;

/// The shop: the state that all tools share. Changes last as long as the process.
#[derive(Debug, Default)]
pub struct Retail {
    store: Mutex<Store>,
}

impl Retail {
    /// A shop that starts with `store`.
    pub fn new(store: Store) -> Self {
        Self { store: Mutex::new(store) }
    }

    /// The store, for one synchronous operation: never hold it across an `await`.
    fn store(&self) -> MutexGuard<'_, Store> {
        // Operations change nothing before all checks are done, so a panic elsewhere leaves the store consistent.
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// What the server offers.
#[derive(Debug, Toolset)]
#[mcp(
    name = "retail",
    title = "Retail customer service",
    handler = Retail,
    instructions = "Customer service of a shop. Find the customer first, by e-mail address or by name and ZIP code, \
        and help with this customer's own orders only. Look at an order before you change it. Pending orders can be \
        cancelled or modified, delivered ones returned or exchanged. Say what you are about to change and wait for \
        a yes."
)]
#[expect(missing_docs, reason = "each variant is documented at its tool")]
pub enum RetailTools {
    Calculate(tools::Calculate),
    CancelPendingOrder(tools::CancelPendingOrder),
    ExchangeDeliveredOrderItems(tools::ExchangeDeliveredOrderItems),
    FindUserIdByEmail(tools::FindUserIdByEmail),
    FindUserIdByNameZip(tools::FindUserIdByNameZip),
    GetOrderDetails(tools::GetOrderDetails),
    GetProductDetails(tools::GetProductDetails),
    GetUserDetails(tools::GetUserDetails),
    ListAllProductTypes(tools::ListAllProductTypes),
    ModifyPendingOrderAddress(tools::ModifyPendingOrderAddress),
    ModifyPendingOrderItems(tools::ModifyPendingOrderItems),
    ModifyPendingOrderPayment(tools::ModifyPendingOrderPayment),
    ModifyUserAddress(tools::ModifyUserAddress),
    ReturnDeliveredOrderItems(tools::ReturnDeliveredOrderItems),
    TransferToHumanAgents(tools::TransferToHumanAgents),
}

/// The server, ready for a transport, with the shop as it is at the start.
pub fn server() -> Server<Retail> {
    Server::new(Retail::default()).tools::<RetailTools>()
}
