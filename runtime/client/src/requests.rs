//! Requests other than tool calls.

use std::borrow::Cow;
use std::io;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};
use toolwright_core::json::{Members, string};
use toolwright_core::protocol::{
    CompleteParams, CompleteResult, ListKind, Prompt, PromptResult, Resource, ResourceResult,
    ResourceTemplate,
};
use toolwright_core::protocol::{meta, method};

use crate::client::Client;
use crate::error::ClientError;
use crate::message::OutgoingRequest;

/// Returns the value of the header `Mcp-Name` of a request (2026-07-28, basic/transports/streamable-http "Standard
/// Request Headers").
pub(crate) fn mcp_name<'m>(method: &str, members: &'m str) -> Option<Cow<'m, str>> {
    let key = match method {
        method::TOOLS_CALL | method::PROMPTS_GET => "name",
        method::RESOURCES_READ => "uri",
        method::TASKS_GET | method::TASKS_UPDATE | method::TASKS_CANCEL => "taskId",
        _ => return None,
    };
    string(Members::without_braces(members).value_of(key)?)
}

/// The members of `_meta` that the client writes itself.
const OWN_META: [&str; 5] =
    [meta::PROTOCOL_VERSION, meta::CLIENT_INFO, meta::CLIENT_CAPABILITIES, meta::LOG_LEVEL, "progressToken"];

/// Separates `_meta` from the other members of `params`; all are without braces.
///
/// # Errors
/// If `_meta` is invalid.
fn split_meta(members: String) -> Result<(String, String), String> {
    // Most parameters have none; the same string elsewhere is harmless.
    if !members.contains(r#""_meta""#) {
        return Ok((members, String::new()));
    }
    let read = serde_json::from_str::<Map<String, Value>>(&format!("{{{members}}}"));
    let mut params = read.map_err(|error| format!("the parameters cannot be parsed: {error}"))?;
    let meta = match params.shift_remove("_meta") {
        None => return Ok((members, String::new())),
        Some(Value::Object(meta)) => meta,
        Some(_) => return Err("`_meta` must be an object".to_owned()),
    };
    if let Some(own) = OWN_META.iter().find(|own| meta.contains_key(**own)) {
        return Err(format!("`{own}` in `_meta` is set by the client; use `ClientBuilder` to change it"));
    }
    let inner = |object: Map<String, Value>| {
        let text = Value::Object(object).to_string();
        text[1..text.len() - 1].to_owned()
    };
    Ok((inner(params), inner(meta)))
}

impl Client {
    /// Sends any request, and returns the result as sent by the server. `params` must serialize to a JSON object.
    ///
    /// Members of `_meta` in `params` are sent in addition to those of the client, and cannot replace them: the
    /// revision, the client's name and capabilities, its log level and the progress token.
    ///
    /// # Errors
    /// As [`Client::call`], and [`ErrorKind::Protocol`](crate::ErrorKind::Protocol), before anything is sent, if
    /// `_meta` is not an object or has such a member.
    pub async fn request(&self, method: &str, params: impl Serialize) -> Result<Box<RawValue>, ClientError> {
        let (members, meta) =
            split_meta(self.members(&params)?).map_err(|problem| self.invalid_arguments(&problem))?;
        let mut outgoing = OutgoingRequest {
            method: method.into(),
            members: members.as_str().into(),
            meta: meta.into(),
            name: mcp_name(method, &members),
            wants_progress: true,
            ..OutgoingRequest::default()
        };
        let text = self.send_with_input(&mut outgoing, &mut self.default_options()).await?;
        serde_json::from_str(&text)
            .map_err(|error| self.protocol_error(format!("its result is not valid JSON: {error}")))
    }

