//! Negotiation of the revision over Streamable HTTP.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::sleep_until;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use super::exchange::Outcome;
use super::{HttpTransport, MAX_REDIRECTS, MAX_REJECTIONS, RequestTimer};
use crate::era::{self, Identity, ProbeOutcome, evaluate_probe, is_modern_rejection, parse_rpc_error};
use crate::error::{ClientError, ErrorKind, quote};
use crate::message::{self, OutgoingRequest};
use crate::pending::{Reply, RequestFailure, RequestOptions, TimeLimit};
use crate::server_info::ServerInfo;

const UNEXPECTED_REVISION: &str =
    "let the client choose the revision, or report this to the server's developers";

/// The result of the negotiation.
pub(crate) enum Negotiated {
    Streamable(ServerInfo),
    /// The server does not accept POST requests at this URL; it may support HTTP+SSE.
    MaybeSse(ClientError),
}

/// The outcome of `server/discover` or `initialize`.
enum FirstOutcome {
    Reply {
        reply: Reply,
        status: u16,
    },
    /// No response of the protocol.
    Error {
        status: Option<u16>,
        error: ClientError,
    },
}

impl HttpTransport {
    /// Determines the revision, and creates a session with a legacy server. `required` is the only allowed revision, if there is
    /// one. `initialize` is sent if the server does not respond to the probe within `probe_timeout`; `timeout` is that of other
    /// responses.
    pub(crate) async fn negotiate(
        self: &Arc<Self>,
        identity: &Identity,
        required: Option<Revision>,
        probe_timeout: Duration,
        timeout: Duration,
    ) -> Result<Negotiated, ClientError> {
        let probe_timeout = if required.is_none() { probe_timeout } else { timeout };
        let revision = match required {
            Some(revision) if revision.has_handshake() => revision,
            _ => match self.probe(identity, probe_timeout).await? {
                Ok(server) => return Ok(Negotiated::Streamable(server)),
                Err((_, error)) if required.is_some() => return Err(self.unsupported_error(&error)),
                Err((revision, _)) => revision,
            },
        };
        match self.initialize(identity, revision, timeout).await {
            // A modern server that was too slow for the probe.
            Ok(Negotiated::MaybeSse(error)) | Err(error)
                if required.is_none() && error.rpc().is_some_and(is_modern_rejection) =>
            {
                match self.probe(identity, timeout).await? {
                    Ok(server) => Ok(Negotiated::Streamable(server)),
                    Err((_, error)) => Err(error),
                }
            }
            negotiated => negotiated,
        }
    }

    /// Returns the error for a server that does not support the required revision; `cause` is the outcome of the probe.
    fn unsupported_error(&self, cause: &ClientError) -> ClientError {
        let revision = Revision::NEWEST;
        let problem =
            format!("it does not support the revision {revision}, which was requested: {}", cause.problem());
        let error = self.host.error(ErrorKind::Protocol, problem, UNEXPECTED_REVISION);
        let error = cause.status().map_or(error.clone(), |status| error.with_status(status));
        cause.rpc().map_or(error.clone(), |rpc| error.with_rpc(rpc.clone()))
    }

    /// Sends `server/discover`. For a legacy server, returns the revision for `initialize`, and an error with its response.
    async fn probe(
        self: &Arc<Self>,
        identity: &Identity,
        timeout: Duration,
    ) -> Result<Result<ServerInfo, (Revision, ClientError)>, ClientError> {
        self.lock().revision = Some(Revision::NEWEST);
        let meta = identity.meta();
        for is_last in [false, true] {
            let outcome = self.send_first(&era::discover_request(), &meta, timeout).await?;
            let (outcome, response_error) = match outcome {
                FirstOutcome::Reply { reply, status } => {
                    let response_error = match &reply {
                        Reply::Error(error) => {
                            let error = parse_rpc_error(error);
                            let problem = format!("it rejected `server/discover`: {}", quote(&error.message));
                            self.host.error(ErrorKind::Protocol, problem, UNEXPECTED_REVISION).with_rpc(error)
                        }
                        Reply::Result(_) => self.host.error(
                            ErrorKind::Protocol,
                            "its response to `server/discover` is invalid",
                            UNEXPECTED_REVISION,
                        ),
                    };
                    (evaluate_probe(&reply, Some(status), &self.host), response_error)
                }
                // `initialize` would fail in the same way.
                FirstOutcome::Error { status: Some(401 | 403 | 429 | 502..=504), error } => {
                    return Err(error);
                }
                FirstOutcome::Error { status: None, error } if error.kind() == ErrorKind::Connect => {
                    return Err(error);
                }
                FirstOutcome::Error { error, .. } => (ProbeOutcome::Legacy(Revision::NEWEST_LEGACY), error),
            };
            match outcome {
                ProbeOutcome::Modern(server) => return Ok(Ok(*server)),
                ProbeOutcome::Retry if !is_last => {}
                ProbeOutcome::Retry => return Err(response_error),
                ProbeOutcome::Legacy(revision) => {
                    self.lock().revision = None;
                    return Ok(Err((revision, response_error)));
                }
                ProbeOutcome::Failed(error) => return Err(error),
            }
        }
        Ok(Ok(ServerInfo::unknown()))
    }

