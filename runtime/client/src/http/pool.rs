//! Connections to one origin, kept between requests.
//!
//! No task drives them: a connection is polled by the request that uses it. So a call costs no change of tasks, an idle
//! client has none, and a request that is dropped takes its connection with it, which tells a modern server to stop
//! (2026-07-28, basic/transports/streamable-http "Cancellation").
//!
//! Of a connection that has not been used for a moment, the socket alone is kept: what hyper has around it takes 17 to 25 KiB,
//! which many idle clients would hold for nothing. Making it again costs a tenth of a request.

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

/// How many connections are kept while nothing uses them.
const MAX_IDLE: usize = 128;
/// How often is seen which connections rest. To make what is around a socket again takes a microsecond or two.
const SWEEP: Duration = Duration::from_millis(10);
/// The most bytes of a head, and the most that is read at once.
const MAX_HEAD: usize = 256 << 10;

/// The bytes of a request.
pub(crate) struct Once(Option<Bytes>);

impl Once {
    pub(crate) fn new(bytes: impl Into<Bytes>) -> Self {
        let bytes = bytes.into();
        Self((!bytes.is_empty()).then_some(bytes))
    }
}

impl http_body::Body for Once {
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

/// One connection.
pub(crate) struct Link {
    sender: SendRequest<Once>,
    connection: Box<Connection<Io, Once>>,
    is_over: bool,
    /// The rest of the last response, where it had not ended yet.
    rest: Option<Incoming>,
}

/// Why a request was not answered.
#[derive(Debug)]
pub(crate) enum Broken {
    /// No connection could be made.
    NotConnected(io::Error),
    /// What is wrong with TLS, and what to do about it.
    NoTls(String, &'static str),
    /// The connection ended, or what came is not HTTP.
    Lost(hyper::Error),
    Closed,
}

/// A connection that nothing uses.
enum Kept {
    Socket(Box<dyn Stream>),
    Link(Link, Rest),
}

/// How long a connection rests, in rounds of the [`sweep`].
#[derive(PartialEq, Eq)]
enum Rest {
    New,
    Seen,
    /// Its last response had not ended, so the socket could not be taken out.
    Open,
}

/// The connections to one origin.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Arc<Mutex<Idle>>,
}

#[derive(Default)]
struct Idle {
    kept: Vec<Kept>,
    /// There is a task that takes sockets out of connections that rest.
    is_swept: bool,
}

impl Pool {
    /// Sends a request and waits for the head of its response. `is_idempotent`: it may be sent again where a connection that was kept
    /// ends before an answer comes, as one does that the server has closed just then.
    pub(crate) async fn send(
        &self,
        address: &Address,
        request: impl Fn() -> Request<Once>,
        is_idempotent: bool,
        time_limit: Duration,
    ) -> Result<(Response<Incoming>, Link), Broken> {
        loop {
            let kept = self.take().await;
            let is_fresh = kept.is_none();
            let mut link = match kept {
                Some(link) => link,
                None => connect(address, time_limit).await?,
            };
            let sending = link.sender.try_send_request(request());
            let broken = match link.run(sending).await {
                Ok(Ok(response)) => return Ok((response, link)),
                Ok(Err(mut error)) => {
                    // None of it was sent.
                    if error.take_message().is_some() && !is_fresh {
                        continue;
                    }
                    Broken::Lost(error.into_error())
                }
                Err(broken) => broken,
            };
            if is_fresh || !is_idempotent {
                return Err(broken);
            }
        }
    }

    /// Keeps a connection for the next request; `rest` is what the response may still have.
    pub(crate) fn keep(&self, mut link: Link, rest: Option<Incoming>) {
        if link.is_over {
            return;
        }
        link.rest = rest;
        let mut idle = lock(&self.idle);
        if idle.kept.len() >= MAX_IDLE {
            return;
        }
        idle.kept.push(Kept::Link(link, Rest::New));
        if !idle.is_swept
            && let Ok(runtime) = tokio::runtime::Handle::try_current()
        {
            idle.is_swept = true;
            runtime.spawn(sweep(Arc::downgrade(&self.idle)));
        }
    }

