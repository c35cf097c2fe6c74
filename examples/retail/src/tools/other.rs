//! Tools that belong to no part of the shop.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Tool, ToolError};

use crate::Retail;
use crate::calculate::calculate;

/// Computes an expression of decimal numbers with + - * / and parentheses, exactly, and rounds the result to two
/// decimals. Use it for sums of prices instead of computing yourself.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Calculate", read_only, idempotent, open_world = false)]
pub struct Calculate {
    /// The expression: numbers, + - * / and parentheses.
    #[mcp(min_length = 1, max_length = 500, example = "(19.99 + 5.01) * 3")]
    pub expression: String,
}

impl Handler<Calculate> for Retail {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Calculate, _cx: &Context) -> Self::Output {
        Ok(calculate(&input.expression)?)
    }
}

/// Hands the conversation over to a person. Use it if the customer asks for a person, or if none of the other
/// tools can do what the customer needs; then tell the customer and stop.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Hand over to a person", destructive = false, idempotent = false, open_world)]
pub struct TransferToHumanAgents {
    /// What the customer needs and what was done so far, in a few sentences.
    #[mcp(
        min_length = 1,
        max_length = 2000,
        example = "The customer wants to return an order after 90 days."
    )]
    pub summary: String,
}

impl Handler<TransferToHumanAgents> for Retail {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: TransferToHumanAgents, _cx: &Context) -> Self::Output {
        let place = self.store().transfer_to_human(input.summary)?;
        Ok(format!("transferred: the customer is number {place} in the line for a person"))
    }
}
