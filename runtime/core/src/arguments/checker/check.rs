//! Running the rules over a value: one walk that chooses among arms, notes what is to be read otherwise than it was
//! written, and collects every problem.
//!
//! What was found out about a value and a schema that is referred to is kept, so that arms which lead to the same
//! schema again do not double the work with each level of nesting.

use std::collections::HashMap;

use serde_json::Value;

use super::number::{self, Exact};
use super::{Checker, Node, NodeId, Types};
use crate::arguments::doc::{Doc, Edit, Json, ValueId};
use crate::arguments::problem::{Findings, ProblemKind, Segment};

/// How many schemas may lie on top of each other; a text has no more than 127 levels.
const MAX_DEPTH: usize = 512;
/// How many schemas are applied at most, whatever the size of the value.
const MAX_STEPS: usize = 20_000;
/// What each value of the text adds to [`MAX_STEPS`].
const STEPS_PER_VALUE: usize = 200;
/// What is said where one of these limits is reached.
pub(super) const TOO_COMPLEX: &str = "the value is too intricate to be checked; send a simpler one";

/// How a value is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::arguments) enum Terms {
    /// As JSON Schema says: `1.0` is an integer. `null` for a member that may be left out is left out.
    Schema,
    /// The same, and JSON text is read where only an object or array can stand.
    Meant,
    /// As serde reads the text: `1.0` is a float, `null` is a value.
    Written,
    /// The same, and names that the schema does not know are ignored, as serde ignores them.
    Open,
    /// The same, and a text need not have the form that the schema shows where a type with a form of its own reads it.
    Lenient,
    /// The same without the rules that serde does not know: what serde takes the value for.
    Types,
}

impl Terms {
    pub(super) fn is_generous(self) -> bool {
        matches!(self, Self::Schema | Self::Meant)
    }

    pub(super) fn has_rules(self) -> bool {
        self != Self::Types
    }

    pub(super) fn ignores_unknown(self) -> bool {
        matches!(self, Self::Open | Self::Lenient | Self::Types)
    }
}

/// What is known about a type beyond its schema.
pub(in crate::arguments) trait Insight {
    /// The property of the object that `name` is another name of.
    fn alias(&self, node: NodeId, name: &str) -> Option<usize>;
    /// Whether the type takes `text` where the schema lists other texts.
    fn takes_unlisted(&self, node: NodeId, text: &str) -> bool;
    /// Whether the type reads a value that breaks a rule of the schema in this place.
    fn reads(&self, node: NodeId, value: Value) -> bool;
    /// Whether the type reads a text that breaks a rule of the schema in this place, and does not read every text there.
    fn reads_form(&self, node: NodeId, text: &str) -> bool;
    /// Whether the type reads a further member of an object by a name that breaks a rule of the schema.
    fn reads_name(&self, node: NodeId, name: &str) -> bool;
    /// Whether the type makes no use of what stands at `pointer` of a value in this place.
    fn drops(&self, node: NodeId, value: &Value, pointer: &str) -> bool;
    /// Properties of the object with those that must come with them, by position.
    fn needs(&self, node: NodeId) -> &[(usize, Vec<usize>)];
}

/// No type: the schema is all there is.
#[derive(Debug)]
pub(in crate::arguments) struct NoInsight;

impl Insight for NoInsight {
    fn alias(&self, _: NodeId, _: &str) -> Option<usize> {
        None
    }

    fn takes_unlisted(&self, _: NodeId, _: &str) -> bool {
        false
    }

    fn reads(&self, _: NodeId, _: Value) -> bool {
        true
    }

    fn reads_form(&self, _: NodeId, _: &str) -> bool {
        false
    }

    fn reads_name(&self, _: NodeId, _: &str) -> bool {
        true
    }

    fn drops(&self, _: NodeId, _: &Value, _: &str) -> bool {
        true
    }

    fn needs(&self, _: NodeId) -> &[(usize, Vec<usize>)] {
        &[]
    }
}

/// One step from a value to one that it holds.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A member, by its position in the object.
    Member(ValueId, usize),
    Item(usize),
}

