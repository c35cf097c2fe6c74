//! Expands constraints into alternatives of facts, for values of one type.

use serde_json::Value;

use super::facts::{Choice, Contradiction, Fact, Facts, Step, Tracker, applies_to};
use super::negate::{differences, violations};
use super::numbers::find_number;
use super::{Alternatives, Constraint, Goal, Outcome, Solver, TOO_LARGE, unknown};
use crate::schema_inclusion::node::{Id, JsonType, Rule};
use crate::schema_inclusion::number::Decimal;

/// Maximum number of schemas per alternative that track evaluated items and members.
const MAX_TRACKERS: usize = 64;

/// A partially expanded alternative.
#[derive(Debug, Clone)]
pub(super) struct Branch<'a> {
    pub(super) json_type: JsonType,
    pub(super) facts: Facts<'a>,
    choices: Vec<Choice<'a>>,
    /// The expanded schemas: class, whether it must match, and the trackers that it counts for.
    expanded: Vec<(u32, bool, u64)>,
    pub(super) trackers: Vec<Tracker>,
    /// The possible values, if a rule lists them.
    values: Option<Vec<&'a Value>>,
}

impl<'a> Solver<'_, 'a> {
    /// Finds a value of one type that satisfies all constraints.
    pub(super) fn find_of_type(&self, json_type: JsonType, goal: &Goal) -> Outcome {
        let mut branch = Branch {
            json_type,
            facts: Facts::default(),
            choices: Vec::new(),
            expanded: Vec::new(),
            trackers: Vec::new(),
            values: None,
        };
        for constraint in &goal.constraints {
            if self.apply(&mut branch, Step::Constraint(constraint.clone())).is_err() {
                return Outcome::Unsatisfiable;
            }
        }
        self.solve_branch(branch, goal)
    }

    fn solve_branch(&self, mut branch: Branch<'a>, goal: &Goal) -> Outcome {
        if !self.count_step() {
            return unknown(TOO_LARGE);
        }
        if self.propagate(&mut branch).is_err() {
            return Outcome::Unsatisfiable;
        }
        if let Some(values) = &branch.values {
            return self.find_among(
                goal,
                values.iter().copied().filter(|value| JsonType::of(value) == branch.json_type),
            );
        }
        // The choice with the fewest alternatives comes first.
        let Some(at) = (0..branch.choices.len()).min_by_key(|at| branch.choices[*at].len()) else {
            return self.solve_facts(branch, goal);
        };
        let choice = branch.choices.swap_remove(at);
        let mut alternatives = Alternatives::default();
        for steps in choice {
            let mut chosen = branch.clone();
            if steps.into_iter().try_for_each(|step| self.apply(&mut chosen, step)).is_err() {
                continue;
            }
            if let Some(found) = alternatives.add(self.solve_branch(chosen, goal)) {
                return found;
            }
        }
        alternatives.finish()
    }

    /// Removes alternatives that contradict known facts, and applies those that are left without an alternative.
    fn propagate(&self, branch: &mut Branch<'a>) -> Result<(), Contradiction> {
        loop {
            let mut is_changed = false;
            for mut choice in std::mem::take(&mut branch.choices) {
                choice.retain(|steps| !steps.iter().any(|step| self.is_ruled_out(branch, step)));
                let is_met = |steps: &Vec<Step<'a>>| steps.iter().all(|step| self.is_implied(branch, step));
                if choice.iter().any(is_met) {
                    continue;
                }
                match choice.len() {
                    0 => return Err(Contradiction),
                    1 => {
                        is_changed = true;
                        for step in choice.into_iter().flatten() {
                            self.apply(branch, step)?;
                        }
                    }
                    _ => branch.choices.push(choice),
                }
            }
            if !is_changed {
                return Ok(());
            }
        }
    }

    fn is_ruled_out(&self, branch: &Branch<'a>, step: &Step<'a>) -> bool {
        let is_expanded = |id: Id, matches: bool| {
            let class = self.nodes.classes[id];
            branch.expanded.iter().any(|expanded| expanded.0 == class && expanded.1 == matches)
        };
        match step {
            Step::Constraint(Constraint::Schema(id, matches)) => is_expanded(*id, !matches),
            Step::Tracked(id, _) => is_expanded(*id, false),
            Step::Fact(Fact::Present(name)) => branch.facts.absent.contains(name),
            Step::Fact(Fact::Absent(name)) => branch.facts.present.contains(name),
            Step::Fact(Fact::Minimum(bound)) => branch.facts.maximum.is_some_and(|high| {
                bound.value > high.value || (bound.value == high.value && (bound.exclusive || high.exclusive))
            }),
            Step::Fact(Fact::Maximum(bound)) => branch.facts.minimum.is_some_and(|low| {
                bound.value < low.value || (bound.value == low.value && (bound.exclusive || low.exclusive))
            }),
            Step::Fact(Fact::MinLength(min)) => branch.facts.max_length.is_some_and(|max| *min > max),
            Step::Fact(Fact::MaxLength(max)) => branch.facts.min_length > *max,
            Step::Fact(Fact::MinCount(min)) => branch.facts.max_count.is_some_and(|max| *min > max),
            Step::Fact(Fact::MaxCount(max)) => branch.facts.min_count > *max,
            _ => false,
        }
    }

    fn is_implied(&self, branch: &Branch<'a>, step: &Step<'a>) -> bool {
        let is_expanded = |id: Id, matches: bool, tracked: u64| {
            let class = self.nodes.classes[id];
            branch.expanded.iter().any(|expanded| {
                expanded.0 == class && expanded.1 == matches && expanded.2 & tracked == tracked
            })
        };
        match step {
            Step::Constraint(Constraint::Schema(id, matches)) => is_expanded(*id, *matches, 0),
            Step::Tracked(id, tracked) => is_expanded(*id, true, *tracked),
            Step::Fact(Fact::Present(name)) => branch.facts.present.contains(name),
            Step::Fact(Fact::Absent(name)) => branch.facts.absent.contains(name),
            _ => false,
        }
    }

    pub(super) fn apply(&self, branch: &mut Branch<'a>, step: Step<'a>) -> Result<(), Contradiction> {
        match step {
            Step::Fact(fact) => branch.facts.add(fact),
            Step::Tracked(id, tracked) => self.require_match(branch, id, tracked),
            Step::LeavesUnevaluated(id) => self.apply_rules(branch, id, 0, false),
            Step::Constraint(constraint) => match constraint {
                Constraint::Schema(id, true) => self.require_match(branch, id, 0),
                Constraint::Schema(id, false) => self.require_mismatch(branch, id),
                Constraint::NotEqual(value) => match &*value {
                    other if JsonType::of(other) != branch.json_type => Ok(()),
                    Value::Number(_) | Value::String(_) => branch.facts.add(Fact::NotEqual(value)),
                    other => {
                        branch.choices.push(differences(other));
                        Ok(())
                    }
                },
                Constraint::Type(json_type) if json_type == branch.json_type => Ok(()),
                Constraint::Type(_) => Err(Contradiction),
                Constraint::Pattern(pattern, matches) if branch.json_type == JsonType::String => {
                    branch.facts.add(Fact::Pattern(pattern, matches))
                }
                Constraint::Pattern(..) => Ok(()),
                Constraint::AnyOf(alternatives) => {
                    let of = |constraints: &Vec<Constraint>| {
                        constraints.iter().cloned().map(Step::Constraint).collect()
                    };
                    branch.choices.push(alternatives.iter().map(of).collect());
                    Ok(())
                }
            },
        }
    }

    /// Marks a schema as expanded for these trackers; returns whether it already was.
    fn mark_expanded(
        &self,
        branch: &mut Branch<'a>,
        id: Id,
        matches: bool,
        tracked: u64,
    ) -> Result<bool, Contradiction> {
        let class = self.nodes.classes[id];
        let mut is_expanded = false;
        for (other, other_matches, other_tracked) in &branch.expanded {
            if *other == class && *other_matches != matches {
                return Err(Contradiction);
            }
            is_expanded |= *other == class && other_tracked & tracked == tracked;
        }
        if !is_expanded {
            branch.expanded.push((class, matches, tracked));
        }
        Ok(is_expanded)
    }

    fn require_match(&self, branch: &mut Branch<'a>, id: Id, tracked: u64) -> Result<(), Contradiction> {
        if self.mark_expanded(branch, id, true, tracked)? {
            return Ok(());
        }
        self.apply_rules(branch, id, tracked, true)
    }

    fn require_mismatch(&self, branch: &mut Branch<'a>, id: Id) -> Result<(), Contradiction> {
        if self.mark_expanded(branch, id, false, 0)? {
            return Ok(());
        }
        let mut choice = Choice::new();
        for rule in self.nodes.rules(id) {
            match violations(branch.json_type, id, rule) {
                Some(alternatives) => choice.extend(alternatives),
                // Every value of this type violates the rule.
                None => return Ok(()),
            }
        }
        branch.choices.push(choice);
        Ok(())
    }

    /// Applies all rules of a schema; `rest_matches` says whether the rule about unevaluated values is satisfied or violated.
    fn apply_rules(
        &self,
        branch: &mut Branch<'a>,
        id: Id,
        tracked: u64,
        rest_matches: bool,
    ) -> Result<(), Contradiction> {
        let mut tracked = tracked;
        for (at, tracker) in branch.trackers.iter_mut().enumerate() {
            if tracked & (1 << at) != 0 {
                tracker.sources.push(id);
            }
        }
        let rules = self.nodes.rules(id);
        for rule in rules {
            let (rest, items) = match rule {
                Rule::UnevaluatedItems(rest) => (*rest, true),
                Rule::UnevaluatedProperties(rest) => (*rest, false),
                _ => continue,
            };
            if applies_to(branch.json_type, items) {
                if branch.trackers.len() >= MAX_TRACKERS {
                    branch.facts.unknown_reason.get_or_insert(TOO_LARGE.into());
                    continue;
                }
                tracked |= 1 << branch.trackers.len();
                branch.trackers.push(Tracker { sources: vec![id], owner: id, rest, matches: rest_matches });
            }
        }
        rules.iter().try_for_each(|rule| self.apply_rule(branch, rule, tracked))
    }

    fn apply_rule(
        &self,
        branch: &mut Branch<'a>,
        rule: &Rule<'a>,
        tracked: u64,
    ) -> Result<(), Contradiction> {
        let matches = |id: &Id| Step::Tracked(*id, tracked);
        let mismatches = |id: &Id| Step::Constraint(Constraint::Schema(*id, false));
        match rule {
            Rule::Never => return Err(Contradiction),
            Rule::Include(id) => return self.require_match(branch, *id, tracked),
            Rule::Not(id) => return self.require_mismatch(branch, *id),
            Rule::AnyOf(ids) => {
                if tracked != 0 {
                    // The items and members that any matching arm evaluates count.
                    branch.choices.extend(ids.iter().map(|id| vec![vec![matches(id)], vec![mismatches(id)]]));
                }
                branch.choices.push(ids.iter().map(|id| vec![matches(id)]).collect());
            }
            Rule::OneOf(ids) => {
                let only = |at: usize| {
                    let of =
                        |(other, id): (usize, &Id)| if other == at { matches(id) } else { mismatches(id) };
                    ids.iter().enumerate().map(of).collect()
                };
                branch.choices.push((0..ids.len()).map(only).collect());
            }
            Rule::Conditional { condition, then, otherwise } => {
                let when_true = [matches(condition)].into_iter().chain(then.as_ref().map(matches)).collect();
                let when_false =
                    [mismatches(condition)].into_iter().chain(otherwise.as_ref().map(matches)).collect();
                branch.choices.push(vec![when_true, when_false]);
            }
            Rule::Types { types, only_integers } => {
                if !types.contains(&branch.json_type) {
                    return Err(Contradiction);
                }
                if *only_integers && branch.json_type == JsonType::Number {
                    branch.facts.add(Fact::MultipleOf(Decimal::ONE))?;
                }
            }
            Rule::Enum(values) => {
                // The shorter list is tried.
                if branch.values.as_ref().is_none_or(|own| own.len() > values.len()) {
                    branch.values = Some(values.clone());
                }
            }
            Rule::Opaque { text, why } => {
                branch.facts.add(Fact::Opaque {
                    text: text.clone(),
                    why: why.as_str().into(),
                    is_satisfied: true,
                })?;
            }
            Rule::DependentRequired(name, needed) if branch.json_type == JsonType::Object => {
                let present = [*name].into_iter().chain(needed.iter().copied());
                branch.choices.push(vec![
                    vec![Step::Fact(Fact::Absent((*name).into()))],
                    present.map(|name| Step::Fact(Fact::Present(name.into()))).collect(),
                ]);
            }
            Rule::DependentSchema(name, id) if branch.json_type == JsonType::Object => {
                branch.choices.push(vec![
                    vec![Step::Fact(Fact::Absent((*name).into()))],
                    vec![Step::Fact(Fact::Present((*name).into())), matches(id)],
                ]);
            }
            _ => {
                for fact in facts_of(branch.json_type, rule) {
                    branch.facts.add(fact)?;
                }
            }
        }
        Ok(())
    }

    fn solve_facts(&self, mut branch: Branch<'a>, goal: &Goal) -> Outcome {
        for tracker in std::mem::take(&mut branch.trackers) {
            if self.apply_unevaluated(&mut branch, &tracker).is_err() {
                return Outcome::Unsatisfiable;
            }
        }
        let facts = branch.facts;
        let outcome = match branch.json_type {
            JsonType::Number => find_number(&facts),
            JsonType::String => self.find_string(&facts),
            JsonType::Array => self.find_array(&facts, &goal.sides),
            JsonType::Object => self.find_object(&facts, &goal.sides),
            JsonType::Null | JsonType::Boolean => unknown(TOO_LARGE),
        };
        match (outcome, facts.unknown_reason) {
            (Outcome::Value(_), Some(why)) => Outcome::Unknown(why),
            (outcome, _) => outcome,
        }
    }
}

