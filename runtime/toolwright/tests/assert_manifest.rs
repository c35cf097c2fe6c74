//! `assert_manifest!` as users write it, by toolset and by package.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Tool, Toolset};

/// Counts the orders.
#[derive(Tool, Deserialize, JsonSchema)]
struct CountOrders {}

/// Shows an order.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct GetOrder {
    /// The order's number.
    #[expect(dead_code, reason = "the tool is never called")]
    order: u32,
}

/// A server.
#[derive(Toolset)]
#[mcp(name = "shop", version = "1.2.3", instructions = "Count first.")]
enum ShopTools {
    GetOrder(GetOrder),
    CountOrders(CountOrders),
}

#[test]
fn the_manifest_of_the_toolset_is_up_to_date() {
    toolwright::assert_manifest!("tests/shop.json", ShopTools);
}

#[test]
fn the_manifest_of_the_package_is_the_same() {
    toolwright::assert_manifest!("tests/shop.json");
}

#[test]
#[should_panic(
    expected = "no tool of the package `other-shop` is linked into this test: name the toolset, as in \
                           assert_manifest!(\"mcp.json\", other_shop::Tools)"
)]
fn a_package_that_is_not_linked_is_reported() {
    toolwright::__private::of_package(env!("CARGO_MANIFEST_DIR"), "other-shop", "mcp.json");
}
