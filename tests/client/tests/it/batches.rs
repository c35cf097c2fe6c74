//! Requests of several tasks, which are written together.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt as _, AsyncWrite, AsyncWriteExt as _, BufReader, DuplexStream, duplex};
use toolwright_client::Client;

const REQUESTS: usize = 16;

/// Counts the writes.
struct Counted(DuplexStream, Arc<AtomicUsize>);

impl AsyncWrite for Counted {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<io::Result<usize>> {
        self.1.fetch_add(1, Ordering::Relaxed);
        Pin::new(&mut self.0).poll_write(cx, bytes)
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_flush(cx)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.0).poll_shutdown(cx)
    }
}

/// Answers a handshake, and then all requests once there are [`REQUESTS`].
async fn serve(input: DuplexStream, mut output: DuplexStream) {
    let mut lines = BufReader::new(input).lines();
    let mut open = Vec::new();
    while let Ok(Some(line)) = lines.next_line().await {
        let message: Value = serde_json::from_str(&line).unwrap();
        let (id, method) = (&message["id"], message["method"].as_str().unwrap());
        let response = match method {
            "server/discover" => json!({"id": id, "error": {"code": -32601, "message": "unknown"}}),
            "initialize" => {
                let about = json!({"name": "slow", "version": "1"});
                let result =
                    json!({"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": about});
                json!({"id": id, "result": result})
            }
            "shop/wait" => json!({"id": id, "result": {}}),
            _ => continue,
        };
        let mut line = json!({"jsonrpc": "2.0"});
        line.as_object_mut().unwrap().extend(response.as_object().unwrap().clone());
        let line = format!("{line}\n");
        if method != "shop/wait" {
            output.write_all(line.as_bytes()).await.unwrap();
            continue;
        }
        open.push(line);
        if open.len() == REQUESTS {
            output.write_all(open.concat().as_bytes()).await.unwrap();
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 1)]
async fn requests_of_tasks_that_are_ready_are_written_together() {
    let ((input, server_output), (server_input, output)) = (duplex(1 << 16), duplex(1 << 16));
    tokio::spawn(serve(server_input, server_output));
    let writes = Arc::new(AtomicUsize::new(0));
    let client =
        Client::builder().connect_streams("slow", input, Counted(output, Arc::clone(&writes))).await.unwrap();
    let before = writes.load(Ordering::Relaxed);
    let requests = tokio::spawn(async move {
        let request = |client: Client| async move { client.request("shop/wait", json!({})).await.unwrap() };
        let tasks: Vec<_> = (0..REQUESTS).map(|_| tokio::spawn(request(client.clone()))).collect();
        for task in tasks {
            task.await.unwrap();
        }
    });
    requests.await.unwrap();
    let writes = writes.load(Ordering::Relaxed) - before;
    assert!(writes <= REQUESTS / 4, "{writes} writes");
}
