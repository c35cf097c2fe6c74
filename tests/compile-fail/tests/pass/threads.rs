//! Handlers that may move between threads, although it is not obvious.
#![deny(warnings, unused, rust_2018_idioms)]

use std::cell::RefCell;
use std::collections::HashMap;
use std::future::Future;
use std::marker::PhantomData;
use std::pin::Pin;
use std::rc::Rc;
use std::sync::{Arc, Mutex};

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::{Context, Handler, Prompt, Server, Tool, ToolError, handlers};

/// Doc.
#[derive(Tool, Deserialize, JsonSchema)]
struct Add {
    by: u64,
}

/// Doc.
#[derive(Tool, Deserialize, JsonSchema)]
struct Twice {
    by: u64,
}

/// Doc.
#[derive(Tool, Deserialize, JsonSchema)]
struct Page<T> {
    of: T,
}

/// Doc.
#[derive(Prompt, Deserialize, JsonSchema)]
struct Review {
    code: String,
}

async fn other_work() {}

/// Locks, with and without waiting.
struct Locks {
    total: Mutex<u64>,
    held: tokio::sync::Mutex<u64>,
}

#[handlers]
impl Locks {
    async fn add(&self, input: Add) -> u64 {
        let total = {
            let mut total = self.total.lock().unwrap();
            *total += input.by;
            *total
        };
        other_work().await;
        total
    }

    async fn twice(&self, input: Twice, cx: Context) -> Result<u64, ToolError> {
        let mut held = self.held.lock().await;
        cx.progress(1.0, None, None).await;
        other_work().await;
        *held += 2 * input.by;
        Ok(*held)
    }

    /// What is gone before it waits may belong to one thread.
    #[prompt]
    async fn review(&self, input: Review) -> String {
        let length = Rc::new(RefCell::new(input.code)).borrow().len();
        other_work().await;
        length.to_string()
    }
}

/// Handlers that call themselves, and others through the trait.
#[derive(Clone)]
struct Recursive;

#[handlers]
impl Recursive {
    async fn add(&self, input: Add, cx: &Context) -> u64 {
        match input.by {
            0 => 0,
            by => Box::pin(self.add(Add { by: by - 1 }, cx)).await + 1,
        }
    }

    async fn twice(&self, input: Twice, cx: &Context) -> u64 {
        let sum: Pin<Box<dyn Future<Output = u64> + Send + '_>> =
            Box::pin(Handler::<Add>::call(self, Add { by: input.by }, cx));
        sum.await * 2
    }
}

/// The bounds are in a `where` clause, and some are about `Self`.
#[derive(Clone)]
struct Generic<T, S, const N: usize> {
    value: T,
    other: PhantomData<S>,
}

#[handlers]
impl<T, S, const N: usize> Generic<T, S, N>
where
    T: Clone + Into<u64> + Send + Sync + 'static,
    S: 'static,
    Self: Clone + Send + Sync,
{
    async fn add(&self, input: Add) -> u64 {
        let value = self.value.clone();
        other_work().await;
        value.into() + input.by
    }
}

/// A state with a lifetime.
struct Borrowed<'a>(&'a str);

#[handlers]
impl Borrowed<'static> {
    async fn page(&self, input: Page<String>) -> String {
        other_work().await;
        format!("{}{}", self.0, input.of)
    }
}

/// A state with trait objects, and an implementation of `Send` by hand.
struct Shared {
    pointer: *const str,
    run: Arc<dyn Fn(u64) -> u64 + Send + Sync>,
    known: HashMap<String, Mutex<Box<dyn Send>>>,
}

unsafe impl Send for Shared {}
unsafe impl Sync for Shared {}

#[handlers]
impl Shared {
    async fn add(&self, input: Add) -> u64 {
        let run = &self.run;
        other_work().await;
        assert!(self.known.is_empty() && !self.pointer.is_null());
        run(input.by)
    }

    #[cfg(any())]
    async fn missing(&self, input: Missing) -> u64 {
        let held = Rc::new(input);
        other_work().await;
        held.by
    }
}

/// A state whose handlers are generated.
struct Generated;

macro_rules! service {
    ($state:ty { $($method:ident: $tool:ty),* } $prompt:ident: $input:ty) => {
        #[handlers]
        impl $state {
            #[prompt]
            async fn $prompt(&self, input: $input) -> String {
                other_work().await;
                input.code
            }

            $(async fn $method(&self, input: $tool) -> u64 {
                other_work().await;
                input.by
            })*
        }
    };
}
service!(Generated { add: Add, twice: Twice } review: Review);

fn main() {
    let locks = Locks { total: Mutex::default(), held: tokio::sync::Mutex::default() };
    Server::of(locks).build().expect("a server");
    Server::of(Generated).build().expect("a server");
    Server::of(Recursive).build().expect("a server");
    Server::of(Generic::<u32, String, 2> { value: 1, other: PhantomData }).build().expect("a server");
}
