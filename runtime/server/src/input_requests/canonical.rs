//! A canonical form of arguments that is independent of order, whitespace and escapes.

use std::fmt;

use serde::de::{Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};

/// Parses JSON into a value with sorted members. `None` if distinct texts could yield the same value but mean different
/// things to their reader: non-integer numbers beyond 2^53, duplicate members, and anything that cannot be parsed here,
/// such as `1e400` or very deep nesting. Those are compared as text.
pub(super) fn canonical(text: &str) -> Option<Value> {
    let Exact(mut value) = serde_json::from_str(text).ok()?;
    value.sort_all_objects();
    Some(value)
}

/// A value with an unambiguous meaning.
struct Exact(Value);

impl<'de> Deserialize<'de> for Exact {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ExactVisitor)
    }
}

struct ExactVisitor;

impl<'de> Visitor<'de> for ExactVisitor {
    type Value = Exact;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Exact, E> {
        Ok(Exact(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<Exact, E> {
        /// Beyond this value, a double represents several integers.
        const TOO_COARSE: f64 = 9_007_199_254_740_992.0;
        if value.abs() >= TOO_COARSE { Err(E::custom("not exact")) } else { Ok(Exact(value.into())) }
    }

    fn visit_str<E>(self, value: &str) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Exact, E> {
        Ok(Exact(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut elements: A) -> Result<Exact, A::Error> {
        let mut list = Vec::new();
        while let Some(Exact(element)) = elements.next_element()? {
            list.push(element);
        }
        Ok(Exact(list.into()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Exact, A::Error> {
        let mut object = Map::new();
        while let Some((name, Exact(value))) = members.next_entry::<String, _>()? {
            if object.insert(name, value).is_some() {
                return Err(A::Error::custom("a member appears twice"));
            }
        }
        Ok(Exact(object.into()))
    }
}

#[cfg(test)]
mod tests {
    use super::canonical;

    #[test]
    fn order_whitespace_and_escapes_do_not_matter() {
        let text = r#"{"a": [1, {"c": null, "b": "x"}], "d": 1.50}"#;
        let same = r#"{"d":15e-1,"a":[1,{"\u0062":"\u0078","c":null}]}"#;
        assert!(canonical(text).is_some());
        assert_eq!(canonical(text), canonical(same));
        assert_ne!(canonical(text), canonical(&text.replace("1.50", "1.51")));
    }

    #[test]
    fn ambiguous_json_has_no_canonical_form() {
        for text in [
            r#"{"a":1,"a":2}"#,
            r#"{"a":{"b":1,"\u0062":1}}"#,
            r#"{"a":100000000000000000000}"#,
            r#"{"a":9007199254740993.0}"#,
            r#"{"a":-1e300}"#,
            r#"{"a":1e400}"#,
            r#"{"a":"\ud800"}"#,
            &format!(r#"{{"a":{}{}}}"#, "[".repeat(200), "]".repeat(200)),
        ] {
            assert_eq!(canonical(text), None, "{text}");
        }
        assert!(
            canonical(r#"{"a":18446744073709551615,"b":-9223372036854775808,"c":9007199254740993}"#)
                .is_some()
        );
    }
}
