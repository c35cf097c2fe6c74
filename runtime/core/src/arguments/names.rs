//! The names that may stand at the root of the arguments.

use regex_lite::Regex;

use super::checker::{Checker, NodeId};
use crate::tool::FieldMetadata;

/// The names that a tool takes.
#[derive(Debug)]
pub(super) struct RootNames {
    /// Whether other names are refused.
    closed: bool,
    /// Sorted by name.
    known: Vec<Known>,
    /// Names that match one of these are known too.
    patterns: Vec<Regex>,
    /// The names of what the server sets, with the name that serde reads first.
    credentials: Vec<(&'static str, &'static str)>,
}

/// A name that a tool takes.
#[derive(Debug)]
pub(super) struct Known {
    name: Box<str>,
    /// The name in the schema: `name` itself if it is not an alias.
    pub(super) property: Box<str>,
    /// The schema of the value, if it has rules that serde does not enforce.
    pub(super) to_check: Option<NodeId>,
}

/// What a name stands for.
#[derive(Debug)]
pub(super) enum Meaning<'a> {
    Known(&'a Known),
    /// Matches a pattern, or the tool takes any name.
    Free,
    /// Set by the server.
    Credential,
    Unknown,
}

impl RootNames {
    pub(super) fn new(checker: &Checker, fields: &'static [FieldMetadata], allow_unknown: bool) -> Self {
        let object = &checker.root().object;
        let is_credential = |name: &str| fields.iter().any(|field| field.credential && field.name == name);
        let mut known = Vec::new();
        for (name, node) in object.properties.iter().filter(|(name, _)| !is_credential(name)) {
            let to_check = Some(*node).filter(|node| checker.node(*node).is_beyond_serde());
            let aliases = fields.iter().filter(|field| field.name == &**name).flat_map(|field| field.aliases);
            known.extend(aliases.copied().chain([&**name]).map(|spelling| Known {
                name: spelling.into(),
                property: name.clone(),
                to_check,
            }));
        }
        known.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let credentials = fields.iter().filter(|field| field.credential).flat_map(|field| {
            field.aliases.iter().copied().chain([field.name]).map(|spelling| (spelling, field.name))
        });
        let closed = object.additional.is_some_and(|additional| checker.node(additional).never);
        Self {
            closed: closed && !allow_unknown,
            known,
            patterns: object.patterns.iter().map(|(pattern, _)| pattern.clone()).collect(),
            credentials: credentials.collect(),
        }
    }

    pub(super) fn meaning(&self, name: &str) -> Meaning<'_> {
        if let Ok(at) = self.known.binary_search_by(|known| (*known.name).cmp(name)) {
            return Meaning::Known(&self.known[at]);
        }
        if self.credentials.iter().any(|(spelling, _)| *spelling == name) {
            return Meaning::Credential;
        }
        if !self.closed || self.patterns.iter().any(|pattern| pattern.is_match(name)) {
            return Meaning::Free;
        }
        Meaning::Unknown
    }

    /// Whether serde reads `name` from what the server binds.
    pub(super) fn is_credential(&self, name: &str) -> bool {
        self.credentials.iter().any(|(_, field)| *field == name)
    }

    pub(super) fn has_credentials(&self) -> bool {
        !self.credentials.is_empty()
    }

    /// All names that are taken.
    pub(super) fn spellings(&self) -> Vec<&str> {
        self.known.iter().map(|known| &*known.name).collect()
    }
}
