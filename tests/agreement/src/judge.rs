//! What must hold between a type's schema, its reader and plain serde, for any arguments.

mod values;

use std::collections::BTreeSet;
use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use toolwright_core::arguments::{ArgumentErrors, ArgumentReader, Problem, ProblemKind};
use toolwright_core::schema::Profile;

use self::values::{
    collect_members, collect_names, collect_required, count, has_inexact_number, has_open_arm,
    is_read_by_position, reversed, with_fractions, with_whole_numbers,
};
use crate::case::{Case, Reading, in_order};
use crate::types::HUSHED;

/// How many members that are null are left out in every combination.
const MAX_NULLS: u32 = 6;

/// Something that does not hold.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// Its sort.
    pub kind: FaultKind,
    /// What was seen.
    pub text: String,
}

/// What does not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[non_exhaustive]
pub enum FaultKind {
    /// The type is refused as a tool.
    Unbuildable,
    /// The schema accepts what the call refuses.
    SchemaWider,
    /// The call accepts what the schema refuses.
    ReaderWider,
    /// serde reads what is made from the type itself, and the call refuses it.
    Narrow,
    /// The call reads another value than serde does.
    OtherValue,
    /// The same arguments written otherwise are refused, or read as another value.
    OtherSpelling,
    /// What serde writes of a value is not read as this value again.
    RoundTrip,
    /// The output schema refuses what serde writes.
    Output,
    /// A refusal without any problem.
    NoProblem,
    /// A problem at a place that the arguments do not have.
    NoSuchPlace,
    /// A refusal without an example, or with one that is refused.
    Example,
    /// A rule of `cargo mcp lint` has something to say.
    Lint,
    /// A refusal that repeats a secret.
    Leak,
    /// A type with two fields of one name is taken as a tool.
    Unrefused,
    /// A panic.
    Panic,
}

impl fmt::Display for FaultKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Unbuildable => "the type is refused as a tool",
            Self::SchemaWider => "the schema accepts what the call refuses",
            Self::ReaderWider => "the call accepts what the schema refuses",
            Self::Narrow => "serde reads what the call refuses",
            Self::OtherValue => "the call reads another value than serde",
            Self::OtherSpelling => "another spelling of the same arguments is read otherwise",
            Self::RoundTrip => "what is written is not read again",
            Self::Output => "the output schema refuses what is written",
            Self::NoProblem => "a refusal names no problem",
            Self::NoSuchPlace => "a problem is at a place that was not sent",
            Self::Example => "the example of a refusal is missing or refused",
            Self::Lint => "lint reports the definition",
            Self::Leak => "a refusal repeats a secret",
            Self::Unrefused => "two fields or variants have one name, and nobody says so",
            Self::Panic => "a panic",
        })
    }
}

fn fault(kind: FaultKind, text: impl Into<String>) -> Fault {
    Fault { kind, text: text.into() }
}

/// All sides of the agreement, for one type.
#[derive(Debug)]
pub struct Judge<'c> {
    case: &'c Case,
    reader: ArgumentReader,
    /// The schema of the arguments.
    pub schema: Value,
    /// The names of the root's properties, and of those anywhere below.
    names: [BTreeSet<String>; 2],
    /// The names that are required anywhere.
    required: BTreeSet<String>,
    validator: jsonschema::Validator,
    /// Of a choice at the root, which the schema shows as one object: of an object with the type as its member `value`.
    choice: Option<jsonschema::Validator>,
    output: jsonschema::Validator,
}

impl<'c> Judge<'c> {
    /// Compiles all that is needed.
    ///
    /// # Errors
    /// [`FaultKind::Unbuildable`].
    pub fn new(case: &'c Case) -> Result<Self, Fault> {
        let reader = case.reader().map_err(|error| fault(FaultKind::Unbuildable, error.to_string()))?;
        let schema = case.input(Profile::Portable);
        let compile = |schema: &Value| {
            jsonschema::options()
                .should_validate_formats(true)
                .build(schema)
                .map_err(|error| fault(FaultKind::Unbuildable, format!("no JSON Schema: {error}: {schema}")))
        };
        let (validator, output) = (compile(&schema)?, compile(&case.output())?);
        let shown_below = case.choice();
        let choice = shown_below.as_ref().map(compile).transpose()?;
        let mut names = [BTreeSet::new(), BTreeSet::new()];
        for (keyword, part) in schema.as_object().into_iter().flatten() {
            collect_names(part, &mut names[1]);
            if let ("properties", Value::Object(properties)) = (keyword.as_str(), part) {
                names[0].extend(properties.keys().cloned());
            }
        }
        if let Some(schema) = &shown_below {
            collect_names(schema, &mut names[1]);
        }
        let mut required = BTreeSet::new();
        collect_required(shown_below.as_ref().unwrap_or(&schema), &mut required);
        Ok(Self { case, reader, schema, names, required, validator, choice, output })
    }

