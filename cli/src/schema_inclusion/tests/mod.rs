//! Tests of the answers, by cases and against the `jsonschema` crate.

mod cases;
mod declared;
mod full;
mod random;

use serde_json::Value;

pub(crate) use self::declared::has_undeclared_names;
pub(crate) use self::full::Relation;
pub(crate) use self::random::Rng;
use super::{Answer, Names, SchemaDocument, includes};

/// Number of pairs of schemas per test.
const PAIRS: u64 = 1_500;

/// Returns the number of pairs of schemas per test, from `DIFF_PAIRS` if set.
pub(crate) fn pairs() -> u64 {
    std::env::var("DIFF_PAIRS").ok().and_then(|count| count.parse().ok()).unwrap_or(PAIRS)
}

/// Returns the first seed, from `DIFF_SEED` if set.
pub(crate) fn first_seed() -> u64 {
    std::env::var("DIFF_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(0)
}

/// Number of values per pair.
const VALUES: usize = 40;

pub(super) fn compare(old: &Value, new: &Value) -> Answer {
    includes((&SchemaDocument::new(old), old), (&SchemaDocument::new(new), new), Names::Any)
}

/// The answers for many pairs.
#[derive(Debug, Default)]
struct Tally {
    yes: u32,
    no: u32,
    unknown: u32,
    /// Unknown, although a random value proves that the answer is "no".
    missed: u32,
    accepted: u32,
}

impl Tally {
    /// Allows at most 2% unknown answers: they count as breaking, so each is a false alarm.
    #[track_caller]
    fn check_unknown_rate(&self) {
        assert!(self.unknown * 50 <= self.yes + self.no + self.unknown, "too many unknown answers: {self:?}");
    }
}

/// Compares a pair, and checks the answer with the `jsonschema` crate and random values.
fn check_pair(old: &Value, new: &Value, rng: &mut Rng, tally: &mut Tally) {
    // The crate overflows its stack for references that lead back to themselves.
    let (Ok(old_validator), Ok(new_validator)) =
        (jsonschema::validator_for(old), jsonschema::validator_for(new))
    else {
        return;
    };
    let mut accepted = Vec::new();
    let mut is_rejected = false;
    for _ in 0..VALUES {
        let value = if accepted.is_empty() || rng.below(2) == 0 {
            rng.value(3)
        } else {
            let at = rng.below(accepted.len());
            rng.mutate(&accepted[at])
        };
        if old_validator.is_valid(&value) {
            is_rejected |= !new_validator.is_valid(&value);
            accepted.push(value);
        }
    }
    tally.accepted += u32::try_from(accepted.len()).unwrap_or_default();
    match compare(old, new) {
        Answer::Yes => {
            tally.yes += 1;
            let wrong = accepted.iter().find(|value| !new_validator.is_valid(value));
            assert!(wrong.is_none(), "the answer is yes\nold: {old}\nnew: {new}\nvalue: {wrong:?}");
        }
        Answer::No { witness, .. } => {
            tally.no += 1;
            assert!(
                old_validator.is_valid(&witness) && !new_validator.is_valid(&witness),
                "the answer is no\nold: {old}\nnew: {new}\nwitness: {witness}"
            );
        }
        Answer::Unknown { .. } => {
            tally.unknown += 1;
            tally.missed += u32::from(is_rejected);
        }
    }
}

/// Returns whether no reference leads back to its schema for the same value, which would have no meaning.
pub(crate) fn is_well_founded(document: &Value) -> bool {
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
        let mut rng = Rng(seed);
        let old = rng.document();
        let new = rng.edit_copy(&old);
        if is_well_founded(&old) && is_well_founded(&new) {
            check_pair(&old, &new, &mut rng, &mut tally);
            check_pair(&new, &old, &mut rng, &mut tally);
        }
    }
    println!("edited: {tally:?}");
    assert!(tally.yes > 300 && tally.no > 300, "too few answers of a kind: {tally:?}");
    tally.check_unknown_rate();
}

#[test]
fn answers_about_unrelated_schemas_are_right() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + pairs() {
        let mut rng = Rng(seed + (1 << 32));
        let (old, new) = (rng.document(), rng.document());
        if is_well_founded(&old) && is_well_founded(&new) {
            check_pair(&old, &new, &mut rng, &mut tally);
        }
    }
    println!("unrelated: {tally:?}");
    assert!(tally.yes > 30 && tally.no > 300, "too few answers of a kind: {tally:?}");
    tally.check_unknown_rate();
}

