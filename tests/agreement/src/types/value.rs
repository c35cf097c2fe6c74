//! Values of a generated type, as serde reads them: made from the type alone, without a look at its schema.

use serde_json::{Map, Value, json};

use super::{
    Body, Definition, Field, Leaf, Model, PATTERNS, Preset, Role, Rule, Secrecy, Shape, Style, Tagging, Type,
    Variant, With,
};
use crate::choices::Choices;

/// The prefix of secret strings, which must not appear in any output of a call.
pub const HUSHED: &str = "s3cr3t-";

/// How deep values go where a type is recursive.
const MAX_DEPTH: usize = 4;

/// Writes values of the types of a model.
#[derive(Debug)]
pub struct Writer<'m> {
    model: &'m Model,
    /// Whether names are sometimes written as one of their aliases, and unknown ones for `other`.
    takes_aliases: bool,
    /// Whether texts are those of a secret.
    is_hushed: bool,
}

impl<'m> Writer<'m> {
    /// A writer of values with the names that the schema shows.
    pub fn new(model: &'m Model) -> Self {
        Self { model, takes_aliases: false, is_hushed: false }
    }

    /// A writer that also uses aliases and names for `#[serde(other)]`.
    #[must_use]
    pub fn with_aliases(self) -> Self {
        Self { takes_aliases: true, ..self }
    }

    /// Arguments of the tool.
    pub fn arguments(&self, choices: &mut Choices<'_>) -> Value {
        self.definition(0, None, choices, 0)
    }

