//! Queries a type about what schemars does not express: the keys of maps whose keys are not strings, how many
//! items of a tuple may be omitted, which strings are socket addresses, and whether an object without keywords
//! is a struct without fields. The type deserializes small values, and the results are added to the schema.

use serde_json::{Map, Value, json};

use super::formats::{SOCKET, SOCKET_V4, SOCKET_V6};
use super::keys;
use super::sample::{PLAIN, Sampler, Step, Target};
use super::{merge, walk};
use crate::probe::{self, ProbeResult, ReadError, UNREADABLE};

/// Maximum number of maps, tuples and empty objects that are queried, and of strings. A schema with more is
/// larger than any client reads.
const MAX_PLACES: usize = 200;

/// Maximum number of members that a flattened `Option` may require.
const MAX_ADDED: usize = 32;

/// A string that is not an address, like the first of [`PLAIN`].
const OTHER_TEXT: &str = "some text";

/// Deserializes a value as the type.
pub(super) type Read<'r> = &'r dyn Fn(&Value) -> ProbeResult;

/// Returns the keywords that the type reveals about the maps, tuples, empty objects and strings of the schemars
/// schema `schema`; see [`apply`].
pub(super) fn learn(schema: &Value, read: Read<'_>) -> Vec<LearnedKeyword> {
    let mut finder = Finder { root: schema, found: Vec::new(), texts: Vec::new(), seen: Vec::new() };
    finder.visit(schema, "", &mut Vec::new());
    let (texts, found) = (finder.texts, finder.found);
    let read = |value: &Value| ignore_limit_errors(read(value));
    let mut keywords = Vec::new();
    let mut schema = schema.clone();
    for Place { pointer, path, kind } in found {
        let (before, also) = probe_baseline(&schema, &path, &read);
        let value = |target: &Target, plain| {
            Sampler { root: &schema, plain, also: &also }.value(&schema, &path, target)
        };
        let ask = |target| {
            let ask = |plain| {
                let answer = read(&value(&target, plain)?);
                let is_taken = before.as_ref().map_or(answer.is_read, |before| answer.is_as_good_as(before));
                Some(if is_taken { Ok(()) } else { Err(answer.message()) })
            };
            // Other members may be strings of either kind.
            let [first, second] = PLAIN;
            match ask(first)? {
                Err(reason) if !keys::is_about_key(&reason) => ask(second),
                answer => Some(answer),
            }
        };
        let Some(words) = kind.learn_keyword(&ask) else { continue };
        let learned = LearnedKeyword { pointer, words };
        // Added immediately, because values inside this map need a key that it accepts.
        learned.add_keyword(&mut schema);
        keywords.push(learned);
    }
    for Place { pointer, path, .. } in texts {
        let (_, also) = probe_baseline(&schema, &path, &read);
        let answer = |part: Value, plain| {
            let target = Target::Whole(part);
            Some(read(&Sampler { root: &schema, plain, also: &also }.value(&schema, &path, &target)?))
        };
        if let Some(format) = format_of_text(&answer) {
            let learned = LearnedKeyword { pointer, words: Addition::Keyword("format", json!(format)) };
            learned.add_keyword(&mut schema);
            keywords.push(learned);
        }
    }
    keywords
}

/// Returns the outcome for a value with anything at `path`, and the members that were added to it: a flattened
/// `Option` swallows invalid content, and reads nothing until all members that it requires are present.
fn probe_baseline(
    schema: &Value,
    path: &[Step],
    read: &dyn Fn(&Value) -> ProbeResult,
) -> (Option<ProbeResult>, Vec<String>) {
    let answer = |also: &[String]| {
        let value = |plain| Sampler { root: schema, plain, also }.value(schema, path, &Target::Any);
        let answers = PLAIN.iter().filter_map(|plain| Some(read(&value(plain)?)));
        answers.filter(|answer| answer.is_read).min_by_key(|answer| answer.errors.len())
    };
    let alone = answer(&[]);
    let (mut also, mut last) = (Vec::new(), alone.clone());
    while also.len() < MAX_ADDED {
        let missing = last.iter().flat_map(|answer| &answer.errors).find_map(|error| match error {
            ReadError::Missing(name) if !also.contains(name) => Some(name.clone()),
            _ => None,
        });
        let Some(missing) = missing else { break };
        also.push(missing);
        last = answer(&also);
    }
    let said =
        |answer: &Option<ProbeResult>| answer.as_ref().map_or(usize::MAX, |answer| answer.errors.len());
    if said(&last) < said(&alone) { (last, also) } else { (alone, Vec::new()) }
}

/// Ignores the errors from the point on where serde meets a value that it can never read there: everything
/// before it was read.
fn ignore_limit_errors(mut answer: ProbeResult) -> ProbeResult {
    let is_limit =
        |error: &ReadError| probe::NO_WIDE_INTEGER.iter().any(|words| error.message().starts_with(words));
    if let Some(at) = answer.errors.iter().position(is_limit) {
        answer.errors.truncate(at);
        answer.is_read = true;
    }
    answer
}