/// Pairs with every keyword, whose answer is known from how they were generated.
#[test]
fn results_match_the_generated_expectation() {
    let mut tallies = [Tally::default(), Tally::default(), Tally::default()];
    for seed in first_seed()..first_seed() + pairs() {
        let mut rng = Rng(seed + (1 << 34));
        let old = rng.full_document();
        let kinds = [Relation::Equal, Relation::Narrowed, Relation::Widened];
        let at = rng.below(kinds.len());
        let new = rng.generate(kinds[at], &old);
        if !is_well_founded(&old) || !is_well_founded(&new) {
            continue;
        }
        let tally = &mut tallies[at];
        for (from, to, kind) in [(&old, &new, Relation::Widened), (&new, &old, Relation::Narrowed)] {
            let before = tally.no;
            check_pair(from, to, &mut rng, tally);
            if kinds[at] == Relation::Equal || kinds[at] == kind {
                assert_eq!(tally.no, before, "{:?} by construction\nold: {old}\nnew: {new}", kinds[at]);
            }
        }
    }
    println!("equal, narrowed, widened: {tallies:#?}");
    for tally in &tallies {
        assert!(tally.yes > 100, "too few answers of a kind: {tally:?}");
        tally.check_unknown_rate();
    }
}

/// With [`Names::Declared`], only values with undeclared names are excluded.
#[test]
fn only_names_new_in_properties_are_excluded() {
    let mut counts = [0; 3];
    let mut excluded = 0;
    for seed in first_seed()..first_seed() + pairs() {
        let mut rng = Rng(seed + (1 << 36));
        let old = if rng.below(2) == 0 { rng.full_document() } else { rng.document() };
        let new = match rng.below(3) {
            0 => rng.full_document(),
            1 => rng.generate(Relation::Narrowed, &old),
            _ => rng.edit_copy(&old),
        };
        if !is_well_founded(&old) || !is_well_founded(&new) {
            continue;
        }
        let (Ok(old_validator), Ok(new_validator)) =
            (jsonschema::validator_for(&old), jsonschema::validator_for(&new))
        else {
            continue;
        };
        let proves = |value: &Value| old_validator.is_valid(value) && !new_validator.is_valid(value);
        let documents = [SchemaDocument::new(&old), SchemaDocument::new(&new)];
        match includes((&documents[0], &old), (&documents[1], &new), Names::Declared) {
            Answer::Yes => {
                counts[0] += 1;
                let mut value = Value::Null;
                for _ in 0..VALUES {
                    value = if rng.below(3) == 0 { rng.value(3) } else { rng.mutate(&value) };
                    if proves(&value) {
                        excluded += 1;
                        let has = has_undeclared_names(&old, &new, &value);
                        assert!(has, "the answer is yes\nold: {old}\nnew: {new}\nvalue: {value}");
                    }
                }
            }
            Answer::No { witness, .. } => {
                counts[1] += 1;
                let is_right = proves(&witness) && !has_undeclared_names(&old, &new, &witness);
                assert!(is_right, "the answer is no\nold: {old}\nnew: {new}\nwitness: {witness}");
            }
            Answer::Unknown { .. } => counts[2] += 1,
        }
    }
    println!("yes, no, unknown: {counts:?}, {excluded} values with undeclared names");
    assert!(counts[0] > 100 && counts[1] > 100 && excluded > 0, "too few answers of a kind: {counts:?}");
}

/// Unrelated pairs with every keyword.
#[test]
fn answers_about_every_keyword_are_right() {
    let mut tally = Tally::default();
    for seed in first_seed()..first_seed() + pairs() {
        let mut rng = Rng(seed + (1 << 35));
        let (old, new) = (rng.full_document(), rng.full_document());
        if is_well_founded(&old) && is_well_founded(&new) {
            check_pair(&old, &new, &mut rng, &mut tally);
        }
    }
    println!("every keyword: {tally:?}");
    assert!(tally.yes > 30 && tally.no > 300, "too few answers of a kind: {tally:?}");
    tally.check_unknown_rate();
}

/// For any JSON instead of a schema there is an answer, and a schema is never narrower than itself.
#[test]
fn any_json_is_compared_without_a_panic() {
    for seed in 0..PAIRS {
        let mut rng = Rng(seed + (1 << 33));
        let old = rng.value(4);
        let mut new = rng.document();
        if let Value::Object(members) = &mut new {
            for key in
                ["type", "enum", "items", "properties", "required", "$ref", "minimum", "anyOf", "pattern"]
            {
                if rng.below(3) == 0 {
                    members.insert(key.to_owned(), rng.value(2));
                }
            }
        }
        compare(&old, &new);
        compare(&new, &old);
        assert!(!matches!(compare(&new, &new), Answer::No { .. }), "{new}");
    }
}
