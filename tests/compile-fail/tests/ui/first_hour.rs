//! What people write in their first hour.
#![allow(dead_code)]

use std::rc::Rc;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{Server, Tool, ToolError, Toolset, handlers};

/// Adds to the total.
#[derive(Tool, Deserialize, JsonSchema)]
struct Add {
    by: u64,
}

// misuse: a static string as a field
/// Greets someone.
#[derive(Tool, Deserialize, JsonSchema)]
struct First {
    name: &'static str,
}

// misuse: state that belongs to one thread
struct Second {
    total: Rc<u64>,
}

#[handlers]
impl Second {
    fn add(&self, input: Add) -> u64 {
        *self.total + input.by
    }
}

// misuse: a struct without `Tool`
#[derive(Deserialize, JsonSchema)]
struct Forgotten {
    name: String,
}

struct Third;

#[handlers]
impl Third {
    fn forgotten(&self, input: Forgotten) -> String {
        input.name
    }
}

// misuse: a set of tools without handlers
#[derive(Toolset)]
enum Tools {
    Add(Add),
}

fn fourth() {
    let _ = Server::new(()).tools::<Tools>();
}

// misuse: data without `Json`
#[derive(Serialize, JsonSchema)]
struct Total {
    total: u64,
}

struct Fifth;

#[handlers]
impl Fifth {
    fn add(&self, input: Add) -> Total {
        Total { total: input.by }
    }
}

// misuse: a type that is not an error
struct TooLarge;

struct Sixth;

#[handlers]
impl Sixth {
    fn add(&self, input: Add) -> Result<u64, TooLarge> {
        if input.by > 100 { Err(TooLarge) } else { Ok(input.by) }
    }
}

// misuse: `?` on a type that is not an error
struct Seventh;

#[handlers]
impl Seventh {
    fn add(&self, input: Add) -> Result<u64, ToolError> {
        Err(TooLarge)?;
        Ok(input.by)
    }
}

// misuse: a lock that is held while waiting
struct Eighth {
    total: Mutex<u64>,
}

#[handlers]
impl Eighth {
    async fn add(&self, input: Add) -> u64 {
        let mut total = self.total.lock().unwrap();
        tokio::task::yield_now().await;
        *total += input.by;
        *total
    }
}

// misuse: an async closure that uses what it has captured
fn ninth() {
    let total = Arc::new(1_u64);
    let _ = Server::new(()).tool(async move |input: Add| input.by + *total);
}

// misuse: a closure that is not async
fn tenth() {
    let _ = Server::new(()).tool(|input: Add| input.by);
}

// misuse: a field whose type has no schema
#[derive(Deserialize)]
struct Address {
    street: String,
}

/// Moves somewhere.
#[derive(Tool, Deserialize, JsonSchema)]
struct Eleventh {
    to: Address,
}

// misuse: arguments without a struct
struct Twelfth;

#[handlers]
impl Twelfth {
    fn add(&self, a: u64, b: u64) -> u64 {
        a + b
    }
}

fn main() {}
