//! Random schemas with every keyword of JSON Schema 2020-12, and pairs whose answer is known from how they were generated.

use serde_json::{Map, Value, json};

use super::random::{NAMES, PATTERNS, Rng, TEXTS};

/// How a generated schema relates to its original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Relation {
    /// It accepts the same values.
    Equal,
    /// It accepts no more values.
    Narrowed,
    /// It accepts no fewer values.
    Widened,
}

/// Keywords whose subschemas apply to items and members.
const INTO: [&str; 6] = [
    "items",
    "contains",
    "additionalProperties",
    "unevaluatedItems",
    "unevaluatedProperties",
    "propertyNames",
];

impl Rng {
    /// Returns a schema with any keywords, whose references lead to its own definitions.
    pub(crate) fn full_document(&mut self) -> Value {
        let mut root = self.any_schema(3);
        let mut first = self.any_schema(2);
        let mut second = self.any_schema(2);
        if let Value::Object(first) = &mut first {
            first.insert("$anchor".to_owned(), json!("anchor"));
        }
        if let Value::Object(second) = &mut second {
            second.insert("$dynamicAnchor".to_owned(), json!("dynamic"));
        }
        if let Value::Object(root) = &mut root {
            root.insert("$defs".to_owned(), json!({"x": first, "y": second}));
        }
        root
    }

    /// Returns any schema, at most `depth` levels deep.
    pub(crate) fn any_schema(&mut self, depth: usize) -> Value {
        if self.one_in(16) {
            return json!(!self.one_in(3));
        }
        let mut schema = Map::new();
        if !self.one_in(4) {
            let kinds =
                ["null", "boolean", "integer", "number", "string", "array", "object", "object", "array"];
            let kind = if self.one_in(5) {
                json!(if self.one_in(2) { ["string", "null"] } else { ["array", "object"] })
            } else {
                json!(self.pick(&kinds))
            };
            schema.insert("type".to_owned(), kind);
        }
        for _ in 0..=self.below(4) {
            let key = self.pick(&KEYWORDS);
            if let Some(value) = self.keyword(key, depth) {
                schema.insert(key.to_owned(), value);
            }
        }
        Value::Object(schema)
    }

    fn keyword(&mut self, key: &str, depth: usize) -> Option<Value> {
        let inner = depth.checked_sub(1);
        Some(match key {
            "enum" => (0..=self.below(3)).map(|_| self.value(1)).collect(),
            "const" | "default" => self.value(1),
            "multipleOf" => json!(self.pick(&[1.0, 2.0, 3.0, 0.5, 0.1, 1.5])),
            "minimum" | "maximum" | "exclusiveMinimum" | "exclusiveMaximum" => self.number(),
            "minLength" | "maxLength" | "minItems" | "maxItems" | "minProperties" | "maxProperties" => {
                json!(self.below(4))
            }
            "pattern" => json!(self.pick(&PATTERNS)),
            "format" if self.one_in(4) => json!("date"),
            "uniqueItems" => json!(!self.one_in(4)),
            "minContains" | "maxContains" => json!(self.below(3)),
            "required" => json!(NAMES.into_iter().filter(|_| self.one_in(3)).collect::<Vec<_>>()),
            "dependentRequired" => {
                let names: Vec<_> = NAMES.into_iter().filter(|_| self.one_in(3)).collect();
                json!({self.pick(&NAMES): names})
            }
            "allOf" | "anyOf" | "oneOf" => (0..=self.below(3))
                .map(|_| inner.map(|inner| self.any_schema(inner)))
                .collect::<Option<Vec<_>>>()?
                .into(),
            "prefixItems" => (0..=self.below(2))
                .map(|_| inner.map(|inner| self.any_schema(inner)))
                .collect::<Option<Vec<_>>>()?
                .into(),
            "not"
            | "if"
            | "then"
            | "else"
            | "items"
            | "contains"
            | "additionalProperties"
            | "propertyNames"
            | "unevaluatedItems"
            | "unevaluatedProperties" => self.any_schema(inner?),
            "properties" => {
                let names: Vec<_> = NAMES.into_iter().filter(|_| self.one_in(2)).collect();
                let parts = names.into_iter().map(|name| Some((name.to_owned(), self.any_schema(inner?))));
                Value::Object(parts.collect::<Option<_>>()?)
            }
            "patternProperties" => json!({self.pick(&PATTERNS): self.any_schema(inner?)}),
            "dependentSchemas" => json!({self.pick(&NAMES): self.any_schema(inner?)}),
            "$ref" => json!(self.pick(&["#/$defs/x", "#/$defs/y", "#", "#anchor"])),
            "$dynamicRef" => json!("#dynamic"),
            "title" | "$comment" => json!(self.pick(&TEXTS)),
            "deprecated" | "readOnly" | "writeOnly" => json!(self.one_in(2)),
            "contentEncoding" => json!("base64"),
            _ => return None,
        })
    }

