//! Subscriptions to notifications (2026-07-28, basic/patterns/subscriptions) and, up to 2025-11-25, to single
//! resources (2025-11-25, server/resources "Subscriptions").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NotificationMeta, RequestMeta, ResultType};

/// The notifications that a subscription receives (2026-07-28, schema `SubscriptionFilter`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", default)]
#[non_exhaustive]
pub struct SubscriptionFilter {
    /// List-changed notifications of tools.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub tools_list_changed: bool,
    /// List-changed notifications of prompts.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub prompts_list_changed: bool,
    /// List-changed notifications of resources and resource templates.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub resources_list_changed: bool,
    /// Updates of the resources with these URIs.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_subscriptions: Vec<String>,
    /// Status changes of these tasks (SEP-2663).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_ids: Vec<String>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `subscriptions/listen` (2026-07-28, schema `SubscriptionsListenRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListenParams {
    /// The requested notifications.
    pub notifications: SubscriptionFilter,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ListenParams {
    /// Creates parameters.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, other: Map::new() }
    }
}

/// The result that ends a subscription; its `_meta` has the subscription id (2026-07-28, schema
/// `SubscriptionsListenResult`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListenResult {
    /// Always `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// `_meta`.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `notifications/subscriptions/acknowledged` (2026-07-28, schema
/// `SubscriptionsAcknowledgedNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AcknowledgedParams {
    /// The subset of the requested notifications that the server sends.
    pub notifications: SubscriptionFilter,
    /// `_meta` of the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AcknowledgedParams {
    /// Creates parameters.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, other: Map::new() }
    }
}

/// The parameters of `resources/subscribe` and `resources/unsubscribe`; up to 2025-11-25.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscribeParams {
    /// The URI of the resource.
    pub uri: String,
    /// `_meta` of the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SubscribeParams {
    /// Creates parameters for the resource at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, other: Map::new() }
    }
}

/// The parameters of `notifications/resources/updated` (2026-07-28, schema `ResourceUpdatedNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceUpdatedParams {
    /// The URI of the resource, or of one below it.
    pub uri: String,
    /// `_meta` of the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Unknown members, preserved as received.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceUpdatedParams {
    /// Creates parameters for the resource at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, other: Map::new() }
    }
}
