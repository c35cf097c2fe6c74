//! Validates a value in a single walk, which selects variants, records which values are read differently from
//! how they are written, and collects all problems.
//!
//! Results for referenced schemas are cached, so that arms that refer to the same schema do not double the work
//! at each level.

use std::collections::HashMap;

use serde_json::Value;

use super::number::{self, Exact};
use super::{Checker, Node, NodeId, Types};
use crate::arguments::doc::{Doc, Edit, Json, ValueId};
use crate::arguments::problem::{Findings, ProblemKind, Segment};

/// Maximum depth of nested schemas; a text has at most 127 levels.
const MAX_DEPTH: usize = 512;
/// Maximum number of schemas that are applied, in addition to [`STEPS_PER_VALUE`] for each value.
const MAX_STEPS: usize = 20_000;
/// What each value of the text adds to [`MAX_STEPS`].
const STEPS_PER_VALUE: usize = 200;
/// The message if one of these limits is reached.
pub(super) const TOO_COMPLEX: &str = "the value is too intricate to be checked; send a simpler one";

/// How a value is interpreted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(in crate::arguments) enum Mode {
    /// As in JSON Schema: `1.0` is an integer. `null` for an optional member means that it is omitted.
    Schema,
    /// The same, and JSON text is parsed if only an object or array is accepted.
    SchemaWithText,
    /// As serde reads the text: `1.0` is a float, `null` is a value.
    Serde,
    /// The same, but unknown names are ignored, as serde does.
    SerdeOpen,
    /// The same, but a string need not match the pattern or format if the type accepts it.
    SerdeForms,
    /// The same, but without the constraints that serde does not enforce: selects the variant that serde
    /// selects.
    SerdeTypes,
}

impl Mode {
    pub(super) fn is_schema(self) -> bool {
        matches!(self, Self::Schema | Self::SchemaWithText)
    }

    pub(super) fn has_constraints(self) -> bool {
        self != Self::SerdeTypes
    }

    pub(super) fn ignores_unknown(self) -> bool {
        matches!(self, Self::SerdeOpen | Self::SerdeForms | Self::SerdeTypes)
    }
}

/// Facts about a type that its schema does not contain.
pub(in crate::arguments) trait TypeInfo {
    /// Returns the property of the object that `name` is an alias of.
    fn alias(&self, node: NodeId, name: &str) -> Option<usize>;
    /// Returns whether the type accepts `text` although the schema does not list it.
    fn accepts_unlisted(&self, node: NodeId, text: &str) -> bool;
    /// Returns whether the type accepts a value that violates a constraint of the schema.
    fn reads(&self, node: NodeId, value: Value) -> bool;
    /// Returns whether the type accepts a string that violates a constraint of the schema, but not every string.
    fn reads_form(&self, node: NodeId, text: &str) -> bool;
    /// Returns whether the type accepts a further member whose name violates a constraint of the schema.
    fn reads_name(&self, node: NodeId, name: &str) -> bool;
    /// Returns whether the type ignores the part of a value at `pointer`.
    fn drops(&self, node: NodeId, value: &Value, pointer: &str) -> bool;
    /// Returns the properties of the object with the properties that they require, by position.
    fn needs(&self, node: NodeId) -> &[(usize, Vec<usize>)];
}

/// No type: only the schema is known.
#[derive(Debug)]
pub(in crate::arguments) struct NoTypeInfo;

impl TypeInfo for NoTypeInfo {
    fn alias(&self, _: NodeId, _: &str) -> Option<usize> {
        None
    }

