//! The sections of a document: servers, inputs and tokens.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;

use toolwright_core::suggest::nearest;

use super::build::{self, FileKind};
use super::entry::Entry;
use super::expand::Scope;
use super::inputs::Inputs;
use super::name::{NameProblem, check_name, suggest_name};
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity};
use super::{MAX_SERVERS, token};
use crate::config::{ServerSpec, Tokens};

/// The known members of a file.
const SECTIONS: [&str; 5] = ["mcpServers", "servers", "inputs", "tokens", "tools"];

/// The sections of a document.
#[derive(Debug, Default)]
pub(super) struct Sections<'a> {
    pub(super) servers: Vec<ServerEntry<'a>>,
    pub(super) inputs: Option<&'a Node>,
    pub(super) tokens: Option<&'a Node>,
}

/// The entry of a server.
#[derive(Debug)]
pub(super) struct ServerEntry<'a> {
    pub(super) name: &'a str,
    pub(super) name_span: Range<usize>,
    pub(super) node: Cow<'a, Node>,
    pub(super) file_kind: FileKind,
}

/// The servers of a file.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) valid: Vec<ServerSpec>,
    pub(super) invalid: Vec<String>,
    pub(super) disabled: Vec<String>,
}

impl<'a> Sections<'a> {
    /// Finds the sections. `file_kind` is that of servers outside of the list `tools`.
    pub(super) fn find(root: &'a Node, file_kind: FileKind, problems: &mut Vec<Problem>) -> Self {
        let mut sections = Self::default();
        let Some(members) = root.members() else {
            let message = format!("the file must be an object, not {}", root.type_name());
            problems.push(Problem::error(ProblemKind::WrongType, root.span.clone(), message));
            return sections;
        };
        let mut has_servers = sections.add_members(members, file_kind, problems);
        // In the settings of editors, the sections are in a member `mcp`.
        if let Some(inner) = root.member("mcp").and_then(|mcp| mcp.value.members()) {
            has_servers |= sections.add_members(inner, file_kind, problems);
        }
        if let Some(tools) = root.member("tools") {
            has_servers = true;
            sections.add_tools(&tools.value, problems);
        }
        check_sections(root, members, has_servers, file_kind, problems);
        sections
    }

    /// Adds the sections among these members; returns whether there are servers.
    fn add_members(
        &mut self,
        members: &'a [Member],
        file_kind: FileKind,
        problems: &mut Vec<Problem>,
    ) -> bool {
        let mut has_servers = false;
        for member in members {
            match member.name.as_str() {
                "mcpServers" | "servers" => {
                    has_servers = true;
                    let Some(servers) = member.value.members() else {
                        let message = format!(
                            "`{}` must be an object of servers, not {}",
                            member.name,
                            member.value.type_name()
                        );
                        problems.push(Problem::error(
                            ProblemKind::WrongType,
                            member.value.span.clone(),
                            message,
                        ));
                        continue;
                    };
                    self.servers.extend(servers.iter().map(|server| ServerEntry {
                        name: &server.name,
                        name_span: server.name_span.clone(),
                        node: Cow::Borrowed(&server.value),
                        file_kind,
                    }));
                }
                "inputs" => self.inputs = Some(&member.value),
                "tokens" => self.tokens = Some(&member.value),
                _ => {}
            }
        }
        has_servers
    }

