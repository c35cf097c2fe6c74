//! Calls of tools, and requests that the server answers with questions.

use std::borrow::Cow;
use std::pin::Pin;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use toolwright_core::protocol::ToolResult;
use toolwright_core::protocol::error::HEADER_MISMATCH;
use toolwright_core::protocol::method;

use crate::client::Client;
use crate::error::{ClientError, ErrorKind, quoted};
use crate::message::{OutgoingRequest, push_string};
use crate::param_headers;
use crate::pending::{Notice, RequestOptions};
use crate::progress::Progress;

/// A call of a tool; `.await` sends it.
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
    /// The members `name` and `arguments`, as JSON text.
    members: Result<Vec<u8>, serde_json::Error>,
    /// Where the arguments begin.
    arguments_at: usize,
    meta: String,
    timeout: Option<Duration>,
    on_progress: Option<Box<dyn FnMut(Progress) + Send + 'a>>,
}

impl Client {
    /// Calls a tool. `arguments` become a JSON object; `()` and `None` are one without members.
    ///
    /// What the server asks meanwhile is answered by the handlers of the client, and the call goes on. A result whose
    /// `is_error` is set is a result: the tool failed and says why, for the model to read.
    ///
    /// # Errors
    /// [`ErrorKind::Protocol`] where the server answers with an error, such as for a tool that does not exist;
    /// [`ErrorKind::Timeout`] after the server's `request_timeout` without an answer and without progress, and then the call
    /// is cancelled, as it is when the future is dropped; [`ErrorKind::Lost`] where the connection ended first.
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
    /// How long without an answer and without progress; the server's `request_timeout` if not set.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.timeout = Some(timeout);
        self
    }

    /// Called with the call's progress, by the task that awaits the call. Where the server continues the call as a task
    /// ([`ClientBuilder::tasks`](crate::ClientBuilder::tasks)), each new status message of it is progress, counted from 1.
    pub fn on_progress(mut self, on_progress: impl FnMut(Progress) + Send + 'a) -> Self {
        self.on_progress = Some(Box::new(on_progress));
        self
    }

    /// Adds a member of `_meta`, such as `traceparent`.
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
            client.invalid_arguments(&format!("the arguments cannot be written as JSON: {error}"))
        })?;
        match &members[arguments_at..] {
            [b'{', ..] => {}
            b"null" => {
                members.truncate(arguments_at);
                members.extend_from_slice(b"{}");
            }
            _ => return Err(client.invalid_arguments("arguments are a JSON object")),
        }
        // All of it was text before.
        let members = String::from_utf8(members).unwrap_or_default();
        let arguments = arguments_at..members.len();
        let headers = client.headers(&tool, &members[arguments.clone()]);
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
        // Up to 2025-11-25 the client says that a call may become a task.
        let asks_for_task = client.takes_legacy_task(&tool).await?;
        if asks_for_task {
            outgoing.members.to_mut().push_str(r#","task":{}"#);
        }
        let mut outcome = client.send_with_input(&mut outgoing, &mut options).await;
        // Headers that the server misses may be those of arguments that it was not asked about yet
        // (2026-07-28, basic/transports/streamable-http "Client Behavior").
        if outcome.as_ref().is_err_and(|error| error.rpc().is_some_and(|rpc| rpc.code == HEADER_MISMATCH)) {
            client.shared.tool_cache.clear();
            Box::pin(client.list_tools()).await?;
            outgoing.headers = client.headers(&tool, &outgoing.members[arguments]);
            outcome = client.send_with_input(&mut outgoing, &mut options).await;
        }
        let mut text = outcome?;
        if asks_for_task && text.contains(r#""task""#) {
            text = Box::pin(client.await_task(&text, &mut options)).await?;
        }
        let result = read_result(&text, client);
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
    pub(crate) fn headers(&self, tool: &str, arguments: &str) -> Vec<(String, String)> {
        match self.shared.tool_cache.info(tool) {
            Some(info) if !info.param_headers.is_empty() => {
                param_headers::build_headers(&info.param_headers, arguments)
            }
            _ => Vec::new(),
        }
    }

    /// Whether a call of the tool may become a task of a server of 2025-11-25.
    async fn takes_legacy_task(&self, tool: &str) -> Result<bool, ClientError> {
        if !self.shared.limits.takes_tasks
            || !self.shared.tool_cache.info(tool).is_some_and(|info| info.takes_task)
        {
            return Ok(false);
        }
        let connection = self.connection().await?;
        let server = &connection.server;
        let calls = server.capabilities.get("tasks").and_then(|tasks| tasks.pointer("/requests/tools/call"));
        Ok(server.revision.has_handshake() && calls.is_some())
    }

    /// Sends a request, and again with answers as long as the server asks (2026-07-28, basic/patterns/mrtr).
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
                let answers = Box::pin(self.input_responses(&input.requests)).await?;
                members.push_str(r#","inputResponses":"#);
                members.push_str(&answers);
            }
            if let Some(state) = input.state {
                members.push_str(r#","requestState":"#);
                members.push_str(&state);
            }
            // Answers may have effects, whatever the request was.
            outgoing.is_idempotent = false;
        }
        let problem = format!("it still asks after {rounds} rounds of questions");
        Err(self.shared.host.error(
            ErrorKind::Protocol,
            problem,
            "raise `max_rounds` if that many are needed",
        ))
    }

    /// The answers to what a server asks, as JSON text.
    pub(crate) async fn input_responses(&self, requests: &Map<String, Value>) -> Result<String, ClientError> {
        let answers = self.shared.host.input.respond_to_all(requests).await;
        answers.map_err(|(method, rejection)| {
            let problem = format!("it asks for `{}`, and {}", quoted(&method), rejection.message);
            self.shared.host.error(ErrorKind::Protocol, problem, "give the client a handler that answers")
        })
    }

    /// The result, unless it breaks what the tool promised and the client is strict.
    fn check_output(&self, tool: &str, result: ToolResult) -> Result<ToolResult, ClientError> {
        // The schema describes success (modelcontextprotocol/typescript-sdk#654).
        if result.is_error {
            return Ok(result);
        }
        let Some(info) = self.shared.tool_cache.info(tool) else { return Ok(result) };
        let Some(output) = &info.output else { return Ok(result) };
        let verdict = match &result.structured_content {
            Some(content) => output.check(content),
            None => Err("there is an output schema and no structured content".to_owned()),
        };
        match verdict {
            Ok(()) => Ok(result),
            Err(problem) => {
                let name = quoted(tool);
                let problem = format!("the result of its tool `{name}` does not fit: {}", quoted(&problem));
                if !self.shared.limits.is_strict {
                    self.warn(&problem);
                    return Ok(result);
                }
                let advice = "report this to those who make the server";
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
        self.shared.host.error(ErrorKind::Protocol, problem, "report this to those who make the server")
    }
}

/// What a result is.
enum ResultKind {
    Complete,
    InputRequired(InputRequired),
    /// The call goes on as a task.
    Task,
}

/// What a result asks for.
struct InputRequired {
    requests: Map<String, Value>,
    /// JSON text, to be sent back as it is.
    state: Option<String>,
}

/// What a result asks for, if it does (2026-07-28, basic "`ResultType`").
///
/// # Errors
/// Where its type is none that is known.
fn classify(result: &str) -> Result<ResultKind, String> {
    #[derive(Deserialize)]
    #[serde(rename_all = "camelCase")]
    struct Head<'a> {
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
    let head: Head<'_> =
        serde_json::from_str(result).map_err(|error| format!("its result cannot be read: {error}"))?;
    match head.result_type.as_deref() {
        None | Some("complete") => Ok(ResultKind::Complete),
        Some("task") => Ok(ResultKind::Task),
        Some("input_required") => Ok(ResultKind::InputRequired(InputRequired {
            requests: head.input_requests,
            state: head.request_state.map(|state| state.get().to_owned()),
        })),
        Some(other) => Err(format!("its result has the type `{}`, which nobody here knows", quoted(other))),
    }
}

fn read_result(text: &str, client: &Client) -> Result<ToolResult, ClientError> {
    let mut result: ToolResult = match serde_json::from_str(text) {
        Ok(result) => result,
        Err(error) => {
            let unreadable = || client.protocol_error(format!("its result is not that of a tool: {error}"));
            let mut value: Value = serde_json::from_str(text).map_err(|_| unreadable())?;
            let object = value.as_object_mut().ok_or_else(unreadable)?;
            if object.get("content").is_some_and(|content| !content.is_array()) {
                object.shift_remove("content");
                client.warn("the content of a result is not a list; it is taken for an empty one");
            }
            object.retain(|name, value| !(matches!(name.as_str(), "_meta" | "isError") && value.is_null()));
            serde_json::from_value(value).map_err(|_| unreadable())?
        }
    };
    result.other.shift_remove("resultType");
    Ok(result)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_result_asks_for_is_found() {
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
        let Ok(ResultKind::InputRequired(input)) = input else { panic!("it asks") };
        assert_eq!((input.state.as_deref(), input.requests.len()), (Some(r#""a\u0062""#), 1));
        assert!(classify(r#"{"resultType":"later"}"#).is_err());
    }
}
