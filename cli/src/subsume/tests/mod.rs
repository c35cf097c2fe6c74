//! Tests of the answers, by cases and against another implementation of JSON Schema.

mod cases;
mod dice;

use serde_json::Value;

pub(crate) use self::dice::Dice;
use super::{Answer, Document, Names, includes};

/// How many pairs of schemas of each kind.
const PAIRS: u64 = 1_500;
/// How many values a pair is tried with.
const VALUES: usize = 40;

pub(super) fn compared(old: &Value, new: &Value) -> Answer {
    includes((&Document::new(old), old), (&Document::new(new), new), Names::Any)
}

/// What came out of many pairs.
#[derive(Debug, Default)]
struct Tally {
    yes: u32,
    no: u32,
    unknown: u32,
    /// Unknown, although a random value shows that it is a "no".
    missed: u32,
    accepted: u32,
}

impl Tally {
    /// At most two in a hundred: "unknown" counts as breaking, and a gate that is red for no reason is turned off.
    #[track_caller]
    fn is_seldom_unknown(&self) {
        assert!(self.unknown * 50 <= self.yes + self.no + self.unknown, "too often unknown: {self:?}");
    }
}

/// Compares a pair, and has the answer judged by another implementation of JSON Schema.
fn judge(old: &Value, new: &Value, dice: &mut Dice, tally: &mut Tally) {
    // A reference that leads to itself has no meaning, and the referee overflows its stack over it.
    let (Ok(old_judge), Ok(new_judge)) = (jsonschema::validator_for(old), jsonschema::validator_for(new))
    else {
        return;
    };
    let mut accepted = Vec::new();
    let mut refused = false;
    for _ in 0..VALUES {
        let value = if accepted.is_empty() || dice.below(2) == 0 {
            dice.value(3)
        } else {
            let at = dice.below(accepted.len());
            dice.near(&accepted[at])
        };
        if old_judge.is_valid(&value) {
            refused |= !new_judge.is_valid(&value);
            accepted.push(value);
        }
    }
    tally.accepted += u32::try_from(accepted.len()).unwrap_or_default();
    match compared(old, new) {
        Answer::Yes => {
            tally.yes += 1;
            let wrong = accepted.iter().find(|value| !new_judge.is_valid(value));
            assert!(wrong.is_none(), "said yes\nold: {old}\nnew: {new}\nvalue: {wrong:?}");
        }
        Answer::No { witness, .. } => {
            tally.no += 1;
            assert!(
                old_judge.is_valid(&witness) && !new_judge.is_valid(&witness),
                "said no\nold: {old}\nnew: {new}\nwitness: {witness}"
            );
        }
        Answer::Unknown { .. } => {
            tally.unknown += 1;
            tally.missed += u32::from(refused);
        }
    }
}

/// Schemas whose references lead around without a step into the value have no meaning.
pub(crate) fn has_meaning(document: &Value) -> bool {
    fn ends(document: &Value, schema: &Value, depth: usize) -> bool {
        let Some(members) = schema.as_object() else { return true };
        let target = members
            .get("$ref")
            .and_then(Value::as_str)
            .map(|to| if to == "#" { Some(document) } else { document.pointer(to.trim_start_matches('#')) });
        let lists =
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| members.get(*key)?.as_array()).flatten();
        let singles = ["not", "if", "then", "else"].iter().filter_map(|key| members.get(*key));
        let dependent = members
            .get("dependentSchemas")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.values());
        depth > 0
            && target.is_none_or(|target| target.is_some_and(|target| ends(document, target, depth - 1)))
            && lists.chain(singles).chain(dependent).all(|part| ends(document, part, depth - 1))
    }
    let definitions =
        document.get("$defs").and_then(Value::as_object).into_iter().flat_map(|map| map.values());
    std::iter::once(document).chain(definitions).all(|schema| ends(document, schema, 12))
        && every_part(document, &|part| ends(document, part, 12))
}

fn every_part(value: &Value, holds: &dyn Fn(&Value) -> bool) -> bool {
    match value {
        Value::Object(members) => holds(value) && members.values().all(|part| every_part(part, holds)),
        Value::Array(items) => items.iter().all(|part| every_part(part, holds)),
        _ => true,
    }
}

#[test]
fn answers_about_edited_schemas_are_right() {
    let mut tally = Tally::default();
    for seed in 0..PAIRS {
        let mut dice = Dice(seed);
        let old = dice.document();
        let new = dice.edited(&old);
        if has_meaning(&old) && has_meaning(&new) {
            judge(&old, &new, &mut dice, &mut tally);
            judge(&new, &old, &mut dice, &mut tally);
        }
    }
    println!("edited: {tally:?}");
    assert!(tally.yes > 300 && tally.no > 300, "the pairs show too little: {tally:?}");
    tally.is_seldom_unknown();
}

#[test]
fn answers_about_unrelated_schemas_are_right() {
    let mut tally = Tally::default();
    for seed in 0..PAIRS {
        let mut dice = Dice(seed + (1 << 32));
        let (old, new) = (dice.document(), dice.document());
        if has_meaning(&old) && has_meaning(&new) {
            judge(&old, &new, &mut dice, &mut tally);
        }
    }
    println!("unrelated: {tally:?}");
    assert!(tally.yes > 30 && tally.no > 300, "the pairs show too little: {tally:?}");
    tally.is_seldom_unknown();
}

/// Whatever stands where a schema should, the answer is one of the three, and a schema is within itself or unknown.
#[test]
fn any_json_is_compared_without_a_panic() {
    for seed in 0..PAIRS {
        let mut dice = Dice(seed + (1 << 33));
        let old = dice.value(4);
        let mut new = dice.document();
        if let Value::Object(members) = &mut new {
            for key in
                ["type", "enum", "items", "properties", "required", "$ref", "minimum", "anyOf", "pattern"]
            {
                if dice.below(3) == 0 {
                    members.insert(key.to_owned(), dice.value(2));
                }
            }
        }
        compared(&old, &new);
        compared(&new, &old);
        assert!(!matches!(compared(&new, &new), Answer::No { .. }), "{new}");
    }
}
