//! Running the rules over a value.

use serde_json::{Map, Value};

use super::{Checker, Exact, Node, NodeId, ROOT, Types, number};
use crate::arguments::problem::{Findings, ProblemKind, Segment};

/// How many schemas may lie on top of each other; `serde_json` itself reads no deeper than 128 levels.
const MAX_DEPTH: usize = 512;
/// How many schemas are applied at most, whatever the size of the value. Arms that recurse could otherwise take
/// time that doubles with each level.
const MAX_STEPS: usize = 20_000;
/// What is said where one of these limits is reached.
const TOO_COMPLEX: &str = "the value is too intricate to be checked; send a simpler one";
/// What each node of the value adds to [`MAX_STEPS`].
const STEPS_PER_NODE: usize = 200;

/// Which rules are run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::arguments) enum Rules {
    /// Those that serde does not enforce by itself: neither types nor which members there are.
    BeyondSerde,
    /// The same and types, to tell which arm of an `anyOf` a value is meant for. Members may have other names
    /// than the schema says, since serde's aliases are not part of it.
    BeyondSerdeAndTypes,
    /// All.
    All,
}

impl Checker {
    /// Adds every problem of `value` to `findings`.
    pub(in crate::arguments) fn find(&self, value: &Value, findings: &mut Findings) {
        let mut check = Check::new(self, Some(findings), budget(value));
        check.run(ROOT, value, Rules::All);
        if check.steps == 0 {
            check.report(ProblemKind::TooComplex, || TOO_COMPLEX.to_owned());
        }
    }

    /// Whether `value` fits the node.
    pub(in crate::arguments) fn fits(&self, id: NodeId, value: &Value, rules: Rules) -> bool {
        self.fits_within(id, value, rules, &mut budget(value))
    }

    /// [`Checker::fits`], where no more than `steps` schemas are applied; what they cost is taken off.
    pub(in crate::arguments) fn fits_within(
        &self,
        id: NodeId,
        value: &Value,
        rules: Rules,
        steps: &mut usize,
    ) -> bool {
        let mut check = Check::new(self, None, *steps);
        let fits = check.run(id, value, rules);
        *steps = check.steps;
        fits && *steps > 0
    }
}

struct Check<'c, 'v> {
    checker: &'c Checker,
    /// Where problems go; without, the first one ends the check.
    findings: Option<&'v mut Findings>,
    path: Vec<Segment<'v>>,
    /// The length of the path to the outermost secret that the current value is part of.
    secret: Option<usize>,
    depth: usize,
    steps: usize,
}

impl<'c, 'v> Check<'c, 'v> {
    fn new(checker: &'c Checker, findings: Option<&'v mut Findings>, steps: usize) -> Self {
        Self { checker, findings, path: Vec::new(), secret: None, depth: 0, steps }
    }

    /// Applies the node to the value; false if there is a problem.
    fn run(&mut self, id: NodeId, value: &'v Value, rules: Rules) -> bool {
        if self.depth == MAX_DEPTH {
            // No rule may turn this around into a value that fits.
            self.steps = 0;
        }
        if self.steps == 0 {
            return self.report(ProblemKind::TooComplex, || TOO_COMPLEX.to_owned());
        }
        self.steps -= 1;
        self.depth += 1;
        let node = self.checker.node(id);
        let outer = self.secret;
        if node.is_secret() && outer.is_none() {
            self.secret = Some(self.path.len());
        }
        let fits = self.apply(id, node, value, rules);
        self.secret = outer;
        self.depth -= 1;
        fits
    }