    fn accepts_unlisted(&self, _: NodeId, _: &str) -> bool {
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

/// One step from a value to one inside it.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// A member, by its position in the object.
    Member(ValueId, usize),
    Item(usize),
}

/// One walk over a value.
pub(in crate::arguments) struct Check<'c, 'd, 't> {
    pub(super) checker: &'c Checker,
    pub(super) type_info: &'c dyn TypeInfo,
    pub(super) doc: &'d mut Doc<'t>,
    /// Collects problems; `None` if only the result matters.
    pub(super) findings: Option<Findings>,
    pub(super) mode: Mode,
    /// Whether JSON text is parsed if only an object or array is accepted.
    pub(super) from_text: bool,
    pub(super) path: Vec<Step>,
    /// The length of the path to the outermost secret that the current value is part of.
    pub(super) secret: Option<usize>,
    depth: usize,
    /// How many more schemas may be applied.
    pub(super) steps: usize,
    pub(super) edits: HashMap<ValueId, Edit>,
    known: HashMap<(NodeId, ValueId, Mode), bool>,
    /// The values of strings that were parsed as JSON.
    pub(super) inner: HashMap<ValueId, Option<ValueId>>,
}

impl<'c, 'd, 't> Check<'c, 'd, 't> {
    pub(in crate::arguments) fn new(
        checker: &'c Checker,
        type_info: &'c dyn TypeInfo,
        doc: &'d mut Doc<'t>,
        mode: Mode,
    ) -> Self {
        let steps = MAX_STEPS + STEPS_PER_VALUE * doc.len();
        Self {
            checker,
            type_info,
            doc,
            findings: None,
            mode,
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

    /// Never parses strings as JSON.
    pub(in crate::arguments) fn with_strict(mut self, is_strict: bool) -> Self {
        self.from_text = !is_strict;
        self
    }

    /// Adds the problems of the value to `findings`, and returns the values to be read differently.
    pub(in crate::arguments) fn find_problems(
        &mut self,
        id: NodeId,
        value: ValueId,
        findings: Findings,
    ) -> (Findings, HashMap<ValueId, Edit>) {
        self.findings = Some(findings);
        self.run(id, value);
        if self.steps == 0 {
            self.report(ProblemKind::TooComplex, || TOO_COMPLEX.to_owned());
        }
        (self.findings.take().unwrap_or_default(), std::mem::take(&mut self.edits))
    }

    /// Returns how many schemas were applied.
    #[cfg(test)]
    pub(in crate::arguments) fn steps_taken(&self) -> usize {
        (MAX_STEPS + STEPS_PER_VALUE * self.doc.len()).saturating_sub(self.steps)
    }

    /// Applies the node to the value; returns false if there is a problem.
    pub(in crate::arguments) fn run(&mut self, id: NodeId, value: ValueId) -> bool {
        if self.depth == MAX_DEPTH {
            // No other constraint may turn this into a match.
            self.steps = 0;
        }
        if self.steps == 0 {
            return self.report(ProblemKind::TooComplex, || TOO_COMPLEX.to_owned());
        }
        self.steps -= 1;
        let node = self.checker.node(id);
        let is_kept = node.shared && self.findings.is_none();
        let key = (id, value, self.mode);
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
            return self.report(ProblemKind::Unknown, || "nothing may stand here; leave it out".to_owned());
        }
        let value = self.parse_embedded_json(node, value);
        if node.nullable && matches!(self.doc.get(value), Json::Null) {
            return true;
        }
        if node.types.is_some_and(|types| !types.has(self.types_of(value))) {
            // All other problems follow from the wrong type.
            return self.report_type(id, node, value);
        }
        if let Some(allowed) = &node.allowed
            && !allowed.iter().any(|one| number::equals(one, self.doc, value))
            && !self.is_unlisted(id, value)
        {
            return self.report_choice(node, allowed, value);
        }
        self.normalize_integer(node, value);
        let own = match self.doc.get(value) {
            Json::Number(text) => {
                let number = Exact::of_text(text);
                self.check_number(id, node, number, value)
            }
            Json::Text(text) if !self.mode.has_constraints() => {
                let fits = node.string.have_shape_of(text) && node.string.have_length_of(text);
                // The constraint may come from a type, such as an address.
                fits || self.type_info.reads(id, Value::from(&**text))
            }
            Json::Text(text) if self.mode == Mode::SerdeForms => {
                let fits = node.string.have_shape_of(text) && node.string.have_length_of(text);
                fits || self.type_info.reads_form(id, text)
            }
            Json::Text(_) => self.check_string(id, node, value),
            Json::Array(items) => {
                let length = items.len();
                self.check_array(node, value, length)
            }
            Json::Object(_) => self.check_object(id, node, value),
            Json::Null | Json::Bool(_) => true,
        };
        if !own && self.findings.is_none() {
            return false;
        }
        self.check_in_place(id, node, value) && own
    }

    /// Returns the types of the value in the current mode.
    pub(super) fn types_of(&self, value: ValueId) -> Types {
        match self.doc.get(value) {
            Json::Null => Types::NULL,
            Json::Bool(_) => Types::BOOLEAN,
            Json::Number(text) if is_integer_literal(text) => Types::INTEGER,
            Json::Number(text) if self.mode.is_schema() && Exact::of_text(text).is_whole() => Types::INTEGER,
            Json::Number(_) => Types::FRACTION,
            Json::Text(_) => Types::STRING,
            Json::Array(_) => Types::ARRAY,
            Json::Object(_) => Types::OBJECT,
        }
    }

    /// Returns whether the value is a string that the type accepts although the schema does not list it.
    pub(super) fn is_unlisted(&self, id: NodeId, value: ValueId) -> bool {
        let Json::Text(text) = self.doc.get(value) else { return false };
        let is_of_another_arm = self.checker.node(id).siblings.iter().any(|other| **other == **text);
        !is_of_another_arm && self.type_info.accepts_unlisted(id, text)
    }

    /// An integer may be written with a fraction of zero (2020-12 core, 4.2.3), which serde does not accept.
    fn normalize_integer(&mut self, node: &Node, value: ValueId) {
        let Json::Number(text) = self.doc.get(value) else { return };
        if self.findings.is_none() || is_integer_literal(text) || node.reach.has(Types::NUMBER) {
            return;
        }
        if let Some(digits) = super::decimal::Decimal::of(text).and_then(super::decimal::Decimal::to_digits) {
            self.edits.insert(value, Edit::Number(digits));
        }
    }

    fn check_number(&mut self, id: NodeId, node: &'c Node, number: Exact, value: ValueId) -> bool {
        if !self.mode.has_constraints() {
            let Json::Number(text) = self.doc.get(value) else { return true };
            return node.number.accepts(text, number) || self.type_info.reads(id, number.to_value());
        }
        if node.is_free() && self.mode != Mode::Schema && self.is_wide(value) {
            return self.report(ProblemKind::Range, || TOO_WIDE.to_owned());
        }
        if !number.as_float().is_finite() && node.reach.overlaps(Types::NUMBER) {
            return self
                .report(ProblemKind::Range, || "the number is too large for a float of 64 bits".to_owned());
        }
        let Json::Number(text) = self.doc.get(value) else { return true };
        node.number.accepts(text, number)
            || self.report_value(ProblemKind::Range, node, value, |checker| checker.describe(id))
    }

    /// Returns the node of a member or item that may have any value.
    pub(super) fn of_any(&self, node: &Node) -> Option<NodeId> {
        (node.is_free() && self.mode != Mode::Schema && self.mode.has_constraints())
            .then_some(self.checker.anything)
    }

    /// Returns whether the number is an integer that `serde_json` would convert to a float.
    fn is_wide(&self, value: ValueId) -> bool {
        match self.doc.get(value) {
            Json::Number(text) => {
                is_integer_literal(text) && text.parse::<i64>().is_err() && text.parse::<u64>().is_err()
            }
            _ => false,
        }
    }

    fn check_string(&mut self, id: NodeId, node: &'c Node, value: ValueId) -> bool {
        let rules = &node.string;
        let Json::Text(text) = self.doc.get(value) else { return true };
        let shaped = rules.have_shape_of(text);
        let mut fits = true;
        if !rules.have_length_of(text) {
            let length = text.chars().count();
            let quantity = super::describe::format_quantity(rules.min_length, rules.max_length, "character");
            // The length of a secret is a hint about its value.
            let hidden = self.secret.is_some() || node.contains_secret();
            let got = if hidden { String::new() } else { format!("; got {length}") };
            fits = self.report(ProblemKind::Size, || format!("expected a string of {quantity}{got}"));
        }
        if !shaped {
            return self.report_value(ProblemKind::Pattern, node, value, |checker| checker.describe(id));
        }
        fits
    }

    fn check_array(&mut self, node: &'c Node, value: ValueId, count: usize) -> bool {
        let array = &node.array;
        let mut fits = true;
        let length = count as u64;
        let outside = !array.have_length(length);
        // Serde only counts the items of tuples.
        if outside && (self.mode.has_constraints() || !array.prefix.is_empty()) {
            let quantity = super::describe::format_quantity(array.min_items, array.max_items, "item");
            fits &= self.report(ProblemKind::Size, || format!("expected {quantity}; got {length}"));
        }
        if array.unique
            && self.mode.has_constraints()
            && let Json::Array(items) = self.doc.get(value)
            && let Some((first, second)) = number::find_duplicate(self.doc, items)
        {
            fits &= self.report(ProblemKind::Size, || {
                format!("every item may stand here once; item {second} repeats item {first}")
            });
        }
        for index in 0..count {
            let child = array.prefix.get(index).copied().or(array.items);
            let Some(child) = child.or(self.of_any(node)) else { break };
            let Some(item) = self.item_at(value, index) else { break };
            fits &= self.with_step(Step::Item(index), |check| check.run(child, item));
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        if let Some(contains) = array.contains.as_ref().filter(|_| self.mode.has_constraints()) {
            let mut matching = 0;
            for index in 0..count {
                let item = self.item_at(value, index);
                matching += u64::from(item.is_some_and(|item| self.matches(contains.node, item, self.mode)));
            }
            if matching < contains.min || contains.max.is_some_and(|max| matching > max) {
                let item = self.checker.describe(contains.node);
                let quantity = super::describe::format_quantity(Some(contains.min), contains.max, "item");
                fits &= self.report(ProblemKind::Size, || {
                    format!("expected {quantity} to be {item}; got {matching}")
                });
            }
        }
        fits
    }

    fn item_at(&self, value: ValueId, index: usize) -> Option<ValueId> {
        match self.doc.get(value) {
            Json::Array(items) => items.get(index).copied(),
            _ => None,
        }
    }

    /// Returns whether the value matches in this mode, without reporting problems.
    pub(super) fn matches(&mut self, id: NodeId, value: ValueId, mode: Mode) -> bool {
        let findings = self.findings.take();
        let before = std::mem::replace(&mut self.mode, mode);
        let fits = self.run(id, value);
        self.mode = before;
        self.findings = findings;
        fits && self.steps > 0
    }

    pub(super) fn with_step(&mut self, step: Step, run: impl FnOnce(&mut Self) -> bool) -> bool {
        self.path.push(step);
        let fits = run(self);
        self.path.pop();
        fits
    }

    /// Reports a problem at the current location; returns false.
    pub(super) fn report(&mut self, kind: ProblemKind, message: impl FnOnce() -> String) -> bool {
        self.report_member(None, kind, message)
    }

    /// Reports a problem with a missing member, or at the current location; returns false.
    pub(super) fn report_member(
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

    /// Reports an unexpected value; returns false.
    pub(super) fn report_value(
        &mut self,
        kind: ProblemKind,
        node: &Node,
        value: ValueId,
        expected: impl FnOnce(&Checker) -> String,
    ) -> bool {
        self.report_with(kind, node, value, expected, "")
    }

    /// The same with an addition to the message.
    pub(super) fn report_with(
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
        let hidden = self.secret.is_some() || node.contains_secret();
        let got = super::describe::describe_value(self.doc, value, hidden);
        let expected = expected(self.checker);
        self.report(kind, || format!("expected {expected}; got {got}{more}"))
    }
}

/// The message for an integer where the type accepts any JSON value.
const TOO_WIDE: &str = "an integer of more than 64 bits would lose digits here; send it as a string";

/// Returns whether a number is written as serde reads integers: only digits, and no minus sign before zero.
fn is_integer_literal(text: &str) -> bool {
    text != "-0" && text.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-')
}
