//! Forwarded input requests, such as those of another server: sent unchanged, with unparsed responses.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::task::Poll;

use serde_json::value::RawValue;
use toolwright_core::future::BoxFuture;

use super::{Context, InputRoute};
use crate::input_requests::round_trips::Passes;
use crate::input_requests::{InputRequest, InputRequestError, InputRequired, InputResponses, KnownRequest};

impl Context {
    /// Sends `request` to the client and returns the unparsed response: for requests of another server that a
    /// [`Provider`](crate::Provider) forwards. [The module](crate::input_requests) applies; the caller has to validate
    /// the response.
    ///
    /// # Errors
    /// [`InputRequestError`].
    pub async fn request_input(
        &self,
        key: &str,
        request: &InputRequest,
    ) -> Result<Box<RawValue>, InputRequestError> {
        let request = KnownRequest::of(request)?;
        self.check_request(&request)?;
        self.ask(key, &request).await
    }

    /// The client's responses to the requests of an [`InputRequired`].
    pub(crate) fn input_responses(&self) -> Option<&InputResponses> {
        self.input_route().passes()?.input()
    }

    /// Requests input from the client: immediately if it can be asked during the call; returns `None` if it responds by
    /// repeating its request. `round` counts from 1: the same key means a different input request in each round.
    pub(crate) async fn require(
        &self,
        required: &InputRequired,
        round: usize,
    ) -> Result<Option<InputResponses>, InputRequestError> {
        let mut requests = BTreeMap::new();
        for (key, request) in &required.requests {
            let request = KnownRequest::of(request)?;
            self.client().check(&request)?;
            if requests.insert(key.as_str(), request).is_some() {
                return Err(InputRequestError::SameKey(key.clone()));
            }
        }
        let is_pause = match self.input_route() {
            InputRoute::Passes(_) => true,
            #[cfg(feature = "tasks")]
            InputRoute::Task(call) => !call.is_started(),
            InputRoute::Unavailable | InputRoute::Requests(_) => false,
        };
        if is_pause {
            let limit = self.input_route().passes().map_or(usize::MAX, Passes::limit);
            return if requests.len() > limit { Err(InputRequestError::TooMany(limit)) } else { Ok(None) };
        }
        if let InputRoute::Unavailable = self.input_route() {
            return Err(InputRequestError::NoClient);
        }
        let named = requests.iter().map(|(key, request)| match round {
            1 => ((*key).to_owned(), request),
            _ => (format!("{key}#{round}"), request),
        });
        let named: Vec<_> = named.collect();
        let asked =
            named.iter().map(|(key, request)| -> BoxFuture<'_, _> { Box::pin(self.ask(key, request)) });
        let answers = all(asked.collect()).await?;
        let keys = requests.keys().map(|key| (*key).to_owned());
        Ok(Some(InputResponses { responses: keys.zip(answers).collect(), state: required.state.clone() }))
    }
}

/// Returns the outputs of all futures in order, or the first error.
async fn all<T, E>(mut futures: Vec<BoxFuture<'_, Result<T, E>>>) -> Result<Vec<T>, E> {
    let mut outputs: Vec<Option<T>> = futures.iter().map(|_| None).collect();
    std::future::poll_fn(|task| {
        for (future, output) in futures.iter_mut().zip(&mut outputs) {
            if output.is_none()
                && let Poll::Ready(ready) = Pin::new(future).poll(task)
            {
                *output = Some(ready?);
            }
        }
        if outputs.iter().all(Option::is_some) { Poll::Ready(Ok(())) } else { Poll::Pending }
    })
    .await?;
    Ok(outputs.into_iter().flatten().collect())
}
