//! Requests to the client, up to 2025-11-25, which are sent like the call's notifications.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use tokio::sync::oneshot;
use toolwright_core::json::Decimal;
use toolwright_core::json::JsonFault;
use toolwright_core::protocol::{Revision, method};

use super::Peer;
use crate::hex::random_id;
use crate::input_requests::{InputKind, InputRequestError, KnownRequest, Room};
use crate::json_rpc;
use crate::message::string;

/// A session's input requests that wait for responses.
#[derive(Debug, Default)]
pub(crate) struct PendingRequests {
    last_id: AtomicU64,
    open: Mutex<HashMap<u64, Waiter>>,
}

/// A future that waits for a response.
#[derive(Debug)]
struct Waiter {
    response: oneshot::Sender<Response>,
    /// The storage that the response counts against.
    room: Arc<Room>,
}

type Response = Result<Box<RawValue>, InputRequestError>;

impl PendingRequests {
    fn add(&self, room: &Arc<Room>) -> (u64, oneshot::Receiver<Response>) {
        let id = self.last_id.fetch_add(1, Ordering::Relaxed) + 1;
        let (sender, response) = oneshot::channel();
        self.open().insert(id, Waiter { response: sender, room: Arc::clone(room) });
        (id, response)
    }

    /// Passes a response to its waiter. Unexpected responses are ignored.
    ///
    /// Ids are compared by value: some clients return `1` as `"1"` or `1.0`, and no two open input requests share
    /// a number.
    pub(crate) fn respond(&self, id: &RawValue, result: Option<&RawValue>, error: Option<&RawValue>) {
        let Some(id) = number_in(id) else { return };
        let Some(waiting) = self.open().remove(&id) else { return };
        // JSON-RPC 1.0 always had both members, one of them `null`.
        let error = error.filter(|error| result.is_none() || error.get() != "null");
        let response = match (result, error) {
            (Some(result), None) => waiting.room.take(1, result.get().len()).map(|()| result.to_owned()),
            (_, Some(error)) => Err(refusal(error)),
            (None, None) => {
                Err(InputRequestError::Unusable("it has neither `result` nor `error`".to_owned()))
            }
        };
        // The call may have just ended.
        let _ = waiting.response.send(response);
    }

    /// Withdraws an input request; false if it already has a response.
    fn remove(&self, id: u64) -> bool {
        self.open().remove(&id).is_some()
    }

    fn open(&self) -> MutexGuard<'_, HashMap<u64, Waiter>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The number in an id, which may be a number or a string.
fn number_in(id: &RawValue) -> Option<u64> {
    let text = string(id).unwrap_or_else(|| id.get().into());
    Decimal::parse(text.trim())?.integer()?.parse().ok()
}

fn refusal(error: &RawValue) -> InputRequestError {
    #[derive(Deserialize)]
    struct Error {
        code: i64,
        message: String,
    }
    match serde_json::from_str::<Error>(error.get()) {
        Ok(Error { code, message }) => {
            InputRequestError::Refused { code, message: crate::error::shorten(&message) }
        }
        Err(_) => InputRequestError::Unusable("its `error` is not an error object".to_owned()),
    }
}

/// The input requests of one call.
#[derive(Debug)]
pub(crate) struct Requests {
    peer: Weak<Peer>,
    room: Arc<Room>,
    state: Mutex<QuestionState>,
}

#[derive(Debug, Default)]
struct QuestionState {
    ended: bool,
    asked: BTreeMap<String, KnownRequest>,
    answers: BTreeMap<String, Box<RawValue>>,
    /// Whether the request was sent, by id.
    open: BTreeMap<u64, bool>,
    /// The ids of URL elicitations, by key.
    elicitations: BTreeMap<String, String>,
}

impl Requests {
    /// Creates an empty set for a call of this peer.
    pub(crate) fn new(peer: &Arc<Peer>) -> Self {
        Self { peer: Arc::downgrade(peer), room: Arc::new(peer.room_for_answers()), state: Mutex::default() }
    }

    pub(crate) fn elicitation_id(&self, key: &str) -> Option<String> {
        self.state().elicitations.get(key).cloned()
    }

    /// Withdraws all open requests.
    pub(crate) fn end(&self) {
        let open = {
            let mut state = self.state();
            state.ended = true;
            state.answers.clear();
            std::mem::take(&mut state.open)
        };
        self.room.end();
        if let Some(peer) = self.peer.upgrade() {
            for (id, is_sent) in open {
                give_up(&peer, id, is_sent);
            }
        }
    }

