//! A schema as alternatives of one type each.

use serde_json::{Map, Value};

use super::accepts::{accept_all, matches};
use super::document::{Document, rule_for_others};
use super::number::{Exact, same, size};

/// How many alternatives a schema may have, all combinations counted.
const MAX_BRANCHES: usize = 64;
/// How many steps it may take to find them: alternatives of alternatives multiply.
const MAX_STEPS: u32 = 4_096;
/// How deep a required member is looked into to find that it cannot exist.
const EMPTY_DEPTH: usize = 2;

static NULL: Value = Value::Null;
static FALSE: Value = Value::Bool(false);
static TRUE: Value = Value::Bool(true);

/// The kinds of values.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// One of the values in [`Branch::values`], of any type.
    Finite,
    Number,
    String,
    Array,
    Object,
}

/// One alternative: values of one kind that fit all of `sources`.
///
/// All values of a schema are in one of its branches, but a branch may have more values than the schema: `not`, `if`
/// and "only one" of `oneOf` are left out.
#[derive(Debug, Clone)]
pub(super) struct Branch<'a> {
    pub(super) kind: Kind,
    /// The schemas, none of them boolean; what they refer to by `$ref` and `allOf`, and one alternative of each
    /// `anyOf` and `oneOf`, is among them.
    pub(super) sources: Vec<&'a Value>,
    /// Every value, of a finite branch.
    pub(super) values: Vec<&'a Value>,
    /// Whether a number must be whole.
    pub(super) integer: bool,
}

/// A bound of numbers.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bound {
    pub(super) at: Exact,
    /// Whether the bound itself is left out.
    pub(super) open: bool,
}

/// The branches of the values that fit all of `schemas`; `None` if they are too many.
pub(super) fn branches<'a>(document: &Document<'a>, schemas: &[&'a Value]) -> Option<Vec<Branch<'a>>> {
    let mut conjunctions = Vec::new();
    let mut steps = MAX_STEPS;
    conjoin(document, schemas.to_vec(), Vec::new(), &mut conjunctions, &mut steps)?;
    let mut branches = Vec::new();
    for sources in conjunctions {
        by_kind(document, &sources, &mut branches);
        if branches.len() > MAX_BRANCHES {
            return None;
        }
    }
    Some(branches)
}

/// Takes apart what is pending, once for each choice of alternatives.
fn conjoin<'a>(
    document: &Document<'a>,
    mut pending: Vec<&'a Value>,
    mut sources: Vec<&'a Value>,
    found: &mut Vec<Vec<&'a Value>>,
    steps: &mut u32,
) -> Option<()> {
    *steps = steps.checked_sub(1)?;
    let mut choices: Vec<&'a Vec<Value>> = Vec::new();
    while let Some(schema) = pending.pop() {
        let members = match schema {
            // No value fits, so this choice has no branch.
            Value::Bool(false) => return Some(()),
            Value::Object(members) => members,
            // Everything fits, or this is no schema and nothing is known of it.
            _ => continue,
        };
        if sources.iter().any(|source| std::ptr::eq(*source, schema)) {
            continue;
        }
        sources.push(schema);
        let referenced = members.get("$ref").and_then(Value::as_str).and_then(|to| document.resolve(to));
        pending.extend(referenced);
        pending.extend(members.get("allOf").and_then(Value::as_array).into_iter().flatten());
        choices.extend(["anyOf", "oneOf"].iter().filter_map(|key| members.get(*key)?.as_array()));
    }
    choose(document, &choices, sources, found, steps)
}

fn choose<'a>(
    document: &Document<'a>,
    choices: &[&'a Vec<Value>],
    sources: Vec<&'a Value>,
    found: &mut Vec<Vec<&'a Value>>,
    steps: &mut u32,
) -> Option<()> {
    let Some((first, rest)) = choices.split_first() else {
        found.push(sources);
        return (found.len() <= MAX_BRANCHES).then_some(());
    };
    for alternative in *first {
        let mut chosen = Vec::new();
        conjoin(document, vec![alternative], sources.clone(), &mut chosen, steps)?;
        for sources in chosen {
            choose(document, rest, sources, found, steps)?;
        }
    }
    Some(())
}

