//! Negates rules.

use std::rc::Rc;

use serde_json::Value;

use super::Demand;
use super::facts::{Choice, Fact, Name, Someone, Step, speaks_of};
use crate::schema_inclusion::node::{Bound, Id, Kind, Members, Rule};
use crate::schema_inclusion::number::Decimal;

/// Returns the ways in which a value of this kind can violate a rule of the schema `id`; `None` if every value
/// does.
pub(super) fn broken<'a>(kind: Kind, id: Id, rule: &Rule<'a>) -> Option<Choice<'a>> {
    Some(match rule {
        Rule::Never => return None,
        Rule::Opaque { text, why } => {
            one(Fact::Opaque { text: text.clone(), why: why.as_str().into(), holds: false })
        }
        Rule::Also(id) => vec![vec![fits_not(*id)]],
        Rule::Any(ids) => vec![ids.iter().copied().map(fits_not).collect()],
        Rule::One(ids) => {
            let mut choice: Choice<'a> = vec![ids.iter().copied().map(fits_not).collect()];
            for (at, first) in ids.iter().enumerate() {
                choice.extend(ids[at + 1..].iter().map(|second| vec![fits(*first), fits(*second)]));
            }
            choice
        }
        Rule::Not(id) => vec![vec![fits(*id)]],
        Rule::Cases { when, then, other } => {
            let then = then.map(|then| vec![fits(*when), fits_not(then)]);
            let other = other.map(|other| vec![fits_not(*when), fits_not(other)]);
            then.into_iter().chain(other).collect()
        }
        Rule::Kinds { kinds, .. } if !kinds.contains(&kind) => return None,
        Rule::Values(values) => {
            let not = |value: &&'a Value| Step::Demand(Demand::Not(Rc::new((*value).clone())));
            let own: Vec<_> = values.iter().filter(|value| Kind::of(value) == kind).map(not).collect();
            if own.is_empty() {
                return None;
            }
            vec![own]
        }
        // Violating another rule of the schema is a separate alternative.
        Rule::UnevaluatedItems(_) if speaks_of(kind, true) => vec![vec![Step::LeavesUnevaluated(id)]],
        Rule::UnevaluatedMembers(_) if speaks_of(kind, false) => vec![vec![Step::LeavesUnevaluated(id)]],
        _ => match kind {
            Kind::Number => broken_by_number(rule),
            Kind::Text => broken_by_text(rule),
            Kind::List => broken_by_list(rule),
            Kind::Object => broken_by_object(rule),
            Kind::Null | Kind::Boolean => Choice::new(),
        },
    })
}

fn fits<'a>(id: Id) -> Step<'a> {
    Step::Demand(Demand::Fits(id, true))
}

fn fits_not<'a>(id: Id) -> Step<'a> {
    Step::Demand(Demand::Fits(id, false))
}

fn one(fact: Fact<'_>) -> Choice<'_> {
    vec![vec![Step::Fact(fact)]]
}

/// There are fewer.
fn fewer<'a>(least: u64, fact: fn(u64) -> Fact<'a>) -> Choice<'a> {
    least.checked_sub(1).map(|most| vec![Step::Fact(fact(most))]).into_iter().collect()
}

fn broken_by_number<'a>(rule: &Rule<'a>) -> Choice<'a> {
    let opposite = |bound: &Bound| Bound { at: bound.at, open: !bound.open };
    match rule {
        Rule::Kinds { whole: true, .. } => one(Fact::NoMultiple(Decimal::ONE)),
        Rule::Low(bound) => one(Fact::High(opposite(bound))),
        Rule::High(bound) => one(Fact::Low(opposite(bound))),
        Rule::Multiple(factor) => one(Fact::NoMultiple(*factor)),
        _ => Choice::new(),
    }
}

fn broken_by_text<'a>(rule: &Rule<'a>) -> Choice<'a> {
    match rule {
        Rule::Shortest(least) => fewer(*least, Fact::Longest),
        Rule::Longest(most) => one(Fact::Shortest(most.saturating_add(1))),
        Rule::Pattern(pattern) => one(Fact::Matches(*pattern, false)),
        Rule::Format(format) => one(Fact::Format(format, false)),
        _ => Choice::new(),
    }
}

