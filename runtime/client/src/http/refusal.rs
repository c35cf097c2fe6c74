//! What a refusal means, in words.

use std::fmt;
use std::sync::Arc;

use super::Http;
use super::address::Address;
use super::authorize::Rejection;
use super::exchange::Refused;
use super::pool::Broken;
use crate::error::{AFTER_LOSS, ClientError, ErrorKind, bytes, quoted};

/// The advice if no other token is available.
const NO_TOKEN: &str = "check the source of its tokens, then log in again, or configure another token";

impl Http {
    /// Whether a refused request is to be sent again with another token.
    pub(super) async fn authorize_again(
        &self,
        refused: &Refused,
        attempt: usize,
    ) -> Result<bool, ClientError> {
        let url = self.address().to_url();
        let rejection = Rejection {
            status: refused.status,
            url: &url,
            challenges: refused.challenges.clone(),
            attempt,
            headers: &refused.sent,
        };
        let mut again = false;
        for authorize in &self.settings.authorize {
            again |= authorize.handle_rejection(&rejection).await.map_err(|problem| {
                let problem = format!("it answered with status {} and {problem}", refused.status);
                self.host.error(ErrorKind::Connect, problem, NO_TOKEN).with_status(refused.status)
            })?;
        }
        Ok(again)
    }

    /// Goes on at the address that a redirection names. Only 307 and 308 keep the method (RFC 9110 §15.4), and only the same
    /// origin may see what authorizes the request.
    pub(super) fn redirect(&self, refused: &Refused) -> Result<(), ClientError> {
        let status = refused.status;
        let refuse = |why: &str, target: &str, advice| {
            let problem = format!("it redirects to {} with status {status}, {why}", quoted(target));
            Err(self.host.error(ErrorKind::Protocol, problem, advice).with_status(status))
        };
        let Some(location) = &refused.location else { return Err(self.refusal(refused)) };
        let from = self.address();
        let to = match from.join(location) {
            Ok(to) => to,
            Err(problem) => return refuse(&problem, location, "use the address that it means"),
        };
        let shown = to.to_string();
        if !matches!(status, 307 | 308) {
            return refuse("which turns a POST into a GET", &shown, "use that address");
        }
        if from.is_tls && !to.is_tls {
            return refuse("which gives up TLS", &shown, "see what is wrong with the server");
        }
        if !from.has_same_origin(&to) {
            return refuse("which is another server", &shown, "use that address, if you trust it");
        }
        self.lock().address = Arc::new(to);
        Ok(())
    }

    /// The error for a status that is no success.
    pub(super) fn refusal(&self, refused: &Refused) -> ClientError {
        let status = refused.status;
        let said = [refused.challenges.join(", "), refused.body.clone()];
        let said: Vec<_> = said.iter().map(|text| quoted(text)).filter(|text| !text.is_empty()).collect();
        let said = if said.is_empty() { String::new() } else { format!(": {}", said.join("; ")) };
        let problem = format!("{} answered with status {status}{said}", self.address());
        let has_token = !refused.sent.is_empty() || !self.settings.fixed.is_empty();
        let (kind, advice) = match status {
            401 if has_token => (ErrorKind::Connect, "the token is not accepted: use another one"),
            401 => (ErrorKind::Connect, "it requires a token: send one in the `Authorization` header"),
            403 => {
                (ErrorKind::Connect, "get a token with more rights, or see which clients the server allows")
            }
            404 | 405 | 410 => (
                ErrorKind::Connect,
                "check the path of the address: many servers are at /mcp, older ones at /sse",
            ),
            406 | 415 => (
                ErrorKind::Connect,
                "check that it is an MCP server, and that no proxy in between changes headers",
            ),
            408 | 504 => (ErrorKind::Timeout, "try again, or ask for less at once"),
            413 => (ErrorKind::Protocol, "send less at once, or raise the limit of the server"),
            429 => (ErrorKind::Connect, "wait before the next request: the server limits how many it takes"),
            300..=399 => (ErrorKind::Protocol, "use the address that it redirects to"),
            500..=599 => (ErrorKind::Connect, "look into the log of the server"),
            _ => (ErrorKind::Protocol, "check that the address is that of an MCP server"),
        };
        self.host.error(kind, problem, advice).with_status(status)
    }

    pub(super) fn broken(&self, broken: Broken) -> ClientError {
        let address: Arc<Address> = self.address();
        let problem = format!("{address}: {broken}");
        match broken {
            Broken::NotConnected(error) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                self.host.error(ErrorKind::Connect, problem, "see that the server runs and listens there")
            }
            Broken::NotConnected(_) => {
                self.host.error(ErrorKind::Connect, problem, "check the address and the network")
            }
            Broken::NoTls(_, advice) => self.host.error(ErrorKind::Connect, problem, advice),
            Broken::Lost(error) if error.is_parse() || error.is_parse_status() => self.host.error(
                ErrorKind::Protocol,
                problem,
                "check that the address is that of an MCP server",
            ),
            Broken::Lost(_) | Broken::Closed => self.host.error(ErrorKind::Lost, problem, AFTER_LOSS),
        }
    }

    pub(super) fn late(&self, method: &str) -> ClientError {
        let timeout = self.settings.timeout;
        let problem = format!("{} did not begin to answer `{method}` within {timeout:?}", self.address());
        self.host.error(
            ErrorKind::Timeout,
            problem,
            "raise `timeout` if the server is slow, or see whether it hangs",
        )
    }

    pub(super) fn too_large(&self, limit: usize) -> ClientError {
        let problem = format!("it sent a message of more than {}", bytes(limit));
        self.host.error(ErrorKind::Protocol, problem, "ask for less at once, or raise `max_message_bytes`")
    }

    pub(super) fn no_message(&self, status: u16) -> ClientError {
        let problem = format!("{} answered a request with status {status} and no message", self.address());
        self.host.error(ErrorKind::Protocol, problem, "check that the address is that of an MCP server")
    }

    pub(super) fn not_a_message(&self, kind: &str, text: &[u8]) -> ClientError {
        let kind = if kind.is_empty() { "something without a type" } else { kind };
        let start = quoted(&String::from_utf8_lossy(&text[..text.len().min(300)]));
        let problem = format!("{} answered with {kind} that is not a message: {start}", self.address());
        self.host.error(ErrorKind::Protocol, problem, "check that the address is that of an MCP server")
    }
}

impl fmt::Display for Broken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotConnected(error) => write!(f, "cannot be reached: {error}"),
            Self::NoTls(problem, _) => write!(f, "TLS cannot be set up: {}", quoted(problem)),
            Self::Lost(error) if error.is_parse() => write!(f, "what it answers is not HTTP: {error}"),
            Self::Lost(error) => write!(f, "the connection ended before the answer: {error}"),
            Self::Closed => f.write_str("the connection ended before the answer"),
        }
    }
}
