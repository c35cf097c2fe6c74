//! Removes members of `_meta` that only this gateway may write from upstream results.

use serde::ser::{Serialize, SerializeMap as _, Serializer};
use serde_json::value::{RawValue, to_raw_value};
use toolwright_core::json::each_member;
use toolwright_core::protocol::meta::is_of_gateway;
use toolwright_server::RawResult;

/// Returns an upstream result without members of `_meta` that only a gateway writes ([`is_of_gateway`]). The
/// rest of the text is unchanged.
pub(crate) fn drop_gateway_members(result: RawResult) -> RawResult {
    // A name may be written with escapes.
    let is_possible = |own: &str| ["io.toolwright.gateway/", "\\u"].iter().any(|part| own.contains(part));
    if !result.member("_meta").is_some_and(is_possible) {
        return result;
    }
    let Some(members) = members_of(result.json()) else { return result };
    let own = members.iter().find(|(name, _)| name == "_meta").and_then(|(_, own)| members_of(own));
    let Some(mut own) = own.filter(|own| own.iter().any(|(name, _)| is_of_gateway(name))) else {
        return result;
    };
    own.retain(|(name, _)| !is_of_gateway(name));
    let rest = members.iter().filter(|(name, _)| name != "_meta");
    let rest: Vec<_> = rest.map(|(name, value)| (name.as_str(), *value)).collect();
    match to_raw_value(&Rebuilt { rest, own }) {
        Ok(json) => RawResult::new(result.revision(), json),
        Err(_) => result,
    }
}

fn members_of(object: &RawValue) -> Option<Vec<(String, &RawValue)>> {
    let mut members = Vec::new();
    let read = each_member(object.get(), |name, value| {
        members.push((name.into_owned(), value));
        Ok(())
    });
    read.ok().map(|()| members)
}

struct Rebuilt<'a> {
    rest: Vec<(&'a str, &'a RawValue)>,
    own: Vec<(String, &'a RawValue)>,
}

impl Serialize for Rebuilt<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut members = serializer.serialize_map(None)?;
        for (name, value) in &self.rest {
            members.serialize_entry(name, value)?;
        }
        if !self.own.is_empty() {
            members.serialize_entry("_meta", &Own(&self.own))?;
        }
        members.end()
    }
}

struct Own<'a>(&'a [(String, &'a RawValue)]);

impl Serialize for Own<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use toolwright_core::protocol::Revision;
    use toolwright_server::RawResult;

    use super::drop_gateway_members;

    fn check(given: &str, expected: &str) {
        let given = RawValue::from_string(given.to_owned()).unwrap();
        let result = drop_gateway_members(RawResult::new(Revision::NEWEST, given));
        assert_eq!(result.json().get(), expected);
    }

    #[test]
    fn gateway_members_are_dropped_and_others_kept() {
        let fault = r#""io.toolwright.gateway/fault":{"kind":"revoked"}"#;
        check(
            &format!(r#"{{"content":[],"_meta":{{{fault},"shop/id":1.50}},"x":12345678901234567890123}}"#),
            r#"{"content":[],"x":12345678901234567890123,"_meta":{"shop/id":1.50}}"#,
        );
        check(&format!(r#"{{"_meta":{{{fault}}},"content":[]}}"#), r#"{"content":[]}"#);
        check(
            r#"{"_\u006deta":{"\u0069o.toolwright.gateway/attempt":3,"a":1},"content":[]}"#,
            r#"{"content":[],"_meta":{"a":1}}"#,
        );
        // Of a later version.
        check(r#"{"_meta":{"io.toolwright.gateway/other":1}}"#, "{}");
    }

    #[test]
    fn other_results_are_not_touched() {
        for same in [
            r#"{ "content": [{"text": "io.toolwright.gateway/fault \u00e4"}], "_meta": {"a": 1.50} }"#,
            r#"{"_meta":7,"io.toolwright.gateway/fault":1}"#,
            r#"["\u0041"]"#,
        ] {
            check(same, same);
        }
    }
}
