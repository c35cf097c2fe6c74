//! Elicitation, sampling and roots while the client waits: a form or a web page for its user, a text of its model, its
//! folders (2026-07-28, client/elicitation, client/sampling, client/roots).
//!
//! A handler asks through its [`Context`] and goes on with the answer, in both eras:
//!
//! - Up to 2025-11-25 the question is a request to the client, and the handler waits where it is.
//! - In 2026-07-28 a server sends no requests. The call ends with the questions that are open (`input_required`), the
//!   handler's future is dropped, and the client calls again with the answers. **The handler then runs again from its
//!   start**, and this time its questions are answered at once. So whatever stands before a question must do no harm when
//!   it is done twice: ask first, act afterwards. Answers of earlier rounds travel with the client, sealed
//!   ([`StateKeys`]); the server keeps nothing.
//!
//! A question has a key, which is its name within the call. Two questions of one call have two keys; asking again under
//! a key gives the same answer again. Keys must be the same each time the handler runs. Questions that are asked at the
//! same time, with `tokio::join!`, reach the client together.

mod answer;
mod canonical;
mod error;
mod question;

mod capabilities;
mod input;

pub(crate) mod asker;
pub(crate) mod pass;
pub(crate) mod requests;
pub(crate) mod room;
pub(crate) mod state;

use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use toolwright_core::arguments::{ArgumentReader, Checker};
use toolwright_core::schema::{self, Draft};
use toolwright_core::tool::InputShape;

pub use answer::{Elicited, Root, Sampled};
pub use capabilities::ClientCapabilities;
pub use error::AskError;
pub use question::{InputRequest, Sampling};
pub use state::StateKeys;

pub(crate) use asker::Asking;
pub(crate) use question::Question;

use crate::context::Context;

impl Context {
    /// Asks the client's user to fill in a form, whose members are those of `T`: text, numbers, booleans, enums of unit
    /// variants, and lists of such enums. Never ask for a password or another secret this way; that is what
    /// [`Context::elicit_url`] is for.
    ///
    /// The answer is checked like the arguments of a tool. One that does not fit is asked for again in 2026-07-28.
    ///
    /// See [the module](crate::ask) for what a handler that asks must keep in mind.
    ///
    /// # Errors
    /// [`AskError`]. A user who declines is an answer, not an error.
    pub async fn elicit<T>(&self, key: &str, message: &str) -> Result<Elicited<T>, AskError>
    where
        T: JsonSchema + DeserializeOwned,
    {
        let form = schema::form::<T>()?;
        let draft = Draft::input::<T>(InputShape::Object).with_fields(&[], true);
        let reader = ArgumentReader::new(&draft, &[], InputShape::Object, true)
            .map_err(|error| AskError::Schema(error.to_string()))?;
        let question = Question::form(message, &form);
        self.ask(key, question, |answer| {
            Elicited::read(answer, |content| {
                reader.read::<T>(Some(content), &[]).map_err(|error| error.to_string())
            })
        })
        .await
    }

    /// As [`Context::elicit`], with the form as a JSON Schema: an object whose members are text, numbers, booleans, one
    /// of several strings (`enum`, or `oneOf` with titles), or a list of such strings.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn elicit_form(
        &self,
        key: &str,
        message: &str,
        schema: &Value,
    ) -> Result<Elicited<Map<String, Value>>, AskError> {
        let form = schema::restricted(schema)?;
        let checker = Checker::compile(schema).map_err(|error| AskError::Schema(error.to_string()))?;
        let question = Question::form(message, &form);
        self.ask(key, question, |answer| {
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
    /// consent of another service. [`Elicited::Accepted`] says that the user has agreed to open it, not that anything was
    /// done there: that the server finds out by itself.
    ///
    /// The page must make sure that it is the same user who opens it, and its address must hold no secret (2026-07-28,
    /// client/elicitation "Safe URL Handling", "Phishing").
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn elicit_url(&self, key: &str, url: &str, message: &str) -> Result<Elicited<()>, AskError> {
        self.ask(key, Question::url(message, url), Elicited::read_choice).await
    }

    /// Tells a client of revision 2025-11-25 that what the user was to do at the page of [`Context::elicit_url`] is
    /// done; others need no telling. Does nothing where no such question was asked in this call.
    pub async fn elicitation_complete(&self, key: &str) {
        self.asking().complete(self, key).await;
    }

    /// Has the client's model write something.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn sample(&self, key: &str, sampling: Sampling) -> Result<Sampled, AskError> {
        self.ask(key, sampling.into_question(), Sampled::read).await
    }

    /// The folders that the client works in.
    ///
    /// # Errors
    /// [`AskError`].
    pub async fn roots(&self, key: &str) -> Result<Vec<Root>, AskError> {
        self.ask(key, Question::roots(), Root::read_list).await
    }

    /// What the client has declared that it can be asked for; nothing outside of a client's call.
    pub fn client(&self) -> ClientCapabilities {
        self.asking().capabilities(self)
    }

    async fn ask<A>(
        &self,
        key: &str,
        question: Question,
        read: impl Fn(&RawValue) -> Result<A, String>,
    ) -> Result<A, AskError> {
        let asker = self.asking().asker(self)?;
        self.client().check(&question)?;
        loop {
            let answer = asker.ask(key, &question).await?;
            match read(&answer) {
                Ok(answer) => return Ok(answer),
                Err(problem) => asker.refuse(key, problem)?,
            }
        }
    }
}
