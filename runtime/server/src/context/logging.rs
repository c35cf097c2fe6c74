//! Log messages of a call (2025-11-25, server/utilities/logging).

use serde::Serialize;
use toolwright_core::protocol::{LogLevel, method};

use super::Context;
use crate::peer::Peer;
use crate::{json_rpc, log};

impl Context {
    /// Sends a log message to the caller, if it has requested messages of this level.
    ///
    /// Modern callers set the level per request, legacy ones with `logging/setLevel` (until then they get `info` and
    /// above).
    pub async fn log(&self, level: LogLevel, logger: Option<&str>, data: impl Serialize) {
        let Some(peer) = self.peer() else { return };
        if self.least_level(&peer).is_none_or(|least| level < least) {
            return;
        }
        let written =
            json_rpc::notification(method::MESSAGE, &LogParams { level, logger, data }).or_else(|fault| {
                log::warn(format_args!("cannot send the data of a log message: it {fault}"));
                let data = format!("[the data of this message is invalid: it {fault}]");
                json_rpc::notification(method::MESSAGE, &LogParams { level, logger, data })
            });
        if let Ok(notification) = written {
            peer.send(&notification).await;
        }
    }

    /// Returns the minimum level of log messages that the caller has requested; `None` if it requested none.
    pub fn log_level(&self) -> Option<LogLevel> {
        self.least_level(&*self.peer()?)
    }

    fn least_level(&self, peer: &Peer) -> Option<LogLevel> {
        if self.0.revision.has_request_meta() { self.0.log_level } else { Some(peer.session.log_level()) }
    }
}

#[derive(Serialize)]
struct LogParams<'a, D> {
    level: LogLevel,
    #[serde(skip_serializing_if = "Option::is_none")]
    logger: Option<&'a str>,
    data: D,
}
