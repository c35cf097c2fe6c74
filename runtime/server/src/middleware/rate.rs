//! Limits how often callers call tools.

use std::collections::HashMap;
use std::fmt;
use std::time::{Duration, Instant};

use super::{Invocation, InvocationResult, Middleware, Next};
use crate::buckets::{Buckets, Limiter, nanoseconds, too_many};
use crate::limits::RateLimit;
use crate::provider::Outcome;

/// Limits how often one caller may call one tool. Excess calls are rejected immediately, with a message for the model that
/// says when to retry. Prompts and resources are not limited.
///
/// Callers are those of [`CallerLimits`](crate::CallerLimits): the principal of a verified token, or the address of a peer on an
/// open endpoint. All others together count as one, as do all calls without a connection, by workers and by agents in the
/// same process. The server distinguishes [`Limits::max_callers`](crate::Limits::max_callers) callers, 65,536 by default; while
/// that many have something open or a rate that has not recovered, further callers together share the rate of one.
///
/// A call that runs again with input from a client of 2026-07-28 counts each time. Rates are those of one process.
///
/// [`Limits::tool_call_rate`](crate::Limits::tool_call_rate) is one rate for each tool, checked before any middleware runs; this
/// has rates for single tools, and can be placed before or after other middleware. Several of them apply together.
///
/// ```
/// use std::time::Duration;
///
/// use toolwright_server::RateLimit;
/// use toolwright_server::middleware::MaxRate;
///
/// // Each caller may call each tool 60 times per minute, but `export` twice per hour.
/// let rates = MaxRate::per_tool(RateLimit::new(60, Duration::from_mins(1)))
///     .tool("export", RateLimit::new(2, Duration::from_hours(1)));
/// # let _ = toolwright_server::Server::new(()).middleware(rates);
/// ```
pub struct MaxRate {
    each: Option<RateLimit>,
    by_tool: HashMap<String, RateLimit>,
    limiter: Limiter,
    /// The calls without a connection.
    others: Buckets,
    start: Instant,
}

impl MaxRate {
    /// Limits each tool to `rate` per caller.
    pub fn per_tool(rate: RateLimit) -> Self {
        Self { each: Some(rate), ..Self::default() }
    }

    /// Limits the tool `name` to `rate` per caller, overriding the rate for each tool.
    pub fn tool(mut self, name: impl Into<String>, rate: RateLimit) -> Self {
        self.by_tool.insert(name.into(), rate);
        self
    }

    /// Takes a call from the bucket of its caller and tool.
    fn take(&self, invocation: &Invocation, tool: &str, rate: RateLimit) -> Result<(), Duration> {
        match invocation.context().maker() {
            Some(peer) => peer.pace(self.limiter, tool, rate),
            None => self.others.take(self.limiter, tool, rate, nanoseconds(self.start.elapsed())),
        }
    }
}

impl Default for MaxRate {
    /// Limits no tool; add rates with [`MaxRate::tool`].
    fn default() -> Self {
        Self {
            each: None,
            by_tool: HashMap::new(),
            limiter: Limiter::new(),
            others: Buckets::default(),
            start: Instant::now(),
        }
    }
}

impl Middleware for MaxRate {
    async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
        if let Some(tool) = invocation.tool()
            && let Some(rate) = self.by_tool.get(&tool.name).copied().or(self.each)
            && let Err(wait) = self.take(&invocation, &tool.name, rate)
        {
            return invocation.refuse(too_many(&tool.name, wait));
        }
        next.run(invocation).await
    }
}

impl fmt::Debug for MaxRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { each, by_tool, .. } = self;
        f.debug_struct("MaxRate").field("each", each).field("by_tool", by_tool).finish_non_exhaustive()
    }
}
