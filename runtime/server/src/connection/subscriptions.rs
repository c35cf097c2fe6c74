//! `subscriptions/listen`: notifications that belong to no call (2026-07-28, basic/patterns/subscriptions).

use jsonrpsee_types::ErrorObjectOwned;
use serde::{Deserialize, Serialize};
use serde_json::json;
use serde_json::value::RawValue;

use super::{Connection, Later};
use crate::error;
use crate::message::{Params, RequestId};
use crate::outbox::Outbox;
use crate::reply;

/// The open subscriptions of one connection.
#[derive(Debug, Default)]
pub(super) struct Subscriptions(Vec<Subscription>);

#[derive(Debug)]
struct Subscription {
    id: RequestId<'static>,
    key: Box<str>,
    filter: Filter,
}

/// What a subscription asks for, or, in the acknowledgment, what it gets. This server has tools only.
#[derive(Debug, Clone, Copy, Default, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
struct Filter {
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    tools_list_changed: bool,
}

const ID_KEY: &str = "io.modelcontextprotocol/subscriptionId";

impl Connection {
    /// Opens a subscription: the acknowledgment is its first message, its answer comes when it ends.
    pub(super) fn listen(
        &self,
        id: &RequestId<'_>,
        params: &Params<'_>,
    ) -> Result<Option<Later>, ErrorObjectOwned> {
        let filter: Filter = params
            .notifications
            .filter(|filter| filter.get().starts_with('{'))
            .and_then(|filter| serde_json::from_str(filter.get()).ok())
            .ok_or_else(|| {
                error::invalid_params(
                    "`notifications` must be an object such as {\"toolsListChanged\": true}",
                )
            })?;
        if self.is_taken(id) {
            return Err(error::invalid_request("a request with this id is still running"));
        }
        let limit = self.service.limits().max_subscriptions;
        let mut open = self.subscriptions();
        if open.0.len() >= limit {
            return Err(error::internal(&format!("{limit} subscriptions are open already; end one first")));
        }
        let subscription = Subscription { id: id.clone().into_owned(), key: id.key(), filter };
        subscription.notify(
            &self.outbox,
            "notifications/subscriptions/acknowledged",
            &json!({"notifications": filter}),
        );
        open.0.push(subscription);
        Ok(None)
    }
}

impl Subscriptions {
    pub(super) fn contains(&self, id: &RequestId<'_>) -> bool {
        !self.0.is_empty() && self.0.iter().any(|subscription| *subscription.key == *id.key())
    }

    /// Ends a subscription that the client took back: nothing is sent for it any more.
    pub(super) fn remove(&mut self, key: &str) {
        self.0.retain(|subscription| *subscription.key != *key);
    }

    pub(super) fn tools_changed(&self, outbox: &Outbox) {
        for subscription in self.0.iter().filter(|subscription| subscription.filter.tools_list_changed) {
            subscription.notify(outbox, "notifications/tools/list_changed", &json!({}));
        }
    }

    /// Ends all with their answer ("Graceful Closure").
    pub(super) fn end(&mut self, outbox: &Outbox) {
        for subscription in self.0.drain(..) {
            let mut answer = Vec::new();
            let result = json!({"resultType": "complete", "_meta": {ID_KEY: subscription.id_value()}});
            reply::result_of(&mut answer, &subscription.id, &result);
            outbox.push(&answer);
        }
    }
}

impl Subscription {
    fn notify(&self, outbox: &Outbox, method: &str, params: &serde_json::Value) {
        let mut params = params.clone();
        if let Some(params) = params.as_object_mut() {
            params.insert("_meta".to_owned(), json!({ID_KEY: self.id_value()}));
        }
        outbox.push(&reply::notification(method, &params));
    }

    fn id_value(&self) -> Option<Box<RawValue>> {
        serde_json::from_str(self.id.as_str()).ok()
    }
}
