//! Calls with the types that `cargo mcp bindings` has written for a server: `shop_bindings.rs` is what
//! `cargo mcp bindings --out tests/client/tests/it/shop_bindings.rs -- target/debug/shop` writes.

use test_client::program;
use toolwright::Toolset as _;
use toolwright_client::{Client, ErrorKind, ListedTool};

use crate::shop_bindings::{Add, AddOutput, Cancelled, Fail, Slow, Tools};

async fn shop() -> Client {
    Client::connect(program(env!("CARGO_BIN_EXE_shop"), &[])).await.unwrap()
}

#[tokio::test]
async fn the_bindings_match_the_definitions_of_the_server() {
    let client = shop().await;
    let mut listed: Vec<_> = client.list_tools().await.unwrap().iter().map(ListedTool::definition).collect();
    listed.sort_by(|one, other| one.name.cmp(&other.name));
    assert_eq!(serde_json::json!(Tools::definitions()), serde_json::json!(listed));
    client.close().await;
}

#[tokio::test]
async fn calls_and_results_have_the_types_of_the_bindings() {
    let client = shop().await;
    let AddOutput { sum } = client.call_tool(&Add { a: 19, b: 23 }).await.unwrap();
    assert_eq!(sum, 42);
    let failed =
        client.call_tool::<_, String>(&Fail { reason: "out of paper".to_owned() }).await.unwrap_err();
    super::check(&failed, ErrorKind::Tool, &["`fail`", "out of paper"]);
    let done: String = client.call_tool(&Slow { steps: 2, step_ms: 1 }).await.unwrap();
    assert!(!done.is_empty());
    let other = client.call_tool::<_, AddOutput>(&Cancelled {}).await.unwrap_err();
    super::check(&other, ErrorKind::Protocol, &["not have the expected type"]);
    client.close().await;
}
