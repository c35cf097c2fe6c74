//! The first exchange with a server over a channel of messages: which era it belongs to.

use std::sync::Arc;
use std::time::Duration;

use toolwright_core::protocol::method;
use toolwright_core::revision::Revision;

use crate::era::{self, Identity, Verdict, is_modern_refusal, judge, rpc_error};
use crate::error::{ClientError, ErrorKind, quoted};
use crate::message;
use crate::mux::{Mux, Open};
use crate::server_info::ServerInfo;
use crate::slot::{Reply, Unanswered, Watch};

/// How long a server that refused `initialize` may take to answer the probe after all.
const LATE: Duration = Duration::from_secs(1);

/// How the era is found out.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Plan {
    /// The revision that is spoken, if it is not to be found out.
    pub(crate) revision: Option<Revision>,
    /// How long the probe waits before `initialize` is attempted too.
    pub(crate) probe: Duration,
    /// How long all of it may take.
    pub(crate) start: Duration,
}

/// Why a server could not be met.
#[derive(Debug)]
pub(crate) enum Unmet {
    /// It ended while the probe was open, as old servers do that know nothing but `initialize` (modelcontextprotocol/rust-sdk#1142).
    DiedOfProbe(ClientError),
    Failed(ClientError),
}

/// Finds out the era, and shakes hands with a legacy server.
pub(crate) async fn meet(mux: &Arc<Mux>, identity: &Identity, plan: Plan) -> Result<ServerInfo, Unmet> {
    if let Some(revision) = plan.revision.filter(|revision| revision.has_handshake()) {
        let open = mux.open(&identity.initialize(revision), "", false).map_err(Unmet::Failed)?;
        return handshake(mux, open, plan).await.map_err(Unmet::Failed);
    }
    let is_fixed = plan.revision.is_some();
    let meta = identity.meta();
    let mut probe = mux.open(&era::discover(), &meta, false).map_err(Unmet::Failed)?;
    for is_last in [false, true] {
        let reply = match probe.wait_on(&mut waiting(if is_fixed { plan.start } else { plan.probe })).await {
            Ok(reply) => reply,
            Err(Unanswered::Failed(error)) => return Err(Unmet::DiedOfProbe(error)),
            Err(_) if is_fixed => {
                return Err(Unmet::Failed(silent(mux, method::SERVER_DISCOVER, plan.start)));
            }
            Err(_) => return both(mux, identity, probe, plan).await,
        };
        match judge(&reply, None, &mux.host) {
            Verdict::Modern(server) => return Ok(*server),
            Verdict::Again if !is_last => {
                probe = mux.open(&era::discover(), &meta, false).map_err(Unmet::Failed)?;
            }
            Verdict::Failed(error) => return Err(Unmet::Failed(error)),
            Verdict::Again => break,
            Verdict::Legacy(_) if is_fixed => break,
            Verdict::Legacy(revision) => {
                let open = mux.open(&identity.initialize(revision), "", false).map_err(Unmet::Failed)?;
                return handshake(mux, open, plan).await.map_err(Unmet::Failed);
            }
        }
    }
    let problem = "it does not speak the revision 2026-07-28, which was asked for";
    Err(Unmet::Failed(mux.host.error(ErrorKind::Protocol, problem, "let the client choose the revision")))
}

/// The probe is not answered yet: the server is old, or slow. Whichever answer comes decides
/// (github/copilot-cli#4525).
async fn both(mux: &Arc<Mux>, identity: &Identity, mut probe: Open, plan: Plan) -> Result<ServerInfo, Unmet> {
    let opened = mux.open(&identity.initialize(Revision::NEWEST_LEGACY), "", false);
    let mut handshake = opened.map_err(Unmet::Failed)?;
    let (mut first, mut second) = (waiting(plan.start), waiting(plan.start));
    let mut is_probe_open = true;
    loop {
        tokio::select! {
            reply = probe.wait_on(&mut first), if is_probe_open => {
                is_probe_open = false;
                if let Ok(reply) = &reply
                    && let Verdict::Modern(server) = judge(reply, None, &mux.host)
                {
                    return Ok(*server);
                }
            }
            reply = handshake.wait_on(&mut second) => {
                if let Ok(Reply::Error(error)) = &reply
                    && let Some(server) = modern_after_all(mux, &rpc_error(error), probe, is_probe_open).await
                {
                    return Ok(server);
                }
                return greeted(mux, reply, plan).map_err(Unmet::Failed);
            }
        }
    }
}

/// The server that refused `initialize`, where it is modern.
async fn modern_after_all(
    mux: &Arc<Mux>,
    error: &toolwright_core::protocol::ErrorObject,
    probe: Open,
    is_open: bool,
) -> Option<ServerInfo> {
    if is_open
        && let Ok(reply) = probe.wait(&mut waiting(LATE)).await
        && let Verdict::Modern(server) = judge(&reply, None, &mux.host)
    {
        return Some(*server);
    }
    is_modern_refusal(error).then(ServerInfo::unknown)
}

async fn handshake(mux: &Arc<Mux>, open: Open, plan: Plan) -> Result<ServerInfo, ClientError> {
    let reply = open.wait(&mut waiting(plan.start)).await;
    greeted(mux, reply, plan)
}

fn greeted(mux: &Arc<Mux>, reply: Result<Reply, Unanswered>, plan: Plan) -> Result<ServerInfo, ClientError> {
    match reply {
        Ok(Reply::Result(result)) => {
            let advice = "use a newer client, or a server of the official revisions";
            let server = ServerInfo::of_handshake(&result)
                .map_err(|problem| mux.host.error(ErrorKind::Protocol, problem, advice))?;
            mux.send(&message::notification(method::INITIALIZED, ""));
            Ok(server)
        }
        Ok(Reply::Error(error)) => {
            let error = rpc_error(&error);
            let problem = format!("it refused `initialize`: {} ({})", quoted(&error.message), error.code);
            Err(mux
                .host
                .error(ErrorKind::Protocol, problem, "see which revisions the server speaks")
                .with_rpc(error))
        }
        Err(Unanswered::Failed(error)) => Err(error),
        Err(_) => Err(silent(mux, "initialize", plan.start)),
    }
}

fn silent(mux: &Mux, method: &str, after: Duration) -> ClientError {
    let stray =
        mux.stray().map(|stray| format!("; it sent `{stray}`, which is not a message")).unwrap_or_default();
    let problem = format!("no answer to `{method}` within {after:?}{stray}");
    let advice = "check that it is an MCP server, or raise `start_timeout` if it is slow to start";
    mux.host.error(ErrorKind::Timeout, problem, advice)
}

fn waiting(timeout: Duration) -> Watch<'static> {
    Watch { timeout, cap: timeout, on_notice: None, relay: None }
}
