//! Where servers, inputs and tokens stand in a document.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use toolwright_core::suggest::nearest;

use super::build::{self, Home};
use super::entry::Entry;
use super::expand::Scope;
use super::inputs::Inputs;
use super::name::{NameFault, check, proposal};
use super::node::{Data, Member, Node};
use super::problem::{Problem, ProblemKind, Severity};
use super::{MAX_SERVERS, token};
use crate::config::{ServerSpec, Tokens};

/// The members of a file that are ours.
const SECTIONS: [&str; 5] = ["mcpServers", "servers", "inputs", "tokens", "tools"];

/// The sections of a document.
#[derive(Debug, Default)]
pub(super) struct Document<'a> {
    /// The entries of servers, each with its name.
    pub(super) entries: Vec<Named<'a>>,
    pub(super) inputs: Option<&'a Node>,
    pub(super) tokens: Option<&'a Node>,
}

/// The entry of a server.
#[derive(Debug)]
pub(super) struct Named<'a> {
    pub(super) name: &'a str,
    /// Where the name stands.
    pub(super) span: std::ops::Range<usize>,
    pub(super) node: std::borrow::Cow<'a, Node>,
    pub(super) home: Home,
}

/// What became of the entries.
#[derive(Debug, Default)]
pub(super) struct Servers {
    pub(super) ready: Vec<ServerSpec>,
    pub(super) refused: Vec<String>,
    pub(super) disabled: Vec<String>,
}

impl<'a> Document<'a> {
    /// Finds the sections. `home` is that of servers which are not in an agent file.
    pub(super) fn of(root: &'a Node, home: Home, problems: &mut Vec<Problem>) -> Self {
        let mut document = Self::default();
        let Some(members) = root.members() else {
            let message = format!("the file must be an object, not {}", root.kind());
            problems.push(Problem::error(ProblemKind::WrongType, root.span.clone(), message));
            return document;
        };
        let mut has_servers = document.sections(members, home, problems);
        // The settings of an editor have all of it one level deeper.
        if let Some(inner) = root.member("mcp").and_then(|mcp| mcp.value.members()) {
            has_servers |= document.sections(inner, home, problems);
        }
        if let Some(tools) = root.member("tools") {
            has_servers = true;
            document.agent(&tools.value, problems);
        }
        check_sections(root, members, has_servers, home, problems);
        document
    }

    fn sections(&mut self, members: &'a [Member], home: Home, problems: &mut Vec<Problem>) -> bool {
        let mut has_servers = false;
        for member in members {
            match member.name.as_str() {
                "mcpServers" | "servers" => {
                    has_servers = true;
                    let Some(servers) = member.value.members() else {
                        let message = format!(
                            "`{}` must be an object of servers, not {}",
                            member.name,
                            member.value.kind()
                        );
                        problems.push(Problem::error(
                            ProblemKind::WrongType,
                            member.value.span.clone(),
                            message,
                        ));
                        continue;
                    };
                    self.entries.extend(servers.iter().map(|server| Named {
                        name: &server.name,
                        span: server.name_span.clone(),
                        node: std::borrow::Cow::Borrowed(&server.value),
                        home,
                    }));
                }
                "inputs" => self.inputs = Some(&member.value),
                "tokens" => self.tokens = Some(&member.value),
                _ => {}
            }
        }
        has_servers
    }

    /// The tools of an agent file whose type is `mcp`. Others are not for us.
    fn agent(&mut self, tools: &'a Node, problems: &mut Vec<Problem>) {
        let Data::List(items) = &tools.data else {
            let message = format!("`tools` must be a list, not {}", tools.kind());
            problems.push(Problem::error(ProblemKind::WrongType, tools.span.clone(), message));
            return;
        };
        for item in items {
            let kind = item.member("type").and_then(|kind| kind.value.text().map(|text| (kind, text)));
            match kind {
                Some((_, "mcp")) => {}
                Some((kind, text))
                    if text.eq_ignore_ascii_case("mcp") || nearest(text, ["mcp"]).is_some() =>
                {
                    let message = format!("the tool has the type `{text}`, did you mean `mcp`?");
                    let span = kind.value.span.clone();
                    problems.push(Problem::error(ProblemKind::InvalidValue, span, message));
                    continue;
                }
                _ => continue,
            }
            let Some(name) = item.member("name").filter(|name| name.value.text().is_some()) else {
                let message = "an MCP tool needs a `name`";
                problems.push(Problem::error(ProblemKind::Missing, item.span.clone(), message));
                continue;
            };
            let members = item.members().unwrap_or_default();
            let rest =
                members.iter().filter(|member| !matches!(member.name.as_str(), "name" | "type")).cloned();
            self.entries.push(Named {
                name: name.value.text().unwrap_or_default(),
                span: name.value.span.clone(),
                node: std::borrow::Cow::Owned(Node::new(item.span.clone(), Data::Members(rest.collect()))),
                home: Home::Own,
            });
        }
    }
}

