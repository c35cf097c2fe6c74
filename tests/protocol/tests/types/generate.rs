//! Values that a JSON Schema of the specification accepts, the same for the same seed.

use serde_json::{Map, Value, json};

/// The maximum nesting depth of values; below it, only required members are generated.
const MAX_DEPTH: usize = 6;

pub(crate) struct Generator<'s> {
    definitions: &'s Value,
    state: u64,
}

impl<'s> Generator<'s> {
    pub(crate) fn new(definitions: &'s Value, seed: u64) -> Self {
        Self { definitions, state: seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1 }
    }

    pub(crate) fn value(&mut self, schema: &Value) -> Value {
        self.at(schema, 0)
    }

    /// The next number below `end` (xorshift64*).
    fn below(&mut self, end: usize) -> usize {
        self.state ^= self.state >> 12;
        self.state ^= self.state << 25;
        self.state ^= self.state >> 27;
        let number = self.state.wrapping_mul(0x2545_F491_4F6C_DD1D) >> 33;
        usize::try_from(number).expect("31 bits") % end
    }

    fn at(&mut self, schema: &Value, depth: usize) -> Value {
        if let Some(reference) = schema["$ref"].as_str() {
            let name = reference.rsplit('/').next().expect("a name");
            let target = &self.definitions[name];
            assert!(target.is_object(), "no {name}");
            return self.at(target, depth);
        }
        if let Some(all) = schema["allOf"].as_array() {
            let mut members = Map::new();
            for part in all {
                if let Value::Object(part) = self.at(part, depth) {
                    members.extend(part);
                }
            }
            return Value::Object(members);
        }
        if let Some(any) = schema["anyOf"].as_array() {
            let one = self.below(any.len());
            return self.at(&any[one], depth);
        }
        if !schema["const"].is_null() {
            return schema["const"].clone();
        }
        if let Some(values) = schema["enum"].as_array() {
            return values[self.below(values.len())].clone();
        }
        let kind = match &schema["type"] {
            Value::Array(kinds) => kinds[self.below(kinds.len())].as_str(),
            kind => kind.as_str(),
        };
        match kind {
            Some("string") => self.string(schema["format"].as_str()),
            Some("integer") => json!([0, 1, 42, 9_007_199_254_740_991_i64][self.below(4)]),
            Some("number") => self.number(schema),
            Some("boolean") => json!(self.below(2) == 1),
            Some("null") => Value::Null,
            Some("array") => {
                let count = if depth >= MAX_DEPTH { 0 } else { self.below(3) };
                (0..count).map(|_| self.at(&schema["items"], depth + 1)).collect()
            }
            Some("object") => self.object(schema, depth),
            _ => self.any(depth),
        }
    }

    fn string(&mut self, format: Option<&str>) -> Value {
        match format {
            Some("byte") => json!("AQIDBA=="),
            Some("uri") => json!("https://example.com/a%20b"),
            Some("uri-template") => json!("shop://orders/{+id}{?q*}"),
            _ => json!(["", "a", "é\n\"\\", "2025-01-12T15:00:58Z", "\u{1F600}"][self.below(5)]),
        }
    }

    fn number(&mut self, schema: &Value) -> Value {
        let is_fraction = schema["maximum"] == 1;
        if is_fraction {
            json!([0.0, 0.5, 1.0][self.below(3)])
        } else {
            json!([0.0, -2.5, 1e20][self.below(3)])
        }
    }

    fn any(&mut self, depth: usize) -> Value {
        match self.below(if depth >= MAX_DEPTH { 4 } else { 6 }) {
            0 => Value::Null,
            1 => json!(true),
            2 => json!(1.25),
            3 => json!("any"),
            4 => json!([self.any(depth + 1)]),
            _ => json!({"any": self.any(depth + 1)}),
        }
    }

    fn object(&mut self, schema: &Value, depth: usize) -> Value {
        let mut members = Map::new();
        let required = |name: &str| {
            schema["required"].as_array().is_some_and(|names| names.iter().any(|required| required == name))
        };
        for (name, property) in schema["properties"].as_object().into_iter().flatten() {
            if required(name) || (depth < MAX_DEPTH && self.below(3) > 0) {
                let value = self.at(property, depth + 1);
                members.insert(name.clone(), value);
            }
        }
        let is_map = schema["properties"].as_object().is_none_or(Map::is_empty);
        if depth < MAX_DEPTH && self.below(2) == 0 {
            let value = match &schema["additionalProperties"] {
                Value::Object(_) if is_map => self.at(&schema["additionalProperties"], depth + 1),
                _ => self.any(depth + 1),
            };
            members.insert("x-unknown".to_owned(), value);
        }
        Value::Object(members)
    }
}