    /// Everything that must hold for `value`; `is_of_type` says that it is made from the type itself, not from its
    /// schema, and has no names that the type does not know.
    ///
    /// # Errors
    /// The first thing that does not hold.
    pub fn check(&self, value: &Value, is_of_type: bool) -> Result<(), Fault> {
        let expected = self.schema_accepts(value);
        let read = self.case.read(&self.reader, value);
        match (expected, &read) {
            (true, Err(refusal)) if !has_inexact_number(value) && !self.would_lose(value, refusal) => {
                Err(fault(FaultKind::SchemaWider, format!("{value}\n{refusal}")))
            }
            (false, Ok(reading)) if !is_of_type && !is_read_by_position(value, reading.written.as_ref()) => {
                Err(fault(FaultKind::ReaderWider, format!("{value} is read as {}", reading.shown)))
            }
            (_, Err(refusal)) if is_of_type && self.reads_all(value) => {
                Err(fault(FaultKind::Narrow, format!("{value}\n{refusal}")))
            }
            (_, Ok(reading)) => self.check_reading(value, reading, is_of_type),
            (_, Err(refusal)) => self.check_refusal(value, refusal),
        }
    }

    /// Whether serde takes a value that a variant of any JSON, or a map, is shown for by an earlier variant of an untagged
    /// enum, and drops what is refused.
    fn would_lose(&self, value: &Value, refusal: &ArgumentErrors) -> bool {
        let is_unknown = |problem: &Problem| problem.kind == ProblemKind::Unknown;
        if !has_open_arm(&self.schema) || !refusal.problems().iter().all(is_unknown) {
            return false;
        }
        let mut without = value.clone();
        for problem in refusal.problems() {
            let Some((parent, name)) = problem.pointer.rsplit_once('/') else { return false };
            let name = name.replace("~1", "/").replace("~0", "~");
            let Some(Value::Object(members)) = without.pointer_mut(parent) else { return false };
            members.shift_remove(&name);
        }
        let (plain, other) = (self.case.read_plainly(value), self.case.read_plainly(&without));
        plain.is_ok_and(|plain| other.is_ok_and(|other| are_same(&plain, &other)))
    }

    /// Whether serde reads the value, and every member of it makes a difference.
    fn reads_all(&self, value: &Value) -> bool {
        let Ok(plain) = self.case.read_plainly(value) else { return false };
        let mut pointers = Vec::new();
        collect_members(value, "", &mut pointers);
        pointers.iter().all(|pointer| {
            let mut changed = value.clone();
            *changed.pointer_mut(pointer).expect("a pointer that was collected") = json!({ "\u{1}": [[]] });
            self.case.read_plainly(&changed).map_or(true, |other| other.shown != plain.shown)
        })
    }

    fn check_reading(&self, value: &Value, reading: &Reading, has_aliases: bool) -> Result<(), Fault> {
        // Absent arguments, null and {} are the same.
        let nothing = json!({});
        let value = if value.is_null() { &nothing } else { value };
        self.compare(value, reading)?;
        let mut without_nulls = value.clone();
        self.leave_out(&mut without_nulls, 0, &mut { u32::MAX });
        for other in self.spellings(value, has_aliases) {
            match self.case.read(&self.reader, &other) {
                // Serde reads `1`, not `1.0`; all else that it reads of a text is what the text means.
                Ok(again) => {
                    if !are_alike(&again, reading) && self.compare(&other, &again).is_err() {
                        let text = format!(
                            "{value} is read as {}\n{other} is read as {}",
                            reading.shown, again.shown
                        );
                        return Err(fault(FaultKind::OtherSpelling, text));
                    }
                }
                // By another name of the variant, which the schema does not show, `null` may be what it holds.
                Err(_)
                    if has_aliases && other == without_nulls && self.case.read_plainly(&other).is_err() => {}
                Err(refusal) => {
                    let text = format!("{value} is read as {}\n{other} is refused: {refusal}", reading.shown);
                    return Err(fault(FaultKind::OtherSpelling, text));
                }
            }
        }
        let Some(written) = &reading.written else { return Ok(()) };
        self.output.validate(written).map_err(|error| {
            fault(FaultKind::Output, format!("{written}\n{error}\n{}", self.case.output()))
        })?;
        self.check_written(reading, written)
    }

