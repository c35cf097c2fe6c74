//! From an entry to the server that it describes.

use std::collections::BTreeMap;
use std::path::Path;
use std::time::Duration;

use super::entry::{Entry, Known, suggestion};
use super::env_file;
use super::grammar::{LAUNCHERS, Transport, rule_of};
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity, did_you_mean};
use super::remote;
use crate::config::{Encoding, Expanded, ServerSpec, Settings, StdioSpec, Template, TransportSpec};

/// Where an entry stands, which decides what some of its members mean.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Home {
    /// `mcpServers` or `servers` of JSON: files that other clients read as well.
    Shared,
    /// A form of ours: TOML, YAML, and the list `tools` of an agent file.
    Own,
}

/// The server, unless something about it is wrong.
pub(super) fn server(entry: &Entry<'_>, home: Home) -> Option<ServerSpec> {
    entry.check_names();
    let transport = transport(entry)?;
    // `timeout` of other clients is the time of a request, whatever the transport.
    let ignored: &[&str] = if home == Home::Shared { &["timeout"] } else { &[] };
    entry.check_transport(transport, ignored);

    let spec: Option<TransportSpec> = match transport {
        Transport::Stdio => stdio(entry).map(Into::into),
        Transport::Http => remote::http(entry).map(Into::into),
        Transport::Sse => remote::sse(entry).map(Into::into),
        Transport::WebSocket => remote::websocket(entry).map(Into::into),
    };
    // Everything is read before anything is given up, so that all problems are told at once.
    let request_timeout = entry.duration("request_timeout");
    let shared_timeout = if home == Home::Shared && entry.find("request_timeout").is_none() {
        entry.duration("timeout")
    } else {
        None
    };
    let start_timeout = entry.duration("start_timeout");
    let [load_tools, load_prompts, required] =
        ["load_tools", "load_prompts", "required"].map(|name| entry.bool(name));
    let max_concurrency = entry.count("max_concurrency");
    let description = entry.find("description").and_then(|found| text_of(entry, found));
    let settings = entry.find("config").and_then(|found| settings(entry, found));

    let mut server = ServerSpec::new(entry.name, spec?);
    server.description = description;
    let set = |place: &mut Duration, value: Option<Duration>| *place = value.unwrap_or(*place);
    set(&mut server.request_timeout, request_timeout.or(shared_timeout));
    set(&mut server.start_timeout, start_timeout);
    server.load_tools = load_tools.unwrap_or(server.load_tools);
    server.load_prompts = load_prompts.unwrap_or(server.load_prompts);
    server.required = required.unwrap_or(server.required);
    server.max_concurrency = max_concurrency;
    server.settings = settings;
    Some(server)
}

/// Whether the entry is switched off.
pub(super) fn is_disabled(entry: &Entry<'_>) -> bool {
    entry.bool("disabled") == Some(true) || entry.bool("enabled") == Some(false)
}

fn text_of(entry: &Entry<'_>, found: &Member) -> Option<String> {
    let text = found.value.text();
    if text.is_none() {
        entry.wrong_type(&found.value, &found.name, "a string");
    }
    text.map(str::to_owned)
}

/// The transport that is named, or that follows from the members.
fn transport(entry: &Entry<'_>) -> Option<Transport> {
    if let Some(found) = entry.find("type") {
        return named_transport(entry, found);
    }
    let program = entry.find("command").or_else(|| entry.find("server"));
    let url = entry.find("url");
    match (program, url) {
        (Some(program), Some(url)) => {
            let message = format!("it stands beside `{}`", program.name);
            let help = "keep one of the two: a server is either started or connected to";
            entry.error(ProblemKind::Conflict, &url.name_span, &url.name, message, help);
            None
        }
        (Some(_), None) => Some(Transport::Stdio),
        (None, Some(url)) => {
            let text = url.value.text().unwrap_or_default().trim_start().to_ascii_lowercase();
            let is_socket = text.starts_with("ws://") || text.starts_with("wss://");
            Some(if is_socket { Transport::WebSocket } else { Transport::Http })
        }
        (None, None) => {
            missing(entry);
            None
        }
    }
}

