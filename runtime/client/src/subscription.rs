//! Changes at a server: of its lists, and of resources.
//!
//! A modern server sends them on the stream of a request (2026-07-28, basic/patterns/subscriptions); a legacy one by itself, those of
//! a resource after it was asked (2025-11-25, server/resources "Subscriptions").

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

/// How many changes wait for a program that does not take them; of more than that, [`Change::Missed`] is what it hears.
const MAX_WAITING: usize = 256;
/// The first pause before a subscription that broke is started again; it doubles up to [`MAX_PAUSE`].
const PAUSE: Duration = Duration::from_millis(500);
const MAX_PAUSE: Duration = Duration::from_secs(30);
/// How long a subscription lasts, for the clocks that requests have.
const FOREVER: Duration = Duration::from_hours(24 * 365);

/// Which changes are of interest.
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

/// Changes as they come; they end when this is dropped.
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
    /// None yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Changes of the list of tools too.
    pub fn tools(mut self) -> Self {
        self.tools = true;
        self
    }

    /// Changes of the list of prompts too.
    pub fn prompts(mut self) -> Self {
        self.prompts = true;
        self
    }

    /// Changes of the lists of resources and of templates too.
    pub fn resources(mut self) -> Self {
        self.resources = true;
        self
    }

    /// Changes of this resource too.
    pub fn resource(mut self, uri: impl Into<String>) -> Self {
        self.uris.insert(uri.into());
        self
    }

    /// Whether a change is one of these.
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
    /// Asks to be told of changes. Returns once the server has agreed; what it agreed to is in [`Subscription::honored`].
    ///
    /// # Errors
    /// Where the server refuses, or cannot be reached.
    pub async fn subscribe(&self, changes: Changes) -> Result<Subscription, ClientError> {
        if self.connection().await?.server.revision.has_handshake() {
            self.listen_legacy(changes).await
        } else {
            self.listen(changes).await
        }
    }

    async fn listen(&self, wanted: Changes) -> Result<Subscription, ClientError> {
        let (sender, changes) = mpsc::channel(MAX_WAITING);
        let (agreed, agreement) = oneshot::channel();
        let (client, filter) = (self.clone(), wanted.to_filter());
        let task =
            tokio::spawn(async move { client.keep_listening(&filter, &sender, agreed).await }).abort_handle();
        let source = Source::Modern { changes, task };
        let mut subscription = Subscription { source, honored: Changes::new() };
        match tokio::time::timeout(self.shared.connector.spec.request_timeout, agreement).await {
            Ok(Ok(Ok(honored))) => {
                subscription.honored = honored;
                Ok(subscription)
            }
            Ok(Ok(Err(error))) => Err(error),
            _ => {
                let problem = "no acknowledgment of `subscriptions/listen` came in time";
                Err(self.shared.host.error(ErrorKind::Timeout, problem, "see whether the server hangs"))
            }
        }
    }

    /// Listens, and listens again whenever the stream breaks.
    async fn keep_listening(
        &self,
        filter: &Value,
        changes: &mpsc::Sender<Change>,
        agreed: oneshot::Sender<Result<Changes, ClientError>>,
    ) {
        let mut agreed = Some(agreed);
        let mut pause = PAUSE;
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
                    pause = PAUSE;
                    match agreed.take() {
                        Some(agreed) => drop(agreed.send(Ok(honored))),
                        None => put(changes, Change::Missed),
                    }
                } else if let Some(change) = Change::from_event(&Event::from_notification(&method, &params)) {
                    put(changes, change);
                }
            };
            let on_notice: &mut (dyn FnMut(Notice) + Send) = &mut on_notice;
            let mut options = RequestOptions {
                timeout: FOREVER,
                max_duration: FOREVER,
                on_notice: Some(on_notice),
                relay: None,
            };
            let outcome = self.send(&outgoing, &mut options).await;
            if let (Err(error), Some(agreed)) = (&outcome, agreed.take()) {
                drop(agreed.send(Err(error.clone())));
                return;
            }
            if changes.is_closed() || outcome.is_err_and(|error| error.kind() == ErrorKind::Protocol) {
                return;
            }
            sleep(pause).await;
            pause = (pause * 2).min(MAX_PAUSE);
        }
    }

    async fn listen_legacy(&self, wanted: Changes) -> Result<Subscription, ClientError> {
        let events = self.shared.host.subscribe();
        #[cfg(feature = "http")]
        self.connection().await?.listen().await;
        for uri in &wanted.uris {
            self.request(method::RESOURCES_SUBSCRIBE, json!({"uri": uri})).await?;
        }
        Ok(Subscription { source: Source::Legacy { events, client: self.clone() }, honored: wanted })
    }
}

/// Hands a change on. Where there is no room, the program is behind and will see that when it takes the next one.
fn put(changes: &mpsc::Sender<Change>, change: Change) {
    _ = changes.try_send(change);
}

impl Subscription {
    /// What the server agreed to tell. A legacy server does not say.
    pub fn honored(&self) -> &Changes {
        &self.honored
    }

    /// The next change; none when the server has ended the subscription.
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
                            // A server that forgot it needs no telling.
                            _ = client.request(method::RESOURCES_UNSUBSCRIBE, json!({"uri": uri})).await;
                        }
                    });
                }
            }
        }
    }
}
