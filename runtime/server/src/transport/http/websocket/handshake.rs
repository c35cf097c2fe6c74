//! The opening handshake, which upgrades an HTTP request to a WebSocket (RFC 6455 §4.2).

use http::header::{
    CONNECTION, HeaderName, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_PROTOCOL,
    SEC_WEBSOCKET_VERSION, UPGRADE,
};
use http::request::Parts;
use http::{HeaderMap, HeaderValue, Method, Response, StatusCode};
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;

use super::super::body::HttpBody;
use super::answer;

/// The supported version of the protocol.
const VERSION: &str = "13";

/// The subprotocol, for clients that offer it.
const SUBPROTOCOL: &str = "mcp";

/// A socket is not opened.
#[derive(Debug, Clone, Copy)]
pub(super) enum Refusal {
    /// The request is not a GET.
    Method,
    /// The request does not ask for a WebSocket, or for another version.
    Upgrade(&'static str),
    /// The key is invalid.
    Key,
}

/// Builds the response that opens the socket.
pub(super) fn answer(head: &Parts) -> Result<Response<HttpBody>, Refusal> {
    let headers = &head.headers;
    if head.method != Method::GET {
        return Err(Refusal::Method);
    }
    if !lists(headers, &CONNECTION, "upgrade") || !lists(headers, &UPGRADE, "websocket") {
        return Err(Refusal::Upgrade("this is a WebSocket endpoint; send `Upgrade: websocket`"));
    }
    if headers.get(SEC_WEBSOCKET_VERSION).is_none_or(|version| version != VERSION) {
        return Err(Refusal::Upgrade("`Sec-WebSocket-Version` must be 13"));
    }
    // 16 bytes in Base64.
    let key = headers.get(SEC_WEBSOCKET_KEY).filter(|key| key.len() == 24).ok_or(Refusal::Key)?;
    let accept = HeaderValue::try_from(derive_accept_key(key.as_bytes())).map_err(|_| Refusal::Key)?;
    let mut response = answer::empty(StatusCode::SWITCHING_PROTOCOLS);
    let answered = response.headers_mut();
    answered.insert(CONNECTION, HeaderValue::from_static("upgrade"));
    answered.insert(UPGRADE, HeaderValue::from_static("websocket"));
    answered.insert(SEC_WEBSOCKET_ACCEPT, accept);
    if lists(headers, &SEC_WEBSOCKET_PROTOCOL, SUBPROTOCOL) {
        answered.insert(SEC_WEBSOCKET_PROTOCOL, HeaderValue::from_static(SUBPROTOCOL));
    }
    Ok(response)
}

impl Refusal {
    pub(super) fn response(self) -> Response<HttpBody> {
        match self {
            Self::Method => answer::method_not_allowed("GET"),
            Self::Upgrade(why) => {
                // Includes the protocol to upgrade to (RFC 9110 §15.5.22).
                let mut response = answer::refused(StatusCode::UPGRADE_REQUIRED, why);
                let headers = response.headers_mut();
                headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
                headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
                headers.insert(SEC_WEBSOCKET_VERSION, HeaderValue::from_static(VERSION));
                response
            }
            Self::Key => {
                answer::refused(StatusCode::BAD_REQUEST, "`Sec-WebSocket-Key` must be 16 bytes in Base64")
            }
        }
    }
}

/// Whether a list header contains this element.
fn lists(headers: &HeaderMap, name: &HeaderName, element: &str) -> bool {
    headers
        .get_all(name)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .any(|other| other.trim().eq_ignore_ascii_case(element))
}
