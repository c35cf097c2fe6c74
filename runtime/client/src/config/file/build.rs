//! Conversion of an entry to the specification of a server.

use std::collections::BTreeMap;
use std::path::Path;

use super::entry::{Entry, ExpandedString, suggest_member};
use super::env_file;
use super::grammar::{LAUNCHERS, Transport, find_rule};
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity, did_you_mean};
use super::remote;
use crate::config::{Encoding, Expanded, ServerSpec, Settings, StdioSpec, Template, TransportSpec};

/// Whether other clients read the file too, which affects the meaning of some members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileKind {
    /// JSON, which other clients read and extend.
    Shared,
    /// Our own formats: TOML, YAML, and the list `tools` of an agent file.
    Native,
}

/// Builds the server, if its entry is valid.
pub(super) fn build_server(entry: &Entry<'_>, file_kind: FileKind) -> Option<ServerSpec> {
    entry.check_members();
    let transport = read_transport(entry)?;
    // In other clients, `timeout` is the request timeout, for any transport.
    let ignored: &[&str] = if file_kind == FileKind::Shared { &["timeout"] } else { &[] };
    entry.check_transport(transport, ignored);

    let spec: Option<TransportSpec> = match transport {
        Transport::Stdio => build_stdio(entry).map(Into::into),
        Transport::Http => remote::build_http(entry).map(Into::into),
        Transport::Sse => remote::build_sse(entry).map(Into::into),
        Transport::WebSocket => remote::build_websocket(entry).map(Into::into),
    };
    // All members are read before returning, so that all problems are reported at once.
    let request_timeout = entry.read_duration("request_timeout");
    let shared_timeout = if file_kind == FileKind::Shared && entry.find("request_timeout").is_none() {
        entry.read_duration("timeout")
    } else {
        None
    };
    let start_timeout = entry.read_duration("start_timeout");
    let [load_tools, load_prompts, required] =
        ["load_tools", "load_prompts", "required"].map(|name| entry.read_bool(name));
    let max_concurrency = entry.read_count("max_concurrency");
    let description = entry.find("description").and_then(|found| read_plain_string(entry, found));
    let settings = entry.find("config").and_then(|found| read_settings(entry, found));

    let mut server = ServerSpec::new(entry.name, spec?);
    server.description = description;
    server.request_timeout = request_timeout.or(shared_timeout).unwrap_or(server.request_timeout);
    server.start_timeout = start_timeout.unwrap_or(server.start_timeout);
    server.load_tools = load_tools.unwrap_or(server.load_tools);
    server.load_prompts = load_prompts.unwrap_or(server.load_prompts);
    server.required = required.unwrap_or(server.required);
    server.max_concurrency = max_concurrency;
    server.settings = settings;
    Some(server)
}

/// Whether the entry is disabled.
pub(super) fn is_disabled(entry: &Entry<'_>) -> bool {
    entry.read_bool("disabled") == Some(true) || entry.read_bool("enabled") == Some(false)
}

/// Reads a string without variables.
fn read_plain_string(entry: &Entry<'_>, found: &Member) -> Option<String> {
    let text = found.value.as_str();
    if text.is_none() {
        entry.wrong_type(&found.value, &found.name, "a string");
    }
    text.map(str::to_owned)
}

/// Returns the explicit transport, or the one that the members imply.
fn read_transport(entry: &Entry<'_>) -> Option<Transport> {
    if let Some(found) = entry.find("type") {
        return read_explicit_transport(entry, found);
    }
    let program = entry.find("command").or_else(|| entry.find("server"));
    let url = entry.find("url");
    match (program, url) {
        (Some(program), Some(url)) => {
            let message = format!("it conflicts with `{}`", program.name);
            let help = "keep one of the two: a server is either started as a program or reached at a URL";
            entry.error(ProblemKind::Conflict, &url.name_span, &url.name, message, help);
            None
        }
        (Some(_), None) => Some(Transport::Stdio),
        (None, Some(url)) => {
            let text = url.value.as_str().unwrap_or_default().trim_start().to_ascii_lowercase();
            let is_socket = text.starts_with("ws://") || text.starts_with("wss://");
            Some(if is_socket { Transport::WebSocket } else { Transport::Http })
        }
        (None, None) => {
            report_missing_transport(entry);
            None
        }
    }
}

