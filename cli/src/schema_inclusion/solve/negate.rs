//! Negates rules.

use std::rc::Rc;

use serde_json::Value;

use super::Constraint;
use super::facts::{Choice, Fact, Name, SomeProperty, Step, applies_to};
use crate::schema_inclusion::node::{Bound, Id, JsonType, Properties, Rule};
use crate::schema_inclusion::number::Decimal;

/// Returns the ways in which a value of this type can violate a rule of the schema `id`; `None` if every value
/// does.
pub(super) fn violations<'a>(json_type: JsonType, id: Id, rule: &Rule<'a>) -> Option<Choice<'a>> {
    Some(match rule {
        Rule::Never => return None,
        Rule::Opaque { text, why } => {
            single(Fact::Opaque { text: text.clone(), why: why.as_str().into(), is_satisfied: false })
        }
        Rule::Include(id) => vec![vec![mismatches(*id)]],
        Rule::AnyOf(ids) => vec![ids.iter().copied().map(mismatches).collect()],
        Rule::OneOf(ids) => {
            let mut choice: Choice<'a> = vec![ids.iter().copied().map(mismatches).collect()];
            for (at, first) in ids.iter().enumerate() {
                choice.extend(ids[at + 1..].iter().map(|second| vec![matches(*first), matches(*second)]));
            }
            choice
        }
        Rule::Not(id) => vec![vec![matches(*id)]],
        Rule::Conditional { condition, then, otherwise } => {
            let then = then.map(|then| vec![matches(*condition), mismatches(then)]);
            let otherwise = otherwise.map(|otherwise| vec![mismatches(*condition), mismatches(otherwise)]);
            then.into_iter().chain(otherwise).collect()
        }
        Rule::Types { types, .. } if !types.contains(&json_type) => return None,
        Rule::Enum(values) => {
            let not_equal =
                |value: &&'a Value| Step::Constraint(Constraint::NotEqual(Rc::new((*value).clone())));
            let steps: Vec<_> =
                values.iter().filter(|value| JsonType::of(value) == json_type).map(not_equal).collect();
            if steps.is_empty() {
                return None;
            }
            vec![steps]
        }
        // Violating another rule of the schema is a separate alternative.
        Rule::UnevaluatedItems(_) if applies_to(json_type, true) => vec![vec![Step::LeavesUnevaluated(id)]],
        Rule::UnevaluatedProperties(_) if applies_to(json_type, false) => {
            vec![vec![Step::LeavesUnevaluated(id)]]
        }
        _ => match json_type {
            JsonType::Number => number_violations(rule),
            JsonType::String => string_violations(rule),
            JsonType::Array => array_violations(rule),
            JsonType::Object => object_violations(rule),
            JsonType::Null | JsonType::Boolean => Choice::new(),
        },
    })
}

fn matches<'a>(id: Id) -> Step<'a> {
    Step::Constraint(Constraint::Schema(id, true))
}

fn mismatches<'a>(id: Id) -> Step<'a> {
    Step::Constraint(Constraint::Schema(id, false))
}

fn single(fact: Fact<'_>) -> Choice<'_> {
    vec![vec![Step::Fact(fact)]]
}

/// Returns the choice that a count or length is lower than `min`, if it can be.
fn fewer_than<'a>(min: u64, fact: fn(u64) -> Fact<'a>) -> Choice<'a> {
    min.checked_sub(1).map(|max| vec![Step::Fact(fact(max))]).into_iter().collect()
}

fn number_violations<'a>(rule: &Rule<'a>) -> Choice<'a> {
    let opposite = |bound: &Bound| Bound { value: bound.value, exclusive: !bound.exclusive };
    match rule {
        Rule::Types { only_integers: true, .. } => single(Fact::NotMultipleOf(Decimal::ONE)),
        Rule::Minimum(bound) => single(Fact::Maximum(opposite(bound))),
        Rule::Maximum(bound) => single(Fact::Minimum(opposite(bound))),
        Rule::MultipleOf(factor) => single(Fact::NotMultipleOf(*factor)),
        _ => Choice::new(),
    }
}

fn string_violations<'a>(rule: &Rule<'a>) -> Choice<'a> {
    match rule {
        Rule::MinLength(min) => fewer_than(*min, Fact::MaxLength),
        Rule::MaxLength(max) => single(Fact::MinLength(max.saturating_add(1))),
        Rule::Pattern(pattern) => single(Fact::Pattern(*pattern, false)),
        Rule::Format(format) => single(Fact::Format(format, false)),
        _ => Choice::new(),
    }
}

