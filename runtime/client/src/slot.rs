//! Where the answer to one request arrives.

use std::collections::VecDeque;
use std::future::poll_fn;
use std::pin::pin;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::error::ClientError;
use crate::progress::Progress;
use crate::relay_channel::Relay;

/// How many notices wait for a caller that is not polled; the oldest are dropped.
const MAX_NOTICES: usize = 256;

/// The text of an answer.
#[derive(Debug)]
pub(crate) enum Reply {
    Result(String),
    Error(String),
}

/// The largest notice that waits for a caller, in bytes; a larger one is dropped.
const MAX_NOTICE: usize = 64 << 10;

/// What the server says about one request.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Notice {
    Progress(Progress),
    /// A notification of a subscription, with its parameters as JSON text.
    Subscribed {
        method: String,
        params: String,
    },
}

impl Notice {
    fn size(&self) -> usize {
        match self {
            Self::Progress(progress) => progress.message.as_ref().map_or(0, String::len),
            Self::Subscribed { method, params } => method.len() + params.len(),
        }
    }
}

/// How long a request may take, and who hears what is said about it.
pub(crate) struct Watch<'a> {
    /// How long without an answer; restarted by each progress notification.
    pub(crate) timeout: Duration,
    /// How long at most, whatever comes meanwhile.
    pub(crate) cap: Duration,
    pub(crate) on_notice: Option<&'a mut (dyn FnMut(Notice) + Send)>,
    /// Where the server's questions and log messages go, if the request comes from another program.
    pub(crate) relay: Option<Relay>,
}

/// Why no answer came.
#[derive(Debug)]
pub(crate) enum Unanswered {
    /// Nothing came for so long.
    Silent(Duration),
    /// There was progress, but no end.
    Endless(Duration),
    Failed(ClientError),
}

impl From<ClientError> for Unanswered {
    fn from(error: ClientError) -> Self {
        Self::Failed(error)
    }
}

/// The time limit of a request, which progress extends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeLimit {
    timeout: Duration,
    cap: Duration,
    last: Instant,
    end: Instant,
}

impl TimeLimit {
    pub(crate) fn new(timeout: Duration, cap: Duration) -> Self {
        let now = Instant::now();
        Self { timeout, cap, last: now + timeout, end: now + cap }
    }

    pub(crate) fn deadline(&self) -> Instant {
        self.last.min(self.end)
    }

    pub(crate) fn restart(&mut self) {
        self.last = Instant::now() + self.timeout;
    }

    /// Excludes the time that a user or an authorization server took.
    #[cfg(feature = "http")]
    pub(crate) fn forgive(&mut self, taken: Duration) {
        (self.last, self.end) = (self.last + taken, self.end + taken);
    }

    /// Counts the time from the last question of the server on, whose answer may take a person long; false if the time is
    /// over all the same.
    pub(crate) fn excuse(&mut self, last_asked: Option<Instant>) -> bool {
        let excused = last_asked.map(|asked| asked + self.timeout).filter(|excused| *excused > self.last);
        self.last = excused.unwrap_or(self.last);
        self.deadline() > Instant::now()
    }

    pub(crate) fn passed(&self) -> Unanswered {
        if self.end <= self.last { Unanswered::Endless(self.cap) } else { Unanswered::Silent(self.timeout) }
    }
}

/// When the server last waited for an answer of this side.
#[derive(Debug, Default)]
pub(crate) struct Asking(Mutex<Asked>);

#[derive(Debug, Default)]
struct Asked {
    open: usize,
    last: Option<Instant>,
}

impl Asking {
    fn lock(&self) -> MutexGuard<'_, Asked> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn begin(&self) {
        self.lock().open += 1;
    }

    pub(crate) fn end(&self) {
        let mut asked = self.lock();
        (asked.open, asked.last) = (asked.open.saturating_sub(1), Some(Instant::now()));
    }

    /// Now, while it waits.
    pub(crate) fn last(&self) -> Option<Instant> {
        let asked = self.lock();
        if asked.open > 0 { Some(Instant::now()) } else { asked.last }
    }
}

/// Filled by whoever reads, emptied by whoever waits.
#[derive(Debug, Default)]
pub(crate) struct Slot(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    reply: Option<Result<Reply, ClientError>>,
    notices: VecDeque<Notice>,
    waker: Option<Waker>,
}

impl Slot {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends the wait. The first one to do so decides.
    pub(crate) fn fill(&self, reply: Result<Reply, ClientError>) {
        let mut state = self.lock();
        state.reply.get_or_insert(reply);
        let waker = state.waker.take();
        drop(state);
        waker.into_iter().for_each(Waker::wake);
    }

