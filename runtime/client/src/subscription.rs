//! Subscriptions to changes of lists and resources.
//!
//! A modern server sends changes on the stream of a request (2026-07-28, basic/patterns/subscriptions); a legacy server
//! sends them on its own, those of a resource after it was subscribed to (2025-11-25, server/resources
//! "Subscriptions").

use std::collections::BTreeSet;
use std::time::Duration;

use serde_json::{Value, json};
use tokio::sync::{broadcast, mpsc, oneshot};
use tokio::task::AbortHandle;
use tokio::time::sleep;
use toolwright_core::protocol::method;

use crate::client::Client;
use crate::error::{ClientError, ErrorKind};
use crate::event::{Change, Event};
use crate::message::OutgoingRequest;
use crate::pending::{Notice, RequestOptions};

/// Maximum number of buffered changes; a program that falls behind gets [`Change::Missed`].
const MAX_BUFFERED: usize = 256;
/// The first delay before an interrupted subscription is restarted; it doubles up to [`MAX_RETRY_DELAY`].
const RETRY_DELAY: Duration = Duration::from_millis(500);
const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);
/// The time limit of the request of a subscription.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// The changes to subscribe to.
///
/// ```
/// use toolwright_client::Changes;
///
/// let changes = Changes::new().tools().resource("file:///project/config.json");
/// ```
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Changes {
    tools: bool,
    prompts: bool,
    resources: bool,
    uris: BTreeSet<String>,
}

/// A stream of changes. Dropping it ends the subscription.
#[derive(Debug)]
pub struct Subscription {
    source: Source,
    honored: Changes,
}

#[derive(Debug)]
enum Source {
    Modern { changes: mpsc::Receiver<Change>, task: AbortHandle },
    Legacy { events: broadcast::Receiver<Change>, client: Client },
}

impl Changes {
    /// Creates an empty set of changes.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds changes of the list of tools.
    pub fn tools(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Adds changes of the list of prompts.
    pub fn prompts(mut self) -> Self {
        self.prompts = true;
        self
    }

    /// Adds changes of the lists of resources and resource templates.
    pub fn resources(mut self) -> Self {
        self.resources = true;
        self
    }

    /// Adds changes of this resource.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.uris.insert(uri.into());
        self
    }

    /// Returns whether `change` is one of these.
    pub fn contains(&self, change: &Change) -> bool {
        match change {
            Change::Tools => self.tools,
            Change::Prompts => self.prompts,
            Change::Resources => self.resources,
            Change::Resource(uri) => self.uris.contains(uri),
            Change::Missed => true,
        }
    }

    fn to_filter(&self) -> Value {
        let mut filter = serde_json::Map::new();
        for (key, is_wanted) in [
            ("toolsListChanged", self.tools),
            ("promptsListChanged", self.prompts),
            ("resourcesListChanged", self.resources),
        ] {
            if is_wanted {
                filter.insert(key.to_owned(), true.into());
            }
        }
        if !self.uris.is_empty() {
            filter.insert("resourceSubscriptions".to_owned(), json!(self.uris));
        }
        filter.into()
    }

    fn from_filter(filter: &Value) -> Self {
        let is_set = |key: &str| filter[key] == true;
        let uris = filter["resourceSubscriptions"].as_array().into_iter().flatten();
        Self {
            tools: is_set("toolsListChanged"),
            prompts: is_set("promptsListChanged"),
            resources: is_set("resourcesListChanged"),
            uris: uris.filter_map(|uri| uri.as_str().map(str::to_owned)).collect(),
        }
    }
}

impl Client {
    /// Subscribes to changes. Returns after the server has acknowledged the subscription; [`Subscription::honored`] has
    /// the changes that it will send.
    ///
    /// # Errors
    /// If the server rejects the subscription or cannot be reached.
    pub async fn subscribe(&self, changes: Changes) -> Result<Subscription, ClientError> {
        if self.connection().await?.server.revision.has_handshake() {
            self.subscribe_legacy(changes).await
        } else {
            self.subscribe_modern(changes).await
        }
    }

