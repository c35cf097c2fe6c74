//! `subscriptions/listen`: notifications that belong to no call (2026-07-28, basic/patterns/subscriptions).

use std::collections::BTreeSet;
use std::sync::{MutexGuard, PoisonError};

use serde::ser::SerializeMap;
use serde::{Deserialize, Serialize, Serializer};
use serde_json::json;
use serde_json::value::RawValue;
use toolwright_core::json::JsonFault;
use toolwright_core::protocol::{ErrorObject, meta, method};
use toolwright_wire::outbox::Outbox;

#[cfg(feature = "tasks")]
use super::tasks::{declares_tasks, undeclared};
use super::{Connection, Later, Session};
use crate::callers::{Taken, What};
use crate::features::Features;
use crate::message::{Params, RequestId, RequestMeta};
#[cfg(feature = "tasks")]
use crate::tasks::{Task, TaskView};
use crate::{error, log, reply};

/// The open subscriptions of a modern peer.
#[derive(Debug, Default)]
pub(super) struct Subscriptions {
    open: Vec<Subscription>,
}

/// The resources that a legacy peer watches.
#[derive(Debug, Default)]
pub(super) struct Watched {
    uris: BTreeSet<String>,
    bytes: usize,
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
    /// The contents of the resource at an address.
    Resource(&'a str),
    /// How far a task has come.
    #[cfg(feature = "tasks")]
    Task(&'a Task),
}

impl Changed<'_> {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => method::TOOLS_LIST_CHANGED,
            Self::Prompts => method::PROMPTS_LIST_CHANGED,
            Self::Resources => method::RESOURCES_LIST_CHANGED,
            Self::Resource(_) => method::RESOURCES_UPDATED,
            #[cfg(feature = "tasks")]
            Self::Task(_) => method::TASKS_NOTIFICATION,
        }
    }

    /// The notification outside a subscription: a list's has no parameters.
    fn legacy_notification(self) -> Result<Vec<u8>, JsonFault> {
        match self {
            Self::Resource(uri) => reply::notification(self.method(), &json!({"uri": uri})),
            _ => Ok(json!({"jsonrpc": "2.0", "method": self.method()}).to_string().into_bytes()),
        }
    }
}

/// What a notification says, and to which subscription it belongs.
#[derive(Serialize)]
struct Word<'a, T> {
    #[serde(flatten)]
    what: T,
    #[serde(rename = "_meta")]
    meta: Belongs<'a>,
}

struct Belongs<'a> {
    /// The id of the request, as the client wrote it.
    subscription: Option<&'a RawValue>,
    /// How many addresses are watched, where an acknowledgment does not repeat them.
    watched: Option<usize>,
}

impl Serialize for Belongs<'_> {
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
    /// What it takes of its caller's share.
    _taken: Taken,
}

/// What a subscription asks for, or, in the acknowledgment, what it gets.
#[derive(Debug, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase", default)]
struct Filter {
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    prompts_list_changed: bool,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    resources_list_changed: bool,
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    resource_subscriptions: BTreeSet<String>,
    #[cfg(feature = "tasks")]
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    task_ids: BTreeSet<String>,
}

impl Filter {
    /// What of it the server has.
    fn granted(mut self, features: &Features) -> Self {
        self.prompts_list_changed &= features.prompts.is_some();
        if features.resources.is_none() {
            self.resources_list_changed = false;
            self.resource_subscriptions.clear();
        }
        self
    }

    /// How many bytes of addresses are watched.
    fn watched_bytes(&self) -> usize {
        self.resource_subscriptions.iter().map(String::len).sum()
    }

    /// What the client is told that it gets. Many addresses are counted and not repeated: the client has sent them, and
    /// whoever sends much must not be sent as much again.
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
        }
    }
}