fn read_explicit_transport(entry: &Entry<'_>, found: &Member) -> Option<Transport> {
    let name = entry.read_string(found)?;
    let name = name.value.expose();
    let transport = Transport::from_name(name);
    if transport.is_none() {
        const NAMES: [&str; 4] = ["stdio", "http", "sse", "websocket"];
        let suggestion = did_you_mean(name, NAMES);
        let unexpanded = found.value.as_str().unwrap_or_default();
        let message = format!("unknown transport `{unexpanded}`{suggestion}");
        let help = "available: stdio, http, sse, websocket";
        entry.error(ProblemKind::InvalidValue, &found.value.span, &found.name, message, help);
    }
    transport
}

/// Reports an entry without `command`, `server` and `url`: one of them is misspelt or missing.
fn report_missing_transport(entry: &Entry<'_>) {
    let members = entry.node.members().unwrap_or_default();
    let misspelt = members.iter().find_map(|member| {
        let suggestion = suggest_member(&member.name).filter(|_| find_rule(&member.name).is_none())?;
        matches!(suggestion, "command" | "server" | "url").then_some((member, suggestion))
    });
    if let Some((member, suggestion)) = misspelt {
        // Replaces the warning about the unknown member by an error.
        entry.problems.borrow_mut().retain(|problem| problem.span != member.name_span);
        let message = format!("unknown member `{}`, did you mean `{suggestion}`?", member.name);
        let problem = Problem::error(ProblemKind::UnknownMember, member.name_span.clone(), message);
        return entry.report(problem.help("the entry has neither a `command` nor a `url`"), None);
    }
    let message = "the entry has neither a `command` nor a `url`";
    let problem = Problem::error(ProblemKind::Missing, entry.node.span.clone(), message);
    entry.report(problem.help("add a `command` or a `url`"), None);
}

fn build_stdio(entry: &Entry<'_>) -> Option<StdioSpec> {
    let env = read_env(entry);
    let program = read_program(entry, env.as_ref());
    let args = read_args(entry);
    let cwd = entry.find("cwd").map(|found| {
        let value = entry.read_string(found)?;
        entry.resolve_path(&value, &found.value.span, &found.name)
    });
    let encoding = entry.find("encoding").map(|found| read_encoding(entry, found));

    let mut spec = StdioSpec::new("");
    (spec.command, spec.args) = program?;
    spec.args.extend(args?);
    spec.env = env?;
    spec.cwd = cwd.unwrap_or_default();
    spec.encoding = encoding.flatten().unwrap_or_default();
    Some(spec)
}

/// Reads the program, and the arguments of its launcher if it has one.
fn read_program(
    entry: &Entry<'_>,
    env: Option<&BTreeMap<String, Option<Template>>>,
) -> Option<(Expanded, Vec<Expanded>)> {
    match (entry.find("command"), entry.find("server")) {
        (Some(command), None) => Some((read_command(entry, command)?, Vec::new())),
        (None, Some(package)) => read_package(entry, package, env),
        (Some(_), Some(package)) => {
            let message = "it conflicts with `command`".to_owned();
            let help = "keep one of the two";
            entry.error(ProblemKind::Conflict, &package.name_span, &package.name, message, help);
            None
        }
        (None, None) => {
            let message = "the transport stdio requires a `command`".to_owned();
            entry.report(Problem::error(ProblemKind::Missing, entry.node.span.clone(), message), None);
            None
        }
    }
}

fn read_command(entry: &Entry<'_>, found: &Member) -> Option<Expanded> {
    let span = &found.value.span;
    let command = entry.read_string(found)?;
    let text = command.value.expose();
    if text.trim().is_empty() && !command.is_incomplete {
        let help = "write the name of a program, such as `npx`";
        entry.error(ProblemKind::InvalidValue, span, &found.name, "it is empty".to_owned(), help);
        return None;
    }
    report_exposed_secret(entry, &command, span, &found.name);
    // A name without separators is looked up in PATH.
    if !text.contains('/') && text != "~" && !(cfg!(windows) && text.contains('\\')) {
        return Some(command.value);
    }
    entry.resolve_path(&command, span, &found.name)
}

