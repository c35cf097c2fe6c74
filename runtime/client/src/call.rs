//! Tool calls, and requests that require input.

use std::borrow::Cow;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::protocol::ToolResult;
use toolwright_core::protocol::error::HEADER_MISMATCH;
use toolwright_core::protocol::method;

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, quote};
use crate::message::{OutgoingRequest, push_string};
use crate::param_headers;
use crate::pending::{Notice, RequestOptions};
use crate::progress::Progress;

/// A tool call, which is sent when it is awaited.
///
/// ```no_run
/// # async fn example(client: toolwright_client::Client) -> Result<(), toolwright_client::ClientError> {
/// use std::time::Duration;
///
/// let result = client
///     .call("index", serde_json::json!({"folder": "docs"}))
///     .on_progress(|progress| println!("{}", progress.progress))
///     .timeout(Duration::from_secs(300))
///     .await?;
/// # Ok(())
/// # }
/// ```
#[must_use = "a call is sent when it is awaited"]
pub struct Call<'a> {
    client: &'a Client,
    tool: Cow<'a, str>,
    /// The members `name` and `arguments`, as JSON without braces.
    members: Result<Vec<u8>, serde_json::Error>,
    /// The offset of the arguments.
    arguments_at: usize,
    meta: String,
    timeout: Option<Duration>,
    on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl Client {
    /// Calls a tool. `arguments` must serialize to a JSON object; `()` and `None` are an empty one.
    ///
    /// The handlers of the client respond to input requests of the call. A result with `is_error` is returned as a
    /// result: it tells the model why the tool failed.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`] if the server responds with an error, for example to an unknown tool;
    /// [`ErrorKind::Timeout`] if there is no response and no progress within the server's `request_timeout` (the call
    /// is then cancelled, as it is when the future is dropped); [`ErrorKind::Lost`] if the connection is lost.
    pub fn call<'a>(&'a self, tool: impl Into<Cow<'a, str>>, arguments: impl Serialize) -> Call<'a> {
        let tool = tool.into();
        let mut members = self.shared.host.buffers.take();
        members.reserve(tool.len() + 128);
        members.extend_from_slice(br#""name":"#);
        push_string(&mut members, &tool);
        members.extend_from_slice(br#","arguments":"#);
        let arguments_at = members.len();
        let written = serde_json::to_writer(&mut members, &arguments);
        Call {
            client: self,
            tool,
            members: written.map(|()| members),
            arguments_at,
            meta: String::new(),
            timeout: None,
            on_progress: None,
        }
    }
}

impl<'a> Call<'a> {
    /// Sets how long the call may take without a response or progress. The default is the server's `request_timeout`.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Sets a function that receives the progress of the call, in the task that awaits it. If the server runs the call
    /// as a task ([`ClientBuilder::tasks`](crate::ClientBuilder::tasks)), each new status message is progress, counted
    /// from 1.
    pub fn on_progress(mut self, on_progress: impl FnMut(Progress) + Send + 'a) -> Self {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Adds a member to `_meta`, such as `traceparent`.
    pub fn meta(mut self, key: &str, value: &Value) -> Self {
        let mut member = Vec::new();
        push_string(&mut member, key);
        let comma = if self.meta.is_empty() { "" } else { "," };
        self.meta = format!("{}{comma}{}:{value}", self.meta, String::from_utf8_lossy(&member));
        self
    }

    async fn send(self) -> Result<ToolResult, ClientError> {
        let Self { client, tool, members, arguments_at, meta, timeout, mut on_progress } = self;
        let mut members = members.map_err(|error| {
            client.invalid_arguments(&format!("the arguments cannot be serialized: {error}"))
        })?;
        match &members[arguments_at..] {
            [b'{', ..] => {}
            b"null" => {
                members.truncate(arguments_at);
                members.extend_from_slice(b"{}");
            }
            _ => return Err(client.invalid_arguments("the arguments must be a JSON object")),
        }
        // Only valid UTF-8 was written.
        let members = String::from_utf8(members).unwrap_or_default();
        let arguments = arguments_at..members.len();
        let headers = client.param_headers(&tool, || &members[arguments.clone()]);
        let mut outgoing = OutgoingRequest {
            method: method::TOOLS_CALL.into(),
            members: members.into(),
            meta: meta.into(),
            name: Some(tool.clone()),
            era_meta: None,
            headers,
            wants_progress: true,
            is_idempotent: false,
        };
        let mut on_notice = |notice| {
            if let (Notice::Progress(progress), Some(on_progress)) = (notice, &mut on_progress) {
                on_progress(progress);
            }
        };
        let mut options = RequestOptions { on_notice: Some(&mut on_notice), ..client.default_options() };
        if let Some(timeout) = timeout {
            (options.timeout, options.max_duration) = (timeout, options.max_duration.max(timeout));
        }
        // Up to 2025-11-25, the client requests that a call becomes a task.
        let requests_task = client.can_request_task(&tool).await?;
        if requests_task {
            outgoing.members.to_mut().push_str(r#","task":{}"#);
        }
        let mut parsed = None;
        // The text of a task is needed.
        options.tool_result = (!requests_task).then_some(&mut parsed);
        let mut outcome = client.send_with_input(&mut outgoing, &mut options).await;
        if client.read_headers_again(&outcome).await? {
            outgoing.headers = client.param_headers(&tool, || &outgoing.members[arguments]);
            outcome = client.send_with_input(&mut outgoing, &mut options).await;
        }
        let mut text = outcome?;
        if requests_task && text.contains(r#""task""#) {
            text = Box::pin(client.await_task(&text, &mut options)).await?;
        }
        let result = match parsed {
            Some(result) => Ok(result),
            None => read_result(&text, client),
        };
        let buffers = &client.shared.host.buffers;
        buffers.put(text);
        buffers.put(outgoing.members.into_owned());
        client.check_output(&tool, result?)
    }
}

impl<'a> IntoFuture for Call<'a> {
    type Output = Result<ToolResult, ClientError>;
    type IntoFuture = Pin<Box<dyn Future<Output = Self::Output> + Send + 'a>>;

    fn into_future(self) -> Self::IntoFuture {
        Box::pin(self.send())
    }
}

impl Client {
    pub(crate) fn param_headers<'a>(
        &self,
        tool: &str,
        arguments: impl FnOnce() -> &'a str,
    ) -> Vec<(String, String)> {
        match self.shared.tool_cache.info(tool) {
            Some(info) if !info.param_headers.is_empty() => {
                param_headers::build(&info.param_headers, arguments())
            }
            _ => Vec::new(),
        }
    }

    /// Lists the tools again if a call lacked headers, and returns whether that was so. The headers may be those of arguments
    /// that were annotated after the list was read (2026-07-28, basic/transports/streamable-http "Client Behavior").
    pub(crate) async fn read_headers_again<T>(
        &self,
        outcome: &Result<T, ClientError>,
    ) -> Result<bool, ClientError> {
        let rpc = outcome.as_ref().err().and_then(ClientError::rpc);
        if rpc.is_none_or(|rpc| rpc.code != HEADER_MISMATCH) {
            return Ok(false);
        }
        self.shared.tool_cache.clear();
        Box::pin(self.list_tools()).await?;
        Ok(true)
    }

    /// Returns whether a call of the tool may become a task of a server of 2025-11-25.
    async fn can_request_task(&self, tool: &str) -> Result<bool, ClientError> {
        if !self.shared.limits.accepts_tasks
            || !self.shared.tool_cache.info(tool).is_some_and(|info| info.accepts_task)
        {
            return Ok(false);
        }
        let connection = self.connection().await?;
        let server = &connection.server;
        let calls = server.capabilities.get("tasks").and_then(|tasks| tasks.pointer("/requests/tools/call"));
        Ok(server.revision.has_handshake() && calls.is_some())
    }

    /// Sends a request, and repeats it with input responses until it completes (2026-07-28, basic/patterns/mrtr).
    pub(crate) async fn send_with_input(
        &self,
        outgoing: &mut OutgoingRequest<'_>,
        options: &mut RequestOptions<'_>,
    ) -> Result<String, ClientError> {
        let first = outgoing.members.len();
        let rounds = self.shared.limits.max_rounds;
        for _ in 0..=rounds {
            let result = self.send(outgoing, options).await?;
            let input = match classify(&result).map_err(|problem| self.protocol_error(problem))? {
                ResultKind::Complete => return Ok(result),
                ResultKind::Task => return Box::pin(self.await_task(&result, options)).await,
                ResultKind::InputRequired(input) => input,
            };
            let members = outgoing.members.to_mut();
            members.truncate(first);
            if !input.requests.is_empty() {
                let responses = Box::pin(self.respond_to(&input.requests)).await?;
                members.push_str(r#","inputResponses":"#);
                members.push_str(&responses);
            }
            if let Some(state) = input.state {
                members.push_str(r#","requestState":"#);
                members.push_str(&state);
            }
            // Input responses may have effects, even if the request has none.
            outgoing.is_idempotent = false;
        }
        let problem = format!("it still requires input after {rounds} rounds");
        Err(self.shared.host.error(
            ErrorKind::Protocol,
            problem,
            "raise `max_rounds` if that many are needed",
        ))
    }

    /// Responds to input requests; returns the responses as JSON.
    pub(crate) async fn respond_to(&self, requests: &Map<String, Value>) -> Result<String, ClientError> {
        let responses = self.shared.host.input.respond_to_all(requests).await;
        responses.map_err(|(method, rejection)| {
            let problem =
                format!("it sent the input request `{}`, but {}", quote(&method), rejection.message);
            self.shared.host.error(ErrorKind::Protocol, problem, "add a handler for it to the client")
        })
    }

    /// Validates the result against the output schema of the tool: a mismatch is an error if the client is strict, else
    /// a warning.
    fn check_output(&self, tool: &str, result: ToolResult) -> Result<ToolResult, ClientError> {
        // The schema only applies to successful results (modelcontextprotocol/typescript-sdk#654).
        if result.is_error {
            return Ok(result);
        }
        let Some(info) = self.shared.tool_cache.info(tool) else { return Ok(result) };
        let Some(output) = &info.output else { return Ok(result) };
        let verdict = match &result.structured_content {
            Some(content) => output.check(content),
            None => Err("the tool has an output schema, but the result has no structured content".to_owned()),
        };
        match verdict {
            Ok(()) => Ok(result),
            Err(problem) => {
                let name = quote(tool);
                let problem = format!(
                    "the result of its tool `{name}` does not match its output schema: {}",
                    quote(&problem)
                );
                if !self.shared.limits.is_strict {
                    self.warn(&problem);
                    return Ok(result);
                }
                let advice = "report this to the server's developers";
                Err(self.shared.host.error(ErrorKind::Protocol, problem, advice).with_result(result))
            }
        }
    }

    pub(crate) fn invalid_arguments(&self, problem: &str) -> ClientError {
        self.shared.host.error(
            ErrorKind::Protocol,
            format!("nothing was sent: {problem}"),
            "correct the arguments",
        )
    }

    pub(crate) fn protocol_error(&self, problem: String) -> ClientError {
        self.shared.host.error(ErrorKind::Protocol, problem, "report this to the server's developers")
    }
}

/// The kind of a result.
enum ResultKind {
    Complete,
    InputRequired(InputRequired),
    /// The call continues as a task.
    Task,
}

/// The input that a result requires.
struct InputRequired {
    requests: Map<String, Value>,
    /// JSON, to be returned unchanged.
    state: Option<String>,
}

/// Returns the kind of a result (2026-07-28, basic "`ResultType`").
///
/// # Errors
/// If the type is unknown.
fn classify(result: &str) -> Result<ResultKind, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct ResultHead<'a> {
        #[serde(default)]
        result_type: Option<Cow<'a, str>>,
        #[serde(default)]
        input_requests: Map<String, Value>,
        #[serde(default, borrow)]
        request_state: Option<&'a serde_json::value::RawValue>,
    }
    const KEY: &[u8] = br#""resultType""#;
    let is_complete = |rest: &[u8]| {
        let rest = rest.trim_ascii_start().strip_prefix(b":").map(<[u8]>::trim_ascii_start);
        rest.is_some_and(|rest| rest.starts_with(br#""complete""#))
    };
    let mut keys = memchr::memmem::find_iter(result.as_bytes(), KEY);
    if keys.all(|at| is_complete(&result.as_bytes()[at + KEY.len()..])) {
        return Ok(ResultKind::Complete);
    }
    let head: ResultHead<'_> =
        serde_json::from_str(result).map_err(|error| format!("its result cannot be parsed: {error}"))?;
    match head.result_type.as_deref() {
        None | Some("complete") => Ok(ResultKind::Complete),
        Some("task") => Ok(ResultKind::Task),
        Some("input_required") => Ok(ResultKind::InputRequired(InputRequired {
            requests: head.input_requests,
            state: head.request_state.map(|state| state.get().to_owned()),
        })),
        Some(other) => Err(format!("its result has the unknown type `{}`", quote(other))),
    }
}

fn read_result(text: &str, client: &Client) -> Result<ToolResult, ClientError> {
    let mut result: ToolResult = match serde_json::from_str(text) {
        Ok(result) => result,
        Err(error) => {
            let invalid = || client.protocol_error(format!("its result is not a valid tool result: {error}"));
            let mut value: Value = serde_json::from_str(text).map_err(|_| invalid())?;
            let object = value.as_object_mut().ok_or_else(invalid)?;
            if object.get("content").is_some_and(|content| !content.is_array()) {
                object.shift_remove("content");
                client.warn("the `content` of a result is not an array; it is treated as empty");
            }
            object.retain(|name, value| !(matches!(name.as_str(), "_meta" | "isError") && value.is_null()));
            serde_json::from_value(value).map_err(|_| invalid())?
        }
    };
    result.other.shift_remove("resultType");
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_that_require_input_are_detected() {
        for text in [
            "{}",
            r#"{"content":[]}"#,
            r#"{"resultType":"complete"}"#,
            r#"{"structuredContent":{"resultType":"other"}}"#,
            r#"{"structuredContent":{"resultType":"input_required"},"resultType": "complete"}"#,
        ] {
            assert!(matches!(classify(text), Ok(ResultKind::Complete)), "{text}");
        }
        let input =
            classify(r#"{"resultType":"input_required","requestState":"a\u0062","inputRequests":{"k":{}}}"#);
        let Ok(ResultKind::InputRequired(input)) = input else { panic!("input is required") };
        assert_eq!((input.state.as_deref(), input.requests.len()), (Some(r#""a\u0062""#), 1));
        assert!(classify(r#"{"resultType":"later"}"#).is_err());
    }
}