fn by_kind<'a>(document: &Document<'a>, sources: &[&'a Value], found: &mut Vec<Branch<'a>>) {
    let branch = |kind, values| Branch { kind, sources: sources.to_vec(), values, integer: false };
    let possible = |value: &&'a Value| accept_all(document, sources, value) != Some(false);
    let listed = |source: &&'a Value| match (source.get("enum"), source.get("const")) {
        (_, Some(value)) => Some(std::slice::from_ref(value)),
        (Some(Value::Array(values)), None) => Some(values.as_slice()),
        _ => None,
    };
    if let Some(values) = sources.iter().find_map(listed) {
        let values: Vec<_> = values.iter().filter(possible).collect();
        if !values.is_empty() {
            found.push(branch(Kind::Finite, values));
        }
        return;
    }
    let takes = |name: &str| sources.iter().all(|source| takes_type(source, name));
    for (name, kind) in [("string", Kind::String), ("array", Kind::Array), ("object", Kind::Object)] {
        if takes(name) {
            found.push(branch(kind, Vec::new()));
        }
    }
    if takes("integer") {
        found.push(Branch { integer: !takes("number"), ..branch(Kind::Number, Vec::new()) });
    }
    let named = [("null", &NULL), ("boolean", &FALSE), ("boolean", &TRUE)];
    let values: Vec<_> =
        named.into_iter().filter(|(name, _)| takes(name)).map(|(_, value)| value).filter(possible).collect();
    if !values.is_empty() {
        found.push(branch(Kind::Finite, values));
    }
}

fn takes_type(schema: &Value, name: &str) -> bool {
    let is =
        |one: &Value| one.as_str().is_none_or(|one| one == name || (one == "number" && name == "integer"));
    match schema.get("type") {
        None => true,
        Some(Value::Array(names)) => names.iter().any(is),
        Some(one) => is(one),
    }
}

impl<'a> Branch<'a> {
    fn rules<'s>(&'s self, key: &'s str) -> impl Iterator<Item = &'a Value> + use<'a, 's> {
        self.sources.iter().filter_map(move |source| source.get(key))
    }

    /// Whether a source has this very rule.
    pub(super) fn has(&self, key: &str, rule: &Value) -> bool {
        self.rules(key).any(|other| same(other, rule))
    }

    pub(super) fn least(&self, key: &str) -> u64 {
        self.rules(key).filter_map(size).max().unwrap_or(0)
    }

    pub(super) fn most(&self, key: &str) -> Option<u64> {
        self.rules(key).filter_map(size).min()
    }

    pub(super) fn multiples(&self) -> impl Iterator<Item = Exact> {
        self.rules("multipleOf").filter_map(Exact::of_value)
    }

    pub(super) fn is_whole(&self) -> bool {
        self.integer || self.multiples().any(Exact::is_whole)
    }

    /// The lower bound.
    pub(super) fn low(&self) -> Option<Bound> {
        let bounds = self.bounds("minimum", "exclusiveMinimum");
        let tightened = bounds.map(|bound| self.tightened(bound, Exact::up(bound.at, bound.open)));
        tightened.reduce(
            |left, right| {
                if right.at > left.at || (right.at == left.at && right.open) { right } else { left }
            },
        )
    }

    /// The upper bound.
    pub(super) fn high(&self) -> Option<Bound> {
        let bounds = self.bounds("maximum", "exclusiveMaximum");
        let tightened = bounds.map(|bound| self.tightened(bound, Exact::down(bound.at, bound.open)));
        tightened.reduce(
            |left, right| {
                if right.at < left.at || (right.at == left.at && right.open) { right } else { left }
            },
        )
    }

    fn bounds(&self, closed: &'static str, open: &'static str) -> impl Iterator<Item = Bound> {
        let of = |key, open| self.rules(key).filter_map(Exact::of_value).map(move |at| Bound { at, open });
        of(closed, false).chain(of(open, true))
    }

    fn tightened(&self, bound: Bound, whole: Exact) -> Bound {
        if self.is_whole() && whole.is_whole() { Bound { at: whole, open: false } } else { bound }
    }

    pub(super) fn is_required(&self, name: &str) -> bool {
        self.rules("required").filter_map(Value::as_array).flatten().any(|one| one == name)
    }