/// Returns the launcher of a package, and its arguments.
fn read_package(
    entry: &Entry<'_>,
    found: &Member,
    env: Option<&BTreeMap<String, Option<Template>>>,
) -> Option<(Expanded, Vec<Expanded>)> {
    let package = entry.read_string(found)?;
    let span = &found.value.span;
    let text = package.value.expose();
    if (text.is_empty() && !package.is_incomplete)
        || text.starts_with('-')
        || text.contains(char::is_whitespace)
    {
        let message = "this is not a valid package name".to_owned();
        let help =
            "write a name such as `@modelcontextprotocol/server-memory`, and put its arguments into `args`";
        entry.error(ProblemKind::InvalidValue, span, &found.name, message, help);
        return None;
    }
    let launcher = match entry.find("launcher") {
        None => "npx".to_owned(),
        Some(launcher) => {
            let name = entry.read_string(launcher)?.value.expose().to_owned();
            if !LAUNCHERS.contains(&name.as_str()) {
                let suggestion = did_you_mean(&name, LAUNCHERS.iter().copied());
                let message = format!("unknown launcher{suggestion}");
                let help = "available: npx, uvx, docker; for other programs, use `command` and `args`";
                let span = &launcher.value.span;
                entry.error(ProblemKind::InvalidValue, span, &launcher.name, message, help);
                return None;
            }
            name
        }
    };
    let mut args: Vec<Expanded> = match launcher.as_str() {
        "npx" => vec!["-y".into()],
        "docker" => {
            // A container only inherits named variables; their values do not appear in the arguments.
            let names = env.into_iter().flatten().filter(|(_, value)| value.is_some());
            let passed = names.flat_map(|(name, _)| [Expanded::from("-e"), Expanded::from(name.as_str())]);
            ["run", "-i", "--rm"].into_iter().map(Expanded::from).chain(passed).collect()
        }
        _ => Vec::new(),
    };
    args.push(package.value);
    Some((launcher.into(), args))
}

fn read_args(entry: &Entry<'_>) -> Option<Vec<Expanded>> {
    let Some(found) = entry.find("args") else { return Some(Vec::new()) };
    let Data::Array(items) = &found.value.data else {
        entry.wrong_type(&found.value, &found.name, "a list of strings");
        return None;
    };
    let resolves_paths = entry.read_bool("resolve_args").unwrap_or_default();
    let mut args = Vec::with_capacity(items.len());
    let mut is_valid = true;
    for (index, item) in items.iter().enumerate() {
        let member = format!("{}[{index}]", found.name);
        let Some(text) = item.as_str() else {
            entry.wrong_type(item, &member, "a string");
            is_valid = false;
            continue;
        };
        let Some(arg) = entry.expand_string(text, &item.span, &member) else {
            is_valid = false;
            continue;
        };
        report_exposed_secret(entry, &arg, &item.span, &member);
        let value = arg.value.expose();
        let is_relative = matches!(value, "." | "..") || value.starts_with("./") || value.starts_with("../");
        args.push(if resolves_paths && is_relative {
            Expanded::new(entry.folder.join(value).to_string_lossy(), text)
        } else {
            arg.value
        });
    }
    is_valid.then_some(args)
}

/// Reports a secret in an argument, which is visible in the process list.
fn report_exposed_secret(
    entry: &Entry<'_>,
    arg: &ExpandedString,
    span: &std::ops::Range<usize>,
    member: &str,
) {
    if arg.has_secret {
        let message = "it is visible to every user of this machine, in the process list".to_owned();
        let problem = Problem::new(Severity::Note, ProblemKind::Exposed, span.clone(), message);
        entry.report(problem.help("use `env`, if the server can read it from a variable"), Some(member));
    }
}

