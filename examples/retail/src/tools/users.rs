//! Finding customers, and their own data.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Context, Handler, Json, Tool, ToolError};

use crate::Retail;
use crate::ids::UserId;
use crate::model::{Address, User};

/// A customer that was found.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FoundUser {
    /// The customer's id, for the other tools.
    pub user_id: UserId,
}

/// Finds the id of a customer by e-mail address. Try this first; if the customer does not know the address, use
/// `find_user_id_by_name_zip`.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Find a customer by e-mail", read_only, idempotent, open_world = false, tags("users"))]
pub struct FindUserIdByEmail {
    /// The customer's e-mail address; capital and small letters are the same.
    #[mcp(
        format = "email",
        pattern = r"^[^@\s]+@[^@\s]+$",
        max_length = 254,
        example = "milo.kim1@example.com"
    )]
    pub email: String,
}

impl Handler<FindUserIdByEmail> for Retail {
    type Output = Result<Json<FoundUser>, ToolError>;

    async fn call(&self, input: FindUserIdByEmail, _cx: &Context) -> Self::Output {
        let user_id = self.store().find_user_by_email(&input.email)?.user_id.clone();
        Ok(Json(FoundUser { user_id }))
    }
}

/// Finds the id of a customer by name and the ZIP code of the customer's own address.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(
    title = "Find a customer by name and ZIP code",
    read_only,
    idempotent,
    open_world = false,
    tags("users")
)]
pub struct FindUserIdByNameZip {
    /// First name; capital and small letters are the same.
    #[mcp(min_length = 1, max_length = 100, example = "Milo")]
    pub first_name: String,
    /// Last name; capital and small letters are the same.
    #[mcp(min_length = 1, max_length = 100, example = "Kim")]
    pub last_name: String,
    /// ZIP code of five digits.
    #[mcp(pattern = r"^\d{5}$", example = "40216")]
    pub zip: String,
}

impl Handler<FindUserIdByNameZip> for Retail {
    type Output = Result<Json<FoundUser>, ToolError>;

    async fn call(&self, input: FindUserIdByNameZip, _cx: &Context) -> Self::Output {
        let FindUserIdByNameZip { first_name, last_name, zip } = input;
        let user_id = self.store().find_user_by_name_and_zip(&first_name, &last_name, &zip)?.user_id.clone();
        Ok(Json(FoundUser { user_id }))
    }
}

/// Shows a customer: name, e-mail address, address, payment methods with gift card balances, and the ids of all
/// orders.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Customer details", read_only, idempotent, open_world = false, tags("users"))]
pub struct GetUserDetails {
    /// The customer: first name, last name and four digits, joined with `_`.
    #[mcp(pattern = r"^[a-z]+_[a-z]+_\d{4}$", example = "milo_kim_0001")]
    pub user_id: UserId,
}

impl Handler<GetUserDetails> for Retail {
    type Output = Result<Json<User>, ToolError>;

    async fn call(&self, input: GetUserDetails, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().user(&input.user_id)?.clone()))
    }
}

/// Gives a customer a new address. Orders that were placed already keep theirs; use `modify_pending_order_address`
/// for them.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Change a customer's address", destructive, idempotent, open_world = false, tags("users"))]
pub struct ModifyUserAddress {
    /// The customer: first name, last name and four digits, joined with `_`.
    #[mcp(pattern = r"^[a-z]+_[a-z]+_\d{4}$", example = "milo_kim_0001")]
    pub user_id: UserId,
    /// The new address, all of it.
    #[serde(flatten)]
    pub address: Address,
}

impl Handler<ModifyUserAddress> for Retail {
    type Output = Result<Json<User>, ToolError>;

    async fn call(&self, input: ModifyUserAddress, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().modify_user_address(&input.user_id, input.address)?.clone()))
    }
}
