//! `cargo mcp config show`.

use std::time::Duration;

use serde_json::{Map, Value, json};
use toolwright_client::config::{ConfigReader, Headers, ServerSpec, TransportSpec};

use super::args::ShowArgs;
use super::{read_error, report};
use crate::error::Error;
use crate::exit::Exit;
use crate::shell;

/// Prints the servers that can be used, and reports on standard error why others cannot.
///
/// # Errors
/// [`Error::Config`] for a file that cannot be read.
pub(super) fn run(args: &ShowArgs) -> Result<Exit, Error> {
    let config =
        ConfigReader::new().check_only().read(&args.file).map_err(|error| read_error(error, &args.file))?;
    for problem in config
        .problems()
        .iter()
        .filter(|problem| config.invalid_servers().iter().any(|name| problem.server.as_ref() == Some(name)))
    {
        shell::styled_message(&report::text(config.source(), problem));
    }
    let servers: Map<String, Value> =
        config.servers().iter().map(|server| (server.name.clone(), describe(server))).collect();
    let document = json!({
        "servers": servers,
        "disabled": config.disabled_servers(),
        "refused": config.invalid_servers(),
    });
    shell::print_json(&format!("{document:#}\n"))?;
    Ok(if config.invalid_servers().is_empty() { Exit::Ok } else { Exit::Usage })
}

/// Describes a server, with names instead of values that may be secret.
fn describe(server: &ServerSpec) -> Value {
    let mut shown = match &server.transport {
        TransportSpec::Stdio(spec) => json!({
            "command": spec.command.to_string(),
            "args": spec.args.iter().map(ToString::to_string).collect::<Vec<_>>(),
            "env": spec.env.keys().collect::<Vec<_>>(),
            "cwd": spec.cwd.as_ref().map(ToString::to_string),
            "encoding": spec.encoding.name(),
        }),
        TransportSpec::Http(spec) => json!({
            "url": spec.url.to_string(),
            "headers": names(&spec.headers),
            "timeout": to_seconds(spec.timeout),
            "sse_read_timeout": to_seconds(spec.sse_read_timeout),
            "terminate_on_close": spec.terminate_on_close,
            "sse_fallback": spec.sse_fallback,
        }),
        TransportSpec::Sse(spec) => json!({
            "url": spec.url.to_string(),
            "headers": names(&spec.headers),
            "timeout": to_seconds(spec.timeout),
            "sse_read_timeout": to_seconds(spec.sse_read_timeout),
        }),
        TransportSpec::WebSocket(spec) => json!({
            "url": spec.url.to_string(),
            "headers": names(&spec.headers),
            "timeout": to_seconds(spec.timeout),
        }),
        _ => json!({}),
    };
    let settings =
        server.settings.as_ref().map(|settings| settings.expose().keys().cloned().collect::<Vec<_>>());
    for (name, value) in [
        ("transport", json!(server.transport.name())),
        ("description", json!(server.description)),
        ("request_timeout", to_seconds(server.request_timeout)),
        ("start_timeout", to_seconds(server.start_timeout)),
        ("load_tools", json!(server.load_tools)),
        ("load_prompts", json!(server.load_prompts)),
        ("required", json!(server.required)),
        ("max_concurrency", json!(server.max_concurrency)),
        ("config", json!(settings)),
    ] {
        shown[name] = value;
    }
    shown
}

fn names(headers: &Headers) -> Vec<&str> {
    headers.iter().map(|(name, _)| name).collect()
}

/// Converts to seconds, as in configuration files.
fn to_seconds(time: Duration) -> Value {
    if time.subsec_nanos() == 0 { time.as_secs().into() } else { time.as_secs_f64().into() }
}