/// One walk over a value.
pub(in crate::arguments) struct Check<'c, 'd, 't> {
    pub(super) checker: &'c Checker,
    pub(super) insight: &'c dyn Insight,
    pub(super) doc: &'d mut Doc<'t>,
    /// Where problems go; `None` while only the answer matters.
    pub(super) findings: Option<Findings>,
    pub(super) terms: Terms,
    /// Whether JSON text is read where only an object or array can stand.
    pub(super) from_text: bool,
    pub(super) path: Vec<Step>,
    /// The length of the path to the outermost secret that the current value is part of.
    pub(super) secret: Option<usize>,
    depth: usize,
    /// How many schemas may still be applied.
    pub(super) steps: usize,
    pub(super) edits: HashMap<ValueId, Edit>,
    known: HashMap<(NodeId, ValueId, Terms), bool>,
    /// What texts hold that were read as JSON.
    pub(super) inner: HashMap<ValueId, Option<ValueId>>,
}

impl<'c, 'd, 't> Check<'c, 'd, 't> {
    pub(in crate::arguments) fn new(
        checker: &'c Checker,
        insight: &'c dyn Insight,
        doc: &'d mut Doc<'t>,
        terms: Terms,
    ) -> Self {
        let steps = MAX_STEPS + STEPS_PER_VALUE * doc.len();
        Self {
            checker,
            insight,
            doc,
            findings: None,
            terms,
            from_text: true,
            path: Vec::new(),
            secret: None,
            depth: 0,
            steps,
            edits: HashMap::new(),
            known: HashMap::new(),
            inner: HashMap::new(),
        }
    }

    /// Takes text for text everywhere.
    pub(in crate::arguments) fn without_text(mut self, is_strict: bool) -> Self {
        self.from_text = !is_strict;
        self
    }

    /// Adds every problem of the value to `findings`, and gives what is to be read otherwise.
    pub(in crate::arguments) fn report(
        &mut self,
        id: NodeId,
        value: ValueId,
        findings: Findings,
    ) -> (Findings, HashMap<ValueId, Edit>) {
        self.findings = Some(findings);
        self.run(id, value);
        if self.steps == 0 {
            self.say(ProblemKind::TooComplex, || TOO_COMPLEX.to_owned());
        }
        (self.findings.take().unwrap_or_default(), std::mem::take(&mut self.edits))
    }

    /// How many schemas were applied.
    #[cfg(test)]
    pub(in crate::arguments) fn steps_taken(&self) -> usize {
        (MAX_STEPS + STEPS_PER_VALUE * self.doc.len()).saturating_sub(self.steps)
    }

    /// Applies the node to the value; false if there is a problem.
    pub(in crate::arguments) fn run(&mut self, id: NodeId, value: ValueId) -> bool {
        if self.depth == MAX_DEPTH {
            // No rule may turn this around into a value that fits.
            self.steps = 0;
        }
        if self.steps == 0 {
            return self.say(ProblemKind::TooComplex, || TOO_COMPLEX.to_owned());
        }
        self.steps -= 1;
        let node = self.checker.node(id);
        let is_kept = node.shared && self.findings.is_none();
        let key = (id, value, self.terms);
        if let (true, Some(fits)) = (is_kept, self.known.get(&key)) {
            return *fits;
        }
        self.depth += 1;
        let outer = self.secret;
        if node.is_secret() && outer.is_none() {
            self.secret = Some(self.path.len());
        }
        let fits = self.apply(id, node, value);
        self.secret = outer;
        self.depth -= 1;
        if is_kept && self.steps > 0 {
            self.known.insert(key, fits);
        }
        fits
    }

    fn apply(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        if node.never {
            return self.say(ProblemKind::Unknown, || "nothing may stand here; leave it out".to_owned());
        }
        let value = self.meant_by(node, value);
        if node.nullable && matches!(self.doc.get(value), Json::Null) {
            return true;
        }
        if node.types.is_some_and(|types| !types.has(self.types_of(value))) {
            // Whatever else is wrong follows from the type.
            return self.say_type(id, node, value);
        }
        if let Some(allowed) = &node.allowed
            && !allowed.iter().any(|one| number::is(one, self.doc, value))
            && !self.is_unlisted(id, value)
        {
            return self.say_choice(node, allowed, value);
        }
        self.round(node, value);
        let own = match self.doc.get(value) {
            Json::Number(text) => {
                let number = Exact::of_text(text);
                self.number(id, node, number, value)
            }
            Json::Text(text) if !self.terms.has_rules() => {
                let fits = node.string.have_shape_of(text) && node.string.have_length_of(text);
                // A rule may be that of the type: an address is no other text.
                fits || self.insight.reads(id, Value::from(&**text))
            }
            Json::Text(text) if self.terms == Terms::Lenient => {
                let fits = node.string.have_shape_of(text) && node.string.have_length_of(text);
                fits || self.insight.reads_form(id, text)
            }
            Json::Text(_) => self.string(id, node, value),
            Json::Array(items) => {
                let length = items.len();
                self.array(node, value, length)
            }
            Json::Object(_) => self.object(id, node, value),
            Json::Null | Json::Bool(_) => true,
        };
        if !own && self.findings.is_none() {
            return false;
        }
        self.in_place(id, node, value) && own
    }