    pub(super) fn required(&self) -> impl Iterator<Item = &'a str> {
        self.rules("required").filter_map(Value::as_array).flatten().filter_map(Value::as_str)
    }

    /// The members that a source names, once each.
    pub(super) fn declared(&self) -> Vec<&'a str> {
        let mut names: Vec<&str> = self
            .rules("properties")
            .filter_map(Value::as_object)
            .flat_map(Map::keys)
            .map(String::as_str)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether no source says anything about a member of this name.
    pub(super) fn is_unheard_of(&self, name: &str) -> bool {
        self.property(name).is_empty() && !self.is_required(name)
    }

    /// What a member must fit: all of these.
    pub(super) fn property(&self, name: &str) -> Vec<&'a Value> {
        let mut schemas = Vec::new();
        for source in &self.sources {
            let own = source.get("properties").and_then(|properties| properties.get(name));
            let mut matched = Some(own.is_some());
            schemas.extend(own);
            for (pattern, schema) in
                source.get("patternProperties").and_then(Value::as_object).into_iter().flatten()
            {
                match matches(pattern, name) {
                    Some(true) => {
                        schemas.push(schema);
                        matched = Some(true);
                    }
                    Some(false) => {}
                    None => matched = matched.filter(|matched| *matched),
                }
            }
            if matched == Some(false) {
                schemas.extend(source.as_object().and_then(rule_for_others));
            }
        }
        schemas
    }

    /// What any member must fit that no source names, if it is not one that `matched` speaks of: the patterns that
    /// the name is known not to match.
    pub(super) fn undeclared(&self, unmatched: &[&str]) -> Vec<&'a Value> {
        let is_unmatched = |source: &&&Value| {
            let patterns = source.get("patternProperties").and_then(Value::as_object);
            patterns
                .is_none_or(|patterns| patterns.keys().all(|pattern| unmatched.contains(&pattern.as_str())))
        };
        self.sources
            .iter()
            .filter(is_unmatched)
            .filter_map(|source| rule_for_others(source.as_object()?))
            .collect()
    }

    /// What any member of a name that matches `pattern`, and that no source names, must fit.
    pub(super) fn matching(&self, pattern: &str) -> Vec<&'a Value> {
        let own = self.rules("patternProperties").filter_map(|map| map.get(pattern));
        own.chain(self.undeclared(&[])).collect()
    }

    /// What the item at this place must fit.
    pub(super) fn item(&self, at: usize) -> Vec<&'a Value> {
        let of = |source: &&'a Value| {
            let prefix = source.get("prefixItems").and_then(Value::as_array);
            prefix.and_then(|prefix| prefix.get(at)).or_else(|| source.get("items"))
        };
        self.sources.iter().filter_map(of).collect()
    }

    /// From which place on all items fit the same.
    pub(super) fn prefix(&self) -> usize {
        self.rules("prefixItems").filter_map(Value::as_array).map(Vec::len).max().unwrap_or(0)
    }

    /// Whether no value can be in it. A `false` says that none was found out.
    pub(super) fn is_empty(&self, document: &Document<'a>) -> bool {
        self.is_empty_at(document, EMPTY_DEPTH)
    }

    fn is_empty_at(&self, document: &Document<'a>, depth: usize) -> bool {
        let crossed = |low: &str, high: &str| self.most(high).is_some_and(|most| self.least(low) > most);
        match self.kind {
            Kind::Finite => self.values.is_empty(),
            Kind::Number => match (self.low(), self.high()) {
                (Some(low), Some(high)) => low.at > high.at || (low.at == high.at && (low.open || high.open)),
                _ => false,
            },
            Kind::String => crossed("minLength", "maxLength"),
            Kind::Array => crossed("minItems", "maxItems"),
            Kind::Object => {
                crossed("minProperties", "maxProperties")
                    || depth > 0
                        && self.required().any(|name| is_never(document, &self.property(name), depth - 1))
            }
        }
    }
}

/// Whether no value fits all of `schemas`. A `false` says that none was found out.
pub(super) fn is_never<'a>(document: &Document<'a>, schemas: &[&'a Value], depth: usize) -> bool {
    branches(document, schemas)
        .is_some_and(|branches| branches.iter().all(|branch| branch.is_empty_at(document, depth)))
}
