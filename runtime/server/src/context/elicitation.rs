//! Elicitation: asking the client's user (2026-07-28, client/elicitation).

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use toolwright_core::arguments::{ArgumentReader, Checker};
use toolwright_core::schema::{self, Draft};
use toolwright_core::tool::InputShape;

use super::{Context, InputRoute};
use crate::input_requests::{Elicited, InputRequestError, KnownRequest};
use crate::peer::server_requests;

impl Context {
    /// Asks the client's user to fill in a form with the members of `T`: strings, numbers, booleans, enums of unit
    /// variants, and lists of such enums. Never ask for passwords or other secrets with this method; use
    /// [`Context::elicit_url`] instead.
    ///
    /// The response is validated like the arguments of a tool. In 2026-07-28, an invalid one is requested again.
    ///
    /// See [the module](crate::input_requests) for what handlers with input requests have to consider.
    ///
    /// # Errors
    /// [`InputRequestError`]. A user who declines is not an error.
    pub async fn elicit<T>(&self, key: &str, message: &str) -> Result<Elicited<T>, InputRequestError>
    where
        T: JsonSchema + DeserializeOwned,
    {
        let form = schema::form::<T>()?;
        let draft = Draft::input::<T>(InputShape::Object).with_fields(&[], true);
        let reader = ArgumentReader::new(&draft, &[], InputShape::Object, true)
            .map_err(|error| InputRequestError::Schema(error.to_string()))?;
        let request = KnownRequest::form(message, &form);
        self.ask_for(key, request, |answer| {
            Elicited::read(answer, |content| {
                reader.read::<T>(Some(content), &[]).map_err(|error| error.to_string())
            })
        })
        .await
    }

    /// Like [`Context::elicit`], with the form as a JSON Schema: an object whose members are strings, numbers,
    /// booleans, one of several strings (`enum`, or `oneOf` with titles), or a list of such strings.
    ///
    /// # Errors
    /// [`InputRequestError`].
    pub async fn elicit_form(
        &self,
        key: &str,
        message: &str,
        schema: &Value,
    ) -> Result<Elicited<Map<String, Value>>, InputRequestError> {
        let form = schema::restrict(schema)?;
        let checker =
            Checker::compile(schema).map_err(|error| InputRequestError::Schema(error.to_string()))?;
        let request = KnownRequest::form(message, &form);
        self.ask_for(key, request, |answer| {
            Elicited::read(answer, |content| {
                let content: Map<String, Value> =
                    serde_json::from_str(content.get()).map_err(|error| error.to_string())?;
                let content = Value::Object(content);
                match (checker.check(&content).problems(), content) {
                    ([], Value::Object(content)) => Ok(content),
                    (problems, _) => {
                        Err(problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; "))
                    }
                }
            })
        })
        .await
    }

    /// Asks the client's user to open a web page, for what must not pass through the client: a password, a payment, the
    /// consent of another service. [`Elicited::Accepted`] means that the user has agreed to open it, not that anything
    /// was done there; the server must determine that itself.
    ///
    /// The page must ensure that the same user opens it, and its URL must not contain secrets (2026-07-28,
    /// client/elicitation "Safe URL Handling", "Phishing").
    ///
    /// # Errors
    /// [`InputRequestError`].
    pub async fn elicit_url(
        &self,
        key: &str,
        url: &str,
        message: &str,
    ) -> Result<Elicited<()>, InputRequestError> {
        self.ask_for(key, KnownRequest::url(message, url), Elicited::read_choice).await
    }

    /// Notifies a client of revision 2025-11-25 that the user has completed the page of [`Context::elicit_url`]. Does
    /// nothing for other revisions, or if this call made no such input request.
    pub async fn elicitation_complete(&self, key: &str) {
        if let InputRoute::Requests(requests) = self.input_route()
            && let Some(id) = requests.get().and_then(|requests| requests.elicitation_id(key))
            && let Some(peer) = self.peer()
            && let Ok(notification) = server_requests::complete_notification(&id)
        {
            peer.send(&notification).await;
        }
    }
}