/// Returns the facts that a rule implies for values of one type.
fn facts_of<'a>(json_type: JsonType, rule: &Rule<'a>) -> Vec<Fact<'a>> {
    let fact = match (json_type, rule) {
        (JsonType::Number, Rule::Minimum(bound)) => Fact::Minimum(*bound),
        (JsonType::Number, Rule::Maximum(bound)) => Fact::Maximum(*bound),
        (JsonType::Number, Rule::MultipleOf(factor)) => Fact::MultipleOf(*factor),
        (JsonType::String, Rule::MinLength(min)) => Fact::MinLength(*min),
        (JsonType::String, Rule::MaxLength(max)) => Fact::MaxLength(*max),
        (JsonType::String, Rule::Pattern(pattern)) => Fact::Pattern(*pattern, true),
        (JsonType::String, Rule::Format(format)) => Fact::Format(format, true),
        (JsonType::Array, Rule::MinItems(min)) | (JsonType::Object, Rule::MinProperties(min)) => {
            Fact::MinCount(*min)
        }
        (JsonType::Array, Rule::MaxItems(max)) | (JsonType::Object, Rule::MaxProperties(max)) => {
            Fact::MaxCount(*max)
        }
        (JsonType::Array, Rule::UniqueItems) => Fact::UniqueItems,
        (JsonType::Array, Rule::Items { prefix, rest }) => Fact::Items(prefix.clone(), *rest),
        (JsonType::Array, Rule::Contains { schema, min, max }) => {
            Fact::Contains { schema: *schema, min: *min, max: *max }
        }
        (JsonType::Object, Rule::Required(names)) => {
            return names.iter().map(|name| Fact::Present((*name).into())).collect();
        }
        (JsonType::Object, Rule::Properties(properties)) => Fact::Properties(properties.clone()),
        (JsonType::Object, Rule::PropertyNames(id)) => Fact::PropertyNames(Constraint::Schema(*id, true)),
        _ => return Vec::new(),
    };
    vec![fact]
}
