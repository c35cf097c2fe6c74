//! Expands demands into alternatives of facts, for values of one kind.

use serde_json::Value;

use super::facts::{Choice, Contradiction, Fact, Facts, Step, Tracker, speaks_of};
use super::negate::{broken, other_than};
use super::numbers::number;
use super::{Alternatives, Demand, Outcome, Place, Solver, TOO_LARGE, unknown};
use crate::schema_inclusion::node::{Id, Kind, Rule};

/// Maximum number of schemas per alternative that track evaluated items and members.
const MAX_TRACKERS: usize = 64;

/// A partially expanded alternative.
#[derive(Debug, Clone)]
pub(super) struct Branch<'a> {
    pub(super) kind: Kind,
    pub(super) facts: Facts<'a>,
    choices: Vec<Choice<'a>>,
    /// The expanded schemas: class, whether it must match, and the trackers that it counts for.
    seen: Vec<(u32, bool, u64)>,
    pub(super) trackers: Vec<Tracker>,
    /// The possible values, if a rule lists them.
    values: Option<Vec<&'a Value>>,
}

impl<'a> Solver<'_, 'a> {
    /// Finds a value of one kind that satisfies all demands.
    pub(super) fn of_kind(&self, kind: Kind, place: &Place) -> Outcome {
        let mut branch = Branch {
            kind,
            facts: Facts::default(),
            choices: Vec::new(),
            seen: Vec::new(),
            trackers: Vec::new(),
            values: None,
        };
        for demand in &place.demands {
            if self.take(&mut branch, Step::Demand(demand.clone())).is_err() {
                return Outcome::Nothing;
            }
        }
        self.in_branch(branch, place)
    }

    fn in_branch(&self, mut branch: Branch<'a>, place: &Place) -> Outcome {
        if !self.step() {
            return unknown(TOO_LARGE);
        }
        if self.narrow(&mut branch).is_err() {
            return Outcome::Nothing;
        }
        if let Some(values) = &branch.values {
            return self.one_of(place, values.iter().copied().filter(|value| Kind::of(value) == branch.kind));
        }
        // The choice with the fewest alternatives first.
        let Some(at) = (0..branch.choices.len()).min_by_key(|at| branch.choices[*at].len()) else {
            return self.without_choices(branch, place);
        };
        let choice = branch.choices.swap_remove(at);
        let mut alternatives = Alternatives::default();
        for steps in choice {
            let mut chosen = branch.clone();
            if steps.into_iter().try_for_each(|step| self.take(&mut chosen, step)).is_err() {
                continue;
            }
            if let Some(found) = alternatives.add(self.in_branch(chosen, place)) {
                return found;
            }
        }
        alternatives.none()
    }

    /// Removes alternatives that contradict known facts, and applies the only remaining one.
    fn narrow(&self, branch: &mut Branch<'a>) -> Result<(), Contradiction> {
        loop {
            let mut is_changed = false;
            for mut choice in std::mem::take(&mut branch.choices) {
                choice.retain(|steps| !steps.iter().any(|step| self.is_ruled_out(branch, step)));
                let is_met = |steps: &Vec<Step<'a>>| steps.iter().all(|step| self.is_taken(branch, step));
                if choice.iter().any(is_met) {
                    continue;
                }
                match choice.len() {
                    0 => return Err(Contradiction),
                    1 => {
                        is_changed = true;
                        for step in choice.into_iter().flatten() {
                            self.take(branch, step)?;
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
        let is_seen = |id: Id, fits: bool| {
            let class = self.nodes.classes[id];
            branch.seen.iter().any(|seen| seen.0 == class && seen.1 == fits)
        };
        match step {
            Step::Demand(Demand::Fits(id, fits)) => is_seen(*id, !fits),
            Step::Tracked(id, _) => is_seen(*id, false),
            Step::Fact(Fact::Present(name)) => branch.facts.absent.contains(name),
            Step::Fact(Fact::Absent(name)) => branch.facts.present.contains(name),
            Step::Fact(Fact::Low(bound)) => branch
                .facts
                .high
                .is_some_and(|high| bound.at > high.at || (bound.at == high.at && (bound.open || high.open))),
            Step::Fact(Fact::High(bound)) => branch
                .facts
                .low
                .is_some_and(|low| bound.at < low.at || (bound.at == low.at && (bound.open || low.open))),
            Step::Fact(Fact::Shortest(least)) => branch.facts.longest.is_some_and(|most| *least > most),
            Step::Fact(Fact::Longest(most)) => branch.facts.shortest > *most,
            Step::Fact(Fact::Fewest(least)) => branch.facts.most.is_some_and(|most| *least > most),
            Step::Fact(Fact::Most(most)) => branch.facts.fewest > *most,
            _ => false,
        }
    }

    fn is_taken(&self, branch: &Branch<'a>, step: &Step<'a>) -> bool {
        let is_seen = |id: Id, fits: bool, tracked: u64| {
            let class = self.nodes.classes[id];
            branch.seen.iter().any(|seen| seen.0 == class && seen.1 == fits && seen.2 & tracked == tracked)
        };
        match step {
            Step::Demand(Demand::Fits(id, fits)) => is_seen(*id, *fits, 0),
            Step::Tracked(id, tracked) => is_seen(*id, true, *tracked),
            Step::Fact(Fact::Present(name)) => branch.facts.present.contains(name),
            Step::Fact(Fact::Absent(name)) => branch.facts.absent.contains(name),
            _ => false,
        }
    }

    pub(super) fn take(&self, branch: &mut Branch<'a>, step: Step<'a>) -> Result<(), Contradiction> {
        match step {
            Step::Fact(fact) => branch.facts.add(fact),
            Step::Tracked(id, tracked) => self.fits(branch, id, tracked),
            Step::LeavesUnevaluated(id) => self.all_rules(branch, id, 0, false),
            Step::Demand(demand) => match demand {
                Demand::Fits(id, true) => self.fits(branch, id, 0),
                Demand::Fits(id, false) => self.fits_not(branch, id),
                Demand::Not(value) => match &*value {
                    other if Kind::of(other) != branch.kind => Ok(()),
                    Value::Number(_) | Value::String(_) => branch.facts.add(Fact::NotValue(value)),
                    other => {
                        branch.choices.push(other_than(other));
                        Ok(())
                    }
                },
                Demand::Is(kind) if kind == branch.kind => Ok(()),
                Demand::Is(_) => Err(Contradiction),
                Demand::Matches(pattern, matches) if branch.kind == Kind::Text => {
                    branch.facts.add(Fact::Matches(pattern, matches))
                }
                Demand::Matches(..) => Ok(()),
                Demand::Either(alternatives) => {
                    let of = |demands: &Vec<Demand>| demands.iter().cloned().map(Step::Demand).collect();
                    branch.choices.push(alternatives.iter().map(of).collect());
                    Ok(())
                }
            },
        }
    }

    /// Returns whether it was already expanded for these trackers; otherwise records it.
    fn was_seen(
        &self,
        branch: &mut Branch<'a>,
        id: Id,
        fits: bool,
        tracked: u64,
    ) -> Result<bool, Contradiction> {
        let class = self.nodes.classes[id];
        let mut was_seen = false;
        for (other, other_fits, other_tracked) in &branch.seen {
            if *other == class && *other_fits != fits {
                return Err(Contradiction);
            }
            was_seen |= *other == class && other_tracked & tracked == tracked;
        }
        if !was_seen {
            branch.seen.push((class, fits, tracked));
        }
        Ok(was_seen)
    }

    fn fits(&self, branch: &mut Branch<'a>, id: Id, tracked: u64) -> Result<(), Contradiction> {
        if self.was_seen(branch, id, true, tracked)? {
            return Ok(());
        }
        self.all_rules(branch, id, tracked, true)
    }

    fn fits_not(&self, branch: &mut Branch<'a>, id: Id) -> Result<(), Contradiction> {
        if self.was_seen(branch, id, false, 0)? {
            return Ok(());
        }
        let mut choice = Choice::new();
        for rule in self.nodes.rules(id) {
            match broken(branch.kind, id, rule) {
                Some(alternatives) => choice.extend(alternatives),
                // Every value of this kind violates the rule.
                None => return Ok(()),
            }
        }
        branch.choices.push(choice);
        Ok(())
    }

    /// Applies all rules of a schema. The one about unevaluated values is satisfied or violated.
    fn all_rules(
        &self,
        branch: &mut Branch<'a>,
        id: Id,
        tracked: u64,
        rest_fits: bool,
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
                Rule::UnevaluatedMembers(rest) => (*rest, false),
                _ => continue,
            };
            if speaks_of(branch.kind, items) {
                if branch.trackers.len() >= MAX_TRACKERS {
                    branch.facts.unsure.get_or_insert(TOO_LARGE.into());
                    continue;
                }
                tracked |= 1 << branch.trackers.len();
                branch.trackers.push(Tracker { sources: vec![id], owner: id, rest, fits: rest_fits });
            }
        }
        rules.iter().try_for_each(|rule| self.rule(branch, rule, tracked))
    }

    fn rule(&self, branch: &mut Branch<'a>, rule: &Rule<'a>, tracked: u64) -> Result<(), Contradiction> {
        let fits = |id: &Id| Step::Tracked(*id, tracked);
        let fits_not = |id: &Id| Step::Demand(Demand::Fits(*id, false));
        match rule {
            Rule::Never => return Err(Contradiction),
            Rule::Also(id) => return self.fits(branch, *id, tracked),
            Rule::Not(id) => return self.fits_not(branch, *id),
            Rule::Any(ids) => {
                if tracked != 0 {
                    // What every matching arm has evaluated counts.
                    branch.choices.extend(ids.iter().map(|id| vec![vec![fits(id)], vec![fits_not(id)]]));
                }
                branch.choices.push(ids.iter().map(|id| vec![fits(id)]).collect());
            }
            Rule::One(ids) => {
                let only = |at: usize| {
                    let of = |(other, id): (usize, &Id)| if other == at { fits(id) } else { fits_not(id) };
                    ids.iter().enumerate().map(of).collect()
                };
                branch.choices.push((0..ids.len()).map(only).collect());
            }
            Rule::Cases { when, then, other } => {
                let holds = [fits(when)].into_iter().chain(then.as_ref().map(fits)).collect();
                let fails = [fits_not(when)].into_iter().chain(other.as_ref().map(fits)).collect();
                branch.choices.push(vec![holds, fails]);
            }
            Rule::Kinds { kinds, whole } => {
                if !kinds.contains(&branch.kind) {
                    return Err(Contradiction);
                }
                if *whole && branch.kind == Kind::Number {
                    branch.facts.add(Fact::Multiple(crate::schema_inclusion::number::Decimal::ONE))?;
                }
            }
            Rule::Values(values) => {
                // Tries the shorter list.
                if branch.values.as_ref().is_none_or(|own| own.len() > values.len()) {
                    branch.values = Some(values.clone());
                }
            }
            Rule::Opaque { text, why } => {
                branch.facts.add(Fact::Opaque {
                    text: text.clone(),
                    why: why.as_str().into(),
                    holds: true,
                })?;
            }
            Rule::Needs(name, needed) if branch.kind == Kind::Object => {
                let present = [*name].into_iter().chain(needed.iter().copied());
                branch.choices.push(vec![
                    vec![Step::Fact(Fact::Absent((*name).into()))],
                    present.map(|name| Step::Fact(Fact::Present(name.into()))).collect(),
                ]);
            }
            Rule::Entails(name, id) if branch.kind == Kind::Object => {
                branch.choices.push(vec![
                    vec![Step::Fact(Fact::Absent((*name).into()))],
                    vec![Step::Fact(Fact::Present((*name).into())), fits(id)],
                ]);
            }
            _ => {
                for fact in facts(branch.kind, rule) {
                    branch.facts.add(fact)?;
                }
            }
        }
        Ok(())
    }

    fn without_choices(&self, mut branch: Branch<'a>, place: &Place) -> Outcome {
        for tracker in std::mem::take(&mut branch.trackers) {
            if self.unevaluated(&mut branch, &tracker).is_err() {
                return Outcome::Nothing;
            }
        }
        let facts = branch.facts;
        let outcome = match branch.kind {
            Kind::Number => number(&facts),
            Kind::Text => self.text(&facts),
            Kind::List => self.list(&facts, &place.declared),
            Kind::Object => self.object(&facts, &place.declared),
            Kind::Null | Kind::Boolean => unknown(TOO_LARGE),
        };
        match (outcome, facts.unsure) {
            (Outcome::Value(_), Some(why)) => Outcome::Unknown(why),
            (outcome, _) => outcome,
        }
    }
}

/// Returns the facts that a rule implies for values of one kind.
fn facts<'a>(kind: Kind, rule: &Rule<'a>) -> Vec<Fact<'a>> {
    let fact = match (kind, rule) {
        (Kind::Number, Rule::Low(bound)) => Fact::Low(*bound),
        (Kind::Number, Rule::High(bound)) => Fact::High(*bound),
        (Kind::Number, Rule::Multiple(factor)) => Fact::Multiple(*factor),
        (Kind::Text, Rule::Shortest(least)) => Fact::Shortest(*least),
        (Kind::Text, Rule::Longest(most)) => Fact::Longest(*most),
        (Kind::Text, Rule::Pattern(pattern)) => Fact::Matches(*pattern, true),
        (Kind::Text, Rule::Format(format)) => Fact::Format(format, true),
        (Kind::List, Rule::FewestItems(least)) | (Kind::Object, Rule::FewestMembers(least)) => {
            Fact::Fewest(*least)
        }
        (Kind::List, Rule::MostItems(most)) | (Kind::Object, Rule::MostMembers(most)) => Fact::Most(*most),
        (Kind::List, Rule::Unique) => Fact::Unique,
        (Kind::List, Rule::Items { prefix, rest }) => Fact::Row(prefix.clone(), *rest),
        (Kind::List, Rule::Contains { what, least, most }) => {
            Fact::Contains { what: *what, least: *least, most: *most }
        }
        (Kind::Object, Rule::Required(names)) => {
            return names.iter().map(|name| Fact::Present((*name).into())).collect();
        }
        (Kind::Object, Rule::Members(members)) => Fact::Members(members.clone()),
        (Kind::Object, Rule::Names(id)) => Fact::Names(Demand::Fits(*id, true)),
        _ => return Vec::new(),
    };
    vec![fact]
}
