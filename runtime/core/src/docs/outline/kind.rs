//! Describes types in words.

use serde_json::Value;

use super::view::View;
use super::{CHOICE_LIMIT, Part, Phrase, Writer, list, members};
use crate::docs::markdown::json;
use crate::pointer::below;

/// Maximum nesting of lists and unions in the description of one type.
const LEVEL_LIMIT: usize = 6;

impl<'a> Writer<'a> {
    /// Describes the type of a view: `string`, `array of integer`, ``one of `"a"`, `"b"` ``, `one of 3 variants`.
    pub(super) fn describe_type(&mut self, view: &View<'a>, level: usize) -> Phrase {
        let mut kinds = self.describe_types(view, level);
        kinds.extend(view.elsewhere.iter().cloned());
        if kinds.is_empty() {
            kinds.push(Phrase::words(if view.is_never {
                "nothing, since no value is valid"
            } else {
                "any JSON"
            }));
        }
        let kind = Phrase::join(kinds, " and ");
        let says_null =
            kind.0.iter().any(|part| matches!(part, Part::Words(words) if words.ends_with("null")));
        if view.is_nullable && !says_null { kind.then(Phrase::words(" or null")) } else { kind }
    }

    fn describe_types(&mut self, view: &View<'a>, level: usize) -> Vec<Phrase> {
        for (pointer, keywords) in &view.maps {
            if let Some(value) = keywords.get("const") {
                return vec![self.describe_constant(&below(pointer, "const"), value)];
            }
        }
        for (pointer, keywords) in &view.maps {
            if keywords.contains_key("enum") {
                return vec![self.describe_choices(&below(pointer, "enum"), list(keywords, "enum"))];
            }
        }
        let mut kinds = Vec::new();
        for (pointer, keywords) in &view.maps {
            let names = match keywords.get("type") {
                Some(Value::String(name)) => vec![name.as_str()],
                Some(Value::Array(names)) => names.iter().filter_map(Value::as_str).collect(),
                _ if !members(keywords, "properties").is_empty() => vec!["object"],
                _ => continue,
            };
            let words: Vec<_> =
                names.iter().map(|name| self.describe_one_type(pointer, view, name, level)).collect();
            kinds.push(Phrase::join(words, " or "));
            break;
        }
        for union in &view.unions {
            if !self.is_inline(union, level) {
                let words = format!("one of {} variants", union.len());
                kinds.push(Phrase::words(words));
                continue;
            }
            let arms: Vec<_> = union
                .iter()
                .map(|(pointer, arm)| {
                    let view = self.combine(pointer, arm);
                    self.describe_nested(&view, "", level + 1)
                })
                .collect();
            kinds.push(Phrase::join(arms, " or "));
        }
        kinds
    }

    /// Describes one type, with the type of its items or members.
    fn describe_one_type(&mut self, pointer: &str, view: &View<'a>, name: &str, level: usize) -> Phrase {
        let keyword = match name {
            "array" => "items",
            "object" if view.is_map() => "additionalProperties",
            _ => return Phrase::words(name),
        };
        let many = view.maps.iter().find_map(|(pointer, keywords)| {
            let schema = keywords.get(keyword).filter(|schema| schema.is_object())?;
            (!keywords.contains_key("prefixItems")).then(|| (below(pointer, keyword), schema))
        });
        let Some((below, schema)) = many else { return Phrase::words(name) };
        if level == LEVEL_LIMIT {
            self.omit(
                pointer,
                format!("only {LEVEL_LIMIT} levels of a type are described; the item type is omitted"),
            );
            return Phrase::words(name);
        }
        let inner = self.combine(&below, schema);
        let open = self.enter_items(&inner);
        let kind = self.describe_nested(&inner, &format!("{name} of "), level + 1);
        self.open.truncate(open);
        kind
    }

    /// Describes a nested type, in brackets if it has alternatives.
    fn describe_nested(&mut self, view: &View<'a>, before: &str, level: usize) -> Phrase {
        let kind = self.describe_type(view, level);
        let has_alternatives = kind.0.iter().any(|part| {
            matches!(part, Part::Words(words) if words.contains(" or ") || words.contains(" and ") || words == "one of ")
        });
        if before.is_empty() || !has_alternatives {
            return Phrase::words(before).then(kind);
        }
        Phrase::words(format!("{before}(")).then(kind).then(Phrase::words(")"))
    }

    /// Enters the items, which are described on the line of their list, so recursive references point to that line.
    fn enter_items(&mut self, view: &View<'a>) -> usize {
        let path = self.open.last().map_or_else(String::new, |(_, path)| path.clone());
        self.enter(view, &path)
    }

    fn describe_constant(&mut self, pointer: &str, value: &Value) -> Phrase {
        Phrase::words("always ").then(Phrase::code(self.truncate(pointer, &json(value))))
    }

    fn describe_choices(&mut self, pointer: &str, values: &[Value]) -> Phrase {
        if let [value] = values {
            return self.describe_constant(pointer, value);
        }
        let shown = values.iter().take(CHOICE_LIMIT);
        let shown: Vec<_> = shown.map(|value| Phrase::code(self.truncate(pointer, &json(value)))).collect();
        let choices = Phrase::words("one of ").then(Phrase::join(shown, ", "));
        if values.len() <= CHOICE_LIMIT {
            return choices;
        }
        self.omit(pointer, format!("only the first {CHOICE_LIMIT} choices are listed"));
        choices.then(Phrase::words(format!(" and {} more", values.len() - CHOICE_LIMIT)))
    }

    /// Names what distinguishes a variant from its siblings: the member with its tag, or its only member.
    pub(super) fn describe_discriminator(&mut self, view: &View<'a>) -> Phrase {
        let mut required = view.maps.iter().flat_map(|(_, keywords)| {
            let all = members(keywords, "properties").iter();
            all.filter(|(name, _)| view.requires(name))
        });
        let tag = required.clone().find_map(|(name, schema)| {
            let only = match schema.get("enum").and_then(Value::as_array).map(Vec::as_slice) {
                Some([only]) => Some(only),
                _ => None,
            };
            Some((name, schema.get("const").or(only)?))
        });
        let with = |name: &str| Phrase::words(" with ").then(Phrase::code(name));
        match (tag, required.next(), required.next()) {
            (Some((name, value)), ..) => {
                with(name).then(Phrase::words(" = ")).then(Phrase::code(self.truncate("", &json(value))))
            }
            (None, Some((name, _)), None) => with(name),
            _ => Phrase::default(),
        }
    }

    /// Returns whether all variants can be described on the line of their union.
    pub(super) fn is_inline(&mut self, union: &[(String, &'a Value)], level: usize) -> bool {
        union.iter().all(|(pointer, schema)| self.is_plain(pointer, schema, level))
    }

    /// Returns whether the type describes the schema completely.
    pub(super) fn is_plain(&mut self, pointer: &str, schema: &'a Value, level: usize) -> bool {
        if level >= LEVEL_LIMIT {
            return false;
        }
        let view = self.combine(pointer, schema);
        let open = self.enter_items(&view);
        let is_plain = view.description().is_empty()
            && self.describe_rules(&view).is_empty()
            && !self.has_children(&view, level);
        self.open.truncate(open);
        is_plain
    }
}
