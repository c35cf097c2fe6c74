//! `cargo mcp expand`: one tool.

use crate::common::{folder, mcp};

#[test]
fn a_tool_is_shown_with_its_place_its_schemas_and_a_call() {
    let run = mcp(&folder("library"), "expand get_order").ok();
    for part in [
        "get_order of library\n  --> src/lib.rs:",
        "\nDefinition:\n{\n  \"name\": \"get_order\",\n  \"title\": \"Order details\",",
        "\nInput schema:\n{\n  \"type\": \"object\",",
        "\nA call:\n{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\",\"params\":{\"name\":\"get_order\",\"arguments\":{\"order_id\":\"#W0000001\"}}}\n",
    ] {
        assert!(run.stdout.contains(part), "no {part:?} in:\n{}", run.stdout);
    }
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest() {
    let run = mcp(&folder("library"), "expand get_ordre").ended(2);
    run.says(&["unknown tool `get_ordre`, did you mean `get_order`?", "`refund`"]);
}