    /// What serde writes and reads back, the call reads as well.
    fn check_written(&self, reading: &Reading, written: &Value) -> Result<(), Fault> {
        let is_read_again =
            |written: &Value| self.case.read_plainly(written).is_ok_and(|again| are_same(&again, reading));
        if !is_read_again(written) {
            return Ok(());
        }
        let written = &self.case.without_bound(written);
        let result = match self.case.read(&self.reader, written) {
            // A name that is written only.
            Err(refusal) if refusal.problems().iter().all(|problem| problem.kind == ProblemKind::Unknown) => {
                return Ok(());
            }
            // Such a name in a variant, which then does not match: the rest is read.
            Err(_) => {
                let mut names = BTreeSet::new();
                member_names(written, &mut names);
                names.retain(|name| is_read_again(&without_names(written, &BTreeSet::from([name.clone()]))));
                self.case.read(&self.reader, &without_names(written, &names))
            }
            result => result,
        };
        match result {
            Ok(again) if are_same(&again, reading) => Ok(()),
            Ok(again) => Err(fault(
                FaultKind::RoundTrip,
                format!("{} is written as {written} and read as {}", reading.shown, again.shown),
            )),
            Err(refusal) => Err(fault(
                FaultKind::RoundTrip,
                format!("{} is written as {written} and refused: {refusal}", reading.shown),
            )),
        }
    }

    /// serde reads the same value of the same text; or of the text without what serde cannot take (`1.0` for an
    /// integer, `null` for an absent member).
    fn compare(&self, value: &Value, reading: &Reading) -> Result<(), Fault> {
        let plain = self.case.read_plainly(value);
        if plain.as_ref().is_ok_and(|plain| are_same(plain, reading)) {
            return Ok(());
        }
        // What an untagged enum leaves aside in one variant may be what another one has: the call keeps it.
        let size = |reading: &Reading| reading.written.as_ref().map_or(0, count);
        if plain.as_ref().is_ok_and(|plain| size(plain) < size(reading)) {
            return Ok(());
        }
        if plain.as_ref().is_ok_and(|plain| self.is_read_without_nulls(value, plain, reading)) {
            return Ok(());
        }
        let plainer = with_whole_numbers(value);
        let nulls = if plain.is_ok() { 0 } else { self.count_nulls(&plainer, 0).min(MAX_NULLS) };
        let is_read = (0..1_u32 << nulls).any(|left_out| {
            let mut plainer = plainer.clone();
            self.leave_out(&mut plainer, 0, &mut { left_out });
            self.case.read_plainly(&plainer).is_ok_and(|plain| are_same(&plain, reading))
        });
        if is_read {
            return Ok(());
        }
        let plain = plain.map_or_else(|error| format!("nothing ({error})"), |plain| plain.shown);
        Err(fault(
            FaultKind::OtherValue,
            format!("{value} is read as\n  {}, by serde as\n  {plain}", reading.shown),
        ))
    }

