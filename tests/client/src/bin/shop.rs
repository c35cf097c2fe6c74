//! A server for the client to connect to: `shop` on standard input and output, `shop http` and `shop ws` on a free port, whose address is
//! the first line of standard error.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use toolwright::{
    Context, Handler, Http, Json, Resource, Server, Service, Stdio, Tool, ToolError, Toolset,
    input_requests::Elicited, transport::WebSocket,
};

/// Adds two numbers.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct Add {
    /// The first one.
    a: i64,
    /// The second one.
    b: i64,
}

#[derive(Serialize, JsonSchema)]
struct Sum {
    sum: i64,
}

/// Fails.
#[derive(Tool, Deserialize, JsonSchema)]
struct Fail {
    /// Why.
    reason: String,
}

/// Takes its time, and tells how far it is.
#[derive(Tool, Deserialize, JsonSchema)]
struct Slow {
    /// How many steps.
    steps: u32,
    /// How long each takes.
    step_ms: u64,
}

/// How many slow calls were cancelled.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct Cancelled {}

/// Changes the stock, which is a resource.
#[derive(Tool, Deserialize, JsonSchema)]
struct Change {}

/// Asks the user.
#[derive(Tool, Deserialize, JsonSchema)]
struct Ask {}

#[derive(Deserialize, JsonSchema)]
struct Colour {
    /// Which colour
    #[serde(default = "blue")]
    colour: String,
}

fn blue() -> String {
    "blue".to_owned()
}

#[derive(Toolset)]
#[mcp(handler = Open)]
enum ShopTools {
    Add(Add),
    Fail(Fail),
    Slow(Slow),
    Cancelled(Cancelled),
    Ask(Ask),
    Change(Change),
}

#[derive(Default)]
struct Shop {
    cancelled: AtomicU32,
    /// The server itself, once it is built.
    service: OnceLock<Service>,
}

/// The shop, which the server and `main` share.
#[derive(Clone)]
struct Open(Arc<Shop>);

impl Handler<Add> for Open {
    type Output = Result<Json<Sum>, ToolError>;

    async fn call(&self, input: Add, _: &Context) -> Self::Output {
        Ok(Json(Sum { sum: input.a + input.b }))
    }
}

impl Handler<Fail> for Open {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Fail, _: &Context) -> Self::Output {
        Err(ToolError::new(input.reason))
    }
}

/// Counts the calls that end before they are done.
struct Counted<'a> {
    count: &'a AtomicU32,
    is_done: bool,
}

impl Drop for Counted<'_> {
    fn drop(&mut self) {
        if !self.is_done {
            self.count.fetch_add(1, Ordering::SeqCst);
        }
    }
}

impl Handler<Slow> for Open {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Slow, cx: &Context) -> Self::Output {
        let mut counted = Counted { count: &self.0.cancelled, is_done: false };
        for step in 1..=input.steps {
            tokio::time::sleep(Duration::from_millis(input.step_ms)).await;
            cx.progress(f64::from(step), Some(f64::from(input.steps)), None).await;
        }
        counted.is_done = true;
        Ok("done".to_owned())
    }
}

impl Handler<Cancelled> for Open {
    type Output = Result<u32, ToolError>;

    async fn call(&self, _: Cancelled, _: &Context) -> Self::Output {
        Ok(self.0.cancelled.load(Ordering::SeqCst))
    }
}

impl Handler<Ask> for Open {
    type Output = Result<String, ToolError>;

    async fn call(&self, _: Ask, cx: &Context) -> Self::Output {
        Ok(match cx.elicit::<Colour>("colour", "Which colour?").await? {
            Elicited::Accepted(Colour { colour }) => colour,
            Elicited::Declined => "declined".to_owned(),
            Elicited::Cancelled => "cancelled".to_owned(),
        })
    }
}

impl Handler<Change> for Open {
    type Output = Result<String, ToolError>;

    async fn call(&self, _: Change, _: &Context) -> Self::Output {
        if let Some(service) = self.0.service.get() {
            service.notify_resource_updated("shop://stock");
        }
        Ok("changed".to_owned())
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let shop = Arc::new(Shop::default());
    let stock = Resource::new("shop://stock", "stock");
    let server = Server::new(Open(Arc::clone(&shop))).tools::<ShopTools>().resource(stock, async || "full");
    let server = server.build()?;
    // It is set once.
    _ = shop.service.set(server.clone());
    match std::env::args().nth(1).as_deref() {
        Some("http") => {
            let http = Http::bind("127.0.0.1:0")?.with_sse();
            eprintln!("http://{}/mcp", http.local_addr()?);
            server.serve(http).await?;
        }
        Some("ws") => {
            let socket = WebSocket::bind("127.0.0.1:0")?;
            eprintln!("ws://{}/mcp", socket.local_addr()?);
            server.serve(socket).await?;
        }
        _ => server.serve(Stdio).await?,
    }
    Ok(())
}