    /// Adds the tools of an agent file that have the type `mcp`.
    fn add_tools(&mut self, tools: &'a Node, problems: &mut Vec<Problem>) {
        let Data::Array(items) = &tools.data else {
            let message = format!("`tools` must be a list, not {}", tools.type_name());
            problems.push(Problem::error(ProblemKind::WrongType, tools.span.clone(), message));
            return;
        };
        for item in items {
            let tool_type =
                item.member("type").and_then(|member| member.value.as_str().map(|name| (member, name)));
            match tool_type {
                Some((_, "mcp")) => {}
                Some((member, name))
                    if name.eq_ignore_ascii_case("mcp") || nearest(name, ["mcp"]).is_some() =>
                {
                    let message = format!("the tool has the type `{name}`, did you mean `mcp`?");
                    let span = member.value.span.clone();
                    problems.push(Problem::error(ProblemKind::InvalidValue, span, message));
                    continue;
                }
                _ => continue,
            }
            let Some(name) = item.member("name").filter(|name| name.value.as_str().is_some()) else {
                let message = "an MCP tool requires a `name`";
                problems.push(Problem::error(ProblemKind::Missing, item.span.clone(), message));
                continue;
            };
            let members = item.members().unwrap_or_default();
            let rest =
                members.iter().filter(|member| !matches!(member.name.as_str(), "name" | "type")).cloned();
            self.servers.push(ServerEntry {
                name: name.value.as_str().unwrap_or_default(),
                name_span: name.value.span.clone(),
                node: Cow::Owned(Node::new(item.span.clone(), Data::Object(rest.collect()))),
                file_kind: FileKind::Native,
            });
        }
    }
}

/// Reports misspelt sections, and a file without servers. Files of editors and agents have other members too.
fn check_sections(
    root: &Node,
    members: &[Member],
    has_servers: bool,
    file_kind: FileKind,
    problems: &mut Vec<Problem>,
) {
    let has_tools = root.member("tools").is_some();
    let mut is_explained = has_servers;
    for member in members {
        let name = member.name.as_str();
        if SECTIONS.contains(&name) || matches!(name, "mcp" | "$schema") || name.starts_with("x-") {
            continue;
        }
        let suggestion = nearest(name, SECTIONS).filter(|similar| root.member(similar).is_none());
        let is_strict = file_kind == FileKind::Native && !has_tools;
        match suggestion {
            Some(similar)
                if !has_servers || is_strict || matches!(similar, "inputs" | "tokens") && !has_tools =>
            {
                let severity = if has_servers && !is_strict { Severity::Warning } else { Severity::Error };
                let message = format!("unknown member `{name}`, did you mean `{similar}`?");
                let span = member.name_span.clone();
                problems.push(Problem::new(severity, ProblemKind::UnknownMember, span, message));
                is_explained = true;
            }
            _ if is_strict && has_servers => {
                let message = format!("unknown member `{name}`");
                let problem = Problem::error(ProblemKind::UnknownMember, member.name_span.clone(), message);
                problems.push(problem.help("known members: servers, inputs, tokens"));
            }
            _ => {}
        }
    }
    if !is_explained {
        let message = "the file has no servers";
        let start = root.span.start;
        problems.push(Problem::error(ProblemKind::Missing, start..start, message).help(
            "add them to an object `mcpServers` or `servers`, or to the list `tools` of an agent file",
        ));
    }
}

impl Servers {
    /// Reads the entries of servers.
    pub(super) fn read(
        sections: &Sections<'_>,
        scope: &Scope<'_>,
        text: &str,
        folder: &Path,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut servers = Self::default();
        let mut names: HashMap<String, &str> = HashMap::new();
        let mut seen: HashMap<String, &str> = HashMap::new();
        for (index, server) in sections.servers.iter().enumerate() {
            if index == MAX_SERVERS {
                let message =
                    format!("the file has {} servers; the limit is {MAX_SERVERS}", sections.servers.len());
                problems.push(Problem::error(ProblemKind::Limit, server.name_span.clone(), message));
                break;
            }
            let entry = Entry {
                name: server.name,
                group: None,
                node: &server.node,
                scope,
                text,
                is_strict: server.file_kind == FileKind::Native,
                folder,
                problems: Vec::new().into(),
            };
            check_server_name(&entry, server, &mut names);
            servers.add(&entry, server);
            problems.append(&mut entry.problems.borrow_mut());
            problems.extend(find_identical(server, &mut seen));
        }
        servers
    }

