//! Compares the declarations for the manifest (`toolwright::declare!`) with what a server registers. What a derive registers
//! for the manifest need not be offered by each server, as a tool outside of toolsets need not be.

use toolwright_core::link::{LinkedFeatures, ServerOf, TOOLWRIGHT_FEATURES};
use toolwright_core::manifest::{Entry, Kind, entry};
use toolwright_core::revision::Revision;

use crate::error::BuildError;
use crate::pagination::Listed;

/// Checks that the manifest lists exactly what a server registers of one kind. If nothing of a kind is declared, it
/// is in no manifest; a server that registers nothing of a kind does not offer it.
pub(super) fn check<T: Listed>(servers: &[ServerOf], registered: &[T]) -> Result<(), BuildError> {
    let Some(kind) = Kind::FEATURES.into_iter().find(|kind| kind.member() == T::MEMBER) else {
        return Ok(());
    };
    let (derived, declared): (Vec<&LinkedFeatures>, Vec<&LinkedFeatures>) = TOOLWRIGHT_FEATURES
        .iter()
        .filter(|features| features.kind == kind && are_of_any(features, servers))
        .partition(|features| features.is_derived);
    if declared.is_empty() || registered.is_empty() {
        return Ok(());
    }
    let entries_of = |all: &[&LinkedFeatures]| -> Vec<Entry> {
        all.iter().flat_map(|features| (features.entries)()).collect()
    };
    let (shown, derived) = (entries_of(&declared), entries_of(&derived));
    let registered: Vec<Entry> =
        registered.iter().map(|registered| entry(&registered.to_wire(Revision::NEWEST))).collect();
    compare(kind, &shown, &derived, &registered)
}

/// A server without toolsets has no package, so all declarations that name no server apply to it.
fn are_of_any(features: &LinkedFeatures, servers: &[ServerOf]) -> bool {
    if servers.is_empty() {
        features.server.is_none()
    } else {
        servers.iter().any(|server| features.are_of(server))
    }
}

/// `shown` is what is declared, and `derived` what a derive adds to the manifest whether or not this server offers it.
fn compare(kind: Kind, shown: &[Entry], derived: &[Entry], registered: &[Entry]) -> Result<(), BuildError> {
    let name_of = |entry: &Entry| kind.name_of(entry).unwrap_or_default().to_owned();
    let refuse = |entry: &Entry, reason: String| {
        Err(BuildError::Feature { what: kind.one(), name: name_of(entry), reason })
    };
    for own in registered {
        let Some(theirs) = shown.iter().chain(derived).find(|entry| name_of(entry) == name_of(own)) else {
            return refuse(
                own,
                format!(
                    "the manifest lists other {kind}, but not this one; create it with a function that \
                     `toolwright::declare!` names"
                ),
            );
        };
        let mut members = own.keys().chain(theirs.keys());
        if let Some(member) = members.find(|member| own.get(*member) != theirs.get(*member)) {
            return refuse(
                own,
                format!(
                    "the manifest has another `{member}`; register what the function returns that \
                     `toolwright::declare!` names"
                ),
            );
        }
    }
    match shown.iter().find(|entry| registered.iter().all(|own| name_of(own) != name_of(entry))) {
        Some(missing) => refuse(
            missing,
            format!(
                "the manifest lists it, but the server registers only other {kind}; register it, or declare it for another \
                 server with `toolwright::declare!(for Toolset: …)`"
            ),
        ),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    #[track_caller]
    fn check(shown: &Value, registered: &Value, expected: Option<&str>) {
        let entries =
            |list: &Value| -> Vec<Entry> { list.as_array().into_iter().flatten().map(entry).collect() };
        let found = compare(Kind::Prompts, &entries(shown), &[], &entries(registered))
            .map_err(|error| error.to_string());
        match (expected, found) {
            (None, found) => assert_eq!(found, Ok(()), "{shown} {registered}"),
            (Some(part), found) => {
                let error = found.expect_err(part);
                assert!(error.contains(part), "no {part:?} in {error}");
            }
        }
    }

    #[test]
    fn a_server_registers_what_the_manifest_lists() {
        let greet = json!({"name": "greet", "arguments": [{"name": "who", "required": true}]});
        let other = json!({"name": "other"});
        check(&json!([greet, other]), &json!([other, greet]), None);
        check(
            &json!([greet]),
            &json!([greet, other]),
            Some("invalid prompt `other`: the manifest lists other"),
        );
        check(&json!([]), &json!([other]), Some("not this one"));
        check(&json!([greet, other]), &json!([greet]), Some("`other`: the manifest lists it"));
        let changed = json!({"name": "greet", "arguments": [{"name": "who", "required": false}]});
        check(&json!([greet]), &json!([changed]), Some("another `arguments`"));
        let described = json!({"name": "other", "description": "x"});
        check(&json!([described]), &json!([other]), Some("another `description`"));
        check(&json!([other]), &json!([described]), Some("another `description`"));
    }
}
