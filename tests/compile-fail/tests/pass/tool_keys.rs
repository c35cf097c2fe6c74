//! Every key of a tool, and what the definition says for it.
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;
use toolwright::Tool;
use toolwright::tool::TaskSupport;

/// Not taken, since a description is given.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(
    name = "orders.get-V2",
    title = "Order details",
    description = "Look up an order.",
    read_only,
    destructive = false,
    idempotent = true,
    open_world = false,
    output = Vec<Order>,
    scopes("orders:read", "orders:list"),
    context = "orders",
    task,
    tags("orders", "lookup"),
    was("get_order", "find_order"),
    icon(src = "https://example.com/a.png", mime_type = "image/png", sizes = ["48x48", "96x96"], theme = "light"),
    icon(src = "data:image/svg+xml;base64,AAAA", sizes("any"), theme = "dark"),
    meta("com.example/team" = "orders", "com.example/limits" = [1, -2.5, true], "plain" = 0x10),
    crate = toolwright,
)]
#[mcp(allow_unknown)]
struct GetOrder {}

#[derive(Serialize, JsonSchema)]
struct Order {
    id: String,
}

/// Cancel an order.
///
/// An order that was sent cannot be cancelled:
///   write to support.
#[derive(Tool, Deserialize, JsonSchema)]
struct CancelOrder {}

#[derive(Tool, Deserialize, JsonSchema)]
struct HTTPPing {}

#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = "required")]
struct Export {}

#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(task = false)]
struct Look {}

fn main() {
    let definition = serde_json::to_value(GetOrder::definition()).unwrap();
    assert_eq!(definition["name"], "orders.get-V2");
    assert_eq!(definition["title"], "Order details");
    assert_eq!(definition["description"], "Look up an order.");
    assert_eq!(
        definition["annotations"],
        json!({"readOnlyHint": true, "destructiveHint": false, "idempotentHint": true, "openWorldHint": false})
    );
    assert_eq!(definition["outputSchema"]["type"], "array");
    assert_eq!(
        definition["icons"],
        json!([
            {"src": "https://example.com/a.png", "mimeType": "image/png", "sizes": ["48x48", "96x96"], "theme": "light"},
            {"src": "data:image/svg+xml;base64,AAAA", "sizes": ["any"], "theme": "dark"},
        ])
    );
    assert_eq!(
        definition["_meta"],
        json!({
            "com.example/team": "orders",
            "com.example/limits": [1, -2.5, true],
            "plain": 16,
            "io.toolwright/scopes": ["orders:read", "orders:list"],
            "io.toolwright/was": ["get_order", "find_order"],
            "io.toolwright/tags": ["orders", "lookup"],
            "io.toolwright/context": "orders",
            "io.toolwright/task": "optional",
        })
    );
    assert_ne!(definition["inputSchema"]["additionalProperties"], false);

    let cancel = CancelOrder::definition();
    assert_eq!(cancel.name, "cancel_order");
    assert_eq!(
        cancel.description.as_deref(),
        Some("Cancel an order.\n\nAn order that was sent cannot be cancelled:\n  write to support.")
    );
    assert_eq!((cancel.title, cancel.annotations, cancel.meta), (None, None, None));

    assert_eq!(Export::definition().task(), Some(TaskSupport::Required));
    assert_eq!(Look::definition().meta, None);

    let ping = HTTPPing::definition();
    assert_eq!((ping.name.as_str(), ping.description), ("http_ping", None));
}