/// Reports a file without servers, and sections that are misspelt. Files of editors and agents have much else in them.
fn check_sections(
    root: &Node,
    members: &[Member],
    has_servers: bool,
    home: Home,
    problems: &mut Vec<Problem>,
) {
    let has_tools = root.member("tools").is_some();
    let mut is_explained = has_servers;
    for member in members {
        let name = member.name.as_str();
        if SECTIONS.contains(&name) || matches!(name, "mcp" | "$schema") || name.starts_with("x-") {
            continue;
        }
        let near = nearest(name, SECTIONS).filter(|near| root.member(near).is_none());
        let is_strict = home == Home::Own && !has_tools;
        match near {
            Some(near) if !has_servers || is_strict || matches!(near, "inputs" | "tokens") && !has_tools => {
                let severity = if has_servers && !is_strict { Severity::Warning } else { Severity::Error };
                let message = format!("unknown member `{name}`, did you mean `{near}`?");
                let span = member.name_span.clone();
                problems.push(Problem::new(severity, ProblemKind::UnknownMember, span, message));
                is_explained = true;
            }
            _ if is_strict && has_servers => {
                let message = format!("unknown member `{name}`");
                let problem = Problem::error(ProblemKind::UnknownMember, member.name_span.clone(), message);
                problems.push(problem.help("there is `servers`, `inputs` and `tokens`"));
            }
            _ => {}
        }
    }
    if !is_explained {
        let message = "the file names no servers";
        let start = root.span.start;
        problems.push(Problem::error(ProblemKind::Missing, start..start, message).help(
            "write them into an object `mcpServers` or `servers`, or the list `tools` of an agent file",
        ));
    }
}

impl Servers {
    /// Reads every entry.
    pub(super) fn read(
        document: &Document<'_>,
        scope: &Scope<'_>,
        text: &str,
        folder: &Path,
        problems: &mut Vec<Problem>,
    ) -> Self {
        let mut servers = Self::default();
        let mut names: HashMap<String, &str> = HashMap::new();
        let mut same: HashMap<String, &str> = HashMap::new();
        for (index, named) in document.entries.iter().enumerate() {
            if index == MAX_SERVERS {
                let message =
                    format!("there are {} servers, more than {MAX_SERVERS}", document.entries.len());
                problems.push(Problem::error(ProblemKind::Limit, named.span.clone(), message));
                break;
            }
            let entry = Entry {
                name: named.name,
                group: None,
                node: &named.node,
                scope,
                text,
                is_strict: named.home == Home::Own,
                folder,
                problems: Vec::new().into(),
            };
            check_name(&entry, named, &mut names);
            servers.add(&entry, named);
            let problem = twin(named, &mut same);
            problems.append(&mut entry.problems.borrow_mut());
            problems.extend(problem);
        }
        servers
    }

    fn add(&mut self, entry: &Entry<'_>, named: &Named<'_>) {
        if named.node.members().is_none() {
            let message = format!("a server must be an object, not {}", named.node.kind());
            entry.report(Problem::error(ProblemKind::WrongType, named.node.span.clone(), message), None);
        } else if build::is_disabled(entry) {
            // It is not started, so that its variables need not be set.
            entry.check_names();
            return self.disabled.push(named.name.to_owned());
        }
        let server = if named.node.members().is_some() { build::server(entry, named.home) } else { None };
        let is_good = entry.problems.borrow().iter().all(|problem| problem.severity < Severity::Error);
        match server.filter(|_| is_good) {
            Some(server) => self.ready.push(server),
            None => self.refused.push(named.name.to_owned()),
        }
    }
}

fn check_name<'a>(entry: &Entry<'_>, named: &Named<'a>, taken: &mut HashMap<String, &'a str>) {
    let name = named.name;
    let (severity, message) = match check(name) {
        Ok(()) => (None, String::new()),
        Err(NameFault::Ambiguous(why)) => (Some(Severity::Error), why),
        Err(NameFault::Changed(why)) if named.home == Home::Own => (Some(Severity::Error), why),
        Err(NameFault::Changed(why)) => {
            (Some(Severity::Note), format!("{why}; its tools are listed under other names"))
        }
    };
    if let Some(severity) = severity {
        let problem = Problem::new(severity, ProblemKind::InvalidName, named.span.clone(), message);
        entry.report(problem.help(format!("call it `{}`, for example", proposal(name))), None);
    }
    if let Some(before) = taken.insert(name.to_lowercase(), name) {
        let message = if before == name {
            "there is a server of this name already".to_owned()
        } else {
            format!("there is a server `{before}` already, which differs only in case")
        };
        let problem = Problem::error(ProblemKind::Duplicate, named.span.clone(), message);
        entry.report(problem.help("give one of the two another name"), None);
    }
}

/// A warning for an entry that another one repeats.
fn twin<'a>(named: &Named<'a>, same: &mut HashMap<String, &'a str>) -> Option<Problem> {
    let text = named.node.plain_json().to_string();
    let before = same.insert(text, named.name)?;
    let message = format!("it is the same as {before:?}: both run, and each tool is there twice");
    let problem = Problem::new(Severity::Warning, ProblemKind::Duplicate, named.span.clone(), message);
    Some(problem.at(Some(named.name), None))
}

/// The tokens that the file declares, over those of the program.
pub(super) fn tokens(
    node: Option<&Node>,
    scope: &Scope<'_>,
    text: &str,
    folder: &Path,
    mut tokens: Tokens,
    problems: &mut Vec<Problem>,
) -> Tokens {
    let Some(node) = node else { return tokens };
    let Some(members) = node.members() else {
        let message = format!("`tokens` must be an object, not {}", node.kind());
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
        tokens = token::declare(&entry, tokens);
        problems.append(&mut entry.problems.borrow_mut());
    }
    tokens
}

/// The names under `tokens`.
pub(super) fn token_names(node: Option<&Node>) -> impl Iterator<Item = &str> {
    let names: HashSet<&str> =
        node.and_then(Node::members).unwrap_or_default().iter().map(|member| member.name.as_str()).collect();
    names.into_iter()
}

/// The inputs that the file declares.
pub(super) fn inputs(node: Option<&Node>, problems: &mut Vec<Problem>) -> Inputs {
    node.map(|node| Inputs::read(node, problems)).unwrap_or_default()
}