    /// Whether serde swallows nulls as it would anything else in their place, and reads the same without them: a flattened
    /// `Option` of a map is `None` where a member of another variant is null, and all other members are lost.
    fn is_read_without_nulls(&self, value: &Value, plain: &Reading, reading: &Reading) -> bool {
        let mut without = with_whole_numbers(value);
        let mut pointers = Vec::new();
        collect_members(value, "", &mut pointers);
        for pointer in pointers.iter().filter(|pointer| value.pointer(pointer) == Some(&Value::Null)) {
            let mut changed = value.clone();
            *changed.pointer_mut(pointer).expect("a pointer that was collected") = json!({ "\u{1}": [[]] });
            let is_lost = self.case.read_plainly(&changed).is_ok_and(|other| are_same(&other, plain));
            let (parent, name) = pointer.rsplit_once('/').expect("a pointer to a member");
            let name = name.replace("~1", "/").replace("~0", "~");
            let is_known = self.knows(&name, usize::from(!parent.is_empty()));
            if let (true, true, Some(Value::Object(members))) =
                (is_lost, is_known, without.pointer_mut(parent))
            {
                members.shift_remove(&name);
            }
        }
        self.case.read_plainly(&without).is_ok_and(|other| are_same(&other, reading))
    }

    /// The same arguments in other words. A member that may be there by an alias is not given a second time.
    fn spellings(&self, value: &Value, has_aliases: bool) -> Vec<Value> {
        let mut spellings = vec![reversed(value), with_fractions(value)];
        let mut without_nulls = value.clone();
        self.leave_out(&mut without_nulls, 0, &mut { u32::MAX });
        if self.accepts(&without_nulls) {
            spellings.push(without_nulls);
        }
        if let (Value::Object(members), false) = (value, has_aliases) {
            // Null for an absent member, each alone: how it is read has nothing to do with the others.
            let required = self.schema.get("required").and_then(Value::as_array);
            let is_required = |name: &String| required.is_some_and(|all| all.iter().any(|one| one == name));
            // What takes anything takes null as a value, and so may another variant, or its map.
            let is_free = |name: &String| self.schema["properties"][name].get("type").is_none();
            let absent = self.names[0].iter().filter(|name| {
                !members.contains_key(*name) && !is_required(name) && !is_free(name) && self.choice.is_none()
            });
            for name in absent.take(3) {
                let mut members = members.clone();
                members.insert(name.clone(), Value::Null);
                spellings.push(members.into());
            }
        }
        let text = value.to_string();
        spellings.retain(|other| *other.to_string() != text);
        spellings
    }

    fn check_refusal(&self, value: &Value, refusal: &ArgumentErrors) -> Result<(), Fault> {
        if refusal.problems().is_empty() {
            return Err(fault(FaultKind::NoProblem, value.to_string()));
        }
        let shown = refusal.to_string();
        if shown.contains(HUSHED) {
            return Err(fault(FaultKind::Leak, format!("{value}\n{shown}")));
        }
        for problem in refusal.problems() {
            let parent = problem.pointer.rsplit_once('/').map_or("", |(parent, _)| parent);
            let place = if problem.kind == ProblemKind::Missing { parent } else { &problem.pointer };
            if value.pointer(place).is_none() {
                return Err(fault(FaultKind::NoSuchPlace, format!("{value}\n{problem}")));
            }
        }
        match refusal.example() {
            None => Err(fault(FaultKind::Example, format!("no example: {}", self.schema))),
            Some(example) if !self.schema_accepts(example) => {
                Err(fault(FaultKind::Example, format!("the schema refuses the example {example}")))
            }
            Some(example) => match self.case.read(&self.reader, example) {
                Ok(_) => Ok(()),
                Err(refusal) => Err(fault(FaultKind::Example, format!("{example} is refused: {refusal}"))),
            },
        }
    }

    /// Whether the schema accepts the value, once members that are null are left out where that helps: for an
    /// optional member the two are the same, which the schema does not show.
    pub fn schema_accepts(&self, value: &Value) -> bool {
        if self.accepts(value) {
            return true;
        }
        // Absent arguments, null and {} are the same.
        if value.is_null() {
            return self.accepts(&json!({}));
        }
        let mut without = value.clone();
        self.leave_out(&mut without, 0, &mut { u32::MAX });
        if self.accepts(&without) {
            return true;
        }
        // What is required somewhere may be what a unit struct is written as.
        let mut without = value.clone();
        self.leave_out_optional(&mut without, 0);
        if self.accepts(&without) {
            return true;
        }
        let nulls = self.count_nulls(value, 0);
        // Of many, one or two may be what a variant holds.
        let of_many = 0..if nulls > MAX_NULLS { nulls.min(u32::BITS) } else { 0 };
        let kept = of_many.clone().flat_map(|one| of_many.clone().map(move |other| 1 << one | 1 << other));
        (1..1_u32 << nulls.min(MAX_NULLS)).chain(kept.map(|kept: u32| !kept)).any(|left_out| {
            let mut value = value.clone();
            self.leave_out(&mut value, 0, &mut { left_out });
            self.accepts(&value)
        })
    }

