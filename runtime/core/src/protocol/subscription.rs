//! Subscriptions to notifications (2026-07-28, basic/patterns/subscriptions), and those to single resources up to
//! 2025-11-25 (2025-11-25, server/resources "Subscriptions").

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

use super::{NotificationMeta, RequestMeta, ResultType};

/// Which notifications a subscription is about (2026-07-28, schema `SubscriptionFilter`).
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
    /// Updates of the resources at these addresses.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub resource_subscriptions: Vec<String>,
    /// Updates of these tasks (SEP-2663).
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub task_ids: Vec<String>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `subscriptions/listen` (2026-07-28, schema `SubscriptionsListenRequestParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListenParams {
    /// What is asked for.
    pub notifications: SubscriptionFilter,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ListenParams {
    /// What is asked for.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, other: Map::new() }
    }
}

/// How a subscription ends; its `_meta` names it (2026-07-28, schema `SubscriptionsListenResult`).
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ListenResult {
    /// Always `complete`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub result_type: Option<ResultType>,
    /// What goes with it.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

/// The parameters of `notifications/subscriptions/acknowledged` (2026-07-28, schema
/// `SubscriptionsAcknowledgedNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct AcknowledgedParams {
    /// What of it the server sends.
    pub notifications: SubscriptionFilter,
    /// What goes with the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl AcknowledgedParams {
    /// What the server sends.
    pub fn new(notifications: SubscriptionFilter) -> Self {
        Self { notifications, meta: None, other: Map::new() }
    }
}

/// The parameters of `resources/subscribe` and `resources/unsubscribe`; up to 2025-11-25.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct SubscribeParams {
    /// The address of the resource.
    pub uri: String,
    /// What goes with the request.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<RequestMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl SubscribeParams {
    /// The resource at this address.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, other: Map::new() }
    }
}

/// The parameters of `notifications/resources/updated` (2026-07-28, schema `ResourceUpdatedNotificationParams`).
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
#[non_exhaustive]
pub struct ResourceUpdatedParams {
    /// The address of the resource, or of one below it.
    pub uri: String,
    /// What goes with the notification.
    #[serde(rename = "_meta", skip_serializing_if = "Option::is_none")]
    pub meta: Option<NotificationMeta>,
    /// Members that this version of Toolwright does not know; kept as they came.
    #[serde(flatten)]
    pub other: Map<String, Value>,
}

impl ResourceUpdatedParams {
    /// The resource at this address.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), meta: None, other: Map::new() }
    }
}
