//! `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions) and its predecessor `resources/subscribe`.

use toolwright_core::protocol::ErrorObject;

#[cfg(feature = "tasks")]
use super::tasks::{declares_tasks, undeclared};
use super::{Connection, Dispatched, Request};
use crate::error;
use crate::quotas::What;
use crate::subscriptions::Filter;

impl Connection {
    /// Opens a subscription: the acknowledgment is its first message, and its response is sent when it ends.
    pub(super) fn listen(&self, request: &Request<'_>) -> Result<Dispatched, ErrorObject> {
        let Request { id, params, .. } = *request;
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
            if !declares_tasks(request.meta) {
                return Err(undeclared("`taskIds` belongs to the tasks extension"));
            }
            if filter.task_ids.len() > most {
                return Err(too_many_watched(most));
            }
        }
        #[cfg(feature = "tasks")]
        let followed = self.follow_tasks(request, &mut filter.task_ids)?;
        let features = self.service.features();
        let filter = filter.grant(features.prompts().is_some(), features.resources().is_some());
        if self.is_running(id) {
            return Err(error::invalid_request("a request with this id is still running"));
        }
        let limit = limits.max_subscriptions;
        let mut open = self.peer.subscriptions();
        if open.count() >= limit {
            return Err(error::internal(&format!("{limit} subscriptions are already open; end one first")));
        }
        if open.stored_bytes() + filter.watched_bytes() + id.as_str().len() > limits.max_watched_bytes {
            return Err(too_long_watched(limits.max_watched_bytes));
        }
        let own = limits.per_caller.max_subscriptions;
        let taken = self.caller().take(What::Subscriptions, own).ok_or_else(|| {
            error::internal(&format!("{own} subscriptions of this caller are already open; end one first"))
        })?;
        let watches = filter.resource_subscriptions.iter();
        #[cfg_attr(not(feature = "tasks"), expect(unused_mut, reason = "only tasks are followed"))]
        let mut watches: Vec<_> =
            watches.filter_map(|uri| self.service.begin_watch(uri, self.access())).collect();
        #[cfg(feature = "tasks")]
        watches.extend(followed);
        open.open(id, filter, (taken, watches), &self.peer.outbox)
            .map_err(|fault| error::invalid_request(&format!("invalid id: it {fault}")))?;
        Ok(Dispatched::Open)
    }

    /// Subscribes to a resource (2025-11-25, server/resources "Subscriptions"). Any URI is accepted, since a resource
    /// may appear there later; a URI that is hidden from the caller is accepted as well, but causes no notifications.
    pub(super) fn watch(&self, uri: &str) -> Result<(), ErrorObject> {
        check_length(uri)?;
        let limits = self.service.limits();
        let mut watched = self.peer.session.watched();
        if watched.uris.contains_key(uri) {
            return Ok(());
        }
        if watched.uris.len() >= limits.max_watched_resources {
            return Err(too_many_watched(limits.max_watched_resources));
        }
        if watched.bytes + uri.len() > limits.max_watched_bytes {
            return Err(too_long_watched(limits.max_watched_bytes));
        }
        if self.service.may_watch(uri, self.access()) {
            watched.bytes += uri.len();
            watched.uris.insert(uri.to_owned(), self.service.begin_watch(uri, self.access()));
        }
        Ok(())
    }
}

fn too_long_watched(limit: usize) -> ErrorObject {
    error::internal(&format!(
        "the URIs of all subscribed resources may have at most {limit} bytes; unsubscribe from some first"
    ))
}

/// Rejects a URI that is too long to be stored.
fn check_length(uri: &str) -> Result<(), ErrorObject> {
    const MAX_BYTES: usize = 8 << 10;
    if uri.len() > MAX_BYTES {
        return Err(error::invalid_params(&format!("a subscribed URI may have at most {MAX_BYTES} bytes")));
    }
    Ok(())
}

fn too_many_watched(limit: usize) -> ErrorObject {
    error::internal(&format!("at most {limit} resources may be subscribed to; unsubscribe from one first"))
}
