//! Validates values by schemas; the third outcome is "undecidable".

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

use super::node::{Id, JsonType, Nodes, PatternId, Properties, Rule};
use super::number::{Decimal, equal};
use super::pattern::Sets;

/// Maximum depth of references and values.
const MAX_DEPTH: usize = 96;
/// Maximum number of schemas to apply, since nested alternatives multiply.
const MAX_STEPS: u32 = 20_000;

/// Validates values by the schemas of a comparison.
pub(super) struct Validator<'n, 'a> {
    nodes: &'n Nodes<'a>,
    sets: &'n RefCell<Sets>,
    steps: Cell<u32>,
    depth: Cell<usize>,
}

/// The items and members that keywords have evaluated, for `unevaluatedItems` and `unevaluatedProperties`.
#[derive(Debug, Default)]
struct Evaluated<'v> {
    members: BTreeSet<&'v str>,
    items: BTreeSet<usize>,
    /// Whether more of them may be evaluated.
    is_partial: bool,
}

impl Evaluated<'_> {
    fn add(&mut self, other: Self, is_valid: Option<bool>) {
        match is_valid {
            Some(true) => {
                self.members.extend(other.members);
                self.items.extend(other.items);
                self.is_partial |= other.is_partial;
            }
            Some(false) => {}
            None => self.is_partial = true,
        }
    }
}

/// Returns true if all answers are true, false if one is false, and `None` otherwise.
pub(super) fn all(answers: impl IntoIterator<Item = Option<bool>>) -> Option<bool> {
    let mut known = Some(true);
    for answer in answers {
        match answer {
            Some(true) => {}
            Some(false) => return Some(false),
            None => known = None,
        }
    }
    known
}

/// Returns how many answers are true, at least and at most.
fn count_true(answers: &[Option<bool>]) -> (u64, u64) {
    answers.iter().fold((0, 0), |(least, most), answer| {
        (least + u64::from(*answer == Some(true)), most + u64::from(*answer != Some(false)))
    })
}

/// Returns whether all counts in this range are within the bounds.
fn is_within((least, most): (u64, u64), min: u64, max: Option<u64>) -> Option<bool> {
    let is_above = |count: u64| max.is_some_and(|max| count > max);
    if most < min || is_above(least) {
        Some(false)
    } else if least >= min && !is_above(most) {
        Some(true)
    } else {
        None
    }
}

impl<'n, 'a> Validator<'n, 'a> {
    pub(super) fn new(nodes: &'n Nodes<'a>, sets: &'n RefCell<Sets>) -> Self {
        Self { nodes, sets, steps: Cell::new(MAX_STEPS), depth: Cell::new(0) }
    }

    /// Returns whether the value is valid; `None` if unknown, because of a format, an unsupported pattern, a
    /// reference out of the document, or an invalid rule.
    pub(super) fn is_valid(&self, id: Id, value: &Value) -> Option<bool> {
        self.evaluate(id, value).0
    }

    /// Returns whether the pattern matches the string.
    pub(super) fn is_match(&self, pattern: PatternId, text: &str) -> Option<bool> {
        let set = self.nodes.pattern(pattern)?;
        Some(self.sets.borrow_mut().contains(set, text))
    }

    /// Returns the location in the value that violates the schema, as a JSON Pointer.
    pub(super) fn violation_path(&self, id: Id, value: &Value) -> String {
        let inner = self.nodes.rules(id).iter().find_map(|rule| match (rule, value) {
            (Rule::Include(other), _) => {
                (self.is_valid(*other, value) == Some(false)).then(|| self.violation_path(*other, value))
            }
            (Rule::Properties(rule), Value::Object(members)) => members.iter().find_map(|(name, member)| {
                let (schemas, _) = self.schemas_for(rule, name);
                let wrong =
                    schemas.into_iter().find(|schema| self.is_valid(*schema, member) == Some(false))?;
                Some(below("", name) + &self.violation_path(wrong, member))
            }),
            (Rule::Items { prefix, rest }, Value::Array(items)) => {
                items.iter().enumerate().find_map(|(at, item)| {
                    let schema = prefix.get(at).copied().or(*rest)?;
                    (self.is_valid(schema, item) == Some(false))
                        .then(|| format!("/{at}{}", self.violation_path(schema, item)))
                })
            }
            _ => None,
        });
        inner.unwrap_or_default()
    }