    /// Sends a request to the peer, and waits for its response.
    ///
    /// # Errors
    /// [`InputRequestError`] if there is no valid response.
    pub(crate) async fn ask(
        &self,
        peer: &Peer,
        revision: Revision,
        key: &str,
        request: &KnownRequest,
    ) -> Result<Box<RawValue>, InputRequestError> {
        if let Some(answer) = self.record(key, request, peer.limits().max_input_requests)? {
            return Ok(answer);
        }
        if !peer.can_send() {
            return Err(InputRequestError::NoStream);
        }
        let elicitation = (request.kind() == InputKind::Url)
            .then(random_id::<16>)
            .transpose()
            .map_err(|_| InputRequestError::Ended)?;
        let params = request.legacy_params(revision, elicitation.as_deref())?;
        let (id, response) = peer.session.waiting.add(&self.room);
        let request = json_rpc::request(id, request.method(), &params);
        let open = OpenRequest { peer, requests: self, id };
        {
            let mut state = self.state();
            state.open.insert(id, false);
            state.elicitations.extend(elicitation.map(|elicitation| (key.to_owned(), elicitation)));
        }
        peer.send(&request?).await;
        if !peer.can_send() {
            return Err(InputRequestError::Ended);
        }
        if let Some(is_sent) = self.state().open.get_mut(&id) {
            *is_sent = true;
        }
        let answer = response.await.unwrap_or(Err(InputRequestError::Ended))?;
        drop(open);
        let mut state = self.state();
        if !state.ended {
            state.answers.insert(key.to_owned(), answer.clone());
        }
        Ok(answer)
    }

    /// Records an input request; returns its response if there is one.
    fn record(
        &self,
        key: &str,
        request: &KnownRequest,
        limit: usize,
    ) -> Result<Option<Box<RawValue>>, InputRequestError> {
        let mut state = self.state();
        if state.ended {
            return Err(InputRequestError::Ended);
        }
        request.check_key(key, state.asked.get(key))?;
        if let Some(answer) = state.answers.get(key) {
            return Ok(Some(answer.clone()));
        }
        if state.open.len() >= limit {
            return Err(InputRequestError::TooMany(limit));
        }
        if !state.asked.contains_key(key) {
            self.room.check_requests(state.asked.len())?;
        }
        state.asked.insert(key.to_owned(), request.clone());
        Ok(None)
    }

    fn state(&self) -> MutexGuard<'_, QuestionState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Notifies the client that its response is no longer needed (2025-11-25, basic/utilities/cancellation).
fn give_up(peer: &Peer, id: u64, is_sent: bool) {
    if peer.session.waiting.remove(id) && is_sent {
        let notification = json_rpc::notification(method::CANCELLED, &json!({"requestId": id}));
        // A number can always be written.
        let _ = notification.map(|notification| peer.push(&notification));
    }
}

/// A request that waits for its response. Dropping it withdraws the request.
struct OpenRequest<'a> {
    peer: &'a Peer,
    requests: &'a Requests,
    id: u64,
}

impl Drop for OpenRequest<'_> {
    fn drop(&mut self) {
        let is_sent = self.requests.state().open.remove(&self.id);
        give_up(self.peer, self.id, is_sent.unwrap_or_default());
    }
}

pub(crate) fn complete_notification(elicitation_id: &str) -> Result<Vec<u8>, JsonFault> {
    json_rpc::notification(method::ELICITATION_COMPLETE, &json!({"elicitationId": elicitation_id}))
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::value::RawValue;

    use super::{InputRequestError, PendingRequests};
    use crate::input_requests::ample;

    fn raw(text: &str) -> Box<RawValue> {
        serde_json::from_str(text).expect("JSON")
    }

    #[test]
    fn responses_match_input_requests_by_id_value() {
        for (text, fits) in [
            ("1", true),
            ("\"1\"", true),
            ("1.0", true),
            ("10e-1", true),
            ("\"1.0\"", true),
            ("\"\\u0031\"", true),
            ("\" 1 \"", true),
            ("2", false),
            ("1.5", false),
            ("-1", false),
            ("\"one\"", false),
            ("\"\"", false),
            ("null", false),
            ("true", false),
            ("[1]", false),
            ("18446744073709551617", false),
        ] {
            let waiting = PendingRequests::default();
            let (id, mut response) = waiting.add(&Arc::new(ample()));
            assert_eq!(id, 1);
            waiting.respond(&raw(text), Some(&raw("{}")), None);
            assert_eq!(response.try_recv().is_ok(), fits, "{text}");
            assert_eq!(waiting.open().is_empty(), fits, "{text}");
        }
    }

    #[test]
    fn a_null_member_beside_the_other_is_ignored() {
        let answer = |result: Option<&str>, error: Option<&str>| {
            let waiting = PendingRequests::default();
            let (_, mut response) = waiting.add(&Arc::new(ample()));
            let (result, error) = (result.map(raw), error.map(raw));
            waiting.respond(&raw("1"), result.as_deref(), error.as_deref());
            response.try_recv().expect("a response")
        };
        assert!(answer(Some("{}"), Some("null")).is_ok_and(|result| result.get() == "{}"));
        let error = r#"{"code":1,"message":"no"}"#;
        for result in [None, Some("null")] {
            assert!(matches!(answer(result, Some(error)), Err(InputRequestError::Refused { code: 1, .. })));
        }
        assert!(matches!(answer(None, Some("null")), Err(InputRequestError::Unusable(_))));
    }
}
