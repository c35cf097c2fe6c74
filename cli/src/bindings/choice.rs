//! Enums for choices.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use serde_json::{Map, Value};

use super::names::{Unique, pascal};
use super::object::DERIVES;
use super::reference::resolve;
use super::text::string;
use super::types::{Shape, Types, implied, without};

/// Maximum number of names in a set of strings that becomes an enum.
pub(super) const MAX_VARIANTS: usize = 200;
/// Names that cannot be variants of an enum.
const NO_VARIANTS: [&str; 1] = ["Self"];

impl Types<'_> {
    /// A choice between schemas that are distinguished by the JSON type of the value, or between objects with a
    /// constant member.
    pub(super) fn union(
        &mut self,
        branches: &[(String, &Value)],
        rest: Map<String, Value>,
        at: &str,
        wanted: &str,
    ) -> Shape {
        let names: Option<Vec<&str>> =
            branches.iter().map(|(_, branch)| branch.get("const")?.as_str()).collect();
        if let Some(names) = names
            && names.len() <= MAX_VARIANTS
            && names.iter().collect::<BTreeSet<_>>().len() == names.len()
        {
            let values: Vec<Value> = names.into_iter().map(Value::from).collect();
            let mut shape = self.names(&values, rest, wanted);
            // An arm may have its own description.
            let is_plain = |branch: &Value| {
                let mut keywords = branch.as_object().into_iter().flatten();
                keywords.all(|(keyword, _)| matches!(keyword.as_str(), "const" | "type"))
            };
            shape.is_exact &= branches.iter().all(|(_, branch)| is_plain(branch));
            return shape;
        }
        if !rest.keys().all(|keyword| {
            matches!(keyword.as_str(), "title" | "default" | "examples" | "deprecated" | "type")
        }) {
            return self.untyped(at, "a choice has rules beside it");
        }
        if let Some(tag) = tag_of(branches) {
            return self.tagged_union(&tag, branches, rest, wanted);
        }
        let kinds: Option<Vec<&'static str>> =
            branches.iter().map(|(_, branch)| kind_of(branch, self.root)).collect();
        let kinds = kinds.filter(|kinds| kinds.iter().collect::<BTreeSet<_>>().len() == kinds.len());
        let Some(kinds) = kinds else {
            return self.untyped(at, "nothing tells the schemas of a choice apart");
        };
        let name = self.module.types.take(wanted);
        let (mut variants, mut is_exact) = (String::new(), true);
        for ((place, branch), kind) in branches.iter().zip(kinds) {
            let shape = self.shape(branch, place, &format!("{wanted}{kind}"));
            is_exact &= shape.is_whole() && !self.is_described(branch);
            let text = if shape.is_nullable { format!("Option<{}>", shape.text) } else { shape.text };
            _ = writeln!(variants, "    {kind}({text}),");
        }
        self.module.items.push(format!("{DERIVES}#[serde(untagged)]\npub enum {name} {{\n{variants}}}\n"));
        Shape { is_exact, ..Shape::of(name, without(rest, &["type"])) }
    }

    /// Objects that are distinguished by a member `tag`.
    fn tagged_union(
        &mut self,
        tag: &str,
        branches: &[(String, &Value)],
        rest: Map<String, Value>,
        wanted: &str,
    ) -> Shape {
        let name = self.module.types.take(wanted);
        let (mut variants, mut is_exact, mut names) = (String::new(), true, Unique::without(NO_VARIANTS));
        for (place, branch) in branches {
            let mut object = branch.as_object().cloned().unwrap_or_default();
            let value = object["properties"][tag]["const"].clone();
            let properties = object.get_mut("properties").and_then(Value::as_object_mut);
            let constant = properties.and_then(|properties| properties.shift_remove(tag)).unwrap_or_default();
            is_exact &= constant.as_object().is_none_or(|constant| {
                constant.keys().all(|keyword| matches!(keyword.as_str(), "const" | "type"))
            });
            if let Some(Value::Array(required)) = object.get_mut("required") {
                required.retain(|name| name != tag);
            }
            is_exact &= object.shift_remove("description").is_none();
            let value = value.as_str().unwrap_or_default();
            let variant = names.take(&pascal(value, "Value"));
            let shape = self.shape(&object.into(), place, &format!("{wanted}{variant}"));
            is_exact &= shape.is_whole();
            _ = writeln!(
                variants,
                "    #[serde(rename = {})]\n    {variant}({}),",
                string(value),
                shape.text
            );
        }
        self.module
            .items
            .push(format!("{DERIVES}#[serde(tag = {})]\npub enum {name} {{\n{variants}}}\n", string(tag)));
        Shape { is_exact, ..Shape::of(name, without(rest, &["type"])) }
    }

    /// An enum of strings.
    pub(super) fn names(&mut self, values: &[Value], beside: Map<String, Value>, wanted: &str) -> Shape {
        let name = self.module.types.take(wanted);
        let mut variants = Unique::without(NO_VARIANTS);
        let mut lines = String::new();
        for value in values.iter().filter_map(Value::as_str) {
            let variant = variants.take(&pascal(value, "Value"));
            if variant != value {
                _ = writeln!(lines, "    #[serde(rename = {})]", string(value));
            }
            _ = writeln!(lines, "    {variant},");
        }
        self.module.items.push(format!(
            "#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]\npub enum {name} {{\n{lines}}}\n"
        ));
        Shape::of(name, without(beside, &["type"]))
    }
}

/// Returns the JSON type of all values of a schema, as the name of a variant.
fn kind_of(schema: &Value, root: &Value) -> Option<&'static str> {
    let schema = match schema.get("$ref").and_then(Value::as_str) {
        Some(reference) => resolve(reference, root)?,
        None => schema,
    };
    let named = schema.get("type").and_then(Value::as_str);
    match named.or_else(|| implied(schema.as_object()?))? {
        "string" => Some("Text"),
        "integer" | "number" => Some("Number"),
        "boolean" => Some("Flag"),
        "array" => Some("List"),
        "object" => Some("Object"),
        _ => None,
    }
}

/// Returns the member whose constant distinguishes the objects of a choice.
fn tag_of(branches: &[(String, &Value)]) -> Option<String> {
    let constants = |branch: &Value| -> Option<BTreeMap<String, String>> {
        let required = branch.get("required")?.as_array()?;
        let properties = branch.get("properties")?.as_object()?.iter();
        let constant = |(name, property): (&String, &Value)| {
            let is_required = required.iter().any(|other| other == name);
            Some((name.clone(), property.get("const")?.as_str().filter(|_| is_required)?.to_owned()))
        };
        Some(properties.filter_map(constant).collect())
    };
    let all: Vec<_> = branches.iter().map(|(_, branch)| constants(branch)).collect::<Option<_>>()?;
    let candidates = all.first()?.keys();
    let is_tag = |name: &&String| {
        let values: Option<BTreeSet<&String>> = all.iter().map(|constants| constants.get(*name)).collect();
        values.is_some_and(|values| values.len() == all.len())
    };
    candidates.into_iter().find(is_tag).cloned()
}
