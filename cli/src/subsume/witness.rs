//! Values that show where two schemas differ.

use std::cell::Cell;

use serde_json::{Map, Value, json};

use super::Names;
use super::accepts::{accept_all, accepts, format_sample};
use super::branch::{Branch, Kind, branches};
use super::document::Document;
use super::number::{Exact, size};

/// How deep samples are made.
const DEPTH: u32 = 6;
/// How many schemas are looked into to make one value.
const EFFORT: u32 = 200;
/// The longest list and text that is made.
const MAX_SIZE: u64 = 64;
/// How many branches of a member are tried.
const MAX_TRIED: usize = 8;
/// A name that hardly any schema has.
const OTHER_NAME: &str = "other";

/// A value that fits the branch and not `new`; `None` if none was found.
pub(super) fn against<'a>(
    old_document: &Document<'a>,
    old: &Branch<'a>,
    new_document: &Document<'a>,
    new: &'a Value,
    names: Names,
) -> Option<Value> {
    let maker = Maker::new(old_document);
    let mut candidates = maker.candidates(old, Some(new), DEPTH);
    if names == Names::Declared {
        candidates.retain(|value| {
            value.as_object().is_none_or(|members| {
                members.keys().all(|name| name == OTHER_NAME || !old.is_unheard_of(name))
            })
        });
    }
    candidates.into_iter().find(|value| {
        accepts(new_document, new, value) == Some(false)
            && accept_all(old_document, &old.sources, value) == Some(true)
    })
}

/// An object of the branch with this member; without a name, with one of a name that nobody declares.
pub(super) fn with_member<'a>(
    document: &Document<'a>,
    branch: &Branch<'a>,
    name: Option<&str>,
    member: Value,
) -> Option<Value> {
    let mut members = Maker::new(document).required_members(branch, name, DEPTH)?;
    members.insert(name.unwrap_or(OTHER_NAME).to_owned(), member);
    Some(Value::Object(members))
}

/// A list of the branch with this item at this place.
pub(super) fn with_item<'a>(
    document: &Document<'a>,
    branch: &Branch<'a>,
    at: usize,
    item: Value,
) -> Option<Value> {
    let maker = Maker::new(document);
    let length = branch.least("minItems").max(at as u64 + 1);
    let mut items = maker.items(branch, length, DEPTH)?;
    *items.get_mut(at)? = item;
    Some(Value::Array(items))
}

struct Maker<'d, 'a> {
    document: &'d Document<'a>,
    effort: Cell<u32>,
}

impl<'d, 'a> Maker<'d, 'a> {
    fn new(document: &'d Document<'a>) -> Self {
        Self { document, effort: Cell::new(EFFORT) }
    }

    /// A value that fits all of `schemas`.
    fn sample(&self, schemas: &[&'a Value], depth: u32) -> Option<Value> {
        self.samples(schemas, depth, 1).pop()
    }

    /// Values that fit all of `schemas`, at most so many.
    fn samples(&self, schemas: &[&'a Value], depth: u32, most: usize) -> Vec<Value> {
        let (Some(depth), Some(effort)) = (depth.checked_sub(1), self.effort.get().checked_sub(1)) else {
            return Vec::new();
        };
        self.effort.set(effort);
        let branches = branches(self.document, schemas).unwrap_or_default();
        let of = |branch: &Branch<'a>| {
            let candidates = self.candidates(branch, None, depth);
            candidates
                .into_iter()
                .find(|value| accept_all(self.document, &branch.sources, value) == Some(true))
        };
        branches.iter().filter_map(of).take(most).collect()
    }

    /// Values that may fit the branch, and that may not fit `new`.
    fn candidates(&self, branch: &Branch<'a>, new: Option<&'a Value>, depth: u32) -> Vec<Value> {
        match branch.kind {
            Kind::Finite => branch.values.iter().map(|value| (*value).clone()).collect(),
            Kind::Number => numbers(branch, new),
            Kind::String => texts(branch, new),
            Kind::Array => self.arrays(branch, new, depth),
            Kind::Object => self.objects(branch, new, depth),
        }
    }

    fn arrays(&self, branch: &Branch<'a>, new: Option<&Value>, depth: u32) -> Vec<Value> {
        let least = branch.least("minItems");
        if new.is_none() {
            return self.items(branch, least, depth).map(Value::Array).into_iter().collect();
        }
        let mut lengths = vec![least, least + 1, 1, 2];
        lengths.extend(branch.most("maxItems"));
        lengths.extend(around(new, "minItems").chain(around(new, "maxItems")));
        lengths.retain(|length| *length <= MAX_SIZE);
        lengths.dedup();
        lengths.into_iter().filter_map(|length| self.items(branch, length, depth)).map(Value::Array).collect()
    }

    fn items(&self, branch: &Branch<'a>, length: u64, depth: u32) -> Option<Vec<Value>> {
        let length = usize::try_from(length.min(MAX_SIZE)).ok()?;
        (0..length).map(|at| self.sample(&branch.item(at), depth)).collect()
    }

    fn objects(&self, branch: &Branch<'a>, new: Option<&'a Value>, depth: u32) -> Vec<Value> {
        let Some(least) = self.required_members(branch, None, depth) else { return Vec::new() };
        let mut found = vec![least.clone()];
        if new.is_none() && branch.least("minProperties") <= least.len() as u64 {
            return vec![Value::Object(least)];
        }
        let mut full = least.clone();
        for name in branch.declared() {
            for sample in self.samples(&branch.property(name), depth, MAX_TRIED) {
                let mut one = least.clone();
                one.insert(name.to_owned(), sample.clone());
                full.entry(name).or_insert(sample);
                found.push(one);
            }
        }
        for without in full.keys().filter(|name| !branch.is_required(name)) {
            let mut one = full.clone();
            one.shift_remove(without);
            found.push(one);
        }
        // Members that nobody declares, as many as it takes.
        let mut grown = least;
        let bound = branch.least("minProperties");
        let wanted = around(new, "minProperties").chain(around(new, "maxProperties")).chain([bound, 1]).max();
        for count in 0..wanted.unwrap_or(1).min(MAX_SIZE) {
            let name = if count == 0 { OTHER_NAME.to_owned() } else { format!("{OTHER_NAME}{count}") };
            let Some(sample) = self.sample(&branch.property(&name), depth) else { break };
            grown.insert(name, sample);
            found.push(grown.clone());
        }
        found.push(full);
        found.into_iter().map(Value::Object).collect()
    }

    /// The members that the branch requires, without `left_out`.
    fn required_members(
        &self,
        branch: &Branch<'a>,
        left_out: Option<&str>,
        depth: u32,
    ) -> Option<Map<String, Value>> {
        let names = branch.required().filter(|name| Some(*name) != left_out);
        names.map(|name| Some((name.to_owned(), self.sample(&branch.property(name), depth)?))).collect()
    }
}

/// The number of the rule, and those beside it.
fn around<'v>(new: Option<&'v Value>, key: &'v str) -> impl Iterator<Item = u64> {
    let sizes: Vec<u64> = new.into_iter().flat_map(|new| rules(new, key)).filter_map(size).collect();
    sizes.into_iter().flat_map(|size| [size.saturating_sub(1), size, size.saturating_add(1)])
}

