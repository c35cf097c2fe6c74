//! Requests, as dispatch takes them, and what it gives for them.

use std::fmt;
use std::sync::{Arc, Weak};

use toolwright_core::protocol::{Era, ErrorObject, Revision};

use super::Connection;
use crate::context::LogLevel;
use crate::future::BoxFuture;
use crate::json_rpc;
use crate::message::{Params, RequestId, RequestMeta};
use crate::reply::{AnswerKind, Reply};
use crate::tool::ToolEntry;
use crate::tool_table::Denied;

/// A request of the peer. Who that is, the connection knows.
#[derive(Debug, Clone, Copy)]
pub(super) struct Request<'a> {
    pub(super) id: &'a RequestId<'a>,
    pub(super) method: &'a str,
    pub(super) params: &'a Params<'a>,
    pub(super) meta: &'a RequestMeta<'a>,
    /// The revision that it is of.
    pub(super) revision: Revision,
    /// The least level of log messages, where the request says so by itself.
    pub(super) log_level: Option<LogLevel>,
    /// The tool that it calls, where its transport has looked that up.
    pub(super) called: Option<&'a CalledTool>,
}

/// A tool that is called, or why its caller cannot.
pub(crate) type CalledTool = Result<Arc<ToolEntry>, Denied>;

/// What a transport knows of a message before the connection reads it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Known<'a> {
    /// The era, where headers say it; else the message does.
    pub(crate) era: Option<Era>,
    /// The tool that it calls, where its transport has looked that up.
    pub(crate) called: Option<&'a CalledTool>,
}

/// What becomes of a request.
#[expect(
    clippy::large_enum_variant,
    reason = "most requests are done at once, and a box would cost each an allocation"
)]
pub(super) enum Dispatched {
    /// It is done.
    Now(Reply),
    /// It goes on.
    Later(LaterReply),
    /// It stays open: a subscription, whose answer is its last message.
    Open,
}

impl From<Reply> for Dispatched {
    #[inline]
    fn from(reply: Reply) -> Self {
        Self::Now(reply)
    }
}

/// A reply that is not there yet; none if the request was cancelled.
pub(super) type LaterReply = BoxFuture<'static, Option<Reply>>;

/// What became of a message.
pub(crate) enum Taken {
    /// There is nothing to send, for now at least.
    Silent,
    /// Its answer was appended.
    Answered(AnswerKind),
    /// Its answer comes later.
    Later(Later),
}

/// An answer that is not there yet; none if the request was cancelled.
pub(crate) type Later = BoxFuture<'static, Option<Answer>>;

/// An answer as it is sent.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) text: Vec<u8>,
    #[cfg_attr(
        not(feature = "http"),
        expect(dead_code, reason = "HTTP alone has a status beside an answer")
    )]
    pub(crate) kind: AnswerKind,
}

impl Answer {
    /// An error, to a request or to what was not understood as one.
    #[cfg(feature = "http")]
    pub(crate) fn error(id: Option<&RequestId<'_>>, error: &ErrorObject, revision: Revision) -> Self {
        let mut text = Vec::new();
        let kind = write_error(&mut text, id, error, revision);
        Self { text, kind }
    }
}

/// Appends an error, to a request or to what was not understood as one.
pub(super) fn write_error(
    out: &mut Vec<u8>,
    id: Option<&RequestId<'_>>,
    error: &ErrorObject,
    revision: Revision,
) -> AnswerKind {
    json_rpc::error(out, id, error, revision);
    AnswerKind::Error { code: error.code, has_id: id.is_some() }
}

/// Writes a reply when it is there, as the answer to the request of this id.
pub(super) fn write_later(
    connection: Weak<Connection>,
    id: RequestId<'static>,
    revision: Revision,
    reply: LaterReply,
) -> Later {
    Box::pin(async move {
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
