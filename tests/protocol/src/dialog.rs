//! A peer that answers the server's input requests, in either era.

use serde_json::{Map, Value, json};

use crate::peer::Peer;

/// All capabilities for input requests.
pub fn everything() -> Value {
    json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}})
}

/// The response to an input request that accepts with these contents.
pub fn accept(content: &Value) -> Value {
    json!({"action": "accept", "content": content})
}

/// Whether a result requires input, as only 2026-07-28 can.
pub fn asks(answer: &Value) -> bool {
    answer["result"]["resultType"] == "input_required"
}

/// The parameters of the call that follows a result that requires input.
///
/// # Panics
/// If the parameters are not an object.
pub fn next_round(params: &Value, answer: &Value, mut reply: impl FnMut(&Value) -> Value) -> Value {
    let mut responses = Map::new();
    for (key, question) in answer["result"]["inputRequests"].as_object().into_iter().flatten() {
        responses.insert(key.clone(), reply(question));
    }
    let mut params = params.clone();
    params["inputResponses"] = responses.into();
    params["requestState"] = answer["result"]["requestState"].clone();
    params
}

/// A request and its outcome.
#[derive(Debug)]
pub struct Dialog {
    /// The last answer.
    pub answer: Value,
    /// The input requests, in the order of arrival.
    pub questions: Vec<Value>,
    /// Notifications received in between.
    pub notifications: Vec<Value>,
    /// How often the request was sent.
    pub rounds: usize,
}

impl Dialog {
    /// Calls a tool and answers each input request with the result of `reply`.
    pub fn call(peer: &mut Peer, tool: &str, arguments: &Value, reply: impl FnMut(&Value) -> Value) -> Self {
        Self::new(peer, "tools/call", &json!({"name": tool, "arguments": arguments}), reply)
    }

    /// The same for any request.
    ///
    /// # Panics
    /// If the server does not stop sending input requests.
    pub fn new(
        peer: &mut Peer,
        method: &str,
        params: &Value,
        mut reply: impl FnMut(&Value) -> Value,
    ) -> Self {
        let mut params = params.clone();
        let (mut questions, mut notifications) = (Vec::new(), Vec::new());
        for round in 1..20 {
            let id = json!(format!("{method} {round}"));
            peer.request(&id, method, params.clone());
            let answer = loop {
                let message = peer.message();
                if message.get("method").is_none() {
                    assert_eq!(message["id"], id);
                    break message;
                }
                let Some(asked) = message.get("id") else {
                    notifications.push(message);
                    continue;
                };
                let result = reply(&message);
                let outcome = if result.get("code").is_some() { "error" } else { "result" };
                peer.send_value(&json!({"jsonrpc": "2.0", "id": asked, outcome: result}));
                questions.push(message);
            };
            if !asks(&answer) {
                return Self { answer, questions, notifications, rounds: round };
            }
            params = next_round(&params, &answer, |question| {
                questions.push(question.clone());
                reply(question)
            });
        }
        panic!("the server does not stop sending input requests");
    }

    /// The text of the result.
    ///
    /// # Panics
    /// If there is none.
    pub fn text(&self) -> &str {
        self.answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{}", self.answer))
    }
}
