//! The pool of connections to one origin.
//!
//! Connections have no tasks: a connection is polled by the request that uses it. So a request needs no task switch, an idle client
//! has no tasks, and a dropped request drops its connection, which cancels the request at a modern server (2026-07-28,
//! basic/transports/streamable-http "Cancellation").
//!
//! Of a connection that is idle for a moment, only the socket is kept: the state of hyper takes 17 to 25 KiB, which many idle
//! clients would waste. Recreating it costs a tenth of a request.

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use super::address::Address;

/// The maximum number of idle connections.
const MAX_IDLE: usize = 128;
/// The interval at which idle connections are reduced to their sockets. Recreating the state of one takes a microsecond or two.
const SWEEP_INTERVAL: Duration = Duration::from_millis(10);
/// The maximum size of a response head and of the read buffer, in bytes.
const MAX_BUFFER_BYTES: usize = 256 << 10;

/// The body of a request, which is sent as one frame.
#[derive(Clone)]
pub(crate) struct RequestBody(Option<Bytes>);

impl RequestBody {
    pub(crate) fn new(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self((!bytes.is_empty()).then_some(bytes))
    }
}

impl http_body::Body for RequestBody {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Poll::Ready(self.0.take().map(|bytes| Ok(Frame::data(bytes))))
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_none()
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.0.as_ref().map_or(0, Bytes::len) as u64)
    }
}

pub(crate) trait Stream: AsyncRead + AsyncWrite + Unpin + Send {}

impl<S: AsyncRead + AsyncWrite + Unpin + Send> Stream for S {}

type Io = TokioIo<Box<dyn Stream>>;

/// An HTTP/1.1 connection.
pub(crate) struct HttpConnection {
    sender: SendRequest<RequestBody>,
    connection: Box<Connection<Io, RequestBody>>,
    is_closed: bool,
    /// The rest of the last response body, if its end has not been read.
    unread: Option<Incoming>,
}

/// Why a request has no response.
#[derive(Debug)]
pub(crate) enum ConnectionError {
    /// The connection cannot be established.
    Connect(io::Error),
    /// The TLS handshake failed; has the problem and the advice.
    Tls(String, &'static str),
    /// The connection failed, or the response is not valid HTTP.
    Http(hyper::Error),
    /// The server closed the connection.
    Closed,
}

/// An idle connection.
enum IdleConnection {
    Socket(Box<dyn Stream>),
    Http(HttpConnection, IdleAge),
}

/// How long a connection has been idle, in rounds of [`sweep`].
#[derive(PartialEq, Eq)]
enum IdleAge {
    /// No round.
    New,
    /// One round.
    Swept,
    /// Its last response has not ended, so it cannot be reduced to its socket.
    Unfinished,
}

/// The connections to one origin.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Arc<Mutex<Idle>>,
}

#[derive(Default)]
struct Idle {
    connections: Vec<IdleConnection>,
    /// Whether a task runs [`sweep`].
    is_swept: bool,
}

impl Pool {
    /// Sends a request to the address and waits for the head of its response. A request that `is_idempotent` is sent again if an idle connection
    /// turns out to be closed.
    pub(crate) async fn send(
        &self,
        address: &Address,
        mut request: Request<RequestBody>,
        is_idempotent: bool,
        connect_timeout: Duration,
    ) -> Result<(Response<Incoming>, HttpConnection), ConnectionError> {
        *request.uri_mut() = address.target.clone();
        loop {
            let idle = self.take_idle().await;
            let is_new = idle.is_none();
            let mut connection = match idle {
                Some(connection) => connection,
                None => connect(address, connect_timeout).await?,
            };
            let copy = (is_idempotent && !is_new).then(|| request.clone());
            let sending = connection.sender.try_send_request(request);
            let (unsent, error) = match connection.drive(sending).await {
                Ok(Ok(response)) => return Ok((response, connection)),
                Ok(Err(mut error)) => (error.take_message(), ConnectionError::Http(error.into_error())),
                Err(error) => (None, error),
            };
            request = match unsent.or(copy) {
                Some(again) if !is_new => again,
                _ => return Err(error),
            };
        }
    }

    /// Returns a connection to the pool; `unread` is the rest of its response body.
    pub(crate) fn put_back(&self, mut connection: HttpConnection, unread: Option<Incoming>) {
        if connection.is_closed {
            return;
        }
        connection.unread = unread;
        let mut idle = lock(&self.idle);
        if idle.connections.len() >= MAX_IDLE {
            return;
        }
        idle.connections.push(IdleConnection::Http(connection, IdleAge::New));
        if !idle.is_swept
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            idle.is_swept = true;
            runtime.spawn(sweep(Arc::downgrade(&self.idle)));
        }
    }

    /// Takes an idle connection that is still open.
    async fn take_idle(&self) -> Option<HttpConnection> {
        loop {
            let idle = lock(&self.idle).connections.pop()?;
            let connection = match idle {
                IdleConnection::Http(mut connection, _) => {
                    poll_fn(|cx| Poll::Ready(connection.is_usable(cx))).await.then_some(connection)
                }
                IdleConnection::Socket(mut socket) => {
                    if poll_fn(|cx| Poll::Ready(is_usable(&mut socket, cx))).await {
                        HttpConnection::new(socket).await.ok()
                    } else {
                        None
                    }
                }
            };
            if connection.is_some() {
                return connection;
            }
        }
    }
}