fn named_transport(entry: &Entry<'_>, found: &Member) -> Option<Transport> {
    let word = entry.string(found)?;
    let word = word.value.expose();
    let transport = Transport::of(word);
    if transport.is_none() {
        const NAMES: [&str; 4] = ["stdio", "http", "sse", "websocket"];
        let near = did_you_mean(word, NAMES);
        let written = found.value.text().unwrap_or_default();
        let message = format!("there is no transport `{written}`{near}");
        let help = "available: stdio, http, sse, websocket";
        entry.error(ProblemKind::InvalidValue, &found.value.span, &found.name, message, help);
    }
    transport
}

/// Nothing says how the server is reached: a typo, or a missing member.
fn missing(entry: &Entry<'_>) {
    let members = entry.node.members().unwrap_or_default();
    let slip = members.iter().find_map(|member| {
        let meant = suggestion(&member.name).filter(|_| rule_of(&member.name).is_none())?;
        matches!(meant, "command" | "server" | "url").then_some((member, meant))
    });
    if let Some((member, meant)) = slip {
        // It is reported as unknown already; here it is what keeps the server from being used.
        entry.problems.borrow_mut().retain(|problem| problem.span != member.name_span);
        let message = format!("unknown member `{}`, did you mean `{meant}`?", member.name);
        let problem = Problem::error(ProblemKind::UnknownMember, member.name_span.clone(), message);
        return entry.report(problem.help("without it nothing says how the server is reached"), None);
    }
    let message = "nothing says how the server is reached";
    let problem = Problem::error(ProblemKind::Missing, entry.node.span.clone(), message);
    entry.report(problem.help("give it a `command` or a `url`"), None);
}

fn stdio(entry: &Entry<'_>) -> Option<StdioSpec> {
    let env = environment(entry);
    let program = program(entry, env.as_ref());
    let args = args(entry);
    let cwd = entry.find("cwd").map(|found| {
        let value = entry.string(found)?;
        entry.path(&value, &found.value.span, &found.name)
    });
    let encoding = entry.find("encoding").map(|found| encoding(entry, found));

    let mut spec = StdioSpec::new("");
    (spec.command, spec.args) = program?;
    spec.args.extend(args?);
    spec.env = env?;
    spec.cwd = cwd.unwrap_or_default();
    spec.encoding = encoding.flatten().unwrap_or_default();
    Some(spec)
}

/// The program, and the arguments that a launcher needs.
fn program(
    entry: &Entry<'_>,
    env: Option<&BTreeMap<String, Option<Template>>>,
) -> Option<(Expanded, Vec<Expanded>)> {
    match (entry.find("command"), entry.find("server")) {
        (Some(command), None) => Some((command_of(entry, command)?, Vec::new())),
        (None, Some(package)) => launched(entry, package, env),
        (Some(_), Some(package)) => {
            let message = "it stands beside `command`".to_owned();
            let help = "keep one of the two";
            entry.error(ProblemKind::Conflict, &package.name_span, &package.name, message, help);
            None
        }
        (None, None) => {
            let message = "the transport stdio needs a `command`".to_owned();
            entry.report(Problem::error(ProblemKind::Missing, entry.node.span.clone(), message), None);
            None
        }
    }
}

fn command_of(entry: &Entry<'_>, found: &Member) -> Option<Expanded> {
    let span = &found.value.span;
    let known = entry.string(found)?;
    let text = known.value.expose();
    if text.trim().is_empty() && !known.is_open {
        let help = "name a program, such as `npx`";
        entry.error(ProblemKind::InvalidValue, span, &found.name, "it is empty".to_owned(), help);
        return None;
    }
    warn_of_secret(entry, &known, span, &found.name);
    // A bare name is looked up in PATH; anything else is a path.
    if !text.contains('/') && text != "~" && !(cfg!(windows) && text.contains('\\')) {
        return Some(known.value);
    }
    entry.path(&known, span, &found.name)
}

