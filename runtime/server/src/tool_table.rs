//! The table of tools: a name leads to its entry, and the list shows them.

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

/// What becomes of a tool of a provider whose name is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum NameTaken {
    /// There is no table.
    Error,
    /// The tool is left out: one provider must not freeze the lists of the others.
    LeftOut,
}

/// What a provider lists.
#[derive(Debug)]
pub(crate) struct Listing<'a> {
    /// The number of the provider.
    pub(crate) number: usize,
    pub(crate) provider: &'a DynProvider,
    pub(crate) tools: Arc<[ToolDefinition]>,
}

/// The tools of a server at one moment. A change makes a new table.
#[derive(Debug)]
pub(crate) struct ToolTable {
    list: List<ToolEntry>,
    /// The tools of providers that are not in it, by name, and why.
    left_out: Vec<(String, String)>,
    /// Present and former names, sorted.
    index: Box<[(String, Arc<ToolEntry>)]>,
}

impl ToolTable {
    /// The table of entries that are there already and of what providers list now. `older` is the one before it: what has
    /// not changed is taken from there, and what was said is not said again.
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
            NameTaken::LeftOut => given.iter().flat_map(|entry| entry.names()).map(str::to_owned).collect(),
        };
        for Listing { number, provider, tools } in listings {
            let number = *number;
            for tool in &**tools {
                if taken == NameTaken::LeftOut && !names.insert(tool.name.clone()) {
                    let reason = "another tool has its name".to_owned();
                    left_out.push((error::shortened(&tool.name), reason));
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
                    Err(reason) => left_out.push((error::shortened(&tool.name), reason)),
                }
            }
        }
        for refused in &left_out {
            if !older.is_some_and(|older| older.left_out.contains(refused)) {
                let (name, reason) = refused;
                log::warn(format_args!("the tool {name:?} of a provider is left out: {reason}"));
            }
        }
        Ok(Self { left_out, ..Self::new(entries)? })
    }

    /// The table as that of one caller.
    pub(crate) fn of_caller(self) -> Self {
        Self { list: self.list.of_caller(), ..self }
    }

    /// The table of these entries.
    fn new(entries: Vec<Arc<ToolEntry>>) -> Result<Self, BuildError> {
        #[cfg(not(feature = "tasks"))]
        if let Some(entry) = entries.iter().find(|entry| entry.task == Some(TaskSupport::Required)) {
            return Err(BuildError::Tool {
                tool: entry.key().to_owned(),
                reason: "it runs as a task only; turn the feature `tasks` on".to_owned(),
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

    /// The tool of this name or former name.
    pub(crate) fn get(&self, name: &str) -> Option<&Arc<ToolEntry>> {
        let position = self.index.binary_search_by(|(known, _)| known.as_str().cmp(name)).ok()?;
        self.index.get(position).map(|(_, entry)| entry)
    }

    /// The scopes of all tools.
    #[cfg(feature = "auth")]
    pub(crate) fn scopes(&self) -> impl Iterator<Item = &String> {
        self.list.entries().iter().flat_map(|entry| &entry.scopes)
    }

    /// Whether the change from this table to `newer` is one that the caller can see. Where nothing has changed, it
    /// is told to all.
    pub(crate) fn change_shows(&self, newer: &Self, access: &Access) -> bool {
        access.is_trusted() || !self.differs(newer, |_| true) || self.differs_for(newer, access)
    }

    /// Whether the caller can see a difference between this table and `newer`.
    pub(crate) fn differs_for(&self, newer: &Self, access: &Access) -> bool {
        self.differs(newer, |entry| access.covers(&entry.scopes))
    }

    /// Whether they differ in an entry that counts.
    fn differs(&self, newer: &Self, counts: impl Fn(&ToolEntry) -> bool) -> bool {
        let is_only_in = |entry: &&Arc<ToolEntry>, other: &Self| {
            other.list.get(entry.key()).is_none_or(|other| other.definition != entry.definition)
        };
        let gone = self.list.entries().iter().filter(|entry| is_only_in(entry, newer));
        let new = newer.list.entries().iter().filter(|entry| is_only_in(entry, self));
        gone.chain(new).any(|entry| counts(entry))
    }

    /// The list of the tools.
    pub(crate) fn list(&self) -> &List<ToolEntry> {
        &self.list
    }

    /// All definitions, in the order of the list.
    pub(crate) fn definitions(&self) -> impl Iterator<Item = &ToolDefinition> {
        self.list.entries().iter().map(|entry| &entry.definition)
    }
}

/// Whether clients can use a tool of a provider; if not, why.
fn fit_for_clients(tool: &ToolDefinition) -> Result<(), String> {
    external::check(tool).map_err(|flaw| flaw.to_string())?;
    #[cfg(not(feature = "tasks"))]
    if tool.task() == Some(TaskSupport::Required) {
        return Err("it runs as a task only, and the feature `tasks` is off".to_owned());
    }
    Ok(())
}

/// Why a call cannot reach its tool.
#[derive(Debug)]
pub(crate) enum Denied {
    /// There is none of that name, as far as the caller may know.
    Unknown,
    /// It needs more scopes than the caller has.
    #[cfg(feature = "auth")]
    Scopes(Arc<ToolEntry>),
}

impl Denied {
    /// What the caller is told.
    pub(crate) fn error(&self, name: &str) -> ErrorObject {
        match self {
            Self::Unknown => error::unknown_tool(name),
            #[cfg(feature = "auth")]
            Self::Scopes(entry) => error::insufficient_scope(&entry.scopes),
        }
    }
}
