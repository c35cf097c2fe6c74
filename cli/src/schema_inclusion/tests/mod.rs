//! Tests of the answers, by cases and against another implementation of JSON Schema.

mod cases;
mod declared;
mod dice;
mod full;

use serde_json::Value;

pub(crate) use self::declared::has_undeclared_names;
pub(crate) use self::dice::Dice;
pub(crate) use self::full::Made;
use super::{Answer, Names, SchemaDocument, includes};

/// How many pairs of schemas of each kind.
const PAIRS: u64 = 1_500;

/// How many pairs of schemas of each kind: more on demand.
pub(crate) fn pairs() -> u64 {
    std::env::var("DIFF_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(PAIRS)
}

/// Where the seeds begin.
pub(crate) fn first_seed() -> u64 {
    std::env::var("DIFF_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

/// How many values a pair is tried with.
const VALUES: usize = 40;

pub(super) fn compare(old: &Value, new: &Value) -> Answer {
    includes((&SchemaDocument::new(old), old), (&SchemaDocument::new(new), new), Names::Any)
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
    match compare(old, new) {
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
        let target = |key| {
            members.get(key).and_then(Value::as_str).map(|to| match to {
                "#" => Some(document),
                "#anchor" => document.pointer("/$defs/x"),
                "#dynamic" => document.pointer("/$defs/y"),
                to => document.pointer(to.trim_start_matches('#')),
            })
        };
        let targets = [target("$ref"), target("$dynamicRef")];
        let lists =
            ["allOf", "anyOf", "oneOf"].iter().filter_map(|key| members.get(*key)?.as_array()).flatten();
        let singles = ["not", "if", "then", "else"].iter().filter_map(|key| members.get(*key));
        let dependent = members
            .get("dependentSchemas")
            .and_then(Value::as_object)
            .into_iter()
            .flat_map(|map| map.values());
        depth > 0
            && targets
                .into_iter()
                .flatten()
                .all(|target| target.is_some_and(|target| ends(document, target, depth - 1)))
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
    for seed in first_seed()..first_seed() + pairs() {
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
    for seed in first_seed()..first_seed() + pairs() {
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

/// Pairs with every keyword whose answer is known from how they were made.
#[test]
fn results_match_the_generated_expectation() {
    let mut tallies = [Tally::default(), Tally::default(), Tally::default()];
    for seed in first_seed()..first_seed() + pairs() {
        let mut dice = Dice(seed + (1 << 34));
        let old = dice.full_document();
        let kinds = [Made::Equal, Made::Narrowed, Made::Widened];
        let at = dice.below(kinds.len());
        let new = dice.generate(kinds[at], &old);
        if !has_meaning(&old) || !has_meaning(&new) {
            continue;
        }
        let tally = &mut tallies[at];
        for (from, to, kind) in [(&old, &new, Made::Widened), (&new, &old, Made::Narrowed)] {
            let before = tally.no;
            judge(from, to, &mut dice, tally);
            if kinds[at] == Made::Equal || kinds[at] == kind {
                assert_eq!(tally.no, before, "{:?} by construction\nold: {old}\nnew: {new}", kinds[at]);
            }
        }
    }
    println!("equal, narrowed, widened: {tallies:#?}");
    for tally in &tallies {
        assert!(tally.yes > 100, "the pairs show too little: {tally:?}");
        tally.is_seldom_unknown();
    }
}

/// Where names that nobody was told of do not count, they are all that does not count.
#[test]
fn only_names_new_in_properties_are_excluded() {
    let mut counts = [0; 3];
    let mut excused = 0;
    for seed in first_seed()..first_seed() + pairs() {
        let mut dice = Dice(seed + (1 << 36));
        let old = if dice.below(2) == 0 { dice.full_document() } else { dice.document() };
        let new = match dice.below(3) {
            0 => dice.full_document(),
            1 => dice.generate(Made::Narrowed, &old),
            _ => dice.edited(&old),
        };
        if !has_meaning(&old) || !has_meaning(&new) {
            continue;
        }
        let (Ok(old_judge), Ok(new_judge)) =
            (jsonschema::validator_for(&old), jsonschema::validator_for(&new))
        else {
            continue;
        };
        let proves = |value: &Value| old_judge.is_valid(value) && !new_judge.is_valid(value);
        let documents = [SchemaDocument::new(&old), SchemaDocument::new(&new)];
        match includes((&documents[0], &old), (&documents[1], &new), Names::Declared) {
            Answer::Yes => {
                counts[0] += 1;
                let mut value = Value::Null;
                for _ in 0..VALUES {
                    value = if dice.below(3) == 0 { dice.value(3) } else { dice.near(&value) };
                    if proves(&value) {
                        excused += 1;
                        let has = has_undeclared_names(&old, &new, &value);
                        assert!(has, "said yes\nold: {old}\nnew: {new}\nvalue: {value}");
                    }
                }
            }
            Answer::No { witness, .. } => {
                counts[1] += 1;
                let is_right = proves(&witness) && !has_undeclared_names(&old, &new, &witness);
                assert!(is_right, "said no\nold: {old}\nnew: {new}\nwitness: {witness}");
            }
            Answer::Unknown { .. } => counts[2] += 1,
        }
    }
    println!("yes, no, unknown: {counts:?}, {excused} values with names that nobody was told of");
    assert!(counts[0] > 100 && counts[1] > 100 && excused > 0, "the pairs show too little: {counts:?}");
}

/// Unrelated pairs with every keyword.
#[test]
fn answers_about_every_keyword_are_right() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + pairs() {
        let mut dice = Dice(seed + (1 << 35));
        let (old, new) = (dice.full_document(), dice.full_document());
        if has_meaning(&old) && has_meaning(&new) {
            judge(&old, &new, &mut dice, &mut tally);
        }
    }
    println!("every keyword: {tally:?}");
    assert!(tally.yes > 30 && tally.no > 300, "the pairs show too little: {tally:?}");
    tally.is_seldom_unknown();
}

/// Whatever is where a schema should, the answer is one of the three, and a schema is within itself or unknown.
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
        compare(&old, &new);
        compare(&new, &old);
        assert!(!matches!(compare(&new, &new), Answer::No { .. }), "{new}");
    }
}