fn read_encoding(entry: &Entry<'_>, found: &Member) -> Option<Encoding> {
    let label = entry.read_string(found)?;
    let encoding = Encoding::from_label(label.value.expose());
    if encoding.is_none() && !label.is_incomplete {
        let suggestion =
            Encoding::suggest(label.value.expose()).map(|name| format!(", did you mean `{name}`?"));
        let unexpanded = found.value.as_str().unwrap_or_default();
        let message = format!("unknown encoding `{unexpanded}`{}", suggestion.unwrap_or_default());
        let help = format!("available: {}", Encoding::NAMES.join(", "));
        entry.error(ProblemKind::InvalidValue, &found.value.span, &found.name, message, &help);
    }
    encoding
}

/// Reads the variables of `env`, which take precedence over those of `env_file`.
fn read_env(entry: &Entry<'_>) -> Option<BTreeMap<String, Option<Template>>> {
    let mut variables = BTreeMap::new();
    let mut is_valid = true;
    if let Some(found) = entry.find("env_file") {
        let files: Vec<&Node> = match &found.value.data {
            Data::Array(files) => files.iter().collect(),
            _ => vec![&found.value],
        };
        for file in files {
            is_valid &= read_env_file(entry, file, &found.name, &mut variables).is_some();
        }
    }
    if let Some(found) = entry.find("env") {
        let Some(members) = found.value.members() else {
            entry.wrong_type(&found.value, &found.name, "an object of strings");
            return None;
        };
        for member in members {
            let path = format!("{}.{}", found.name, member.name);
            if member.name.is_empty() || member.name.contains(['=', '\0']) {
                let message = "this is not a valid variable name".to_owned();
                entry.error(ProblemKind::InvalidValue, &member.name_span, &path, message, "remove `=`");
                is_valid = false;
                continue;
            }
            let value = match &member.value.data {
                Data::Null => Some(None),
                Data::Bool(value) => Some(Some(value.to_string().into())),
                Data::Number(number) => Some(Some(number.to_string().into())),
                Data::String(text) => {
                    let value = entry.expand_template(text, &member.value.span, &path);
                    value.map(|value| Some(value.template))
                }
                Data::Array(_) | Data::Object(_) => {
                    entry.wrong_type(&member.value, &path, "a string");
                    None
                }
            };
            is_valid &= value.is_some();
            if let Some(value) = value {
                variables.insert(member.name.clone(), value);
            }
        }
    }
    is_valid.then_some(variables)
}

fn read_env_file(
    entry: &Entry<'_>,
    node: &Node,
    member: &str,
    variables: &mut BTreeMap<String, Option<Template>>,
) -> Option<()> {
    let Some(text) = node.as_str() else {
        entry.wrong_type(node, member, "a path");
        return None;
    };
    let path = entry.expand_string(text, &node.span, member)?;
    if path.is_incomplete || entry.scope.keeps_variables {
        return Some(());
    }
    let path = entry.resolve_path(&path, &node.span, member)?;
    match env_file::read(Path::new(path.expose())) {
        Err(error) => {
            let message = format!("cannot read {path}: {error}");
            let help = "create the file, or correct the path, which is relative to the folder of the configuration file";
            entry.error(ProblemKind::EnvFile, &node.span, member, message, help);
            None
        }
        Ok(file) => {
            if let Some(line) = file.invalid_lines.first() {
                let more = file.invalid_lines.len() - 1;
                let more = if more == 0 { String::new() } else { format!(" (and {more} more)") };
                let message = format!("line {line} of {path} is not `NAME=value`{more}");
                let problem =
                    Problem::new(Severity::Warning, ProblemKind::EnvFile, node.span.clone(), message);
                entry.report(problem.help("write `NAME=value`, or start a comment with `#`"), Some(member));
            }
            variables.extend(file.variables.into_iter().map(|(name, value)| (name, Some(value.into()))));
            Some(())
        }
    }
}

fn read_settings(entry: &Entry<'_>, found: &Member) -> Option<Settings> {
    let node = &found.value;
    if node.members().is_none() {
        entry.wrong_type(node, &found.name, "an object");
        return None;
    }
    let object = node.to_json_with(&mut |text, span| {
        let value = entry.expand_string(text, span, &found.name);
        value.map(|value| value.value.expose().to_owned()).unwrap_or_default()
    });
    match object {
        serde_json::Value::Object(object) => Some(Settings::new(object)),
        _ => None,
    }
}
