//! Subscriptions: notifications that do not belong to a call (2026-07-28, basic/patterns/subscriptions).

use std::collections::BTreeSet;

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;
use toolwright_core::json::JsonFault;
use toolwright_core::protocol::{meta, method};
use toolwright_wire::outbox::Outbox;

use crate::json_rpc::ResultType;
use crate::message::RequestId;
use crate::quotas::TakenShare;
#[cfg(feature = "tasks")]
use crate::tasks::{ProviderTaskView, Task, TaskView};
use crate::{json_rpc, log};

/// A subscription to a resource that a provider may have; dropping it unsubscribes.
pub(crate) type Watch = Box<dyn std::fmt::Debug + Send + Sync>;

/// The open subscriptions of a modern peer.
#[derive(Debug, Default)]
pub(crate) struct Subscriptions {
    open: Vec<Subscription>,
}

/// What has changed.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Changed<'a> {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources, or that of resource templates.
    Resources,
    /// The contents of the resource at a URI.
    Resource(&'a str),
    /// The state of a task.
    #[cfg(feature = "tasks")]
    Task(&'a Task),
    /// The state of a provider's task.
    #[cfg(feature = "tasks")]
    ProviderTask(&'a toolwright_core::protocol::Task),
}

impl Changed<'_> {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => method::TOOLS_LIST_CHANGED,
            Self::Prompts => method::PROMPTS_LIST_CHANGED,
            Self::Resources => method::RESOURCES_LIST_CHANGED,
            Self::Resource(_) => method::RESOURCES_UPDATED,
            #[cfg(feature = "tasks")]
            Self::Task(_) | Self::ProviderTask(_) => method::TASKS_NOTIFICATION,
        }
    }

    /// The notification outside of a subscription; those of lists have no parameters.
    pub(crate) fn legacy_notification(self) -> Result<Vec<u8>, JsonFault> {
        match self {
            Self::Resource(uri) => json_rpc::notification(self.method(), &json!({"uri": uri})),
            _ => Ok(json!({"jsonrpc": "2.0", "method": self.method()}).to_string().into_bytes()),
        }
    }
}

/// The parameters of a notification, with the subscription that it belongs to.
#[derive(Serialize)]
struct WithMeta<'a, T> {
    #[serde(flatten)]
    params: T,
    #[serde(rename = "_meta")]
    meta: SubscriptionMeta<'a>,
}

struct SubscriptionMeta<'a> {
    /// The id of the request, as the client wrote it.
    subscription: Option<&'a RawValue>,
    /// The number of subscribed URIs, if an acknowledgment does not repeat them.
    watched: Option<usize>,
}

impl Serialize for SubscriptionMeta<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        members.serialize_entry(meta::SUBSCRIPTION_ID, &self.subscription)?;
        if let Some(watched) = self.watched {
            members.serialize_entry(meta::WATCHED_RESOURCES, &watched)?;
        }
        members.end()
    }
}

#[derive(Debug)]
struct Subscription {
    id: RequestId<'static>,
    key: Box<str>,
    filter: Filter,
    /// The subscription's share of its caller's limits.
    _taken: TakenShare,
    _watches: Vec<Watch>,
}

/// What a subscription requests or, in the acknowledgment, what it gets.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
pub(crate) struct Filter {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resources_list_changed: bool,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) resource_subscriptions: BTreeSet<String>,
    #[cfg(feature = "tasks")]
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub(crate) task_ids: BTreeSet<String>,
}

impl Filter {
    /// Restricts the filter to what the server supports.
    pub(crate) fn grant(mut self, has_prompts: bool, has_resources: bool) -> Self {
        self.prompts_list_changed &= has_prompts;
        if !has_resources {
            self.resources_list_changed = false;
            self.resource_subscriptions.clear();
        }
        self
    }

    /// The total size of subscribed URIs.
    pub(crate) fn watched_bytes(&self) -> usize {
        self.resource_subscriptions.iter().map(String::len).sum()
    }

    /// What the acknowledgment says. Many URIs are counted rather than repeated: the client has sent them, and sending
    /// much must not cause as much to be sent back.
    fn acknowledgment(&self) -> (serde_json::Value, Option<usize>) {
        const MOST_REPEATED_BYTES: usize = 8 << 10;
        let mut notifications = json!(self);
        if self.watched_bytes() <= MOST_REPEATED_BYTES {
            return (notifications, None);
        }
        notifications["resourceSubscriptions"] = json!([]);
        (notifications, Some(self.resource_subscriptions.len()))
    }

    fn wants(&self, changed: Changed<'_>) -> bool {
        match changed {
            Changed::Tools => self.tools_list_changed,
            Changed::Prompts => self.prompts_list_changed,
            Changed::Resources => self.resources_list_changed,
            Changed::Resource(uri) => self.resource_subscriptions.contains(uri),
            #[cfg(feature = "tasks")]
            Changed::Task(task) => self.task_ids.contains(&task.id),
            #[cfg(feature = "tasks")]
            Changed::ProviderTask(task) => self.task_ids.contains(&task.task_id),
        }
    }
}

impl Subscriptions {
    /// The number of open subscriptions.
    pub(crate) fn count(&self) -> usize {
        self.open.len()
    }

