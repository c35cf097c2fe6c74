//! A resource that changes through a tool and by itself, and notifies its clients: those of 2026-07-28 that use
//! `subscriptions/listen`, and older ones that use `resources/subscribe`.
//!
//! `cargo run -p watched` serves `http://127.0.0.1:8080/mcp`, `cargo run -p watched -- ADDRESS` another address.

use std::error::Error;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::sync::watch;
use toolwright::resource::TypedResource as _;
use toolwright::{Http, Json, Resource, Server, Tool, handlers, shutdown_signal};

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

/// How warm it is in the greenhouse, and how warm it is to be.
#[derive(Debug, Resource)]
#[mcp(uri = "greenhouse://climate", name = "climate", mime_type = "application/json")]
struct ReadClimate;

/// Code that changes the climate sends it into the channel and does not need to know about subscribers.
struct Greenhouse(watch::Sender<Climate>);

/// Sets how warm the greenhouse is to be. It gets there degree by degree.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(idempotent)]
struct SetTarget {
    /// Degrees Celsius.
    #[mcp(minimum = 5, maximum = 35)]
    celsius: i32,
}

#[handlers]
impl Greenhouse {
    fn set_target(&self, input: SetTarget) -> Json<Climate> {
        self.0.send_modify(|climate| climate.target = input.celsius);
        Json(self.0.borrow().clone())
    }

    #[resource]
    fn climate(&self, _: ReadClimate) -> String {
        serde_json::json!(*self.0.borrow()).to_string()
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let (climate, mut changes) = watch::channel(Climate { temperature: 20, target: 20 });

    let service = Server::of(Greenhouse(climate.clone())).build()?;

    tokio::spawn(heat(climate));
    let told = service.clone();
    tokio::spawn(async move {
        while changes.changed().await.is_ok() {
            told.notify_resource_updated(ReadClimate::URI);
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
