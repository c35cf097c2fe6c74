//! What is declared for the manifest (`toolwright::declare!`) against what a server has.

use toolwright_core::link::{LinkedFeatures, ServerOf, TOOLWRIGHT_FEATURES};
use toolwright_core::manifest::{Entry, Kind, entry};
use toolwright_core::revision::Revision;

use crate::error::BuildError;
use crate::pagination::Listed;

/// Checks that the manifest shows what a server registers of one kind, and nothing else. A kind of which nothing is
/// declared is in no manifest, and a server without any of a kind offers it to nobody.
pub(super) fn check<T: Listed>(servers: &[ServerOf], registered: &[T]) -> Result<(), BuildError> {
    let Some(kind) = Kind::FEATURES.into_iter().find(|kind| kind.member() == T::MEMBER) else {
        return Ok(());
    };
    let declared: Vec<&LinkedFeatures> = TOOLWRIGHT_FEATURES
        .iter()
        .filter(|features| features.kind == kind && are_of_any(features, servers))
        .collect();
    if declared.is_empty() || registered.is_empty() {
        return Ok(());
    }
    let shown: Vec<Entry> = declared.iter().flat_map(|features| (features.entries)()).collect();
    let registered: Vec<Entry> =
        registered.iter().map(|registered| entry(&registered.shown(Revision::NEWEST))).collect();
    compare(kind, &shown, &registered)
}

/// A server without toolsets has no package, so it has whatever is declared for no server by name.
fn are_of_any(features: &LinkedFeatures, servers: &[ServerOf]) -> bool {
    if servers.is_empty() {
        features.server.is_none()
    } else {
        servers.iter().any(|server| features.are_of(server))
    }
}

fn compare(kind: Kind, shown: &[Entry], registered: &[Entry]) -> Result<(), BuildError> {
    let name_of = |entry: &Entry| kind.name_of(entry).unwrap_or_default().to_owned();
    let refuse = |entry: &Entry, reason: String| {
        Err(BuildError::Feature { what: kind.one(), name: name_of(entry), reason })
    };
    for own in registered {
        let Some(theirs) = shown.iter().find(|entry| name_of(entry) == name_of(own)) else {
            return refuse(
                own,
                format!(
                    "the manifest shows other {kind}, but not this one: make it by a function that \
                     `toolwright::declare!` names"
                ),
            );
        };
        let mut members = own.keys().chain(theirs.keys());
        if let Some(member) = members.find(|member| own.get(*member) != theirs.get(*member)) {
            return refuse(
                own,
                format!(
                    "the manifest shows another `{member}`: give the server what the function returns that \
                     `toolwright::declare!` names"
                ),
            );
        }
    }
    match shown.iter().find(|entry| registered.iter().all(|own| name_of(own) != name_of(entry))) {
        Some(missing) => refuse(
            missing,
            format!(
                "the manifest shows it, but the server has other {kind} only: register it, or declare it for another \
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
        let found =
            compare(Kind::Prompts, &entries(shown), &entries(registered)).map_err(|error| error.to_string());
        match (expected, found) {
            (None, found) => assert_eq!(found, Ok(()), "{shown} {registered}"),
            (Some(part), found) => {
                let error = found.expect_err(part);
                assert!(error.contains(part), "no {part:?} in {error}");
            }
        }
    }

    #[test]
    fn a_server_has_what_the_manifest_shows() {
        let greet = json!({"name": "greet", "arguments": [{"name": "who", "required": true}]});
        let other = json!({"name": "other"});
        check(&json!([greet, other]), &json!([other, greet]), None);
        check(
            &json!([greet]),
            &json!([greet, other]),
            Some("the prompt `other` cannot be served: the manifest shows other"),
        );
        check(&json!([]), &json!([other]), Some("not this one"));
        check(
            &json!([greet, other]),
            &json!([greet]),
            Some("`other` cannot be served: the manifest shows it"),
        );
        let changed = json!({"name": "greet", "arguments": [{"name": "who", "required": false}]});
        check(&json!([greet]), &json!([changed]), Some("another `arguments`"));
        let described = json!({"name": "other", "description": "x"});
        check(&json!([described]), &json!([other]), Some("another `description`"));
        check(&json!([other]), &json!([described]), Some("another `description`"));
    }
}
