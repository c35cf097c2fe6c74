//! How to call something: as JSON, with `curl` and with `cargo mcp`; and how to configure a client.

use std::ffi::OsStr;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};
use toolwright_agent::value::stdio_command;
use toolwright_core::arguments;
use toolwright_core::definition::{ToolDefinition, scopes_in};
use toolwright_core::docs::markdown::json_block;
use toolwright_core::protocol::content::base64;
use toolwright_core::protocol::revision::Revision;
use toolwright_core::protocol::{meta, method};

use super::text::escape;
use crate::command_line::quote;
use crate::export::features::Argument;
use crate::packages::Document;

/// The address of a server that was not queried: the one in Toolwright's examples.
const DEFAULT_URL: &str = "http://127.0.0.1:8080/mcp";
/// Maximum depth of properties that are searched for headers, as in clients.
const HEADER_DEPTH: usize = 32;

/// How a server is reached.
pub(super) enum Address {
    Url(String),
    Command(Vec<String>),
}

impl Address {
    /// Returns the address of a server that was queried, and [`DEFAULT_URL`] for a package or a file.
    pub(super) fn of(document: &Document) -> Self {
        let Some(uri) = &document.sources.server_uri else { return Self::Url(DEFAULT_URL.to_owned()) };
        match stdio_command(uri) {
            Some(Ok(words)) => Self::Command(words),
            _ => Self::Url(uri.clone()),
        }
    }
}

