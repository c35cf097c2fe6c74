//! Merges the lists of several servers.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Map, Value};
use toolwright_core::definition::ToolDefinition;
use toolwright_core::names::PublicNames;
use toolwright_core::prompt::Prompt;
use toolwright_core::protocol::meta;

use super::member::Member;
use crate::proxy::Proxy;

/// Member of `_meta` with an entry's name on its server.
const NAME: &str = "io.toolwright/name";

/// The server that provides a tool.
pub(crate) fn server_of(tool: &ToolDefinition) -> Option<&str> {
    origin(tool.meta.as_ref())
}

/// Returns the server that `_meta` of an entry names.
pub(super) fn origin(meta: Option<&Map<String, Value>>) -> Option<&str> {
    meta?.get(meta::SERVER)?.as_str()
}

/// How the entries of the servers are named.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Naming {
    /// `{server}__{name}`.
    #[default]
    Prefixed,
    /// As on the only server.
    Plain,
}

/// The last merged list, and its sources.
pub(super) struct Merged<T>(Mutex<Arc<MergedList<T>>>);

struct MergedList<T> {
    sources: Vec<Source<T>>,
    /// The index of each server's source.
    indices: HashMap<String, usize>,
    names: PublicNames,
    list: Arc<[T]>,
}

/// The server of an entry.
pub(super) struct Found {
    pub(super) proxy: Arc<Proxy>,
    /// Its name.
    pub(super) server: String,
    /// The entry's name there.
    pub(super) name: String,
}

/// The list of one server.
pub(super) type Source<T> = (Arc<Member>, Arc<[T]>);

/// An entry with a name that is unique on its server.
pub(super) trait Named: Clone {
    fn name(&self) -> &str;
    fn under(&self, name: String) -> Self;
    fn meta(&mut self) -> &mut Option<Map<String, Value>>;
}

impl Named for ToolDefinition {
    fn name(&self) -> &str {
        &self.name
    }

    fn under(&self, name: String) -> Self {
        let mut tool = self.clone();
        tool.name = name;
        tool
    }

    fn meta(&mut self) -> &mut Option<Map<String, Value>> {
        &mut self.meta
    }
}

impl Named for Prompt {
    fn name(&self) -> &str {
        &self.name
    }

    fn under(&self, name: String) -> Self {
        let mut prompt = self.clone();
        prompt.name = name;
        prompt
    }

    fn meta(&mut self) -> &mut Option<Map<String, Value>> {
        &mut self.meta
    }
}

impl<T: Named> Default for Merged<T> {
    fn default() -> Self {
        Self(Mutex::new(Arc::new(MergedList::of(Vec::new(), Naming::default()))))
    }
}

impl<T: Named> Merged<T> {
    /// Returns the merged list, which is rebuilt if one of the lists has changed.
    pub(super) fn list(&self, sources: Vec<Source<T>>, naming: Naming) -> Arc<[T]> {
        let mut merged = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let is_same = merged.sources.len() == sources.len()
            && merged
                .sources
                .iter()
                .zip(&sources)
                .all(|(before, now)| Arc::ptr_eq(&before.0, &now.0) && Arc::ptr_eq(&before.1, &now.1));
        if !is_same {
            *merged = Arc::new(MergedList::of(sources, naming));
        }
        Arc::clone(&merged.list)
    }

    /// Returns the server of the entry `public` of the last list, if it is connected and `admits` it.
    pub(super) fn find(&self, public: &str, admits: impl FnOnce(&str) -> bool) -> Option<Found> {
        let merged = Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner));
        let found = merged.names.find(public)?;
        if !admits(&found.server) {
            return None;
        }
        let (member, _) = merged.sources.get(*merged.indices.get(&found.server)?)?;
        let (server, name) = (found.server.clone(), found.tool.clone());
        Some(Found { proxy: member.proxy()?, server, name })
    }
}

impl<T: Named> MergedList<T> {
    fn of(sources: Vec<Source<T>>, naming: Naming) -> Self {
        let table = if let (Naming::Plain, [(member, list)]) = (naming, &sources[..]) {
            PublicNames::from_list(member.name(), list, Named::name)
        } else {
            let lists = sources.iter().map(|(member, list)| (member.name(), &list[..]));
            PublicNames::from_lists(lists, Named::name)
        };
        // The server names are already validated.
        let table = table.unwrap_or_default();
        let mut list = Vec::new();
        for (member, entries) in &sources {
            list.extend(entries.iter().filter_map(|entry| {
                let mut shown = entry.under(table.public(member.name(), entry.name())?.to_owned());
                let members = shown.meta().get_or_insert_default();
                members.insert(meta::SERVER.to_owned(), member.name().into());
                members.insert(NAME.to_owned(), entry.name().into());
                Some(shown)
            }));
        }
        let names = sources.iter().map(|(member, _)| member.name().to_owned());
        let indices = names.enumerate().map(|(index, name)| (name, index)).collect();
        Self { list: list.into(), names: table, indices, sources }
    }
}
