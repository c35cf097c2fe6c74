//! Validates a value by a schema, with a third result if that cannot be decided.

use std::cell::{Cell, RefCell};
use std::collections::BTreeSet;

use serde_json::{Map, Value};
use toolwright_core::pointer::below;

use super::node::{Id, Kind, Members, Nodes, PatternId, Rule};
use super::number::{Decimal, same};
use super::pattern::Sets;

/// Maximum depth of references and values.
const MAX_DEPTH: usize = 96;
/// Maximum number of schemas to apply, since nested alternatives multiply.
const MAX_STEPS: u32 = 20_000;

/// Validates values by the schemas of a comparison.
pub(super) struct Judge<'j, 'a> {
    nodes: &'j Nodes<'a>,
    sets: &'j RefCell<Sets>,
    steps: Cell<u32>,
    depth: Cell<usize>,
}

/// The items and members that keywords have evaluated, for `unevaluatedItems` and `unevaluatedProperties`.
#[derive(Debug, Default)]
struct Evaluated<'v> {
    members: BTreeSet<&'v str>,
    items: BTreeSet<usize>,
    /// Whether there may be more.
    unsure: bool,
}

impl Evaluated<'_> {
    fn add(&mut self, other: Self, fits: Option<bool>) {
        match fits {
            Some(true) => {
                self.members.extend(other.members);
                self.items.extend(other.items);
                self.unsure |= other.unsure;
            }
            Some(false) => {}
            None => self.unsure = true,
        }
    }
}

/// Returns true if all are true, false if one is false, otherwise unknown.
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

/// Returns the minimum and maximum number of true ones.
fn count(answers: &[Option<bool>]) -> (u64, u64) {
    answers.iter().fold((0, 0), |(least, most), answer| {
        (least + u64::from(*answer == Some(true)), most + u64::from(*answer != Some(false)))
    })
}

/// Returns whether all numbers in this range are within the bounds.
fn within((least, most): (u64, u64), low: u64, high: Option<u64>) -> Option<bool> {
    let is_above = |number: u64| high.is_some_and(|high| number > high);
    if most < low || is_above(least) {
        Some(false)
    } else if least >= low && !is_above(most) {
        Some(true)
    } else {
        None
    }
}

impl<'j, 'a> Judge<'j, 'a> {
    pub(super) fn new(nodes: &'j Nodes<'a>, sets: &'j RefCell<Sets>) -> Self {
        Self { nodes, sets, steps: Cell::new(MAX_STEPS), depth: Cell::new(0) }
    }

    /// Returns whether the value matches; `None` if unknown, because of a format, an unsupported pattern, a
    /// reference out of the document, or an invalid rule.
    pub(super) fn fits(&self, id: Id, value: &Value) -> Option<bool> {
        self.evaluate(id, value).0
    }

    /// Returns whether the pattern matches the string.
    pub(super) fn matches(&self, pattern: PatternId, text: &str) -> Option<bool> {
        let set = self.nodes.pattern(pattern)?;
        Some(self.sets.borrow_mut().has(set, text))
    }

