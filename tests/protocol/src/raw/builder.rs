//! The builder of a client, and its responses to input requests.

use std::fmt;
use std::sync::Arc;

use serde_json::{Map, Value, json};
use toolwright::input_requests::InputRequest;
use toolwright::{Revision, Service};

use super::{RawClient, RawError, RpcError};

/// The maximum number of retries with input responses.
pub(super) const MAX_ROUNDS: usize = 16;

/// A client that is not connected yet.
#[derive(Debug)]
pub struct RawClientBuilder {
    pub(super) service: Service,
    pub(super) revision: Revision,
    pub(super) capabilities: Value,
    pub(super) answers: Option<InputAnswers>,
}

/// The function that answers input requests.
#[derive(Clone)]
pub(super) struct InputAnswers(Arc<AnswerInput>);

type AnswerInput = dyn Fn(&InputRequest) -> Result<Value, RpcError> + Send + Sync;

impl RawClientBuilder {
    /// Sets the revision; the newest one by default.
    pub fn revision(mut self, revision: Revision) -> Self {
        self.revision = revision;
        self
    }

    /// Answers the server's input requests with the result of `answer`: the result, such as `{"action": "decline"}`, or an
    /// error. Declares all capabilities for input requests, unless [`RawClientBuilder::capabilities`] sets others.
    ///
    /// In 2026-07-28 [`RawClient::request`] then retries with the input responses, up to 16 times; an error ends the request,
    /// since that revision has no way to send it.
    pub fn answering(
        mut self,
        answer: impl Fn(&InputRequest) -> Result<Value, RpcError> + Send + Sync + 'static,
    ) -> Self {
        if self.capabilities == json!({}) {
            self.capabilities =
                json!({"elicitation": {"form": {}, "url": {}}, "sampling": {"tools": {}}, "roots": {}});
        }
        self.answers = Some(InputAnswers(Arc::new(answer)));
        self
    }

    /// Declares these `ClientCapabilities`; none by default.
    pub fn capabilities(mut self, capabilities: Value) -> Self {
        self.capabilities = capabilities;
        self
    }

    /// Connects, with the handshake of a legacy revision. Call it within a tokio runtime.
    ///
    /// # Errors
    /// [`RawError::Rpc`] where the server refuses the handshake.
    pub async fn connect(self) -> Result<RawClient, RawError> {
        let client = RawClient::open(self);
        if client.revision.has_handshake() {
            client.initialize().await?;
        }
        Ok(client)
    }
}

impl InputAnswers {
    /// The response to a request of the server.
    pub(super) fn response(answers: Option<&Self>, message: Value) -> Value {
        let id = message.get("id").cloned().unwrap_or_default();
        let outcome = match (answers, serde_json::from_value::<InputRequest>(message)) {
            (Some(Self(answer)), Ok(request)) => answer(&request),
            _ => Err(RpcError { code: -32601, message: "method not found".to_owned(), data: None }),
        };
        match outcome {
            Ok(result) => json!({"jsonrpc": "2.0", "id": id, "result": result}),
            Err(RpcError { code, message, data: _ }) => {
                json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
            }
        }
    }

    /// The parameters for the next round, where `result` asks for input; else none.
    pub(super) fn next_round(&self, result: &Value, params: &Value) -> Result<Option<Value>, RawError> {
        if result.get("resultType").is_none_or(|kind| kind != "input_required") {
            return Ok(None);
        }
        let requests = result.get("inputRequests").cloned().unwrap_or_else(|| json!({}));
        let requests: Map<String, Value> = serde_json::from_value(requests)?;
        let mut responses = Map::new();
        for (key, request) in requests {
            responses.insert(key, (self.0)(&serde_json::from_value(request)?)?);
        }
        let mut params = params.clone();
        if let Some(params) = params.as_object_mut() {
            params.insert("inputResponses".to_owned(), responses.into());
            match result.get("requestState") {
                Some(state) => params.insert("requestState".to_owned(), state.clone()),
                None => params.remove("requestState"),
            };
        }
        Ok(Some(params))
    }
}

impl fmt::Debug for InputAnswers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("InputAnswers")
    }
}
