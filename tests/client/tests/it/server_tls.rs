//! The built-in servers over TLS, with our client and with curl.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rcgen::{CertifiedKey, generate_simple_self_signed};
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;
use tokio::sync::oneshot;
use tokio::task::{JoinHandle, JoinSet};
use toolwright::limits::CallerLimits;
use toolwright::transport::{Tls, WebSocket};
use toolwright::{Http, Limits, Server, Service, Tool, transport};

use crate::tls::list_tools;

/// Greets.
#[derive(Tool, serde::Deserialize, schemars::JsonSchema)]
struct Greet {
    name: String,
}

fn service(limits: Limits) -> Service {
    let greet = async |Greet { name }: Greet| format!("Hello, {name}!");
    Server::new(greet).tools::<Greet>().limits(limits).build().unwrap()
}

/// Writes another certificate for `localhost` and its key, and returns their paths.
fn certificate(folder: &Path) -> (PathBuf, PathBuf) {
    let CertifiedKey { cert, signing_key } = generate_simple_self_signed(["localhost".to_owned()]).unwrap();
    let (certificate, key) = (folder.join("cert.pem"), folder.join("key.pem"));
    std::fs::write(&certificate, cert.pem()).unwrap();
    std::fs::write(&key, signing_key.serialize_pem()).unwrap();
    (certificate, key)
}

/// A server until it is dropped.
struct Running {
    stop: oneshot::Sender<()>,
    served: JoinHandle<()>,
}

impl Running {
    fn start(service: Service, transport: impl Into<transport::Transport> + Send + 'static) -> Self {
        let (stop, stopped) = oneshot::channel::<()>();
        let served = tokio::spawn(async move {
            service.serve_until(transport, async { _ = stopped.await }).await.unwrap();
        });
        Self { stop, served }
    }

    /// Shuts it down, which must not wait for connections.
    async fn end(self) {
        _ = self.stop.send(());
        tokio::time::timeout(Duration::from_secs(10), self.served).await.unwrap().unwrap();
    }
}

fn https(tls: &Tls, limits: Limits) -> (Running, SocketAddr) {
    let http = Http::bind("127.0.0.1:0").unwrap().tls(tls.clone());
    let address = http.local_addr().unwrap();
    (Running::start(service(limits), http), address)
}

/// Runs curl with more arguments, and returns what it writes.
async fn curl(arguments: &[&str]) -> String {
    let mut command = tokio::process::Command::new("curl");
    command.args(["--silent", "--show-error", "--max-time", "20"]).args(arguments).kill_on_drop(true);
    let output = command.output().await.expect("curl: tests/setup.sh installs it");
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

const CALL: &str = r#"{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "greet", "arguments": {"name": "Ada"},
    "_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28", "io.modelcontextprotocol/clientCapabilities": {}}}}"#;

/// A call by curl, and the version of HTTP.
async fn call(url: &str, root: &Path) -> String {
    let headers = [
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        "MCP-Protocol-Version: 2026-07-28",
        "Mcp-Method: tools/call",
        "Mcp-Name: greet",
    ];
    let mut arguments = vec![url, "--cacert", root.to_str().unwrap(), "--data", CALL];
    arguments.extend(headers.iter().flat_map(|header| ["--header", *header]));
    arguments.extend(["--write-out", "\nHTTP/%{http_version}"]);
    curl(&arguments).await
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_and_curl_call_tools_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let (root, key) = certificate(folder.path());
    let tls = Tls::from_pem_files(&root, &key).unwrap();
    let (running, address) = https(&tls, Limits::default());
    let url = format!("https://localhost:{}/mcp", address.port());
    assert_eq!(list_tools(url.clone(), &root).await, ("greet\n".to_owned(), String::new()));
    // curl offers HTTP/2 as well.
    let answer = call(&url, &root).await;
    assert!(answer.contains("Hello, Ada!") && answer.ends_with("HTTP/1.1"), "{answer}");
    let plain = curl(&[&url.replace("https:", "http:")]).await;
    assert!(!plain.contains("jsonrpc") && plain.contains("curl: ("), "{plain}");
    let still = call(&url, &root).await;
    assert!(still.contains("Hello, Ada!"), "a request without TLS affects no other: {still}");
    running.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn our_client_calls_a_web_socket_over_tls() {
    let folder = tempfile::tempdir().unwrap();
    let (root, key) = certificate(folder.path());
    let socket = WebSocket::bind("127.0.0.1:0").unwrap().tls(Tls::from_pem_files(&root, &key).unwrap());
    let address = socket.local_addr().unwrap();
    let running = Running::start(service(Limits::default()), socket);
    let url = format!("wss://localhost:{}/mcp", address.port());
    assert_eq!(list_tools(url, &root).await, ("greet\n".to_owned(), String::new()));
    running.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_renewed_certificate_needs_no_restart() {
    let folder = tempfile::tempdir().unwrap();
    let (certificate_file, key) = certificate(folder.path());
    let old = folder.path().join("old.pem");
    std::fs::copy(&certificate_file, &old).unwrap();
    let tls = Tls::from_pem_files(&certificate_file, &key).unwrap();
    let (running, address) = https(&tls, Limits::default());
    let url = format!("https://localhost:{}/mcp", address.port());
    certificate(folder.path());
    assert!(call(&url, &old).await.contains("Hello, Ada!"), "the files were not read yet");
    tls.reload().unwrap();
    assert!(call(&url, &certificate_file).await.contains("Hello, Ada!"));
    let refused = call(&url, &old).await;
    assert!(refused.contains("curl: (60)"), "another certificate: {refused}");
    running.end().await;
}

/// Waits until the server closes the connection, and returns how long that took.
async fn closed(mut stream: TcpStream) -> Duration {
    let start = Instant::now();
    let mut byte = [0; 1];
    let read = stream.read(&mut byte);
    let read = tokio::time::timeout(Duration::from_secs(20), read).await.expect("it is closed");
    assert!(matches!(read, Ok(0) | Err(_)), "{read:?}");
    start.elapsed()
}

#[tokio::test(flavor = "multi_thread")]
async fn peers_that_do_not_shake_hands_are_disconnected() {
    let folder = tempfile::tempdir().unwrap();
    let (root, key) = certificate(folder.path());
    let tls = Tls::from_pem_files(&root, &key).unwrap();
    let wait = Duration::from_secs(4);
    let per_caller = CallerLimits { max_tls_handshakes: 2, ..CallerLimits::default() };
    let (running, address) =
        https(&tls, Limits { tls_handshake_timeout: wait, per_caller, ..Limits::default() });
    let mut silent = JoinSet::new();
    for _ in 0..3 {
        silent.spawn(closed(TcpStream::connect(address).await.unwrap()));
    }
    // The limit of one address is reached with two of them, which need not be the first two.
    let refused = silent.join_next().await.unwrap().unwrap();
    assert!(refused < wait / 2, "{refused:?}");
    silent.join_all().await;
    let url = format!("https://localhost:{}/mcp", address.port());
    assert!(call(&url, &root).await.contains("Hello, Ada!"), "there is room again");
    let open = TcpStream::connect(address).await.unwrap();
    running.end().await;
    closed(open).await;
}
