//! A resource that changes through a tool and by itself, and notifies its clients: those of 2026-07-28 that use
//! `subscriptions/listen`, and older ones that use `resources/subscribe`.
//!
//! `cargo run -p watched` serves `http://127.0.0.1:8080/mcp`, `cargo run -p watched -- ADDRESS` another address.

use std::error::Error;
use std::future::ready;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use toolwright::{Context, Handler, Http, Json, Resource, Server, Tool, ToolError, shutdown_signal};

/// The URI of the resource.
const CLIMATE: &str = "greenhouse://climate";

/// How long the greenhouse takes for one degree.
const STEP: Duration = Duration::from_millis(250);

/// What the resource says, in degrees Celsius.
#[derive(Debug, Clone, Serialize, JsonSchema)]
struct Climate {
    /// How warm it is.
    temperature: i32,
    /// How warm it is to be.
    target: i32,
}

impl Climate {
    fn to_json(&self) -> String {
        serde_json::json!(self).to_string()
    }
}

/// Code that changes the climate sends it into the channel and does not need to know about subscribers.
struct Greenhouse(watch::Sender<Climate>);

/// Sets how warm the greenhouse is to be. It gets there degree by degree.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(idempotent, output = Climate)]
struct SetTarget {
    /// Degrees Celsius.
    #[mcp(minimum = 5, maximum = 35)]
    celsius: i32,
}

impl Handler<SetTarget> for Greenhouse {
    type Output = Json<Climate>;

    async fn call(&self, input: SetTarget, _cx: &Context) -> Result<Json<Climate>, ToolError> {
        self.0.send_modify(|climate| climate.target = input.celsius);
        Ok(Json(self.0.borrow().clone()))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let (climate, mut changes) = watch::channel(Climate { temperature: 20, target: 20 });

    let shown = climate.subscribe();
    let read = move || ready(shown.borrow().to_json());
    let service = Server::new(Greenhouse(climate.clone()))
        .tools::<SetTarget>()
        .resource(Resource::new(CLIMATE, "climate").mime_type("application/json"), read)
        .build()?;

    tokio::spawn(heat(climate));
    let told = service.clone();
    tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            told.notify_resource_updated(CLIMATE);
        }
    });

    let http = Http::bind(address)?;
    eprintln!("watched serves http://{}/mcp", http.local_addr()?);
    service.serve_until(http, shutdown_signal()).await?;
    Ok(())
}

/// Moves the temperature towards the target. Only real changes are sent.
async fn heat(climate: watch::Sender<Climate>) {
    let mut steps = tokio::time::interval(STEP);
    loop {
        steps.tick().await;
        climate.send_if_modified(|climate| {
            let step = (climate.target - climate.temperature).signum();
            climate.temperature += step;
            step != 0
        });
    }
}
