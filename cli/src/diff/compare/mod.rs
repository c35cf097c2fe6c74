//! From two offers to their changes.

mod features;
mod keywords;
mod schema;
mod texts;
mod tool;
mod view;
mod words;

use serde_json::{Map, Value};
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
    tools(&old.tools, &new.tools, author, &mut findings);
    features::prompts(&old.prompts, &new.prompts, &mut findings);
    features::resources(Part::Resource, "resource", &old.resources, &new.resources, &mut findings);
    features::resources(Part::Template, "template", &old.templates, &new.templates, &mut findings);
    findings
}

fn server(old: &ServerDefinitions, new: &ServerDefinitions, findings: &mut Vec<Finding>) {
    for (key, before, after) in pairs(&old.server, &new.server) {
        if before != after {
            let finding =
                Finding::new("server-changed", Part::Server, "", &format!("/server/{}", segment(key)));
            findings.push(finding.values(before, after));
        }
    }
    let [before, after] = [old, new].map(|offer| offer.instructions.as_deref().map(Value::from));
    if before != after {
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