    /// A value of `of`; `argument` is what stands for the type parameter.
    pub fn value(
        &self,
        of: &Type,
        argument: Option<&Type>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Value {
        let is_deep = depth > MAX_DEPTH;
        match of {
            Type::Leaf(leaf) => self.leaf(*leaf, choices),
            Type::Parameter => match argument {
                Some(argument) => self.value(argument, None, choices, depth),
                None => Value::Null,
            },
            Type::Option(_) if is_deep || choices.once_in(3) => Value::Null,
            Type::Option(one) | Type::Boxed(one) | Type::Hashed(one) => {
                self.value(one, argument, choices, depth)
            }
            Type::List(_) if is_deep => json!([]),
            Type::List(one) => {
                (0..choices.below(3)).map(|_| self.value(one, argument, choices, depth + 1)).collect()
            }
            Type::Set(one) => {
                let mut items: Vec<Value> = Vec::new();
                for _ in 0..choices.below(3) {
                    let item = self.value(one, argument, choices, depth + 1);
                    if !items.contains(&item) {
                        items.push(item);
                    }
                }
                items.into()
            }
            Type::Array(one, count) => {
                (0..*count).map(|_| self.value(one, argument, choices, depth + 1)).collect()
            }
            Type::Tuple(items) => {
                items.iter().map(|item| self.value(item, argument, choices, depth + 1)).collect()
            }
            Type::Map(_, _) if is_deep => json!({}),
            Type::Map(key, one) => {
                let mut members = Map::new();
                for _ in 0..choices.below(3) {
                    members.insert(self.key(key, choices), self.value(one, argument, choices, depth + 1));
                }
                members.into()
            }
            Type::Named(at, argument) => self.definition(*at, argument.as_deref(), choices, depth + 1),
        }
    }

    fn leaf(&self, leaf: Leaf, choices: &mut Choices<'_>) -> Value {
        if self.is_hushed && matches!(leaf, Leaf::String | Leaf::BoxStr | Leaf::Path) {
            return json!(format!("{HUSHED}{}", choices.below(3)));
        }
        let sample = choices.pick::<&str>(leaf.samples());
        serde_json::from_str(sample).expect("samples are JSON")
    }

    fn key(&self, of: &Type, choices: &mut Choices<'_>) -> String {
        // Two names of one variant would be one key, and serde keeps the last.
        match Writer::new(self.model).value(of, None, choices, 0) {
            Value::String(text) => text,
            other => other.to_string(),
        }
    }

    fn definition(
        &self,
        at: usize,
        argument: Option<&Type>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Value {
        let definition = &self.model.definitions[at];
        match &definition.shape {
            Shape::Unit => {
                if at == 0 {
                    json!({})
                } else {
                    Value::Null
                }
            }
            Shape::From(via) | Shape::TryFrom(via) => self.value(via, argument, choices, depth),
            Shape::Newtype(field, _) => self.field(field, argument, choices, depth),
            Shape::Tuple(fields) => self.tuple(fields, argument, choices, depth),
            Shape::Struct(fields) => {
                let mut members = Map::new();
                let style = definition.rename_all;
                self.members(&mut members, fields, style, definition.has_default, argument, choices, depth);
                members.into()
            }
            Shape::Enum(tagging, variants) => self.variant(definition, tagging, variants, choices, depth),
        }
    }

    fn tuple(
        &self,
        fields: &[Field],
        argument: Option<&Type>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Value {
        let may_be_short =
            fields.last().is_some_and(|last| last.default != Preset::None) && choices.once_in(2);
        let count = fields.len() - usize::from(may_be_short);
        fields[..count].iter().map(|field| self.field(field, argument, choices, depth)).collect()
    }

    #[expect(clippy::too_many_arguments, reason = "what a struct and a variant have in common")]
    fn members(
        &self,
        members: &mut Map<String, Value>,
        fields: &[Field],
        style: Option<Style>,
        may_all_be_absent: bool,
        argument: Option<&Type>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) {
        for field in fields.iter().filter(|field| field.is_sent()) {
            if field.is_flat {
                if let Value::Object(flat) = self.flat(&field.of, choices, depth) {
                    for (name, value) in flat {
                        members.entry(name).or_insert(value);
                    }
                }
                continue;
            }
            let may_be_absent = may_all_be_absent || field.default != Preset::None || field.is_option();
            if may_be_absent && (depth > MAX_DEPTH || choices.once_in(3)) {
                continue;
            }
            let name = match field.aliases.first() {
                Some(_) if self.takes_aliases && choices.once_in(2) => choices.pick(&field.aliases).clone(),
                _ => field.key(style),
            };
            members.insert(name, self.field(field, argument, choices, depth));
        }
    }

    /// What a flattened field adds; `null` for nothing.
    fn flat(&self, of: &Type, choices: &mut Choices<'_>, depth: usize) -> Value {
        match of {
            Type::Option(_) if choices.once_in(2) => Value::Null,
            Type::Option(one) | Type::Boxed(one) | Type::Hashed(one) => self.flat(one, choices, depth),
            Type::Map(_, one) => {
                let names = (0..choices.below(3)).map(|number| format!("free{number}"));
                names
                    .map(|name| (name, self.value(one, None, choices, depth + 1)))
                    .collect::<Map<_, _>>()
                    .into()
            }
            other => self.value(other, None, choices, depth),
        }
    }

    /// A value of a field that is there, within its rule.
    pub fn field(
        &self,
        field: &Field,
        argument: Option<&Type>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Value {
        if field.secrecy == Secrecy::Secret && !self.is_hushed {
            return Self { is_hushed: true, ..*self }.field(field, argument, choices, depth);
        }
        match (field.with, &field.rule) {
            (Some(With::Digits), _) => json!(*choices.pick(&["1", "0", "42"])),
            (_, Some(rule)) => self.within(rule, &field.of, argument, choices, depth),
            (_, None) => self.value(&field.of, argument, choices, depth),
        }
    }

    fn within(
        &self,
        rule: &Rule,
        of: &Type,
        argument: Option<&Type>,
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Value {
        let of = match of {
            Type::Option(_) if choices.once_in(3) => return Value::Null,
            Type::Option(one) => one,
            other => other,
        };
        let texts = |at: &usize, choices: &mut Choices<'_>| json!(*choices.pick(PATTERNS[*at].1));
        match (rule, of) {
            (Rule::Range(least, most), _) => json!(*choices.pick(&[*least, *most])),
            (Rule::Pattern(at), _) => texts(at, choices),
            (Rule::ItemPattern(at), _) => (0..choices.below(3)).map(|_| texts(at, choices)).collect(),
            (Rule::Length(least, most), Type::List(item)) => {
                let count = *choices.pick(&[*least, *most]);
                (0..count).map(|_| self.value(item, argument, choices, depth + 1)).collect()
            }
            (Rule::Length(least, most), _) => {
                let count = usize::try_from(*choices.pick(&[*least, *most])).unwrap_or(1);
                json!(choices.pick(&["a", "é"]).repeat(count))
            }
        }
    }

    fn variant(
        &self,
        of: &Definition,
        tagging: &Tagging,
        variants: &[Variant],
        choices: &mut Choices<'_>,
        depth: usize,
    ) -> Value {
        let readable: Vec<&Variant> =
            variants.iter().filter(|variant| variant.role != Role::Skipped).collect();
        let shallow = readable.iter().position(|variant| variant.body == Body::Unit);
        let variant = match shallow {
            Some(at) if depth > MAX_DEPTH => readable[at],
            _ => choices.pick(&readable),
        };
        let name = match variant.role {
            Role::Other if self.takes_aliases && choices.once_in(2) => "never-heard-of".to_owned(),
            _ if self.takes_aliases && !variant.aliases.is_empty() && choices.once_in(2) => {
                choices.pick(&variant.aliases).clone()
            }
            _ => variant.key(of),
        };
        let tagging = if variant.role == Role::Untagged { &Tagging::Untagged } else { tagging };
        let body = self.body(of, &variant.body, choices, depth);
        let pair = |name: &str, value| (name.to_owned(), value);
        match (tagging, body) {
            (Tagging::External, None) => name.into(),
            (Tagging::External, Some(body)) => [pair(&name, body)].into_iter().collect::<Map<_, _>>().into(),
            (Tagging::Untagged, body) => body.unwrap_or_default(),
            (Tagging::Internal(tag), body) => {
                let mut members = Map::new();
                members.insert(tag.clone(), name.into());
                if let Some(Value::Object(body)) = body {
                    members.extend(body);
                }
                members.into()
            }
            (Tagging::Adjacent(tag, content), body) => {
                let content = body.map(|body| pair(content, body));
                [pair(tag, name.into())].into_iter().chain(content).collect::<Map<_, _>>().into()
            }
        }
    }

    fn body(&self, of: &Definition, body: &Body, choices: &mut Choices<'_>, depth: usize) -> Option<Value> {
        match body {
            Body::Unit => None,
            Body::Newtype(field) => Some(self.field(field, None, choices, depth)),
            Body::Tuple(fields) => Some(self.tuple(fields, None, choices, depth)),
            Body::Struct(fields) => {
                let mut members = Map::new();
                self.members(&mut members, fields, of.rename_fields, false, None, choices, depth);
                Some(members.into())
            }
        }
    }
}
