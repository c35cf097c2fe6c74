//! Requests beside calls of tools.

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::protocol::{
    CompleteParams, CompleteResult, ListKind, Prompt, PromptResult, Resource, ResourceResult,
    ResourceTemplate,
};
use toolwright_core::protocol::{meta, method};

use crate::client::Client;
use crate::error::ClientError;
use crate::message::OutgoingRequest;

/// What the header `Mcp-Name` shows of a request (2026-07-28, basic/transports/streamable-http "Standard Request Headers").
pub(crate) fn mcp_name(method: &str, members: &str) -> Option<String> {
    let key = match method {
        method::TOOLS_CALL | method::PROMPTS_GET => "name",
        method::RESOURCES_READ => "uri",
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => "taskId",
        _ => return None,
    };
    let params: Value = serde_json::from_str(&format!("{{{members}}}")).ok()?;
    params.get(key)?.as_str().map(str::to_owned)
}

/// The members that the client writes itself.
const OWN_META: [&str; 5] =
    [meta::PROTOCOL_VERSION, meta::CLIENT_INFO, meta::CLIENT_CAPABILITIES, meta::LOG_LEVEL, "progressToken"];

/// Takes `_meta` out of the members of `params`: both without braces.
///
/// # Errors
/// What is wrong with `_meta`.
fn split_meta(members: String) -> Result<(String, String), String> {
    // Most have none, and a name elsewhere does no harm.
    if !members.contains(r#""_meta""#) {
        return Ok((members, String::new()));
    }
    let read = serde_json::from_str::<Map<String, Value>>(&format!("{{{members}}}"));
    let mut params = read.map_err(|error| format!("the parameters cannot be read back: {error}"))?;
    let meta = match params.shift_remove("_meta") {
        None => return Ok((members, String::new())),
        Some(Value::Object(meta)) => meta,
        Some(_) => return Err("`_meta` is an object".to_owned()),
    };
    if let Some(own) = OWN_META.iter().find(|own| meta.contains_key(**own)) {
        return Err(format!(
            "`{own}` in `_meta` is what the client says of itself; set it with `ClientBuilder`"
        ));
    }
    let inner = |object: Map<String, Value>| {
        let text = Value::Object(object).to_string();
        text[1..text.len() - 1].to_owned()
    };
    Ok((inner(params), inner(meta)))
}

impl Client {
    /// Sends any request; `params` become a JSON object. The result as the server sent it.
    ///
    /// Members of `_meta` in `params` join those that the client sends by itself, which they cannot replace: the revision,
    /// the client's name and capabilities, its log level and the progress token.
    ///
    /// # Errors
    /// As for [`Client::call`]; [`ErrorKind::Protocol`](crate::ErrorKind::Protocol) before anything is sent where `_meta` is
    /// not an object or has such a member.
    pub async fn request(&self, method: &str, params: impl Serialize) -> Result<Box<RawValue>, ClientError> {
        let (members, meta) =
            split_meta(self.members(&params)?).map_err(|problem| self.invalid_arguments(&problem))?;
        let name = mcp_name(method, &members);
        let mut outgoing = OutgoingRequest {
            method: method.into(),
            members: members.into(),
            meta: meta.into(),
            name: name.map(Into::into),
            wants_progress: true,
            ..OutgoingRequest::default()
        };
        let text = self.send_with_input(&mut outgoing, &mut self.default_options()).await?;
        serde_json::from_str(&text)
            .map_err(|error| self.protocol_error(format!("its result is not JSON: {error}")))
    }

