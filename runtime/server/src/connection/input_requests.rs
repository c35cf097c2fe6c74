//! Elicitation, sampling and roots: how input requests reach the client, and the result of a call that has some.

use serde_json::value::RawValue;
use toolwright_core::json::each_member;
use toolwright_core::protocol::ErrorObject;
use toolwright_core::revision::Revision;

use super::Connection;
use crate::context::{Context, InputRoute};
use crate::error;
use crate::input_requests::request_state::Binding;
use crate::input_requests::round_trips::{Answers, Passes, RequestState};
use crate::input_requests::{InputRequired, KnownRequest};
use crate::message::{Params, string};
use crate::reply::Reply;

/// The request that a call belongs to. Its input requests and their responses are bound to it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Origin<'a> {
    pub(super) method: &'static str,
    /// The name of a tool or prompt, or the URI of a resource.
    pub(super) target: &'a str,
    pub(super) arguments: Option<&'a RawValue>,
}

/// The owned version, independent of the message.
#[derive(Debug)]
pub(super) struct OwnedOrigin {
    method: &'static str,
    target: String,
    arguments: Option<Box<RawValue>>,
}

impl Origin<'_> {
    pub(super) fn into_owned(self) -> OwnedOrigin {
        OwnedOrigin {
            method: self.method,
            target: self.target.to_owned(),
            arguments: self.arguments.map(ToOwned::to_owned),
        }
    }
}

impl OwnedOrigin {
    pub(super) fn borrowed(&self) -> Origin<'_> {
        Origin { method: self.method, target: &self.target, arguments: self.arguments.as_deref() }
    }
}

impl Connection {
    /// Chooses how the input requests of a call reach its client. Responses in the request are validated here, before
    /// any user code runs.
    pub(super) fn input_route(
        &self,
        origin: Option<&Origin<'_>>,
        params: &Params<'_>,
        revision: Revision,
    ) -> Result<InputRoute, ErrorObject> {
        let Some(origin) = origin else { return Ok(InputRoute::Unavailable) };
        if revision.has_server_requests() {
            return Ok(InputRoute::requests());
        }
        let limits = self.service.limits();
        let answers = if params.request_state.is_none() && params.input_responses.is_none() {
            None
        } else {
            Some((self.open_state(params, origin)?, read_answers(params)?))
        };
        Ok(InputRoute::Passes(Passes::new(limits.max_input_requests, answers)))
    }

    /// Opens the state of earlier rounds.
    fn open_state(&self, params: &Params<'_>, origin: &Origin<'_>) -> Result<RequestState, ErrorObject> {
        let Some(state) = params.request_state else { return Ok(RequestState::default()) };
        let limit = self.service.limits().max_request_state_bytes;
        string(state)
            .filter(|state| state.len() <= limit)
            .and_then(|state| self.service.sealer().open(&state, &self.binding(origin)))
            .ok_or_else(|| {
                error::invalid_params(
                    "`requestState` has expired, or this server did not issue it for this request; call again without it and without `inputResponses`",
                )
            })
    }

    fn binding<'a>(&'a self, origin: &Origin<'a>) -> Binding<'a> {
        let Origin { method, target, arguments } = *origin;
        Binding { principal: self.access().owner(), method, target, arguments }
    }

    /// The reply of a call that ends with input requests; `provider` is the state of the provider that made them, if it
    /// was not this server.
    pub(super) fn pause(
        &self,
        cx: &Context,
        origin: &Origin<'_>,
        requests: Vec<(String, KnownRequest)>,
        provider: Option<&str>,
    ) -> Reply {
        let Some(passes) = cx.input_route().passes() else {
            return error::internal("there is no client to ask").into();
        };
        let limits = self.service.limits();
        let kept = passes.state_for_next(provider);
        let sealed = self.service.sealer().seal(&kept, limits.request_state_ttl, &self.binding(origin));
        match sealed {
            Some(state) if state.len() <= limits.max_request_state_bytes => {
                Reply::InputRequired(requests, state)
            }
            Some(_) => error::internal(&format!(
                "the responses so far exceed the {} bytes that a `requestState` may have; send shorter responses",
                limits.max_request_state_bytes
            ))
            .into(),
            None => error::internal("the system's random number generator failed, so the state cannot be sealed").into(),
        }
    }

    /// The reply of a call whose provider requires input.
    pub(super) fn pause_for(&self, cx: &Context, origin: &Origin<'_>, input: &InputRequired) -> Reply {
        let requests = input.requests.iter();
        // The provider's route has validated them.
        let requests: Vec<_> = requests
            .filter_map(|(key, request)| Some((key.clone(), KnownRequest::of(request).ok()?)))
            .collect();
        cx.cancel();
        self.pause(cx, origin, requests, input.state.as_deref())
    }
}

/// Parses the input responses in a request, one per key.
fn read_answers(params: &Params<'_>) -> Result<Answers, ErrorObject> {
    let Some(responses) = params.input_responses else { return Ok(Answers::new()) };
    let mut answers = Answers::new();
    let read = each_member(responses.get(), |key, answer| {
        let is_repeated = answers.insert(key.into_owned(), answer.to_owned()).is_some();
        if is_repeated { Err("a key appears twice") } else { Ok(()) }
    });
    read.map(|()| answers).map_err(|_| {
        error::invalid_params(
            "`inputResponses` must be an object that maps the key of each input request to its response",
        )
    })
}
