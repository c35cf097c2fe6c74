//! The table of tools, for lookup by name and for lists.

use std::collections::HashSet;
use std::sync::Arc;

use toolwright_core::definition::ToolDefinition;
use toolwright_core::external;
use toolwright_core::protocol::ErrorObject;
#[cfg(not(feature = "tasks"))]
use toolwright_core::tool::TaskSupport;

use crate::auth::Access;
use crate::error::{self, BuildError};
use crate::forward::entry_of;
use crate::log;
use crate::pagination::{List, Listed};
use crate::provider::DynProvider;
use crate::tool::ToolEntry;

/// What to do about a provider's tool whose name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameTaken {
    /// Fail.
    Error,
    /// Skip the tool: one provider must not freeze the lists of the others.
    Omit,
}

/// A provider's list.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    /// The index of the provider.
    pub(crate) number: usize,
    pub(crate) provider: &'a DynProvider,
    pub(crate) tools: Arc<[ToolDefinition]>,
}

/// A snapshot of a server's tools. Changes create a new table.
#[derive(Debug)]
pub(crate) struct ToolTable {
    list: List<ToolEntry>,
    /// The tools of providers that were skipped, by name, with the reasons.
    left_out: Vec<(String, String)>,
    /// Current and former names, sorted.
    index: Box<[(String, Arc<ToolEntry>)]>,
}

impl ToolTable {
    /// Builds a table from existing entries and the current lists of providers. Unchanged entries are reused from the
    /// previous table `older`, and skipped tools are logged only once.
    pub(crate) fn of(
        given: &[Arc<ToolEntry>],
        listings: &[Listing<'_>],
        checks_outputs: bool,
        taken: NameTaken,
        older: Option<&Self>,
    ) -> Result<Self, BuildError> {
        let (mut entries, mut left_out) = (given.to_vec(), Vec::new());
        let mut names: HashSet<String> = match taken {
            NameTaken::Error => HashSet::new(),
            NameTaken::Omit => given.iter().flat_map(|entry| entry.names()).map(str::to_owned).collect(),
        };
        for Listing { number, provider, tools } in listings {
            let number = *number;
            for tool in &**tools {
                if taken == NameTaken::Omit && !names.insert(tool.name.clone()) {
                    let reason = "another tool has its name".to_owned();
                    left_out.push((error::shorten(&tool.name), reason));
                    continue;
                }
                let known = older.and_then(|older| older.list.get(&tool.name));
                if let Some(same) = known.filter(|known| known.is_of(number, tool)) {
                    entries.push(Arc::clone(same));
                    continue;
                }
                match fit_for_clients(tool) {
                    Ok(()) => {
                        let entry = entry_of(number, provider, tool.clone(), checks_outputs);
                        entries.push(Arc::new(entry));
                    }
                    Err(reason) => left_out.push((error::shorten(&tool.name), reason)),
                }
            }
        }
        for refused in &left_out {
            if !older.is_some_and(|older| older.left_out.contains(refused)) {
                let (name, reason) = refused;
                log::warn(format_args!("skipping the tool {name:?} of a provider: {reason}"));
            }
        }
        Ok(Self { left_out, ..Self::new(entries)? })
    }

    /// Marks the table as that of one caller.
    pub(crate) fn of_caller(self) -> Self {
        Self { list: self.list.of_caller(), ..self }
    }

    /// Builds a table of these entries.
    fn new(entries: Vec<Arc<ToolEntry>>) -> Result<Self, BuildError> {
        #[cfg(not(feature = "tasks"))]
        if let Some(entry) = entries.iter().find(|entry| entry.task == Some(TaskSupport::Required)) {
            return Err(BuildError::Tool {
                tool: entry.key().to_owned(),
                reason: "it runs only as a task; enable the feature `tasks`".to_owned(),
            });
        }
        let list = List::new(entries).map_err(BuildError::DuplicateTool)?;
        let names_of = |entry: &Arc<ToolEntry>| {
            let entry = Arc::clone(entry);
            let names: Vec<String> = entry.names().map(str::to_owned).collect();
            names.into_iter().map(move |name| (name, Arc::clone(&entry)))
        };
        let mut index: Box<[(String, Arc<ToolEntry>)]> = list.entries().iter().flat_map(names_of).collect();
        index.sort_by(|(a, _), (b, _)| a.cmp(b));
        if let Some(pair) = index.windows(2).find(|pair| pair[0].0 == pair[1].0) {
            return Err(BuildError::DuplicateTool(pair[0].0.clone()));
        }
        Ok(Self { list, left_out: Vec::new(), index })
    }

    /// Returns the tool with this current or former name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        let position = self.index.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.index.get(position).map(|(_, entry)| entry)
    }

    /// The scopes of all tools.
    #[cfg(feature = "auth")]
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &String> {
        self.list.entries().iter().flat_map(|entry| &entry.scopes)
    }

    /// Whether the caller can see the change from this table to `newer`. If nothing has changed, everyone is notified.
    pub(crate) fn change_shows(&self, newer: &Self, access: &Access) -> bool {
        access.is_trusted() || !self.differs(newer, |_| true) || self.differs_for(newer, access)
    }

    /// Whether the caller can see a difference between this table and `newer`.
    pub(crate) fn differs_for(&self, newer: &Self, access: &Access) -> bool {
        self.differs(newer, |entry| access.covers(&entry.scopes))
    }

    /// Whether the tables differ in an entry that counts.
    fn differs(&self, newer: &Self, counts: impl Fn(&ToolEntry) -> bool) -> bool {
        let is_only_in = |entry: &&Arc<ToolEntry>, other: &Self| {
            other.list.get(entry.key()).is_none_or(|other| other.definition != entry.definition)
        };
        let gone = self.list.entries().iter().filter(|entry| is_only_in(entry, newer));
        let new = newer.list.entries().iter().filter(|entry| is_only_in(entry, self));
        gone.chain(new).any(|entry| counts(entry))
    }

    /// The list of tools.
    pub(crate) fn list(&self) -> &List<ToolEntry> {
        &self.list
    }

    /// All definitions, in the order of the list.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.list.entries().iter().map(|entry| &entry.definition)
    }
}

/// Checks whether clients can use a provider's tool.
fn fit_for_clients(tool: &ToolDefinition) -> Result<(), String> {
    external::check(tool).map_err(|flaw| flaw.to_string())?;
    #[cfg(not(feature = "tasks"))]
    if tool.task() == Some(TaskSupport::Required) {
        return Err("it runs only as a task, and the feature `tasks` is disabled".to_owned());
    }
    Ok(())
}

/// A caller cannot call a tool.
#[derive(Debug)]
pub(crate) enum Denied {
    /// No tool with that name is visible to the caller.
    Unknown,
    /// It requires scopes that the caller lacks.
    #[cfg(feature = "auth")]
    Scopes(Arc<ToolEntry>),
}

impl Denied {
    /// The error for the caller.
    pub(crate) fn error(&self, name: &str) -> ErrorObject {
        match self {
            Self::Unknown => error::unknown_tool(name),
            #[cfg(feature = "auth")]
            Self::Scopes(entry) => error::insufficient_scope(&entry.scopes),
        }
    }
}