    /// The types of the value under the current terms.
    pub(super) fn types_of(&self, value: ValueId) -> Types {
        match self.doc.get(value) {
            Json::Null => Types::NULL,
            Json::Bool(_) => Types::BOOLEAN,
            Json::Number(text) if is_written_whole(text) => Types::INTEGER,
            Json::Number(text) if self.terms.is_generous() && Exact::of_text(text).is_whole() => {
                Types::INTEGER
            }
            Json::Number(_) => Types::FRACTION,
            Json::Text(_) => Types::STRING,
            Json::Array(_) => Types::ARRAY,
            Json::Object(_) => Types::OBJECT,
        }
    }

    /// Whether the value is a text that the type takes where the schema lists others.
    pub(super) fn is_unlisted(&self, id: NodeId, value: ValueId) -> bool {
        let Json::Text(text) = self.doc.get(value) else { return false };
        let is_of_another_arm = self.checker.node(id).beside.iter().any(|other| **other == **text);
        !is_of_another_arm && self.insight.takes_unlisted(id, text)
    }

    /// A whole number may be written with a fraction of zero (2020-12 core, 4.2.3), which serde does not take.
    fn round(&mut self, node: &Node, value: ValueId) {
        let Json::Number(text) = self.doc.get(value) else { return };
        if self.findings.is_none() || is_written_whole(text) || node.reach.has(Types::NUMBER) {
            return;
        }
        if let Some(digits) = super::decimal::Decimal::of(text).and_then(super::decimal::Decimal::to_digits) {
            self.edits.insert(value, Edit::Number(digits));
        }
    }

    fn number(&mut self, id: NodeId, node: &'c Node, number: Exact, value: ValueId) -> bool {
        if !self.terms.has_rules() {
            let Json::Number(text) = self.doc.get(value) else { return true };
            return node.number.hold(text, number) || self.insight.reads(id, number.to_value());
        }
        if node.is_free() && self.terms != Terms::Schema && self.is_wide(value) {
            return self.say(ProblemKind::Range, || TOO_WIDE.to_owned());
        }
        if !number.as_float().is_finite() && node.reach.overlaps(Types::NUMBER) {
            return self
                .say(ProblemKind::Range, || "the number is too large for a float of 64 bits".to_owned());
        }
        let Json::Number(text) = self.doc.get(value) else { return true };
        node.number.hold(text, number)
            || self.say_value(ProblemKind::Range, node, value, |checker| checker.describe(id))
    }

    /// The node of what a value holds that may be anything.
    pub(super) fn of_any(&self, node: &Node) -> Option<NodeId> {
        (node.is_free() && self.terms != Terms::Schema && self.terms.has_rules())
            .then_some(self.checker.anything)
    }

    /// Whether the number is an integer that `serde_json` would turn into a float.
    fn is_wide(&self, value: ValueId) -> bool {
        match self.doc.get(value) {
            Json::Number(text) => {
                is_written_whole(text) && text.parse::<i64>().is_err() && text.parse::<u64>().is_err()
            }
            _ => false,
        }
    }

    fn string(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        let rules = &node.string;
        let Json::Text(text) = self.doc.get(value) else { return true };
        let shaped = rules.have_shape_of(text);
        let mut fits = true;
        if !rules.have_length_of(text) {
            let length = text.chars().count();
            let quantity = super::describe::quantity(rules.min_length, rules.max_length, "character");
            // The length of a secret tells something of the secret.
            let hidden = self.secret.is_some() || node.holds_secret();
            let got = if hidden { String::new() } else { format!("; got {length}") };
            fits = self.say(ProblemKind::Size, || format!("expected a string of {quantity}{got}"));
        }
        if !shaped {
            return self.say_value(ProblemKind::Pattern, node, value, |checker| checker.describe(id));
        }
        fits
    }

