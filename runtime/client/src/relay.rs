//! Forwarding of other programs' requests, as a proxy does.

use std::fmt;
use std::future::poll_fn;
use std::pin::Pin;
use std::task::Poll;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use tokio::sync::mpsc;
use toolwright_core::json::Members;
use toolwright_core::protocol::method;

use crate::client::Client;
use crate::error::ClientError;
use crate::message::{OutgoingRequest, push_string};
use crate::pending::{Notice, RequestOptions};
use crate::relay_channel::{MAX_EVENTS, RelayEvent, RelayResult, RelaySender};
use crate::requests::mcp_name;

/// A request to forward, built by [`Client::relay`].
#[must_use = "nothing is sent before `start`"]
pub struct RelayRequest {
    client: Client,
    method: &'static str,
    params: Result<String, ClientError>,
    meta: Map<String, Value>,
    capabilities: Map<String, Value>,
    log_level: Option<String>,
}

/// A forwarded request. Dropping it cancels the request at the server.
pub struct PendingRelay {
    /// `None` after the request has completed.
    request: Option<Pin<Box<dyn Future<Output = RelayResult> + Send>>>,
    events: mpsc::Receiver<RelayEvent>,
    result: Option<RelayResult>,
}

impl Client {
    /// Forwards a request of another program. `params` must serialize to a JSON object, which is sent unchanged. The
    /// sender of the request responds to input requests, not the handlers of this client, which should have been built
    /// with [`ClientBuilder::relay_input_requests`](crate::ClientBuilder::relay_input_requests).
    ///
    /// An input request of a server of 2025-11-25 or earlier does not say which request it belongs to, except over
    /// Streamable HTTP, where it arrives on the stream of the request. Over other transports, input requests are
    /// rejected while several requests are pending, so that nobody is asked about another caller's request; log
    /// messages are dropped. Set [`ServerSpec::max_concurrency`](crate::config::ServerSpec::max_concurrency) to 1 for
    /// such a server.
    pub fn relay(&self, method: &'static str, params: impl Serialize) -> RelayRequest {
        RelayRequest {
            client: self.clone(),
            method,
            params: self.members(&params),
            meta: Map::new(),
            capabilities: Map::new(),
            log_level: None,
        }
    }
}

impl RelayRequest {
    /// Sets additional members of `_meta`, such as a trace context.
    pub fn meta(mut self, meta: Map<String, Value>) -> Self {
        self.meta = meta;
        self
    }

    /// Sets the capabilities of the sender (2026-07-28, schema `ClientCapabilities`). Servers of earlier revisions
    /// received the client's capabilities when it connected.
    pub fn capabilities(mut self, capabilities: Map<String, Value>) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Sets the minimum level of log messages of a server of 2026-07-28. By default, it sends none.
    pub fn log_level(mut self, level: impl Into<String>) -> Self {
        self.log_level = Some(level.into());
        self
    }

    /// Returns the request, which is sent when [`PendingRelay::next`] is first awaited.
    pub fn start(self) -> PendingRelay {
        let (sender, events) = mpsc::channel(MAX_EVENTS);
        PendingRelay { request: Some(Box::pin(self.send(sender))), events, result: None }
    }

    async fn send(self, events: RelaySender) -> RelayResult {
        let Self { client, method, params, meta, capabilities, log_level } = self;
        let params = params?;
        let connection = client.connection().await?;
        let revision = connection.server.revision;
        let own_meta = revision.has_request_meta().then(|| {
            let identity = &client.shared.connector.identity;
            identity.meta_for(&capabilities, log_level.as_deref())
        });
        drop(connection);
        let name = mcp_name(method, &params);
        let tool = name.clone().filter(|_| method == method::TOOLS_CALL);
        let arguments = || Members::without_braces(&params).value_of("arguments").unwrap_or("{}");
        // The headers that repeat arguments of a call.
        let headers = || tool.as_ref().map(|tool| client.param_headers(tool, arguments)).unwrap_or_default();
        let mut outgoing = OutgoingRequest {
            method: method.into(),
            name: name.map(Into::into),
            headers: headers(),
            members: params.as_str().into(),
            meta: to_members(&meta).into(),
            era_meta: own_meta.map(Into::into),
            wants_progress: true,
            is_idempotent: false,
        };
        let progress = events.clone();
        let mut on_notice = move |notice| {
            if let Notice::Progress(report) = notice {
                _ = progress.try_send(RelayEvent::Progress(report));
            }
        };
        let mut options = RequestOptions {
            on_notice: Some(&mut on_notice),
            relay: Some(events),
            ..client.default_options()
        };
        let mut outcome = client.send(&outgoing, &mut options).await;
        if client.read_headers_again(&outcome).await? {
            outgoing.headers = headers();
            outcome = client.send(&outgoing, &mut options).await;
        }
        let result = RawValue::from_string(outcome?);
        let result = result
            .map_err(|error| client.protocol_error(format!("its result is not valid JSON: {error}")))?;
        Ok((revision, result))
    }
}

fn to_members(meta: &Map<String, Value>) -> String {
    let mut members = Vec::new();
    for (key, value) in meta {
        if !members.is_empty() {
            members.push(b',');
        }
        push_string(&mut members, key);
        members.push(b':');
        members.extend_from_slice(value.to_string().as_bytes());
    }
    // Only valid UTF-8 was written.
    String::from_utf8(members).unwrap_or_default()
}

impl PendingRelay {
    /// Returns the next event. After [`RelayEvent::Done`], it waits forever.
    pub async fn next(&mut self) -> RelayEvent {
        poll_fn(|cx| {
            if let (None, Some(request)) = (&self.result, &mut self.request)
                && let Poll::Ready(result) = request.as_mut().poll(cx)
            {
                (self.result, self.request) = (Some(result), None);
            }
            // Buffered events precede the result.
            if let Poll::Ready(Some(event)) = self.events.poll_recv(cx) {
                return Poll::Ready(event);
            }
            self.result.take().map_or(Poll::Pending, |result| Poll::Ready(RelayEvent::Done(result)))
        })
        .await
    }
}

impl fmt::Debug for RelayRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RelayRequest").field("method", &self.method).finish_non_exhaustive()
    }
}

impl fmt::Debug for PendingRelay {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PendingRelay").field("is_open", &self.request.is_some()).finish_non_exhaustive()
    }
}
