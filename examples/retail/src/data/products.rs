//! Invented products.

use std::collections::BTreeMap;

use super::PRODUCTS;
use super::random::Random;
use crate::ids::{ItemId, ProductId};
use crate::model::{Product, Variant};
use crate::money::Money;

/// An option of a product and its values.
type Axis = (&'static str, &'static [&'static str]);

const COLOR: Axis = ("color", &["black", "white", "red", "blue", "green"]);
const WOOD: Axis = ("wood", &["oak", "walnut", "ash"]);
const METAL: Axis = ("metal", &["steel", "brass", "aluminium"]);
const FABRIC: Axis = ("fabric", &["cotton", "linen", "wool"]);
const SIZE: Axis = ("size", &["S", "M", "L", "XL"]);
const SHOE: Axis = ("size", &["7", "8", "9", "10", "11"]);
const VOLUME: Axis = ("volume", &["500 ml", "750 ml", "1000 ml"]);
const LENGTH: Axis = ("length", &["1 m", "2 m", "3 m"]);
const STORAGE: Axis = ("storage", &["128 GB", "256 GB", "512 GB"]);
const SCREEN: Axis = ("screen", &["8 inch", "11 inch", "13 inch", "15 inch"]);
const POWER: Axis = ("power", &["battery", "mains", "USB-C"]);
const PIECES: Axis = ("pieces", &["500", "1000", "2000"]);
const PACK: Axis = ("pack", &["single", "pair", "set of four"]);
const LEVEL: Axis = ("level", &["beginner", "intermediate", "expert"]);

/// Name, typical price of a variant in cents, and options.
const CATALOGUE: [(&str, u32, [Axis; 2]); PRODUCTS] = [
    ("Action Camera", 24_900, [COLOR, STORAGE]),
    ("Air Purifier", 18_900, [COLOR, POWER]),
    ("Alarm Clock", 3_900, [COLOR, POWER]),
    ("Backpack", 7_900, [COLOR, SIZE]),
    ("Bath Towel", 2_400, [COLOR, PACK]),
    ("Bicycle Helmet", 6_400, [COLOR, SIZE]),
    ("Bicycle Lock", 4_200, [METAL, LENGTH]),
    ("Bluetooth Speaker", 8_900, [COLOR, POWER]),
    ("Board Game", 3_600, [LEVEL, PACK]),
    ("Bookshelf", 16_900, [WOOD, COLOR]),
    ("Camping Chair", 5_400, [COLOR, PACK]),
    ("Charging Cable", 1_500, [COLOR, LENGTH]),
    ("Chess Set", 5_900, [WOOD, LEVEL]),
    ("Coat Rack", 7_200, [WOOD, METAL]),
    ("Coffee Maker", 9_900, [COLOR, VOLUME]),
    ("Cushion", 2_900, [FABRIC, COLOR]),
    ("Cutting Board", 3_200, [WOOD, PACK]),
    ("Desk Lamp", 5_600, [COLOR, POWER]),
    ("Digital Piano", 64_900, [COLOR, LEVEL]),
    ("Door Mat", 2_200, [COLOR, PACK]),
    ("Drawing Tablet", 21_900, [SCREEN, LEVEL]),
    ("Dumbbell", 3_400, [METAL, PACK]),
    ("E-Reader", 13_900, [SCREEN, STORAGE]),
    ("Electric Kettle", 4_900, [COLOR, VOLUME]),
    ("Fleece Jacket", 6_900, [COLOR, SIZE]),
    ("Garden Hose", 3_700, [COLOR, LENGTH]),
    ("Guitar", 29_900, [WOOD, LEVEL]),
    ("Headphones", 15_900, [COLOR, POWER]),
    ("Hiking Boots", 13_400, [COLOR, SHOE]),
    ("Jigsaw Puzzle", 2_100, [LEVEL, PIECES]),
    ("Laptop", 109_900, [SCREEN, STORAGE]),
    ("Mechanical Keyboard", 11_900, [COLOR, POWER]),
    ("Mouse Pad", 1_600, [COLOR, PACK]),
    ("Notebook", 900, [COLOR, PACK]),
    ("Office Chair", 22_900, [COLOR, FABRIC]),
    ("Picture Frame", 2_600, [WOOD, PACK]),
    ("Rain Coat", 8_400, [COLOR, SIZE]),
    ("Running Shoes", 10_900, [COLOR, SHOE]),
    ("Scarf", 3_100, [FABRIC, COLOR]),
    ("Sleeping Bag", 9_400, [COLOR, SIZE]),
    ("Smart Watch", 19_900, [COLOR, METAL]),
    ("Sofa", 89_900, [FABRIC, COLOR]),
    ("Sun Hat", 2_700, [FABRIC, SIZE]),
    ("T-Shirt", 1_900, [COLOR, SIZE]),
    ("Tablet", 39_900, [SCREEN, STORAGE]),
    ("Tea Pot", 4_400, [COLOR, VOLUME]),
    ("Vacuum Flask", 2_800, [COLOR, VOLUME]),
    ("Wall Clock", 4_600, [WOOD, COLOR]),
    ("Water Bottle", 1_800, [COLOR, VOLUME]),
    ("Yoga Mat", 3_300, [COLOR, PACK]),
];

/// All products. Each has at least two available variants, so that any can be exchanged for another.
pub(super) fn generate(random: &mut Random) -> Vec<Product> {
    let mut item_number = 0;
    let mut products = Vec::with_capacity(PRODUCTS);
    for (number, (name, price, axes)) in (1..).zip(&CATALOGUE) {
        let mut variants = Vec::new();
        for options in combinations(random, axes) {
            item_number += 1;
            variants.push(Variant {
                item_id: ItemId::new(format!("2{item_number:09}")),
                options,
                available: variants.len() < 2 || random.chance(75),
                price: Money::from_cents((price * random.number(85..=115) / 100).into()),
            });
        }
        products.push(Product {
            product_id: ProductId::new(format!("1{number:09}")),
            name: (*name).to_owned(),
            variants,
        });
    }
    products
}

/// Six to nine of the combinations of the options' values.
fn combinations(random: &mut Random, axes: &[Axis; 2]) -> Vec<BTreeMap<String, String>> {
    let [(first_name, first_values), (second_name, second_values)] = axes;
    let mut all = Vec::new();
    for first in *first_values {
        for second in *second_values {
            all.push(BTreeMap::from([
                ((*first_name).to_owned(), (*first).to_owned()),
                ((*second_name).to_owned(), (*second).to_owned()),
            ]));
        }
    }
    random.shuffle(&mut all);
    all.truncate(6 + random.index(4));
    all
}