fn broken_by_list<'a>(rule: &Rule<'a>) -> Choice<'a> {
    match rule {
        Rule::FewestItems(least) => fewer(*least, Fact::Most),
        Rule::MostItems(most) => one(Fact::Fewest(most.saturating_add(1))),
        Rule::Unique => one(Fact::Repeats),
        Rule::Items { prefix, rest } => {
            let unfit = |from, to, id: &Id| {
                let demands = vec![Demand::Fits(*id, false)];
                vec![Step::Fact(Fact::Somewhere { from, to, demands })]
            };
            let prefixed = prefix.iter().enumerate().map(|(at, id)| unfit(at, Some(at), id));
            prefixed.chain(rest.as_ref().map(|rest| unfit(prefix.len(), None, rest))).collect()
        }
        Rule::Contains { what, least, most } => {
            let few = least.checked_sub(1).map(|most| (0, Some(most)));
            let many = most.map(|most| (most.saturating_add(1), None));
            let contains = |(least, most)| vec![Step::Fact(Fact::Contains { what: *what, least, most })];
            few.into_iter().chain(many).map(contains).collect()
        }
        _ => Choice::new(),
    }
}

fn broken_by_object<'a>(rule: &Rule<'a>) -> Choice<'a> {
    match rule {
        Rule::FewestMembers(least) => fewer(*least, Fact::Most),
        Rule::MostMembers(most) => one(Fact::Fewest(most.saturating_add(1))),
        Rule::Required(names) => names.iter().map(|name| vec![absent(name)]).collect(),
        Rule::Members(members) => broken_by_members(members),
        Rule::Names(id) => {
            let name = vec![Demand::Fits(*id, false)];
            one(Fact::Someone(Someone { name, ..Someone::default() }))
        }
        Rule::Needs(name, needed) => {
            needed.iter().map(|needed| vec![present(name), absent(needed)]).collect()
        }
        Rule::Entails(name, id) => vec![vec![present(name), fits_not(*id)]],
        _ => Choice::new(),
    }
}

fn present<'a>(name: &str) -> Step<'a> {
    Step::Fact(Fact::Present(name.into()))
}

fn absent<'a>(name: &str) -> Step<'a> {
    Step::Fact(Fact::Absent(name.into()))
}

fn broken_by_members<'a>(members: &Members<'a>) -> Choice<'a> {
    let unfit = |name: &str, id: Id| Step::Fact(Fact::Member(name.into(), Demand::Fits(id, false)));
    let mut choice: Choice<'a> =
        members.named.iter().map(|(name, id)| vec![present(name), unfit(name, *id)]).collect();
    let someone = |matches, not, id: Id| {
        let value = vec![Demand::Fits(id, false)];
        vec![Step::Fact(Fact::Someone(Someone { matches, not, value, name: Vec::new() }))]
    };
    for (pattern, id) in &members.matching {
        choice.push(someone(vec![(*pattern, true)], Vec::new(), *id));
    }
    if let Some(others) = members.others {
        let matches = members.matching.iter().map(|(pattern, _)| (*pattern, false)).collect();
        let not = members.named.iter().map(|(name, _)| Name::from(*name)).collect();
        choice.push(someone(matches, not, others));
    }
    choice
}

/// Returns the ways in which a list or object can differ from this one.
pub(super) fn other_than<'a>(value: &Value) -> Choice<'a> {
    let mut choice = Choice::new();
    match value {
        Value::Array(items) => {
            for (at, item) in items.iter().enumerate() {
                let demands = vec![Demand::Not(Rc::new(item.clone()))];
                choice.push(vec![Step::Fact(Fact::Somewhere { from: at, to: Some(at), demands })]);
            }
            let length = items.len() as u64;
            choice.extend(one(Fact::Fewest(length + 1)));
            choice.extend(fewer(length, Fact::Most));
        }
        Value::Object(members) => {
            for (name, member) in members {
                let other = Demand::Not(Rc::new(member.clone()));
                choice.push(vec![absent(name)]);
                choice.push(vec![present(name), Step::Fact(Fact::Member(name.as_str().into(), other))]);
            }
            let not = members.keys().map(|name| Name::from(name.as_str())).collect();
            choice.extend(one(Fact::Someone(Someone { not, ..Someone::default() })));
        }
        _ => {}
    }
    choice
}
