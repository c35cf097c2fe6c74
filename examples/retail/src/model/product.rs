//! Products and their variants.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;

use crate::ids::{ItemId, ProductId};
use crate::money::Money;

/// A kind of product with all its variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Product {
    /// The product's id.
    pub product_id: ProductId,
    /// The product's name.
    pub name: String,
    /// What can be ordered.
    pub variants: Vec<Variant>,
}

impl Product {
    /// The variant with this id, if the product has it.
    pub fn variant(&self, id: &ItemId) -> Option<&Variant> {
        self.variants.iter().find(|variant| variant.item_id == *id)
    }
}

/// One variant of a product.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Variant {
    /// The variant's id.
    pub item_id: ItemId,
    /// What tells this variant from the others, such as colour and size.
    pub options: BTreeMap<String, String>,
    /// Whether it can be ordered now.
    pub available: bool,
    /// What it costs now.
    pub price: Money,
}

/// A kind of product without its variants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct ProductType {
    /// The product's id.
    pub product_id: ProductId,
    /// The product's name.
    pub name: String,
}
