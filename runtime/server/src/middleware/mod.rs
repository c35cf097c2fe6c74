//! Code around every tool call, prompt and resource read: [`Middleware`], added with
//! [`Server::middleware`](crate::Server::middleware).
//!
//! A middleware receives the invocation with its caller and arguments, runs the rest with [`Next::run`], and
//! receives the outcome. It may reject the request, delay it, or change the result. The first one added is the
//! outermost.
//!
//! ```
//! use std::time::Duration;
//!
//! use toolwright_server::middleware::{AuditLog, Invocation, MaxConcurrency, MaxRate, Next};
//! use toolwright_server::{RateLimit, Server};
//!
//! let service = Server::new(())
//!     .middleware(AuditLog::new(std::io::stderr()))
//!     .middleware(MaxRate::per_tool(RateLimit::new(60, Duration::from_mins(1))))
//!     .middleware(MaxConcurrency::per_tool(8))
//!     .middleware(|invocation: Invocation, next: Next| async move {
//!         if invocation.tool().is_some_and(|tool| tool.name.starts_with("admin_")) {
//!             return invocation.refuse("administration is closed for today; try again tomorrow");
//!         }
//!         next.run(invocation).await
//!     })
//!     .build()?;
//! # let _ = service;
//! # Ok::<(), toolwright_server::BuildError>(())
//! ```
//!
//! # What is covered
//!
//! Admitted requests: the tool exists, the caller may use it, and the caller is within its limits. This includes
//! requests over every transport, by workers, by agents in the same process, and to tools of providers, but not
//! lists, completion and subscriptions. Layers of `tower` around the HTTP service also see requests that are
//! rejected before.
//!
//! A server without middleware has no overhead. With at least one that is [active](Middleware::is_active), each request copies
//! its arguments once.
//!
//! # Dropped requests
//!
//! A request that is cancelled or reaches its deadline is dropped, including the futures of its middleware. A
//! handler that requests input from a client of 2026-07-28 is dropped as well, and runs again with the responses
//! (basic/patterns/mrtr): the middleware then runs again too. [`Next::observe`] reports all of these.
//!
//! # Built in
//!
//! [`MaxConcurrency`] bounds the concurrent calls of a tool, [`MaxRate`] how often a caller calls a tool, and [`AuditLog`] writes
//! a line for each request, without arguments. `Spans` (feature `tracing`) records spans for OpenTelemetry.

mod audit;
mod concurrency;
#[cfg(feature = "tracing")]
mod durations;
mod ending;
mod invocation;
mod rate;
#[cfg(feature = "tracing")]
mod spans;
mod stack;

use std::sync::Arc;

use toolwright_core::future::BoxFuture;

use crate::provider::Outcome;

pub use audit::AuditLog;
pub use concurrency::MaxConcurrency;
pub use ending::Ending;
pub use invocation::{Invocation, InvocationResult, Next};
pub use rate::MaxRate;
#[cfg(feature = "tracing")]
pub use spans::{Spans, TraceContext};
pub(crate) use stack::Stack;

/// Code around requests; see [the module](self).
///
/// A closure with an [`Invocation`] and [`Next`] implements it. Implement it for a type that has its own
/// settings:
///
/// ```
/// use std::sync::atomic::{AtomicUsize, Ordering};
///
/// use toolwright_server::Outcome;
/// use toolwright_server::middleware::{Invocation, InvocationResult, Middleware, Next};
///
/// #[derive(Default)]
/// struct Counter(AtomicUsize);
///
/// impl Middleware for Counter {
///     async fn handle(&self, invocation: Invocation, next: Next) -> Outcome<InvocationResult> {
///         self.0.fetch_add(1, Ordering::Relaxed);
///         next.run(invocation).await
///     }
/// }
///
/// let service = toolwright_server::Server::new(()).middleware(Counter::default()).build()?;
/// # let _ = service;
/// # Ok::<(), toolwright_server::BuildError>(())
/// ```
#[diagnostic::on_unimplemented(
    message = "`{Self}` is not a middleware",
    label = "not a middleware",
    note = "write `|invocation: Invocation, next: Next| async move {{ next.run(invocation).await }}`, or implement `Middleware` for a type; the future must be `Send`"
)]
pub trait Middleware: Send + Sync + 'static {
    /// Handles a request: by running the rest with [`Next::run`] or [`Next::observe`], or by returning another
    /// outcome.
    ///
    /// A result must be of the kind of the request (a [`InvocationResult::Tool`] for a tool call, and so on); any other
    /// becomes an internal error (-32603).
    fn handle(
        &self,
        invocation: Invocation,
        next: Next,
    ) -> impl Future<Output = Outcome<InvocationResult>> + Send;

    /// Returns whether it has anything to do at the moment; `true` by default. It is asked once for each request: if no
    /// middleware of the server is active, the request takes the way of a server without middleware, whose arguments are not
    /// copied. Otherwise it passes through all of them.
    fn is_active(&self) -> bool {
        true
    }
}

#[diagnostic::do_not_recommend]
impl<F, R> Middleware for F
where
    F: Fn(Invocation, Next) -> R + Send + Sync + 'static,
    R: Future<Output = Outcome<InvocationResult>> + Send,
{
    fn handle(
        &self,
        invocation: Invocation,
        next: Next,
    ) -> impl Future<Output = Outcome<InvocationResult>> + Send {
        self(invocation, next)
    }
}

/// An object-safe [`Middleware`].
trait DynMiddleware: Send + Sync {
    fn is_active(&self) -> bool;

    fn handle(
        self: Arc<Self>,
        invocation: Invocation,
        next: Next,
    ) -> BoxFuture<'static, Outcome<InvocationResult>>;
}

impl<M: Middleware> DynMiddleware for M {
    fn is_active(&self) -> bool {
        Middleware::is_active(self)
    }

    fn handle(
        self: Arc<Self>,
        invocation: Invocation,
        next: Next,
    ) -> BoxFuture<'static, Outcome<InvocationResult>> {
        Box::pin(async move { Middleware::handle(&*self, invocation, next).await })
    }
}
