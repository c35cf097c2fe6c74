//! Errors of responses and connections, rejected requests, and redirects.

use std::fmt;
use std::sync::Arc;

use super::HttpTransport;
use super::address::Address;
use super::authorize::Rejection;
use super::exchange::ErrorResponse;
use super::pool::ConnectionError;
use crate::error::{AFTER_LOSS, ClientError, ErrorKind, format_bytes, quote};

/// The advice if no other token is available.
const NO_TOKEN: &str = "check the source of its tokens, then log in again, or configure another token";

impl HttpTransport {
    /// Obtains another token after a rejection; returns whether the request is to be sent again.
    pub(super) async fn reauthorize(
        &self,
        response: &ErrorResponse,
        attempt: usize,
    ) -> Result<bool, ClientError> {
        let address = self.address();
        let rejection = Rejection {
            status: response.status,
            url: &address.url,
            challenges: response.challenges.clone(),
            attempt,
            headers: &response.authorization,
        };
        let mut is_retried = false;
        for authorize in &self.settings.authorize {
            is_retried |= authorize.handle_rejection(&rejection).await.map_err(|problem| {
                let problem = format!("it rejected the request with status {}: {problem}", response.status);
                self.host.error(ErrorKind::Connect, problem, NO_TOKEN).with_status(response.status)
            })?;
        }
        Ok(is_retried)
    }

    /// Changes the URL of the server to the target of a redirect. Only 307 and 308 keep the method (RFC 9110 §15.4), and tokens
    /// must not be sent to another origin.
    pub(super) fn follow_redirect(&self, response: &ErrorResponse) -> Result<(), ClientError> {
        let status = response.status;
        let reject = |reason: &str, target: &str, advice| {
            let problem = format!("it redirects to {} with status {status}, {reason}", quote(target));
            Err(self.host.error(ErrorKind::Protocol, problem, advice).with_status(status))
        };
        let Some(location) = &response.location else { return Err(self.status_error(response)) };
        let from = self.address();
        let to = match from.join(location) {
            Ok(to) => to,
            Err(problem) => return reject(&problem, location, "use the intended address"),
        };
        let target = to.to_string();
        if !matches!(status, 307 | 308) {
            return reject("which changes a POST to a GET", &target, "use that address");
        }
        if from.is_tls && !to.is_tls {
            return reject("which has no TLS", &target, "correct the configuration of the server");
        }
        if !from.has_same_origin(&to) {
            return reject("which is another server", &target, "use that address, if you trust it");
        }
        self.lock().address = Arc::new(to);
        Ok(())
    }

    /// Returns the error for a request without a token.
    pub(super) fn authorization_error(&self, problem: &str) -> ClientError {
        let problem = format!("it requires a token: {problem}");
        self.host.error(ErrorKind::Connect, problem, "log in, or configure a token")
    }

    /// Returns the error for an error status.
    pub(super) fn status_error(&self, response: &ErrorResponse) -> ClientError {
        let status = response.status;
        let details = [response.challenges.join(", "), response.body.clone()];
        let details: Vec<_> =
            details.iter().map(|text| quote(text)).filter(|text| !text.is_empty()).collect();
        let details = if details.is_empty() { String::new() } else { format!(": {}", details.join("; ")) };
        let problem = format!("{} responded with status {status}{details}", self.address());
        let has_token = !response.authorization.is_empty() || !self.settings.headers.is_empty();
        let (kind, advice) = match status {
            401 if has_token => (ErrorKind::Connect, "the token is not accepted: use another one"),
            401 => (ErrorKind::Connect, "it requires a token: send one in the `Authorization` header"),
            403 => {
                (ErrorKind::Connect, "use a token with more rights, or check which clients the server allows")
            }
            404 | 405 | 410 => (
                ErrorKind::Connect,
                "check the path of the address: it is usually /mcp, or /sse for older servers",
            ),
            406 | 415 => {
                (ErrorKind::Connect, "check that it is an MCP server, and that no proxy changes the headers")
            }
            408 | 504 => (ErrorKind::Timeout, "try again, or request less data"),
            413 => (ErrorKind::Protocol, "send less data, or raise the limit of the server"),
            429 => (ErrorKind::Connect, "wait before the next request: the server limits the request rate"),
            300..=399 => (ErrorKind::Protocol, "use the address that it redirects to"),
            500..=599 => (ErrorKind::Connect, "check the server's log"),
            _ => (ErrorKind::Protocol, "check that the address belongs to an MCP server"),
        };
        self.host.error(kind, problem, advice).with_status(status)
    }

    /// Returns the error for a failed connection.
    pub(super) fn connection_error(&self, error: ConnectionError) -> ClientError {
        let address: Arc<Address> = self.address();
        let problem = format!("{address}: {error}");
        match error {
            ConnectionError::Connect(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => self
                .host
                .error(ErrorKind::Connect, problem, "check that the server runs and listens on this port"),
            ConnectionError::Connect(_) => {
                self.host.error(ErrorKind::Connect, problem, "check the address and the network")
            }
            ConnectionError::Tls(_, advice) => self.host.error(ErrorKind::Connect, problem, advice),
            ConnectionError::Http(error) if error.is_parse() || error.is_parse_status() => self.host.error(
                ErrorKind::Protocol,
                problem,
                "check that the address belongs to an MCP server",
            ),
            ConnectionError::Http(_) | ConnectionError::Closed => {
                self.host.error(ErrorKind::Lost, problem, AFTER_LOSS)
            }
        }
    }

    /// Returns the error for a response that did not start in time.
    pub(super) fn timeout_error(&self, method: &str) -> ClientError {
        let timeout = self.settings.timeout;
        let problem = format!("{} did not respond to `{method}` within {timeout:?}", self.address());
        self.host.error(
            ErrorKind::Timeout,
            problem,
            "raise `timeout` if the server is slow, or check whether it hangs",
        )
    }

    pub(super) fn too_large_error(&self, limit: usize) -> ClientError {
        let problem = format!("it sent a message larger than {}", format_bytes(limit));
        self.host.error(ErrorKind::Protocol, problem, "request less data, or raise `max_message_bytes`")
    }

    pub(super) fn empty_response_error(&self, status: u16) -> ClientError {
        let problem =
            format!("{} responded to a request with status {status} but no message", self.address());
        self.host.error(ErrorKind::Protocol, problem, "check that the address belongs to an MCP server")
    }

    pub(super) fn invalid_message_error(&self, media_type: &str, body: &[u8]) -> ClientError {
        let media_type = if media_type.is_empty() { "a body without a content type" } else { media_type };
        let start = quote(&String::from_utf8_lossy(&body[..body.len().min(300)]));
        let problem =
            format!("{} responded with {media_type} that is not a message: {start}", self.address());
        self.host.error(ErrorKind::Protocol, problem, "check that the address belongs to an MCP server")
    }
}

impl fmt::Display for ConnectionError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Connect(error) => write!(f, "cannot be reached: {error}"),
            Self::Tls(problem, _) => write!(f, "TLS handshake failed: {}", quote(problem)),
            Self::Http(error) if error.is_parse() => write!(f, "its response is not HTTP: {error}"),
            Self::Http(error) => write!(f, "the connection was closed before the response: {error}"),
            Self::Closed => f.write_str("the connection was closed before the response"),
        }
    }
}