    /// Returns the location in the value where the schema is violated, as a JSON Pointer.
    pub(super) fn fault(&self, id: Id, value: &Value) -> String {
        let inner = self.nodes.rules(id).iter().find_map(|rule| match (rule, value) {
            (Rule::Also(other), _) => {
                (self.fits(*other, value) == Some(false)).then(|| self.fault(*other, value))
            }
            (Rule::Members(rule), Value::Object(members)) => members.iter().find_map(|(name, member)| {
                let (schemas, _) = self.schemas_of(rule, name);
                let wrong = schemas.into_iter().find(|schema| self.fits(*schema, member) == Some(false))?;
                Some(below("", name) + &self.fault(wrong, member))
            }),
            (Rule::Items { prefix, rest }, Value::Array(items)) => {
                items.iter().enumerate().find_map(|(at, item)| {
                    let schema = prefix.get(at).copied().or(*rest)?;
                    (self.fits(schema, item) == Some(false))
                        .then(|| format!("/{at}{}", self.fault(schema, item)))
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
            .partition(|rule| matches!(rule, Rule::UnevaluatedItems(_) | Rule::UnevaluatedMembers(_)));
        // Two passes: the other keywords must be evaluated first.
        let mut fits = Some(true);
        for rule in first.into_iter().chain(last) {
            fits = all([fits, self.keeps(rule, value, &mut evaluated)]);
            if fits == Some(false) {
                break;
            }
        }
        self.depth.set(self.depth.get() - 1);
        (fits, evaluated)
    }

    fn keeps<'v>(&self, rule: &Rule<'a>, value: &'v Value, evaluated: &mut Evaluated<'v>) -> Option<bool> {
        let mut also = |id: Id| {
            let (fits, more) = self.evaluate(id, value);
            evaluated.add(more, fits);
            fits
        };
        match rule {
            Rule::Never => Some(false),
            Rule::Opaque { .. } => None,
            Rule::Also(id) => also(*id),
            Rule::Any(ids) => {
                let answers: Vec<_> = ids.iter().map(|id| also(*id)).collect();
                within(count(&answers), 1, None)
            }
            Rule::One(ids) => {
                let answers: Vec<_> = ids.iter().map(|id| also(*id)).collect();
                within(count(&answers), 1, Some(1))
            }
            Rule::Not(id) => self.fits(*id, value).map(|fits| !fits),
            Rule::Cases { when, then, other } => {
                let holds = also(*when);
                let mut case = |case: &Option<Id>| case.map_or(Some(true), &mut also);
                match holds {
                    Some(true) => case(then),
                    Some(false) => case(other),
                    None => match (case(then), case(other)) {
                        (Some(then), Some(other)) if then == other => Some(then),
                        _ => None,
                    },
                }
            }
            Rule::Kinds { kinds, whole } => Some(
                kinds.contains(&Kind::of(value))
                    && (!whole || !value.is_number() || Decimal::of_value(value)?.is_whole()),
            ),
            Rule::Values(values) => Some(values.iter().any(|one| same(one, value))),
            _ => match value {
                Value::Number(_) => Some(number_keeps(rule, Decimal::of_value(value)?)),
                Value::String(text) => self.text_keeps(rule, text),
                Value::Array(items) => self.items_keep(rule, items, evaluated),
                Value::Object(members) => self.members_keep(rule, members, value, evaluated),
                Value::Null | Value::Bool(_) => Some(true),
            },
        }
    }

    fn text_keeps(&self, rule: &Rule<'a>, text: &str) -> Option<bool> {
        let length = || text.chars().count() as u64;
        match rule {
            Rule::Shortest(least) => Some(length() >= *least),
            Rule::Longest(most) => Some(length() <= *most),
            Rule::Pattern(pattern) => self.matches(*pattern, text),
            // Validators may or may not enforce formats; a sample of the format is valid in both cases.
            Rule::Format(format) => (format_sample(format)? == text).then_some(true),
            _ => Some(true),
        }
    }

    fn items_keep<'v>(
        &self,
        rule: &Rule<'a>,
        items: &'v [Value],
        evaluated: &mut Evaluated<'v>,
    ) -> Option<bool> {
        let length = items.len() as u64;
        match rule {
            Rule::FewestItems(least) => Some(length >= *least),
            Rule::MostItems(most) => Some(length <= *most),
            Rule::Unique => {
                let repeats = |at: usize| items[..at].iter().any(|other| same(other, &items[at]));
                Some(!(0..items.len()).any(repeats))
            }
            Rule::Items { prefix, rest } => {
                evaluated
                    .items
                    .extend(0..if rest.is_some() { items.len() } else { prefix.len().min(items.len()) });
                all(items.iter().enumerate().map(|(at, item)| match prefix.get(at).copied().or(*rest) {
                    Some(schema) => self.fits(schema, item),
                    None => Some(true),
                }))
            }
            Rule::Contains { what, least, most } => {
                let answers: Vec<_> = items.iter().map(|item| self.fits(*what, item)).collect();
                for (at, answer) in answers.iter().enumerate() {
                    match answer {
                        Some(true) => {
                            evaluated.items.insert(at);
                        }
                        Some(false) => {}
                        None => evaluated.unsure = true,
                    }
                }
                within(count(&answers), *least, *most)
            }
            Rule::UnevaluatedItems(schema) => {
                let left: Vec<usize> = (0..items.len()).filter(|at| !evaluated.items.contains(at)).collect();
                evaluated.items.extend(0..items.len());
                let fits = all(left.into_iter().map(|at| self.fits(*schema, &items[at])));
                if evaluated.unsure && fits == Some(false) { None } else { fits }
            }
            _ => Some(true),
        }
    }

    fn members_keep<'v>(
        &self,
        rule: &Rule<'a>,
        members: &'v Map<String, Value>,
        value: &'v Value,
        evaluated: &mut Evaluated<'v>,
    ) -> Option<bool> {
        let count = members.len() as u64;
        let has_all = |names: &[&str]| Some(names.iter().all(|name| members.contains_key(*name)));
        match rule {
            Rule::FewestMembers(least) => Some(count >= *least),
            Rule::MostMembers(most) => Some(count <= *most),
            Rule::Required(names) => has_all(names),
            Rule::Members(rule) => all(members.iter().map(|(name, member)| {
                let (schemas, is_sure) = self.schemas_of(rule, name);
                if !schemas.is_empty() {
                    evaluated.members.insert(name);
                }
                evaluated.unsure |= !is_sure;
                let fits = all(schemas.into_iter().map(|schema| self.fits(schema, member)));
                if fits == Some(false) || is_sure { fits } else { self.unsure_member(rule, member) }
            })),
            Rule::Names(schema) => {
                all(members.keys().map(|name| self.fits(*schema, &Value::from(name.as_str()))))
            }
            Rule::Needs(name, needed) if members.contains_key(*name) => has_all(needed),
            Rule::Entails(name, schema) if members.contains_key(*name) => {
                let (fits, more) = self.evaluate(*schema, value);
                evaluated.add(more, fits);
                fits
            }
            Rule::UnevaluatedMembers(schema) => {
                let left: Vec<_> =
                    members.iter().filter(|(name, _)| !evaluated.members.contains(name.as_str())).collect();
                evaluated.members.extend(members.keys().map(String::as_str));
                let fits = all(left.into_iter().map(|(_, member)| self.fits(*schema, member)));
                if evaluated.unsure && fits == Some(false) { None } else { fits }
            }
            _ => Some(true),
        }
    }

    /// Returns the schemas for a member with this name, and whether these are all.
    fn schemas_of(&self, rule: &Members<'a>, name: &str) -> (Vec<Id>, bool) {
        let mut schemas: Vec<Id> =
            rule.named.iter().filter(|(own, _)| *own == name).map(|(_, schema)| *schema).collect();
        let mut is_sure = true;
        for (pattern, schema) in &rule.matching {
            match self.matches(*pattern, name) {
                Some(true) => schemas.push(*schema),
                Some(false) => {}
                None => is_sure = false,
            }
        }
        if schemas.is_empty() && is_sure {
            schemas.extend(rule.others);
        }
        (schemas, is_sure)
    }

    /// Returns whether a member matches, for any patterns that its name matches.
    fn unsure_member(&self, rule: &Members<'a>, member: &Value) -> Option<bool> {
        let possible = rule.matching.iter().map(|(_, schema)| *schema).chain(rule.others);
        let all_fit = all(possible.map(|schema| self.fits(schema, member)));
        all_fit.filter(|fits| *fits)
    }
}

fn number_keeps(rule: &Rule<'_>, number: Decimal) -> bool {
    match rule {
        Rule::Low(bound) => number > bound.at || (number == bound.at && !bound.open),
        Rule::High(bound) => number < bound.at || (number == bound.at && !bound.open),
        Rule::Multiple(factor) => number.is_multiple_of(*factor),
        _ => true,
    }
}

/// Returns a sample of this format.
pub(super) fn format_sample(format: &str) -> Option<&'static str> {
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