    /// The prompts of the server, of all pages. One that cannot be read is left out, with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        self.list(ListKind::Prompts).await
    }

    /// The resources of the server, of all pages. One that cannot be read is left out, with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ClientError> {
        self.list(ListKind::Resources).await
    }

    /// The resource templates of the server, of all pages. One that cannot be read is left out, with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        self.list(ListKind::ResourceTemplates).await
    }

    /// A prompt, filled in; `arguments` become a JSON object of texts.
    ///
    /// # Errors
    /// As for [`Client::call`].
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<PromptResult, ClientError> {
        let arguments = format!("{{{}}}", self.members(&arguments)?);
        let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
        self.typed(method::PROMPTS_GET, json!({"name": name, "arguments": arguments})).await
    }

    /// The contents of a resource.
    ///
    /// # Errors
    /// As for [`Client::call`].
    pub async fn read_resource(&self, uri: &str) -> Result<ResourceResult, ClientError> {
        self.typed(method::RESOURCES_READ, json!({"uri": uri})).await
    }

    /// What an argument of a prompt or a template may be completed to.
    ///
    /// # Errors
    /// As for [`Client::call`].
    pub async fn complete(&self, params: &CompleteParams) -> Result<CompleteResult, ClientError> {
        self.typed(method::COMPLETION_COMPLETE, params).await
    }

    async fn typed<T: DeserializeOwned>(
        &self,
        method: &str,
        params: impl Serialize,
    ) -> Result<T, ClientError> {
        let result = self.request(method, params).await?;
        let read = serde_json::from_str(result.get());
        read.map_err(|error| self.protocol_error(format!("its answer to `{method}` is not one: {error}")))
    }

    /// Sends a notification; `params` become a JSON object.
    ///
    /// # Errors
    /// Where there is no connection and none can be made.
    pub async fn notify(&self, method: &str, params: impl Serialize) -> Result<(), ClientError> {
        let params = format!("{{{}}}", self.members(&params)?);
        self.connection().await?.notify(method, &params);
        Ok(())
    }

    /// Sees whether the server answers. In 2026-07-28 there is no `ping`, and `server/discover` is asked for.
    ///
    /// # Errors
    /// As for [`Client::call`].
    pub async fn ping(&self) -> Result<(), ClientError> {
        let has_ping = self.connection().await?.server.revision.has_handshake();
        let method = if has_ping { method::PING } else { method::SERVER_DISCOVER };
        let outgoing =
            OutgoingRequest { method: method.into(), is_idempotent: true, ..OutgoingRequest::default() };
        self.send(&outgoing, &mut self.default_options()).await.map(drop)
    }

    /// The members of an object, as JSON text without the braces.
    pub(crate) fn members(&self, params: &impl Serialize) -> Result<String, ClientError> {
        let text =
            serde_json::to_string(params).map_err(|error| self.invalid_arguments(&error.to_string()))?;
        match text.strip_prefix('{').and_then(|text| text.strip_suffix('}')) {
            Some(members) => Ok(members.to_owned()),
            None if text == "null" => Ok(String::new()),
            None => Err(self.invalid_arguments("parameters are a JSON object")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::split_meta;

    #[test]
    fn meta_is_taken_out_of_parameters() {
        for (members, expected, meta) in [
            ("", "", ""),
            (r#""a":"_meta""#, r#""a":"_meta""#, ""),
            (r#""a":{"_meta":{}}"#, r#""a":{"_meta":{}}"#, ""),
            (r#""a":1,"_meta":{"x/y":[1],"z":null},"b":2"#, r#""a":1,"b":2"#, r#""x/y":[1],"z":null"#),
            (r#""_meta":{}"#, "", ""),
        ] {
            let split = split_meta(members.to_owned());
            assert_eq!(split, Ok((expected.to_owned(), meta.to_owned())), "{members}");
        }
        for (members, problem) in [
            (r#""_meta":1"#, "`_meta` is an object"),
            (
                r#""_meta":{"progressToken":1}"#,
                "`progressToken` in `_meta` is what the client says of itself",
            ),
            (r#""_meta":{"io.modelcontextprotocol/clientInfo":1}"#, "set it with `ClientBuilder`"),
        ] {
            let refused = split_meta(members.to_owned()).expect_err(members);
            assert!(refused.contains(problem), "{refused}");
        }
    }
}
