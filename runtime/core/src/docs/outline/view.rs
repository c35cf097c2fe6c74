//! A schema combined with everything that applies with it: targets of references and the parts of `allOf`.

use serde_json::{Map, Value};

use super::{Phrase, STEP_LIMIT, Writer, list, members};
use crate::pointer::{below, of_fragment};

/// Maximum number of schemas combined for one value.
const PART_LIMIT: usize = 64;

/// All schemas that apply to one value.
#[derive(Debug, Default)]
pub(super) struct View<'a> {
    /// The schemas, outermost first.
    pub(super) schemas: Vec<&'a Value>,
    /// Their keywords, each with its pointer.
    pub(super) maps: Vec<(String, &'a Map<String, Value>)>,
    /// The alternatives, with pointers; `null` is represented by `is_nullable`.
    pub(super) unions: Vec<Vec<(String, &'a Value)>>,
    pub(super) is_nullable: bool,
    /// Whether no value is valid.
    pub(super) is_never: bool,
    /// References to types that are described elsewhere.
    pub(super) elsewhere: Vec<Phrase>,
}

impl View<'_> {
    /// Joins the descriptions, outermost first; falls back to a title.
    pub(super) fn description(&self) -> String {
        let of = |keyword: &str| {
            let texts = self.maps.iter().filter_map(|(_, keywords)| keywords.get(keyword)?.as_str());
            let mut said: Vec<&str> = Vec::new();
            for text in texts.map(str::trim).filter(|text| !text.is_empty()) {
                if !said.contains(&text) {
                    said.push(text);
                }
            }
            said.join("\n\n")
        };
        let description = of("description");
        if description.is_empty() { of("title") } else { description }
    }

    pub(super) fn requires(&self, name: &str) -> bool {
        self.maps.iter().any(|(_, keywords)| list(keywords, "required").iter().any(|one| one == name))
    }

    pub(super) fn has_member(&self, name: &str) -> bool {
        self.maps.iter().any(|(_, keywords)| members(keywords, "properties").contains_key(name))
    }

    /// Returns whether it is an object that only has members of any name.
    pub(super) fn is_map(&self) -> bool {
        let named = ["properties", "patternProperties"];
        self.maps
            .iter()
            .all(|(_, keywords)| named.iter().all(|keyword| members(keywords, keyword).is_empty()))
    }
}

impl<'a> Writer<'a> {
    pub(super) fn combine(&mut self, pointer: &str, schema: &'a Value) -> View<'a> {
        let mut view = View::default();
        let mut waiting = vec![(pointer.to_owned(), schema)];
        while let Some((pointer, schema)) = waiting.pop() {
            if self.steps == 0 || view.schemas.len() == PART_LIMIT {
                let what = if self.steps == 0 {
                    format!("only {STEP_LIMIT} schemas are looked at")
                } else {
                    format!("only {PART_LIMIT} schemas are shown together")
                };
                self.omit(&pointer, what);
                break;
            }
            if view.schemas.iter().any(|known| std::ptr::eq(*known, schema)) {
                continue;
            }
            if let Some((_, path)) = self.open.iter().find(|(open, _)| std::ptr::eq(*open, schema)) {
                view.elsewhere.push(match path.as_str() {
                    "" => Phrase::words("the same as the whole"),
                    path => Phrase::words("the same as ").then(Phrase::code(path)),
                });
                continue;
            }
            self.steps -= 1;
            view.schemas.push(schema);
            match schema {
                Value::Bool(false) => view.is_never = true,
                Value::Object(keywords) => self.add(&mut view, &mut waiting, pointer, keywords),
                _ => {}
            }
        }
        view
    }

    fn add(
        &mut self,
        view: &mut View<'a>,
        waiting: &mut Vec<(String, &'a Value)>,
        pointer: String,
        keywords: &'a Map<String, Value>,
    ) {
        // The last entry is visited first: references, then the parts of `allOf` in order.
        for (at, part) in list(keywords, "allOf").iter().enumerate().rev() {
            waiting.push((below(&below(&pointer, "allOf"), &at.to_string()), part));
        }
        for keyword in ["anyOf", "oneOf"] {
            let pointer = below(&pointer, keyword);
            let all = list(keywords, keyword);
            let arms = all.iter().enumerate().filter(|(_, arm)| !is_null(arm));
            let mut arms: Vec<_> = arms.map(|(at, arm)| (below(&pointer, &at.to_string()), arm)).collect();
            view.is_nullable |= arms.len() < all.len();
            match arms.len() {
                0 => {}
                1 => waiting.extend(arms.pop()),
                _ => view.unions.push(arms),
            }
        }
        if let Some(reference) = keywords.get("$ref").and_then(Value::as_str) {
            let path = reference.strip_prefix('#').map(of_fragment);
            if let Some((path, target)) =
                path.as_deref().and_then(|path| Some((path, self.root.pointer(path)?)))
            {
                waiting.push((path.to_owned(), target));
            } else {
                self.omit(
                    &below(&pointer, "$ref"),
                    format!("`{reference}` does not point to a schema in this document"),
                );
                view.elsewhere.push(Phrase::words("see ").then(Phrase::code(reference)));
            }
        }
        view.maps.push((pointer, keywords));
    }
}

/// Returns whether the schema is only `null`, which needs no further description.
fn is_null(schema: &Value) -> bool {
    if schema.get("description").is_some() {
        return false;
    }
    let is_null_type = schema.get("type").is_some_and(|name| name == "null");
    is_null_type || schema.get("const").is_some_and(Value::is_null)
}
