//! A collector receives spans and metrics of calls, and nothing secret.

use std::process::Command;

use serde_json::{Value, json};
use test_http::collector::{Collector, attributes};
use test_http::program::Program;
use test_http::transcript;

const TRACE: &str = "0af7651916cd43dd8448eb211c80319c";
const CALLER: &str = "b7ad6b7169203331";

fn start(collector: &Collector) -> Program {
    let mut command = Command::new(env!("CARGO_BIN_EXE_observed"));
    command.arg("127.0.0.1:0").env("OTEL_EXPORTER_OTLP_ENDPOINT", collector.url());
    Program::start(command.env("OTEL_EXPORTER_OTLP_PROTOCOL", "http/json"))
}

/// The histogram with this name, which must be complete.
fn histogram(collector: &Collector, name: &str) -> Value {
    let metrics = collector.metrics();
    let found = metrics.iter().rfind(|(_, metric)| metric["name"] == name);
    let (service, metric) = found.unwrap_or_else(|| panic!("no {name} in {metrics:?}"));
    assert_eq!((service.as_str(), &metric["unit"]), ("observed", &json!("s")));
    let points = metric["histogram"]["dataPoints"].as_array().expect("points");
    for point in points {
        let bounds = point["explicitBounds"].as_array().expect("buckets");
        assert_eq!((bounds.len(), &bounds[0]), (14, &json!(0.01)), "{point}");
    }
    metric["histogram"]["dataPoints"].clone()
}

fn named(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    let mut all: Vec<_> = pairs.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    all.sort();
    all
}

#[test]
fn a_collector_receives_the_spans_and_durations_of_calls() {
    let collector = Collector::start();
    let program = start(&collector);
    let lab = program.lab();
    let trace = format!("00-{TRACE}-{CALLER}-01");
    let params = json!({"name": "brew_tea", "arguments": {"cups": 2}, "_meta": {"traceparent": trace}});
    let mut brewed = lab.modern("tools/call", &params).send();
    assert_eq!(brewed.json()["result"]["content"][0]["text"], "cups of tea: 2");
    let mut failed = lab.call("brew_tea", &json!({"cups": 99})).send();
    assert_eq!(failed.json()["result"]["isError"], true);
    let session = lab.session("2025-11-25");
    let mut brewed = session.call(2, "brew_tea", &json!({"cups": 1})).send();
    assert_eq!(brewed.json()["result"]["content"][0]["text"], "cups of tea: 1");
    let secret = session.id.clone();
    assert!(program.end_by("TERM").success());

    let spans = collector.spans();
    let of = |name: &str| -> Vec<&Value> {
        spans.iter().map(|(_, span)| span).filter(|span| span["name"] == name).collect()
    };
    let (calls, inner, sessions) = (of("tools/call brew_tea"), of("heat_water"), of("mcp.session"));
    assert_eq!((calls.len(), inner.len(), sessions.len()), (3, 2, 1), "{spans:?}");
    let first = calls[0];
    assert_eq!((&first["traceId"], &first["parentSpanId"]), (&json!(TRACE), &json!(CALLER)));
    assert_eq!((&inner[0]["traceId"], &inner[0]["parentSpanId"]), (&json!(TRACE), &first["spanId"]));
    let wire = [("network.transport", "tcp"), ("network.protocol.name", "http")];
    for (span, kind) in [(first, None), (calls[1], Some("tool_error"))] {
        let all = attributes(span);
        let value = |name: &str| all.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        assert_eq!(
            (value("gen_ai.tool.name"), value("mcp.method.name")),
            (Some("brew_tea"), Some("tools/call"))
        );
        assert_eq!((value("error.type"), value(wire[0].0)), (kind, Some(wire[0].1)));
    }

    let points = histogram(&collector, "mcp.server.operation.duration");
    let points = points.as_array().expect("points");
    let call = |revision, failure: Option<(&'static str, &'static str)>| {
        let common = [
            ("mcp.method.name", "tools/call"),
            ("gen_ai.operation.name", "execute_tool"),
            ("gen_ai.tool.name", "brew_tea"),
            ("mcp.protocol.version", revision),
        ];
        named(&common.into_iter().chain(wire).chain(failure).collect::<Vec<_>>())
    };
    let expected = [
        call("2026-07-28", None),
        call("2026-07-28", Some(("error.type", "tool_error"))),
        call("2025-11-25", None),
    ];
    assert_eq!(points.len(), expected.len(), "{points:?}");
    for attributes_of_call in expected {
        let found = points.iter().find(|point| attributes(point) == attributes_of_call);
        let point = found.unwrap_or_else(|| panic!("no {attributes_of_call:?} in {points:?}"));
        assert!(point["count"] == "1" || point["count"] == 1, "{point}");
    }
    let sessions = histogram(&collector, "mcp.server.session.duration");
    let of_session = wire.into_iter().chain([("mcp.protocol.version", "2025-11-25")]).collect::<Vec<_>>();
    assert_eq!(attributes(&sessions[0]), named(&of_session));

    for signal in ["traces", "metrics"] {
        let sent = collector.received(signal);
        let text: String =
            sent.iter().map(|request| String::from_utf8_lossy(&request.body).into_owned()).collect();
        assert!(!text.contains(&secret) && !text.contains("cups of tea"), "{text}");
    }
}

