//! What `cargo mcp gateway` writes to standard error, and sends to a collector of OpenTelemetry.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};

use serde_json::{Value, json};

use crate::common::{run, scratch};
use crate::gateway_controls::until;
use crate::gateway_runs::config;

const PROGRAM: &str = env!("CARGO_BIN_EXE_cargo-mcp");
const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";
const CANARY: &str = "s3cret-canary";

/// A gateway over HTTP, and what it writes to standard error.
struct Observed {
    child: Child,
    url: String,
    lines: Arc<Mutex<Vec<String>>>,
}

impl Observed {
    fn start(folder: &Path, file: &str, more: &[&str], environment: &[(&str, &str)]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.args(["mcp", "gateway", "--http", "127.0.0.1:0", "--config", file]).args(more);
        command.env_remove("RUST_LOG").envs(environment.iter().copied()).current_dir(folder);
        let mut child = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut all = BufReader::new(child.stderr.take().unwrap()).lines();
        let url = all.find_map(|line| Some(line.unwrap().split_once("listening at ")?.1.to_owned()));
        let lines = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&lines);
        std::thread::spawn(move || all.for_each(|line| kept.lock().unwrap().push(line.unwrap())));
        Self { child, url: url.expect("it listens"), lines }
    }

    /// Calls a tool as a part of a trace.
    fn call(&self, tool: &str) -> String {
        let host = self.url.split('/').nth(2).unwrap();
        let meta = json!({"io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": {}, "traceparent": format!("00-{TRACE}-{CALLER}-01"),
            "tracestate": "vendor=1"});
        let params = json!({"name": tool, "arguments": {"secret": CANARY}, "_meta": meta});
        let body = json!({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}).to_string();
        let head = format!(
            "POST /mcp/gateway HTTP/1.1\r\nHost: {host}\r\nAccept: application/json, text/event-stream\r\n\
             Content-Type: application/json\r\nMCP-Protocol-Version: 2026-07-28\r\nMcp-Method: tools/call\r\n\
             Mcp-Name: {tool}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        );
        let mut stream = TcpStream::connect(host).unwrap();
        stream.write_all(head.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
        answer
    }

    fn lines(&self) -> Vec<String> {
        self.lines.lock().unwrap().clone()
    }
}

impl Drop for Observed {
    fn drop(&mut self) {
        _ = self.child.kill();
        _ = self.child.wait();
    }
}

#[test]
fn calls_are_written_to_standard_error_if_asked_for() {
    let scratch = scratch();
    let folder = scratch.path();
    config(folder, &["desk"]);
    let quiet = Observed::start(folder, "mcp.json", &[], &[]);
    let text = Observed::start(folder, "mcp.json", &["--log", "info"], &[]);
    let records = ["--log", "off,toolwright=info", "--log-format", "json"];
    let json = Observed::start(folder, "mcp.json", &records, &[]);
    let by_variable = Observed::start(folder, "mcp.json", &[], &[("RUST_LOG", "toolwright=info")]);
    for gateway in [&quiet, &text, &json, &by_variable] {
        gateway.call("desk__help");
    }
    let of_calls = |gateway: &Observed| -> Vec<String> {
        gateway.lines().into_iter().filter(|line| line.contains("gen_ai.tool.name")).collect()
    };
    for gateway in [&text, &json, &by_variable] {
        until("the call is written", || !of_calls(gateway).is_empty());
        let all = gateway.lines().join("\n");
        assert!(!all.contains(CANARY), "{all}");
    }
    assert_eq!(of_calls(&quiet), [""; 0]);
    let line = of_calls(&text).remove(0);
    assert!(line.contains(" INFO ") && line.contains(r#"gen_ai.tool.name="desk__help""#), "{line}");
    let record: Value = serde_json::from_str(&of_calls(&json).remove(0)).unwrap();
    assert_eq!(
        (&record["level"], &record["span"]["gen_ai.tool.name"], &record["span"]["mcp.method.name"]),
        (&json!("INFO"), &json!("desk__help"), &json!("tools/call"))
    );
    let wrong = ["gateway", "--config", "mcp.json", "--log", "toolwright=loud"];
    run(folder, &wrong).ended(2).says(&["--log toolwright=loud"]);
}

#[cfg(feature = "otel")]
mod collector {
    use test_http::collector::{Collector, attributes};

    use super::*;

    #[test]
    fn a_collector_sees_a_call_as_one_trace_through_gateways() {
        let scratch = scratch();
        let folder = scratch.path();
        config(folder, &["desk"]);
        let collector = Collector::start();
        let mut environment = vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_BSP_SCHEDULE_DELAY", "100"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "100"),
        ];
        let behind = Observed::start(folder, "mcp.json", &[], &environment);
        let file = json!({"mcpServers": {"behind": {"url": behind.url}}}).to_string();
        std::fs::write(folder.join("front.json"), file).unwrap();
        environment.push(("OTEL_SERVICE_NAME", "front"));
        let front = Observed::start(folder, "front.json", &[], &environment);
        front.call("behind__desk__help");
        until("both have sent their spans", || collector.spans().len() >= 2);

        let spans = collector.spans();
        assert_eq!(spans.len(), 2, "{spans:?}");
        let of = |service: &str| &spans.iter().find(|(name, _)| name == service).unwrap().1;
        let (outer, inner) = (of("front"), of("toolwright-gateway"));
        assert_eq!(
            (&outer["traceId"], &outer["parentSpanId"], &outer["name"]),
            (&json!(TRACE), &json!(CALLER), &json!("tools/call behind__desk__help"))
        );
        assert_eq!(
            (&inner["traceId"], &inner["parentSpanId"], &inner["name"]),
            (&json!(TRACE), &outer["spanId"], &json!("tools/call desk__help"))
        );
        assert_eq!(
            (&outer["kind"], &inner["traceState"]),
            (&json!(2), &json!("vendor=1")),
            "{outer} {inner}"
        );
        assert!(!format!("{spans:?}").contains(CANARY));

        until("both have sent durations", || {
            ["front", "toolwright-gateway"]
                .iter()
                .all(|name| collector.metrics().iter().any(|(service, _)| service == name))
        });
        let metrics = collector.metrics();
        let (_, metric) = metrics.iter().find(|(service, _)| service == "front").unwrap();
        assert_eq!(
            (&metric["name"], &metric["unit"]),
            (&json!("mcp.server.operation.duration"), &json!("s"))
        );
        let point = &metric["histogram"]["dataPoints"][0];
        assert_eq!(point["explicitBounds"].as_array().unwrap().len(), 14, "{point}");
        let tool = ("gen_ai.tool.name".to_owned(), "behind__desk__help".to_owned());
        assert!(attributes(point).contains(&tool), "{point}");
        assert!(!format!("{metrics:?}").contains(CANARY));
    }

    #[cfg(unix)]
    #[test]
    fn the_last_spans_and_durations_are_sent_as_protobuf() {
        let scratch = scratch();
        let folder = scratch.path();
        config(folder, &["desk"]);
        let collector = Collector::start();
        let off = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()), ("OTEL_SDK_DISABLED", "true")];
        // The delay is longer than the test.
        let on = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url()), ("OTEL_BSP_SCHEDULE_DELAY", "600000")];
        for environment in [off, on] {
            assert!(collector.received("traces").is_empty() && collector.received("metrics").is_empty());
            let mut gateway = Observed::start(folder, "mcp.json", &[], &environment);
            gateway.call("desk__help");
            let id = gateway.child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
            assert!(gateway.child.wait().unwrap().success());
        }
        for (signal, name) in
            [("traces", "tools/call desk__help"), ("metrics", "mcp.server.operation.duration")]
        {
            let received = collector.received(signal);
            assert_eq!(received.len(), 1, "{signal}");
            assert_eq!(received[0].kind, "application/x-protobuf");
            assert!(received[0].body.windows(name.len()).any(|part| part == name.as_bytes()), "{signal}");
        }
    }
}
