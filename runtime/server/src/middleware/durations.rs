//! The durations of requests, for histograms of OpenTelemetry.

use std::time::Duration;

use toolwright_core::protocol::method;
use tracing::level_filters::LevelFilter;

use super::{Ending, Invocation};

/// Whether a subscriber may want durations. Without one, this is the only cost.
pub(super) fn may_be_recorded() -> bool {
    LevelFilter::current() >= LevelFilter::TRACE
}

/// Records the duration of a request (semantic conventions for MCP, `gen-ai/mcp`, "Metric:
/// `mcp.server.operation.duration`"). The event belongs to no span, which would otherwise contain it as well.
pub(super) fn record(invocation: &Invocation, ending: Ending, elapsed: Duration) {
    if !may_be_recorded() {
        return;
    }
    let (called, name) = (invocation.method(), invocation.name());
    let session = invocation.context().observed_session();
    let wire = session.map(|session| session.wire).unwrap_or_default();
    let is_tool = called == method::TOOLS_CALL;
    tracing::event!(
        target: "toolwright::metrics",
        parent: None,
        tracing::Level::TRACE,
        histogram.mcp.server.operation.duration = elapsed.as_secs_f64(),
        mcp.method.name = called,
        mcp.protocol.version = invocation.context().revision().as_str(),
        gen_ai.operation.name = is_tool.then_some("execute_tool"),
        gen_ai.tool.name = is_tool.then_some(name),
        gen_ai.prompt.name = (called == method::PROMPTS_GET).then_some(name),
        error.r#type = ending.error_type().as_deref(),
        rpc.response.status_code = ending.status_code().map(|code| code.to_string()).as_deref(),
        network.transport = wire.transport,
        network.protocol.name = wire.protocol,
    );
}
