//! The first exchange with a server over HTTP: which era it belongs to.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use tokio::time::sleep_until;
use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use super::exchange::Answer;
use super::{Clock, Http, MAX_REDIRECTS, MAX_REFUSALS};
use crate::era::{self, Identity, ProbeOutcome, evaluate_probe, is_modern_rejection, parse_rpc_error};
use crate::error::{ClientError, ErrorKind, quoted};
use crate::message::{self, OutgoingRequest};
use crate::pending::{Reply, RequestFailure, RequestOptions, TimeLimit};
use crate::server_info::ServerInfo;

const LET_CHOOSE: &str = "let the client choose the revision, or report this to those who make the server";

/// What is known of the era before the server is asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Expected {
    Any,
    /// This one and no other.
    Only(Revision),
}

/// How a server is spoken to.
pub(crate) enum Met {
    Streamable(ServerInfo),
    /// It does not take POSTs here: the transport of 2024-11-05 may be what it has.
    MaybeSse(ClientError),
}

/// The answer to one of the first requests.
enum First {
    Reply {
        reply: Reply,
        status: u16,
    },
    /// Anything that is not a message; the error says what.
    Other {
        status: Option<u16>,
        error: ClientError,
    },
}

impl Http {
    /// Finds out the era, and begins the session of a legacy server. `probe` is how long a server may be silent before
    /// `initialize` is attempted, `time_limit` how long one answer may take.
    pub(crate) async fn meet(
        self: &Arc<Self>,
        identity: &Identity,
        expected: Expected,
        probe: Duration,
        time_limit: Duration,
    ) -> Result<Met, ClientError> {
        let probe = if expected == Expected::Any { probe } else { time_limit };
        let revision = match expected {
            Expected::Only(revision) if revision.has_handshake() => revision,
            _ => match self.probe(identity, probe).await? {
                Ok(server) => return Ok(Met::Streamable(server)),
                Err((_, said)) if expected != Expected::Any => return Err(self.not_spoken(&said)),
                Err((revision, _)) => revision,
            },
        };
        match self.begin(identity, revision, time_limit).await {
            // It was too slow for the probe, and modern after all.
            Ok(Met::MaybeSse(error)) | Err(error)
                if expected == Expected::Any && error.rpc().is_some_and(is_modern_rejection) =>
            {
                match self.probe(identity, time_limit).await? {
                    Ok(server) => Ok(Met::Streamable(server)),
                    Err((_, error)) => Err(error),
                }
            }
            met => met,
        }
    }

    /// The error of a server that does not speak the revision that was asked for, and said something else.
    fn not_spoken(&self, said: &ClientError) -> ClientError {
        let revision = Revision::NEWEST;
        let problem =
            format!("it does not speak the revision {revision}, which was asked for: {}", said.problem());
        let error = self.host.error(ErrorKind::Protocol, problem, LET_CHOOSE);
        let error = said.status().map_or(error.clone(), |status| error.with_status(status));
        said.rpc().map_or(error.clone(), |rpc| error.with_rpc(rpc.clone()))
    }

    /// Attempts a modern request. Where the server is not modern: the revision to begin with, and what it said.
    async fn probe(
        self: &Arc<Self>,
        identity: &Identity,
        time_limit: Duration,
    ) -> Result<Result<ServerInfo, (Revision, ClientError)>, ClientError> {
        self.lock().revision = Some(Revision::NEWEST);
        let meta = identity.meta();
        for is_last in [false, true] {
            let first = self.first(&era::discover_request(), &meta, time_limit).await?;
            let (verdict, said) = match first {
                First::Reply { reply, status } => {
                    let said = match &reply {
                        Reply::Error(error) => {
                            let error = parse_rpc_error(error);
                            let problem =
                                format!("it answered `server/discover` with: {}", quoted(&error.message));
                            self.host.error(ErrorKind::Protocol, problem, LET_CHOOSE).with_rpc(error)
                        }
                        Reply::Result(_) => self.host.error(
                            ErrorKind::Protocol,
                            "its answer to `server/discover` is not one",
                            LET_CHOOSE,
                        ),
                    };
                    (evaluate_probe(&reply, Some(status), &self.host), said)
                }
                // Who may not ask will not get further with another method.
                First::Other { status: Some(401 | 403 | 429 | 502..=504), error } => return Err(error),
                First::Other { status: None, error } if error.kind() == ErrorKind::Connect => {
                    return Err(error);
                }
                First::Other { error, .. } => (ProbeOutcome::Legacy(Revision::NEWEST_LEGACY), error),
            };
            match verdict {
                ProbeOutcome::Modern(server) => return Ok(Ok(*server)),
                ProbeOutcome::Retry if !is_last => {}
                ProbeOutcome::Retry => return Err(said),
                ProbeOutcome::Legacy(revision) => {
                    self.lock().revision = None;
                    return Ok(Err((revision, said)));
                }
                ProbeOutcome::Failed(error) => return Err(error),
            }
        }
        Ok(Ok(ServerInfo::unknown()))
    }

