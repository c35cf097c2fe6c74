//! WebSocket (RFC 6455): one text frame per message, in both directions. The specification does not define this transport
//! (2026-07-28, basic/transports "Custom Transports").

use std::future::poll_fn;
use std::sync::Arc;

use futures_util::{SinkExt as _, StreamExt as _};
use http::header::{HeaderValue, SEC_WEBSOCKET_PROTOCOL};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_tungstenite::tungstenite::client::IntoClientRequest as _;
use tokio_tungstenite::tungstenite::error::{CapacityError, Error as SocketError};
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;
use tokio_tungstenite::tungstenite::protocol::{CloseFrame, Message, WebSocketConfig};
use tokio_tungstenite::{WebSocketStream, client_async_with_config};

use super::authorize::RequestTarget;
use super::exchange::ErrorResponse;
use super::pool::{Stream, open_stream};
use super::{HttpTransport, MAX_REJECTIONS};
use crate::error::{AFTER_LOSS, ClientError, ErrorKind, quote};
use crate::event::Event;
use crate::mux::Mux;

type Socket = WebSocketStream<Box<dyn Stream>>;

impl HttpTransport {
    /// Opens a socket, and spawns a task that drives it until it is closed.
    pub(crate) async fn open_socket(self: &Arc<Self>, mux: &Arc<Mux>) -> Result<JoinHandle<()>, ClientError> {
        let socket = match timeout(self.settings.timeout, self.connect_socket()).await {
            Ok(socket) => socket?,
            Err(_) => return Err(self.timeout_error("GET")),
        };
        let (http, mux) = (Arc::clone(self), Arc::clone(mux));
        Ok(tokio::spawn(async move { http.drive_socket(socket, &mux).await }))
    }

    async fn connect_socket(&self) -> Result<Socket, ClientError> {
        let address = self.address();
        let scheme = if address.is_tls { "wss" } else { "ws" };
        let url = format!("{scheme}://{}{}", address.authority, address.target);
        let mut rejections = 0;
        loop {
            let invalid_url = |error: SocketError| {
                self.host.error(ErrorKind::Connect, format!("{address}: {error}"), "check the address")
            };
            let mut request = url.as_str().into_client_request().map_err(invalid_url)?;
            let headers = request.headers_mut();
            headers.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static("mcp"));
            for (name, value) in &self.settings.headers {
                headers.insert(name, value.clone());
            }
            let mut authorization = Vec::new();
            for authorize in &self.settings.authorize {
                let added = authorize.headers(&RequestTarget::new("GET", &url)).await;
                authorization.extend(added.map_err(|problem| self.authorization_error(&problem))?);
            }
            for (name, value) in &authorization {
                headers.insert(name, value.clone());
            }
            let stream = open_stream(&address, self.settings.timeout)
                .await
                .map_err(|error| self.connection_error(error))?;
            let limit = Some(self.settings.max_message_bytes);
            let config = WebSocketConfig::default().max_message_size(limit).max_frame_size(limit);
            let response = match client_async_with_config(request, stream, Some(config)).await {
                Ok((socket, _)) => return Ok(socket),
                Err(SocketError::Http(response)) => response,
                Err(SocketError::Io(error)) => {
                    return Err(self.host.error(
                        ErrorKind::Connect,
                        format!("{address}: {error}"),
                        "check that the server runs",
                    ));
                }
                Err(error) => {
                    let problem =
                        format!("{address} does not accept a WebSocket: {}", quote(&error.to_string()));
                    return Err(self.host.error(
                        ErrorKind::Connect,
                        problem,
                        "check that the address belongs to a WebSocket server",
                    ));
                }
            };
            let (head, body) = response.into_parts();
            let challenges = head.headers.get_all("www-authenticate").iter();
            let response = ErrorResponse {
                status: head.status.as_u16(),
                body: String::from_utf8_lossy(&body.unwrap_or_default()).into_owned(),
                location: None,
                challenges: challenges
                    .filter_map(|value| value.to_str().ok())
                    .take(16)
                    .map(str::to_owned)
                    .collect(),
                authorization,
                had_session: false,
            };
            let is_rejection = matches!(response.status, 401 | 403) && rejections < MAX_REJECTIONS;
            if !is_rejection || !self.reauthorize(&response, rejections).await? {
                return Err(self.status_error(&response));
            }
            rejections += 1;
        }
    }

    async fn drive_socket(self: Arc<Self>, socket: Socket, mux: &Arc<Mux>) {
        let (mut sink, mut stream) = socket.split();
        let reading = async {
            loop {
                let reason = match stream.next().await {
                    Some(Ok(Message::Text(text))) => match mux.receive(text.as_bytes()) {
                        Ok(()) => continue,
                        Err(error) => return (error, CloseCode::Policy),
                    },
                    // Messages are text frames (joshrotenberg/tower-mcp#745).
                    Some(Ok(Message::Binary(_))) => {
                        let advice = "report this to the server's developers";
                        let problem = "it sent a binary frame, which is not a message";
                        return (
                            self.host.error(ErrorKind::Protocol, problem, advice),
                            CloseCode::Unsupported,
                        );
                    }
                    Some(Ok(Message::Close(frame))) => match frame {
                        Some(frame) => {
                            format!("it closed the socket ({} {})", frame.code, quote(&frame.reason))
                        }
                        None => "it closed the socket".to_owned(),
                    },
                    Some(Ok(_)) => continue,
                    Some(Err(SocketError::Capacity(CapacityError::MessageTooLong { .. }))) => {
                        return (self.too_large_error(self.settings.max_message_bytes), CloseCode::Size);
                    }
                    Some(Err(error)) => format!("the socket failed: {}", quote(&error.to_string())),
                    None => "the socket was closed".to_owned(),
                };
                let problem = format!("it is no longer available: {reason}");
                let advice = AFTER_LOSS;
                return (self.host.error(ErrorKind::Lost, problem, advice), CloseCode::Normal);
            }
        };
        let writing = async {
            let mut lines = Vec::new();
            while poll_fn(|cx| mux.poll_outgoing(&mut lines, cx)).await {
                for line in lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()) {
                    // Messages are serialized as UTF-8.
                    let text = String::from_utf8_lossy(line).into_owned();
                    if sink.feed(Message::text(text)).await.is_err() {
                        return std::future::pending().await;
                    }
                }
                lines.clear();
                if sink.flush().await.is_err() {
                    // The reader reports the error.
                    return std::future::pending().await;
                }
            }
        };
        let (error, code, is_closed_locally) = tokio::select! {
            (error, code) = reading => (error, code, false),
            () = writing => (mux.host.closed_locally(), CloseCode::Normal, true),
        };
        mux.close(&error);
        if !is_closed_locally {
            mux.host.emit(Event::Disconnected(error.problem().to_owned()));
        }
        let frame = CloseFrame { code, reason: "".into() };
        _ = timeout(self.settings.timeout, sink.send(Message::Close(Some(frame)))).await;
    }
}