/// Without a collector, nothing else changes.
#[test]
fn calls_do_not_depend_on_the_collector() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_observed"));
    command.arg("127.0.0.1:0").env("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:1");
    let program = Program::start(&mut command);
    let mut brewed = program.lab().call("brew_tea", &json!({"cups": 1})).send();
    assert_eq!(brewed.json()["result"]["content"][0]["text"], "cups of tea: 1");
    assert!(program.end_by("TERM").success());
}

/// The arguments of an instruction in the Dockerfile, of which there must be one.
fn instruction(name: &str) -> &'static str {
    let mut found = include_str!("../Dockerfile").lines().filter_map(|line| line.strip_prefix(name));
    match (found.next(), found.next()) {
        (Some(arguments), None) => arguments.trim(),
        other => panic!("{name}: {other:?}"),
    }
}

/// What the container does, without a container: its command, which has to work as the first process of any user.
#[test]
fn the_container_starts_the_server_and_stops_it_by_signal() {
    let toolchain = include_str!("../../../rust-toolchain.toml");
    let image = instruction("FROM rust:").split('-').next().unwrap_or_default();
    assert!(
        toolchain.contains(&format!("channel = \"{image}")),
        "{image} is not the compiler of {toolchain}"
    );
    assert!(instruction("RUN ").ends_with(concat!("--locked -p ", env!("CARGO_PKG_NAME"))));
    assert!(!instruction("USER ").starts_with('0') && instruction("USER ") != "root");
    let entry: Vec<String> = serde_json::from_str(instruction("ENTRYPOINT ")).expect("a list");
    let copied = instruction("COPY --from=build ").split(' ').nth(1);
    assert_eq!((entry.len(), entry.first().map(String::as_str)), (1, copied));

    let arguments: Vec<String> = serde_json::from_str(instruction("CMD ")).expect("a list");
    let port = format!(":{}", instruction("EXPOSE "));
    let mut command = Command::new(env!("CARGO_BIN_EXE_observed"));
    command.args(arguments.iter().map(|argument| argument.replace(&port, ":0")));
    let program = Program::start(command.env_clear().current_dir("/"));
    assert!(program.address().ip().is_unspecified(), "reachable from outside of the container");
    let call = program.lab().call("brew_tea", &json!({"cups": 1}));
    assert_eq!(call.clone().send().status, 403, "another host");
    let mut brewed = call.replace("Host", "localhost:8080").send();
    assert_eq!(brewed.json()["result"]["content"][0]["text"], "cups of tea: 1");
    assert!(program.end_by("TERM").success());
}

#[test]
fn the_readme_shows_what_happens() {
    let collector = Collector::start();
    transcript::check(include_str!("../README.md"), start(&collector).address());
}