fn lock(idle: &Mutex<Idle>) -> MutexGuard<'_, Idle> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Reduces idle connections to their sockets, until there are none left.
async fn sweep(idle: Weak<Mutex<Idle>>) {
    loop {
        sleep(SWEEP_INTERVAL).await;
        let Some(idle) = idle.upgrade() else { return };
        let mut idle = lock(&idle);
        let connections = std::mem::take(&mut idle.connections);
        idle.connections = connections.into_iter().filter_map(IdleConnection::age).collect();
        idle.connections.shrink_to_fit();
        idle.is_swept =
            idle.connections.iter().any(|idle| matches!(idle, IdleConnection::Http(_, IdleAge::Swept)));
        if !idle.is_swept {
            return;
        }
    }
}

impl IdleConnection {
    /// Ages the connection by one round; returns `None` if it is closed.
    fn age(self) -> Option<Self> {
        match self {
            Self::Http(connection, IdleAge::New) => Some(Self::Http(connection, IdleAge::Swept)),
            Self::Http(connection, IdleAge::Swept) => connection.reduce(),
            reduced => Some(reduced),
        }
    }
}

/// Whether the server has neither closed the connection nor sent unexpected data.
fn is_usable(socket: &mut Box<dyn Stream>, cx: &mut Context<'_>) -> bool {
    let mut byte = [0];
    Pin::new(socket).poll_read(cx, &mut ReadBuf::new(&mut byte)).is_pending()
}

impl HttpConnection {
    /// Creates a connection over a socket.
    async fn new(socket: Box<dyn Stream>) -> Result<Self, ConnectionError> {
        let mut builder = http1::Builder::new();
        builder.max_buf_size(MAX_BUFFER_BYTES);
        let (sender, connection) =
            builder.handshake(TokioIo::new(socket)).await.map_err(ConnectionError::Http)?;
        let mut connection =
            Self { sender, connection: Box::new(connection), is_closed: false, unread: None };
        // The first poll makes the sender ready.
        _ = poll_fn(|cx| Poll::Ready(connection.poll(cx))).await;
        Ok(connection)
    }

    /// Reduces the connection to its socket if possible; returns `None` if it is closed.
    fn reduce(mut self) -> Option<IdleConnection> {
        if self.is_closed {
            return None;
        }
        // The next request polls the connection with its own waker.
        let mut cx = Context::from_waker(Waker::noop());
        if let Some(mut unread) = self.unread.take()
            && !self.poll_end(&mut unread, &mut cx)
        {
            self.unread = Some(unread);
            return (!self.is_closed).then_some(IdleConnection::Http(self, IdleAge::Unfinished));
        }
        if !self.is_usable(&mut cx) {
            return None;
        }
        let parts = self.connection.into_parts();
        parts.read_buf.is_empty().then(|| IdleConnection::Socket(parts.io.into_inner()))
    }

    /// Polls the connection together with `future`, which waits for data from it.
    pub(crate) async fn drive<T>(&mut self, future: impl Future<Output = T>) -> Result<T, ConnectionError> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let closed = self.poll(cx);
            match (future.as_mut().poll(cx), closed) {
                (Poll::Ready(value), _) => Poll::Ready(Ok(value)),
                (Poll::Pending, Poll::Pending) => Poll::Pending,
                (Poll::Pending, Poll::Ready(None)) => Poll::Ready(Err(ConnectionError::Closed)),
                (Poll::Pending, Poll::Ready(Some(error))) => Poll::Ready(Err(ConnectionError::Http(error))),
            }
        })
        .await
    }

    /// Returns the next chunk of a body, or `None` at its end.
    pub(crate) async fn next_chunk(&mut self, body: &mut Incoming) -> Result<Option<Bytes>, ConnectionError> {
        loop {
            let frame = self.drive(poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx))).await?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(error)) => return Err(ConnectionError::Http(error)),
            }
        }
    }

    /// Returns whether the end of a body can be read without waiting.
    pub(crate) async fn is_at_end(&mut self, body: &mut Incoming) -> bool {
        poll_fn(|cx| Poll::Ready(self.poll_end(body, cx))).await
    }

    fn poll_end(&mut self, body: &mut Incoming, cx: &mut Context<'_>) -> bool {
        if body.is_end_stream() {
            return true;
        }
        // The connection only forwards data after the body was polled, so both are polled twice.
        for _ in 0..2 {
            _ = self.poll(cx);
            match Pin::new(&mut *body).poll_frame(cx) {
                Poll::Ready(None) => return true,
                Poll::Ready(Some(Ok(_))) | Poll::Pending => {}
                Poll::Ready(Some(Err(_))) => return false,
            }
        }
        false
    }

    fn is_usable(&mut self, cx: &mut Context<'_>) -> bool {
        if let Some(mut unread) = self.unread.take()
            && !self.poll_end(&mut unread, cx)
        {
            return false;
        }
        self.poll(cx).is_pending() && self.sender.is_ready()
    }

    /// Polls the connection; ready if it is closed, with the error if there is one.
    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<hyper::Error>> {
        if self.is_closed {
            return Poll::Ready(None);
        }
        let closed = Pin::new(&mut *self.connection).poll(cx);
        self.is_closed = closed.is_ready();
        closed.map(Result::err)
    }
}