/// What is called.
pub(super) enum Call<'a> {
    Tool(&'a ToolDefinition),
    Prompt { name: &'a str, arguments: &'a [Argument<'a>] },
    Resource { uri: &'a str },
}

/// A tab: its label, what its button copies, and the text.
type Tab = (&'static str, &'static str, String);

/// Writes how to configure a client for the server.
pub(super) fn write_configuration(text: &mut String, address: &Address, document: &Document, id: &str) {
    let name = &document.manifest.server.name;
    let servers =
        |server: Value| json_block(&json!({"mcpServers": Map::from_iter([(name.clone(), server)])}));
    let of_url = |url: &str| servers(json!({"type": "http", "url": url}));
    let of_command = |words: &[String]| servers(json!({"command": words[0], "args": words[1..]}));
    let what = "client configuration";
    let tabs: Vec<Tab> = match address {
        Address::Command(words) => vec![("stdio", what, of_command(words))],
        Address::Url(url) if document.sources.server_uri.is_some() => vec![("HTTP", what, of_url(url))],
        Address::Url(url) => {
            let program = if document.sources.about.release.is_some() {
                let folder = format!("/path/to/{}", document.sources.server.package);
                ["cargo", "mcp", "serve", "-q", "--workflow", &folder].map(str::to_owned).to_vec()
            } else {
                vec![format!("/path/to/{name}")]
            };
            vec![("stdio", what, of_command(&program)), ("HTTP", what, of_url(url))]
        }
    };
    write_tabs(text, "Client configuration", &tabs, id);
}

/// Writes an example call.
pub(super) fn write(text: &mut String, call: &Call<'_>, address: &Address, anchor: &str) {
    let request = Request::of(call);
    let body = json_block(&request.body());
    let mut tabs: Vec<Tab> = Vec::new();
    if let Call::Tool(_) = call {
        tabs.push(("Arguments", "arguments", json_block(&request.params["arguments"])));
    }
    tabs.push(("Request", "request", body.clone()));
    if let Address::Url(url) = address {
        tabs.push(("curl", "curl command", request.curl(url, &body)));
    }
    tabs.push(("cargo mcp", "cargo mcp command", request.cargo_mcp(address)));
    write_tabs(text, "Example", &tabs, &format!("{anchor}:call"));
}

/// Returns a block with a button that copies it, as a `what`.
pub(super) fn block(what: &str, text: &str) -> String {
    format!("<pre data-copy=\"{what}\"><code>{}</code></pre>\n", escape(text))
}

// Writing to a string cannot fail.

/// Writes tabs, of which the selected one is shown. They are radio buttons, so that they work without scripts.
fn write_tabs(text: &mut String, heading: &str, tabs: &[Tab], id: &str) {
    _ = writeln!(text, "<fieldset class=\"tabs\">\n<legend>{heading}</legend>");
    for (at, (label, _, _)) in tabs.iter().enumerate() {
        let checked = if at == 0 { " checked" } else { "" };
        _ = writeln!(
            text,
            "<input type=\"radio\" name=\"{id}\" id=\"{id}:{at}\"{checked}><label for=\"{id}:{at}\">{label}</label>"
        );
    }
    for (label, what, content) in tabs {
        _ = write!(text, "<div>\n<p class=\"label\">{label}</p>\n{}</div>\n", block(what, content));
    }
    text.push_str("</fieldset>\n");
}

/// A request of revision 2026-07-28.
struct Request {
    method: &'static str,
    /// What the request is about, which a header repeats.
    name: String,
    params: Value,
    /// Headers that repeat arguments.
    headers: Vec<(String, String)>,
    needs_token: bool,
    /// The words of `cargo mcp` before and after the address.
    command: (&'static str, Vec<String>),
}

impl Request {
    fn of(call: &Call<'_>) -> Self {
        match call {
            Call::Tool(tool) => {
                let arguments = arguments::example(&tool.input_schema);
                let mut headers = Vec::new();
                add_headers(&mut headers, &tool.input_schema, &arguments, HEADER_DEPTH);
                Self {
                    method: method::TOOLS_CALL,
                    name: tool.name.clone(),
                    headers,
                    needs_token: !scopes_in(tool.meta.as_ref()).is_empty(),
                    command: (
                        "call",
                        vec![quote(OsStr::new(&tool.name)), quote_json(&json_block(&arguments))],
                    ),
                    params: json!({"name": tool.name, "arguments": arguments}),
                }
            }
            Call::Prompt { name, arguments } => {
                let required = arguments.iter().filter(|argument| argument.is_required);
                let values: Vec<_> = required
                    .map(|argument| (argument.name.to_owned(), format!("<{}>", argument.name)))
                    .collect();
                let pairs = values.iter().map(|(name, value)| quote(OsStr::new(&format!("{name}={value}"))));
                let command = std::iter::once(quote(OsStr::new(name))).chain(pairs).collect();
                let arguments: Map<String, Value> =
                    values.into_iter().map(|(name, value)| (name, value.into())).collect();
                Self {
                    method: method::PROMPTS_GET,
                    name: (*name).to_owned(),
                    headers: Vec::new(),
                    needs_token: false,
                    command: ("get", command),
                    params: json!({"name": name, "arguments": arguments}),
                }
            }
            Call::Resource { uri } => Self {
                method: method::RESOURCES_READ,
                name: (*uri).to_owned(),
                headers: Vec::new(),
                needs_token: false,
                command: ("read", vec![quote(OsStr::new(uri))]),
                params: json!({"uri": uri}),
            },
        }
    }

    fn body(&self) -> Value {
        let mut params = self.params.clone();
        params["_meta"] =
            json!({meta::PROTOCOL_VERSION: Revision::V2026_07_28.as_str(), meta::CLIENT_CAPABILITIES: {}});
        json!({"jsonrpc": "2.0", "id": 1, "method": self.method, "params": params})
    }

    /// Returns the command with the headers of Streamable HTTP (2026-07-28, basic/transports/streamable-http).
    fn curl(&self, url: &str, body: &str) -> String {
        let mut command = format!("curl -sN {}", quote(OsStr::new(url)));
        let fixed = [
            ("Content-Type", "application/json".to_owned()),
            ("Accept", "application/json, text/event-stream".to_owned()),
            ("MCP-Protocol-Version", Revision::V2026_07_28.as_str().to_owned()),
            ("Mcp-Method", self.method.to_owned()),
            ("Mcp-Name", encode_header(&self.name)),
        ];
        let own = self.headers.iter().map(|(name, value)| (name.as_str(), encode_header(value)));
        for (name, value) in fixed.into_iter().chain(own) {
            _ = write!(command, " \\\n  -H {}", quote_json(&format!("{name}: {value}")));
        }
        if self.needs_token {
            command.push_str(" \\\n  -H \"Authorization: Bearer $TOKEN\"");
        }
        command + " \\\n  -d " + &quote_json(body)
    }

    fn cargo_mcp(&self, address: &Address) -> String {
        let (subcommand, words) = &self.command;
        let words = words.join(" ");
        match address {
            Address::Url(url) => {
                let token = if self.needs_token { " --header \"Authorization: Bearer $TOKEN\"" } else { "" };
                format!("cargo mcp {subcommand}{token} {} {words}", quote(OsStr::new(url)))
            }
            Address::Command(program) => {
                let program: Vec<_> = program.iter().map(|word| quote(OsStr::new(word))).collect();
                format!("cargo mcp {subcommand} {words} -- {}", program.join(" "))
            }
        }
    }
}

/// Adds the headers of arguments that the schema marks (2026-07-28, basic/transports/streamable-http "Custom Headers
/// from Tool Parameters").
fn add_headers(headers: &mut Vec<(String, String)>, schema: &Value, value: &Value, depth: usize) {
    let properties = schema.get("properties").and_then(Value::as_object).filter(|_| depth > 0);
    for (name, property) in properties.into_iter().flatten() {
        let Some(value) = value.get(name) else { continue };
        let is_token = |name: &&str| {
            !name.is_empty()
                && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
        };
        if let Some(header) = property.get("x-mcp-header").and_then(Value::as_str).filter(is_token) {
            let text = match value {
                Value::String(text) => Some(text.clone()),
                Value::Number(_) | Value::Bool(_) => Some(value.to_string()),
                _ => None,
            };
            headers.extend(text.map(|text| (format!("Mcp-Param-{header}"), text)));
        }
        add_headers(headers, property, value, depth - 1);
    }
}

/// Encodes a string as a header value, in base64 if plain ASCII would not round-trip (2026-07-28,
/// basic/transports/streamable-http "Value Encoding").
fn encode_header(text: &str) -> String {
    let is_plain = text.bytes().all(|byte| matches!(byte, b' '..=b'~')) && text.trim() == text;
    if is_plain && !text.starts_with("=?base64?") {
        text.to_owned()
    } else {
        format!("=?base64?{}?=", base64::encode(text.as_bytes()))
    }
}

/// Quotes text that has no hidden characters but line breaks for a shell.
fn quote_json(json: &str) -> String {
    format!("'{}'", json.replace('\'', r"'\''"))
}
