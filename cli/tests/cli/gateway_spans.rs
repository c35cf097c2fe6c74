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
    use std::net::TcpListener;

    use super::*;

    /// A collector: the content types and bodies of what it was sent.
    struct Collector {
        url: String,
        received: Arc<Mutex<Received>>,
    }

    type Received = Vec<(String, Vec<u8>)>;

    impl Collector {
        fn start() -> Self {
            let listener = TcpListener::bind("127.0.0.1:0").unwrap();
            let url = format!("http://{}", listener.local_addr().unwrap());
            let received = Arc::new(Mutex::new(Received::new()));
            let kept = Arc::clone(&received);
            std::thread::spawn(move || {
                for stream in listener.incoming() {
                    let kept = Arc::clone(&kept);
                    std::thread::spawn(move || receive(stream.unwrap(), &kept));
                }
            });
            Self { url, received }
        }

        /// Returns the spans so far, each with the name of its service.
        fn spans(&self) -> Vec<(String, Value)> {
            let mut spans = Vec::new();
            for (_, body) in &*self.received.lock().unwrap() {
                let body: Value = serde_json::from_slice(body).unwrap();
                for resource in body["resourceSpans"].as_array().unwrap() {
                    let attributes = resource["resource"]["attributes"].as_array().unwrap();
                    let service = attributes.iter().find(|attribute| attribute["key"] == "service.name");
                    let service = service.unwrap()["value"]["stringValue"].as_str().unwrap();
                    for span in resource["scopeSpans"][0]["spans"].as_array().unwrap() {
                        spans.push((service.to_owned(), span.clone()));
                    }
                }
            }
            spans
        }
    }

    /// Reads requests, and accepts them.
    fn receive(mut stream: TcpStream, received: &Mutex<Received>) {
        let mut reader = BufReader::new(stream.try_clone().unwrap());
        loop {
            let (mut head, mut line) = (String::new(), String::new());
            while reader.read_line(&mut line).unwrap_or(0) > 2 {
                head += &line.to_lowercase();
                line.clear();
            }
            if head.is_empty() {
                return;
            }
            assert!(head.starts_with("post /v1/traces "), "{head}");
            let header = |name: &str| head.lines().find_map(|line| line.strip_prefix(name)).unwrap().trim();
            let mut body = vec![0; header("content-length:").parse().unwrap()];
            reader.read_exact(&mut body).unwrap();
            received.lock().unwrap().push((header("content-type:").to_owned(), body));
            let answer = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}";
            stream.write_all(answer.as_bytes()).unwrap();
        }
    }

    #[test]
    fn a_collector_sees_a_call_as_one_trace_through_gateways() {
        let scratch = scratch();
        let folder = scratch.path();
        config(folder, &["desk"]);
        let collector = Collector::start();
        let mut environment = vec![
            ("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()),
            ("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"),
            ("OTEL_BSP_SCHEDULE_DELAY", "100"),
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
    }

    #[cfg(unix)]
    #[test]
    fn the_last_spans_are_sent_at_the_end_as_protobuf() {
        let scratch = scratch();
        let folder = scratch.path();
        config(folder, &["desk"]);
        let collector = Collector::start();
        let off = [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()), ("OTEL_SDK_DISABLED", "true")];
        // The delay is longer than the test.
        let on =
            [("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url.as_str()), ("OTEL_BSP_SCHEDULE_DELAY", "600000")];
        for environment in [off, on] {
            assert!(collector.received.lock().unwrap().is_empty());
            let mut gateway = Observed::start(folder, "mcp.json", &[], &environment);
            gateway.call("desk__help");
            let id = gateway.child.id().to_string();
            assert!(Command::new("kill").args(["-TERM", &id]).status().unwrap().success());
            assert!(gateway.child.wait().unwrap().success());
        }
        let received = collector.received.lock().unwrap().clone();
        assert_eq!(received.len(), 1);
        let (kind, body) = &received[0];
        assert_eq!(kind, "application/x-protobuf");
        let name = b"tools/call desk__help";
        assert!(body.windows(name.len()).any(|part| part == name));
    }
}
