//! Pending requests: their options, their time limits, and the slot for the response.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};
use toolwright_core::protocol::ToolResult;

use crate::error::ClientError;
use crate::progress::Progress;
use crate::relay_channel::RelaySender;

/// Maximum number of buffered notifications per request; the oldest are dropped.
const MAX_NOTICES: usize = 256;

/// A response, as JSON.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(String),
    Error(String),
}

/// Maximum size of a buffered notification, in bytes; larger ones are dropped.
const MAX_NOTICE_BYTES: usize = 64 << 10;

/// A notification that belongs to one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Notice {
    Progress(Progress),
    /// A notification of a subscription, with its parameters as JSON.
    Subscription {
        method: String,
        params: String,
    },
}

impl Notice {
    fn size(&self) -> usize {
        match self {
            Self::Progress(progress) => progress.message.as_ref().map_or(0, String::len),
            Self::Subscription { method, params } => method.len() + params.len(),
        }
    }
}

/// The time limits of a request, and the receivers of its notifications.
pub(crate) struct RequestOptions<'a> {
    /// How long to wait for a response; restarted by progress.
    pub(crate) timeout: Duration,
    /// How long to wait in total, with or without progress.
    pub(crate) max_duration: Duration,
    pub(crate) on_notice: Option<&'a mut (dyn FnMut(Notice) + Send)>,
    /// The receiver of input requests and log messages, if the request is relayed.
    pub(crate) relay: Option<RelaySender>,
    /// The destination of the result of a tool call, which is empty as JSON if it was stored here.
    pub(crate) tool_result: Option<&'a mut Option<ToolResult>>,
}

impl RequestOptions<'_> {
    pub(crate) fn new(timeout: Duration, max_duration: Duration) -> Self {
        Self { timeout, max_duration, on_notice: None, relay: None, tool_result: None }
    }
}

/// Why a request has no response.
#[derive(Debug)]
pub(crate) enum RequestFailure {
    /// There was neither a response nor progress for this long.
    TimedOut(Duration),
    /// There was progress, but no response for this long.
    MaxDurationReached(Duration),
    Failed(ClientError),
}

impl From<ClientError> for RequestFailure {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

/// The time limit of a request, extended by progress.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimit {
    timeout: Duration,
    max_duration: Duration,
    idle_end: Instant,
    end: Instant,
}

impl TimeLimit {
    pub(crate) fn new(timeout: Duration, max_duration: Duration) -> Self {
        let now = Instant::now();
        Self { timeout, max_duration, idle_end: now + timeout, end: now + max_duration }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.idle_end.min(self.end)
    }

    pub(crate) fn restart(&mut self) {
        self.idle_end = Instant::now() + self.timeout;
    }

    /// Excludes the time that a user or an authorization server took.
    #[cfg(feature = "http")]
    pub(crate) fn exclude(&mut self, taken: Duration) {
        (self.idle_end, self.end) = (self.idle_end + taken, self.end + taken);
    }

    /// Restarts the timeout at the end of the last input request, since a user may take long to respond. Returns false
    /// if the time is over nonetheless.
    pub(crate) fn extend_for_input(&mut self, last_input: Option<Instant>) -> bool {
        let extended =
            last_input.map(|input| input + self.timeout).filter(|extended| *extended > self.idle_end);
        self.idle_end = extended.unwrap_or(self.idle_end);
        self.deadline() > Instant::now()
    }

    pub(crate) fn failure(&self) -> RequestFailure {
        if self.end <= self.idle_end {
            RequestFailure::MaxDurationReached(self.max_duration)
        } else {
            RequestFailure::TimedOut(self.timeout)
        }
    }
}

/// When the server last waited for an input response.
#[derive(Debug, Default)]
pub(crate) struct PendingInput(Mutex<InputState>);

#[derive(Debug, Default)]
struct InputState {
    open: usize,
    last: Option<Instant>,
}

impl PendingInput {
    fn lock(&self) -> MutexGuard<'_, InputState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) {
        self.lock().open += 1;
    }

    pub(crate) fn end(&self) {
        let mut input = self.lock();
        (input.open, input.last) = (input.open.saturating_sub(1), Some(Instant::now()));
    }

    /// Returns when the last input request ended: now, while one is pending.
    pub(crate) fn last(&self) -> Option<Instant> {
        let input = self.lock();
        if input.open > 0 { Some(Instant::now()) } else { input.last }
    }
}

/// The slot for the response to one request: the reader fills it, the caller takes the response.
#[derive(Debug, Default)]
pub(crate) struct ResponseSlot {
    /// Whether the request is a subscription, whose response is sent when it ends.
    pub(crate) is_subscription: bool,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    reply: Option<Result<Reply, ClientError>>,
    notices: VecDeque<Notice>,
    waker: Option<Waker>,
}