fn array_violations<'a>(rule: &Rule<'a>) -> Choice<'a> {
    match rule {
        Rule::MinItems(min) => fewer_than(*min, Fact::MaxCount),
        Rule::MaxItems(max) => single(Fact::MinCount(max.saturating_add(1))),
        Rule::UniqueItems => single(Fact::DuplicateItems),
        Rule::Items { prefix, rest } => {
            let violates = |from, to, id: &Id| {
                let constraints = vec![Constraint::Schema(*id, false)];
                vec![Step::Fact(Fact::SomeItem { from, to, constraints })]
            };
            let prefixed = prefix.iter().enumerate().map(|(at, id)| violates(at, Some(at), id));
            prefixed.chain(rest.as_ref().map(|rest| violates(prefix.len(), None, rest))).collect()
        }
        Rule::Contains { schema, min, max } => {
            let too_few = min.checked_sub(1).map(|max| (0, Some(max)));
            let too_many = max.map(|max| (max.saturating_add(1), None));
            let contains = |(min, max)| vec![Step::Fact(Fact::Contains { schema: *schema, min, max })];
            too_few.into_iter().chain(too_many).map(contains).collect()
        }
        _ => Choice::new(),
    }
}

fn object_violations<'a>(rule: &Rule<'a>) -> Choice<'a> {
    match rule {
        Rule::MinProperties(min) => fewer_than(*min, Fact::MaxCount),
        Rule::MaxProperties(max) => single(Fact::MinCount(max.saturating_add(1))),
        Rule::Required(names) => names.iter().map(|name| vec![absent(name)]).collect(),
        Rule::Properties(properties) => property_violations(properties),
        Rule::PropertyNames(id) => {
            let name = vec![Constraint::Schema(*id, false)];
            single(Fact::SomeProperty(SomeProperty { name, ..SomeProperty::default() }))
        }
        Rule::DependentRequired(name, needed) => {
            needed.iter().map(|needed| vec![present(name), absent(needed)]).collect()
        }
        Rule::DependentSchema(name, id) => vec![vec![present(name), mismatches(*id)]],
        _ => Choice::new(),
    }
}

fn present<'a>(name: &str) -> Step<'a> {
    Step::Fact(Fact::Present(name.into()))
}

fn absent<'a>(name: &str) -> Step<'a> {
    Step::Fact(Fact::Absent(name.into()))
}

fn property_violations<'a>(properties: &Properties<'a>) -> Choice<'a> {
    let violates =
        |name: &str, id: Id| Step::Fact(Fact::Property(name.into(), Constraint::Schema(id, false)));
    let mut choice: Choice<'a> =
        properties.named.iter().map(|(name, id)| vec![present(name), violates(name, *id)]).collect();
    let some_property = |patterns, except, id: Id| {
        let value = vec![Constraint::Schema(id, false)];
        vec![Step::Fact(Fact::SomeProperty(SomeProperty { patterns, except, value, name: Vec::new() }))]
    };
    for (pattern, id) in &properties.patterns {
        choice.push(some_property(vec![(*pattern, true)], Vec::new(), *id));
    }
    if let Some(others) = properties.additional {
        let patterns = properties.patterns.iter().map(|(pattern, _)| (*pattern, false)).collect();
        let except = properties.named.iter().map(|(name, _)| Name::from(*name)).collect();
        choice.push(some_property(patterns, except, others));
    }
    choice
}

/// Returns the ways in which an array or object can differ from this one.
pub(super) fn differences<'a>(value: &Value) -> Choice<'a> {
    let mut choice = Choice::new();
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let constraints = vec![Constraint::NotEqual(Rc::new(item.clone()))];
                choice.push(vec![Step::Fact(Fact::SomeItem { from: at, to: Some(at), constraints })]);
            }
            let length = items.len() as u64;
            choice.extend(single(Fact::MinCount(length + 1)));
            choice.extend(fewer_than(length, Fact::MaxCount));
        }
        Value::Object(members) => {
            for (name, member) in members {
                let other = Constraint::NotEqual(Rc::new(member.clone()));
                choice.push(vec![absent(name)]);
                choice.push(vec![present(name), Step::Fact(Fact::Property(name.as_str().into(), other))]);
            }
            let except = members.keys().map(|name| Name::from(name.as_str())).collect();
            choice.extend(single(Fact::SomeProperty(SomeProperty { except, ..SomeProperty::default() })));
        }
        _ => {}
    }
    choice
}
