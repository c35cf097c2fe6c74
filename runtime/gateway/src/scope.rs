//! Scopes of callers, which apply to lists and calls alike.

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};
use toolwright_server::auth::Access;

/// The tools that an agent may see and use.
///
/// [`Scope::admits`] applies to both lists and calls, so nothing can be called that is not listed. Whatever is
/// not admitted does not exist for the caller.
///
/// ```
/// use toolwright_gateway::{EntryId, Scope, Selection};
///
/// let scope = Scope { nodes: Selection::only(["abuseipdb"]), ..Scope::of_run("acme", "run-1") };
/// let entry = EntryId { org: Some("acme"), run: Some("run-1"), node: "abuseipdb", tool: "lookup" };
/// assert!(scope.admits(&entry));
/// assert!(!scope.admits(&EntryId { node: "shodan", ..entry }));
/// assert!(!scope.admits(&EntryId { org: None, ..entry }), "another organization");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scope {
    /// The organization. `None` is distinct from all named ones.
    #[serde(default)]
    pub org: Option<String>,
    /// The run of a workflow. `None` is the gateway's own configuration, not any run.
    #[serde(default)]
    pub run: Option<String>,
    /// The nodes of the run, or the servers of the configuration.
    #[serde(default, skip_serializing_if = "Selection::is_all")]
    pub nodes: Selection,
    /// The tools of these nodes, by their public names; does not apply to prompts and resources.
    #[serde(default, skip_serializing_if = "Selection::is_all")]
    pub tools: Selection,
    /// Further scopes of the same caller: it may use what any of them admits.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub further: Vec<Scope>,
}

/// Everything, or only what is listed. An absent list selects everything, an empty one nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(from = "Option<BTreeSet<String>>", into = "Option<BTreeSet<String>>")]
pub enum Selection {
    /// Everything.
    #[default]
    All,
    /// The listed names; an empty set selects nothing.
    Only(BTreeSet<String>),
}

/// The owner and the name of a tool, for [`Scope::admits`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EntryId<'a> {
    /// The organization that it belongs to.
    pub org: Option<&'a str>,
    /// The run in which it was registered; `None` for a server of the configuration.
    pub run: Option<&'a str>,
    /// The node that registered it, or the server that provides it.
    pub node: &'a str,
    /// Its public name.
    pub tool: &'a str,
}

impl Scope {
    /// Selects everything of one run of an organization.
    pub fn of_run(org: impl Into<String>, run: impl Into<String>) -> Self {
        Self { org: Some(org.into()), run: Some(run.into()), ..Self::of_configuration() }
    }

    /// Selects everything of the gateway's configuration, and nothing of runs.
    pub fn of_configuration() -> Self {
        Self { org: None, run: None, nodes: Selection::All, tools: Selection::All, further: Vec::new() }
    }

    /// Selects nothing.
    pub fn of_nothing() -> Self {
        Self { nodes: Selection::only([] as [&str; 0]), ..Self::of_configuration() }
    }

    /// Returns whether the caller may see and call a tool.
    pub fn admits(&self, entry: &EntryId<'_>) -> bool {
        self.admits_node(entry.org, entry.run, entry.node) && self.tools.has(entry.tool)
            || self.further.iter().any(|scope| scope.admits(entry))
    }

    /// Returns whether the caller may use the prompts and resources of a node. A scope with a list of tools
    /// admits none.
    pub fn admits_all_of(&self, org: Option<&str>, run: Option<&str>, node: &str) -> bool {
        self.tools.is_all() && self.admits_node(org, run, node)
            || self.further.iter().any(|scope| scope.admits_all_of(org, run, node))
    }

    fn admits_node(&self, org: Option<&str>, run: Option<&str>, node: &str) -> bool {
        self.org.as_deref() == org && self.run.as_deref() == run && self.nodes.has(node)
    }

