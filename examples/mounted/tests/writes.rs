//! How the endpoint writes when `TCP_NODELAY` is not set: the kernel delays a second small write until the first is
//! acknowledged, which may take 40 ms. So data that is ready at the same time must be a single write.

use std::io;
use std::net::SocketAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context as Task, Poll};

use axum::Router;
use axum::serve::Listener;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use test_http::client::Response;
use test_http::lab::Lab;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use toolwright::{Context, Handler, HttpService, Server, Tool, ToolError};

/// Reports progress twice.
#[derive(Debug, Tool, Deserialize, JsonSchema)]
struct Report {
    /// What happens after each report.
    then: Then,
}

#[derive(Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum Then {
    GoOn,
    Yield,
    Wait,
}

/// Waits for permits.
struct Reporter(Arc<Semaphore>);

impl Handler<Report> for Reporter {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Report, cx: &Context) -> Self::Output {
        for step in [1.0, 2.0] {
            cx.progress(step, None, None).await;
            match input.then {
                Then::GoOn => {}
                Then::Yield => tokio::task::yield_now().await,
                Then::Wait => self.0.acquire().await.map_err(|_| ToolError::new("no permits"))?.forget(),
            }
        }
        Ok("done".to_owned())
    }
}

#[test]
fn data_ready_at_the_same_time_is_one_write() {
    let go_on = Arc::new(Semaphore::new(0));
    let writes = Writes::default();
    let lab = Lab::at(serve(&go_on, &writes));

    let mut kept =
        std::net::TcpStream::connect(lab.bare("GET", "/mcp").address()).expect("the server listens");
    let mut call = |then: &str, while_waiting: &dyn Fn(&mut Response) -> Vec<Value>| {
        let progress = json!({"progressToken": "p"});
        let params = json!({"name": "report", "arguments": {"then": then}, "_meta": progress});
        let before = writes.count();
        let stream = kept.try_clone().expect("a handle");
        let mut response = lab.modern("tools/call", &params).send_on(stream);
        assert!(response.is_events());
        let mut messages = while_waiting(&mut response);
        messages.extend(response.messages());
        kept = response.into_stream();
        assert_eq!(messages.len(), 3, "{then}: {messages:?}");
        assert_eq!(messages[2]["result"]["content"][0]["text"], "done");
        writes.count() - before
    };

    for _ in 0..3 {
        assert_eq!(call("goon", &|_| Vec::new()), 1);
        assert_eq!(call("yield", &|_| Vec::new()), 1);
        // The head is written with the first event, and the end of the stream with the last.
        let reader = |response: &mut Response| {
            let mut messages = Vec::new();
            for _ in 0..2 {
                messages.extend(response.message());
                go_on.add_permits(1);
            }
            messages
        };
        assert_eq!(call("wait", &reader), 3);
    }
}

/// Plain `axum::serve`, on a thread that ends with the test.
fn serve(go_on: &Arc<Semaphore>, writes: &Writes) -> SocketAddr {
    let service = Server::new(Reporter(Arc::clone(go_on))).tools::<Report>().build().expect("one tool");
    let app = Router::new().route_service("/mcp", HttpService::new(&service));
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("an address");
    listener.set_nonblocking(true).expect("a socket");
    let writes = writes.clone();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        runtime.block_on(async {
            let listener = TcpListener::from_std(listener).expect("a socket");
            axum::serve(CountingListener { listener, writes }, app).await.expect("served");
        });
    });
    address
}

/// Counts the writes to sockets.
#[derive(Debug, Clone, Default)]
struct Writes(Arc<AtomicUsize>);

impl Writes {
    fn count(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

struct CountingListener {
    listener: TcpListener,
    writes: Writes,
}

impl Listener for CountingListener {
    type Io = CountingStream;
    type Addr = SocketAddr;

    async fn accept(&mut self) -> (CountingStream, SocketAddr) {
        let (stream, address) = self.listener.accept().await.expect("a connection");
        (CountingStream { stream, writes: self.writes.clone() }, address)
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.listener.local_addr()
    }
}

struct CountingStream {
    stream: TcpStream,
    writes: Writes,
}

impl CountingStream {
    /// Counts the write, then writes: the count must be visible when the peer reads the data.
    fn counted(
        mut self: Pin<&mut Self>,
        write: impl FnOnce(Pin<&mut TcpStream>) -> Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        self.writes.0.fetch_add(1, Ordering::SeqCst);
        let written = write(Pin::new(&mut self.stream));
        if written.is_pending() {
            self.writes.0.fetch_sub(1, Ordering::SeqCst);
        }
        written
    }
}

impl AsyncWrite for CountingStream {
    fn poll_write(self: Pin<&mut Self>, task: &mut Task<'_>, data: &[u8]) -> Poll<io::Result<usize>> {
        self.counted(|stream| stream.poll_write(task, data))
    }

    fn poll_write_vectored(
        self: Pin<&mut Self>,
        task: &mut Task<'_>,
        data: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        self.counted(|stream| stream.poll_write_vectored(task, data))
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(task)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, task: &mut Task<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(task)
    }
}

impl AsyncRead for CountingStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        task: &mut Task<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(task, buffer)
    }
}
