//! Forwarded requests, which end with a result or pause for an input request.
//!
//! A server of 2025-11-25 or earlier sends elicitation requests during a call and waits. If the client uses such
//! a revision too, the request is forwarded and the call goes on. A client of 2026-07-28 cannot receive
//! requests: its call ends with an input request, and it repeats the call with the response. Until then, the
//! upstream call is paused here, within limits.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use tokio::time::sleep;
use toolwright_client::{ClientError, PendingRelay, RelayEvent, RelayedInputRequest};
use toolwright_core::json::TidyObject;
use toolwright_core::protocol::{ErrorObject, Revision, error, method};
use toolwright_server::auth::Access;
use toolwright_server::input_requests::InputRequest;
use toolwright_server::{Context, InputRequestError, InputResponses};

/// Maximum number of paused calls per proxy.
pub const MAX_WAITING: usize = 256;
/// Maximum number of paused calls per principal.
pub const MAX_WAITING_PER_CALLER: usize = 16;
/// How long a call is paused before it is cancelled upstream: 5 minutes.
pub const INPUT_TIMEOUT: Duration = Duration::from_mins(5);
/// Maximum number of input requests per call; further ones are rejected.
const MAX_INPUT_REQUESTS: usize = 64;

/// A forwarded request.
pub(crate) struct Conversation {
    relay: PendingRelay,
    /// The number of input requests so far.
    input_requests: usize,
    /// The pending input request, and its key.
    open: Option<(String, RelayedInputRequest)>,
}

/// The state in which a conversation stops.
pub(crate) enum Stop {
    /// The client must respond, in another request.
    InputRequired(Box<Conversation>, String, InputRequest),
    Done(Result<(Revision, TidyObject), ClientError>),
}

impl Conversation {
    pub(crate) fn new(relay: PendingRelay) -> Self {
        Self { relay, input_requests: 0, open: None }
    }

    /// Runs until the end, or until the client must respond.
    pub(crate) async fn advance(mut self: Box<Self>, cx: &Context) -> Stop {
        loop {
            let event = match self.relay.next().await {
                RelayEvent::Done(answer) => return Stop::Done(answer),
                event => event,
            };
            // In a future of its own, so that calls without such events need no memory for it.
            if let Some((key, request)) = Box::pin(self.handle(event, cx)).await {
                return Stop::InputRequired(self, key, request);
            }
        }
    }

    /// Forwards an event before the result. Returns the input request, with its key, that the client can only answer in another
    /// request.
    async fn handle(&mut self, event: RelayEvent, cx: &Context) -> Option<(String, InputRequest)> {
        match event {
            RelayEvent::Progress(report) => {
                cx.progress(report.progress, report.total, report.message.as_deref()).await;
            }
            RelayEvent::Log(message) => {
                cx.log(message.level, message.logger.as_deref(), message.data).await;
            }
            RelayEvent::InputRequest(mut pending) => {
                self.input_requests += 1;
                let request = InputRequest::new(pending.method.as_str(), std::mem::take(&mut pending.params));
                let key = format!("{}-{}", request.method, self.input_requests);
                if self.input_requests > MAX_INPUT_REQUESTS {
                    pending.reject(error::internal("this call has sent too many input requests"));
                } else if !can_answer(cx, &request) {
                    pending.reject(error::method_not_found(&request.method));
                } else if !cx.revision().has_server_requests() {
                    self.open = Some((key.clone(), pending));
                    return Some((key, request));
                } else {
                    match cx.request_input(&key, &request).await {
                        Ok(response) => pending.respond(response),
                        Err(InputRequestError::Refused { code, message }) => {
                            pending.reject(ErrorObject::new(code, message));
                        }
                        Err(problem) => pending.reject(error::internal(&problem.to_string())),
                    }
                }
            }
            _ => {}
        }
        None
    }
}

/// Returns whether the client declared the capability for this input request.
fn can_answer(cx: &Context, request: &InputRequest) -> bool {
    let (client, params) = (cx.client(), &request.params);
    match request.method.as_str() {
        method::ELICITATION_CREATE if params.get("mode").is_some_and(|mode| mode == "url") => {
            client.can_elicit_url()
        }
        method::ELICITATION_CREATE => client.can_elicit_form(),
        method::SAMPLING_CREATE_MESSAGE if params.get("tools").or(params.get("toolChoice")).is_some() => {
            client.can_sample_with_tools()
        }
        method::SAMPLING_CREATE_MESSAGE => client.can_sample(),
        method::ROOTS_LIST => client.can_list_roots(),
        _ => false,
    }
}

