//! What a schema cannot say because schemars does not: which keys a map has that are no strings, and how many places
//! of a tuple may be left out. serde knows, so it is asked with small values, and what it answers goes into the schema.

use serde_json::{Map, Value, json};

use super::keys;
use super::sample::{Sampler, Step, Target};
use super::walk;

/// How many maps and tuples of one type are looked at; a schema with more is larger than any client reads.
const MAX_PLACES: usize = 200;

/// Reads a value as the type does, or says why not.
pub(super) type Read<'r> = &'r dyn Fn(&str) -> Result<(), String>;

/// Puts into `schema`, which is as schemars wrote it, what serde says about its maps and tuples.
pub(super) fn learn(schema: &mut Value, read: Read<'_>) {
    let mut finder = Finder { root: schema, found: Vec::new(), seen: Vec::new() };
    finder.visit(schema, "", &mut Vec::new());
    let mut renamed = Vec::new();
    for place in finder.found {
        let ask = |target| {
            let value = Sampler { root: schema }.value(schema, &place.path, &target)?;
            Some(read(&value.to_string()))
        };
        match place.kind.lesson(&ask) {
            // At once: what leads through this map to another one needs a key that it takes.
            Some(Lesson::Keyword(keyword, value)) => {
                if let Some(Value::Object(node)) = schema.pointer_mut(&place.pointer) {
                    node.insert(keyword.to_owned(), value);
                }
            }
            Some(Lesson::Pattern(pattern)) => renamed.push((place.pointer, pattern)),
            None => {}
        }
    }
    // The innermost first: the names are part of the pointers to what is below them.
    for (pointer, pattern) in renamed.into_iter().rev() {
        if let Some(Value::Object(patterns)) = schema.pointer_mut(&format!("{pointer}/patternProperties")) {
            let members = patterns.values_mut().next().map(Value::take).unwrap_or_default();
            *patterns = [(pattern, members)].into_iter().collect();
        }
    }
}

/// What serde said.
enum Lesson {
    /// A keyword with its value.
    Keyword(&'static str, Value),
    /// The pattern of the keys.
    Pattern(String),
}

/// A map or tuple.
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
}

impl Kind {
    fn of(node: &Map<String, Value>) -> Option<Self> {
        if let Some(Value::Array(places)) = node.get("prefixItems") {
            let length = places.len() as u64;
            let is_closed = node.get("minItems").and_then(Value::as_u64) == Some(length);
            return is_closed.then_some(Self::Tuple(length));
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
        (takes_more && !node.contains_key("properties")).then_some(Self::Open)
    }

    fn lesson(&self, ask: &dyn Fn(Target) -> Option<Result<(), String>>) -> Option<Lesson> {
        let takes = |key: &str| ask(Target::Key(key.to_owned())).unwrap_or(Ok(()));
        match self {
            Self::Open => Some(Lesson::Keyword("propertyNames", keys::of_open_map(&takes)?)),
            Self::Integers => keys::of_integers(&|key| takes(key).is_ok()).map(Lesson::Pattern),
            Self::Tuple(length) => {
                let takes = |length| ask(Target::Length(length)).is_some_and(|answer| answer.is_ok());
                let shortest = (0..*length).rev().take_while(|shorter| takes(*shorter)).last()?;
                takes(*length).then(|| Lesson::Keyword("minItems", json!(shortest)))
            }
        }
    }
}

/// Finds every map and tuple, and for each a way to it.
struct Finder<'s> {
    root: &'s Value,
    found: Vec<Place>,
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
            self.found.push(Place { pointer: pointer.to_owned(), path: path.clone(), kind });
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