fn launched(
    entry: &Entry<'_>,
    found: &Member,
    env: Option<&BTreeMap<String, Option<Template>>>,
) -> Option<(Expanded, Vec<Expanded>)> {
    let package = entry.string(found)?;
    let span = &found.value.span;
    let text = package.value.expose();
    if (text.is_empty() && !package.is_open) || text.starts_with('-') || text.contains(char::is_whitespace) {
        let message = "this cannot be the name of a package".to_owned();
        let help =
            "write a name such as `@modelcontextprotocol/server-memory`, and its arguments into `args`";
        entry.error(ProblemKind::InvalidValue, span, &found.name, message, help);
        return None;
    }
    let launcher = match entry.find("launcher") {
        None => "npx".to_owned(),
        Some(launcher) => {
            let word = entry.string(launcher)?.value.expose().to_owned();
            if !LAUNCHERS.contains(&word.as_str()) {
                let near = did_you_mean(&word, LAUNCHERS.iter().copied());
                let message = format!("there is no such launcher{near}");
                let help = "available: npx, uvx, docker; write anything else as `command` and `args`";
                let span = &launcher.value.span;
                entry.error(ProblemKind::InvalidValue, span, &launcher.name, message, help);
                return None;
            }
            word
        }
    };
    let mut args: Vec<Expanded> = match launcher.as_str() {
        "npx" => vec!["-y".into()],
        "docker" => {
            // A container gets no variable that is not named; the values stay out of the arguments.
            let names = env.into_iter().flatten().filter(|(_, value)| value.is_some());
            let passed = names.flat_map(|(name, _)| [Expanded::from("-e"), Expanded::from(name.as_str())]);
            ["run", "-i", "--rm"].into_iter().map(Expanded::from).chain(passed).collect()
        }
        _ => Vec::new(),
    };
    args.push(package.value);
    Some((launcher.into(), args))
}

fn args(entry: &Entry<'_>) -> Option<Vec<Expanded>> {
    let Some(found) = entry.find("args") else { return Some(Vec::new()) };
    let Data::List(items) = &found.value.data else {
        entry.wrong_type(&found.value, &found.name, "a list of strings");
        return None;
    };
    let resolves = entry.bool("resolve_args").unwrap_or_default();
    let mut args = Vec::with_capacity(items.len());
    let mut is_good = true;
    for (index, item) in items.iter().enumerate() {
        let member = format!("{}[{index}]", found.name);
        let Some(text) = item.text() else {
            entry.wrong_type(item, &member, "a string");
            is_good = false;
            continue;
        };
        let Some(known) = entry.known(text, &item.span, &member) else {
            is_good = false;
            continue;
        };
        warn_of_secret(entry, &known, &item.span, &member);
        let value = known.value.expose();
        let is_relative = matches!(value, "." | "..") || value.starts_with("./") || value.starts_with("../");
        args.push(if resolves && is_relative {
            Expanded::new(entry.folder.join(value).to_string_lossy(), text)
        } else {
            known.value
        });
    }
    is_good.then_some(args)
}

/// Arguments stand in the list of processes.
fn warn_of_secret(entry: &Entry<'_>, known: &Known, span: &std::ops::Range<usize>, member: &str) {
    if known.has_secret {
        let message = "every user of this machine can see it in the list of processes".to_owned();
        let problem = Problem::new(Severity::Note, ProblemKind::Exposed, span.clone(), message);
        entry.report(problem.help("if the server reads it from a variable, put it into `env`"), Some(member));
    }
}

