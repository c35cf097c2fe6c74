//! The manifest that is kept in the repository.

use retail::RetailTools;

#[test]
fn the_manifest_is_up_to_date() {
    toolwright::assert_manifest!("mcp.json", RetailTools);
}
