mod cases;
mod conversion;
mod hostile;
mod malformed;
mod schema;

use std::fmt::Write as _;

use super::*;
use crate::config::{Headers, ServerSpec, StdioSpec, TransportSpec};

/// Returns a reader with the variables of the tests.
fn reader() -> ConfigReader<'static> {
    ConfigReader::without_environment()
        .with_variable("HOME", "/users/me")
        .with_variable("API_TOKEN", "s3cret")
        .with_variable("MY_API_KEY", "s3cret")
}

fn read(path: &str, text: &str) -> Config {
    reader().read_text(path, text).unwrap_or_else(|error| panic!("{error}"))
}

/// Formats each problem as a line: `line:column severity kind text`.
fn report(config: &Config) -> String {
    let mut report = String::new();
    for problem in config.problems() {
        let (line, column) = (problem.line, problem.column);
        let (severity, kind) = (problem.severity.as_str(), problem.kind.as_str());
        writeln!(report, "{line}:{column} {severity} {kind} {problem}").unwrap();
    }
    report
}

fn stdio<'a>(config: &'a Config, name: &str) -> &'a StdioSpec {
    match &server(config, name).transport {
        TransportSpec::Stdio(spec) => spec,
        other => panic!("{other:?}"),
    }
}

fn server<'a>(config: &'a Config, name: &str) -> &'a ServerSpec {
    config.server(name).unwrap_or_else(|error| panic!("{error}\n{}", report(config)))
}

fn headers<'a>(config: &'a Config, name: &str) -> &'a Headers {
    match &server(config, name).transport {
        TransportSpec::Http(spec) => &spec.headers,
        TransportSpec::Sse(spec) => &spec.headers,
        TransportSpec::WebSocket(spec) => &spec.headers,
        TransportSpec::Stdio(_) => panic!("{name} has no headers"),
    }
}

fn header(config: &Config, server: &str, name: &str) -> String {
    headers(config, server).get(name).and_then(crate::config::Template::literal).unwrap().expose().to_owned()
}

fn args(spec: &StdioSpec) -> Vec<&str> {
    spec.args.iter().map(crate::config::Expanded::expose).collect()
}

fn variable(spec: &StdioSpec, name: &str) -> Option<String> {
    Some(spec.env.get(name)?.as_ref()?.literal()?.expose().to_owned())
}