    fn apply(&mut self, id: NodeId, node: &'c Node, value: &'v Value, rules: Rules) -> bool {
        if node.never {
            return self.report(ProblemKind::Unknown, || "nothing may stand here; leave it out".to_owned());
        }
        // serde reads a struct from an array of its members too.
        let by_position = node.is_beyond_serde() && value.is_array();
        if (rules != Rules::BeyondSerde || by_position)
            && node.types.is_some_and(|types| !types.has(Types::of(value)))
        {
            // Whatever else is wrong follows from the type.
            return self.report_value(ProblemKind::Type, node, value, || self.checker.describe(id));
        }
        if let Some(allowed) = &node.allowed
            && !allowed.iter().any(|one| number::same(one, value))
        {
            return self.report_value(ProblemKind::Choice, node, value, || self.checker.describe(id));
        }
        let own = match value {
            Value::Number(number) => self.number(id, node, Exact::of(number), value),
            Value::String(text) => self.string(id, node, text, value),
            Value::Array(items) => self.array(node, items, rules),
            Value::Object(members) => {
                self.object(node, members, rules) & self.dependents(node, members, value, rules)
            }
            Value::Null | Value::Bool(_) => true,
        };
        if !own && self.findings.is_none() {
            return false;
        }
        self.in_place(id, node, value, rules) && own
    }

    fn number(&mut self, id: NodeId, node: &'c Node, number: Exact, value: &'v Value) -> bool {
        let rules = &node.number;
        let in_range = rules.minimum.is_none_or(|minimum| number >= minimum)
            && rules.maximum.is_none_or(|maximum| number <= maximum)
            && rules.exclusive_minimum.is_none_or(|minimum| number > minimum)
            && rules.exclusive_maximum.is_none_or(|maximum| number < maximum)
            && rules.multiple_of.is_none_or(|step| number.is_multiple_of(step));
        in_range || self.report_value(ProblemKind::Range, node, value, || self.checker.describe(id))
    }

    fn string(&mut self, id: NodeId, node: &'c Node, text: &str, value: &'v Value) -> bool {
        let rules = &node.string;
        let mut fits = true;
        if rules.min_length.is_some() || rules.max_length.is_some() {
            let length = text.chars().count() as u64;
            if rules.min_length.is_some_and(|min| length < min)
                || rules.max_length.is_some_and(|max| length > max)
            {
                let quantity = super::describe::quantity(rules.min_length, rules.max_length, "character");
                // The length of a secret tells something of the secret.
                let hidden = self.secret.is_some() || node.holds_secret();
                let got = if hidden { String::new() } else { format!("; got {length}") };
                fits = self.report(ProblemKind::Size, || format!("expected a string of {quantity}{got}"));
            }
        }
        let shaped = rules.pattern.as_ref().is_none_or(|pattern| pattern.is_match(text))
            && rules.format.is_none_or(|format| format.fits(text));
        if !shaped {
            return self.report_value(ProblemKind::Pattern, node, value, || self.checker.describe(id));
        }
        fits
    }

