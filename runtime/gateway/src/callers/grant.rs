//! What a caller is granted, as it is written in files.

use std::collections::BTreeSet;

use crate::scope::{Scope, Selection};

/// Returns the scope of a key or a rule. Nothing is granted by leaving something out: everything needs `all`.
pub(super) fn scope_of(
    all: bool,
    servers: Option<&BTreeSet<String>>,
    tools: Option<&BTreeSet<String>>,
) -> Result<Scope, &'static str> {
    let nodes = match (all, servers) {
        (true, Some(_)) => return Err("`all` and `servers` exclude each other"),
        (false, Some(servers)) => Selection::Only(servers.clone()),
        // The public name of a tool contains its server.
        (true, None) => Selection::All,
        (false, None) if tools.is_some() => Selection::All,
        (false, None) => {
            return Err("it grants nothing; write `servers`, `tools`, or `\"all\": true` for everything");
        }
    };
    let tools = tools.map_or(Selection::All, |tools| Selection::Only(tools.clone()));
    Ok(Scope { nodes, tools, ..Scope::of_configuration() })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::scope_of;
    use crate::scope::EntryId;

    #[test]
    fn nothing_is_granted_by_leaving_something_out() {
        let set = |name: &str| BTreeSet::from([name.to_owned()]);
        let admits = |scope: &crate::Scope, node, tool| {
            (
                scope.admits(&EntryId { org: None, run: None, node, tool }),
                scope.admits_all_of(None, None, node),
            )
        };
        assert!(scope_of(false, None, None).is_err());
        assert!(scope_of(true, Some(&set("a")), None).is_err());
        let none = scope_of(false, Some(&BTreeSet::new()), None).unwrap();
        assert_eq!(admits(&none, "a", "a__t"), (false, false));
        let all = scope_of(true, None, None).unwrap();
        assert_eq!(admits(&all, "a", "a__t"), (true, true));
        let server = scope_of(false, Some(&set("a")), None).unwrap();
        assert_eq!(
            (admits(&server, "a", "a__t"), admits(&server, "b", "b__t")),
            ((true, true), (false, false))
        );
        let tool = scope_of(false, None, Some(&set("a__t"))).unwrap();
        assert_eq!((admits(&tool, "a", "a__t"), admits(&tool, "a", "a__u")), ((true, false), (false, false)));
        let other_server = scope_of(false, Some(&set("b")), Some(&set("a__t"))).unwrap();
        assert_eq!(admits(&other_server, "a", "a__t"), (false, false));
    }
}
