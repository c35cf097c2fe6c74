//! Generates small values that contain a given location of a schema. They need not satisfy its constraints,
//! because only serde reads them.

use serde_json::{Map, Value, json};

use super::{formats, pattern, walk};

/// Maximum depth of a value; a recursive type without an end has none.
const MAX_DEPTH: usize = 40;

/// An example for each format of a widely used type.
const TEXTS: &[(&str, &str)] = &[
    ("date", "2026-07-28"),
    ("date-time", "2026-07-28T12:30:00Z"),
    ("duration", "PT1S"),
    ("ip", "127.0.0.1"),
    ("ipv4", "127.0.0.1"),
    ("ipv6", "::1"),
    ("uri", "https://example.com/"),
    ("uuid", "67e55044-10b1-426f-9247-bb680e5fe0c8"),
];

/// A plain string, and one that is also a socket address.
pub(super) const PLAIN: [&str; 2] = ["text", "192.0.2.1:80"];

/// A step from a schema to one inside it.
#[derive(Debug, Clone)]
pub(super) enum Step {
    Reference,
    Property(String),
    /// A member with an integer as its name.
    Member,
    /// A member with any other name.
    Rest,
    Item,
    Place(usize),
    /// One of `allOf`, `anyOf` or `oneOf`.
    Part(String, usize),
}

/// The value at the end of the path.
#[derive(Debug)]
pub(super) enum Target {
    /// A member with this key.
    Key(String),
    /// A member that is not part of the schema.
    Member(String, Value),
    /// This many items.
    Length(u64),
    /// This value.
    Whole(Value),
    /// Any valid value.
    Any,
}

/// Generates values of a schema.
pub(super) struct Sampler<'s> {
    pub(super) root: &'s Value,
    /// The value of a string without keywords.
    pub(super) plain: &'static str,
    /// Members that are present wherever they are listed: a flattened `Option` requires them, which the schema
    /// does not express.
    pub(super) also: &'s [String],
}