    fn array(&mut self, node: &'c Node, value: ValueId, count: usize) -> bool {
        let array = &node.array;
        let mut fits = true;
        let length = count as u64;
        let outside = !array.have_length(length);
        // Serde counts the items of a tuple, and of nothing else.
        if outside && (self.terms.has_rules() || !array.prefix.is_empty()) {
            let quantity = super::describe::quantity(array.min_items, array.max_items, "item");
            fits &= self.say(ProblemKind::Size, || format!("expected {quantity}; got {length}"));
        }
        if array.unique
            && self.terms.has_rules()
            && let Json::Array(items) = self.doc.get(value)
            && let Some((first, second)) = number::first_repeat(self.doc, items)
        {
            fits &= self.say(ProblemKind::Size, || {
                format!("every item may stand here once; item {second} repeats item {first}")
            });
        }
        for index in 0..count {
            let child = array.prefix.get(index).copied().or(array.items);
            let Some(child) = child.or(self.of_any(node)) else { break };
            let Some(item) = self.item(value, index) else { break };
            fits &= self.at(Step::Item(index), |check| check.run(child, item));
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        if let Some(contains) = array.contains.as_ref().filter(|_| self.terms.has_rules()) {
            let mut matching = 0;
            for index in 0..count {
                let item = self.item(value, index);
                matching +=
                    u64::from(item.is_some_and(|item| self.silently(contains.node, item, self.terms)));
            }
            if matching < contains.min || contains.max.is_some_and(|max| matching > max) {
                let item = self.checker.describe(contains.node);
                let quantity = super::describe::quantity(Some(contains.min), contains.max, "item");
                fits &= self
                    .say(ProblemKind::Size, || format!("expected {quantity} to be {item}; got {matching}"));
            }
        }
        fits
    }

    fn item(&self, value: ValueId, index: usize) -> Option<ValueId> {
        match self.doc.get(value) {
            Json::Array(items) => items.get(index).copied(),
            _ => None,
        }
    }

    /// Whether the value fits on these terms, without a word about what does not.
    pub(super) fn silently(&mut self, id: NodeId, value: ValueId, terms: Terms) -> bool {
        let findings = self.findings.take();
        let before = std::mem::replace(&mut self.terms, terms);
        let fits = self.run(id, value);
        self.terms = before;
        self.findings = findings;
        fits && self.steps > 0
    }

    pub(super) fn at(&mut self, step: Step, run: impl FnOnce(&mut Self) -> bool) -> bool {
        self.path.push(step);
        let fits = run(self);
        self.path.pop();
        fits
    }

    /// Reports a problem at the current place; answers false.
    pub(super) fn say(&mut self, kind: ProblemKind, message: impl FnOnce() -> String) -> bool {
        self.say_of(None, kind, message)
    }

    /// Reports a problem of a member that is not there, or at the current place.
    pub(super) fn say_of(
        &mut self,
        name: Option<&str>,
        kind: ProblemKind,
        message: impl FnOnce() -> String,
    ) -> bool {
        let Some(mut findings) = self.findings.take() else { return false };
        let shown = self.secret.filter(|_| name.is_none()).unwrap_or(self.path.len());
        let segments: Vec<Segment<'_>> = self.path[..shown].iter().map(|step| self.segment(*step)).collect();
        findings.add(&segments, name, kind, message);
        self.findings = Some(findings);
        false
    }

    fn segment(&self, step: Step) -> Segment<'_> {
        match step {
            Step::Item(index) => Segment::Index(index),
            Step::Member(object, position) => match self.doc.get(object) {
                Json::Object(members) => Segment::Name(members.get(position).map_or("", |(name, _)| name)),
                _ => Segment::Name(""),
            },
        }
    }

    /// Reports that the value is not what was expected; answers false.
    pub(super) fn say_value(
        &mut self,
        kind: ProblemKind,
        node: &Node,
        value: ValueId,
        expected: impl FnOnce(&Checker) -> String,
    ) -> bool {
        self.say_with(kind, node, value, expected, "")
    }

    /// The same with more words at the end.
    pub(super) fn say_with(
        &mut self,
        kind: ProblemKind,
        node: &Node,
        value: ValueId,
        expected: impl FnOnce(&Checker) -> String,
        more: &str,
    ) -> bool {
        if self.findings.is_none() {
            return false;
        }
        let hidden = self.secret.is_some() || node.holds_secret();
        let got = super::describe::got(self.doc, value, hidden);
        let expected = expected(self.checker);
        self.say(kind, || format!("expected {expected}; got {got}{more}"))
    }
}

/// What is said about an integer where the type holds any JSON value.
const TOO_WIDE: &str = "an integer of more than 64 bits would lose digits here; send it as a string";

/// Whether a number is written as serde reads integers: digits only, and no minus before a zero.
fn is_written_whole(text: &str) -> bool {
    text != "-0" && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}
