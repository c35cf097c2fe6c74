//! Events of servers and connections.

use serde::Deserialize;
use serde_json::Value;
use toolwright_core::protocol::method;

/// Maximum length of a resource's URI in a change, in bytes; changes of longer ones are ignored.
const MAX_URI: usize = 8 << 10;

/// An event of a server or of the connection.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Event {
    /// A log message of the server (2026-07-28, server/utilities/logging).
    Log {
        /// The severity, in the levels of Rust's logging crates.
        level: LogLevel,
        /// The level as sent by the server, such as `notice`.
        original: String,
        /// The part of the server that sent the message.
        logger: Option<String>,
        /// The message: a string or any other JSON value.
        data: Value,
    },
    /// The list of tools has changed; [`Client::list_tools`](crate::Client::list_tools) reads the new one.
    ToolsChanged,
    /// The list of prompts has changed.
    PromptsChanged,
    /// The list of resources or of resource templates has changed.
    ResourcesChanged,
    /// A resource has changed.
    ResourceUpdated {
        /// The URI of the resource.
        uri: String,
    },
    /// Any other notification.
    Notification {
        /// The method.
        method: String,
        /// The parameters.
        params: Value,
    },
    /// A line of the server's standard error, which is not necessarily an error.
    Stderr(String),
    /// The server violated the protocol, and the client tolerated it.
    Warning(String),
    /// The connection was lost, with the reason. The next request reconnects.
    Disconnected(String),
}

/// A change at a server.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// The list of tools.
    Tools,
    /// The list of prompts.
    Prompts,
    /// The list of resources or of resource templates.
    Resources,
    /// The resource with this URI.
    Resource(String),
    /// Some changes were missed: the subscription was interrupted, or changes arrived faster than they were consumed.
    /// Anything may have changed.
    Missed,
}

/// The severity of a log message, in the levels of Rust's logging crates.
///
/// `debug` is debug, `info` and `notice` are info, `warning` is warn; `error`, `critical`, `alert` and `emergency` are
/// error. Unknown levels are info.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LogLevel {
    /// Details for debugging.
    Debug,
    /// Normal operation.
    Info,
    /// A potential problem.
    Warn,
    /// A failure.
    Error,
}

impl LogLevel {
    fn from_name(name: &str) -> Self {
        match name {
            "debug" => Self::Debug,
            "warning" => Self::Warn,
            "error" | "critical" | "alert" | "emergency" => Self::Error,
            _ => Self::Info,
        }
    }
}

impl Change {
    /// Returns the change that an event reports, if any.
    pub(crate) fn from_event(event: &Event) -> Option<Self> {
        match event {
            Event::ToolsChanged => Some(Self::Tools),
            Event::PromptsChanged => Some(Self::Prompts),
            Event::ResourcesChanged => Some(Self::Resources),
            Event::ResourceUpdated { uri } if uri.len() <= MAX_URI => Some(Self::Resource(uri.clone())),
            Event::Disconnected(_) => Some(Self::Missed),
            _ => None,
        }
    }
}

impl Event {
    pub(crate) fn from_notification(method: &str, params: &str) -> Self {
        #[derive(Deserialize)]
        struct Log {
            level: String,
            #[serde(default)]
            logger: Option<String>,
            #[serde(default)]
            data: Value,
        }
        #[derive(Deserialize)]
        struct Updated {
            uri: String,
        }
        let other = || Self::Notification {
            method: method.to_owned(),
            params: serde_json::from_str(params).unwrap_or_default(),
        };
        match method {
            method::MESSAGE => match serde_json::from_str::<Log>(params) {
                Ok(Log { level, logger, data }) => {
                    Self::Log { level: LogLevel::from_name(&level), original: level, logger, data }
                }
                Err(_) => other(),
            },
            method::TOOLS_LIST_CHANGED => Self::ToolsChanged,
            method::PROMPTS_LIST_CHANGED => Self::PromptsChanged,
            method::RESOURCES_LIST_CHANGED => Self::ResourcesChanged,
            method::RESOURCES_UPDATED => match serde_json::from_str::<Updated>(params) {
                Ok(Updated { uri }) => Self::ResourceUpdated { uri },
                Err(_) => other(),
            },
            _ => other(),
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn every_level_is_mapped() {
        for (name, expected) in [
            ("debug", LogLevel::Debug),
            ("info", LogLevel::Info),
            ("notice", LogLevel::Info),
            ("warning", LogLevel::Warn),
            ("error", LogLevel::Error),
            ("critical", LogLevel::Error),
            ("alert", LogLevel::Error),
            ("emergency", LogLevel::Error),
            ("fatal", LogLevel::Info),
        ] {
            let params = json!({"level": name, "data": {"a": 1}}).to_string();
            let event = Event::from_notification("notifications/message", &params);
            let Event::Log { level, original, data, .. } = event else { panic!("{event:?}") };
            assert_eq!((level, &*original, data), (expected, name, json!({"a": 1})));
        }
    }

    #[test]
    fn unknown_notifications_are_forwarded_unchanged() {
        for (method, params) in [("vendor/x", r#"{"a":1}"#), ("notifications/message", r#"{"level":7}"#)] {
            let expected = Event::Notification {
                method: method.to_owned(),
                params: serde_json::from_str(params).unwrap(),
            };
            assert_eq!(Event::from_notification(method, params), expected);
        }
    }
}