    /// Restarts the timeout, and tells the caller.
    pub(crate) fn advance(&self, notice: Notice) {
        if notice.size() > MAX_NOTICE {
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

    fn poll(&self, cx: &mut Context<'_>) -> Poll<Event> {
        let mut state = self.lock();
        if !state.notices.is_empty() {
            return Poll::Ready(Event::Notices(std::mem::take(&mut state.notices)));
        }
        if let Some(reply) = state.reply.take() {
            return Poll::Ready(Event::Reply(reply));
        }
        match &state.waker {
            Some(waker) if waker.will_wake(cx.waker()) => {}
            _ => state.waker = Some(cx.waker().clone()),
        }
        Poll::Pending
    }

    /// Waits for the answer, as long as `watch` says.
    pub(crate) async fn wait(&self, watch: &mut Watch<'_>, asking: &Asking) -> Result<Reply, Unanswered> {
        let mut time_limit = TimeLimit::new(watch.timeout, watch.cap);
        let mut timer = pin!(sleep_until(time_limit.deadline()));
        loop {
            let event = poll_fn(|cx| match self.poll(cx) {
                Poll::Ready(event) => Poll::Ready(Some(event)),
                Poll::Pending => timer.as_mut().poll(cx).map(|()| None),
            });
            match event.await {
                Some(Event::Reply(reply)) => return reply.map_err(Unanswered::Failed),
                Some(Event::Notices(notices)) => {
                    time_limit.restart();
                    timer.as_mut().reset(time_limit.deadline());
                    if let Some(on_notice) = &mut watch.on_notice {
                        notices.into_iter().for_each(&mut *on_notice);
                    }
                }
                None if time_limit.excuse(asking.last()) => timer.as_mut().reset(time_limit.deadline()),
                None => return Err(time_limit.passed()),
            }
        }
    }
}

enum Event {
    Notices(VecDeque<Notice>),
    Reply(Result<Reply, ClientError>),
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn watch(timeout: u64, cap: u64) -> Watch<'static> {
        Watch {
            timeout: Duration::from_secs(timeout),
            cap: Duration::from_secs(cap),
            on_notice: None,
            relay: None,
        }
    }

    fn progress(progress: f64) -> Notice {
        Notice::Progress(Progress { progress, total: None, message: None })
    }

    #[tokio::test(start_paused = true)]
    async fn silence_ends_the_wait() {
        let ended = Slot::default().wait(&mut watch(60, 600), &Asking::default()).await.unwrap_err();
        assert!(matches!(ended, Unanswered::Silent(after) if after.as_secs() == 60));
    }

    #[tokio::test(start_paused = true)]
    async fn progress_restarts_the_timeout_but_not_the_cap() {
        let slot = Arc::new(Slot::default());
        let teller = Arc::clone(&slot);
        let telling = tokio::spawn(async move {
            for step in 0..100 {
                tokio::time::sleep(Duration::from_secs(5)).await;
                teller.advance(progress(f64::from(step)));
            }
        });
        let start = Instant::now();
        let ended = slot.wait(&mut watch(10, 60), &Asking::default()).await.unwrap_err();
        assert!(matches!(ended, Unanswered::Endless(after) if after.as_secs() == 60));
        assert_eq!(start.elapsed().as_secs(), 60);
        telling.abort();
    }

    /// A person may think longer than a server may be silent.
    #[tokio::test(start_paused = true)]
    async fn a_question_stops_the_timeout_but_not_the_cap() {
        let asking = Arc::new(Asking::default());
        let asked = Arc::clone(&asking);
        asking.begin();
        tokio::spawn(async move {
            tokio::time::sleep(Duration::from_secs(45)).await;
            asked.end();
        });
        let start = Instant::now();
        let ended = Slot::default().wait(&mut watch(10, 600), &asking).await.unwrap_err();
        assert!(matches!(ended, Unanswered::Silent(_)), "{ended:?}");
        assert_eq!(start.elapsed().as_secs(), 55);
        asking.begin();
        let ended = Slot::default().wait(&mut watch(10, 60), &asking).await.unwrap_err();
        assert!(matches!(ended, Unanswered::Endless(_)), "{ended:?}");
    }

    #[tokio::test]
    async fn notices_come_before_the_answer_and_are_bounded() {
        let slot = Slot::default();
        (0..1000).for_each(|step| slot.advance(progress(f64::from(step))));
        slot.fill(Ok(Reply::Result("{}".into())));
        slot.fill(Ok(Reply::Error("too late".into())));
        let mut seen = Vec::new();
        let mut on_notice = |notice| seen.push(notice);
        let mut watch = Watch { on_notice: Some(&mut on_notice), ..watch(1, 1) };
        let reply = slot.wait(&mut watch, &Asking::default()).await.unwrap();
        assert!(matches!(reply, Reply::Result(text) if text == "{}"));
        assert_eq!((seen.len(), seen.last()), (MAX_NOTICES, Some(&progress(999.0))));
    }
}