impl Connection {
    /// Opens a subscription: the acknowledgment is its first message, its answer comes when it ends.
    #[cfg_attr(not(feature = "tasks"), expect(unused_variables, reason = "only tasks look at the metadata"))]
    pub(super) fn listen(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
        meta: &RequestMeta<'_>,
    ) -> Result<Option<Later>, ErrorObject> {
        #[cfg_attr(not(feature = "tasks"), expect(unused_mut, reason = "only task ids are looked up"))]
        let mut filter: Filter = params
            .notifications
            .filter(|filter| filter.get().starts_with('{'))
            .and_then(|filter| serde_json::from_str(filter.get()).ok())
            .ok_or_else(|| {
                error::invalid_params(
                    "`notifications` must be an object such as {\"toolsListChanged\": true}",
                )
            })?;
        let limits = self.service.limits();
        let most = limits.max_watched_resources;
        if filter.resource_subscriptions.len() > most {
            return Err(too_many_watched(most));
        }
        filter.resource_subscriptions.iter().try_for_each(|uri| check_length(uri))?;
        #[cfg(feature = "tasks")]
        if !filter.task_ids.is_empty() {
            if !declares_tasks(meta) {
                return Err(undeclared("`taskIds` is of the extension for tasks"));
            }
            if filter.task_ids.len() > most {
                return Err(too_many_watched(most));
            }
            filter.task_ids.retain(|id| self.listens_to_task(id));
        }
        let filter = filter.granted(self.service.features());
        if self.is_taken(id) {
            return Err(error::invalid_request("a request with this id is still running"));
        }
        let limit = limits.max_subscriptions;
        let mut open = self.subscriptions();
        if open.open.len() >= limit {
            return Err(error::internal(&format!("{limit} subscriptions are open already; end one first")));
        }
        let watched: usize = open.open.iter().map(Subscription::kept_bytes).sum();
        if watched + filter.watched_bytes() + id.as_str().len() > limits.max_watched_bytes {
            return Err(too_long_watched(limits.max_watched_bytes));
        }
        let own = limits.per_caller.max_subscriptions;
        let taken = self.caller().take(What::Subscriptions, own).ok_or_else(|| {
            error::internal(&format!("{own} subscriptions of this caller are open already; end one first"))
        })?;
        let subscription = Subscription { id: id.clone().into_owned(), key: id.key(), filter, _taken: taken };
        let (notifications, watched) = subscription.filter.acknowledgment();
        let meta = Belongs { watched, ..subscription.belongs() };
        let word = Word { what: json!({"notifications": notifications}), meta };
        let acknowledgment = reply::notification(method::SUBSCRIPTIONS_ACKNOWLEDGED, &word)
            .map_err(|fault| error::invalid_request(&format!("the id cannot be repeated: it {fault}")))?;
        self.outbox.push(&acknowledgment);
        open.open.push(subscription);
        Ok(None)
    }

    /// Watches a resource (2025-11-25, server/resources "Subscriptions"). Any address will do, since what is there may come
    /// later; so one that is kept from the caller is answered like others, and nothing comes of it.
    pub(super) fn watch(&self, uri: &str) -> Result<(), ErrorObject> {
        check_length(uri)?;
        let limits = self.service.limits();
        let mut watched = self.session.watched();
        if watched.uris.contains(uri) {
            return Ok(());
        }
        if watched.uris.len() >= limits.max_watched_resources {
            return Err(too_many_watched(limits.max_watched_resources));
        }
        if watched.bytes + uri.len() > limits.max_watched_bytes {
            return Err(too_long_watched(limits.max_watched_bytes));
        }
        if self.may_watch(uri) {
            watched.bytes += uri.len();
            watched.uris.insert(uri.to_owned());
        }
        Ok(())
    }

    /// Whether the peer may be notified of what happens at an address. Asked again for each change, as for each read.
    fn may_watch(&self, uri: &str) -> bool {
        let resources = self.service.features().resources.as_ref();
        resources.is_some_and(|resources| resources.may_watch(uri, self.view()))
    }

    /// Tells the peer of a change, once for the legacy session and once for each subscription that wants it.
    pub(crate) fn changed(&self, changed: Changed<'_>) {
        if let Changed::Resource(uri) = changed {
            let is_watched = self.session.watched().uris.contains(uri) || self.subscriptions().want(changed);
            if !is_watched || !self.may_watch(uri) {
                return;
            }
        }
        let is_wanted = match changed {
            Changed::Resource(uri) => self.session.watched().uris.contains(uri),
            Changed::Tools | Changed::Prompts | Changed::Resources => true,
            #[cfg(feature = "tasks")]
            Changed::Task(_) => false,
        };
        if self.agreed_revision().is_some() && is_wanted {
            let _ = changed.legacy_notification().map(|word| self.outbox.push_once(&word));
        }
        self.subscriptions().changed(changed, &self.outbox);
    }
}