impl ResponseSlot {
    pub(crate) fn new(is_subscription: bool) -> Self {
        Self { is_subscription, state: Mutex::default() }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Completes the request. Only the first response counts.
    pub(crate) fn complete(&self, reply: Result<Reply, ClientError>) {
        let mut state = self.lock();
        state.reply.get_or_insert(reply);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Passes a notification to the caller, and restarts the timeout.
    pub(crate) fn notify(&self, notice: Notice) {
        if notice.size() > MAX_NOTICE_BYTES {
            return;
        }
        let mut state = self.lock();
        if state.notices.len() >= MAX_NOTICES {
            state.notices.pop_front();
        }
        state.notices.push_back(notice);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    fn poll(&self, cx: &mut Context<'_>) -> Poll<SlotEvent> {
        let mut state = self.lock();
        if !state.notices.is_empty() {
            return Poll::Ready(SlotEvent::Notices(std::mem::take(&mut state.notices)));
        }
        if let Some(reply) = state.reply.take() {
            return Poll::Ready(SlotEvent::Reply(reply));
        }
        match &state.waker {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => state.waker = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Waits for the response within the limits of `options`.
    pub(crate) async fn wait(
        &self,
        options: &mut RequestOptions<'_>,
        pending_input: &PendingInput,
    ) -> Result<Reply, RequestFailure> {
        let mut time_limit = TimeLimit::new(options.timeout, options.max_duration);
        let mut timer = pin!(sleep_until(time_limit.deadline()));
        loop {
            let event = poll_fn(|cx| match self.poll(cx) {
                Poll::Ready(event) => Poll::Ready(Some(event)),
                Poll::Pending => timer.as_mut().poll(cx).map(|()| None),
            });
            match event.await {
                Some(SlotEvent::Reply(reply)) => return reply.map_err(RequestFailure::Failed),
                Some(SlotEvent::Notices(notices)) => {
                    time_limit.restart();
                    timer.as_mut().reset(time_limit.deadline());
                    if let Some(on_notice) = &mut options.on_notice {
                        notices.into_iter().for_each(&mut *on_notice);
                    }
                }
                None if time_limit.extend_for_input(pending_input.last()) => {
                    timer.as_mut().reset(time_limit.deadline());
                }
                None => return Err(time_limit.failure()),
            }
        }
    }
}

enum SlotEvent {
    Notices(VecDeque<Notice>),
    Reply(Result<Reply, ClientError>),
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn options(timeout: u64, max_duration: u64) -> RequestOptions<'static> {
        RequestOptions::new(Duration::from_secs(timeout), Duration::from_secs(max_duration))
    }

    fn progress(progress: f64) -> Notice {
        Notice::Progress(Progress { progress, total: None, message: None })
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_request_times_out() {
        let failure =
            ResponseSlot::default().wait(&mut options(60, 600), &PendingInput::default()).await.unwrap_err();
        assert!(matches!(failure, RequestFailure::TimedOut(after) if after.as_secs() == 60));
    }

    #[tokio::test(start_paused = true)]
    async fn progress_restarts_the_timeout_but_not_the_maximum() {
        let slot = Arc::new(ResponseSlot::default());
        let sender = Arc::clone(&slot);
        let sending = tokio::spawn(async move {
            for step in 0..100 {
                tokio::time::sleep(Duration::from_secs(5)).await;
                sender.notify(progress(f64::from(step)));
            }
        });
        let start = Instant::now();
        let failure = slot.wait(&mut options(10, 60), &PendingInput::default()).await.unwrap_err();
        assert!(matches!(failure, RequestFailure::MaxDurationReached(after) if after.as_secs() == 60));
        assert_eq!(start.elapsed().as_secs(), 60);
        sending.abort();
    }

    /// A user may take longer to respond than a server may be silent.
    #[tokio::test(start_paused = true)]
    async fn input_requests_pause_the_timeout_but_not_the_maximum() {
        let pending_input = Arc::new(PendingInput::default());
        let input = Arc::clone(&pending_input);
        pending_input.begin();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(45)).await;
            input.end();
        });
        let start = Instant::now();
        let failure = ResponseSlot::default().wait(&mut options(10, 600), &pending_input).await.unwrap_err();
        assert!(matches!(failure, RequestFailure::TimedOut(_)), "{failure:?}");
        assert_eq!(start.elapsed().as_secs(), 55);
        pending_input.begin();
        let failure = ResponseSlot::default().wait(&mut options(10, 60), &pending_input).await.unwrap_err();
        assert!(matches!(failure, RequestFailure::MaxDurationReached(_)), "{failure:?}");
    }

    #[tokio::test]
    async fn notices_precede_the_response_and_are_bounded() {
        let slot = ResponseSlot::default();
        (0..1000).for_each(|step| slot.notify(progress(f64::from(step))));
        slot.complete(Ok(Reply::Result("{}".into())));
        slot.complete(Ok(Reply::Error("too late".into())));
        let mut seen = Vec::new();
        let mut on_notice = |notice| seen.push(notice);
        let mut options = RequestOptions { on_notice: Some(&mut on_notice), ..options(1, 1) };
        let reply = slot.wait(&mut options, &PendingInput::default()).await.unwrap();
        assert!(matches!(reply, Reply::Result(text) if text == "{}"));
        assert_eq!((seen.len(), seen.last()), (MAX_NOTICES, Some(&progress(999.0))));
    }
}
