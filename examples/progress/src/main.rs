//! A long task that reports progress and stops when it is cancelled, even though it runs on a thread of its own.
//!
//! `cargo run -p progress` serves `http://127.0.0.1:8080/mcp`, `cargo run -p progress -- ADDRESS` another address.

use std::error::Error;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::thread;
use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tokio::runtime::Handle;
use tokio::task::spawn_blocking;
use toolwright::{Context, Handler, Http, Json, Server, Tool, ToolError, Toolset, shutdown_signal};

/// Prints labels, one each tenth of a second. Tells after each how many are done.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct PrintLabels {
    /// How many.
    #[mcp(minimum = 1, maximum = 1000)]
    count: u32,
}

/// Says what the printer does.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
#[mcp(read_only)]
struct PrinterStatus {}

#[derive(Debug, Toolset)]
#[mcp(handler = Arc<Printer>)]
enum PrinterTools {
    PrintLabels(PrintLabels),
    PrinterStatus(PrinterStatus),
}

/// What the printer has done since its start.
#[derive(Debug, Serialize, JsonSchema)]
struct Status {
    /// Whether it prints.
    busy: bool,
    /// How many labels it has printed.
    printed: u32,
}

/// A device that blocks: one label at a time, and only one task.
#[derive(Debug, Default)]
struct Printer {
    busy: AtomicBool,
    printed: AtomicU32,
}

impl Printer {
    /// Prints until all labels are done or the call is cancelled. Blocks.
    fn print(&self, count: u32, cx: &Context) {
        let runtime = Handle::current();
        for label in 1..=count {
            if cx.cancellation().is_cancelled() {
                break;
            }
            thread::sleep(Duration::from_millis(100));
            self.printed.fetch_add(1, Ordering::Relaxed);
            let message = format!("printed label {label}");
            // Does nothing if the caller did not ask for progress, or has disconnected.
            runtime.block_on(cx.progress(label.into(), Some(count.into()), Some(&message)));
        }
        self.busy.store(false, Ordering::Release);
    }
}

impl Handler<PrintLabels> for Arc<Printer> {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: PrintLabels, cx: &Context) -> Self::Output {
        if self.busy.swap(true, Ordering::AcqRel) {
            return Err(ToolError::new("the printer is busy; try again when it is done"));
        }
        // When the call is cancelled, this future is dropped at its await point. The thread keeps running, so it has to
        // check the context's token.
        let (printer, cx) = (Arc::clone(self), cx.clone());
        let printing = spawn_blocking(move || printer.print(input.count, &cx));
        printing.await.map_err(|_| ToolError::new("the printer has failed"))?;
        Ok(format!("labels printed: {}", input.count))
    }
}

impl Handler<PrinterStatus> for Arc<Printer> {
    type Output = Result<Json<Status>, ToolError>;

    async fn call(&self, _input: PrinterStatus, _cx: &Context) -> Self::Output {
        let printed = self.printed.load(Ordering::Relaxed);
        Ok(Json(Status { busy: self.busy.load(Ordering::Acquire), printed }))
    }
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let address = std::env::args().nth(1).unwrap_or_else(|| "127.0.0.1:8080".to_owned());
    let service = Server::new(Arc::new(Printer::default())).tools::<PrinterTools>().build()?;
    let http = Http::bind(address)?;
    eprintln!("progress serves http://{}/mcp", http.local_addr()?);
    service.serve_until(http, shutdown_signal()).await?;
    Ok(())
}