impl Session {
    /// Watches it no more.
    pub(super) fn unwatch(&self, uri: &str) {
        let mut watched = self.watched();
        if watched.uris.remove(uri) {
            watched.bytes -= uri.len();
        }
    }

    fn watched(&self) -> MutexGuard<'_, Watched> {
        self.watched.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Subscriptions {
    pub(super) fn contains(&self, id: &RequestId<'_>) -> bool {
        !self.open.is_empty() && self.open.iter().any(|subscription| *subscription.key == *id.key())
    }

    /// Whether one of them wants word of a change.
    fn want(&self, changed: Changed<'_>) -> bool {
        self.open.iter().any(|subscription| subscription.filter.wants(changed))
    }

    /// Ends a subscription that the client took back: nothing is sent for it any more.
    pub(super) fn remove(&mut self, key: &str) {
        self.open.retain(|subscription| *subscription.key != *key);
    }

    fn changed(&self, changed: Changed<'_>, outbox: &Outbox) {
        for subscription in self.open.iter().filter(|subscription| subscription.filter.wants(changed)) {
            match subscription.word_of(changed) {
                // Each is another one, and a task can change as often as its handler likes.
                #[cfg(feature = "tasks")]
                Ok(word) if matches!(changed, Changed::Task(_)) => outbox.push_if_room(&word),
                Ok(word) => outbox.push_once(&word),
                Err(fault) => {
                    log::warn(format_args!("a change cannot be told by `{}`: it {fault}", changed.method()));
                }
            }
        }
    }

    /// Ends all with their answer ("Graceful Closure").
    pub(super) fn end(&mut self, outbox: &Outbox) {
        for subscription in self.open.drain(..) {
            let mut answer = Vec::new();
            let result = Word { what: json!({"resultType": "complete"}), meta: subscription.belongs() };
            reply::result_of(&mut answer, &subscription.id, &result);
            outbox.push(&answer);
        }
    }
}

impl Subscription {
    /// How many bytes of what the client chose are kept for it.
    fn kept_bytes(&self) -> usize {
        self.filter.watched_bytes() + self.key.len()
    }

    fn word_of(&self, changed: Changed<'_>) -> Result<Vec<u8>, JsonFault> {
        let method = changed.method();
        match changed {
            Changed::Resource(uri) => self.notification(method, json!({"uri": uri})),
            #[cfg(feature = "tasks")]
            Changed::Task(task) => self.notification(method, TaskView::of(task)),
            _ => self.notification(method, json!({})),
        }
    }

    fn notification(&self, method: &str, what: impl Serialize) -> Result<Vec<u8>, JsonFault> {
        reply::notification(method, &Word { what, meta: self.belongs() })
    }

    fn belongs(&self) -> Belongs<'_> {
        Belongs { subscription: serde_json::from_str(self.id.as_str()).ok(), watched: None }
    }
}

fn too_long_watched(limit: usize) -> ErrorObject {
    error::internal(&format!(
        "the addresses watched at once have at most {limit} bytes; stop watching some first"
    ))
}

/// Refuses an address that is too long to be kept: a message may have megabytes.
fn check_length(uri: &str) -> Result<(), ErrorObject> {
    const MAX_BYTES: usize = 8 << 10;
    if uri.len() > MAX_BYTES {
        return Err(error::invalid_params(&format!("a watched address has at most {MAX_BYTES} bytes")));
    }
    Ok(())
}

fn too_many_watched(limit: usize) -> ErrorObject {
    error::internal(&format!("at most {limit} resources are watched at once; stop watching one first"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::{Changed, Filter, Subscription};
    use crate::callers::{Callers, What};
    use crate::message::RequestId;

    #[test]
    fn the_id_of_a_subscription_is_repeated_digit_for_digit() {
        for id in ["12345678901234567890123", "-7", r#""\u00e4\"\n""#] {
            let raw: Box<RawValue> = serde_json::from_str(id).expect("JSON");
            let id_of = || RequestId::new(&raw).expect("an id");
            let subscription = Subscription {
                id: id_of().into_owned(),
                key: id_of().key(),
                filter: Filter::default(),
                _taken: Callers::new(1).nobody().take(What::Subscriptions, 1).expect("room"),
            };
            for word in [
                subscription.word_of(Changed::Tools),
                subscription.word_of(Changed::Resource("a:b\n")),
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
