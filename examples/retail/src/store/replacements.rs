//! Swapping items of an order for other variants of the same products.

use std::collections::BTreeMap;

use super::{RuleError, Store};
use crate::ids::ItemId;
use crate::model::{Order, OrderItem, Replacement};
use crate::money::Money;

/// A swap that the rules allow.
#[derive(Debug)]
pub(super) struct Swap {
    /// The new items, by the ids of the old ones.
    pub(super) new_items: BTreeMap<ItemId, OrderItem>,
    /// What the new items cost more than the old ones; negative where they cost less.
    pub(super) price_difference: Money,
}

impl Store {
    /// Checks every replacement: an item of the order, listed once, for another available variant of the same
    /// product. Changes nothing.
    pub(super) fn plan_replacements(
        &self,
        order: &Order,
        replacements: &[Replacement],
    ) -> Result<Swap, RuleError> {
        if replacements.is_empty() {
            return Err(RuleError::NoItems);
        }
        let mut swap = Swap { new_items: BTreeMap::new(), price_difference: Money::ZERO };
        for Replacement { item_id, new_item_id } in replacements {
            let old = order.item(item_id).ok_or_else(|| RuleError::NotInOrder {
                order: order.order_id.clone(),
                item: item_id.clone(),
            })?;
            let new = self.replacement(old, new_item_id)?;
            swap.price_difference += new.price - old.price;
            if swap.new_items.insert(item_id.clone(), new).is_some() {
                return Err(RuleError::ItemListedTwice(item_id.clone()));
            }
        }
        Ok(swap)
    }

    fn replacement(&self, old: &OrderItem, new_id: &ItemId) -> Result<OrderItem, RuleError> {
        if old.item_id == *new_id {
            return Err(RuleError::SameItem(new_id.clone()));
        }
        let product_id =
            self.product_of_item.get(new_id).ok_or_else(|| RuleError::UnknownItem(new_id.clone()))?;
        if *product_id != old.product_id {
            return Err(RuleError::OtherProduct {
                new_item: new_id.clone(),
                product: old.name.clone(),
                product_id: old.product_id.clone(),
            });
        }
        let product = self.product(product_id)?;
        let variant = product.variant(new_id).ok_or_else(|| RuleError::UnknownItem(new_id.clone()))?;
        if !variant.available {
            return Err(RuleError::NotAvailable(new_id.clone()));
        }
        Ok(OrderItem {
            item_id: variant.item_id.clone(),
            product_id: product.product_id.clone(),
            name: product.name.clone(),
            options: variant.options.clone(),
            price: variant.price,
        })
    }
}
