//! Negotiates the revision with a server over a channel of messages.

use std::sync::Arc;
use std::time::Duration;

use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use crate::era::{self, Identity, ProbeOutcome, evaluate_probe, is_modern_rejection, parse_rpc_error};
use crate::error::{ClientError, ErrorKind, quote};
use crate::message;
use crate::mux::{Mux, PendingRequest};
use crate::pending::{Reply, RequestFailure, RequestOptions};
use crate::server_info::ServerInfo;

/// How long to wait for the response to the probe after a server has rejected `initialize`.
const LATE_PROBE_TIMEOUT: Duration = Duration::from_secs(1);

/// The settings of a negotiation.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NegotiationConfig {
    /// The only revision to use; `None` to detect it.
    pub(crate) revision: Option<Revision>,
    /// How long to wait for the response to the probe before `initialize` is tried too.
    pub(crate) probe_timeout: Duration,
    /// How long the whole negotiation may take.
    pub(crate) start_timeout: Duration,
}

/// An error of a negotiation.
#[derive(Debug)]
pub(crate) enum NegotiationError {
    /// The server exited during the probe, as some servers do on any request before `initialize`
    /// (modelcontextprotocol/rust-sdk#1142).
    ExitedDuringProbe(ClientError),
    Failed(ClientError),
}

impl From<ClientError> for NegotiationError {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

/// Detects the era, and performs the handshake with a legacy server.
pub(crate) async fn negotiate(
    mux: &Arc<Mux>,
    identity: &Identity,
    config: NegotiationConfig,
) -> Result<ServerInfo, NegotiationError> {
    if let Some(revision) = config.revision.filter(|revision| revision.has_handshake()) {
        let open = mux.open(&identity.initialize_request(revision), "", false)?;
        return Ok(handshake(mux, open, config).await?);
    }
    let is_fixed = config.revision.is_some();
    let meta = identity.meta();
    let mut probe = mux.open(&era::discover_request(), &meta, false)?;
    for is_last in [false, true] {
        let reply = match probe
            .wait(&mut with_timeout(if is_fixed { config.start_timeout } else { config.probe_timeout }))
            .await
        {
            Ok(reply) => reply,
            Err(RequestFailure::Failed(error)) => return Err(NegotiationError::ExitedDuringProbe(error)),
            Err(_) if is_fixed => {
                return Err(timeout_error(mux, method::SERVER_DISCOVER, config.start_timeout).into());
            }
            Err(_) => return race_initialize(mux, identity, probe, config).await,
        };
        match evaluate_probe(&reply, None, &mux.host) {
            ProbeOutcome::Modern(server) => return Ok(*server),
            ProbeOutcome::Retry if !is_last => {
                probe = mux.open(&era::discover_request(), &meta, false)?;
            }
            ProbeOutcome::Failed(error) => return Err(error.into()),
            ProbeOutcome::Retry => break,
            ProbeOutcome::Legacy(_) if is_fixed => break,
            ProbeOutcome::Legacy(revision) => {
                let open = mux.open(&identity.initialize_request(revision), "", false)?;
                return Ok(handshake(mux, open, config).await?);
            }
        }
    }
    let problem = "it does not support the revision 2026-07-28, which was requested";
    Err(mux.host.error(ErrorKind::Protocol, problem, "let the client choose the revision").into())
}

/// Sends `initialize` while the probe is pending, because the server is either legacy or slow. The first conclusive
/// response decides (github/copilot-cli#4525).
async fn race_initialize(
    mux: &Arc<Mux>,
    identity: &Identity,
    mut probe: PendingRequest,
    config: NegotiationConfig,
) -> Result<ServerInfo, NegotiationError> {
    let mut handshake = mux.open(&identity.initialize_request(Revision::NEWEST_LEGACY), "", false)?;
    let (mut first, mut second) = (with_timeout(config.start_timeout), with_timeout(config.start_timeout));
    let mut is_probe_open = true;
    loop {
        tokio::select! {
            reply = probe.wait(&mut first), if is_probe_open => {
                is_probe_open = false;
                if let Ok(reply) = &reply
                    && let ProbeOutcome::Modern(server) = evaluate_probe(reply, None, &mux.host)
                {
                    return Ok(*server);
                }
            }
            reply = handshake.wait(&mut second) => {
                if let Ok(Reply::Error(error)) = &reply
                    && let Some(server) = detect_modern(mux, &parse_rpc_error(error), probe, is_probe_open).await
                {
                    return Ok(server);
                }
                return Ok(finish_handshake(mux, reply, config)?);
            }
        }
    }
}

/// Returns the server if it is modern, after it has rejected `initialize`.
async fn detect_modern(
    mux: &Arc<Mux>,
    error: &toolwright_core::protocol::ErrorObject,
    mut probe: PendingRequest,
    is_open: bool,
) -> Option<ServerInfo> {
    if is_open
        && let Ok(reply) = probe.wait(&mut with_timeout(LATE_PROBE_TIMEOUT)).await
        && let ProbeOutcome::Modern(server) = evaluate_probe(&reply, None, &mux.host)
    {
        return Some(*server);
    }
    is_modern_rejection(error).then(ServerInfo::unknown)
}

async fn handshake(
    mux: &Arc<Mux>,
    mut open: PendingRequest,
    config: NegotiationConfig,
) -> Result<ServerInfo, ClientError> {
    let reply = open.wait(&mut with_timeout(config.start_timeout)).await;
    finish_handshake(mux, reply, config)
}

fn finish_handshake(
    mux: &Arc<Mux>,
    reply: Result<Reply, RequestFailure>,
    config: NegotiationConfig,
) -> Result<ServerInfo, ClientError> {
    match reply {
        Ok(Reply::Result(result)) => {
            let advice = "use a newer client, or a server that supports an official revision";
            let server = ServerInfo::from_initialize(&result)
                .map_err(|problem| mux.host.error(ErrorKind::Protocol, problem, advice))?;
            mux.send(&message::notification(method::INITIALIZED, ""));
            Ok(server)
        }
        Ok(Reply::Error(error)) => {
            let error = parse_rpc_error(&error);
            let problem = format!("it rejected `initialize`: {} ({})", quote(&error.message), error.code);
            Err(mux
                .host
                .error(ErrorKind::Protocol, problem, "check which revisions the server supports")
                .with_rpc(error))
        }
        Err(RequestFailure::Failed(error)) => Err(error),
        Err(_) => Err(timeout_error(mux, "initialize", config.start_timeout)),
    }
}

fn timeout_error(mux: &Mux, method: &str, after: Duration) -> ClientError {
    let stray =
        mux.stray().map(|stray| format!("; it sent `{stray}`, which is not a message")).unwrap_or_default();
    let problem = format!("no response to `{method}` within {after:?}{stray}");
    let advice = "check that it is an MCP server, or raise `start_timeout` if it is slow to start";
    mux.host.error(ErrorKind::Timeout, problem, advice)
}

fn with_timeout(timeout: Duration) -> RequestOptions<'static> {
    RequestOptions::new(timeout, timeout)
}
