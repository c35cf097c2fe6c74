//! Servers whose state does not fit their tools.
#![allow(dead_code)]

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Server, Tool, ToolError, Toolset};

#[derive(Tool, Deserialize, JsonSchema)]
struct GetOrder {
    id: String,
}

#[derive(Tool, Deserialize, JsonSchema)]
struct CancelOrder {
    id: String,
}

#[derive(Toolset)]
enum ShopTools {
    GetOrder(GetOrder),
    CancelOrder(CancelOrder),
}

struct Shop;

impl Handler<GetOrder> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: GetOrder, _: &Context) -> Self::Output {
        Ok(input.id)
    }
}

// misuse: a set with a tool that the state does not handle
fn first() {
    Server::new(Shop).tools::<ShopTools>();
}

// misuse: a tool that the state does not handle
fn second() {
    Server::new(Shop).tools::<CancelOrder>();
}

// misuse: a type that is neither a tool nor a set
fn third() {
    Server::new(Shop).tools::<String>();
}

// misuse: a function that is not async
fn get_order(input: GetOrder) -> String {
    input.id
}

fn fourth() {
    Server::new(get_order).tools::<GetOrder>();
}

// misuse: a function of another tool
async fn cancel_order(input: CancelOrder) -> String {
    input.id
}

fn fifth() {
    Server::new(cancel_order).tools::<GetOrder>();
}

// misuse: a function whose output is not a result
async fn find_order(_: GetOrder) -> Shop {
    Shop
}

fn sixth() {
    Server::new(find_order).tools::<GetOrder>();
}

fn main() {}
