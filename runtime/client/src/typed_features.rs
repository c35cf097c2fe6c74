//! Typed requests: the struct that derives `Prompt` or `Resource` is the request.

use serde::Serialize;
use serde_json::{Map, Value};
use toolwright_core::prompt::TypedPrompt;
use toolwright_core::protocol::{PromptResult, ResourceResult};
use toolwright_core::resource::{TypedResource, UriTemplate, is_template};

use crate::client::Client;
use crate::error::ClientError;

impl Client {
    /// Gets the prompt of `input`: the struct that derives `Prompt` for the server also serves the client, if it derives
    /// `Serialize` too. Numbers and booleans are sent as strings, and `None` is left out.
    ///
    /// ```no_run
    /// # use toolwright_client::{Client, ClientError};
    /// # use toolwright_core::prompt::TypedPrompt;
    /// # async fn example<Review: TypedPrompt + serde::Serialize>(client: Client, review: Review) -> Result<(), ClientError> {
    /// let prompt = client.fill_prompt(&review).await?;
    /// # let _ = prompt;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Client::call`], also if a field is a list or a map.
    pub async fn fill_prompt<P: TypedPrompt + Serialize>(
        &self,
        input: &P,
    ) -> Result<PromptResult, ClientError> {
        self.get_prompt(P::NAME, self.strings_of(input)?).await
    }

    /// Reads the resource of `input`: the struct that derives `Resource` for the server also serves the client, if it derives
    /// `Serialize` too. Its fields are the variables of the address, percent-encoded.
    ///
    /// ```no_run
    /// # use toolwright_client::{Client, ClientError};
    /// # use toolwright_core::resource::TypedResource;
    /// # async fn example<Ticket: TypedResource + serde::Serialize>(client: Client, ticket: Ticket) -> Result<(), ClientError> {
    /// let ticket = client.read_typed(&ticket).await?;
    /// # let _ = ticket;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    /// As [`Client::call`], also if a variable is missing, empty, a list or a map.
    pub async fn read_typed<R: TypedResource + Serialize>(
        &self,
        input: &R,
    ) -> Result<ResourceResult, ClientError> {
        if !is_template(R::URI) {
            return self.read_resource(R::URI).await;
        }
        let template =
            UriTemplate::parse(R::URI).map_err(|error| self.invalid_arguments(&error.to_string()))?;
        let strings = self.strings_of(input)?;
        let uri = template.expand(|name| strings.get(name).and_then(Value::as_str));
        match uri {
            Some(uri) => self.read_resource(&uri).await,
            None => Err(self.invalid_arguments(&format!("a variable of `{}` is missing or empty", R::URI))),
        }
    }

    /// The fields of a struct as strings.
    fn strings_of(&self, input: &impl Serialize) -> Result<Map<String, Value>, ClientError> {
        let fields = match serde_json::to_value(input) {
            Ok(Value::Object(fields)) => fields,
            Ok(Value::Null) => Map::new(),
            Ok(_) => return Err(self.invalid_arguments("it is not a struct with fields")),
            Err(error) => return Err(self.invalid_arguments(&error.to_string())),
        };
        let mut strings = Map::new();
        for (name, value) in fields {
            let string = match value {
                Value::Null => continue,
                Value::String(string) => string,
                Value::Number(_) | Value::Bool(_) => value.to_string(),
                Value::Array(_) | Value::Object(_) => {
                    return Err(self.invalid_arguments(&format!(
                        "`{name}` is neither a string nor a number nor a boolean"
                    )));
                }
            };
            strings.insert(name, string.into());
        }
        Ok(strings)
    }
}