fn encoding(entry: &Entry<'_>, found: &Member) -> Option<Encoding> {
    let label = entry.string(found)?;
    let encoding = Encoding::from_label(label.value.expose());
    if encoding.is_none() && !label.is_open {
        let near = Encoding::suggest(label.value.expose()).map(|near| format!(", did you mean `{near}`?"));
        let written = found.value.text().unwrap_or_default();
        let message = format!("there is no encoding `{written}`{}", near.unwrap_or_default());
        let help = format!("available: {}", Encoding::NAMES.join(", "));
        entry.error(ProblemKind::InvalidValue, &found.value.span, &found.name, message, &help);
    }
    encoding
}

/// The variables of the files, and over them those of `env`.
fn environment(entry: &Entry<'_>) -> Option<BTreeMap<String, Option<Template>>> {
    let mut variables = BTreeMap::new();
    let mut is_good = true;
    if let Some(found) = entry.find("env_file") {
        let files: Vec<&Node> = match &found.value.data {
            Data::List(files) => files.iter().collect(),
            _ => vec![&found.value],
        };
        for file in files {
            is_good &= read_env_file(entry, file, &found.name, &mut variables).is_some();
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
                let message = "this cannot be the name of a variable".to_owned();
                entry.error(ProblemKind::InvalidValue, &member.name_span, &path, message, "leave out `=`");
                is_good = false;
                continue;
            }
            let value = match &member.value.data {
                Data::Null => Some(None),
                Data::Bool(value) => Some(Some(value.to_string().into())),
                Data::Number(number) => Some(Some(number.to_string().into())),
                Data::Text(text) => {
                    entry.template(text, &member.value.span, &path).map(|opaque| Some(opaque.template))
                }
                Data::List(_) | Data::Members(_) => {
                    entry.wrong_type(&member.value, &path, "a string");
                    None
                }
            };
            is_good &= value.is_some();
            if let Some(value) = value {
                variables.insert(member.name.clone(), value);
            }
        }
    }
    is_good.then_some(variables)
}

fn read_env_file(
    entry: &Entry<'_>,
    node: &Node,
    member: &str,
    variables: &mut BTreeMap<String, Option<Template>>,
) -> Option<()> {
    let Some(text) = node.text() else {
        entry.wrong_type(node, member, "a path");
        return None;
    };
    let known = entry.known(text, &node.span, member)?;
    if known.is_open || entry.scope.leaves_variables {
        return Some(());
    }
    let path = entry.path(&known, &node.span, member)?;
    match env_file::read(Path::new(path.expose())) {
        Err(error) => {
            let message = format!("cannot read {path}: {error}");
            let help = "create the file, or correct the path; a relative one begins at the folder of the configuration file";
            entry.error(ProblemKind::EnvFile, &node.span, member, message, help);
            None
        }
        Ok(file) => {
            if let Some(line) = file.unread.first() {
                let more = file.unread.len() - 1;
                let more = if more == 0 { String::new() } else { format!(", nor are {more} more") };
                let message = format!("line {line} of {path} is not `NAME=value`{more}");
                let problem =
                    Problem::new(Severity::Warning, ProblemKind::EnvFile, node.span.clone(), message);
                entry.report(problem.help("write `NAME=value`, or `#` in front of a comment"), Some(member));
            }
            variables.extend(file.variables.into_iter().map(|(name, value)| (name, Some(value.into()))));
            Some(())
        }
    }
}

fn settings(entry: &Entry<'_>, found: &Member) -> Option<Settings> {
    let node = &found.value;
    if node.members().is_none() {
        entry.wrong_type(node, &found.name, "an object");
        return None;
    }
    let object = node.to_json(&mut |text, span| {
        let known = entry.known(text, span, &found.name);
        known.map(|known| known.value.expose().to_owned()).unwrap_or_default()
    });
    match object {
        serde_json::Value::Object(object) => Some(Settings::new(object)),
        _ => None,
    }
}
