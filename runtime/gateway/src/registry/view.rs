//! The tools of a run at one time.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::{Arc, OnceLock};

use serde_json::json;
use toolwright_client::config::{Headers, HttpSpec, Secret, ServerSpec, StdioSpec};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::external::InputChecker;
use toolwright_core::protocol::meta;

use super::credentials::OpenedHeaders;
use super::entry::{Backend, Entry, Status};
use super::store::{RunState, Snapshot};
use crate::repeatable::is_repeatable;

/// The programs that this gateway may start, by launcher name.
pub(super) type Launchers = BTreeMap<String, StdioSpec>;

/// The tools of a run, ready for calls.
#[derive(Debug)]
pub(super) struct View {
    pub(super) state: RunState,
    pub(super) tools: Vec<Arc<RunTool>>,
    by_name: HashMap<String, usize>,
    /// The servers of the run.
    pub(super) servers: Vec<ServerSpec>,
    /// Nodes that are not offered, and why.
    pub(super) left_out: Vec<(String, String)>,
}

/// A tool that is executed by workers.
#[derive(Debug)]
pub(super) struct RunTool {
    pub(super) node: String,
    pub(super) pool: String,
    pub(super) definition: ToolDefinition,
    pub(super) bound: BTreeSet<String>,
    /// Compiled on the first call; `None` if its schema has unsupported constraints.
    checker: OnceLock<Option<InputChecker>>,
}

impl RunTool {
    pub(super) fn checker(&self) -> Option<&InputChecker> {
        let compile = || InputChecker::compile(&self.definition.input_schema).ok();
        self.checker.get_or_init(compile).as_ref()
    }

    /// Whether a call may be repeated if its outcome is unknown.
    pub(super) fn is_repeatable(&self) -> bool {
        is_repeatable(&self.definition)
    }
}

impl View {
    /// Creates the view of the entries. Unchanged parts of `before`, the previous view, are reused.
    pub(super) fn new(
        snapshot: Snapshot,
        launchers: &Launchers,
        mut headers: OpenedHeaders,
        before: Option<&Self>,
    ) -> Self {
        let mut view = Self::empty(snapshot.state);
        let mut names = HashSet::new();
        for entry in snapshot.entries {
            let node = entry.node.clone();
            if let Err(why) = view.add(entry, launchers, headers.remove(&node), before, &mut names) {
                view.left_out.push((node, why));
            }
        }
        view.tools.sort_by(|one, other| one.definition.name.cmp(&other.definition.name));
        let names = view.tools.iter().enumerate();
        view.by_name = names.map(|(place, tool)| (tool.definition.name.clone(), place)).collect();
        view
    }

    /// Creates an empty view, older than the first view of a run, and with its epoch.
    pub(super) fn new_empty(first: &Self) -> Self {
        Self::empty(RunState { revision: 0, ..first.state.clone() })
    }

    /// Creates an empty view that no token is valid for.
    pub(super) fn ended(last: &Self) -> Self {
        Self::empty(RunState { epoch: String::new(), ..last.state.clone() })
    }

    fn empty(state: RunState) -> Self {
        Self { state, tools: Vec::new(), by_name: HashMap::new(), servers: Vec::new(), left_out: Vec::new() }
    }

    fn add(
        &mut self,
        entry: Entry,
        launchers: &Launchers,
        opened: Option<Result<Vec<(String, Secret)>, String>>,
        before: Option<&Self>,
        names: &mut HashSet<String>,
    ) -> Result<(), String> {
        match entry.status {
            Status::Ready => {}
            Status::Pending => return Err("it is not ready yet".to_owned()),
            Status::Failed => return Err("it has failed".to_owned()),
        }
        let server = match entry.backend {
            Backend::Component { tool, pool } => {
                // The first one keeps the name.
                if !names.insert(tool.name.clone()) {
                    return Err(format!("the tool `{}` is another node's already", tool.name));
                }
                let mut definition = *tool;
                let members = definition.meta.get_or_insert_default();
                members.insert(meta::NODE.to_owned(), json!(entry.node));
                let same = before.and_then(|before| before.tool(&definition.name)).filter(|same| {
                    same.definition == definition
                        && same.node == entry.node
                        && same.pool == pool
                        && same.bound == entry.bound
                });
                self.tools.push(same.cloned().unwrap_or_else(|| {
                    let (node, bound) = (entry.node, entry.bound);
                    Arc::new(RunTool { node, pool, definition, bound, checker: OnceLock::new() })
                }));
                return Ok(());
            }
            Backend::Remote { url, headers } => {
                let mut spec = HttpSpec::new(url.as_str());
                spec.headers = Headers::default();
                for (name, value) in headers {
                    spec.headers.set(name, value);
                }
                for (name, value) in opened.unwrap_or(Ok(Vec::new()))? {
                    spec.headers.set(name, value);
                }
                ServerSpec::new(&entry.node, spec)
            }
            Backend::Local { launcher, args } => {
                let spec = launchers.get(&launcher);
                let mut spec = spec.cloned().ok_or_else(|| {
                    format!("this gateway has no launcher `{launcher}`; its configuration names those that it may start")
                })?;
                spec.args.extend(args.iter().map(|argument| argument.as_str().into()));
                ServerSpec::new(&entry.node, spec)
            }
        };
        if self.servers.iter().any(|known| known.name.eq_ignore_ascii_case(&server.name)) {
            return Err("its name differs from another node's by capitals only".to_owned());
        }
        self.servers.push(server);
        Ok(())
    }

    /// Returns the worker tool with this name.
    pub(super) fn tool(&self, name: &str) -> Option<&Arc<RunTool>> {
        self.by_name.get(name).map(|place| &self.tools[*place])
    }
}
