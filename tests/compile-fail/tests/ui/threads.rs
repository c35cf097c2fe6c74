//! Handlers that cannot run on several threads.
#![allow(dead_code)]

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::sync::{Mutex, RwLock};

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Prompt, Resource, Tool, handlers};

/// Adds to the total.
#[derive(Tool, Deserialize, JsonSchema)]
struct Add {
    by: u64,
}

/// Subtracts from the total.
#[derive(Tool, Deserialize, JsonSchema)]
struct Subtract {
    by: u64,
}

/// Reviews code.
#[derive(Prompt, Deserialize, JsonSchema)]
struct Review {
    code: String,
}

/// The terms.
#[derive(Resource)]
#[mcp(uri = "shop://terms")]
struct Terms;

async fn other_work() {}

// misuse: a state with a `RefCell`, which is reported once for all of its handlers
struct First {
    total: RefCell<u64>,
}

#[handlers]
impl First {
    fn add(&self, input: Add) -> u64 {
        *self.total.borrow_mut() += input.by;
        *self.total.borrow()
    }

    async fn subtract(&self, input: Subtract, _cx: &Context) -> u64 {
        other_work().await;
        *self.total.borrow_mut() -= input.by;
        *self.total.borrow()
    }

    #[prompt]
    async fn review(&self, input: Review) -> String {
        input.code
    }
}

// misuse: a state that only a prompt uses
struct Second {
    reviews: Cell<u64>,
}

#[handlers]
impl Second {
    #[prompt]
    fn review(&self, input: Review) -> String {
        self.reviews.set(self.reviews.get() + 1);
        input.code
    }
}

// misuse: a state whose parameter has no bounds
struct Third<T> {
    total: T,
}

#[handlers]
impl<T: Copy + Into<u64> + 'static> Third<T> {
    async fn add(&self, input: Add) -> u64 {
        other_work().await;
        self.total.into() + input.by
    }
}

struct Fourth {
    total: Mutex<u64>,
    text: RwLock<String>,
}

#[handlers]
impl Fourth {
    // misuse: a guard that is dropped by hand
    async fn add(&self, input: Add) -> u64 {
        let mut total = self.total.lock().unwrap();
        *total += input.by;
        drop(total);
        other_work().await;
        input.by
    }

    // misuse: an `Rc` that is used after waiting
    async fn subtract(&self, input: Subtract) -> u64 {
        let by = Rc::new(input.by);
        other_work().await;
        *by
    }

    // misuse: a guard in the head of a `match`
    #[prompt]
    async fn review(&self, input: Review, _cx: Context) -> String {
        match self.text.read().unwrap().as_str() {
            "" => input.code,
            _ => {
                other_work().await;
                String::new()
            }
        }
    }

    // misuse: a guard of a resource
    #[resource]
    async fn terms(&self, _input: Terms) -> String {
        let text = self.text.read().unwrap();
        other_work().await;
        text.clone()
    }
}

// misuse: a guard in a generic block
struct Fifth<T>(Mutex<T>);

#[handlers]
impl<T> Fifth<T>
where
    T: Clone + Into<u64> + Send + 'static,
{
    async fn add(&self, input: Add) -> u64 {
        let total = self.0.lock().unwrap();
        other_work().await;
        total.clone().into() + input.by
    }
}

fn main() {}