    fn evaluate<'v>(&self, id: Id, value: &'v Value) -> (Option<bool>, Evaluated<'v>) {
        let mut evaluated = Evaluated::default();
        let Some(left) = self.steps.get().checked_sub(1).filter(|_| self.depth.get() < MAX_DEPTH) else {
            return (None, evaluated);
        };
        self.steps.set(left);
        self.depth.set(self.depth.get() + 1);
        let rules = self.nodes.rules(id);
        let (last, first): (Vec<_>, Vec<_>) = rules
            .iter()
            .partition(|rule| matches!(rule, Rule::UnevaluatedItems(_) | Rule::UnevaluatedProperties(_)));
        // Two passes: the other keywords must be evaluated first.
        let mut is_valid = Some(true);
        for rule in first.into_iter().chain(last) {
            is_valid = all([is_valid, self.check_rule(rule, value, &mut evaluated)]);
            if is_valid == Some(false) {
                break;
            }
        }
        self.depth.set(self.depth.get() - 1);
        (is_valid, evaluated)
    }

    fn check_rule<'v>(
        &self,
        rule: &Rule<'a>,
        value: &'v Value,
        evaluated: &mut Evaluated<'v>,
    ) -> Option<bool> {
        let mut evaluate_in_place = |id: Id| {
            let (is_valid, more) = self.evaluate(id, value);
            evaluated.add(more, is_valid);
            is_valid
        };
        match rule {
            Rule::Never => Some(false),
            Rule::Opaque { .. } => None,
            Rule::Include(id) => evaluate_in_place(*id),
            Rule::AnyOf(ids) => {
                let answers: Vec<_> = ids.iter().map(|id| evaluate_in_place(*id)).collect();
                is_within(count_true(&answers), 1, None)
            }
            Rule::OneOf(ids) => {
                let answers: Vec<_> = ids.iter().map(|id| evaluate_in_place(*id)).collect();
                is_within(count_true(&answers), 1, Some(1))
            }
            Rule::Not(id) => self.is_valid(*id, value).map(|is_valid| !is_valid),
            Rule::Conditional { condition, then, otherwise } => {
                let is_met = evaluate_in_place(*condition);
                let mut case = |case: &Option<Id>| case.map_or(Some(true), &mut evaluate_in_place);
                match is_met {
                    Some(true) => case(then),
                    Some(false) => case(otherwise),
                    None => match (case(then), case(otherwise)) {
                        (Some(then), Some(otherwise)) if then == otherwise => Some(then),
                        _ => None,
                    },
                }
            }
            Rule::Types { types, only_integers } => Some(
                types.contains(&JsonType::of(value))
                    && (!only_integers || !value.is_number() || Decimal::from_value(value)?.is_integer()),
            ),
            Rule::Enum(values) => Some(values.iter().any(|one| equal(one, value))),
            _ => match value {
                Value::Number(_) => Some(check_number(rule, Decimal::from_value(value)?)),
                Value::String(text) => self.check_string(rule, text),
                Value::Array(items) => self.check_array(rule, items, evaluated),
                Value::Object(members) => self.check_object(rule, members, value, evaluated),
                Value::Null | Value::Bool(_) => Some(true),
            },
        }
    }

    fn check_string(&self, rule: &Rule<'a>, text: &str) -> Option<bool> {
        let length = || text.chars().count() as u64;
        match rule {
            Rule::MinLength(min) => Some(length() >= *min),
            Rule::MaxLength(max) => Some(length() <= *max),
            Rule::Pattern(pattern) => self.is_match(*pattern, text),
            // Validators may or may not enforce formats; a sample of the format is valid in both cases.
            Rule::Format(format) => (sample_of_format(format)? == text).then_some(true),
            _ => Some(true),
        }
    }

    fn check_array<'v>(
        &self,
        rule: &Rule<'a>,
        items: &'v [Value],
        evaluated: &mut Evaluated<'v>,
    ) -> Option<bool> {
        let length = items.len() as u64;
        match rule {
            Rule::MinItems(min) => Some(length >= *min),
            Rule::MaxItems(max) => Some(length <= *max),
            Rule::UniqueItems => {
                let repeats = |at: usize| items[..at].iter().any(|other| equal(other, &items[at]));
                Some(!(0..items.len()).any(repeats))
            }
            Rule::Items { prefix, rest } => {
                evaluated
                    .items
                    .extend(0..if rest.is_some() { items.len() } else { prefix.len().min(items.len()) });
                all(items.iter().enumerate().map(|(at, item)| match prefix.get(at).copied().or(*rest) {
                    Some(schema) => self.is_valid(schema, item),
                    None => Some(true),
                }))
            }
            Rule::Contains { schema, min, max } => {
                let answers: Vec<_> = items.iter().map(|item| self.is_valid(*schema, item)).collect();
                for (at, answer) in answers.iter().enumerate() {
                    match answer {
                        Some(true) => {
                            evaluated.items.insert(at);
                        }
                        Some(false) => {}
                        None => evaluated.is_partial = true,
                    }
                }
                is_within(count_true(&answers), *min, *max)
            }
            Rule::UnevaluatedItems(schema) => {
                let left: Vec<usize> = (0..items.len()).filter(|at| !evaluated.items.contains(at)).collect();
                evaluated.items.extend(0..items.len());
                let is_valid = all(left.into_iter().map(|at| self.is_valid(*schema, &items[at])));
                if evaluated.is_partial && is_valid == Some(false) { None } else { is_valid }
            }
            _ => Some(true),
        }
    }

    fn check_object<'v>(
        &self,
        rule: &Rule<'a>,
        members: &'v Map<String, Value>,
        value: &'v Value,
        evaluated: &mut Evaluated<'v>,
    ) -> Option<bool> {
        let count = members.len() as u64;
        let has_all = |names: &[&str]| Some(names.iter().all(|name| members.contains_key(*name)));
        match rule {
            Rule::MinProperties(min) => Some(count >= *min),
            Rule::MaxProperties(max) => Some(count <= *max),
            Rule::Required(names) => has_all(names),
            Rule::Properties(rule) => all(members.iter().map(|(name, member)| {
                let (schemas, is_complete) = self.schemas_for(rule, name);
                if !schemas.is_empty() {
                    evaluated.members.insert(name);
                }
                evaluated.is_partial |= !is_complete;
                let is_valid = all(schemas.into_iter().map(|schema| self.is_valid(schema, member)));
                if is_valid == Some(false) || is_complete {
                    is_valid
                } else {
                    self.check_ambiguous_member(rule, member)
                }
            })),
            Rule::PropertyNames(schema) => {
                all(members.keys().map(|name| self.is_valid(*schema, &Value::from(name.as_str()))))
            }
            Rule::DependentRequired(name, needed) if members.contains_key(*name) => has_all(needed),
            Rule::DependentSchema(name, schema) if members.contains_key(*name) => {
                let (is_valid, more) = self.evaluate(*schema, value);
                evaluated.add(more, is_valid);
                is_valid
            }
            Rule::UnevaluatedProperties(schema) => {
                let left: Vec<_> =
                    members.iter().filter(|(name, _)| !evaluated.members.contains(name.as_str())).collect();
                evaluated.members.extend(members.keys().map(String::as_str));
                let is_valid = all(left.into_iter().map(|(_, member)| self.is_valid(*schema, member)));
                if evaluated.is_partial && is_valid == Some(false) { None } else { is_valid }
            }
            _ => Some(true),
        }
    }

    /// Returns the schemas for a member with this name, and whether the list is complete.
    fn schemas_for(&self, rule: &Properties<'a>, name: &str) -> (Vec<Id>, bool) {
        let mut schemas: Vec<Id> =
            rule.named.iter().filter(|(own, _)| *own == name).map(|(_, schema)| *schema).collect();
        let mut is_complete = true;
        for (pattern, schema) in &rule.patterns {
            match self.is_match(*pattern, name) {
                Some(true) => schemas.push(*schema),
                Some(false) => {}
                None => is_complete = false,
            }
        }
        if schemas.is_empty() && is_complete {
            schemas.extend(rule.additional);
        }
        (schemas, is_complete)
    }

    /// Returns true if a member is valid whichever of the patterns its name matches.
    fn check_ambiguous_member(&self, rule: &Properties<'a>, member: &Value) -> Option<bool> {
        let possible = rule.patterns.iter().map(|(_, schema)| *schema).chain(rule.additional);
        let all_valid = all(possible.map(|schema| self.is_valid(schema, member)));
        all_valid.filter(|is_valid| *is_valid)
    }
}

fn check_number(rule: &Rule<'_>, number: Decimal) -> bool {
    match rule {
        Rule::Minimum(bound) => number > bound.value || (number == bound.value && !bound.exclusive),
        Rule::Maximum(bound) => number < bound.value || (number == bound.value && !bound.exclusive),
        Rule::MultipleOf(factor) => number.is_multiple_of(*factor),
        _ => true,
    }
}

/// Returns a string in this format.
pub(super) fn sample_of_format(format: &str) -> Option<&'static str> {
    Some(match format {
        "date" => "2024-01-31",
        "date-time" => "2024-01-31T12:00:00Z",
        "time" => "12:00:00Z",
        "duration" => "P1D",
        "email" => "a@example.com",
        "hostname" => "example.com",
        "ipv4" => "192.0.2.1",
        "ipv6" => "2001:db8::1",
        "uri" | "uri-reference" => "https://example.com/",
        "uuid" => "00000000-0000-4000-8000-000000000000",
        _ => return None,
    })
}
