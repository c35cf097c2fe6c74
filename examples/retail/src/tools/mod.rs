//! The tools, by subject: each a struct with the tool's arguments, and the code behind it.

mod orders;
mod other;
mod products;
mod returns;
mod users;

pub use orders::{
    CancelPendingOrder, GetOrderDetails, ModifyPendingOrderAddress, ModifyPendingOrderItems,
    ModifyPendingOrderPayment,
};
pub use other::{Calculate, TransferToHumanAgents};
pub use products::{GetProductDetails, ListAllProductTypes, ProductTypes};
pub use returns::{ExchangeDeliveredOrderItems, ReturnDeliveredOrderItems};
pub use users::{FindUserIdByEmail, FindUserIdByNameZip, FoundUser, GetUserDetails, ModifyUserAddress};