    fn array(&mut self, node: &'c Node, items: &'v [Value], rules: Rules) -> bool {
        let array = &node.array;
        let mut fits = true;
        let length = items.len() as u64;
        if array.min_items.is_some_and(|min| length < min) || array.max_items.is_some_and(|max| length > max)
        {
            let quantity = super::describe::quantity(array.min_items, array.max_items, "item");
            fits &= self.report(ProblemKind::Size, || format!("expected {quantity}; got {length}"));
        }
        if array.unique
            && let Some((first, second)) = number::first_repeat(items)
        {
            fits &= self.report(ProblemKind::Size, || {
                format!("every item may stand here once; item {second} repeats item {first}")
            });
        }
        for (index, item) in items.iter().enumerate() {
            let Some(child) = array.prefix.get(index).copied().or(array.items) else { break };
            fits &= self.below(Segment::Index(index), child, item, rules);
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        if let Some(contains) = &array.contains {
            let matching =
                items.iter().filter(|item| self.silently(contains.node, item, Rules::All)).count() as u64;
            if matching < contains.min || contains.max.is_some_and(|max| matching > max) {
                let item = self.checker.describe(contains.node);
                let quantity = super::describe::quantity(Some(contains.min), contains.max, "item");
                fits &= self.report(ProblemKind::Size, || {
                    format!("expected {quantity} to be {item}; got {matching}")
                });
            }
        }
        fits
    }

    fn object(&mut self, node: &'c Node, members: &'v Map<String, Value>, rules: Rules) -> bool {
        let object = &node.object;
        let mut fits = true;
        if rules == Rules::All {
            for name in &object.required {
                if !members.contains_key(&**name) {
                    fits &= self.missing(object.property(name), name);
                }
            }
        }
        for (name, member) in members {
            if !fits && self.findings.is_none() {
                return false;
            }
            if let Some(names) = object.names {
                let name_value = Value::from(name.as_str());
                if !self.silently(names, &name_value, Rules::All) {
                    let expected = self.checker.describe(names);
                    fits &= self.at(Segment::Name(name), |check| {
                        check.report(ProblemKind::Unknown, || {
                            format!("the name of this member must be {expected}")
                        })
                    });
                }
            }
            fits &= self.member(node, name, member, rules);
        }
        fits & self.member_counts(node, members)
    }

    fn member(&mut self, node: &'c Node, name: &'v str, member: &'v Value, rules: Rules) -> bool {
        let object = &node.object;
        let mut fits = true;
        let mut listed = false;
        if let Some(child) = object.property(name) {
            listed = true;
            // `null` for a member that may be left out is the same as leaving it out.
            if !member.is_null() || object.requires(name) {
                fits &= self.below(Segment::Name(name), child, member, rules);
            }
        }
        for (pattern, child) in &object.patterns {
            if pattern.is_match(name) {
                listed = true;
                fits &= self.below(Segment::Name(name), *child, member, rules);
            }
        }
        let Some(additional) = object.additional.filter(|_| !listed) else { return fits };
        if !self.checker.node(additional).never {
            return fits & self.below(Segment::Name(name), additional, member, rules);
        }
        if rules != Rules::All {
            return fits;
        }
        self.at(Segment::Name(name), |check| {
            check.report(ProblemKind::Unknown, || check.checker.unknown_name(node, name))
        })
    }

    fn member_counts(&mut self, node: &'c Node, members: &'v Map<String, Value>) -> bool {
        let object = &node.object;
        let mut fits = true;
        let length = members.len() as u64;
        if object.min_properties.is_some_and(|min| length < min)
            || object.max_properties.is_some_and(|max| length > max)
        {
            let quantity = super::describe::quantity(object.min_properties, object.max_properties, "member");
            fits &= self.report(ProblemKind::Size, || format!("expected {quantity}; got {length}"));
        }
        for (name, dependents) in &object.dependent_required {
            if !members.contains_key(&**name) {
                continue;
            }
            for dependent in dependents.iter().filter(|dependent| !members.contains_key(&***dependent)) {
                fits &= self.missing(object.property(dependent), dependent);
            }
        }
        fits
    }

    fn dependents(
        &mut self,
        node: &'c Node,
        members: &'v Map<String, Value>,
        value: &'v Value,
        rules: Rules,
    ) -> bool {
        let mut fits = true;
        for (name, schema) in &node.object.dependent_schemas {
            if members.contains_key(&**name) {
                fits &= self.run(*schema, value, rules);
            }
        }
        fits
    }

    fn in_place(&mut self, id: NodeId, node: &'c Node, value: &'v Value, rules: Rules) -> bool {
        let parts = &node.in_place;
        let mut fits = true;
        for part in parts.reference.iter().chain(&parts.all_of) {
            fits &= self.run(*part, value, rules);
            if !fits && self.findings.is_none() {
                return false;
            }
        }
        if !parts.any_of.is_empty() {
            fits &= self.arms(id, node, &parts.any_of, false, value, rules);
        }
        if !parts.one_of.is_empty() {
            fits &= self.arms(id, node, &parts.one_of, true, value, rules);
        }
        if let Some(not) = parts.not
            && self.silently(not, value, Rules::All)
        {
            let refused = self.checker.describe(not);
            fits &= self.report_value(ProblemKind::Forms, node, value, || format!("anything but {refused}"));
        }
        if let Some((test, then, otherwise)) = parts.condition {
            let branch = if self.silently(test, value, Rules::All) { then } else { otherwise };
            fits &= branch.is_none_or(|branch| self.run(branch, value, rules));
        }
        fits
    }

    /// `anyOf`, and `oneOf` if `only_one`.
    fn arms(
        &mut self,
        id: NodeId,
        node: &'c Node,
        arms: &'c [NodeId],
        only_one: bool,
        value: &'v Value,
        rules: Rules,
    ) -> bool {
        let mut fitting = 0;
        for arm in arms {
            fitting += usize::from(self.silently(*arm, value, Rules::All));
            if fitting == 1 && !only_one || fitting == 2 {
                break;
            }
        }
        if fitting == 1 {
            return true;
        }
        if fitting > 1 {
            return self.report(ProblemKind::Forms, || {
                format!(
                    "fits more than one of the forms, of which it may fit one: {}",
                    self.checker.describe(id)
                )
            });
        }
        // Serde took the value, perhaps by names that the schema does not know.
        if rules != Rules::All
            && arms.iter().any(|arm| self.silently(*arm, value, Rules::BeyondSerdeAndTypes))
        {
            return true;
        }
        if self.findings.is_some()
            && let Some(meant) = self.checker.meant(arms, value)
        {
            return self.run(meant, value, Rules::All);
        }
        self.report_value(ProblemKind::Forms, node, value, || self.checker.describe_arms(arms))
    }

    /// Whether the value fits, without a word about what does not.
    fn silently(&mut self, id: NodeId, value: &Value, rules: Rules) -> bool {
        let mut check = Check::new(self.checker, None, self.steps);
        check.depth = self.depth;
        let fits = check.run(id, value, rules);
        self.steps = check.steps;
        fits
    }

    fn below(&mut self, segment: Segment<'v>, child: NodeId, value: &'v Value, rules: Rules) -> bool {
        self.at(segment, |check| check.run(child, value, rules))
    }

    fn at(&mut self, segment: Segment<'v>, run: impl FnOnce(&mut Self) -> bool) -> bool {
        self.path.push(segment);
        let fits = run(self);
        self.path.pop();
        fits
    }

    fn missing(&mut self, property: Option<NodeId>, name: &'c str) -> bool {
        let Some(findings) = self.findings.as_deref_mut() else { return false };
        // The name comes from the schema: it may be shown even inside a secret.
        findings.add(&self.path, Some(name), ProblemKind::Missing, || self.checker.missing(property));
        false
    }

    /// Reports a problem at the current place; answers false.
    fn report(&mut self, kind: ProblemKind, message: impl FnOnce() -> String) -> bool {
        if let Some(findings) = self.findings.as_deref_mut() {
            let shown = self.secret.unwrap_or(self.path.len());
            findings.add(&self.path[..shown], None, kind, message);
        }
        false
    }

    /// Reports that `value` is not what was expected; answers false.
    fn report_value(
        &mut self,
        kind: ProblemKind,
        node: &Node,
        value: &Value,
        expected: impl FnOnce() -> String,
    ) -> bool {
        let hidden = self.secret.is_some() || node.holds_secret();
        let message = || format!("expected {}; got {}", expected(), super::describe::got(value, hidden));
        self.report(kind, message)
    }
}

/// How many schemas may be applied to `value`.
pub(in crate::arguments) fn budget(value: &Value) -> usize {
    MAX_STEPS + STEPS_PER_NODE * count(value)
}

/// The number of values in a value, itself included.
fn count(value: &Value) -> usize {
    match value {
        Value::Array(items) => 1 + items.iter().map(count).sum::<usize>(),
        Value::Object(members) => 1 + members.values().map(count).sum::<usize>(),
        _ => 1,
    }
}
