//! What a schema cannot say because schemars does not: which keys a map has that are no strings, how many places of a
//! tuple may be left out, which strings are addresses of sockets, and whether an object of which nothing is said is a
//! struct without fields. serde knows, so it is asked with small values, and what it answers goes into the schema.

use serde_json::{Map, Value, json};

use super::formats::{SOCKET, SOCKET_V4, SOCKET_V6};
use super::keys;
use super::sample::{PLAIN, Sampler, Step, Target};
use super::{merge, walk};
use crate::probe::{self, Answer, Told, UNREADABLE};

/// How many maps, tuples and empty objects of one type are looked at, and how many strings; a schema with more is larger
/// than any client reads.
const MAX_PLACES: usize = 200;

/// How many members a flattened `Option` may need.
const MAX_ADDED: usize = 32;

/// A text that is no address, as little as the first of [`PLAIN`].
const OTHER_TEXT: &str = "some text";

/// Reads a value as the type does.
pub(super) type Read<'r> = &'r dyn Fn(&Value) -> Answer;

/// What serde says about the maps, tuples, empty objects and strings of `schema`, which is as schemars wrote it; for
/// [`apply`].
pub(super) fn learn(schema: &Value, read: Read<'_>) -> Vec<Lesson> {
    let mut finder = Finder { root: schema, found: Vec::new(), texts: Vec::new(), seen: Vec::new() };
    finder.visit(schema, "", &mut Vec::new());
    let (texts, found) = (finder.texts, finder.found);
    let read = |value: &Value| as_far_as_it_goes(read(value));
    let mut lessons = Vec::new();
    let mut schema = schema.clone();
    for Place { pointer, path, kind } in found {
        let (before, also) = before(&schema, &path, &read);
        let value = |target: &Target, plain| {
            Sampler { root: &schema, plain, also: &also }.value(&schema, &path, target)
        };
        let ask = |target| {
            let ask = |plain| {
                let answer = read(&value(&target, plain)?);
                let is_taken = before.as_ref().map_or(answer.is_read, |before| answer.is_as_good_as(before));
                Some(if is_taken { Ok(()) } else { Err(answer.words()) })
            };
            // What else stands beside may be text of either sort.
            let [first, second] = PLAIN;
            match ask(first)? {
                Err(reason) if !keys::is_about_key(&reason) => ask(second),
                answer => Some(answer),
            }
        };
        let Some(words) = kind.words(&ask) else { continue };
        let lesson = Lesson { pointer, words };
        // At once: what leads through this map to another one needs a key that it takes.
        lesson.add_keyword(&mut schema);
        lessons.push(lesson);
    }
    for Place { pointer, path, .. } in texts {
        let (_, also) = before(&schema, &path, &read);
        let answer = |part: Value, plain| {
            let target = Target::Whole(part);
            Some(read(&Sampler { root: &schema, plain, also: &also }.value(&schema, &path, &target)?))
        };
        if let Some(format) = format_of_text(&answer) {
            let lesson = Lesson { pointer, words: Words::Keyword("format", json!(format)) };
            lesson.add_keyword(&mut schema);
            lessons.push(lesson);
        }
    }
    lessons
}

/// What the type says of a value with whatever fits in the place that `path` leads to, and the members that were added for
/// it. A flattened `Option` swallows what does not fit, and looks at nothing before all that it needs is there.
fn before(schema: &Value, path: &[Step], read: &dyn Fn(&Value) -> Answer) -> (Option<Answer>, Vec<String>) {
    let answer = |also: &[String]| {
        let value = |plain| Sampler { root: schema, plain, also }.value(schema, path, &Target::Any);
        let answers = PLAIN.iter().filter_map(|plain| Some(read(&value(plain)?)));
        answers.filter(|answer| answer.is_read).min_by_key(|answer| answer.told.len())
    };
    let alone = answer(&[]);
    let (mut also, mut last) = (Vec::new(), alone.clone());
    while also.len() < MAX_ADDED {
        let missing = last.iter().flat_map(|answer| &answer.told).find_map(|told| match told {
            Told::Missing(name) if !also.contains(name) => Some(name.clone()),
            _ => None,
        });
        let Some(missing) = missing else { break };
        also.push(missing);
        last = answer(&also);
    }
    let said = |answer: &Option<Answer>| answer.as_ref().map_or(usize::MAX, |answer| answer.told.len());
    if said(&last) < said(&alone) { (last, also) } else { (alone, Vec::new()) }
}

/// What came before a value that no type reads there, whatever it is: then what leads to it was read.
fn as_far_as_it_goes(mut answer: Answer) -> Answer {
    let is_limit = |told: &Told| probe::NO_WIDE_INTEGER.iter().any(|words| told.words().starts_with(words));
    if let Some(at) = answer.told.iter().position(is_limit) {
        answer.told.truncate(at);
        answer.is_read = true;
    }
    answer
}

