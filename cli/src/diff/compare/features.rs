//! Changes of prompts, resources and resource templates.

use serde_json::{Map, Value};
use toolwright_core::pointer::segment;

use super::{pairs, texts};
use crate::diff::finding::{Finding, Part};
use crate::source::Entries;

pub(super) fn prompts(old: &Entries, new: &Entries, findings: &mut Vec<Finding>) {
    each(Part::Prompt, "prompt", old, new, findings, |name, old, new, findings| {
        for (key, before, after) in pairs(old, new) {
            match key {
                "arguments" => {
                    let told = findings.len();
                    arguments(name, before, after, findings);
                    if findings.len() == told {
                        // Another order, or a form that the protocol does not have.
                        other(Part::Prompt, "prompt-text-changed", name, key, before, after, findings);
                    }
                }
                _ => other(Part::Prompt, "prompt-text-changed", name, key, before, after, findings),
            }
        }
    });
}

/// Resources by their addresses, or templates by their forms.
pub(super) fn resources(part: Part, word: &str, old: &Entries, new: &Entries, findings: &mut Vec<Finding>) {
    each(part, word, old, new, findings, |name, old, new, findings| {
        for (key, before, after) in pairs(old, new) {
            let id = if key == "mimeType" { "type" } else { "text" };
            other(part, &format!("{word}-{id}-changed"), name, key, before, after, findings);
        }
    });
}

fn each(
    part: Part,
    word: &str,
    old: &Entries,
    new: &Entries,
    findings: &mut Vec<Finding>,
    compare: impl Fn(&str, &Map<String, Value>, &Map<String, Value>, &mut Vec<Finding>),
) {
    for (name, before) in old {
        match new.get(name) {
            Some(after) => {
                compare(name, before, after, findings);
                texts::hidden(part, name, Some(before), after, findings);
            }
            None => findings.push(Finding::new(&format!("{word}-removed"), part, name, "")),
        }
    }
    for (name, entry) in new.iter().filter(|(name, _)| !old.contains_key(*name)) {
        findings.push(Finding::new(&format!("{word}-added"), part, name, ""));
        texts::hidden(part, name, None, entry, findings);
    }
}

fn other(
    part: Part,
    id: &str,
    name: &str,
    key: &str,
    old: Option<&Value>,
    new: Option<&Value>,
    findings: &mut Vec<Finding>,
) {
    texts::changed(id, part, name, &format!("/{}", segment(key)), old, new, findings);
}

fn arguments(name: &str, old: Option<&Value>, new: Option<&Value>, findings: &mut Vec<Finding>) {
    let [old, new] = [old, new].map(by_name);
    for (argument, before, after) in pairs(&old, &new) {
        let pointer = format!("/arguments/{}", segment(argument));
        let required = |value: Option<&Value>| {
            value.and_then(|value| value.get("required")).and_then(Value::as_bool).unwrap_or(false)
        };
        let id = match (before, after) {
            (Some(_), Some(_)) => match (required(before), required(after)) {
                (false, true) => Some("prompt-argument-required"),
                (true, false) => Some("prompt-argument-optional"),
                _ => None,
            },
            (Some(_), None) => Some("prompt-argument-removed"),
            _ if required(after) => Some("prompt-argument-added-required"),
            _ => Some("prompt-argument-added"),
        };
        findings.extend(id.map(|id| Finding::new(id, Part::Prompt, name, &pointer)));
        if let (Some(Value::Object(before)), Some(Value::Object(after))) = (before, after) {
            for (key, before, after) in pairs(before, after).filter(|(key, ..)| *key != "required") {
                let pointer = format!("{pointer}/{}", segment(key));
                texts::changed("prompt-text-changed", Part::Prompt, name, &pointer, before, after, findings);
            }
        }
    }
}

/// A list of objects with names as a map.
fn by_name(list: Option<&Value>) -> Map<String, Value> {
    let entries = list.and_then(Value::as_array).into_iter().flatten();
    entries.filter_map(|entry| Some((entry.get("name")?.as_str()?.to_owned(), entry.clone()))).collect()
}