/// Opens a socket, with TLS if the URL requires it.
pub(crate) async fn open_stream(
    address: &Address,
    connect_timeout: Duration,
) -> Result<Box<dyn Stream>, ConnectionError> {
    let timed_out =
        |_| io::Error::new(io::ErrorKind::TimedOut, format!("no connection within {connect_timeout:?}"));
    let host = address.host.trim_matches(['[', ']']);
    let connecting = TcpStream::connect((host, address.port));
    let stream = timeout(connect_timeout, connecting)
        .await
        .map_err(timed_out)
        .flatten()
        .map_err(ConnectionError::Connect)?;
    stream.set_nodelay(true).map_err(ConnectionError::Connect)?;
    if address.is_tls { start_tls(stream, host, connect_timeout).await } else { Ok(Box::new(stream)) }
}

async fn connect(address: &Address, connect_timeout: Duration) -> Result<HttpConnection, ConnectionError> {
    HttpConnection::new(open_stream(address, connect_timeout).await?).await
}

#[cfg(feature = "tls")]
async fn start_tls(
    stream: TcpStream,
    host: &str,
    handshake_timeout: Duration,
) -> Result<Box<dyn Stream>, ConnectionError> {
    use super::tls::{connector, explain};
    let connector = connector().map_err(|problem| {
        ConnectionError::Tls(problem, "set SSL_CERT_FILE to a file with root certificates")
    })?;
    let name = host.to_owned().try_into().map_err(|_| {
        ConnectionError::Tls(format!("`{host}` is not a valid host name"), "correct the address")
    })?;
    match timeout(handshake_timeout, connector.connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(Box::new(stream)),
        Ok(Err(error)) => {
            let (problem, advice) = explain(&error, host);
            Err(ConnectionError::Tls(problem, advice))
        }
        Err(_) => Err(ConnectionError::Tls(
            format!("no response within {handshake_timeout:?}"),
            "check that the port serves https://, or raise `timeout`",
        )),
    }
}

#[cfg(not(feature = "tls"))]
fn start_tls(
    _: TcpStream,
    _: &str,
    _: Duration,
) -> std::future::Ready<Result<Box<dyn Stream>, ConnectionError>> {
    let problem = "this program was built without TLS";
    let advice = "enable the feature `tls` of toolwright-client";
    std::future::ready(Err(ConnectionError::Tls(problem.to_owned(), advice)))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Responds to each request with the number of its connection.
    async fn serve(listener: TcpListener) {
        for number in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {
                    let response = format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{number}");
                    stream.write_all(response.as_bytes()).await.unwrap();
                }
            });
        }
    }

    async fn send_request(pool: &Pool, address: &Address) -> Bytes {
        let sent = pool.send(address, Request::new(RequestBody::new("")), true, Duration::from_secs(5)).await;
        let (response, mut connection) = sent.unwrap();
        let mut body = response.into_body();
        let first = connection.next_chunk(&mut body).await.unwrap().unwrap();
        pool.put_back(connection, Some(body));
        first
    }

    #[tokio::test]
    async fn an_idle_connection_is_reduced_to_its_socket_and_reused() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = Address::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let server = tokio::spawn(serve(listener));
        let pool = Pool::default();
        for _ in 0..2 {
            for _ in 0..3 {
                assert_eq!(send_request(&pool, &address).await, "0");
                assert_eq!(lock(&pool.idle).connections.len(), 1);
            }
            while lock(&pool.idle).is_swept {
                sleep(SWEEP_INTERVAL / 4).await;
            }
            assert!(matches!(*lock(&pool.idle).connections, [IdleConnection::Socket(_)]));
        }
        server.abort();
    }

    #[tokio::test]
    async fn a_closed_idle_connection_is_replaced() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = Address::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let closed = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        drop(listener.accept().await.unwrap());
        closed.readable().await.unwrap();
        let pool = Pool::default();
        lock(&pool.idle).connections.push(IdleConnection::Socket(Box::new(closed)));
        let server = tokio::spawn(serve(listener));
        assert_eq!(send_request(&pool, &address).await, "0");
        server.abort();
    }
}