/// The values that a schema has for a keyword, its alternatives included.
fn rules<'v>(schema: &'v Value, key: &str) -> Vec<&'v Value> {
    let mut found: Vec<&Value> = schema.get(key).into_iter().collect();
    for list in ["allOf", "anyOf", "oneOf"] {
        for part in schema.get(list).and_then(Value::as_array).into_iter().flatten() {
            found.extend(part.get(key));
        }
    }
    found
}

fn numbers(branch: &Branch<'_>, new: Option<&Value>) -> Vec<Value> {
    let mut found: Vec<Exact> =
        [branch.low(), branch.high()].into_iter().flatten().map(|bound| bound.at).collect();
    for key in ["minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "const"] {
        found.extend(new.into_iter().flat_map(|new| rules(new, key)).filter_map(Exact::of_value));
    }
    found.extend([0, 1, -1, 7, 1_000_000, -1_000_000].map(Exact::Whole));
    let halves =
        found.iter().filter_map(|number| Some(json!(number.to_value()?.as_f64()? + 0.5))).collect::<Vec<_>>();
    let beside: Vec<Exact> =
        found.iter().flat_map(|number| [*number, number.plus(1), number.plus(-1)]).collect();
    let multiples = branch.multiples().flat_map(|factor| {
        let of = move |times: i128| match factor {
            Exact::Whole(whole) => Exact::Whole(whole.saturating_mul(times)),
            Exact::Float(_) => factor,
        };
        [1, 2, 3, -1].map(of)
    });
    let whole = beside.into_iter().chain(multiples).filter_map(Exact::to_value);
    whole.chain(halves).collect()
}

fn texts(branch: &Branch<'_>, new: Option<&Value>) -> Vec<Value> {
    let given = |key| branch.sources.iter().filter_map(move |source| source.get(key)?.as_str());
    let mut found: Vec<String> = given("format").filter_map(format_sample).map(str::to_owned).collect();
    // The example that fits a pattern comes from the same place as in error messages to callers.
    for pattern in given("pattern") {
        for length in [branch.least("minLength"), branch.most("maxLength").unwrap_or(0).min(MAX_SIZE)] {
            let text = json!({"type": "string", "pattern": pattern, "minLength": length});
            let example = toolwright_core::arguments::example(
                &json!({"type": "object", "properties": {"text": text}, "required": ["text"]}),
            );
            found.extend(example.get("text").and_then(Value::as_str).map(str::to_owned));
        }
    }
    let mut lengths = vec![branch.least("minLength"), 1, 0, 2];
    lengths.extend(branch.most("maxLength"));
    lengths.extend(around(new, "minLength").chain(around(new, "maxLength")));
    for length in lengths.into_iter().filter(|length| *length <= MAX_SIZE * 16) {
        let length = usize::try_from(length).unwrap_or_default();
        found.extend(["a", "A", "1", "#"].map(|character| character.repeat(length)));
    }
    found.into_iter().map(Value::from).collect()
}
