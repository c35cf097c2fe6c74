//! Schemas with the rules of those that they take over, by reference or in `allOf`.

use super::node::{Id, Nodes, Rule};

/// How many schemas one schema may take over to be taken for their sum.
const MAX_TAKEN: usize = 64;
/// How many rules all schemas together may have after that.
const MAX_RULES: usize = 200_000;

impl<'a> Nodes<'a> {
    /// Gives each schema the rules of those that it takes over.
    pub(super) fn flatten(&mut self) {
        self.cut_circles();
        let mut count = 0;
        let flat: Vec<Vec<Rule<'a>>> = (0..self.count())
            .map(|id| {
                let mut rules = Vec::new();
                if count < MAX_RULES {
                    self.collect(id, &mut vec![id], &mut rules);
                } else {
                    rules.extend_from_slice(self.rules(id));
                }
                count += rules.len();
                rules
            })
            .collect();
        self.replace(flat);
    }

    fn collect(&self, id: Id, seen: &mut Vec<Id>, rules: &mut Vec<Rule<'a>>) {
        for rule in self.rules(id) {
            match rule {
                Rule::Also(other) if seen.len() < MAX_TAKEN && !self.looks_around(*other) => {
                    if !seen.contains(other) {
                        seen.push(*other);
                        self.collect(*other, seen, rules);
                    }
                }
                other => rules.push(other.clone()),
            }
        }
    }

    /// Whether a rule of the schema, or of one that it takes over, depends on what else is said beside it.
    fn looks_around(&self, id: Id) -> bool {
        let depends =
            |rule: &Rule<'_>| matches!(rule, Rule::UnevaluatedItems(_) | Rule::UnevaluatedMembers(_));
        self.rules(id).iter().any(depends)
    }

    /// The schemas that speak of the same value as a rule.
    pub(super) fn in_place(rule: &Rule<'a>) -> Vec<Id> {
        match rule {
            Rule::Also(id) | Rule::Not(id) | Rule::Entails(_, id) => vec![*id],
            Rule::Any(ids) | Rule::One(ids) => ids.clone(),
            Rule::Cases { when, then, other } => [Some(*when), *then, *other].into_iter().flatten().collect(),
            _ => Vec::new(),
        }
    }

    /// A schema that leads back to itself, without a step into the value, has no meaning (JSON Schema 2020-12 core §9.4.1).
    fn cut_circles(&mut self) {
        #[derive(Clone, Copy, PartialEq)]
        enum State {
            New,
            Open,
            Done,
        }
        let next =
            |nodes: &Self, id: Id| -> Vec<Id> { nodes.rules(id).iter().flat_map(Self::in_place).collect() };
        let mut states = vec![State::New; self.count()];
        let mut circular = Vec::new();
        for start in 0..self.count() {
            if states[start] != State::New {
                continue;
            }
            states[start] = State::Open;
            let mut path = vec![(start, next(self, start))];
            while let Some((id, left)) = path.last_mut() {
                match left.pop() {
                    Some(inner) if states[inner] == State::Open => circular.push(inner),
                    Some(inner) if states[inner] == State::New => {
                        states[inner] = State::Open;
                        let following = next(self, inner);
                        path.push((inner, following));
                    }
                    Some(_) => {}
                    None => {
                        states[*id] = State::Done;
                        path.pop();
                    }
                }
            }
        }
        for id in circular {
            self.make_opaque(id, "a reference leads back to itself");
        }
    }
}