impl Sampler<'_> {
    /// Returns a value of `schema` with the target at `path`.
    pub(super) fn value(&self, schema: &Value, path: &[Step], target: &Target) -> Option<Value> {
        let node = schema.as_object()?;
        let Some((step, path)) = path.split_first() else { return self.target(node, target) };
        let below = |schema: &Value| self.value(schema, path, target);
        match step {
            Step::Reference => Some(merge(self.members(node, 0), below(self.definition(node)?)?)),
            Step::Part(keyword, number) => {
                Some(merge(self.own_members(node, 0), below(node.get(keyword)?.get(number)?)?))
            }
            Step::Property(name) => self.with_member(node, name, below(node.get("properties")?.get(name)?)?),
            Step::Member => {
                let members = node.get("patternProperties")?.as_object()?.values().next()?;
                self.with_member(node, "1", below(members)?)
            }
            Step::Rest => {
                let name = node.get("propertyNames").and_then(|names| self.any(names, 0));
                let name = name.as_ref().and_then(Value::as_str).unwrap_or("a");
                self.with_member(node, name, below(node.get("additionalProperties")?)?)
            }
            Step::Item => {
                let mut items = self.items(node, u64::MAX, 0)?;
                let item = below(node.get("items")?)?;
                match items.first_mut() {
                    Some(first) => *first = item,
                    None => items.push(item),
                }
                Some(items.into())
            }
            Step::Place(number) => {
                let first = node.get("prefixItems")?.as_array()?;
                // The last items may be omitted, but not this one.
                let before = first.get(..*number)?.iter().map(|place| self.any(place, 1));
                let mut items = before.collect::<Option<Vec<_>>>()?;
                items.push(below(first.get(*number)?)?);
                let least = self.items(node, u64::MAX, 0)?;
                items.extend(least.into_iter().skip(*number + 1));
                Some(items.into())
            }
        }
    }

    fn target(&self, node: &Map<String, Value>, target: &Target) -> Option<Value> {
        match target {
            Target::Member(name, value) => self.with_member(node, name, value.clone()),
            Target::Length(length) => self.items(node, *length, 0).map(Value::Array),
            Target::Whole(value) => Some(value.clone()),
            Target::Any => self.any(&Value::Object(node.clone()), 1),
            Target::Key(key) => {
                let patterns = node.get("patternProperties").and_then(Value::as_object);
                let members = patterns.and_then(|patterns| patterns.values().next());
                let member = self.any(members.or_else(|| node.get("additionalProperties"))?, 1)?;
                self.with_member(node, key, member)
            }
        }
    }

    fn with_member(&self, node: &Map<String, Value>, name: &str, member: Value) -> Option<Value> {
        let mut members = self.members(node, 0)?;
        members.insert(name.to_owned(), member);
        Some(members.into())
    }

    fn definition(&self, node: &Map<String, Value>) -> Option<&Value> {
        self.root.get("$defs")?.get(&*walk::referenced_definition(node)?)
    }

    /// Returns any value of `schema`.
    fn any(&self, schema: &Value, depth: usize) -> Option<Value> {
        if depth > MAX_DEPTH {
            return None;
        }
        let Some(node) = schema.as_object() else { return Some(json!("text")) };
        if let Some(only) = node.get("const") {
            return Some(only.clone());
        }
        if let Some(Value::Array(values)) = node.get("enum") {
            return values.iter().find(|value| !value.is_null()).or(values.first()).cloned();
        }
        let arms = ["anyOf", "oneOf"].into_iter().filter_map(|choice| node.get(choice)?.as_array());
        let mut whole = self.own_members(node, depth).map(Value::Object);
        for arms in arms {
            let arm = arms.iter().find_map(|arm| self.any(arm, depth + 1))?;
            whole = Some(merge(whole.and_then(into_members), arm));
        }
        if let Some(definition) = self.definition(node) {
            return Some(merge(whole.and_then(into_members), self.any(definition, depth + 1)?));
        }
        let types = match node.get("type") {
            Some(Value::Array(types)) => types.first(),
            one => one,
        };
        match types.and_then(Value::as_str) {
            Some("string") => Some(self.text(node)),
            Some("integer") => Some(
                node.get("minimum").filter(|least| least.as_i64() > Some(1)).cloned().unwrap_or(json!(1)),
            ),
            Some("number") => Some(json!(1)),
            Some("boolean") => Some(json!(false)),
            Some("array") => self.items(node, u64::MAX, depth).map(Value::Array),
            Some("null") => Some(Value::Null),
            Some("object") => whole,
            _ => whole.or_else(|| Some(json!("text"))),
        }
    }

    /// Returns the required members of an object; `None` if it is not an object.
    fn members(&self, node: &Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
        let mut members = self.own_members(node, depth)?;
        for arms in ["anyOf", "oneOf"].into_iter().filter_map(|choice| node.get(choice)?.as_array()) {
            let of_arm = arms.iter().find_map(|arm| into_members(self.any(arm, depth + 1)?));
            members.extend(of_arm.unwrap_or_default());
        }
        Some(members)
    }

    /// The same without the members that a choice requires.
    fn own_members(&self, node: &Map<String, Value>, depth: usize) -> Option<Map<String, Value>> {
        let says_object = walk::has_type(node, "object") || node.contains_key("properties");
        if !says_object && !node.contains_key("allOf") {
            return None;
        }
        let mut members = Map::new();
        let required = node.get("required").and_then(Value::as_array);
        let required = required.into_iter().flatten().filter_map(Value::as_str);
        let property = |name: &str| node.get("properties").and_then(|properties| properties.get(name));
        let also = self.also.iter().map(String::as_str).filter(|name| property(name).is_some());
        for name in required.chain(also) {
            let property = property(name);
            members.insert(name.to_owned(), self.any(property.unwrap_or(&Value::Bool(true)), depth + 1)?);
        }
        for part in node.get("allOf").and_then(Value::as_array).into_iter().flatten() {
            if let Some(Value::Object(of_part)) = self.any(part, depth + 1) {
                members.extend(of_part);
            }
        }
        Some(members)
    }

    /// Returns as many items as an array requires, at most `most`.
    fn items(&self, node: &Map<String, Value>, most: u64, depth: usize) -> Option<Vec<Value>> {
        let first = node.get("prefixItems").and_then(Value::as_array).map_or(&[][..], Vec::as_slice);
        let least = node.get("minItems").and_then(Value::as_u64).unwrap_or(0).min(most).min(64);
        let rest = node.get("items").unwrap_or(&Value::Bool(true));
        let places = (0..usize::try_from(least).ok()?).map(|number| first.get(number).unwrap_or(rest));
        places.map(|place| self.any(place, depth + 1)).collect()
    }

    fn text(&self, node: &Map<String, Value>) -> Value {
        let format = node.get("format").and_then(Value::as_str).unwrap_or_default();
        let example = node.get("examples").and_then(|examples| examples.get(0));
        let known = TEXTS.iter().find(|(known, _)| *known == format).map(|(_, text)| *text);
        let known = known.or_else(|| formats::sample_of_format(format)).map(Value::from);
        let rule = node.get("pattern").and_then(Value::as_str);
        let known = known.or_else(|| Some(pattern::matching(rule?)?.into()));
        let length = node.get("maxLength").and_then(Value::as_u64).unwrap_or(u64::MAX);
        example.cloned().or(known).unwrap_or_else(|| json!(if length < 4 { "a" } else { self.plain }))
    }
}

fn into_members(value: Value) -> Option<Map<String, Value>> {
    match value {
        Value::Object(members) => Some(members),
        _ => None,
    }
}

/// Returns the members of both, or only the part if it is not an object.
fn merge(whole: Option<Map<String, Value>>, part: Value) -> Value {
    match (whole, part) {
        (Some(mut whole), Value::Object(part)) => {
            whole.extend(part);
            whole.into()
        }
        (_, part) => part,
    }
}