    /// Performs the handshake with a legacy server.
    pub(super) async fn initialize(
        self: &Arc<Self>,
        identity: &Identity,
        revision: Revision,
        timeout: Duration,
    ) -> Result<Negotiated, ClientError> {
        {
            let mut state = self.lock();
            (state.revision, state.session) = (None, None);
        }
        let server = match self.send_first(&identity.initialize_request(revision), "", timeout).await? {
            FirstOutcome::Reply { reply: Reply::Result(result), .. } => {
                let advice = "use a newer client, or a server that supports an official revision";
                ServerInfo::from_initialize(&result)
                    .map_err(|problem| self.host.error(ErrorKind::Protocol, problem, advice))?
            }
            FirstOutcome::Reply { reply: Reply::Error(error), status } => {
                let error = parse_rpc_error(&error);
                let problem = format!("it rejected `initialize`: {} ({})", quote(&error.message), error.code);
                let failure = self.host.error(
                    ErrorKind::Protocol,
                    problem,
                    "check which revisions the server supports",
                );
                let failure = failure.with_rpc(error).with_status(status);
                return if matches!(status, 400 | 404 | 405) {
                    Ok(Negotiated::MaybeSse(failure))
                } else {
                    Err(failure)
                };
            }
            FirstOutcome::Error { status: Some(400 | 404 | 405), error } => {
                return Ok(Negotiated::MaybeSse(error));
            }
            FirstOutcome::Error { error, .. } => return Err(error),
        };
        {
            let mut state = self.lock();
            state.revision = Some(server.revision);
            state.generation += 1;
        }
        self.post(message::notification(method::INITIALIZED, ""), method::INITIALIZED).await?;
        Ok(Negotiated::Streamable(server))
    }

    /// Sends `server/discover` or `initialize`.
    async fn send_first(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        timeout: Duration,
    ) -> Result<FirstOutcome, ClientError> {
        let mut body = Vec::new();
        // This ID is not used by other requests.
        message::write_request(&mut body, 1, outgoing, meta);
        let body = Bytes::from(body);
        let time_limit = TimeLimit::new(timeout, timeout);
        let sleep = pin!(sleep_until(time_limit.deadline()));
        let mut timer = RequestTimer { time_limit, sleep, pending_input: &self.host.pending_input };
        let mut options = RequestOptions::new(timeout, timeout);
        let (mut rejections, mut redirects) = (0, 0);
        loop {
            let response = match self.exchange(1, &body, outgoing, &mut timer, &mut options).await {
                Ok(Outcome::Reply { reply, status }) => return Ok(FirstOutcome::Reply { reply, status }),
                Ok(Outcome::Empty { status }) => {
                    let error = self.empty_response_error(status);
                    return Ok(FirstOutcome::Error { status: Some(status), error });
                }
                Ok(Outcome::StreamEnded(end)) => {
                    let problem = format!("it did not respond to `{}`: {}", outgoing.method, end.reason);
                    let error =
                        self.host.error(ErrorKind::Protocol, problem, "check that it is an MCP server");
                    return Ok(FirstOutcome::Error { status: Some(200), error });
                }
                Ok(Outcome::ErrorStatus(response)) => response,
                Err(RequestFailure::Failed(error)) => {
                    return Ok(FirstOutcome::Error { status: error.status(), error });
                }
                Err(RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_)) => {
                    let problem = format!("no response to `{}` within {timeout:?}", outgoing.method);
                    let advice = "check whether the server hangs, or raise `start_timeout`";
                    return Ok(FirstOutcome::Error {
                        status: None,
                        error: self.host.error(ErrorKind::Timeout, problem, advice),
                    });
                }
            };
            match response.status {
                401 | 403
                    if rejections < MAX_REJECTIONS
                        && timer.pause_during(self.reauthorize(&response, rejections)).await? =>
                {
                    rejections += 1;
                }
                301 | 302 | 303 | 307 | 308 if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    self.follow_redirect(&response)?;
                }
                status => {
                    let error = self.status_error(&response);
                    return Ok(FirstOutcome::Error { status: Some(status), error });
                }
            }
        }
    }
}
