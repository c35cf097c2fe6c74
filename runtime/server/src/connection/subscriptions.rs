//! `subscriptions/listen` (2026-07-28, basic/patterns/subscriptions), and `resources/subscribe` before it.

use toolwright_core::protocol::ErrorObject;

#[cfg(feature = "tasks")]
use super::tasks::{declares_tasks, undeclared};
use super::{Connection, Dispatched, Request};
use crate::error;
use crate::quotas::What;
use crate::subscriptions::Filter;

impl Connection {
    /// Opens a subscription: the acknowledgment is its first message, its answer comes when it ends.
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
                return Err(undeclared("`taskIds` is of the extension for tasks"));
            }
            if filter.task_ids.len() > most {
                return Err(too_many_watched(most));
            }
            filter.task_ids.retain(|id| self.listens_to_task(id));
        }
        let features = self.service.features();
        let filter = filter.grant(features.prompts().is_some(), features.resources().is_some());
        if self.is_taken(id) {
            return Err(error::invalid_request("a request with this id is still running"));
        }
        let limit = limits.max_subscriptions;
        let mut open = self.peer.subscriptions();
        if open.count() >= limit {
            return Err(error::internal(&format!("{limit} subscriptions are open already; end one first")));
        }
        if open.kept_bytes() + filter.watched_bytes() + id.as_str().len() > limits.max_watched_bytes {
            return Err(too_long_watched(limits.max_watched_bytes));
        }
        let own = limits.per_caller.max_subscriptions;
        let taken = self.caller().take(What::Subscriptions, own).ok_or_else(|| {
            error::internal(&format!("{own} subscriptions of this caller are open already; end one first"))
        })?;
        let watches = filter.resource_subscriptions.iter();
        let watches = watches.filter_map(|uri| self.service.begin_watch(uri, self.access())).collect();
        open.open(id, filter, (taken, watches), &self.peer.outbox)
            .map_err(|fault| error::invalid_request(&format!("the id cannot be repeated: it {fault}")))?;
        Ok(Dispatched::Open)
    }

    /// Watches a resource (2025-11-25, server/resources "Subscriptions"). Any address will do, since what is there may come
    /// later; so one that is kept from the caller is answered like others, and nothing comes of it.
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
