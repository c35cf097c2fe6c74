//! Compares two sets of definitions.

mod annotations;
mod features;
mod keywords;
mod renames;
mod schema;
mod strings;
mod tool;
mod view;

use serde_json::{Map, Value};
use toolwright_core::manifest::Kind;
use toolwright_core::pointer::segment;

use super::change::{Change, Part};
use crate::source::{Entries, ServerDefinitions};

/// Who wrote the hints of the new side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The user, who reviewed the hints when they were written.
    User,
    /// Someone else: "clients MUST consider tool annotations to be untrusted unless they come from trusted servers"
    /// (2026-07-28, server/tools).
    ThirdParty,
}

/// Returns all changes: of the server first, then of tools, prompts, resources and templates, each sorted by name.
pub(crate) fn compare(old: &ServerDefinitions, new: &ServerDefinitions, author: Author) -> Vec<Change> {
    let mut changes = Vec::new();
    compare_server(old, new, &mut changes);
    for (kind, before) in old.lists() {
        let after = new.list(kind);
        if !new.kinds.contains(&kind) {
            changes.extend(report_undeclared(kind, before));
            continue;
        }
        match kind {
            Kind::Tools => compare_tools(before, after, author, &mut changes),
            Kind::Prompts => features::compare_prompts(before, after, &mut changes),
            Kind::Resources => {
                features::compare_resources(Part::Resource, "resource", before, after, &mut changes);
            }
            Kind::ResourceTemplates => {
                features::compare_resources(Part::Template, "template", before, after, &mut changes);
            }
        }
    }
    changes
}

/// Returns the change for a list that only the old side declares; its new entries are unknown.
fn report_undeclared(kind: Kind, before: &Entries) -> Option<Change> {
    if before.is_empty() {
        return None;
    }
    let names: Value = before.keys().map(String::as_str).collect();
    let mut change = Change::new("list-undeclared", Part::Server, "", &format!("/{}", kind.member()));
    change.undecided = Some(format!("the new side does not declare its {kind}"));
    Some(change.with_values(Some(&names), None))
}

fn compare_server(old: &ServerDefinitions, new: &ServerDefinitions, changes: &mut Vec<Change>) {
    // A saved list has no information about its server.
    let is_known = !old.is_list && !new.is_list;
    for (key, before, after) in zip_members(&old.server, &new.server) {
        if before != after && is_known {
            let change =
                Change::new("server-changed", Part::Server, "", &format!("/server/{}", segment(key)));
            changes.push(change.with_values(before, after));
        }
    }
    let [before, after] = [old, new].map(|definitions| definitions.instructions.as_deref().map(Value::from));
    if before != after && is_known {
        let id = "instructions-changed";
        strings::compare(id, Part::Server, "", "/instructions", before.as_ref(), after.as_ref(), changes);
    }
    let [before, after] = [old, new].map(|definitions| {
        let mut texts = Map::new();
        texts.insert("server".to_owned(), Value::Object(definitions.server.clone()));
        texts.insert("instructions".to_owned(), definitions.instructions.as_deref().into());
        texts
    });
    strings::report_hidden(Part::Server, "", Some(&before), &after, changes);
}

fn compare_tools(old: &Entries, new: &Entries, author: Author, changes: &mut Vec<Change>) {
    for (name, before) in old {
        if let Some(after) = new.get(name) {
            tool::compare(name, before, after, author, changes);
            continue;
        }
        match new.iter().find(|(_, tool)| tool::former_names(tool).any(|former| former == name)) {
            Some((renamed, after)) => {
                let change = Change::new("tool-renamed", Part::Tool, name, "");
                let [old, new] = [name, renamed].map(|name| Value::from(name.as_str()));
                changes.push(change.with_values(Some(&old), Some(&new)));
                let mut others = Vec::new();
                tool::compare(renamed, before, after, author, &mut others);
                // The former name is part of the rename.
                others.retain(|other| {
                    other.rule.id() != "tool-former-name-added" || other.new.as_ref() != Some(&old)
                });
                changes.append(&mut others);
            }
            None => changes.push(Change::new("tool-removed", Part::Tool, name, "")),
        }
    }
    for (name, tool) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        if !tool::former_names(tool).any(|former| old.contains_key(former) && !new.contains_key(former)) {
            changes.push(Change::new("tool-added", Part::Tool, name, ""));
            strings::report_hidden(Part::Tool, name, None, tool, changes);
        }
    }
    // Stable: the changes of a tool stay in the order in which they were found.
    changes.sort_by(|left, right| (left.part, &left.name).cmp(&(right.part, &right.name)));
}

/// Returns each member of either map once, with both values.
fn zip_members<'a>(
    old: &'a Map<String, Value>,
    new: &'a Map<String, Value>,
) -> impl Iterator<Item = (&'a str, Option<&'a Value>, Option<&'a Value>)> {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    old.keys().chain(added).map(|key| (key.as_str(), old.get(key), new.get(key)))
}