/// Adds the keywords to the schema.
pub(super) fn apply(schema: &mut Value, keywords: &[LearnedKeyword]) {
    for learned in keywords {
        learned.add_keyword(schema);
    }
    // Inner schemas first, because new names change the pointers to the schemas below.
    for learned in keywords.iter().rev() {
        learned.rename_keys(schema);
    }
}

/// A keyword that the type revealed.
#[derive(Debug)]
pub(super) struct LearnedKeyword {
    /// The pointer to its schema.
    pointer: String,
    words: Addition,
}

#[derive(Debug)]
enum Addition {
    /// A keyword with its value.
    Keyword(&'static str, Value),
    /// The pattern of the keys.
    Pattern(String),
}

impl LearnedKeyword {
    fn add_keyword(&self, schema: &mut Value) {
        if let Addition::Keyword(keyword, value) = &self.words
            && let Some(Value::Object(node)) = schema.pointer_mut(&self.pointer)
        {
            node.insert((*keyword).to_owned(), value.clone());
        }
    }

    fn rename_keys(&self, schema: &mut Value) {
        if let Addition::Pattern(pattern) = &self.words
            && let Some(Value::Object(node)) = schema.pointer_mut(&self.pointer)
            && let Some(Value::Object(patterns)) = node.get_mut("patternProperties")
        {
            let members = patterns.values_mut().next().map(Value::take).unwrap_or_default();
            *patterns = [(pattern.clone(), members)].into_iter().collect();
        }
    }
}

/// A map, a tuple or an empty object.
struct Place {
    /// The pointer to its schema.
    pointer: String,
    /// The path of its values.
    path: Vec<Step>,
    kind: Kind,
}

enum Kind {
    /// A map without constraints on its keys.
    Open,
    /// A map with integer keys.
    Integers,
    /// A tuple of this length.
    Tuple(u64),
    /// An object without keywords: a struct without fields, or a type with a hand-written schema.
    Bare,
    /// A string without keywords.
    Text,
}

/// Returns the format of a type that is written as a string, but without a format by schemars: a socket address.
/// Other members may be strings of either kind.
fn format_of_text(answer: &dyn Fn(Value, &'static str) -> Option<ProbeResult>) -> Option<&'static str> {
    let [text, v4] = PLAIN;
    let v6 = "[2001:db8::1]:80";
    for beside in PLAIN {
        let plain = answer(text.into(), beside)?;
        // If a string is accepted, possibly by another variant, nothing can be concluded.
        let is_worse = |wrong: ProbeResult| !wrong.is_read || wrong.errors.len() > plain.errors.len();
        let mut wrong = [json!(true), json!([[[]]])].into_iter().filter_map(|wrong| answer(wrong, beside));
        if plain.is_read && wrong.any(is_worse) {
            return None;
        }
        // If another member is rejected after the address, the address is no longer rejected.
        let other = answer(OTHER_TEXT.into(), beside)?;
        let is_passed = |it: &ProbeResult| {
            let says =
                |words: &ProbeResult, error: &ReadError| words.errors.iter().any(|one| one.is_like(error));
            let is_new = !it.errors.is_empty() && it.errors.iter().all(|error| !says(&plain, error));
            is_new && !plain.errors.is_empty() && plain.errors.iter().all(|error| says(&other, error))
        };
        let takes = |address: &str| {
            answer(address.into(), beside).is_some_and(|it| {
                if it.is_read { !plain.is_as_good_as(&it) } else { !plain.is_read && is_passed(&it) }
            })
        };
        match (takes(v4), takes(v6)) {
            (true, true) => return Some(SOCKET),
            (true, false) => return Some(SOCKET_V4),
            (false, true) => return Some(SOCKET_V6),
            (false, false) => {}
        }
    }
    None
}

/// Keywords about the members of an object.
const MEMBER_KEYWORDS: &[&str] = &[
    "properties",
    "additionalProperties",
    "unevaluatedProperties",
    "minProperties",
    "required",
    "dependentRequired",
    "dependentSchemas",
    "$ref",
    "allOf",
    "anyOf",
    "oneOf",
    "not",
    "if",
    "const",
    "enum",
];

impl Kind {
    fn of(node: &Map<String, Value>) -> Option<Self> {
        if let Some(Value::Array(places)) = node.get("prefixItems") {
            let length = places.len() as u64;
            let is_closed = node.get("minItems").and_then(Value::as_u64) == Some(length);
            return is_closed.then_some(Self::Tuple(length));
        }
        let is_text = |name: &Value| name == "string" || *name == json!(["string", "null"]);
        if node.get("type").is_some_and(is_text) {
            let says_more = node.keys().any(|keyword| keyword != "type" && !merge::is_annotation(keyword));
            return (!says_more).then_some(Self::Text);
        }
        if !walk::has_type(node, "object") || node.contains_key("propertyNames") {
            return None;
        }
        if let Some(Value::Object(patterns)) = node.get("patternProperties") {
            let is_integer_pattern =
                patterns.len() == 1 && patterns.keys().all(|pattern| keys::is_integer_pattern(pattern));
            return is_integer_pattern.then_some(Self::Integers);
        }
        let takes_more = node.get("additionalProperties").is_some_and(|rest| *rest != Value::Bool(false));
        if takes_more && !node.contains_key("properties") {
            return Some(Self::Open);
        }
        let is_about_members = |keyword: &String| MEMBER_KEYWORDS.contains(&keyword.as_str());
        (!node.keys().any(is_about_members)).then_some(Self::Bare)
    }

    fn learn_keyword(&self, ask: &dyn Fn(Target) -> Option<Result<(), String>>) -> Option<Addition> {
        let takes = |key: &str| ask(Target::Key(key.to_owned())).unwrap_or(Ok(()));
        match self {
            Self::Open => Some(Addition::Keyword("propertyNames", keys::key_schema(&takes)?)),
            Self::Integers => keys::integer_pattern(&|key| takes(key).is_ok()).map(Addition::Pattern),
            Self::Tuple(length) => {
                let takes = |length| ask(Target::Length(length)).is_some_and(|answer| answer.is_ok());
                let shortest = (0..*length).rev().take_while(|shorter| takes(*shorter)).last()?;
                takes(*length).then(|| Addition::Keyword("minItems", json!(shortest)))
            }
            // An empty list of members.
            Self::Bare => {
                let unread = Target::Member("\u{1}".to_owned(), json!(UNREADABLE));
                // Serde reads any value into a buffer for an untagged enum, but then reports its variants.
                let is_struct = || {
                    let refusal = ask(Target::Whole(json!(true)))?.err()?;
                    Some(refusal.contains(", expected struct ") && !refusal.contains(", expected a map"))
                };
                let lists_none = ask(unread)?.is_ok() || is_struct() == Some(true);
                lists_none.then(|| Addition::Keyword("properties", json!({})))
            }
            Self::Text => None,
        }
    }
}

/// Finds all maps, tuples, empty objects and strings, and a path to each.
struct Finder<'s> {
    root: &'s Value,
    found: Vec<Place>,
    /// The strings.
    texts: Vec<Place>,
    /// The definitions that were visited.
    seen: Vec<String>,
}

impl Finder<'_> {
    fn visit(&mut self, schema: &Value, pointer: &str, path: &mut Vec<Step>) {
        let Some(node) = schema.as_object() else { return };
        if self.found.len() == MAX_PLACES {
            return;
        }
        if let Some(kind) = Kind::of(node) {
            let place = Place { pointer: pointer.to_owned(), path: path.clone(), kind };
            match place.kind {
                Kind::Text if self.texts.len() == MAX_PLACES => {}
                Kind::Text => self.texts.push(place),
                _ => self.found.push(place),
            }
        }
        if let Some(name) = walk::referenced_definition(node)
            && !self.seen.iter().any(|seen| **seen == *name)
            && let Some(definition) = self.root.get("$defs").and_then(|all| all.get(&*name))
        {
            self.seen.push(name.to_string());
            let pointer = format!("/$defs{}", crate::pointer::below("", &name));
            self.step(definition, &pointer, path, Step::Reference);
        }
        for (keyword, value) in node {
            let pointer = format!("{pointer}/{keyword}");
            match (keyword.as_str(), value) {
                ("properties", Value::Object(properties)) => {
                    for (name, property) in properties {
                        let pointer = crate::pointer::below(&pointer, name);
                        self.step(property, &pointer, path, Step::Property(name.clone()));
                    }
                }
                ("patternProperties", Value::Object(patterns)) => {
                    for (pattern, members) in patterns {
                        let pointer = crate::pointer::below(&pointer, pattern);
                        self.step(members, &pointer, path, Step::Member);
                    }
                }
                ("additionalProperties", members) => self.step(members, &pointer, path, Step::Rest),
                ("items", item) => self.step(item, &pointer, path, Step::Item),
                ("prefixItems", Value::Array(places)) => {
                    for (number, place) in places.iter().enumerate() {
                        self.step(place, &format!("{pointer}/{number}"), path, Step::Place(number));
                    }
                }
                ("allOf" | "anyOf" | "oneOf", Value::Array(parts)) => {
                    for (number, part) in parts.iter().enumerate() {
                        let step = Step::Part(keyword.clone(), number);
                        self.step(part, &format!("{pointer}/{number}"), path, step);
                    }
                }
                _ => {}
            }
        }
    }

    fn step(&mut self, schema: &Value, pointer: &str, path: &mut Vec<Step>, step: Step) {
        path.push(step);
        self.visit(schema, pointer, path);
        path.pop();
    }
}