    /// A connection that still works.
    async fn take(&self) -> Option<Link> {
        loop {
            let kept = lock(&self.idle).kept.pop()?;
            let link = match kept {
                Kept::Link(mut link, _) => {
                    poll_fn(|cx| Poll::Ready(link.is_usable(cx))).await.then_some(link)
                }
                Kept::Socket(mut socket) => {
                    if poll_fn(|cx| Poll::Ready(is_quiet(&mut socket, cx))).await {
                        Link::over(socket).await.ok()
                    } else {
                        None
                    }
                }
            };
            if link.is_some() {
                return link;
            }
        }
    }
}

fn lock(idle: &Mutex<Idle>) -> MutexGuard<'_, Idle> {
    idle.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes the sockets out of connections that rest, and ends where there is none.
async fn sweep(idle: Weak<Mutex<Idle>>) {
    loop {
        sleep(SWEEP).await;
        let Some(idle) = idle.upgrade() else { return };
        let mut idle = lock(&idle);
        let kept = std::mem::take(&mut idle.kept);
        idle.kept = kept.into_iter().filter_map(Kept::rested).collect();
        idle.kept.shrink_to_fit();
        idle.is_swept = idle.kept.iter().any(|kept| matches!(kept, Kept::Link(_, Rest::Seen)));
        if !idle.is_swept {
            return;
        }
    }
}

impl Kept {
    /// What is kept one round later; none if it takes no further request.
    fn rested(self) -> Option<Self> {
        match self {
            Self::Link(link, Rest::New) => Some(Self::Link(link, Rest::Seen)),
            Self::Link(link, Rest::Seen) => link.at_rest(),
            rested => Some(rested),
        }
    }
}

/// Whether the other side has neither closed a connection nor sent something that nobody asked for.
fn is_quiet(socket: &mut Box<dyn Stream>, cx: &mut Context<'_>) -> bool {
    let mut byte = [0];
    Pin::new(socket).poll_read(cx, &mut ReadBuf::new(&mut byte)).is_pending()
}

impl Link {
    /// HTTP over a socket.
    async fn over(socket: Box<dyn Stream>) -> Result<Self, Broken> {
        let mut builder = http1::Builder::new();
        builder.max_buf_size(MAX_HEAD);
        let (sender, connection) = builder.handshake(TokioIo::new(socket)).await.map_err(Broken::Lost)?;
        let mut link = Self { sender, connection: Box::new(connection), is_over: false, rest: None };
        // Polled once, so that it can take a request.
        _ = poll_fn(|cx| Poll::Ready(link.poll(cx))).await;
        Ok(link)
    }

    /// What is kept of it when it rests; none if it takes no further request.
    fn at_rest(mut self) -> Option<Kept> {
        if self.is_over {
            return None;
        }
        // Who takes it next has it polled with a waker that someone waits for.
        let mut cx = Context::from_waker(Waker::noop());
        if let Some(mut rest) = self.rest.take()
            && !self.poll_end(&mut rest, &mut cx)
        {
            self.rest = Some(rest);
            return (!self.is_over).then_some(Kept::Link(self, Rest::Open));
        }
        if !self.is_usable(&mut cx) {
            return None;
        }
        let parts = self.connection.into_parts();
        parts.read_buf.is_empty().then(|| Kept::Socket(parts.io.into_inner()))
    }

    /// Polls the connection beside `future`, which waits for something that comes over it.
    pub(crate) async fn run<T>(&mut self, future: impl Future<Output = T>) -> Result<T, Broken> {
        let mut future = pin!(future);
        poll_fn(|cx| {
            let over = self.poll(cx);
            match (future.as_mut().poll(cx), over) {
                (Poll::Ready(value), _) => Poll::Ready(Ok(value)),
                (Poll::Pending, Poll::Pending) => Poll::Pending,
                (Poll::Pending, Poll::Ready(None)) => Poll::Ready(Err(Broken::Closed)),
                (Poll::Pending, Poll::Ready(Some(error))) => Poll::Ready(Err(Broken::Lost(error))),
            }
        })
        .await
    }

    /// The next piece of a body; none at its end.
    pub(crate) async fn next(&mut self, body: &mut Incoming) -> Result<Option<Bytes>, Broken> {
        loop {
            let frame = self.run(poll_fn(|cx| Pin::new(&mut *body).poll_frame(cx))).await?;
            match frame {
                None => return Ok(None),
                Some(Ok(frame)) => {
                    if let Ok(data) = frame.into_data() {
                        return Ok(Some(data));
                    }
                }
                Some(Err(error)) => return Err(Broken::Lost(error)),
            }
        }
    }

    /// Whether a body has ended, as far as can be said without waiting.
    pub(crate) async fn is_at_end(&mut self, body: &mut Incoming) -> bool {
        poll_fn(|cx| Poll::Ready(self.poll_end(body, cx))).await
    }

    fn poll_end(&mut self, body: &mut Incoming, cx: &mut Context<'_>) -> bool {
        if body.is_end_stream() {
            return true;
        }
        // The connection forwards nothing before it is requested, so it is polled again afterwards.
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
        if let Some(mut rest) = self.rest.take()
            && !self.poll_end(&mut rest, cx)
        {
            return false;
        }
        self.poll(cx).is_pending() && self.sender.is_ready()
    }