    /// Whether the value fits the schema; of a choice at the root, also what would be shown below it.
    fn accepts(&self, value: &Value) -> bool {
        let is_valid = self.validator.is_valid(value);
        // There a credential is a member like any other.
        let value = self.case.with_bound(value);
        let fits = |choice: &jsonschema::Validator| choice.is_valid(&json!({ "value": value }));
        is_valid && self.choice.as_ref().is_none_or(fits)
    }

    /// The reading of a call, or the text of its refusal.
    ///
    /// # Errors
    /// The refusal.
    pub fn read(&self, value: &Value) -> Result<Reading, ArgumentErrors> {
        self.case.read(&self.reader, value)
    }

    fn knows(&self, name: &str, depth: usize) -> bool {
        self.names[depth].contains(name)
    }

    /// How many known members of objects are null.
    fn count_nulls(&self, value: &Value, depth: usize) -> u32 {
        match value {
            Value::Object(object) => {
                let count = |(name, member): (&String, &Value)| {
                    u32::from(member.is_null() && self.knows(name, depth)) + self.count_nulls(member, 1)
                };
                object.iter().map(count).sum()
            }
            Value::Array(items) => items.iter().map(|item| self.count_nulls(item, 1)).sum(),
            _ => 0,
        }
    }

    /// Leaves out the null members that nothing requires.
    fn leave_out_optional(&self, value: &mut Value, depth: usize) {
        match value {
            Value::Object(object) => {
                let is_kept = |name: &String| self.required.contains(name) || !self.knows(name, depth);
                object.retain(|name, member| !member.is_null() || is_kept(name));
                object.values_mut().for_each(|member| self.leave_out_optional(member, 1));
            }
            Value::Array(items) => items.iter_mut().for_each(|item| self.leave_out_optional(item, 1)),
            _ => {}
        }
    }

    /// Leaves out those null members whose bit is set in `which`, the first in the lowest bit.
    fn leave_out(&self, value: &mut Value, depth: usize, which: &mut u32) {
        match value {
            Value::Object(object) => object.retain(|name, member| {
                if !member.is_null() || !self.knows(name, depth) {
                    self.leave_out(member, 1, which);
                    return true;
                }
                let is_left_out = *which & 1 == 1;
                *which >>= 1;
                !is_left_out
            }),
            Value::Array(items) => {
                for item in items {
                    self.leave_out(item, 1, which);
                }
            }
            _ => {}
        }
    }
}

/// Whether two readings are of one value; a number of any type is the same as a whole number and as a fraction.
fn are_same(one: &Reading, other: &Reading) -> bool {
    let shown = |reading: &Reading| {
        [")", ",", "}", "]"]
            .iter()
            .fold(reading.shown.clone(), |shown, end| shown.replace(&format!(".0{end}"), end))
    };
    one.shown == other.shown || shown(one) == shown(other)
}

/// The same, whatever the order of members in a value of any JSON.
fn are_alike(one: &Reading, other: &Reading) -> bool {
    let written = |reading: &Reading| reading.written.as_ref().map(in_order);
    are_same(one, other) || (one.written.is_some() && written(one) == written(other))
}

/// The names of all members, at any depth.
fn member_names(value: &Value, names: &mut BTreeSet<String>) {
    match value {
        Value::Object(members) => {
            names.extend(members.keys().cloned());
            members.values().for_each(|value| member_names(value, names));
        }
        Value::Array(items) => items.iter().for_each(|item| member_names(item, names)),
        _ => {}
    }
}

/// A value without all members of these names.
fn without_names(value: &Value, names: &BTreeSet<String>) -> Value {
    match value {
        Value::Object(members) => {
            let rest = members.iter().filter(|(name, _)| !names.contains(*name));
            Value::Object(rest.map(|(name, value)| (name.clone(), without_names(value, names))).collect())
        }
        Value::Array(items) => items.iter().map(|item| without_names(item, names)).collect(),
        _ => value.clone(),
    }
}