    async fn subscribe_modern(&self, wanted: Changes) -> Result<Subscription, ClientError> {
        let (sender, changes) = mpsc::channel(MAX_BUFFERED);
        let (on_acknowledged, acknowledged) = oneshot::channel();
        let (client, filter) = (self.clone(), wanted.to_filter());
        let task =
            tokio::spawn(async move { client.keep_listening(&filter, &sender, on_acknowledged).await })
                .abort_handle();
        let source = Source::Modern { changes, task };
        let mut subscription = Subscription { source, honored: Changes::new() };
        match tokio::time::timeout(self.shared.connector.spec.request_timeout, acknowledged).await {
            Ok(Ok(Ok(honored))) => {
                subscription.honored = honored;
                Ok(subscription)
            }
            Ok(Ok(Err(error))) => Err(error),
            _ => {
                let problem = "it did not acknowledge `subscriptions/listen` in time";
                Err(self.shared.host.error(ErrorKind::Timeout, problem, "check whether the server hangs"))
            }
        }
    }

    /// Listens for changes, and restarts the stream when it breaks.
    async fn keep_listening(
        &self,
        filter: &Value,
        changes: &mpsc::Sender<Change>,
        on_acknowledged: oneshot::Sender<Result<Changes, ClientError>>,
    ) {
        let mut on_acknowledged = Some(on_acknowledged);
        let mut delay = RETRY_DELAY;
        loop {
            let members = format!(r#""notifications":{filter}"#);
            let outgoing = OutgoingRequest {
                method: method::SUBSCRIPTIONS_LISTEN.into(),
                members: members.into(),
                ..OutgoingRequest::default()
            };
            let mut on_notice = |notice| {
                let Notice::Subscription { method, params } = notice else { return };
                if method == method::SUBSCRIPTIONS_ACKNOWLEDGED {
                    let params: Value = serde_json::from_str(&params).unwrap_or_default();
                    let honored = Changes::from_filter(&params["notifications"]);
                    delay = RETRY_DELAY;
                    match on_acknowledged.take() {
                        Some(sender) => drop(sender.send(Ok(honored))),
                        None => send(changes, Change::Missed),
                    }
                } else if let Some(change) = Change::from_event(&Event::from_notification(&method, &params)) {
                    send(changes, change);
                }
            };
            let on_notice: &mut (dyn FnMut(Notice) + Send) = &mut on_notice;
            let mut options =
                RequestOptions { on_notice: Some(on_notice), ..RequestOptions::new(FOREVER, FOREVER) };
            let outcome = self.send(&outgoing, &mut options).await;
            if let (Err(error), Some(sender)) = (&outcome, on_acknowledged.take()) {
                drop(sender.send(Err(error.clone())));
                return;
            }
            if changes.is_closed() || outcome.is_err_and(|error| error.kind() == ErrorKind::Protocol) {
                return;
            }
            sleep(delay).await;
            delay = (delay * 2).min(MAX_RETRY_DELAY);
        }
    }

    async fn subscribe_legacy(&self, wanted: Changes) -> Result<Subscription, ClientError> {
        let events = self.shared.host.subscribe();
        #[cfg(feature = "http")]
        self.connection().await?.listen().await;
        for uri in &wanted.uris {
            self.request(method::RESOURCES_SUBSCRIBE, json!({"uri": uri})).await?;
        }
        Ok(Subscription { source: Source::Legacy { events, client: self.clone() }, honored: wanted })
    }
}

/// Sends a change. If the buffer is full, the program will get [`Change::Missed`].
fn send(changes: &mpsc::Sender<Change>, change: Change) {
    _ = changes.try_send(change);
}

impl Subscription {
    /// Returns the changes that the server agreed to send. A legacy server does not say.
    pub fn honored(&self) -> &Changes {
        &self.honored
    }

    /// Returns the next change; `None` after the server has ended the subscription.
    pub async fn next(&mut self) -> Option<Change> {
        match &mut self.source {
            Source::Modern { changes, .. } => changes.recv().await,
            Source::Legacy { events, .. } => loop {
                match events.recv().await {
                    Ok(change) if self.honored.contains(&change) => return Some(change),
                    Ok(_) => {}
                    Err(broadcast::error::RecvError::Lagged(_)) => return Some(Change::Missed),
                    Err(broadcast::error::RecvError::Closed) => return None,
                }
            },
        }
    }
}

impl Drop for Subscription {
    fn drop(&mut self) {
        match &self.source {
            Source::Modern { task, .. } => task.abort(),
            Source::Legacy { client, .. } => {
                let (client, uris) = (client.clone(), std::mem::take(&mut self.honored.uris));
                if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                    runtime.spawn(async move {
                        for uri in uris {
                            // Errors are ignored: the server may have ended the subscription.
                            _ = client.request(method::RESOURCES_UNSUBSCRIBE, json!({"uri": uri})).await;
                        }
                    });
                }
            }
        }
    }
}
