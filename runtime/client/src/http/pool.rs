//! Connections to one origin, kept between requests.
//!
//! No task drives them: a connection is polled by the request that uses it. So a call costs no change of tasks, an idle
//! client has none, and a request that is dropped takes its connection with it, which tells a modern server to stop
//! (2026-07-28, basic/transports/streamable-http "Cancellation").

use std::convert::Infallible;
use std::future::poll_fn;
use std::io;
use std::pin::{Pin, pin};
use std::sync::{Mutex, PoisonError};
use std::task::{Context, Poll};
use std::time::Duration;

use bytes::Bytes;
use http::{Request, Response};
use http_body::{Body as _, Frame, SizeHint};
use hyper::body::Incoming;
use hyper::client::conn::http1::{self, Connection, SendRequest};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::address::Address;

/// How many connections are kept while nothing uses them.
const MAX_IDLE: usize = 128;
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
    connection: Pin<Box<Connection<Io, Once>>>,
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

/// The connections to one origin.
#[derive(Default)]
pub(crate) struct Pool {
    idle: Mutex<Vec<Link>>,
}

impl Pool {
    /// Sends a request and waits for the head of its response. `is_safe`: it may be sent again where a connection that was kept
    /// ends before an answer comes, as one does that the server has closed just then.
    pub(crate) async fn send(
        &self,
        address: &Address,
        request: impl Fn() -> Request<Once>,
        is_safe: bool,
        patience: Duration,
    ) -> Result<(Response<Incoming>, Link), Broken> {
        loop {
            let kept = self.take().await;
            let is_fresh = kept.is_none();
            let mut link = match kept {
                Some(link) => link,
                None => connect(address, patience).await?,
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
            if is_fresh || !is_safe {
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
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < MAX_IDLE {
            idle.push(link);
        }
    }

    /// A connection that still works.
    async fn take(&self) -> Option<Link> {
        loop {
            let mut link = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop()?;
            if poll_fn(|cx| Poll::Ready(link.is_usable(cx))).await {
                return Some(link);
            }
        }
    }
}

impl Link {
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
        // The connection hands on nothing before it is asked for, so it is polled again after it was.
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
        let over = self.connection.as_mut().poll(cx);
        self.is_over = over.is_ready();
        over.map(Result::err)
    }
}

/// Opens a connection, over TLS where the address asks for it.
pub(crate) async fn open_stream(address: &Address, patience: Duration) -> Result<Box<dyn Stream>, Broken> {
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, format!("no connection within {patience:?}"));
    let host = address.host.trim_matches(['[', ']']);
    let connecting = TcpStream::connect((host, address.port));
    let stream = timeout(patience, connecting).await.map_err(late).flatten().map_err(Broken::NotConnected)?;
    stream.set_nodelay(true).map_err(Broken::NotConnected)?;
    if address.is_tls { over_tls(stream, host, patience).await } else { Ok(Box::new(stream)) }
}

async fn connect(address: &Address, patience: Duration) -> Result<Link, Broken> {
    let stream = open_stream(address, patience).await?;
    let mut builder = http1::Builder::new();
    builder.max_buf_size(MAX_HEAD);
    let (sender, connection) = builder.handshake(TokioIo::new(stream)).await.map_err(Broken::Lost)?;
    let mut link = Link { sender, connection: Box::pin(connection), is_over: false, rest: None };
    // Polled once, so that it can take a request.
    _ = poll_fn(|cx| Poll::Ready(link.poll(cx))).await;
    Ok(link)
}

#[cfg(feature = "tls")]
async fn over_tls(stream: TcpStream, host: &str, patience: Duration) -> Result<Box<dyn Stream>, Broken> {
    use super::tls::{connector, explain};
    let connector = connector()
        .map_err(|problem| Broken::NoTls(problem, "name a file of certificates in SSL_CERT_FILE"))?;
    let name = host
        .to_owned()
        .try_into()
        .map_err(|_| Broken::NoTls(format!("`{host}` is not the name of a server"), "correct the address"))?;
    match timeout(patience, connector.connect(name, stream)).await {
        Ok(Ok(stream)) => Ok(Box::new(stream)),
        Ok(Err(error)) => {
            let (problem, advice) = explain(&error, host);
            Err(Broken::NoTls(problem, advice))
        }
        Err(_) => Err(Broken::NoTls(
            format!("no answer within {patience:?}"),
            "check that the port is one for https://, or raise `timeout`",
        )),
    }
}

#[cfg(not(feature = "tls"))]
fn over_tls(_: TcpStream, _: &str, _: Duration) -> std::future::Ready<Result<Box<dyn Stream>, Broken>> {
    let problem = "this program was built without TLS";
    let advice = "turn on the feature `tls` of toolwright-client";
    std::future::ready(Err(Broken::NoTls(problem.to_owned(), advice)))
}