    /// The size of stored data that the client chose.
    pub(crate) fn stored_bytes(&self) -> usize {
        self.open.iter().map(Subscription::stored_bytes).sum()
    }

    /// Opens a subscription, and sends its acknowledgment.
    ///
    /// # Errors
    /// The id cannot be repeated.
    pub(crate) fn open(
        &mut self,
        id: &RequestId<'_>,
        filter: Filter,
        (taken, held): (TakenShare, Vec<Watch>),
        outbox: &Outbox,
    ) -> Result<(), JsonFault> {
        let (id, key) = (id.clone().into_owned(), id.key());
        let subscription = Subscription { id, key, filter, _taken: taken, _watches: held };
        let (notifications, watched) = subscription.filter.acknowledgment();
        let meta = SubscriptionMeta { watched, ..subscription.meta() };
        let params = WithMeta { params: json!({"notifications": notifications}), meta };
        outbox.push(&json_rpc::notification(method::SUBSCRIPTIONS_ACKNOWLEDGED, &params)?);
        self.open.push(subscription);
        Ok(())
    }

    pub(crate) fn contains(&self, id: &RequestId<'_>) -> bool {
        !self.open.is_empty() && self.open.iter().any(|subscription| *subscription.key == *id.key())
    }

    /// Whether any subscription matches a change.
    pub(crate) fn want(&self, changed: Changed<'_>) -> bool {
        self.open.iter().any(|subscription| subscription.filter.wants(changed))
    }

    /// Removes a subscription that the client has cancelled: nothing is sent for it any longer.
    pub(crate) fn remove(&mut self, key: &str) {
        self.open.retain(|subscription| *subscription.key != *key);
    }

    /// Notifies the peer once for each matching subscription.
    pub(crate) fn notify(&self, changed: Changed<'_>, outbox: &Outbox) {
        for subscription in self.open.iter().filter(|subscription| subscription.filter.wants(changed)) {
            match subscription.notification_of(changed) {
                // Task notifications differ from each other, and a task can change as often as its handler likes.
                #[cfg(feature = "tasks")]
                Ok(notification) if matches!(changed, Changed::Task(_) | Changed::ProviderTask(_)) => {
                    outbox.push_if_room(&notification);
                }
                Ok(notification) => outbox.push_once(&notification),
                Err(fault) => {
                    log::warn(format_args!("cannot send `{}`: it {fault}", changed.method()));
                }
            }
        }
    }

    /// Ends all subscriptions with their responses ("Graceful Closure").
    pub(crate) fn end(&mut self, outbox: &Outbox) {
        for subscription in self.open.drain(..) {
            let mut answer = Vec::new();
            let result =
                WithMeta { params: json!({"resultType": ResultType::Complete}), meta: subscription.meta() };
            json_rpc::result(&mut answer, &subscription.id, &result);
            outbox.push(&answer);
        }
    }
}

impl Subscription {
    /// The size of stored data that the client chose.
    fn stored_bytes(&self) -> usize {
        self.filter.watched_bytes() + self.key.len()
    }

    fn notification_of(&self, changed: Changed<'_>) -> Result<Vec<u8>, JsonFault> {
        let method = changed.method();
        match changed {
            Changed::Resource(uri) => self.notification(method, json!({"uri": uri})),
            #[cfg(feature = "tasks")]
            Changed::Task(task) => self.notification(method, TaskView::of(task)),
            #[cfg(feature = "tasks")]
            Changed::ProviderTask(task) => self.notification(method, ProviderTaskView::of(task)),
            _ => self.notification(method, json!({})),
        }
    }

    fn notification(&self, method: &str, params: impl Serialize) -> Result<Vec<u8>, JsonFault> {
        json_rpc::notification(method, &WithMeta { params, meta: self.meta() })
    }

    fn meta(&self) -> SubscriptionMeta<'_> {
        SubscriptionMeta { subscription: serde_json::from_str(self.id.as_str()).ok(), watched: None }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::{Changed, Filter, Subscription};
    use crate::message::RequestId;
    use crate::quotas::{Callers, What};

    #[test]
    fn subscription_ids_are_repeated_exactly() {
        for id in ["12345678901234567890123", "-7", r#""\u00e4\"\n""#] {
            let raw: Box<RawValue> = serde_json::from_str(id).expect("JSON");
            let id_of = || RequestId::new(&raw).expect("an id");
            let subscription = Subscription {
                id: id_of().into_owned(),
                key: id_of().key(),
                filter: Filter::default(),
                _taken: Callers::of_at_most(1).anonymous().take(What::Subscriptions, 1).expect("room"),
                _watches: Vec::new(),
            };
            for word in [
                subscription.notification_of(Changed::Tools),
                subscription.notification_of(Changed::Resource("a:b\n")),
                subscription.notification("notifications/x", json!({"y": 1})),
            ] {
                let word = String::from_utf8(word.expect("it can be sent")).expect("text");
                assert!(
                    word.contains(&format!("\"io.modelcontextprotocol/subscriptionId\":{id}}}")),
                    "{word}"
                );
                assert!(!word.contains('\n'), "{word}");
            }
        }
    }
}