/// The paused conversations.
#[derive(Default)]
pub(crate) struct Conversations {
    waiting: Mutex<HashMap<String, Waiting>>,
    last: AtomicU64,
    /// Distinguishes the ids of one proxy from those of another.
    epoch: RandomState,
}

struct Waiting {
    conversation: Box<Conversation>,
    caller: Option<String>,
}

impl Conversations {
    fn waiting(&self) -> MutexGuard<'_, HashMap<String, Waiting>> {
        self.waiting.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Stores a conversation for [`INPUT_TIMEOUT`], and returns its id.
    pub(crate) fn keep(
        self: &Arc<Self>,
        conversation: Box<Conversation>,
        access: &Access,
    ) -> Result<String, ErrorObject> {
        let number = self.last.fetch_add(1, Ordering::Relaxed);
        let name = format!("{number}-{:x}", self.epoch.hash_one(number));
        let caller = caller_of(access);
        let mut waiting = self.waiting();
        let own = waiting.values().filter(|other| other.caller.is_some() && other.caller == caller).count();
        if waiting.len() >= MAX_WAITING || own >= MAX_WAITING_PER_CALLER {
            return Err(error::internal("too many calls wait for answers; answer one of them first"));
        }
        waiting.insert(name.clone(), Waiting { conversation, caller });
        drop(waiting);
        let (conversations, forgotten) = (Arc::downgrade(self), name.clone());
        tokio::spawn(async move {
            sleep(INPUT_TIMEOUT).await;
            // Dropping it cancels the call.
            conversations.upgrade().and_then(|conversations| conversations.waiting().remove(&forgotten));
        });
        Ok(name)
    }

    /// Resumes a conversation with the client's response.
    pub(crate) fn resume(
        &self,
        input: &InputResponses,
        access: &Access,
    ) -> Result<Box<Conversation>, ErrorObject> {
        let gone = || error::invalid_params("this call no longer waits for an answer; make it again");
        let mut waiting = self.waiting();
        let name = input.state.as_deref().ok_or_else(gone)?;
        let found = waiting.get(name).filter(|found| found.caller == caller_of(access)).ok_or_else(gone)?;
        let (key, _) = found.conversation.open.as_ref().ok_or_else(gone)?;
        let answer = input.responses.get(key).cloned();
        let answer =
            answer.ok_or_else(|| error::invalid_params(&format!("there is no answer to `{key}`")))?;
        let mut conversation = waiting.remove(name).ok_or_else(gone)?.conversation;
        drop(waiting);
        if let Some((_, pending)) = conversation.open.take() {
            pending.respond(answer);
        }
        Ok(conversation)
    }
}

/// Returns the principal of the caller, if known.
fn caller_of(access: &Access) -> Option<String> {
    let principal = access.principal()?;
    Some(format!("{} {}", principal.issuer().unwrap_or_default(), principal.subject()))
}

impl std::fmt::Debug for Conversations {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Conversations").field("waiting", &self.waiting().len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use toolwright_client::Client;
    use toolwright_client::config::StdioSpec;
    use toolwright_server::auth::Principal;

    use super::*;

    /// A call that is never sent.
    fn call() -> Box<Conversation> {
        let client = Client::builder().connect_lazy(StdioSpec::new("nothing"));
        Box::new(Conversation::new(client.relay(method::TOOLS_CALL, ()).start()))
    }

    #[tokio::test(start_paused = true)]
    async fn calls_that_wait_are_bounded_and_given_up() {
        let conversations = Arc::<Conversations>::default();
        let keep = || conversations.keep(call(), &Access::Trusted);
        let names: Vec<_> = (0..MAX_WAITING).map(|_| keep().unwrap()).collect();
        assert!(keep().unwrap_err().message.contains("too many calls"));
        sleep(INPUT_TIMEOUT + Duration::from_secs(1)).await;
        assert!(keep().is_ok());
        let input = InputResponses { state: names.first().cloned(), ..InputResponses::default() };
        let gone = conversations.resume(&input, &Access::Trusted).err().unwrap();
        assert!(gone.message.contains("make it again"), "{gone:?}");
    }

    #[tokio::test]
    async fn one_principal_does_not_take_the_room_of_others() {
        let conversations = Arc::<Conversations>::default();
        let of = |name: &str| Access::Granted(Arc::new(Principal::new(name)));
        for _ in 0..MAX_WAITING_PER_CALLER {
            conversations.keep(call(), &of("ada")).unwrap();
        }
        assert!(conversations.keep(call(), &of("ada")).is_err());
        assert!(conversations.keep(call(), &of("ben")).is_ok());
    }
}
