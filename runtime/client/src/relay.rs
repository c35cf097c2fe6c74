//! Forwarding of other programs' requests, as a proxy does.

use std::borrow::Cow;
use std::fmt;
use std::future::poll_fn;
use std::task::Poll;

use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::future::{BoxFuture, boxed};
use toolwright_core::json::{JsonFault, MAX_VALUE_DEPTH, Member, Members, TidyObject, tidy};
use toolwright_core::protocol::{meta, method};

use crate::client::Client;
use crate::error::ClientError;
use crate::message::OutgoingRequest;
use crate::pending::{Notice, RequestOptions};
use crate::relay_channel::{RelayEvent, RelayReceiver, RelayResult, RelaySender};
use crate::requests::mcp_name;

/// A request to forward, built by [`Client::relay`].
#[must_use = "nothing is sent before `start`"]
pub struct RelayRequest {
    client: Client,
    method: &'static str,
    params: Result<String, ClientError>,
    /// Additional members of `_meta`, as JSON without braces.
    meta: String,
    /// The capabilities of the sender, as JSON.
    capabilities: String,
    log_level: Option<String>,
}

/// A forwarded request. Dropping it cancels the request at the server.
pub struct PendingRelay {
    /// `None` after the request has completed.
    request: Option<BoxFuture<'static, RelayResult>>,
    events: RelayReceiver,
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
            meta: String::new(),
            capabilities: "{}".to_owned(),
            log_level: None,
        }
    }
}

impl RelayRequest {
    /// Forwards `_meta` of the sender's request: the members that the protocol does not reserve, such as a trace context, and
    /// the capabilities that it declares. Of members with the same name, the last one is forwarded; nothing is if not every
    /// server could parse one of these members.
    pub fn meta(mut self, meta: &RawValue) -> Self {
        let mut forwarded: Vec<(Cow<'_, str>, Member<'_>)> = Vec::new();
        for member in object_members(meta.get()) {
            let name = member.name();
            let is_capabilities = name == meta::CLIENT_CAPABILITIES && member.value.starts_with('{');
            if !is_capabilities && meta::is_reserved(&name) {
                continue;
            }
            match forwarded.iter_mut().find(|(known, _)| *known == name) {
                Some((_, earlier)) => *earlier = member,
                None => forwarded.push((name, member)),
            }
        }
        let read = forwarded
            .into_iter()
            .map(|(name, member)| Some((name, readable(member.quoted_name)?, readable(member.value)?)));
        let Some(members) = read.collect::<Option<Vec<_>>>() else { return self };
        for (name, quoted_name, value) in members {
            if name == meta::CLIENT_CAPABILITIES {
                self.capabilities = value.into_owned();
                continue;
            }
            if !self.meta.is_empty() {
                self.meta.push(',');
            }
            self.meta.extend([&quoted_name, ":", &value]);
        }
        self
    }

    /// Sets the capabilities of the sender (2026-07-28, schema `ClientCapabilities`). Servers of earlier revisions
    /// received the client's capabilities when it connected.
    pub fn capabilities(mut self, capabilities: &Map<String, Value>) -> Self {
        self.capabilities = serde_json::to_string(capabilities).unwrap_or_default();
        self
    }

    /// Declares to the server that the sender does not support an extension, such as that for tasks.
    pub fn without_extension(self, extension: &str) -> Self {
        // A name may be written with escapes.
        if !self.capabilities.contains(extension) && !self.capabilities.contains('\\') {
            return self;
        }
        let mut capabilities: Map<String, Value> =
            serde_json::from_str(&self.capabilities).unwrap_or_default();
        if let Some(Value::Object(extensions)) = capabilities.get_mut("extensions") {
            extensions.shift_remove(extension);
        }
        self.capabilities(&capabilities)
    }

    /// Sets the minimum level of log messages of a server of 2026-07-28. By default, it sends none.
    pub fn log_level(mut self, level: impl Into<String>) -> Self {
        self.log_level = Some(level.into());
        self
    }

