//! Random schemas, edits of schemas, and values, from small alphabets so that they are related.

use serde_json::{Map, Value, json};

/// A generator of pseudo-random numbers, the same for each seed (`SplitMix64`).
#[derive(Debug)]
pub(crate) struct Rng(pub(crate) u64);

pub(super) const NAMES: [&str; 4] = ["a", "b", "ab", "c"];
pub(super) const TEXTS: [&str; 6] = ["", "a", "ab", "b", "abc", "7"];
pub(super) const PATTERNS: [&str; 4] = ["^a", "b$", "^[ab]*$", "^.{2}$"];
const FORMATS: [&str; 2] = ["date", "email"];

impl Rng {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap_or_default()
    }

    pub(super) fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    pub(super) fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    pub(super) fn number(&mut self) -> Value {
        match self.below(8) {
            0 => json!(0.5),
            1 => json!(2.0),
            2 => json!(-1.5),
            _ => json!(i64::try_from(self.below(9)).unwrap_or_default() - 2),
        }
    }

    fn scalar(&mut self) -> Value {
        match self.below(6) {
            0 => Value::Null,
            1 => json!(self.one_in(2)),
            2 | 3 => self.number(),
            _ => json!(self.pick(&TEXTS)),
        }
    }

    /// Returns any value, at most `depth` levels deep.
    pub(crate) fn value(&mut self, depth: usize) -> Value {
        match self.below(if depth == 0 { 4 } else { 8 }) {
            0..4 => self.scalar(),
            4 | 5 => (0..self.below(4)).map(|_| self.value(depth - 1)).collect(),
            _ => {
                let mut members = Map::new();
                for _ in 0..self.below(5) {
                    let name = self.pick(&["a", "b", "ab", "c", "other"]);
                    members.insert(name.to_owned(), self.value(depth - 1));
                }
                members.into()
            }
        }
    }

    /// Returns a copy of a value with a small change.
    pub(crate) fn mutate(&mut self, value: &Value) -> Value {
        let mut copy = value.clone();
        match &mut copy {
            Value::Array(items) if !items.is_empty() && !self.one_in(4) => {
                let at = self.below(items.len());
                match self.below(3) {
                    0 => drop(items.remove(at)),
                    1 => items.push(items[at].clone()),
                    _ => items[at] = self.mutate(&items[at].clone()),
                }
            }
            Value::Object(members) if !members.is_empty() && !self.one_in(4) => {
                let at = self.below(members.len());
                let name = members.keys().nth(at).cloned().unwrap_or_default();
                match self.below(3) {
                    0 => drop(members.shift_remove(&name)),
                    1 => drop(members.insert(self.pick(&NAMES).to_owned(), self.scalar())),
                    _ => {
                        let changed = self.mutate(&members[&name].clone());
                        members.insert(name, changed);
                    }
                }
            }
            _ => return self.scalar(),
        }
        copy
    }

    /// Returns a schema whose references lead to its own definitions.
    pub(crate) fn document(&mut self) -> Value {
        let mut root = self.schema(3);
        let definitions = json!({"x": self.schema(2), "y": self.schema(2)});
        if let Value::Object(root) = &mut root {
            root.insert("$defs".to_owned(), definitions);
        }
        root
    }

    fn schema(&mut self, depth: usize) -> Value {
        if self.one_in(24) {
            return json!(self.one_in(2) || self.one_in(2));
        }
        let mut schema = Map::new();
        let kind = self.below(if depth == 0 { 5 } else { 14 });
        match kind {
            0 => self.number_rules(&mut schema),
            1 | 2 => self.string_rules(&mut schema),
            3 => {
                let values: Vec<Value> = (0..=self.below(3)).map(|_| self.scalar()).collect();
                schema.insert("enum".to_owned(), values.into());
            }
            4 => drop(
                schema.insert("type".to_owned(), json!(self.pick(&["null", "boolean", "integer", "number"]))),
            ),
            5 | 6 => self.array_rules(&mut schema, depth - 1),
            7..11 => self.object_rules(&mut schema, depth - 1),
            11 => {
                let key = self.pick(&["anyOf", "oneOf", "allOf", "anyOf"]);
                let parts: Vec<Value> = (0..=self.below(2) + 1).map(|_| self.schema(depth - 1)).collect();
                schema.insert(key.to_owned(), parts.into());
            }
            12 => drop(schema.insert("$ref".to_owned(), json!(self.pick(&["#/$defs/x", "#/$defs/y", "#"])))),
            _ => match self.below(3) {
                0 => drop(schema.insert("not".to_owned(), self.schema(0))),
                1 => {
                    for key in ["if", "then", "else"] {
                        schema.insert(key.to_owned(), self.schema(depth - 1));
                    }
                }
                _ => {}
            },
        }
        if self.one_in(8) {
            schema.insert("description".to_owned(), json!(self.pick(&TEXTS)));
        }
        Value::Object(schema)
    }

    fn number_rules(&mut self, schema: &mut Map<String, Value>) {
        schema.insert("type".to_owned(), json!(self.pick(&["integer", "number"])));
        for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum"] {
            if self.one_in(3) {
                schema.insert(key.to_owned(), self.number());
            }
        }
        if self.one_in(5) {
            schema.insert("multipleOf".to_owned(), json!(self.pick(&[1, 2, 3, 4])));
        }
    }

    fn string_rules(&mut self, schema: &mut Map<String, Value>) {
        if self.one_in(4) {
            schema.insert("type".to_owned(), json!(["string", "null"]));
        } else {
            schema.insert("type".to_owned(), json!("string"));
        }
        for key in ["minLength", "maxLength"] {
            if self.one_in(3) {
                schema.insert(key.to_owned(), json!(self.below(4)));
            }
        }
        if self.one_in(4) {
            schema.insert("pattern".to_owned(), json!(self.pick(&PATTERNS)));
        }
        if self.one_in(16) {
            schema.insert("format".to_owned(), json!(self.pick(&FORMATS)));
        }
    }

    fn array_rules(&mut self, schema: &mut Map<String, Value>, depth: usize) {
        schema.insert("type".to_owned(), json!("array"));
        if !self.one_in(4) {
            schema.insert("items".to_owned(), self.schema(depth));
        }
        if self.one_in(5) {
            let parts: Vec<Value> = (0..=self.below(2)).map(|_| self.schema(depth)).collect();
            schema.insert("prefixItems".to_owned(), parts.into());
        }
        for key in ["minItems", "maxItems"] {
            if self.one_in(4) {
                schema.insert(key.to_owned(), json!(self.below(4)));
            }
        }
        if self.one_in(6) {
            schema.insert("uniqueItems".to_owned(), json!(true));
        }
        if self.one_in(10) {
            schema.insert("contains".to_owned(), self.schema(depth));
        }
    }

    fn object_rules(&mut self, schema: &mut Map<String, Value>, depth: usize) {
        if !self.one_in(8) {
            schema.insert("type".to_owned(), json!("object"));
        }
        let mut properties = Map::new();
        for name in NAMES {
            if self.one_in(2) {
                properties.insert(name.to_owned(), self.schema(depth));
            }
        }
        let required: Vec<&str> = NAMES.into_iter().filter(|_| self.one_in(4)).collect();
        schema.insert("properties".to_owned(), properties.into());
        schema.insert("required".to_owned(), json!(required));
        match self.below(6) {
            0 | 1 => drop(schema.insert("additionalProperties".to_owned(), json!(false))),
            2 => drop(schema.insert("additionalProperties".to_owned(), self.schema(depth))),
            3 if self.one_in(3) => {
                drop(schema.insert("unevaluatedProperties".to_owned(), self.schema(depth)));
            }
            _ => {}
        }
        if self.one_in(6) {
            let pattern = self.pick(&PATTERNS);
            schema.insert("patternProperties".to_owned(), json!({pattern: self.schema(depth)}));
        }
        for key in ["minProperties", "maxProperties"] {
            if self.one_in(10) {
                schema.insert(key.to_owned(), json!(self.below(4)));
            }
        }
        if self.one_in(10) {
            schema.insert("propertyNames".to_owned(), json!({"pattern": self.pick(&PATTERNS)}));
        }
        if self.one_in(10) {
            schema.insert("dependentRequired".to_owned(), json!({self.pick(&NAMES): [self.pick(&NAMES)]}));
        }
        if self.one_in(14) {
            schema.insert("dependentSchemas".to_owned(), json!({self.pick(&NAMES): self.schema(depth)}));
        }
    }

    /// Returns a copy of the schema with a few changes.
    pub(crate) fn edit_copy(&mut self, schema: &Value) -> Value {
        let mut edited = schema.clone();
        for _ in 0..=self.below(3) {
            self.edit(&mut edited, 3);
        }
        edited
    }

    fn edit(&mut self, schema: &mut Value, depth: usize) {
        let Value::Object(members) = schema else {
            *schema = self.schema(1);
            return;
        };
        let keys: Vec<String> = members.keys().cloned().collect();
        if keys.is_empty() || self.one_in(12) {
            let Value::Object(more) = self.schema(1) else { return };
            members.extend(more);
            return;
        }
        let key = keys[self.below(keys.len())].clone();
        let rule = &mut members[&key];
        match (key.as_str(), rule) {
            ("properties" | "$defs" | "patternProperties" | "dependentSchemas", Value::Object(map))
                if !map.is_empty() =>
            {
                let at = self.below(map.len());
                let name = map.keys().nth(at).cloned().unwrap_or_default();
                match self.below(6) {
                    0 if key != "$defs" => drop(map.shift_remove(&name)),
                    1 if key == "properties" => {
                        drop(map.insert(self.pick(&NAMES).to_owned(), self.schema(1)));
                    }
                    _ if depth > 0 => self.edit(&mut map[&name], depth - 1),
                    _ => {}
                }
            }
            ("anyOf" | "oneOf" | "allOf" | "prefixItems", Value::Array(parts)) if !parts.is_empty() => {
                let at = self.below(parts.len());
                match self.below(4) {
                    0 if parts.len() > 1 => drop(parts.remove(at)),
                    1 => parts.push(self.schema(1)),
                    _ if depth > 0 => self.edit(&mut parts[at], depth - 1),
                    _ => {}
                }
            }
            ("enum" | "required", Value::Array(values)) => match self.below(2) {
                0 if !values.is_empty() => drop(values.remove(self.below(values.len()))),
                _ if key == "required" => values.push(json!(self.pick(&NAMES))),
                _ => values.push(self.scalar()),
            },
            (
                "items"
                | "contains"
                | "additionalProperties"
                | "not"
                | "if"
                | "then"
                | "else"
                | "propertyNames",
                rule,
            ) if depth > 0 && !self.one_in(4) => self.edit(rule, depth - 1),
            ("type", rule) if self.one_in(2) => {
                *rule = json!(self.pick(&["integer", "number", "string", "object", "array", "null"]));
            }
            ("minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum", rule) => *rule = self.number(),
            (
                "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties",
                rule,
            ) => {
                *rule = json!(self.below(4));
            }
            ("$defs", _) => {}
            _ => drop(members.shift_remove(&key)),
        }
        // A schema must not list a name twice.
        if let Some(Value::Array(required)) = members.get_mut("required") {
            let mut seen = Vec::new();
            required.retain(|name| {
                !seen.contains(name) && {
                    seen.push(name.clone());
                    true
                }
            });
        }
    }
}
