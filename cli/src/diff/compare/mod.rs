//! From two sets of definitions to their changes.

mod annotations;
mod features;
mod keywords;
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
    /// The user: hints were reviewed where they were written.
    User,
    /// Someone else: "clients MUST consider tool annotations to be untrusted unless they come from trusted servers"
    /// (2026-07-28, server/tools).
    Stranger,
}

/// All changes: the server first, then tools, prompts, resources and templates, each by name.
pub(crate) fn compare(old: &ServerDefinitions, new: &ServerDefinitions, author: Author) -> Vec<Change> {
    let mut changes = Vec::new();
    server(old, new, &mut changes);
    for (kind, before) in old.lists() {
        let after = new.list(kind);
        if !new.kinds.contains(&kind) {
            changes.extend(undeclared(kind, before));
            continue;
        }
        match kind {
            Kind::Tools => tools(before, after, author, &mut changes),
            Kind::Prompts => features::prompts(before, after, &mut changes),
            Kind::Resources => {
                features::resources(Part::Resource, "resource", before, after, &mut changes);
            }
            Kind::ResourceTemplates => {
                features::resources(Part::Template, "template", before, after, &mut changes);
            }
        }
    }
    changes
}

/// The change for a list that only the old side declares: nothing is known of its entries on the new side.
fn undeclared(kind: Kind, before: &Entries) -> Option<Change> {
    if before.is_empty() {
        return None;
    }
    let names: Value = before.keys().map(String::as_str).collect();
    let mut change = Change::new("list-undeclared", Part::Server, "", &format!("/{}", kind.member()));
    change.undecided = Some(format!("the new side does not declare its {kind}"));
    Some(change.values(Some(&names), None))
}

fn server(old: &ServerDefinitions, new: &ServerDefinitions, changes: &mut Vec<Change>) {
    // A list that was saved alone says nothing about its server.
    let is_known = !old.is_list && !new.is_list;
    for (key, before, after) in pairs(&old.server, &new.server) {
        if before != after && is_known {
            let change =
                Change::new("server-changed", Part::Server, "", &format!("/server/{}", segment(key)));
            changes.push(change.values(before, after));
        }
    }
    let [before, after] = [old, new].map(|offer| offer.instructions.as_deref().map(Value::from));
    if before != after && is_known {
        let id = "instructions-changed";
        strings::compare(id, Part::Server, "", "/instructions", before.as_ref(), after.as_ref(), changes);
    }
    let [before, after] = [old, new].map(|offer| {
        let mut texts = Map::new();
        texts.insert("server".to_owned(), Value::Object(offer.server.clone()));
        texts.insert("instructions".to_owned(), offer.instructions.as_deref().into());
        texts
    });
    strings::report_hidden(Part::Server, "", Some(&before), &after, changes);
}

fn tools(old: &Entries, new: &Entries, author: Author, changes: &mut Vec<Change>) {
    for (name, before) in old {
        if let Some(after) = new.get(name) {
            tool::compare(name, before, after, author, changes);
            continue;
        }
        match new.iter().find(|(_, tool)| tool::former_names(tool).any(|former| former == name)) {
            Some((renamed, after)) => {
                let change = Change::new("tool-renamed", Part::Tool, name, "");
                let [old, new] = [name, renamed].map(|name| Value::from(name.as_str()));
                changes.push(change.values(Some(&old), Some(&new)));
                let mut others = Vec::new();
                tool::compare(renamed, before, after, author, &mut others);
                // That the former name is declared is what makes it a rename.
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
    // Stable: what belongs to one tool stays together, in the order in which it was found.
    changes.sort_by(|left, right| (left.part, &left.name).cmp(&(right.part, &right.name)));
}

/// The members of both, each key once.
fn pairs<'a>(
    old: &'a Map<String, Value>,
    new: &'a Map<String, Value>,
) -> impl Iterator<Item = (&'a str, Option<&'a Value>, Option<&'a Value>)> {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    old.keys().chain(added).map(|key| (key.as_str(), old.get(key), new.get(key)))
}
