//! What doc comments become.

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::Tool;

/// Look up an order.
#[doc = concat!("By its id.\r\n", "\r\n", "It is fast.\r\n")]
#[derive(Tool, Deserialize, JsonSchema)]
struct GetOrder {
    /// In the address, too.
    #[doc = concat!("Such as\r\n", "#W1.\r\n")]
    id: String,
}

#[doc = concat!("Only a ", "file.\r\n")]
#[derive(Tool, Deserialize, JsonSchema)]
struct Ping;

#[test]
fn an_included_file_is_a_description_with_plain_lines() {
    let definition = GetOrder::definition();
    assert_eq!(definition.description.as_deref(), Some("Look up an order.\nBy its id.\n\nIt is fast."));
    let id = &definition.input_schema["properties"]["id"]["description"];
    assert_eq!(id, "In the address, too.\nSuch as\n#W1.");
    assert_eq!(Ping::definition().description.as_deref(), Some("Only a file."));
    let _ = GetOrder { id: String::new() }.id;
}
