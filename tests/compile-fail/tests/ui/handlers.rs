//! Blocks and methods that `#[handlers]` cannot use.
#![allow(dead_code)]

use std::rc::Rc;

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Server, Tool, handlers};

#[derive(Tool, Deserialize, JsonSchema)]
struct Count {
    by: u64,
}

struct NotATool;

// misuse: the attribute on a struct
#[handlers]
struct First;

struct Second;

// misuse: the attribute on the implementation of a trait
#[handlers]
impl Clone for Second {
    fn clone(&self) -> Self {
        Second
    }
}

struct Third;

// misuse: a block without handlers
#[handlers]
impl Third {
    const LIMIT: u64 = 3;
}

struct Fourth;

#[handlers]
impl Fourth {
    // misuse: a function without `&self`
    fn new() -> Self {
        Fourth
    }

    // misuse: a method that takes no tool
    fn total(&self) -> u64 {
        0
    }

    // misuse: exclusive access to the service
    async fn exclusive(&mut self, input: Count) -> u64 {
        input.by
    }

    // misuse: a tool by reference
    async fn by_reference(&self, input: &Count) -> u64 {
        input.by
    }

    // misuse: a third parameter
    async fn too_many(&self, input: Count, _cx: &Context, _more: u64) -> u64 {
        input.by
    }

    // misuse: a borrowed result
    async fn borrowed(&self, _input: Count) -> &str {
        ""
    }

    // misuse: a result without a name
    fn nameless(&self, _input: Count) -> impl Future<Output = u64> {
        async { 1 }
    }

    // misuse: a generic handler
    fn generic<T: Tool>(&self, _input: T) {}
}

struct Fifth;

#[handlers]
impl Fifth {
    async fn count(&self, input: Count) -> u64 {
        input.by
    }

    // misuse: a second handler of a tool
    async fn count_again(&self, input: Count) -> u64 {
        input.by
    }
}

struct Sixth;

#[handlers]
impl Sixth {
    // misuse: an argument that is not a tool
    async fn first(&self, _input: NotATool) {}
}

struct Seventh;

#[handlers]
impl Seventh {
    // misuse: a future that stays on its thread
    async fn first(&self, input: Count) -> u64 {
        let total = Rc::new(input.by);
        std::future::ready(()).await;
        *total
    }
}

struct Eighth;

#[handlers]
impl Eighth {
    // misuse: a result that is no result of a tool
    async fn first(&self, input: Count) -> Option<u64> {
        Some(input.by)
    }
}

struct Ninth;

// misuse: an unknown key
#[handlers(label = "x")]
impl Ninth {
    async fn first(&self, input: Count) -> u64 {
        input.by
    }
}

struct Tenth;

// misuse: a server of a type without a block
fn tenth() {
    let _ = Server::of(Tenth);
}

fn main() {}