    fn poll(&mut self, cx: &mut Context<'_>) -> Poll<Option<hyper::Error>> {
        if self.is_over {
            return Poll::Ready(None);
        }
        let over = Pin::new(&mut *self.connection).poll(cx);
        self.is_over = over.is_ready();
        over.map(Result::err)
    }
}

/// Opens a connection, over TLS where the address asks for it.
pub(crate) async fn open_stream(address: &Address, time_limit: Duration) -> Result<Box<dyn Stream>, Broken> {
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, format!("no connection within {time_limit:?}"));
    let host = address.host.trim_matches(['[', ']']);
    let connecting = TcpStream::connect((host, address.port));
    let stream =
        timeout(time_limit, connecting).await.map_err(late).flatten().map_err(Broken::NotConnected)?;
    stream.set_nodelay(true).map_err(Broken::NotConnected)?;
    if address.is_tls { over_tls(stream, host, time_limit).await } else { Ok(Box::new(stream)) }
}

async fn connect(address: &Address, time_limit: Duration) -> Result<Link, Broken> {
    Link::over(open_stream(address, time_limit).await?).await
}

#[cfg(feature = "tls")]
async fn over_tls(stream: TcpStream, host: &str, time_limit: Duration) -> Result<Box<dyn Stream>, Broken> {
    use super::tls::{connector, explain};
    let connector = connector()
        .map_err(|problem| Broken::NoTls(problem, "set SSL_CERT_FILE to a file with root certificates"))?;
    let name = host
        .to_owned()
        .try_into()
        .map_err(|_| Broken::NoTls(format!("`{host}` is not a valid host name"), "correct the address"))?;
    match timeout(time_limit, connector.connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(Box::new(stream)),
        Ok(Err(error)) => {
            let (problem, advice) = explain(&error, host);
            Err(Broken::NoTls(problem, advice))
        }
        Err(_) => Err(Broken::NoTls(
            format!("no response within {time_limit:?}"),
            "check that the port serves https://, or raise `timeout`",
        )),
    }
}

#[cfg(not(feature = "tls"))]
fn over_tls(_: TcpStream, _: &str, _: Duration) -> std::future::Ready<Result<Box<dyn Stream>, Broken>> {
    let problem = "this program was built without TLS";
    let advice = "enable the feature `tls` of toolwright-client";
    std::future::ready(Err(Broken::NoTls(problem.to_owned(), advice)))
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
    use tokio::net::TcpListener;

    use super::*;

    /// Answers requests on as many connections as there are, each with the number of its connection.
    async fn serve(listener: TcpListener) {
        for number in 0.. {
            let (mut stream, _) = listener.accept().await.unwrap();
            tokio::spawn(async move {
                let mut bytes = [0; 4096];
                while stream.read(&mut bytes).await.is_ok_and(|read| read > 0) {
                    let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\n{number}");
                    stream.write_all(answer.as_bytes()).await.unwrap();
                }
            });
        }
    }

    async fn ask(pool: &Pool, address: &Address) -> Bytes {
        let request = || {
            let mut request = Request::new(Once::new(""));
            *request.uri_mut() = address.target.clone();
            request
        };
        let sent = pool.send(address, request, true, Duration::from_secs(5)).await;
        let (response, mut link) = sent.unwrap();
        let mut body = response.into_body();
        let first = link.next(&mut body).await.unwrap().unwrap();
        pool.keep(link, Some(body));
        first
    }

    #[tokio::test]
    async fn of_a_connection_that_rests_the_socket_is_kept_and_used() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = Address::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let server = tokio::spawn(serve(listener));
        let pool = Pool::default();
        for _ in 0..2 {
            for _ in 0..3 {
                assert_eq!(ask(&pool, &address).await, "0");
                assert_eq!(lock(&pool.idle).kept.len(), 1);
            }
            while lock(&pool.idle).is_swept {
                sleep(SWEEP / 4).await;
            }
            assert!(matches!(*lock(&pool.idle).kept, [Kept::Socket(_)]));
        }
        server.abort();
    }

    #[tokio::test]
    async fn a_socket_that_was_closed_meanwhile_is_replaced() {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = Address::parse(&format!("http://{}/", listener.local_addr().unwrap())).unwrap();
        let closed = TcpStream::connect(listener.local_addr().unwrap()).await.unwrap();
        drop(listener.accept().await.unwrap());
        closed.readable().await.unwrap();
        let pool = Pool::default();
        lock(&pool.idle).kept.push(Kept::Socket(Box::new(closed)));
        let server = tokio::spawn(serve(listener));
        assert_eq!(ask(&pool, &address).await, "0");
        server.abort();
    }
}