    /// Shakes hands with a legacy server.
    pub(super) async fn begin(
        self: &Arc<Self>,
        identity: &Identity,
        revision: Revision,
        time_limit: Duration,
    ) -> Result<Met, ClientError> {
        {
            let mut state = self.lock();
            (state.revision, state.session) = (None, None);
        }
        let server = match self.first(&identity.initialize_request(revision), "", time_limit).await? {
            First::Reply { reply: Reply::Result(result), .. } => {
                let advice = "use a newer client, or a server of the official revisions";
                ServerInfo::from_initialize(&result)
                    .map_err(|problem| self.host.error(ErrorKind::Protocol, problem, advice))?
            }
            First::Reply { reply: Reply::Error(error), status } => {
                let error = parse_rpc_error(&error);
                let problem = format!("it refused `initialize`: {} ({})", quoted(&error.message), error.code);
                let failure =
                    self.host.error(ErrorKind::Protocol, problem, "see which revisions the server speaks");
                let failure = failure.with_rpc(error).with_status(status);
                return if matches!(status, 400 | 404 | 405) {
                    Ok(Met::MaybeSse(failure))
                } else {
                    Err(failure)
                };
            }
            First::Other { status: Some(400 | 404 | 405), error } => return Ok(Met::MaybeSse(error)),
            First::Other { error, .. } => return Err(error),
        };
        {
            let mut state = self.lock();
            state.revision = Some(server.revision);
            state.generation += 1;
        }
        self.post(message::notification(method::INITIALIZED, ""), method::INITIALIZED).await?;
        Ok(Met::Streamable(server))
    }

    /// Sends one of the first requests. A server that is silent says something too.
    async fn first(
        self: &Arc<Self>,
        outgoing: &OutgoingRequest<'_>,
        meta: &str,
        time_limit: Duration,
    ) -> Result<First, ClientError> {
        let mut body = Vec::new();
        // Ids of requests start above.
        message::write_request(&mut body, 1, outgoing, meta);
        let body = Bytes::from(body);
        let timing = TimeLimit::new(time_limit, time_limit);
        let timer = pin!(sleep_until(timing.deadline()));
        let mut clock = Clock { time_limit: timing, timer, pending_input: &self.host.pending_input };
        let mut options =
            RequestOptions { timeout: time_limit, max_duration: time_limit, on_notice: None, relay: None };
        let (mut refusals, mut redirects) = (0, 0);
        loop {
            let refused = match self.exchange(1, &body, outgoing, &mut clock, &mut options).await {
                Ok(Answer::Reply { reply, status }) => return Ok(First::Reply { reply, status }),
                Ok(Answer::Nothing { status }) => {
                    return Ok(First::Other { status: Some(status), error: self.no_message(status) });
                }
                Ok(Answer::Ended(ended)) => {
                    let problem = format!("it did not answer `{}`: {}", outgoing.method, ended.why);
                    let error =
                        self.host.error(ErrorKind::Protocol, problem, "see whether it is an MCP server");
                    return Ok(First::Other { status: Some(200), error });
                }
                Ok(Answer::Refused(refused)) => refused,
                Err(RequestFailure::Failed(error)) => {
                    return Ok(First::Other { status: error.status(), error });
                }
                Err(RequestFailure::TimedOut(_) | RequestFailure::MaxDurationReached(_)) => {
                    let problem = format!("no answer to `{}` within {time_limit:?}", outgoing.method);
                    let advice = "see whether the server hangs, or raise `start_timeout`";
                    return Ok(First::Other {
                        status: None,
                        error: self.host.error(ErrorKind::Timeout, problem, advice),
                    });
                }
            };
            match refused.status {
                401 | 403
                    if refusals < MAX_REFUSALS
                        && clock.beside(self.authorize_again(&refused, refusals)).await? =>
                {
                    refusals += 1;
                }
                301 | 302 | 303 | 307 | 308 if redirects < MAX_REDIRECTS => {
                    redirects += 1;
                    self.redirect(&refused)?;
                }
                status => return Ok(First::Other { status: Some(status), error: self.refusal(&refused) }),
            }
        }
    }
}
