//! The server under test: one tool that is done at once, one that waits a moment, a prompt and a resource.

use std::io::Cursor;
use std::time::Duration;

use bytes::Bytes;
use http::Response;
use http_body_util::{BodyExt as _, Full};
use schemars::JsonSchema;
use serde::Deserialize;
use tokio::io::AsyncReadExt as _;
use tokio::runtime::{Builder, Runtime};
use toolwright::{Context, Handler, HttpService, Resource, Server, Service, Tool, ToolError, Toolset, transport::Lines, protocol::LogLevel};
use tower_service::Service as _;

/// Says the text again.
#[derive(Tool, Deserialize, JsonSchema)]
pub struct Echo {
    text: String,
    /// The number of repetitions.
    #[mcp(minimum = 1, maximum = 3, header = "Times")]
    times: Option<u8>,
}

/// Logs the text, and says it a moment later.
#[derive(Tool, Deserialize, JsonSchema)]
pub struct Say {
    text: String,
}

/// The tools.
#[derive(Toolset)]
pub enum Tools {
    /// At once.
    Echo(Echo),
    /// After a moment.
    Say(Say),
}

struct Lab;

impl Handler<Echo> for Lab {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Echo, _cx: &Context) -> Self::Output {
        Ok(input.text.repeat(input.times.unwrap_or(1).into()))
    }
}

impl Handler<Say> for Lab {
    type Output = Result<String, ToolError>;

    async fn call(&self, input: Say, cx: &Context) -> Self::Output {
        cx.log(LogLevel::Alert, None, &input.text).await;
        tokio::time::sleep(Duration::from_millis(1)).await;
        Ok(input.text)
    }
}

/// A new server.
pub fn service() -> Service {
    Server::new(Lab)
        .tools::<Tools>()
        .resource(Resource::new("lab://note", "note"), async || "a note")
        .build()
        .expect("the names differ")
}

/// A runtime whose clock runs ahead when nothing is left to do, so that nothing takes time.
pub fn runtime() -> Runtime {
    Builder::new_current_thread().enable_time().start_paused(true).build().expect("a runtime")
}

/// Everything that a new server writes to a peer that writes `input` and nothing else.
pub fn converse(input: &[u8]) -> Vec<u8> {
    runtime().block_on(async {
        let (mut peer, writer) = tokio::io::simplex(4 << 10);
        let lines = Lines::new(Cursor::new(input.to_owned()), writer);
        let mut written = Vec::new();
        let service = service();
        let (served, read) = tokio::join!(service.serve(lines), peer.read_to_end(&mut written));
        served.expect("the end of the input is not an error");
        read.expect("memory can be read");
        written
    })
}

/// A service over HTTP.
pub struct Endpoint {
    http: HttpService,
    runtime: Runtime,
}

impl Endpoint {
    /// A new one.
    pub fn new() -> Self {
        Self { http: HttpService::new(&service()), runtime: runtime() }
    }

    /// That of a service which was made on the runtime.
    pub fn on(runtime: Runtime, http: HttpService) -> Self {
        Self { http, runtime }
    }

    /// Sends a request; returns the response with as much of its body as comes in a bounded number of frames.
    pub fn send(&mut self, request: http::Request<Full<Bytes>>) -> Response<Vec<u8>> {
        /// A stream may have no end.
        const FRAMES: usize = 16;
        let Self { http, runtime } = self;
        runtime.block_on(async {
            let Ok(response) = http.call(request).await;
            let (head, mut body) = response.into_parts();
            let mut read = Vec::new();
            for _ in 0..FRAMES {
                let Some(Ok(frame)) = body.frame().await else { break };
                read.extend_from_slice(&frame.into_data().unwrap_or_default());
            }
            Response::from_parts(head, read)
        })
    }
}

impl Default for Endpoint {
    fn default() -> Self {
        Self::new()
    }
}