    /// Returns the scope that the token verifier has attached to the principal as an [extension].
    ///
    /// [extension]: toolwright_server::auth::Principal::extension
    pub fn of(access: &Access) -> Option<&Self> {
        access.principal()?.extension::<Self>()
    }
}

impl Selection {
    /// Selects only these.
    pub fn only(names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self::Only(names.into_iter().map(Into::into).collect())
    }

    /// Returns whether everything is selected.
    pub fn is_all(&self) -> bool {
        matches!(self, Self::All)
    }

    /// Returns whether this name is selected.
    pub fn has(&self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(name),
        }
    }
}

impl From<Option<BTreeSet<String>>> for Selection {
    fn from(names: Option<BTreeSet<String>>) -> Self {
        names.map_or(Self::All, Self::Only)
    }
}

impl From<Selection> for Option<BTreeSet<String>> {
    fn from(selection: Selection) -> Self {
        match selection {
            Selection::All => None,
            Selection::Only(names) => Some(names),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{EntryId, Scope, Selection};

    const ENTRY: EntryId<'_> = EntryId { org: Some("acme"), run: Some("r"), node: "n", tool: "t" };

    #[test]
    fn every_part_must_agree() {
        let scope = Scope::of_run("acme", "r");
        assert!(scope.admits(&ENTRY));
        let others = [
            EntryId { org: None, ..ENTRY },
            EntryId { org: Some("other"), ..ENTRY },
            EntryId { run: None, ..ENTRY },
            EntryId { run: Some("s"), ..ENTRY },
        ];
        for other in others {
            assert!(!scope.admits(&other), "{other:?}");
            assert!(!Scope::of_configuration().admits(&ENTRY));
        }
        assert!(Scope::of_configuration().admits(&EntryId { org: None, run: None, ..ENTRY }));
        // Letter by letter, as reported in IBM/ibmi-mcp-server#189.
        let only = Scope { tools: Selection::only(["t"]), ..scope };
        for near in ["T", "t ", " t", "t\0", ""] {
            assert!(!only.admits(&EntryId { tool: near, ..ENTRY }), "{near:?}");
        }
        assert!(only.admits(&ENTRY));
        assert!(!only.admits_all_of(ENTRY.org, ENTRY.run, ENTRY.node), "prompts are not among the tools");
    }

    #[test]
    fn further_scopes_add_what_they_admit_and_no_more() {
        let tool = Scope { tools: Selection::only(["t"]), ..Scope::of_configuration() };
        let server = Scope { nodes: Selection::only(["m"]), ..Scope::of_configuration() };
        let both = Scope { further: vec![tool, server], ..Scope::of_nothing() };
        let entry = |node, tool| EntryId { org: None, run: None, node, tool };
        assert!(both.admits(&entry("n", "t")) && both.admits(&entry("m", "other")));
        assert!(!both.admits(&entry("n", "other")), "the lists of two scopes are not mixed");
        assert!(both.admits_all_of(None, None, "m") && !both.admits_all_of(None, None, "n"));
        assert!(!both.admits(&ENTRY) && !Scope::of_nothing().admits(&entry("n", "t")));
    }

    #[test]
    fn an_absent_list_is_everything_and_an_empty_one_nothing() {
        let read = |json: &str| serde_json::from_str::<Scope>(json).unwrap();
        let all = read(r#"{"org":"acme","run":"r"}"#);
        let nothing = read(r#"{"org":"acme","run":"r","nodes":[]}"#);
        assert!(all.admits(&ENTRY) && !nothing.admits(&ENTRY));
        for scope in [all, nothing, Scope { tools: Selection::only(["t"]), ..Scope::of_configuration() }] {
            assert_eq!(read(&serde_json::to_string(&scope).unwrap()), scope);
        }
        assert!(
            serde_json::from_str::<Scope>(r#"{"node":["x"]}"#).is_err(),
            "a misspelt list is not everything"
        );
    }
}
