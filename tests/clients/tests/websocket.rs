//! The official TypeScript client over WebSocket, against the `retail` example and a server with a call to cancel.
//! `tests/setup.sh` installs it.

use std::net::SocketAddr;
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use tokio::process::Command;
use tokio::time::{sleep, timeout};
use toolwright::{Context, Handler, Server, Service, Tool, ToolError, Toolset, transport::WebSocket};

/// Reports that it has started, and never ends by itself.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Wait {}

/// Reports whether the call of `wait` was cancelled, as soon as it was.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Cancelled {}

#[derive(Debug, Toolset)]
enum SlowTools {
    Wait(Wait),
    Cancelled(Cancelled),
}

#[derive(Default)]
struct Slow {
    cancelled: Arc<AtomicBool>,
}

impl Handler<Wait> for Slow {
    type Output = Result<(), ToolError>;

    async fn call(&self, _input: Wait, cx: &Context) -> Self::Output {
        let (cancelled, token) = (Arc::clone(&self.cancelled), cx.cancellation().clone());
        tokio::spawn(async move {
            token.cancelled().await;
            cancelled.store(true, Ordering::SeqCst);
        });
        cx.progress(1.0, None, None).await;
        std::future::pending().await
    }
}

impl Handler<Cancelled> for Slow {
    type Output = Result<bool, ToolError>;

    async fn call(&self, _input: Cancelled, _cx: &Context) -> Self::Output {
        for _ in 0..500 {
            if self.cancelled.load(Ordering::SeqCst) {
                break;
            }
            sleep(Duration::from_millis(10)).await;
        }
        Ok(self.cancelled.load(Ordering::SeqCst))
    }
}

#[tokio::test]
async fn typescript_1_over_websocket() {
    let shop = serve(retail::server().build().expect("retail builds"));
    let slow = serve(Server::new(Slow::default()).tools::<SlowTools>().build().expect("the tools are right"));
    let modules = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/clients/node/node_modules");
    assert!(modules.exists(), "{} is not installed: run tests/setup.sh", modules.display());
    let client = Command::new(modules.join("node/bin/node"))
        .env("NODE_PATH", &modules)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("node/websocket.cjs"))
        .args([shop, slow].map(|address| format!("ws://{address}/mcp")))
        .stdin(Stdio::null())
        .kill_on_drop(true)
        .output();
    let output = timeout(Duration::from_mins(1), client).await.expect("the client ends").expect("it starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let report: Value = serde_json::from_slice(&output.stdout).expect("one line of JSON");
    assert_eq!(report["protocol"], "2025-11-25", "{report}");
    assert_eq!(report["server"], "retail", "{report}");
    assert_eq!(report["tools"].as_array().map(Vec::len), Some(15), "{report}");
    assert_eq!(report["found"]["structuredContent"]["order_id"], "#W0000001", "{report}");
    assert_eq!(report["refused"]["isError"], true, "{report}");
    assert_eq!(report["progress"], serde_json::json!([1]), "{report}");
    assert_eq!(report["cancelled"], "true", "{report}");
}

/// Serves it for as long as the test runs.
fn serve(service: Service) -> SocketAddr {
    let socket = WebSocket::bind("127.0.0.1:0").expect("a free port");
    let address = socket.local_addr().expect("an address");
    tokio::spawn(async move { service.serve(socket).await });
    address
}
