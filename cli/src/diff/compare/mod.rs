//! From two offers to their changes.

mod features;
mod keywords;
mod schema;
mod texts;
mod tool;
mod view;
mod words;

use serde_json::{Map, Value};
use toolwright_core::manifest::Kind;
use toolwright_core::pointer::segment;

use super::finding::{Finding, Part};
use crate::source::{Entries, ServerDefinitions};

/// Whose word the hints of the new side are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Author {
    /// The user's own: what a hint promises was looked at where it was written.
    User,
    /// Somebody else's: "clients MUST consider tool annotations to be untrusted unless they come from trusted servers"
    /// (2026-07-28, server/tools).
    Stranger,
}

/// All changes: the server first, then tools, prompts, resources and templates, each by name.
pub(crate) fn compare(old: &ServerDefinitions, new: &ServerDefinitions, author: Author) -> Vec<Finding> {
    let mut findings = Vec::new();
    server(old, new, &mut findings);
    for (kind, before) in old.lists() {
        let after = new.list(kind);
        if !new.kinds.contains(&kind) {
            findings.extend(undeclared(kind, before));
            continue;
        }
        match kind {
            Kind::Tools => tools(before, after, author, &mut findings),
            Kind::Prompts => features::prompts(before, after, &mut findings),
            Kind::Resources => {
                features::resources(Part::Resource, "resource", before, after, &mut findings);
            }
            Kind::ResourceTemplates => {
                features::resources(Part::Template, "template", before, after, &mut findings);
            }
        }
    }
    findings
}

/// What there is to say about a list that only the old side holds: nothing is known of what the new side has of it.
fn undeclared(kind: Kind, before: &Entries) -> Option<Finding> {
    if before.is_empty() {
        return None;
    }
    let names: Value = before.keys().map(String::as_str).collect();
    let mut finding = Finding::new("list-undeclared", Part::Server, "", &format!("/{}", kind.member()));
    finding.undecided = Some(format!("the new side does not declare its {kind}"));
    Some(finding.values(Some(&names), None))
}

fn server(old: &ServerDefinitions, new: &ServerDefinitions, findings: &mut Vec<Finding>) {
    // A list that was saved alone says nothing about its server.
    let is_known = !old.is_list && !new.is_list;
    for (key, before, after) in pairs(&old.server, &new.server) {
        if before != after && is_known {
            let finding =
                Finding::new("server-changed", Part::Server, "", &format!("/server/{}", segment(key)));
            findings.push(finding.values(before, after));
        }
    }
    let [before, after] = [old, new].map(|offer| offer.instructions.as_deref().map(Value::from));
    if before != after && is_known {
        let id = "instructions-changed";
        texts::changed(id, Part::Server, "", "/instructions", before.as_ref(), after.as_ref(), findings);
    }
    let [before, after] = [old, new].map(|offer| {
        let mut texts = Map::new();
        texts.insert("server".to_owned(), Value::Object(offer.server.clone()));
        texts.insert("instructions".to_owned(), offer.instructions.as_deref().into());
        texts
    });
    texts::hidden(Part::Server, "", Some(&before), &after, findings);
}

fn tools(old: &Entries, new: &Entries, author: Author, findings: &mut Vec<Finding>) {
    for (name, before) in old {
        if let Some(after) = new.get(name) {
            tool::compare(name, before, after, author, findings);
            continue;
        }
        match new.iter().find(|(_, tool)| tool::was(tool).any(|former| former == name)) {
            Some((renamed, after)) => {
                let finding = Finding::new("tool-renamed", Part::Tool, name, "");
                let [old, new] = [name, renamed].map(|name| Value::from(name.as_str()));
                findings.push(finding.values(Some(&old), Some(&new)));
                let mut others = Vec::new();
                tool::compare(renamed, before, after, author, &mut others);
                // That the former name is declared is what makes it a rename.
                others.retain(|other| {
                    other.check.id != "tool-former-name-added" || other.new.as_ref() != Some(&old)
                });
                findings.append(&mut others);
            }
            None => findings.push(Finding::new("tool-removed", Part::Tool, name, "")),
        }
    }
    for (name, tool) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        if !tool::was(tool).any(|former| old.contains_key(former) && !new.contains_key(former)) {
            findings.push(Finding::new("tool-added", Part::Tool, name, ""));
            texts::hidden(Part::Tool, name, None, tool, findings);
        }
    }
    // Stable: what belongs to one tool stays together, in the order in which it was found.
    findings.sort_by(|left, right| (left.part, &left.name).cmp(&(right.part, &right.name)));
}

/// The members of both, each key once.
fn pairs<'a>(
    old: &'a Map<String, Value>,
    new: &'a Map<String, Value>,
) -> impl Iterator<Item = (&'a str, Option<&'a Value>, Option<&'a Value>)> {
    let added = new.keys().filter(|key| !old.contains_key(*key));
    old.keys().chain(added).map(|key| (key.as_str(), old.get(key), new.get(key)))
}
