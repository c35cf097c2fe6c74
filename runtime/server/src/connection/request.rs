//! Requests and their outcomes, as dispatch handles them.

use std::fmt;
use std::sync::{Arc, Weak};

use toolwright_core::future::{BoxFuture, boxed};
use toolwright_core::protocol::{Era, ErrorObject, Revision};

use super::Connection;
use crate::context::LogLevel;
use crate::json_rpc;
use crate::message::{Params, RequestId, RequestMeta};
use crate::observed::observe;
use crate::reply::{AnswerKind, Reply};
use crate::tool::ToolEntry;
use crate::tool_table::Denied;

/// A request of the peer, which the connection identifies.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) id: &'a RequestId<'a>,
    pub(super) method: &'a str,
    pub(super) params: &'a Params<'a>,
    pub(super) meta: &'a RequestMeta<'a>,
    /// The revision of the request.
    pub(super) revision: Revision,
    /// The minimum level of log messages, if the request sets it.
    pub(super) log_level: Option<LogLevel>,
    /// The called tool, if the transport has already looked it up.
    pub(super) called: Option<&'a CalledTool>,
}

/// A called tool, or why its caller may not call it.
pub(crate) type CalledTool = Result<Arc<ToolEntry>, Denied>;

/// What a transport knows about a message before the connection reads it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// The era, if headers determine it; otherwise the message does.
    pub(crate) era: Option<Era>,
    /// The called tool, if the transport has already looked it up.
    pub(crate) called: Option<&'a CalledTool>,
}

/// The outcome of dispatching a request.
#[expect(
    clippy::large_enum_variant,
    reason = "most requests complete immediately, and a box would cost each of them an allocation"
)]
pub(super) enum Dispatched {
    /// The request has completed.
    Now(Reply),
    /// The request is pending.
    Later(LaterReply),
    /// The request stays open: it is a subscription, whose response is its last message.
    Open,
}

impl From<Reply> for Dispatched {
    #[inline]
    fn from(reply: Reply) -> Self {
        Self::Now(reply)
    }
}

/// A reply that will be available later; `None` if the request was cancelled.
pub(super) type LaterReply = BoxFuture<'static, Option<Reply>>;

/// The outcome of handling a message.
pub(crate) enum Taken {
    /// There is nothing to send, at least for now.
    Silent,
    /// The response was appended.
    Answered(AnswerKind),
    /// The response will follow.
    Later(Later),
}

/// A response that will be available later; `None` if the request was cancelled.
pub(crate) type Later = BoxFuture<'static, Option<Answer>>;

/// A response as it is sent.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: Vec<u8>,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "only HTTP has a status beside the response")
    )]
    pub(crate) kind: AnswerKind,
}

impl Answer {
    /// An error response to a request or an invalid message.
    #[cfg(feature = "http")]
    pub(crate) fn error(id: Option<&RequestId<'_>>, error: &ErrorObject, revision: Revision) -> Self {
        let mut text = Vec::new();
        let kind = write_error(&mut text, id, error, revision);
        Self { text, kind }
    }
}

/// Appends an error response to a request or an invalid message.
pub(super) fn write_error(
    out: &mut Vec<u8>,
    id: Option<&RequestId<'_>>,
    error: &ErrorObject,
    revision: Revision,
) -> AnswerKind {
    observe!(
        DEBUG,
        error.r#type = %error.code,
        rpc.response.status_code = %error.code,
        jsonrpc.request.id = id.map(|id| crate::observed::shorten(id.as_str())),
        "a request was answered with an error"
    );
    json_rpc::error(out, id, error, revision);
    AnswerKind::Error { code: error.code, has_id: id.is_some() }
}

/// Writes a reply once it is available, as the response to the request with this id.
pub(super) fn write_later(
    connection: Weak<Connection>,
    id: RequestId<'static>,
    revision: Revision,
    reply: LaterReply,
) -> Later {
    boxed(move || async move {
        let reply = reply.await?;
        let connection = connection.upgrade()?;
        let mut text = Vec::new();
        let kind = reply.write(&mut text, &id, &connection.form(revision));
        Some(Answer { text, kind })
    })
}

impl fmt::Debug for Taken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Silent => f.write_str("Silent"),
            Self::Answered(kind) => f.debug_tuple("Answered").field(kind).finish(),
            Self::Later(_) => f.write_str("Later"),
        }
    }
}