    /// Lists the prompts of the server, from all pages. Invalid entries are ignored with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_prompts(&self) -> Result<Vec<Prompt>, ClientError> {
        self.list(ListKind::Prompts).await
    }

    /// Lists the resources of the server, from all pages. Invalid entries are ignored with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_resources(&self) -> Result<Vec<Resource>, ClientError> {
        self.list(ListKind::Resources).await
    }

    /// Lists the resource templates of the server, from all pages. Invalid entries are ignored with a warning.
    ///
    /// # Errors
    /// As [`Client::list_tools`].
    pub async fn list_resource_templates(&self) -> Result<Vec<ResourceTemplate>, ClientError> {
        self.list(ListKind::ResourceTemplates).await
    }

    /// Gets a prompt. `arguments` must serialize to a JSON object of strings.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn get_prompt(
        &self,
        name: &str,
        arguments: impl Serialize,
    ) -> Result<PromptResult, ClientError> {
        let arguments = format!("{{{}}}", self.members(&arguments)?);
        let arguments: Value = serde_json::from_str(&arguments).unwrap_or_default();
        self.typed(method::PROMPTS_GET, json!({"name": name, "arguments": arguments})).await
    }

    /// Reads a resource.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn read_resource(&self, uri: &str) -> Result<ResourceResult, ClientError> {
        self.typed(method::RESOURCES_READ, json!({"uri": uri})).await
    }

    /// Completes an argument of a prompt or a resource template.
    ///
    /// # Errors
    /// As [`Client::call`].
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
        read.map_err(|error| self.protocol_error(format!("its response to `{method}` is invalid: {error}")))
    }

    /// Sends a notification. `params` must serialize to a JSON object.
    ///
    /// # Errors
    /// If the client is not connected and cannot connect.
    pub async fn notify(&self, method: &str, params: impl Serialize) -> Result<(), ClientError> {
        let params = format!("{{{}}}", self.members(&params)?);
        self.connection().await?.notify(method, &params);
        Ok(())
    }

    /// Checks that the server responds. In 2026-07-28, which has no `ping`, this sends `server/discover`.
    ///
    /// # Errors
    /// As [`Client::call`].
    pub async fn ping(&self) -> Result<(), ClientError> {
        let has_ping = self.connection().await?.server.revision.has_handshake();
        let method = if has_ping { method::PING } else { method::SERVER_DISCOVER };
        let outgoing =
            OutgoingRequest { method: method.into(), is_idempotent: true, ..OutgoingRequest::default() };
        self.send(&outgoing, &mut self.default_options()).await.map(drop)
    }

    /// Serializes the members of an object, as JSON without braces.
    pub(crate) fn members(&self, params: &impl Serialize) -> Result<String, ClientError> {
        let mut members = MemberWriter::default();
        serde_json::to_writer(&mut members, params)
            .map_err(|error| self.invalid_arguments(&error.to_string()))?;
        // `serde_json` writes valid UTF-8.
        let mut text = String::from_utf8(members.rest).unwrap_or_default();
        match members.first {
            Some(b'{') => {
                text.pop();
                Ok(text)
            }
            Some(b'n') => Ok(String::new()),
            _ => Err(self.invalid_arguments("the parameters must be a JSON object")),
        }
    }
}

/// Separates the first byte from the rest, which may be long and is copied only once.
#[derive(Default)]
struct MemberWriter {
    first: Option<u8>,
    rest: Vec<u8>,
}

impl io::Write for MemberWriter {
    fn write(&mut self, mut bytes: &[u8]) -> io::Result<usize> {
        /// Room for what follows a long value.
        const MORE_BYTES: usize = 128;
        let written = bytes.len();
        if self.first.is_none() {
            self.first = bytes.split_off_first().copied();
        }
        if self.rest.capacity() - self.rest.len() < bytes.len() {
            self.rest.reserve(bytes.len() + MORE_BYTES);
        }
        self.rest.extend_from_slice(bytes);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use super::{MemberWriter, split_meta};

    #[test]
    fn the_first_byte_is_separated_however_it_is_written() {
        let long = "x".repeat(100_000);
        for parts in [["", "{", &long, "}"], ["{", "", &long, "}"], ["{", &long, "", "}"], ["", "", "", ""]] {
            let mut members = MemberWriter::default();
            for part in parts {
                members.write_all(part.as_bytes()).unwrap();
            }
            let all: Vec<u8> = members.first.into_iter().chain(members.rest).collect();
            assert_eq!(all, parts.concat().as_bytes());
        }
    }

    #[test]
    fn meta_is_separated_from_the_parameters() {
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
            (r#""_meta":1"#, "`_meta` must be an object"),
            (r#""_meta":{"progressToken":1}"#, "`progressToken` in `_meta` is set by the client"),
            (r#""_meta":{"io.modelcontextprotocol/clientInfo":1}"#, "use `ClientBuilder` to change it"),
        ] {
            let error = split_meta(members.to_owned()).expect_err(members);
            assert!(error.contains(problem), "{error}");
        }
    }
}
