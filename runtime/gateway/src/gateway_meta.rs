//! Removes members of `_meta` that only this gateway may write from upstream results.

use toolwright_core::json::{Member, Members, TidyObject};
use toolwright_core::protocol::meta::{GATEWAY_PREFIX, is_of_gateway};

/// Returns an upstream result without members of `_meta` that only a gateway writes ([`is_of_gateway`]). The
/// other members are unchanged.
pub(crate) fn drop_gateway_members(result: TidyObject) -> TidyObject {
    let meta = result.member("_meta");
    // Most results have no such member, which can be seen without splitting `_meta`. A name may be written with escapes.
    let Some(meta) = meta.filter(|meta| meta.contains(GATEWAY_PREFIX) || meta.contains('\\')) else {
        return result;
    };
    let own = Members::of_text(meta).into_iter().flatten();
    if !own.clone().any(|member| is_of_gateway(&member.name())) {
        return result;
    }
    let own = object_of(own.filter(|member| !is_of_gateway(&member.name())));
    let rest = result.members().filter(|member| !member.is_named("_meta"));
    let own = Some(Member::new("\"_meta\"", &own)).filter(|member| member.value != "{}");
    TidyObject::parse(object_of(rest.chain(own))).unwrap_or(result)
}

fn object_of<'a>(members: impl Iterator<Item = Member<'a>>) -> String {
    let mut object = "{".to_owned();
    for member in members {
        if object.len() > 1 {
            object.push(',');
        }
        object.extend([member.quoted_name, ":", member.value]);
    }
    object.push('}');
    object
}

#[cfg(test)]
mod tests {
    use toolwright_core::json::TidyObject;

    use super::drop_gateway_members;

    fn check(given: &str, expected: &str) {
        let given = TidyObject::parse(given.to_owned()).unwrap();
        assert_eq!(drop_gateway_members(given).as_str(), expected);
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
        ] {
            check(same, same);
        }
    }
}
