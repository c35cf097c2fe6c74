//! Functions that cannot be handlers of a tool.
#![allow(dead_code)]

use std::cell::Cell;
use std::rc::Rc;
use std::sync::Arc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Server, Tool};

#[derive(Tool, Deserialize, JsonSchema)]
struct Count {
    by: u64,
}

// misuse: a closure that is not async
fn first() {
    let _ = Server::new(()).tool(|input: Count| input.by);
}

// misuse: an async closure that borrows what it has captured
fn second() {
    let total = Arc::new(1_u64);
    let _ = Server::new(()).tool(async move |input: Count| input.by + *total);
}

// misuse: an argument that is not a tool
fn third() {
    let _ = Server::new(()).tool(async |by: u64| by);
}

// misuse: a future that stays on its thread
fn fourth() {
    let _ = Server::new(()).tool(async |input: Count| {
        let total = Rc::new(Cell::new(input.by));
        std::future::ready(()).await;
        total.get()
    });
}

// misuse: a result that is no result of a tool
fn fifth() {
    let _ = Server::new(()).tool(async |input: Count| Some(input.by));
}

// misuse: the context by reference
fn sixth() {
    let _ = Server::new(()).tool(async |input: Count, _cx: &Context| input.by);
}

fn main() {}