    /// Returns a changed copy of a schema that has a known relation to it.
    pub(crate) fn generate(&mut self, relation: Relation, document: &Value) -> Value {
        let Value::Object(members) = document else { return document.clone() };
        // If a schema refers to its root, a narrower part may widen another one, inside `not`, and what the root evaluates
        // counts in another location.
        let text = document.to_string();
        if text.contains("\"#\"") && (relation != Relation::Equal || text.contains("unevaluated")) {
            return document.clone();
        }
        let mut root = members.clone();
        let definitions = root.shift_remove("$defs").unwrap_or_else(|| json!({}));
        let mut extracted = None;
        let mut changed = Value::Object(root);
        self.change_somewhere(relation, &mut changed, &mut extracted, 3);
        let mut root = match changed {
            Value::Object(root) => root,
            other => Map::from_iter([("allOf".to_owned(), json!([other]))]),
        };
        let mut definitions = definitions;
        if let Some(extracted) = extracted {
            definitions["z"] = extracted;
        }
        root.insert("$defs".to_owned(), definitions);
        Value::Object(root)
    }

    /// Changes a subschema that applies to an item or member of its own, so that no other keyword affects it.
    fn change_somewhere(
        &mut self,
        relation: Relation,
        schema: &mut Value,
        extracted: &mut Option<Value>,
        depth: usize,
    ) {
        if let (Value::Object(members), true) = (&mut *schema, depth > 0 && !self.one_in(3)) {
            let key = members.keys().nth(self.below(members.len().max(1))).cloned().unwrap_or_default();
            match (key.as_str(), members.get_mut(&key)) {
                ("properties" | "patternProperties", Some(Value::Object(map))) if !map.is_empty() => {
                    let name = map.keys().nth(self.below(map.len())).cloned().unwrap_or_default();
                    return self.change_somewhere(relation, &mut map[&name], extracted, depth - 1);
                }
                ("prefixItems", Some(Value::Array(parts))) if !parts.is_empty() => {
                    let at = self.below(parts.len());
                    return self.change_somewhere(relation, &mut parts[at], extracted, depth - 1);
                }
                // Counting more or fewer items changes the relation.
                ("contains", _) if relation != Relation::Equal => {}
                (key, Some(inner)) if INTO.contains(&key) => {
                    return self.change_somewhere(relation, inner, extracted, depth - 1);
                }
                _ => {}
            }
        }
        let other = self.any_schema(1);
        let own = schema.clone();
        *schema = match relation {
            Relation::Narrowed => json!({"allOf": [own, other]}),
            Relation::Widened => json!({"anyOf": [own, other]}),
            Relation::Equal => self.rewrite(own, &other, extracted),
        };
    }