    fn add(&mut self, entry: &Entry<'_>, server: &ServerEntry<'_>) {
        let is_object = server.node.members().is_some();
        if !is_object {
            let message = format!("a server must be an object, not {}", server.node.type_name());
            entry.report(Problem::error(ProblemKind::WrongType, server.node.span.clone(), message), None);
        } else if build::is_disabled(entry) {
            // Its variables need not be set, since it is not started.
            entry.check_members();
            return self.disabled.push(server.name.to_owned());
        }
        let spec = if is_object { build::build_server(entry, server.file_kind) } else { None };
        let is_valid = entry.problems.borrow().iter().all(|problem| problem.severity < Severity::Error);
        match spec.filter(|_| is_valid) {
            Some(spec) => self.valid.push(spec),
            None => self.invalid.push(server.name.to_owned()),
        }
    }
}

fn check_server_name<'a>(entry: &Entry<'_>, server: &ServerEntry<'a>, names: &mut HashMap<String, &'a str>) {
    let name = server.name;
    let (severity, message) = match check_name(name) {
        Ok(()) => (None, String::new()),
        Err(NameProblem::Ambiguous(message)) => (Some(Severity::Error), message),
        Err(NameProblem::Changed(message)) if server.file_kind == FileKind::Native => {
            (Some(Severity::Error), message)
        }
        Err(NameProblem::Changed(message)) => {
            (Some(Severity::Note), format!("{message}; its tools are listed under other names"))
        }
    };
    if let Some(severity) = severity {
        let problem = Problem::new(severity, ProblemKind::InvalidName, server.name_span.clone(), message);
        entry.report(problem.help(format!("use a name such as `{}`", suggest_name(name))), None);
    }
    if let Some(previous) = names.insert(name.to_lowercase(), name) {
        let message = if previous == name {
            "duplicate server name".to_owned()
        } else {
            format!("the name differs from `{previous}` only in case")
        };
        let problem = Problem::error(ProblemKind::Duplicate, server.name_span.clone(), message);
        entry.report(problem.help("use another name for one of the two"), None);
    }
}

/// Returns a warning if a previous entry is identical.
fn find_identical<'a>(server: &ServerEntry<'a>, seen: &mut HashMap<String, &'a str>) -> Option<Problem> {
    let text = server.node.to_json().to_string();
    let previous = seen.insert(text, server.name)?;
    let message = format!("it is identical to {previous:?}: both are started, and each tool is listed twice");
    let problem = Problem::new(Severity::Warning, ProblemKind::Duplicate, server.name_span.clone(), message);
    Some(problem.at(Some(server.name), None))
}

/// Adds the tokens of the section `tokens` to those of the program, which they replace.
pub(super) fn read_tokens(
    node: Option<&Node>,
    scope: &Scope<'_>,
    text: &str,
    folder: &Path,
    mut tokens: Tokens,
    problems: &mut Vec<Problem>,
) -> Tokens {
    let Some(node) = node else { return tokens };
    let Some(members) = node.members() else {
        let message = format!("`tokens` must be an object, not {}", node.type_name());
        problems.push(Problem::error(ProblemKind::WrongType, node.span.clone(), message));
        return tokens;
    };
    for member in members {
        let entry = Entry {
            name: &member.name,
            group: Some("tokens"),
            node: &member.value,
            scope,
            text,
            is_strict: true,
            folder,
            problems: Vec::new().into(),
        };
        tokens = token::add_token(&entry, tokens);
        problems.append(&mut entry.problems.borrow_mut());
    }
    tokens
}

/// Iterates over the names in the section `tokens`.
pub(super) fn token_names(node: Option<&Node>) -> impl Iterator<Item = &str> {
    let names: HashSet<&str> =
        node.and_then(Node::members).unwrap_or_default().iter().map(|member| member.name.as_str()).collect();
    names.into_iter()
}

/// Reads the section `inputs`.
pub(super) fn read_inputs(node: Option<&Node>, problems: &mut Vec<Problem>) -> Inputs {
    node.map(|node| Inputs::read(node, problems)).unwrap_or_default()
}
