//! Reading what was meant: `null` for "left out", `1.0` for 1, and an object or array that came as JSON text.

use serde_json::{Map, Number, Value};

use super::checker::{Checker, Exact, NodeId, ROOT, Rules, Types, budget};

/// How many schemas may lie on top of each other.
const MAX_DEPTH: usize = 256;

/// Changes `value` into what `checker`'s schema says it must be meant as; false if nothing was changed.
///
/// Text is read as JSON only if `from_text` and where the schema allows objects or arrays and nothing else: text
/// in a place that may hold text stays what it is.
pub(super) fn settle(checker: &Checker, value: &mut Value, from_text: bool) -> bool {
    let steps = budget(value);
    Settle { checker, from_text, steps, depth: 0 }.run(ROOT, value)
}

struct Settle<'c> {
    checker: &'c Checker,
    from_text: bool,
    /// How many schemas may still be applied.
    steps: usize,
    depth: usize,
}

impl Settle<'_> {
    fn run(&mut self, id: NodeId, value: &mut Value) -> bool {
        if self.steps == 0 || self.depth == MAX_DEPTH {
            return false;
        }
        self.steps -= 1;
        self.depth += 1;
        let changed = self.apply(id, value);
        self.depth -= 1;
        changed
    }

    fn apply(&mut self, id: NodeId, value: &mut Value) -> bool {
        let mut changed = self.read_text(id, value) | self.round(id, value);
        changed |= match value {
            Value::Object(members) => self.object(id, members),
            Value::Array(items) => self.array(id, items),
            _ => false,
        };
        let checker = self.checker;
        let parts = &checker.node(id).in_place;
        for part in parts.reference.iter().chain(&parts.all_of) {
            changed |= self.run(*part, value);
        }
        for arms in [&parts.any_of, &parts.one_of] {
            changed |= self.arms(arms, value);
        }
        changed
    }

    fn read_text(&self, id: NodeId, value: &mut Value) -> bool {
        let Value::String(text) = &*value else { return false };
        if !self.from_text || !text.trim_start().starts_with(['{', '[']) {
            return false;
        }
        let types = self.checker.types(id);
        if types == Types::NONE || !Types::COMPOSITE.has(types) {
            return false;
        }
        match serde_json::from_str::<Value>(text) {
            Ok(read) if types.has(Types::of(&read)) => {
                *value = read;
                true
            }
            _ => false,
        }
    }

    /// A whole number may be written with a fraction of zero (2020-12 core, 4.2.3), which serde does not take.
    fn round(&self, id: NodeId, value: &mut Value) -> bool {
        let Value::Number(number) = &*value else { return false };
        if !number.is_f64() || self.checker.types(id).has(Types::NUMBER) {
            return false;
        }
        let Exact::Whole(whole) = Exact::of(number) else { return false };
        let Some(whole) = Number::from_i128(whole) else { return false };
        *value = Value::Number(whole);
        true
    }

    fn object(&mut self, id: NodeId, members: &mut Map<String, Value>) -> bool {
        let checker = self.checker;
        let object = &checker.node(id).object;
        let before = members.len();
        members.retain(|name, member| {
            let is_left_out = |child| {
                member.is_null() && !object.requires(name) && !checker.fits(child, &Value::Null, Rules::All)
            };
            !object.property(name).is_some_and(is_left_out)
        });
        let mut changed = members.len() < before;
        for (name, member) in members.iter_mut() {
            let listed = object.property(name);
            if let Some(child) = listed {
                changed |= self.run(child, member);
                continue;
            }
            let patterns: Vec<NodeId> = object
                .patterns
                .iter()
                .filter(|(regex, _)| regex.is_match(name))
                .map(|(_, child)| *child)
                .collect();
            for child in &patterns {
                changed |= self.run(*child, member);
            }
            if let Some(child) = object.additional.filter(|_| patterns.is_empty()) {
                changed |= self.run(child, member);
            }
        }
        changed
    }

    fn array(&mut self, id: NodeId, items: &mut [Value]) -> bool {
        let checker = self.checker;
        let array = &checker.node(id).array;
        let mut changed = false;
        for (index, item) in items.iter_mut().enumerate() {
            if let Some(child) = array.prefix.get(index).copied().or(array.items) {
                changed |= self.run(child, item);
            }
        }
        changed
    }

    /// Takes the first arm that the value fits as it is, else the first that it fits once it is settled for it.
    fn arms(&mut self, arms: &[NodeId], value: &mut Value) -> bool {
        let checker = self.checker;
        let fitting =
            arms.iter().position(|arm| checker.fits_within(*arm, value, Rules::All, &mut self.steps));
        let candidates = fitting.map_or(arms, |at| &arms[at..=at]);
        for arm in candidates {
            let mut attempt = value.clone();
            if self.run(*arm, &mut attempt)
                && checker.fits_within(*arm, &attempt, Rules::All, &mut self.steps)
            {
                *value = attempt;
                return true;
            }
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Checker, settle};

    fn settled(schema: &Value, mut value: Value, from_text: bool) -> Value {
        let checker = Checker::compile(schema).expect("a schema");
        let before = value.to_string();
        let changed = settle(&checker, &mut value, from_text);
        assert_eq!(changed, before != value.to_string().as_str(), "says what it does");
        value
    }

    #[test]
    fn arg_01_text_is_read_where_only_an_object_or_array_can_stand() {
        let schema = json!({"type": "object", "properties": {
            "filter": {"$ref": "#/$defs/filter"},
            "note": {"type": "string"},
            "any": {},
            "either": {"anyOf": [{"type": "string"}, {"type": "object"}]},
            "list": {"type": "array", "items": {"$ref": "#/$defs/filter"}},
            "choice": {"anyOf": [{"type": "array", "items": {"type": "integer"}}, {"$ref": "#/$defs/filter"}]},
        }, "$defs": {"filter": {"type": "object", "properties": {"status": {"type": "string"}}}}});
        let object = r#"{"status":"open"}"#;
        for (name, text, expected) in [
            ("filter", object, json!({"status": "open"})),
            ("filter", " {\"status\":\"{}\"}", json!({"status": "{}"})),
            ("filter", "[1]", json!("[1]")),
            ("filter", "{\"status\":", json!("{\"status\":")),
            ("filter", "5", json!("5")),
            ("note", object, json!(object)),
            ("any", object, json!(object)),
            ("either", object, json!(object)),
            ("list", r#"["{\"status\":\"a\"}"]"#, json!([{"status": "a"}])),
            ("choice", object, json!({"status": "open"})),
            ("choice", "[1]", json!([1])),
        ] {
            assert_eq!(settled(&schema, json!({name: text}), true), json!({name: expected}), "{name} {text}");
            assert_eq!(
                settled(&schema, json!({name: text}), false),
                json!({name: text}),
                "strict: {name} {text}"
            );
        }
    }

    #[test]
    fn null_is_left_out_where_it_cannot_be_meant() {
        let schema = json!({"type": "object", "required": ["must"], "properties": {
            "must": {"type": "string"},
            "may": {"type": "string"},
            "nullable": {"type": ["string", "null"]},
            "free": {},
            "inner": {"type": "object", "properties": {"may": {"type": "integer"}}},
        }});
        for (value, expected) in [
            (json!({"must": null, "may": null}), json!({"must": null})),
            (json!({"nullable": null, "free": null}), json!({"nullable": null, "free": null})),
            (json!({"inner": {"may": null, "other": null}}), json!({"inner": {"other": null}})),
        ] {
            assert_eq!(settled(&schema, value, true), expected);
        }
    }

    #[test]
    fn whole_numbers_may_have_a_fraction_of_zero() {
        let schema = json!({"properties": {"n": {"type": "integer"}, "x": {"type": "number"}}});
        let value = settled(&schema, json!({"n": 2.0, "x": 2.0}), true);
        assert_eq!(value.to_string(), r#"{"n":2,"x":2.0}"#);
        assert_eq!(settled(&schema, json!({"n": 2.5}), true), json!({"n": 2.5}));
    }

    #[test]
    fn arms_that_recurse_take_bounded_time() {
        let schema = json!({"$ref": "#/$defs/e", "$defs": {"e": {"anyOf": [
            {"type": "object", "required": ["e", "a"], "properties": {"e": {"$ref": "#/$defs/e"}}},
            {"type": "object", "required": ["e", "b"], "properties": {"e": {"$ref": "#/$defs/e"}}},
        ]}}});
        let mut value = json!(1);
        for _ in 0..60 {
            value = json!({"e": value});
        }
        let started = std::time::Instant::now();
        settled(&schema, value, true);
        assert!(started.elapsed().as_secs() < 20, "{:?}", started.elapsed());
    }
}