/// Puts what serde said into the schema that it is about.
pub(super) fn apply(schema: &mut Value, lessons: &[Lesson]) {
    for lesson in lessons {
        lesson.add_keyword(schema);
    }
    // The innermost first: the names are part of the pointers to what is below them.
    for lesson in lessons.iter().rev() {
        lesson.rename_keys(schema);
    }
}

/// What serde said about one of them.
#[derive(Debug)]
pub(super) struct Lesson {
    /// Where its schema stands.
    pointer: String,
    words: Words,
}

#[derive(Debug)]
enum Words {
    /// A keyword with its value.
    Keyword(&'static str, Value),
    /// The pattern of the keys.
    Pattern(String),
}

impl Lesson {
    fn add_keyword(&self, schema: &mut Value) {
        if let Words::Keyword(keyword, value) = &self.words
            && let Some(Value::Object(node)) = schema.pointer_mut(&self.pointer)
        {
            node.insert((*keyword).to_owned(), value.clone());
        }
    }

    fn rename_keys(&self, schema: &mut Value) {
        if let Words::Pattern(pattern) = &self.words
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
    /// Where its schema stands.
    pointer: String,
    /// How a value gets there.
    path: Vec<Step>,
    kind: Kind,
}

enum Kind {
    /// A map that says nothing of its keys.
    Open,
    /// A map whose keys are integers.
    Integers,
    /// A tuple of so many places.
    Tuple(u64),
    /// An object of which nothing is said: a struct without fields, or a type whose schema is written by hand.
    Bare,
    /// A string of which nothing more is said.
    Text,
}

/// The format of a type that is written as a string of which schemars says nothing more: the address of a socket. What
/// else stands beside it is text of either sort.
fn format_of_text(answer: &dyn Fn(Value, &'static str) -> Option<Answer>) -> Option<&'static str> {
    let [text, v4] = PLAIN;
    let v6 = "[2001:db8::1]:80";
    for beside in PLAIN {
        let plain = answer(text.into(), beside)?;
        // Where a text is read, if by another variant, no more can be said.
        let is_worse = |wrong: Answer| !wrong.is_read || wrong.told.len() > plain.told.len();
        let mut wrong = [json!(true), json!([[[]]])].into_iter().filter_map(|wrong| answer(wrong, beside));
        if plain.is_read && wrong.any(is_worse) {
            return None;
        }
        // Where something else is refused after it, the address is what is refused of it no more.
        let other = answer(OTHER_TEXT.into(), beside)?;
        let is_passed = |it: &Answer| {
            let says = |words: &Answer, told: &Told| words.told.iter().any(|one| one.is_like(told));
            let is_new = !it.told.is_empty() && it.told.iter().all(|told| !says(&plain, told));
            is_new && !plain.told.is_empty() && plain.told.iter().all(|told| says(&other, told))
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

/// Keywords that say something of the members of an object.
const SAY_SOMETHING: &[&str] = &[
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
            let is_of_integers =
                patterns.len() == 1 && patterns.keys().all(|pattern| keys::is_of_integers(pattern));
            return is_of_integers.then_some(Self::Integers);
        }
        let takes_more = node.get("additionalProperties").is_some_and(|rest| *rest != Value::Bool(false));
        if takes_more && !node.contains_key("properties") {
            return Some(Self::Open);
        }
        let is_about_members = |keyword: &String| SAY_SOMETHING.contains(&keyword.as_str());
        (!node.keys().any(is_about_members)).then_some(Self::Bare)
    }

    fn words(&self, ask: &dyn Fn(Target) -> Option<Result<(), String>>) -> Option<Words> {
        let takes = |key: &str| ask(Target::Key(key.to_owned())).unwrap_or(Ok(()));
        match self {
            Self::Open => Some(Words::Keyword("propertyNames", keys::of_open_map(&takes)?)),
            Self::Integers => keys::of_integers(&|key| takes(key).is_ok()).map(Words::Pattern),
            Self::Tuple(length) => {
                let takes = |length| ask(Target::Length(length)).is_some_and(|answer| answer.is_ok());
                let shortest = (0..*length).rev().take_while(|shorter| takes(*shorter)).last()?;
                takes(*length).then(|| Words::Keyword("minItems", json!(shortest)))
            }
            // It lists its members: none.
            Self::Bare => {
                let unread = Target::Member("\u{1}".to_owned(), json!(UNREADABLE));
                // Serde reads all of a value to copy it for an untagged enum, but says what the variants are.
                let is_struct = || {
                    let refusal = ask(Target::Whole(json!(true)))?.err()?;
                    Some(refusal.contains(", expected struct ") && !refusal.contains(", expected a map"))
                };
                let lists_none = ask(unread)?.is_ok() || is_struct() == Some(true);
                lists_none.then(|| Words::Keyword("properties", json!({})))
            }
            Self::Text => None,
        }
    }
}

/// Finds every map, tuple, empty object and string, and for each a way to it.
struct Finder<'s> {
    root: &'s Value,
    found: Vec<Place>,
    /// Strings apart.
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
        if let Some(name) = walk::referenced(node)
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