    /// Returns an equivalent schema. `other` is any schema.
    fn rewrite(&mut self, own: Value, other: &Value, extracted: &mut Option<Value>) -> Value {
        match self.below(22) {
            0 => json!({"allOf": [own]}),
            1 => json!({"anyOf": [own, false]}),
            2 => json!({"anyOf": [own, own]}),
            3 => json!({"oneOf": [own, false]}),
            4 => json!({"not": {"not": own}}),
            5 => json!({"if": other, "then": own, "else": own}),
            6 => json!({"if": true, "then": own, "else": other}),
            7 => json!({"anyOf": [{"allOf": [own, other]}, {"allOf": [own, {"not": other}]}]}),
            8 => json!({"oneOf": [{"allOf": [own, other]}, {"allOf": [own, {"not": other}]}]}),
            9 => json!({"allOf": [own, {"anyOf": [own, other]}]}),
            10 => json!({"anyOf": [own, {"allOf": [other, own]}]}),
            11 => json!({"not": {"anyOf": [{"not": own}, {"not": own}]}}),
            12 if extracted.is_none() => {
                *extracted = Some(own);
                json!({"$ref": "#/$defs/z"})
            }
            13 => json!({"allOf": [own], "$comment": "the same", "title": "T", "x-note": 1}),
            14 => {
                json!({"oneOf": [{"type": "object", "allOf": [own]}, {"not": {"type": "object"}, "allOf": [own]}]})
            }
            15 => json!({"if": {"not": own}, "then": false}),
            _ => self.respell(own),
        }
    }

    /// Returns an equivalent schema with other or additional keywords.
    fn respell(&mut self, own: Value) -> Value {
        let Value::Object(mut members) = own else { return own };
        let has = |members: &Map<String, Value>, key: &str| members.contains_key(key);
        for (key, value) in [
            ("minLength", json!(0)),
            ("minItems", json!(0)),
            ("minProperties", json!(0)),
            ("uniqueItems", json!(false)),
            ("required", json!([])),
            ("propertyNames", json!(true)),
            ("dependentRequired", json!({})),
            ("patternProperties", json!({})),
            ("dependentSchemas", json!({})),
        ] {
            if self.one_in(3) && !has(&members, key) {
                members.insert(key.to_owned(), value);
            }
        }
        if !has(&members, "unevaluatedItems") && !has(&members, "contains") && self.one_in(2) {
            members.insert("contains".to_owned(), self.any_schema(1));
            members.insert("minContains".to_owned(), json!(0));
            members.shift_remove("maxContains");
        }
        if !has(&members, "unevaluatedProperties") && !has(&members, "additionalProperties") && self.one_in(2)
        {
            members.insert("additionalProperties".to_owned(), json!(true));
        }
        if let Some(value) = members.shift_remove("const") {
            if has(&members, "enum") {
                members.insert("const".to_owned(), value);
            } else {
                members.insert("enum".to_owned(), json!([value, value]));
            }
        }
        if let Some(Value::Object(map)) = members.get("dependentRequired").cloned()
            && !has(&members, "dependentSchemas")
        {
            members.shift_remove("dependentRequired");
            let schemas: Map<_, _> =
                map.into_iter().map(|(name, needed)| (name, json!({"required": needed}))).collect();
            members.insert("dependentSchemas".to_owned(), schemas.into());
        }
        if let Some(Value::Array(values)) = members.get_mut("enum") {
            values.reverse();
        }
        // The order of keywords is irrelevant.
        Value::Object(members.into_iter().rev().collect())
    }
}

/// All keywords; some are repeated so that they are used more often.
const KEYWORDS: [&str; 60] = [
    "enum",
    "const",
    "multipleOf",
    "minimum",
    "maximum",
    "exclusiveMinimum",
    "exclusiveMaximum",
    "minLength",
    "maxLength",
    "pattern",
    "format",
    "minItems",
    "maxItems",
    "uniqueItems",
    "contains",
    "minContains",
    "maxContains",
    "minProperties",
    "maxProperties",
    "required",
    "required",
    "dependentRequired",
    "allOf",
    "anyOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "then",
    "else",
    "if",
    "dependentSchemas",
    "prefixItems",
    "prefixItems",
    "items",
    "items",
    "contains",
    "properties",
    "properties",
    "properties",
    "properties",
    "patternProperties",
    "patternProperties",
    "additionalProperties",
    "additionalProperties",
    "propertyNames",
    "unevaluatedItems",
    "unevaluatedProperties",
    "unevaluatedProperties",
    "$ref",
    "$dynamicRef",
    "title",
    "$comment",
    "default",
    "deprecated",
    "readOnly",
    "writeOnly",
    "contentEncoding",
    "then",
    "else",
];
