//! What the shop sells.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Context, Handler, Json, Tool, ToolError};

use crate::Retail;
use crate::ids::ProductId;
use crate::model::{Product, ProductType};

/// Lists all kinds of products by name, with the ids that `get_product_details` takes.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "All products", read_only, idempotent, open_world = false, tags("products"))]
pub struct ListAllProductTypes {}

/// All kinds of products.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProductTypes {
    /// The products, sorted by name.
    pub product_types: Vec<ProductType>,
}

impl Handler<ListAllProductTypes> for Retail {
    type Output = Result<Json<ProductTypes>, ToolError>;

    async fn call(&self, _input: ListAllProductTypes, _cx: &Context) -> Self::Output {
        Ok(Json(ProductTypes { product_types: self.store().product_types() }))
    }
}

/// Shows all variants of a product: their options, prices, and whether they can be ordered now.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(title = "Product details", read_only, idempotent, open_world = false, tags("products"))]
pub struct GetProductDetails {
    /// The product: ten digits. Not the id of an item, which is one variant of a product.
    #[mcp(pattern = r"^\d{10}$", example = "1000000001")]
    pub product_id: ProductId,
}

impl Handler<GetProductDetails> for Retail {
    type Output = Result<Json<Product>, ToolError>;

    async fn call(&self, input: GetProductDetails, _cx: &Context) -> Self::Output {
        Ok(Json(self.store().product(&input.product_id)?.clone()))
    }
}
