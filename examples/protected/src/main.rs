//! A shop that requires access tokens: `protected ADDRESS RESOURCE ISSUER`.

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::sync::{Mutex, PoisonError};

use schemars::JsonSchema;
use serde::Deserialize;
use toolwright::auth::{JwtVerifier, Protection};
use toolwright::{Context, Handler, Http, HttpConfig, Server, Tool, ToolError, Toolset};

/// Lists the orders of the caller.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(read_only, scopes("orders:read"))]
struct ListOrders {}

/// Places an order.
#[derive(Tool, Deserialize, JsonSchema)]
#[mcp(scopes("orders:write"))]
struct PlaceOrder {
    /// What is ordered.
    item: String,
}

/// The shop's tools.
#[derive(Toolset)]
#[mcp(name = "shop", handler = Shop)]
enum ShopTools {
    ListOrders(ListOrders),
    PlaceOrder(PlaceOrder),
}

/// The orders of each customer.
#[derive(Default)]
struct Shop(Mutex<BTreeMap<String, Vec<String>>>);

impl Shop {
    /// Does something with the caller's orders. The caller is the principal that the issuer put into the token, never
    /// something that the model sends.
    fn of_caller<T>(&self, cx: &Context, act: impl FnOnce(&mut Vec<String>) -> T) -> Result<T, ToolError> {
        let customer = cx.principal().ok_or_else(|| ToolError::new("not signed in"))?;
        let mut orders = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(act(orders.entry(customer.subject().to_owned()).or_default()))
    }
}

impl Handler<ListOrders> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, _: ListOrders, cx: &Context) -> Self::Output {
        self.of_caller(cx, |orders| orders.join(", "))
    }
}

impl Handler<PlaceOrder> for Shop {
    type Output = Result<String, ToolError>;

    async fn call(&self, order: PlaceOrder, cx: &Context) -> Self::Output {
        self.of_caller(cx, |orders| {
            orders.push(order.item);
            format!("order {} of yours", orders.len())
        })
    }
}

#[tokio::main]
async fn main() -> ExitCode {
    match serve().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

async fn serve() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(address), Some(resource), Some(issuer)) =
        (arguments.next(), arguments.next(), arguments.next())
    else {
        return Err("write `protected ADDRESS RESOURCE ISSUER`, such as `protected 127.0.0.1:8080 https://shop.example/mcp https://login.example`".into());
    };
    let verifier = JwtVerifier::new(&issuer, &resource)?;
    let protection = Protection::new(&resource, verifier)?
        .authorization_server(&issuer)?
        .implies("orders:write", ["orders:read"])
        .on_rejected(|rejected| eprintln!("a token was refused: {rejected}"));

    let http = Http::bind(address)?.config(HttpConfig::new().protect(protection));
    eprintln!("listening on {}", http.local_addr()?);
    Server::new(Shop::default()).tools::<ShopTools>().serve(http).await?;
    Ok(())
}