    /// Returns the request, which is sent when [`PendingRelay::next`] is first awaited.
    pub fn start(self) -> PendingRelay {
        let events = RelayReceiver::default();
        let sender = events.sender();
        PendingRelay { request: Some(boxed(move || self.send(sender))), events, result: None }
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
            name,
            headers: headers(),
            members: params.as_str().into(),
            meta: meta.into(),
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
        let result = TidyObject::parse(outcome?);
        let result = result.map_err(|fault| client.protocol_error(format!("its result {fault}")))?;
        Ok((revision, result))
    }
}

/// Returns valid JSON on one line, without members that have the name of a later one; `None` if not every server could parse it.
fn readable(json: &str) -> Option<Cow<'_, str>> {
    match tidy(json, MAX_VALUE_DEPTH - 1) {
        Ok(json) => Some(json),
        Err(JsonFault::DuplicateName(_)) => {
            serde_json::from_str::<Value>(json).ok().map(|value| value.to_string().into())
        }
        Err(_) => None,
    }
}

/// Returns the members of the text of an object, which is valid JSON; none of any other text.
fn object_members(text: &str) -> Members<'_> {
    let text = text.trim_ascii();
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}'));
    Members::without_braces(inner.unwrap_or_default())
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
            if let Poll::Ready(event) = self.events.poll_next(cx) {
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

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::RelayRequest;
    use crate::Client;

    fn relay(meta: &str) -> RelayRequest {
        let client = Client::builder().connect_lazy("http://127.0.0.1:9/");
        client.relay("tools/call", ()).meta(serde_json::from_str::<&RawValue>(meta).unwrap())
    }

    #[tokio::test]
    async fn meta_is_forwarded_without_what_is_reserved() {
        let capabilities = "io.modelcontextprotocol/clientCapabilities";
        for (given, meta, declared) in [
            ("{}", "", "{}"),
            (r#"{"a": 1.50 , "b" :[{}]}"#, r#""a":1.50,"b":[{}]"#, "{}"),
            (r#"{"progressToken":1,"io.modelcontextprotocol/x":2,"a":3}"#, r#""a":3"#, "{}"),
            (r#"{"io.modelcontextprotocol\/x":2,"\u0061":3}"#, r#""\u0061":3"#, "{}"),
            (&format!(r#"{{"{capabilities}":{{"sampling":{{}}}},"a":1}}"#), r#""a":1"#, r#"{"sampling":{}}"#),
            (&format!(r#"{{"{capabilities}":7}}"#), "", "{}"),
            (r#"{"a":1,"b":2,"a":3}"#, r#""a":3,"b":2"#, "{}"),
            ("{\"a\":\n[1,\r\n2]}", r#""a":[1,2]"#, "{}"),
            (r#"{"a":"\ud800","b":1}"#, "", "{}"),
            (r#"{"\ud800":1,"b":1}"#, "", "{}"),
            (r#"{"io.modelcontextprotocol/x":"\ud800","b":{"c":1,"c":2}}"#, r#""b":{"c":2}"#, "{}"),
            ("7", "", "{}"),
            (&format!(r#"{{"a":{}{}}}"#, "[".repeat(120), "]".repeat(120)), "", "{}"),
        ] {
            let relay = relay(given);
            assert_eq!((relay.meta.as_str(), relay.capabilities.as_str()), (meta, declared), "{given}");
        }
    }

    #[tokio::test]
    async fn an_extension_is_removed_however_it_is_written() {
        let meta = |extensions: &str| {
            format!(
                r#"{{"io.modelcontextprotocol/clientCapabilities":{{"extensions":{extensions},"roots":{{}}}}}}"#
            )
        };
        for (extensions, left) in [
            (r#"{"a/x":{},"a/tasks":{}}"#, r#"{"a/x":{}}"#),
            (r#"{"a\/tasks":{}}"#, "{}"),
            (r#"{"a/x":{}}"#, r#"{"a/x":{}}"#),
            ("7", "7"),
        ] {
            let relay = relay(&meta(extensions)).without_extension("a/tasks");
            assert_eq!(relay.capabilities, format!(r#"{{"extensions":{left},"roots":{{}}}}"#));
        }
    }
}
